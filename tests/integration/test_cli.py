"""The command line, end to end in one process: what it prints, writes and refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

REFERENCE = "The heart is normal in size. Small left pleural effusion, unchanged. No pneumothorax."
CANDIDATE = "Normal heart size. Moderate right pleural effusion. Small left apical pneumothorax."

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def reports(tmp_path: Path) -> tuple[Path, Path]:
    """A reference and a candidate file."""
    reference, candidate = tmp_path / "reference.txt", tmp_path / "candidate.txt"
    reference.write_text(REFERENCE, encoding="utf-8")
    candidate.write_text(CANDIDATE, encoding="utf-8")
    return reference, candidate


def _lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_score_shows_discrepancies_within_80_columns(run: Run, reports: tuple[Path, Path]) -> None:
    """Text output names each discrepancy with the words of both reports, and fits 80 columns in a pipe."""
    status, out, _ = run("score", "--reference", reports[0], "--candidate", reports[1])
    assert status == 0
    assert "(C) wrong" in out
    words = [line.split() for line in out.splitlines() if "“" in line or "”" in line]
    for first, last in (("“No", "pneumothorax”"), ("“Moderate", "effusion”")):
        assert any(first in line for line in words)
        assert any(last in line for line in words)
    assert max(map(len, out.splitlines())) <= 80


def test_score_as_json_places_spans_in_the_texts(run: Run) -> None:
    """JSON output is strict JSON, and its spans point at the words meant."""
    status, out, _ = run(
        "score", "--reference-text", REFERENCE, "--candidate-text", CANDIDATE, "-m", "notation", "--format", "json"
    )
    (result,) = json.loads(out)
    assert status == 0
    false_finding = next(d for d in result["discrepancies"] if d["category"] == "A")
    ((start, end),) = false_finding["candidate_spans"]
    assert "pneumothorax" in CANDIDATE[start:end]
    ((start, end),) = false_finding["reference_spans"]
    assert REFERENCE[start:end] == "No pneumothorax"


def test_score_as_html_writes_one_self_contained_page(run: Run, reports: tuple[Path, Path], tmp_path: Path) -> None:
    """The page holds both reports and fetches nothing."""
    page = tmp_path / "page.html"
    status, out, _ = run("score", "--reference", reports[0], "--candidate", reports[1], "-f", "html", "-o", page)
    html = page.read_text(encoding="utf-8")
    assert (status, out) == (0, "")
    assert "<svg" in html
    assert "http://" not in html.replace("http://www.w3.org/", "")
    assert "https://" not in html


def test_explain_shows_units_edges_and_contributions(run: Run, reports: tuple[Path, Path]) -> None:
    """Explain prints the units with offsets, the riskiest edges, and what adds up to each target."""
    status, out, _ = run("explain", "--reference", reports[0], "--candidate", reports[1])
    assert status == 0
    for part in ("Reference units", "Candidate units", "MW risk", "What adds to total risk", "converged"):
        assert part in out


def test_explain_as_json_adds_up(run: Run) -> None:
    """The contributions in the JSON sum to the total risk, and so do the edges, those to nothing included."""
    _, out, _ = run(
        "explain", "--reference-text", REFERENCE, "--candidate-text", CANDIDATE, "-m", "radot:fast", "-f", "json"
    )
    record = json.loads(out)
    evidence, risk = record["evidence"], record["subscores"]["total"]
    assert risk > 0
    assert sum(term["contribution"] for term in evidence["contributions"]["total"]) == pytest.approx(risk, abs=1e-9)
    assert sum(edge["risk"] for edge in evidence["edges"]) == pytest.approx(risk, abs=1e-9)
    assert evidence["total_risk"] == pytest.approx(risk, abs=1e-9)


def test_corpus_keeps_every_row_in_its_place(run: Run, tmp_path: Path) -> None:
    """Bad and empty rows become unscored results with their reason, between the others and under their ids."""
    rows = [
        '{"id": "a", "reference": "No effusion.", "candidate": "Effusion."}',
        '{"id": "b", "reference": "", "candidate": " "}',
        '{"id": "c", "reference": "Nul\\u0000byte", "candidate": "x"}',
        '{"id": "d", "reference": "双肺清晰,未见胸腔积液及气胸。心影大小正常。", "candidate": "x"}',
        '{"id": "a", "reference": "No effusion.", "candidate": "Effusion."}',
        '{"id": "f", "reference": 5, "candidate": "x"}',
        "not json",
        json.dumps({"id": "h", "reference": "No effusion. " * 20_000, "candidate": "No effusion."}),
        json.dumps({"id": "i", "reference": "No effusion is seen today.\n" * 2_000, "candidate": "No effusion."}),
        '{"id": "j", "reference": "Heart size normal.", "candidate": ""}',
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    status, _, err = run("corpus", "pairs.jsonl", "-o", "out.jsonl", "-m", "notation", "--on-error", "skip")
    results = _lines((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    assert status == 0
    assert [r["reason"] for r in results] == [
        None,
        "empty",
        "bad input",
        "language",
        "bad input",
        "bad input",
        "bad input",
        "too long",
        "too long",
        None,
    ]
    assert [r["id"] for r in results if r["id"] not in {"row-5", "row-7"}][:4] == ["a", "b", "c", "d"]
    assert "over 2 scored of " in err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.csv", None, "no such file"),
        ("columns.csv", b"id,ref,candidate\n1,a,b\n", "--reference-column"),
        ("twice.csv", b"id,reference,candidate\n1,a,b\n1,c,d\n", "row 2"),
        ("bytes.csv", b"id,reference,candidate\n1,a,b\n2,\xff\xfe,b\n", "row 2"),
        ("empty.csv", b"", "empty"),
        ("pairs.docx", b"x", "suffix"),
        ("ragged.csv", b"id,reference,candidate\n1,a,b,c\n", "row 1"),
    ],
)
def test_bad_tables_are_named_with_the_remedy(
    run: Run, tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    """A file that cannot be used ends the run with one line that names it, status 2 and no traceback."""
    if content is not None:
        (tmp_path / name).write_bytes(content)
    status, _, err = run("corpus", name, "-o", "out.jsonl")
    assert status == 2
    assert name in err
    assert message in err
    assert "Traceback" not in err


def test_a_failed_run_goes_on_once_its_row_is_mended(run: Run, tmp_path: Path) -> None:
    """What was scored before a bad row is kept and named, and not scored again; there is no half result file."""
    good = '{"id": "%d", "reference": "No effusion.", "candidate": "Effusion."}\n'
    rows = [good % n for n in range(300)]
    (tmp_path / "pairs.jsonl").write_text("".join([*rows, "broken\n"]), encoding="utf-8")
    command = ("corpus", "pairs.jsonl", "-o", "out.jsonl", "-m", "rouge", "--shard-rows", "100")
    status, _, err = run(*command)
    assert status == 2
    assert "row 301" in err
    assert "300 scored pairs are kept in out.jsonl.partial" in err
    assert not (tmp_path / "out.jsonl").exists()
    (tmp_path / "pairs.jsonl").write_text("".join([*rows, good % 300]), encoding="utf-8")
    status, _, err = run(*command)
    assert (status, "resumed: 300 pairs were scored before" in err, "1 pairs in " in err) == (0, True, True)
    assert [r["id"] for r in _lines((tmp_path / "out.jsonl").read_text(encoding="utf-8"))] == [
        str(n) for n in range(301)
    ]
    assert not (tmp_path / "out.jsonl.partial").exists()


def test_corpus_to_a_pipe_is_clean(run: Run, tmp_path: Path) -> None:
    """Standard output holds result lines alone; the summary stands on standard error."""
    (tmp_path / "pairs.csv").write_text("id,reference,candidate\n1,No effusion.,Effusion.\n", encoding="utf-8")
    status, out, err = run("corpus", "pairs.csv", "-o", "-")
    assert status == 0
    assert [line["metric"] for line in _lines(out)] == ["radot", "notation"]
    assert "pairs/s" in err


def test_a_second_run_finds_its_results_in_the_store(run: Run, tmp_path: Path) -> None:
    """With a store, a repeated run gives the same results, and history lists them once."""
    (tmp_path / "pairs.csv").write_text("id,reference,candidate\n1,No effusion.,Effusion.\n", encoding="utf-8")
    first = run("corpus", "pairs.csv", "-o", "-", "--store", "results.db")
    second = run("corpus", "pairs.csv", "-o", "-", "--store", "results.db")
    status, out, _ = run("history", "results.db", "--json")
    assert first[1] == second[1]
    assert status == 0
    assert len(_lines(out)) == 2


def test_a_store_that_is_no_store_is_refused(run: Run, tmp_path: Path) -> None:
    """A broken store file gives a message, not a traceback."""
    (tmp_path / "results.db").write_text("no database", encoding="utf-8")
    status, _, err = run("score", "--reference-text", "a", "--candidate-text", "b", "--store", "results.db")
    assert status == 2
    assert "results.db" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "radto"], "did you mean 'radot'"),
        (["-s", "aligner=balancd"], "balanced"),
        (["-s", "aligner.epsilon=wide"], "epsilon"),
        (["-s", "aligner.eps=1"], "epsilon"),
        (["-s", "aligner.epsilon=-1"], "epsilon"),
        (["-s", "nonsense"], "key=value"),
        (["-s", "readout=paper:missing.json"], "missing.json"),
        (["--config", "missing.toml"], "missing.toml"),
    ],
)
def test_bad_settings_are_explained(run: Run, arguments: list[str], message: str) -> None:
    """A setting that cannot be used is named with what could be."""
    status, _, err = run("score", "--reference-text", "a", "--candidate-text", "b", *arguments)
    assert status == 2
    assert message in err


def test_the_demo_writes_its_page(run: Run, tmp_path: Path) -> None:
    """The demo shows the sample's errors and writes the page."""
    status, out, _ = run("demo", "--page", "demo.html")
    assert status == 0
    assert "false finding" in out
    assert (tmp_path / "demo.html").stat().st_size > 10_000


def test_a_readout_can_be_refitted_and_used(run: Run) -> None:
    """Synthesised pairs fit a readout that scores when it is chosen; its name and digest stand in the signature."""
    assert run("synthesise", "-o", "pairs.jsonl", "--studies", "12", "--seed", "3")[0] == 0
    status, out, err = run("fit", "readout", "--pairs", "pairs.jsonl", "-o", "mine.json", "--no-grid")
    assert status == 0
    assert "polarity-heavy" in out
    assert "48 pairs of 12 studies" in err
    _, out, _ = run(
        *("score", "--reference-text", REFERENCE, "--candidate-text", CANDIDATE, "-m", "radot", "-f", "json"),
        *("-s", "readout=relaxed:mine.json"),
    )
    (result,) = json.loads(out)
    assert "relaxed@pairs#" in result["signature"]


def test_a_refitted_readout_is_tried_on_other_pairs(run: Run) -> None:
    """Held-out figures of another seed and style stand in a table; a style nobody knows is refused."""
    assert run("synthesise", "-o", "fit.jsonl", "--studies", "12", "--seed", "3", "--style", "prose")[0] == 0
    assert run("synthesise", "-o", "test.jsonl", "--studies", "6", "--seed", "4", "--style", "bullets")[0] == 0
    options = ("--no-grid", "--test", "test.jsonl")
    status, out, _ = run("fit", "readout", "--pairs", "fit.jsonl", "-o", "mine.json", *options)
    assert status == 0
    table = out.partition("On pairs not fitted on")[2]
    assert [line.split()[:2] for line in table.splitlines() if " 24 " in line] == [["all", "24"], ["bullets", "24"]]
    status, _, err = run("fit", "readout", "--pairs", "fit.jsonl", "-o", "mine.json", "--test", "fit.jsonl")
    assert status == 2
    assert "12 studies of the test are also among the studies fitted on" in err
    status, _, err = run("synthesise", "-o", "other.jsonl", "--style", "sonnet")
    assert status == 2
    assert "unknown style 'sonnet'" in err


def test_help_and_import_stay_light() -> None:
    """Neither importing the package nor showing help imports numpy, a model library, a matcher, a solver or a store."""
    code = (
        "import sys, overread.cli.app;"
        "heavy = {'numpy', 'torch', 'transformers', 'spacy', 'medspacy', 'ot', 'sqlmodel'};"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


_LOADED: Final = """
import sys
from overread.cli.app import app
try:
    app(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
lexicon = sys.modules.get("overread.adapters.lexicon")
print("loaded" if lexicon and lexicon.load_knowledge.cache_info().currsize else "not loaded")
"""


@pytest.mark.parametrize(("metric", "state"), [("rouge", "not loaded"), ("notation", "loaded")])
def test_a_metric_without_findings_is_shown_without_the_lexicon(metric: str, state: str) -> None:
    """It takes half a second to load: only what names a finding or quotes a report asks for it."""
    texts = ("--reference-text", "Small left effusion.", "--candidate-text", "No effusion.")
    command = [sys.executable, "-c", _LOADED, "score", "-m", metric, *texts]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{metric} " in done.stdout
    assert done.stdout.splitlines()[-1] == state


def test_a_readout_on_other_plans_says_so(run: Run) -> None:
    """A readout fitted on balanced plans notes it where it reads partial ones."""
    _, out, _ = run(
        *("score", "--reference-text", REFERENCE, "--candidate-text", CANDIDATE, "-m", "radot", "-f", "json"),
        *("-s", "aligner=partial", "-s", "radot=debiased"),
    )
    (result,) = json.loads(out)
    assert result["notes"] == ["the readout was fitted on plans of balanced,prior=polarity-heavy,eps=0.2"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ("-s", "radot=papers"),
            "one of importance, fast, relaxed, debiased, paper, not 'papers'",
        ),
        (
            ("-m", "radot:papers"),
            "one of importance, fast, relaxed, debiased, paper, not 'papers'",
        ),
        (("-s", "radot=paper", "-s", "readout=debiased"), "radot=paper is read out by paper, not debiased"),
        (("-s", "radot=importance", "-s", "readout=paper"), "radot=importance is read out by plan, not paper"),
        (("-s", "radot=paper", "-s", "radot.cost=relation"), "radot=paper needs radot.cost=table-ii, not relation"),
        (("-s", "radot.cost=relation"), "readout plan needs radot.cost=importance, not relation"),
        (("-s", "rado=paper"), "rado is not a setting"),
        (("-s", "notation=strict"), "notation.preset must be one of fast, not 'strict'"),
        (("-s", "aligner.prior=uniform"), "aligner 'importance': aligner.prior is not a setting"),
        (("-s", "readout.path=mine.json"), "readout 'plan': readout.path is not a setting"),
        (("-s", "aligner.tolerance=1e-6"), "give aligner.epsilon above 0"),
    ],
)
def test_a_preset_or_option_that_cannot_hold_is_refused(run: Run, arguments: tuple[str, ...], problem: str) -> None:
    """What is unknown, what contradicts a preset, and what would change nothing."""
    status, _, err = run("score", "--reference-text", REFERENCE, "--candidate-text", CANDIDATE, *arguments)
    assert status == 2
    assert problem in " ".join(err.split())


def test_a_preset_is_one_setting(run: Run, tmp_path: Path) -> None:
    """After the metric's name, by --set or in the settings file, it is the readout with its plans and costs."""
    (tmp_path / "paper.toml").write_text('[choose]\nradot = "paper"\n', encoding="utf-8")

    def scored(*arguments: str) -> tuple[float, str]:
        texts = ("--reference-text", REFERENCE, "--candidate-text", CANDIDATE)
        (result,) = json.loads(run("score", *texts, "-f", "json", *arguments)[1])
        return result["score"], result["signature"]

    score, signature = scored("-m", "radot", "-s", "radot=paper")
    for part in ("cost:table-ii", "aligner:balanced,prior=polarity-heavy,eps=0.2", "readout:paper@"):
        assert part in signature
    assert scored("-m", "radot:paper") == (score, signature)
    assert scored("-m", "radot", "--config", "paper.toml") == (score, signature)
    assert scored("-m", "radot", "-s", "readout=paper") == (score, signature)
    assert scored("-m", "radot:debiased", "--config", "paper.toml") != (score, signature)
    assert "readout:plan" in scored("-m", "radot")[1]


def test_options_of_what_nothing_takes_are_noted(run: Run) -> None:
    """In the log where no metric takes an aligner or readout, in the notes where no plan enters the readout."""
    pair = ("score", "--reference-text", REFERENCE, "--candidate-text", CANDIDATE, "-f", "json")
    for metric, setting, kind in (
        ("rouge", "aligner.epsilon=0.1", "aligner"),
        ("rouge", "readout=paper", "readout"),
        ("notation", "readout.path=mine.json", "readout"),
    ):
        _, _, err = run(*pair, "-m", metric, "-s", setting)
        assert "setting_without_effect" in err
        assert f"kind='{kind}'" in err
    _, out, err = run(*pair, "-m", "radot:relaxed", "-s", "aligner.epsilon=0.1")
    (result,) = json.loads(out)
    assert any("no transport plan enters the relaxed readout" in note for note in result["notes"])
    assert "setting_without_effect" not in err


def test_a_metric_chosen_twice_is_refused(run: Run) -> None:
    """Two variants of one metric would overwrite each other's results."""
    status, _, err = run(
        *("score", "--reference-text", "a", "--candidate-text", "b", "-m", "rouge:rouge1", "-m", "rouge:rouge2")
    )
    assert status == 2
    assert "'rouge' is chosen twice" in err


def test_texts_without_words_are_not_alike(run: Run) -> None:
    """Two different texts without a word in them are unscored, not perfect."""
    _, out, _ = run("score", "--reference-text", "123", "--candidate-text", "456", "-f", "json")
    assert {result["reason"] for result in json.loads(out)} == {"nothing to read"}


def test_the_plan_is_shown_though_the_result_is_stored(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored result has no plan, so explain reads the pair anew."""
    monkeypatch.setenv("OVERREAD_STORE", "results.db")
    arguments = ("explain", "--reference-text", REFERENCE, "--candidate-text", CANDIDATE)
    assert run(*arguments)[1] == run(*arguments)[1]


def test_an_output_does_not_replace_its_input(run: Run, reports: tuple[Path, Path]) -> None:
    """A report that is read is not written over."""
    status, _, err = run("score", "--reference", reports[0], "--candidate", reports[1], "-o", reports[0])
    assert status == 2
    assert "is also the input file" in err
    assert reports[0].read_text(encoding="utf-8") == REFERENCE


def test_a_table_without_header_is_not_quoted(run: Run, tmp_path: Path) -> None:
    """The first row of a file without header may be report text: it stays out of the message."""
    text = "No effusion.,Large pneumothorax John Smith.,MRN 12345 seen today\n1,2,3\n"
    (tmp_path / "pairs.csv").write_text(text, encoding="utf-8")
    status, _, err = run("corpus", "pairs.csv", "-o", "out.jsonl")
    assert status == 2
    assert "Smith" not in err
