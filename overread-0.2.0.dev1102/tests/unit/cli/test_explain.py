"""`overread explain` and `overread fit ratescore` over fakes: what they show of each kind of evidence, and refuse."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from overread.cli.app import app
from overread.domain.vocabulary.severity import Importance
from overread.exceptions import ConfigurationError, InputError
from overread.plugins import hookimpl
from overread.plugins.specs import ComponentSpec
from overread.testing import FakeEncoder, FakeErrorCounter, FakeRecognizer

Run = Callable[..., Result]

PAIR = ("--reference-text", "Left effusion. No mass.", "--candidate-text", "Right effusion. Large mass.")

LONGER_PAIR = (
    "--reference-text",
    "The heart is normal in size. Left effusion. No mass. No pneumothorax.",
    "--candidate-text",
    "The heart is normal in size. Right effusion. Large mass. No pneumothorax.",
)


def spec(made: object) -> ComponentSpec:
    return ComponentSpec(name="fake", version="1.0", summary="fake", factory=lambda _options, _components: made)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs ``overread ARGS`` in an empty folder, with the fakes installed and chosen."""
    module = ModuleType("overread_fakes")
    specs = {
        "overread_recognizers": spec(FakeRecognizer(note="a fake recognizer stands in")),
        "overread_encoders": spec(FakeEncoder()),
        "overread_error_counters": spec(FakeErrorCounter(note="a fake counter stands in")),
    }
    for hook, offered in specs.items():
        setattr(module, hook, hookimpl(lambda offered=offered: [offered]))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    point = metadata.EntryPoint(name="fakes", value=module.__name__, group="overread")
    installed = metadata.entry_points

    def entry_points(**chosen: str) -> Any:
        return [point] if chosen.get("group") == "overread" else installed(**chosen)

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    monkeypatch.chdir(tmp_path)
    chosen = [part for kind in ("recognizer", "encoder", "error_counter") for part in ("--set", f"{kind}=fake")]

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(app, [*arguments, *chosen])

    return call


def test_radot_is_explained_by_edges_and_terms_that_add_up(run: Run) -> None:
    """Those without a partner among them; each term is told in words, not by the name of a feature."""
    result = run("explain", *PAIR, "--metric", "radot:fast")
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert "risk relative to what there was to say" in result.output
    assert any(line.endswith(" = total") and "together" in line for line in lines)
    assert any("(no partner) C2 Large mass" in line for line in lines)
    terms = [line for line in lines if " extent 1.000 " in line]
    assert any(line.startswith("wrong location, actionable sum of 0.5") for line in terms)
    assert any(line.startswith("false finding, actionable sum of 0.5") for line in terms)
    assert max(map(len, result.output.partition("Signature")[0].splitlines())) <= 80


def test_edges_before_a_second_reader_are_told_as_such(run: Run) -> None:
    """They add up to more than the risk that it leaves, or less."""
    result = run("explain", *LONGER_PAIR, "--metric", "radot")
    assert re.search(
        r"\d edges, together \d\.\d+, before the second reader doubts some and adds to them",
        " ".join(result.output.split()),
    )


@pytest.mark.parametrize(("metric", "total"), [("radot:fast", "total"), ("notation:fast", "risk")])
def test_a_plan_as_json_adds_up(run: Run, metric: str, total: str) -> None:
    """Edges, those without a partner with a null end, and terms or weights: each way the same risk."""
    record = json.loads(run("explain", *PAIR, "-m", metric, "-f", "json").output)
    evidence, risk = record["evidence"], record["subscores"][total]
    assert sum(edge["risk"] for edge in evidence["edges"]) == pytest.approx(risk, abs=1e-9)
    assert evidence["total_risk"] == pytest.approx(risk, abs=1e-9)
    assert any(edge["row"] is None for edge in evidence["edges"])
    if metric == "radot:fast":
        assert sum(term["contribution"] for term in evidence["contributions"]["total"]) == pytest.approx(risk, abs=1e-9)
    for found in record["discrepancies"]:
        assert found["weight"] == pytest.approx(Importance(found["importance"]).weight * found["extent"], abs=1e-12)


def test_ratescore_is_explained_by_its_entities(run: Run) -> None:
    """Each entity with its match, both ways, and who answered."""
    result = run("explain", *PAIR, "--metric", "ratescore")
    assert result.exit_code == 0
    assert "C2 mass" in result.output
    assert "Reference entities, matched in the candidate: recall" in result.output
    assert "Note on ratescore: a fake recognizer stands in" in result.output
    assert max(map(len, result.output.partition("Signature")[0].splitlines())) <= 80


def test_ratescore_as_json_adds_up(run: Run) -> None:
    """The matches in the JSON give the precision: sum of W p cosine over sum of W."""
    record = json.loads(run("explain", *PAIR, "-m", "ratescore", "-f", "json").output)
    matches = record["evidence"]["candidate_matches"]
    weights = sum(match["weight"] for match in matches)
    products = (match["weight"] * match["penalty"] * match["similarity"] for match in matches)
    assert record["evidence"]["kind"] == "entities"
    assert [entity["text"] for entity in record["evidence"]["candidate_entities"]] == ["effusion", "mass"]
    assert sum(products) / weights == pytest.approx(record["subscores"]["precision"])
    assert record["notes"] == ["a fake recognizer stands in"]


def test_a_table_chosen_after_the_colon_is_the_one_explained(run: Run) -> None:
    """An option of the metric is kept beside the command's own."""
    result = run("explain", *PAIR, "-m", "ratescore:release-0.6-short", "-f", "json")
    assert "table:release-0.6-short" in json.loads(result.output)["signature"]


def test_crepe_is_explained_by_its_counts(run: Run) -> None:
    """Two words stand only in the candidate, two only in the reference."""
    result = run("explain", *PAIR, "--metric", "crepe")
    rows = [line.split() for line in result.output.splitlines()]
    assert ["(A)", "false", "finding", "2.000", "100.0", "%"] in rows
    assert ["all", "4.000"] in rows
    assert "Note on crepe: a fake counter stands in" in result.output
    record = json.loads(run("explain", *PAIR, "-m", "crepe", "-f", "json").output)
    assert (record["evidence"]["kind"], record["evidence"]["total"], record["score"]) == ("counts", 4.0, 4.0)


def test_both_metrics_stand_on_one_page(run: Run, tmp_path: Path) -> None:
    """With the notes of what stands in."""
    result = run("score", *PAIR, "-m", "ratescore", "-m", "crepe", "-f", "html", "-o", "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert result.exit_code == 0
    assert 'id="entities-ratescore"' in html
    assert 'id="counts-crepe"' in html
    assert "a fake recognizer stands in" in html
    assert "a fake counter stands in" in html


def test_a_page_of_radot_marks_the_discrepancies_too(run: Run, tmp_path: Path) -> None:
    """Notation stands beside radot, whose risk comes from what it marks, and beside no other metric."""
    for metric, named in (("radot", ["radot", "notation"]), ("crepe", []), ("notation", ["notation"])):
        assert run("explain", *PAIR, "-m", metric, "-f", "html", "-o", f"{metric}.html").exit_code == 0
        html = (tmp_path / f"{metric}.html").read_text(encoding="utf-8")
        found = re.findall(r'<h3 class="sub">(radot|notation)</h3>', html)
        assert found == named


def test_a_metric_that_nobody_knows_is_refused(run: Run) -> None:
    """A near name is offered for a mistyped one."""
    problem = run("explain", *PAIR, "-m", "ratscore").exception
    assert isinstance(problem, ConfigurationError)
    assert "did you mean 'ratescore'" in str(problem)


def rated(path: Path, studies: int = 20) -> None:
    """Pairs whose rating is the number of wrong words; a hyphen keeps study and number apart."""
    words = ["effusion", "mass", "edema", "nodule", "fracture", "pneumothorax"]
    lines: list[dict[str, Any]] = []
    for study in range(studies):
        true = [words[(study + k) % len(words)] for k in range(3)]
        for wrong in range(4):
            said = [word if k >= wrong else "heart" for k, word in enumerate(true)]
            row = {"reference": ". ".join(true), "candidate": ". ".join(said), "grade": wrong}
            lines.append({"id": f"{study}-{wrong}", "study": f"s{study}", **row})
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")


def test_a_table_is_fitted_and_used(run: Run, tmp_path: Path) -> None:
    """Both tables' agreement, the file that was asked for, and a score under it."""
    rated(tmp_path / "rated.jsonl")
    options = ("--rating-column", "grade", "--lower-is-better", "--trials", "20", "--measure", "spearman")
    result = run("fit", "ratescore", "--pairs", "rated.jsonl", "-o", "mine.json", *options)
    assert result.exit_code == 0, result.exception
    assert "spearman was maximised" in result.output
    rows = [line.split()[:4] for line in result.output.splitlines() if line.strip().startswith(("before", "after"))]
    assert [row[0] for row in rows] == ["before", "before", "after", "after"]
    assert [row[2] for row in rows] == ["fitted", "held", "fitted", "held"]
    assert "fitted on 64 pairs and tried on 16; use it with --set ratescore.table=mine.json" in result.output
    record = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))
    assert record["name"] == "rated"
    assert record["provenance"]["ratings"] == "lower is better"
    scored = run("score", *PAIR, "-m", "ratescore", "-f", "json", "--set", "ratescore.table=mine.json")
    assert "table:rated#" in json.loads(scored.output)[0]["signature"]


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("rated.jsonl", "is also the input file"),
        ("nowhere/mine.json", "the folder nowhere does not exist"),
        ("mine.txt", "must end in .json"),
    ],
)
def test_an_output_that_could_not_be_used_is_refused_before_the_fit(
    run: Run, tmp_path: Path, output: str, problem: str
) -> None:
    """A long fit does not end in an error that was plain before it."""
    rated(tmp_path / "rated.jsonl", studies=1)
    before = (tmp_path / "rated.jsonl").read_bytes()
    error = run("fit", "ratescore", "--pairs", "rated.jsonl", "-o", output, "--rating-column", "grade").exception
    assert isinstance(error, InputError)
    assert problem in str(error)
    assert (tmp_path / "rated.jsonl").read_bytes() == before


def test_synthesise_has_two_spellings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Which write the same file; a purpose that nobody knows is refused."""
    monkeypatch.chdir(tmp_path)
    for spelling in ("synthesise", "synthesize"):
        arguments = [spelling, "-o", f"{spelling}.jsonl", "--studies", "2", "--purpose", "readout"]
        assert CliRunner().invoke(app, arguments).exit_code == 0
    assert (tmp_path / "synthesise.jsonl").read_bytes() == (tmp_path / "synthesize.jsonl").read_bytes()
    problem = CliRunner().invoke(app, ["synthesize", "-o", "x.jsonl", "--purpose", "rhyme"]).exception
    assert isinstance(problem, ConfigurationError)
    assert "unknown purpose 'rhyme'" in str(problem)


def test_one_metric_is_explained_at_a_time(run: Run) -> None:
    """A second one would otherwise be passed over without a word."""
    problem = run("explain", *PAIR, "-m", "crepe", "-m", "ratescore").exception
    assert isinstance(problem, ConfigurationError)
    assert "explain shows one metric" in str(problem)
