"""Third-party plugins as people install them: by pip, found by their entry points, used from the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from overread.plugins.catalogue import Catalogue

_PLUGINS: Final = Path(__file__).parents[1] / "data" / "plugins"
_REFERENCE: Final = "Small left effusion. Heart size is normal."
_CANDIDATE: Final = "Small effusion. Heart is normal."

Overread = Callable[..., subprocess.CompletedProcess[str]]


def _install(folders: Sequence[Path], target: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-build-isolation", "--no-index", "--target", str(target), *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def overread(tmp_path_factory: pytest.TempPathFactory) -> Overread:
    """Runs overread where every test plugin is installed; sources are copied, for a build writes beside them."""
    sources, target = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("site")
    shutil.copytree(_PLUGINS, sources, dirs_exist_ok=True)
    _install(sorted(sources.iterdir()), target)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OVERREAD_")} | {"PYTHONPATH": str(target)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "overread", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

    return run


@pytest.fixture(scope="module")
def listing(overread: Overread) -> dict[str, Any]:
    """What ``overread plugins --json`` prints."""
    done = overread("plugins", "-f", "json")
    assert done.returncode == 0, done.stderr
    described: dict[str, Any] = json.loads(done.stdout)
    return described


def _run(overread: Overread, command: str, *arguments: str) -> Any:
    """What a command prints about the sample pair, with the third-party extractor and aligner."""
    texts = ("--reference-text", _REFERENCE, "--candidate-text", _CANDIDATE)
    choices = ("--set", "extractor=fixed", "--set", "aligner=diagonal")
    done = overread(command, *texts, *choices, *arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_sound_plugin_is_listed_with_its_distribution(listing: dict[str, Any]) -> None:
    """All three of its components can run, and say where they come from."""
    (good,) = (plugin for plugin in listing["plugins"] if plugin["name"] == "good")
    assert good == {
        "name": "good",
        "distribution": "overread-good",
        "version": "1.2.3",
        "builtin": False,
        "provides": ["aligner:diagonal", "extractor:fixed", "metric:length_ratio"],
    }
    offered = {c["name"]: (c["kind"], c["can_run"]) for c in listing["components"] if c["plugin"] == "good"}
    assert offered == {
        "length_ratio": ("metric", True),
        "fixed": ("extractor", True),
        "diagonal": ("aligner", True),
    }


@pytest.mark.parametrize(
    ("plugin", "problem"),
    [
        ("broken", "No module named 'overread_module_that_nobody_has'"),
        ("badargs", "language"),
        ("shadow", "metric 'radot' is built in and cannot be replaced"),
        ("clash_a", "metric 'contested' is also offered by clash_b"),
        ("clash_b", "metric 'contested' is also offered by clash_a"),
    ],
)
def test_a_faulty_plugin_is_listed_with_the_reason(plugin: str, problem: str, listing: dict[str, Any]) -> None:
    """Exactly one failure each, with distribution and version."""
    (failure,) = (failure for failure in listing["failures"] if failure["plugin"] == plugin)
    assert failure["distribution"] == f"overread-{plugin.replace('_', '-')}"
    assert failure["version"] == "1.2.3"
    assert problem in failure["problem"]


def test_faulty_plugins_add_nothing_and_take_nothing_away(listing: dict[str, Any]) -> None:
    """The built-in keeps its name, and the contested name is nobody's."""
    metrics = {c["name"]: c["plugin"] for c in listing["components"] if c["kind"] == "metric"}
    builtin = {each.spec.name: each.plugin.name for each in Catalogue.discover(entry_points=[]).metrics()}
    assert {name: plugin for name, plugin in metrics.items() if plugin != "unruly"} == {
        **builtin,
        "length_ratio": "good",
    }


def test_strict_turns_failures_into_an_error(overread: Overread) -> None:
    """Every failure is named, in one line each or together, and the exit status says so."""
    done = overread("plugins", "--strict")
    assert done.returncode == 2
    assert all(name in done.stderr for name in ("broken", "badargs", "shadow", "clash_a", "clash_b"))
    assert "Traceback" not in done.stderr


def test_a_third_party_metric_scores(overread: Overread) -> None:
    """Five words against seven."""
    (record,) = _run(overread, "score", "--metric", "length_ratio")
    assert record["score"] == pytest.approx(5 / 7)
    assert (record["higher_is_better"], record["range"]) == (True, [0.0, 1.0])
    assert record["signature"].startswith("length_ratio|count:words|")


def test_an_argument_reaches_a_third_party_metric(overread: Overread) -> None:
    """32 characters against 42."""
    (record,) = _run(overread, "score", "--metric", "length_ratio:characters")
    assert record["score"] == pytest.approx(32 / 42)


@pytest.mark.parametrize(
    ("even", "plan"),
    [("false", [[0.5, 0.0], [0.0, 0.5]]), ("true", [[0.25, 0.25], [0.25, 0.25]])],
)
def test_a_built_in_metric_works_with_third_party_components(
    even: str, plan: list[list[float]], overread: Overread
) -> None:
    """radot reads and aligns with them, with the options set, and signs with their identities."""
    record = _run(overread, "explain", "--set", "extractor=fixed:mass", "--set", f"aligner.even={even}")
    assert record["status"] == "scored"
    assert "|extractor:fixed,finding=mass|" in record["signature"]
    assert f"|aligner:diagonal,even={even}|" in record["signature"]
    assert [unit["canonical_finding"] for unit in record["evidence"]["reference_units"]] == ["mass", "mass"]
    assert record["evidence"]["plan"] == plan


def test_a_wrong_option_of_a_third_party_component_is_one_clear_line(overread: Overread) -> None:
    """It is told as for a built-in."""
    done = overread(
        "score",
        "--reference-text",
        "a",
        "--candidate-text",
        "b",
        "--set",
        "aligner=diagonal",
        "--set",
        "aligner.even=so",
    )
    assert done.returncode == 2
    assert done.stderr == "overread: aligner 'diagonal': aligner.even must be true or false, not 'so'\n"


# --- plugins that load and then misbehave ---

_PAIRS: Final = [("b", "No effusion.", "Effusion zqx."), ("a", "Edema.", "Edema."), ("c", "Scar.", "No scar zqx.")]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pairs whose candidates do not stand in alphabetical order."""
    file = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    rows = [{"id": name, "reference": reference, "candidate": candidate} for name, reference, candidate in _PAIRS]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def _scores(output: str, metric: str) -> list[tuple[str, float | None]]:
    rows = [json.loads(line) for line in output.splitlines()]
    return [(row["id"], row["score"]) for row in rows if row["metric"] == metric]


@pytest.mark.parametrize("unruly", ["leaves", "interrupts", "quotes", "sorts", "words"])
def test_an_unruly_metric_takes_nothing_from_others(
    unruly: str, overread: Overread, pairs: Path, tmp_path: Path
) -> None:
    """Two sound metrics around it answer as they do without it; its own pairs are unscored, with file and line."""
    alone, beside = tmp_path / "alone.jsonl", tmp_path / "beside.jsonl"
    sound = overread("corpus", str(pairs), "-m", "rouge", "-m", "bleu", "-o", str(alone))
    assert sound.returncode == 0, sound.stderr
    done = overread("corpus", str(pairs), "-m", "rouge", "-m", unruly, "-m", "bleu", "-o", str(beside))
    for metric in ("rouge", "bleu"):
        assert _scores(beside.read_text(), metric) == _scores(alone.read_text(), metric)
    assert _scores(beside.read_text(), unruly) == [(name, None) for name, _, _ in _PAIRS]
    details = {row["detail"] for row in map(json.loads, beside.read_text().splitlines()) if row["metric"] == unruly}
    assert all(detail.startswith("the metric") for detail in details)
    assert unruly == "words" or all("overread_unruly.py:" in detail for detail in details)
    assert "zqx" not in done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    assert done.stderr.count("overread_unruly.py") <= 2


def test_a_metric_that_hangs_can_be_given_a_limit(overread: Overread, pairs: Path, tmp_path: Path) -> None:
    """Its pairs are unscored, the others' are scored, and the command ends."""
    output = tmp_path / "scores.jsonl"
    overread("corpus", str(pairs), "-m", "hangs", "-m", "rouge", "--set", "time_limit=0.2", "-o", str(output))
    assert [score for _, score in _scores(output.read_text(), "rouge") if score is not None]
    assert {row["reason"] for row in map(json.loads, output.read_text().splitlines()) if row["metric"] == "hangs"} == {
        "timed out"
    }


@pytest.mark.parametrize("unruly", ["nameless", "unbuilt"])
def test_what_cannot_be_built_or_named_is_one_clear_line(
    unruly: str, overread: Overread, pairs: Path, tmp_path: Path
) -> None:
    """The run ends before anything is scored, with the metric's name, and not as if all were well."""
    done = overread("corpus", str(pairs), "-m", "rouge", "-m", unruly, "-o", str(tmp_path / "scores.jsonl"))
    assert done.returncode not in (0, 1, 130)
    assert unruly in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_plugin_prints_stands_in_no_result(overread: Overread, pairs: Path, tmp_path: Path) -> None:
    """Standard output holds results alone, of a corpus and of a pair, and nothing where results go to a file."""
    done = overread("corpus", str(pairs), "-m", "prints", "-o", "-")
    assert _scores(done.stdout, "prints") == [(name, 1.0) for name, _, _ in _PAIRS]
    assert "printed b" in done.stderr
    assert (
        overread("corpus", str(pairs), "-m", "prints", "-o", str(tmp_path / "o.jsonl"), "--workers", "2").stdout == ""
    )
    texts = ("--reference-text", _REFERENCE, "--candidate-text", _CANDIDATE)
    assert json.loads(overread("score", *texts, "-m", "prints", "-f", "json").stdout)
