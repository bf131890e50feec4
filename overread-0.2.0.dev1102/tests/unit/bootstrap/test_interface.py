"""The Python interface: what it makes is what the command line makes."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import overread
from overread.cli.app import app
from overread.exceptions import ConfigurationError, InputError

PAIRS = [
    {"id": "1", "reference": "Left effusion.", "candidate": "Right effusion."},
    {"id": "2", "reference": "No mass.", "candidate": None},
    {"id": "3", "reference": "No mass.", "candidate": "A mass."},
]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS), encoding="utf-8")
    return path


def command(*arguments: str | Path) -> str:
    """The output of ``overread ARGUMENTS``."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_a_corpus_is_scored_into_the_command_lines_file(pairs: Path, suffix: str) -> None:
    """Byte for byte; the summary counts every pair, the bad one as unscored."""
    ours, theirs = pairs.with_name(f"ours{suffix}"), pairs.with_name(f"theirs{suffix}")
    done: list[int] = []
    summary = overread.score_corpus(pairs, ours, metrics=["rouge"], on_error="skip", on_progress=done.append)
    command("corpus", pairs, "-o", theirs, "-m", "rouge", "--on-error", "skip")
    assert ours.read_bytes() == theirs.read_bytes()
    assert (summary.pairs, summary.resumed, done[-1]) == (3, 0, 3)
    assert (summary.metrics["rouge"].scored, dict(summary.metrics["rouge"].unscored)) == (2, {"bad input": 1})


def test_a_corpus_goes_on_where_the_command_line_stopped(pairs: Path) -> None:
    """What was scored before is told and not scored again."""
    output, told = pairs.with_name("results.jsonl"), list[str]()
    chosen = ("-m", "rouge", "--shard-rows", "1")
    stopped = CliRunner().invoke(app, ["corpus", str(pairs), "-o", str(output), *chosen])
    assert isinstance(stopped.exception, InputError)
    summary = overread.score_corpus(pairs, output, metrics=["rouge"], shard_rows=1, on_error="skip", tell=told.append)
    assert (summary.pairs, summary.resumed) == (3, 1)
    assert told == ["resumed: 1 pairs were scored before"]
    whole = pairs.with_name("whole.jsonl")
    overread.score_corpus(pairs, whole, metrics=["rouge"], shard_rows=1, on_error="skip")
    assert output.read_bytes() == whole.read_bytes()


def test_an_output_that_is_read_is_refused(pairs: Path) -> None:
    """The pairs would be lost."""
    before = pairs.read_bytes()
    with pytest.raises(InputError, match="is also the input file"):
        overread.score_corpus(pairs, pairs, metrics=["rouge"])
    assert pairs.read_bytes() == before


def test_a_table_of_units_is_the_command_lines(pairs: Path) -> None:
    """Byte for byte, with the counts that the command line tells."""
    pairs.write_text('{"report": "Left effusion."}\n{"report": "No mass."}\n', encoding="utf-8")
    counts = overread.write_units(pairs, pairs.with_name("ours.jsonl"))
    told = command("units", pairs, "-o", pairs.with_name("theirs.jsonl"))
    assert pairs.with_name("ours.jsonl").read_bytes() == pairs.with_name("theirs.jsonl").read_bytes()
    assert f"{counts.units} units of {counts.reports} reports, {counts.sentences} of them unread" in told


@pytest.mark.parametrize("ids", [None, ["3", "none"]])
def test_results_are_read_back(pairs: Path, ids: Sequence[str] | None) -> None:
    """All of them, or those of some pairs."""
    output = pairs.with_name("results.jsonl")
    overread.score_corpus(pairs, output, metrics=["rouge"], on_error="skip")
    found = overread.read_results(output, ids)
    assert list(found) == (["1", "2", "3"] if ids is None else ["3"])
    lines = output.read_text(encoding="utf-8").splitlines()
    assert overread.result_record(found["3"]["rouge"]) == json.loads(lines[2])


def test_a_damaged_line_is_told_where_all_results_are_read(tmp_path: Path) -> None:
    """The row is named, as on the command line."""
    path = tmp_path / "results.jsonl"
    path.write_text('{"id": "1"\n', encoding="utf-8")
    with pytest.raises(InputError, match="row 1: not valid JSON"):
        overread.read_results(path)


def test_a_page_is_the_command_lines(tmp_path: Path) -> None:
    """Whole or not at all: a folder that is not there is told, and nothing is made."""
    reference, candidate = "Left effusion.", "Right effusion."
    results = overread.score(reference=reference, candidate=candidate, metrics=["notation"])
    pair = overread.ReportPair(id="pair", reference=reference, candidate=candidate)
    overread.write_page(tmp_path / "ours.html", pair, results)
    texts = ("--reference-text", reference, "--candidate-text", candidate)
    command("score", *texts, "-m", "notation", "-f", "html", "-o", tmp_path / "theirs.html")
    assert (tmp_path / "ours.html").read_bytes() == (tmp_path / "theirs.html").read_bytes()
    assert (tmp_path / "ours.html").read_text(encoding="utf-8") == overread.render_page(pair, results) + "\n"
    with pytest.raises(InputError, match="does not exist"):
        overread.write_page(tmp_path / "none" / "page.html", pair, results)


def test_a_file_that_is_written_anew_is_read_anew(tmp_path: Path) -> None:
    """Metrics are built once and used again; not where the file that one is made of has changed."""
    path, found = tmp_path / "mine.toml", []
    for moment, coefficient in enumerate((1, 100)):
        path.write_text(f"higher_is_better = true\n[[term]]\nmetric = 'rouge'\ncoefficient = {coefficient}\n")
        os.utime(path, (moment, moment))
        results = overread.score(reference="Clear.", candidate="Clear.", metrics=[f"composite:{path}"])
        found.append(results["composite"].score)
    assert found == [1.0, 100.0]


def test_plugins_are_listed_as_on_the_command_line() -> None:
    """Software and people see one list."""
    assert json.loads(command("plugins", "-f", "json")) == json.loads(json.dumps(overread.list_plugins()))


def test_metrics_are_names_and_no_text(pairs: Path) -> None:
    """A text would be taken apart into letters."""
    with pytest.raises(ConfigurationError, match=r'metrics must be a list, such as \["rouge"\]'):
        overread.score_corpus(pairs, pairs.with_name("results.jsonl"), metrics="rouge")
    with pytest.raises(ConfigurationError, match=r'metrics must be a list, such as \["radot"\]'):
        overread.open_hospital({"hospital": {"store": "none.db", "texts": "plain"}}, metrics="radot")
    with pytest.raises(ConfigurationError, match=r'metrics must be a list, such as \["radot"\]'):
        overread.compare([], [], metrics="radot")
    with pytest.raises(ConfigurationError, match=r'columns must be a list, such as \["text"\]'):
        overread.write_units(pairs, pairs.with_name("units.jsonl"), columns="text")


@pytest.mark.parametrize(
    ("chosen", "problem"),
    [
        ({"shard_rows": 0}, "shard_rows must be a whole number from 1, not 0"),
        ({"shard_rows": 1.5}, "shard_rows must be a whole number from 1, not 1.5"),
        ({"workers": 0}, "workers must be a whole number from 1, not 0"),
        ({"workers": "2"}, "workers must be a whole number from 1, not '2'"),
        ({"engine": "foo"}, "engine must be local or ray, not 'foo'"),
    ],
)
def test_a_scale_that_there_is_not_leaves_earlier_results_alone(
    pairs: Path, chosen: dict[str, Any], problem: str
) -> None:
    """A run of no rows a shard would have nothing to join, and put that in the place of what was there."""
    output = pairs.with_name("results.jsonl")
    output.write_text("earlier", encoding="utf-8")
    with pytest.raises(ConfigurationError) as raised:
        overread.score_corpus(pairs, output, metrics=["rouge"], **chosen)
    assert raised.value.problems == (problem,)
    assert output.read_text(encoding="utf-8") == "earlier"


def test_a_datasheet_does_not_take_the_place_of_the_pairs(pairs: Path) -> None:
    """Both would be written to one file, and the second would be all that is left."""
    with pytest.raises(ConfigurationError, match="would be both datasheet and pairs"):
        overread.inject(pairs, pairs.with_name("injected.md"))


def test_settings_are_loaded_from_a_path_as_text(tmp_path: Path) -> None:
    """Every function that takes a path takes its text too."""
    (tmp_path / "settings.toml").write_text('metrics = ["rouge"]\n', encoding="utf-8")
    assert overread.load_settings(str(tmp_path / "settings.toml")).metrics == ("rouge",)


def test_what_an_empty_candidate_leaves_out_is_told_on_the_page() -> None:
    """The units of the one report are marked with what they are, though there are none in the other."""
    results = overread.score(reference="Small left pleural effusion.", candidate="")
    pair = overread.ReportPair(id="pair", reference="Small left pleural effusion.", candidate="")
    assert 'title="R1: pleural effusion, present"' in overread.render_page(pair, results)


ODD_ROWS: Any = [
    {"id": "a", "reference": "No mass.", "candidate": "A mass."},
    {"id": "b", "reference": "No mass.", "candidate": None},
    {"id": "a", "reference": "No mass.", "candidate": "No mass."},
    {"id": "c", "reference": float("nan"), "candidate": "No mass."},
    {"id": "d", "reference": "No mass."},
    7,
    {"id": "e", "reference": "No mass.", "candidate": "\ud800"},
    {"id": "f", "reference": "No mass.", "candidate": "No mass."},
]


def test_a_bad_row_is_unscored_in_its_place() -> None:
    """Length, order and ids are kept, the reason is one for all, and good rows have the scores that they have alone."""
    results = overread.score_many(ODD_ROWS, metrics=["rouge"], on_error="skip")
    found = [result["rouge"] for result in results]
    assert [result.pair_id for result in found] == ["a", "b", "a", "c", "d", "row-6", "e", "f"]
    reasons = [None if result.is_scored else result.outcome.reason for result in found]  # type: ignore[union-attr]
    assert reasons == [None, *["bad input"] * 6, None]
    alone = overread.score_many([ODD_ROWS[0], ODD_ROWS[7]], metrics=["rouge"])
    assert [found[0], found[7]] == [result["rouge"] for result in alone]


def test_all_bad_rows_are_named_at_once() -> None:
    """Before anything is scored, and without a word of a report."""
    done: list[int] = []
    with pytest.raises(InputError, match="6 of 8 rows are bad: row 2: candidate is null") as told:
        overread.score_many(ODD_ROWS, metrics=["rouge"], on_progress=done.append)
    assert (told.value.rows, done) == ((2, 3, 4, 5, 6, 7), [])
    assert "mass" not in str(told.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"references": ["a"]},
        {"candidates": ["a"]},
        {"pairs": [], "references": ["a"], "candidates": ["a"]},
        {"pairs": [], "ids": ["a"]},
    ],
)
def test_pairs_are_given_in_one_way(arguments: dict[str, Any]) -> None:
    """As pairs, or as two lists, and not half of each."""
    with pytest.raises(InputError, match="either pairs, or references and candidates"):
        overread.score_many(**arguments)


def test_lists_are_scored_as_pairs_are() -> None:
    """Under the ids given."""
    scored = overread.score_many(references=["No mass."], candidates=["A mass."], ids=["a"], metrics=["rouge"])
    assert scored == overread.score_many(ODD_ROWS[:1], metrics=["rouge"])


def test_settings_may_be_a_mapping() -> None:
    """Laid out as the settings file is, everywhere; every problem is told."""
    given = {"metrics": ["rouge"], "options": {"rouge": {"variant": "rouge1"}}}
    chosen = overread.Settings(metrics=("rouge",), options={"rouge": {"variant": "rouge1"}})
    text: Any = {"reference": "No new mass.", "candidate": "A new large mass."}
    assert overread.score(**text, settings=given) == overread.score(**text, settings=chosen)
    with pytest.raises(ConfigurationError) as told:
        overread.open_service({"metric": ["rouge"], "store_text": "perhaps"})
    assert len(told.value.problems) == 2
    with pytest.raises(ConfigurationError, match="settings are str, neither Settings nor a mapping"):
        overread.score(**text, settings="overread.toml")  # type: ignore[arg-type]


def test_a_reward_of_no_metric_is_refused_at_once() -> None:
    """And not at the first step of a training."""
    with pytest.raises(ConfigurationError, match="no metric named 'nope'"):
        overread.reward("nope")


def test_a_service_that_was_closed_holds_no_file_open(tmp_path: Path) -> None:
    """Neither the store nor the kept answers; scored again, it takes them up again."""

    def opened() -> set[str]:
        return {path for fd in Path("/proc/self/fd").iterdir() if str(tmp_path) in (path := os.path.realpath(fd))}

    settings = {"store": str(tmp_path / "results.db"), "answers": str(tmp_path / "answers.db")}
    pair = overread.ReportPair(id="1", reference="No mass.", candidate="A mass.")
    with overread.open_service(settings, metrics=["rouge"]) as service:
        before = service.evaluate([pair])
        assert opened()
    assert not opened()
    assert service.evaluate([pair]) == before
    service.close()


@pytest.mark.parametrize("side", ["reference", "candidate"])
@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "is NoneType, not text"),
        (b"Zebra.", "is bytes, not text"),
        ("nan", "is nan, which stands for a missing report"),
        ("Zebra\0", "holds a NUL byte at character 6"),
        ("Zebra \udc80.", "holds half a surrogate pair at character 7"),
        (overread.Report("Zebra\0"), "holds a NUL byte at character 6"),
    ],
)
def test_one_pair_is_held_to_the_rules_of_many(side: str, given: Any, says: str) -> None:
    """What would be a bad row of many pairs is no pair alone, either."""
    texts = {"reference": "No mass.", "candidate": "A mass.", side: given}
    with pytest.raises(InputError, match=says) as caught:
        overread.score(**texts, metrics=["rouge"])
    assert caught.value.source == side
    assert "Zebra" not in str(caught.value)
    assert overread.score(**{**texts, side: ""}, metrics=["rouge"])["rouge"].is_scored
