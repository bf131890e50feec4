"""`overread compare` and `overread leaderboard` over small result files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

import overread
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.scored import read_results
from overread.studies.bootstrap.baselines import write_baseline
from overread.studies.bootstrap.studies import Compared, compare_results
from overread.studies.cli.compare import compare, leaderboard

from ...application.statistics.test_comparing import sacrebleu_p
from ...result_files import FALSE, MISSED, NOISE, result, write_results

Run = Callable[..., Result]

PAIRS = (
    "id,study,ward,reference,candidate\np1,s,icu,{0} one.,{0} {1}\np2,s,er,{0} two.,{0} {1}\np/3,t,er,{0} 3.,{0} {1}\n"
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in a folder with two result files and their pairs."""
    monkeypatch.chdir(tmp_path)
    write_results(
        tmp_path / "one.jsonl",
        [
            result("p1", 2.0, discrepancies=(FALSE, NOISE)),
            result("p1", 0.5, metric="share"),
            result("p2", "empty"),
            result("p2", 0.25, metric="share"),
            result("p/3", 1.0),
            result("p/3", 1.0, metric="share"),
        ],
    )
    write_results(
        tmp_path / "two.parquet",
        [
            result("p1", 5.0, discrepancies=(FALSE, MISSED)),
            result("p1", 0.25, metric="share"),
            result("p2", 1.0),
            result("p2", 0.5, metric="share"),
            result("p/3", 0.5),
            result("p/3", 0.5, metric="share"),
        ],
    )
    Path("one.csv").write_text(PAIRS.format("Qwxyz", "first"), encoding="utf-8")
    Path("two.csv").write_text(PAIRS.format("Qwxyz", "second"), encoding="utf-8")
    app = typer.Typer()
    app.command()(compare)
    app.command()(leaderboard)

    def call(command: str, *arguments: str) -> Result:
        return CliRunner().invoke(app, [command, "--draws", "200", *arguments])

    return call


def record(found: Result) -> dict[str, Any]:
    """What a command with --json printed."""
    assert found.exit_code == 0, found.output
    read: dict[str, Any] = json.loads(found.stdout)
    return read


def test_two_systems_are_compared(run: Run) -> None:
    """Means are over the pairs that both have scored; pairs without a score are told by file and reason."""
    found = run("compare", "one.jsonl", "two.parquet")
    assert found.exit_code == 0
    assert "one against two" in found.stdout
    assert "-1.250" in found.stdout
    assert max(map(len, found.stdout.splitlines())) <= 80
    tables = record(run("compare", "one.jsonl", "two.parquet", "-f", "json"))["tables"]
    (risk, share) = tables["differences"]["rows"]
    assert (risk["pairs"], risk["first"]["value"], risk["second"]["value"]) == (2, 1.5, 2.75)
    assert (share["pairs"], share["better"]) == (3, "higher")
    assert [(row["severity"], row["first"], row["second"]) for row in tables["errors-by-severity"]["rows"]] == [
        ("critical", 0, 0.5),
        ("significant", 0.5, 0.5),
        ("insignificant", 0.5, 0),
    ]
    assert tables["unscored"]["rows"] == [{"metric": "risk", "file": "one", "reason": "empty", "pairs": 1}]


def test_a_file_against_itself_does_not_differ(run: Run) -> None:
    """Nothing sets equal scores apart, and the columns do not bear one name twice."""
    tables = record(run("compare", "one.jsonl", "one.jsonl", "-f", "json"))["tables"]
    for row in tables["tests"]["rows"]:
        assert [value for name, value in row.items() if name.startswith("p_")] == [1, 1, 1, 1]
    assert [row["difference"]["value"] for row in tables["differences"]["rows"]] == [0, 0]
    assert tables["differences"]["columns"]["first"] == "A"


def test_files_are_named_and_metrics_chosen(run: Run) -> None:
    """Names before the file stand in the title, and metrics that are not asked for are left out."""
    found = record(run("compare", "Mine=one.jsonl", "Yours=two.parquet", "-m", "share", "-f", "json"))
    assert found["title"] == "Mine against Yours"
    assert [row["metric"] for row in found["tables"]["differences"]["rows"]] == ["share"]


def test_studies_and_kinds_come_from_the_pairs(run: Run) -> None:
    """The file of the pairs gives studies to resample, kinds to split by and a command to look at a pair."""
    found = record(run("compare", "one.jsonl", "two.parquet", "--pairs", "one.csv", "--by", "ward", "-f", "json"))
    assert found["facts"]["studies"] == 2
    assert {(row["value"], row["metric"]): row["pairs"] for row in found["tables"]["strata"]["rows"]} == {
        ("icu", "risk"): 1,
        ("icu", "share"): 1,
        ("er", "risk"): 1,
        ("er", "share"): 2,
    }
    assert "overread explain --pairs one.csv --id PAIR" in found["tables"]["wins"]["note"]


def test_the_metrics_of_one_file_are_compared(run: Run) -> None:
    """Two metrics of one run are asked how far they rank pairs alike, ties counted by mid-ranks."""
    tables = record(run("compare", "two.parquet", "-f", "json"))["tables"]
    (row,) = tables["agreement"]["rows"]
    assert (row["metric"], row["other"], row["pairs"]) == ("risk", "share", 3)
    assert row["spearman"]["value"] == pytest.approx(0.8660254)  # ranks 3 2 1 and 3 1.5 1.5


def test_two_files_can_be_two_ways_to_score(run: Run) -> None:
    """A metric with two settings is compared with itself."""
    tables = record(run("compare", "one.jsonl", "two.parquet", "--of", "metrics", "-m", "risk", "-f", "json"))["tables"]
    assert [row["metric"] for row in tables["metrics"]["rows"]] == ["risk (one)", "risk (two)"]


def test_pages_of_the_listed_pairs_show_both_systems_and_are_linked(run: Run) -> None:
    """Reports stand on the pages of pairs alone, never in the tables that link to them."""
    pairs = ("--pairs", "one.csv", "--pairs", "two.csv")
    found = record(
        run("compare", "one.jsonl", "two.parquet", *pairs, "--pages", "pages", "-o", "o.html", "-o", "-", "-f", "json")
    )
    rows = found["tables"]["wins"]["rows"] + found["tables"]["losses"]["rows"]
    addresses = {row["id"]: row["address"] for row in rows}
    assert set(addresses) == {"p1", "p2", "p/3"}
    page = Path(addresses["p/3"]).read_text(encoding="utf-8")
    assert page.count('<div class="side"') == 2
    words = re.sub("<[^>]+>", "", page)
    assert words.index("Qwxyz first") < words.index("Qwxyz second")
    assert "script" not in page
    written = Path("o.html").read_text(encoding="utf-8")
    assert f'href="{addresses["p1"]}"' in written
    assert "Qwxyz" not in written


def test_pairs_of_other_references_are_refused(run: Run) -> None:
    """An id that means another study in the second file is no pair; metrics ask for the same candidates, too."""
    Path("x.csv").write_text(PAIRS.format("Other", "second"), encoding="utf-8")
    refused = run("compare", "one.jsonl", "two.parquet", "--pairs", "one.csv", "--pairs", "x.csv")
    assert isinstance(refused.exception, InputError)
    assert "another reference for 3 of the 3 ids" in str(refused.exception)
    assert "Qwxyz" not in str(refused.exception)
    as_metrics = ("--of", "metrics", "--pairs", "one.csv", "--pairs", "two.csv")
    refused = run("compare", "one.jsonl", "two.parquet", *as_metrics)
    assert "another candidate for 3 of the 3 ids" in str(refused.exception)


def test_the_tables_are_written_as_csv(run: Run) -> None:
    """The pairs that the first system loses or wins most can be sorted and filtered elsewhere."""
    assert run("compare", "one.jsonl", "two.parquet", "-o", "tables/").exit_code == 0
    lines = Path("tables/wins.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("id,metric,first,second,difference")
    assert lines[1].startswith("p1,risk,2.0,5.0,-3.0")


def test_plain_scores_of_other_metrics(run: Run) -> None:
    """Scores of any metric are compared once it is told which direction is better."""
    for name, scores in (("a", "0.5\n2,0.75\n3,\n"), ("b", "0.25\n2,0.25\n3,1\n")):
        Path(f"{name}.csv").write_text(f"id,bert\n1,{scores}", encoding="utf-8")
    found = record(run("compare", "a.csv", "b.csv", "--score-higher-is-better", "bert", "-f", "json"))
    (row,) = found["tables"]["differences"]["rows"]
    assert (row["pairs"], row["difference"]["value"]) == (2, 0.375)
    assert found["tables"]["tests"]["rows"][0]["ahead"] == "a"
    found = record(run("compare", "a.csv", "b.csv", "--score-lower-is-better", "bert", "-f", "json"))
    assert found["tables"]["tests"]["rows"][0]["ahead"] == "b"


def test_plain_scores_of_metrics_in_files_of_their_own(run: Run) -> None:
    """Each file has the column of its metric; one that none has is refused."""
    for name, scores in (("f1", "0.5\n2,0.75\n3,1\n"), ("wer", "3\n2,2\n3,1\n")):
        Path(f"{name}.csv").write_text(f"id,{name}\n1,{scores}", encoding="utf-8")
    options = ("--score-higher-is-better", "f1", "--score-lower-is-better", "wer")
    found = record(run("compare", "f1.csv", "wer.csv", *options, "-f", "json"))
    assert found["tables"]["agreement"]["rows"][0]["spearman"]["value"] == pytest.approx(1.0)
    refused = run("compare", "f1.csv", "wer.csv", *options, "--score-lower-is-better", "bler")
    assert "no file of results has a column bler" in str(refused.exception)
    refused = run("compare", "f1.csv", "wer.csv", *options, "--score-lower-is-better", "f1")
    assert "f1 is named both" in str(refused.exception)


def test_other_settings_are_refused_unless_forced(run: Run, tmp_path: Path) -> None:
    """Scores of two readers differ for other reasons than the reports; who compares them is told."""
    write_results(tmp_path / "new.jsonl", [result("p1", 1.0, part="two"), result("p/3", 3.0, part="two")])
    refused = run("compare", "one.jsonl", "new.jsonl")
    assert isinstance(refused.exception, ConfigurationError)
    assert "reader is one in one and two in new" in str(refused.exception)
    found = record(run("compare", "one.jsonl", "new.jsonl", "--force", "-f", "json"))
    assert "reader is one in one and two in new" in found["notes"][0]


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (["compare", "none.jsonl", "two.parquet"], InputError, "no such file"),
        (["compare", "one.jsonl", "--of", "systems"], ConfigurationError, "to compare two systems, give two files"),
        (["compare", "one.jsonl", "two.parquet", "--by", "ward"], ConfigurationError, "`pairs`"),
        (["compare", "one.jsonl", "two.parquet", "--pages", "x"], ConfigurationError, "--pairs"),
        (["compare", "one.jsonl", "--pairs", "one.csv", "--pairs", "two.csv"], ConfigurationError, "more often"),
        (["compare", "one.csv", "two.csv"], InputError, "`directions`"),
        (["compare", "one.jsonl", "two.parquet", "-o", "one.jsonl"], InputError, "is also the input file"),
        (["leaderboard", "one.jsonl"], ConfigurationError, "two or more files"),
        (
            ["leaderboard", "one.jsonl", "--pairs", "one.csv", "--pairs", "two.csv"],
            ConfigurationError,
            "takes one file",
        ),
        (["leaderboard", "one.jsonl", "one.jsonl"], ConfigurationError, "NAME=FILE"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, arguments: list[str], kind: type[Exception], words: str) -> None:
    """Options that contradict each other or the files are refused with the option to use."""
    refused = run(*arguments)
    assert isinstance(refused.exception, kind)
    assert words in str(refused.exception)


def test_a_leaderboard_ranks_files(run: Run) -> None:
    """Systems of equal score share a rank, and no significant difference means one group."""
    found = run("leaderboard", "one.jsonl", "two.parquet", "Third=two.parquet", "--pairs", "one.csv")
    assert found.exit_code == 0
    assert max(map(len, found.stdout.splitlines())) <= 80
    tables = record(run("leaderboard", "one.jsonl", "two.parquet", "Third=two.parquet", "-m", "risk", "-f", "json"))[
        "tables"
    ]
    assert [(row["rank"], row["system"], row["group"]) for row in tables["leaderboard"]["rows"]] == [
        (1, "one", "a"),
        (2, "Third", "a"),
        (2, "two", "a"),
    ]


def test_sacrebleu_finds_the_same(run: Run, tmp_path: Path) -> None:
    """Its paired approximate randomisation over the scores in the files, within Monte Carlo error."""
    random = np.random.default_rng(4)
    first = random.gamma(2.0, size=150)
    second = np.abs(first + 0.15 + random.normal(scale=0.9, size=150))
    for name, scores in (("x", first), ("y", second)):
        write_results(tmp_path / f"{name}.jsonl", [result(f"p{i}", float(score)) for i, score in enumerate(scores)])
    (row,) = record(run("compare", "x.jsonl", "y.jsonl", "--draws", "10000", "-f", "json"))["tables"]["tests"]["rows"]
    assert 0.005 < row["p_randomisation"] < 0.5
    assert row["p_randomisation"] == pytest.approx(sacrebleu_p(first, second, "ar", 10_000), abs=0.015)


def test_pairs_without_ids_are_told_by_their_rows(run: Run) -> None:
    """As the command that scored them did: for studies and kinds, the check that both are the same, and pages."""
    bare = "\n".join(row.partition(",")[2] for row in PAIRS.format("Q", "x").splitlines())
    Path("bare.csv").write_text(bare, encoding="utf-8")
    for name, score in (("a.jsonl", 1.0), ("b.jsonl", 2.0)):
        write_results(Path(name), [result(str(row), score + row) for row in (1, 2, 3)])
    given = ("--pairs", "bare.csv", "--pairs", "bare.csv", "--by", "ward")
    found = record(run("compare", "a.jsonl", "b.jsonl", *given, "--pages", "pages", "-f", "json"))
    assert found["facts"]["studies"] == 2
    assert {row["value"]: row["pairs"] for row in found["tables"]["strata"]["rows"]} == {"icu": 1, "er": 2}
    assert list(Path("pages").glob("*.html"))


@pytest.mark.usefixtures("run")
def test_results_at_hand_compare_as_their_files_do() -> None:
    """Every table but the names of the files; pairs are the same by their ids, studies those that are told."""
    files = {"one": "one.jsonl", "two": "two.parquet"}
    first, second = ([*read_results(file).values()] for file in files.values())
    told = {"p1": "s", "p2": "s", "p/3": "t"}
    found = overread.compare(first, second, names=("one", "two"), studies=told, draws=200)
    of_files = compare_results(["one.jsonl", "two.parquet"], Compared(pairs=(Path("one.csv"),), draws=200))
    assert found.table("differences").rows == of_files.table("differences").rows
    assert found.table("wins").rows == of_files.table("wins").rows
    assert found.facts["studies"] == of_files.facts["studies"] == 2
    with pytest.raises(ConfigurationError, match="wer"):
        overread.compare(first, second, metrics=["wer"], draws=0)


@pytest.fixture
def baseline(run: Run) -> Run:
    """The command in a folder with a baseline of ten pairs, the same again, and one that is worse in each."""
    for name, loss in (("old", 0.0), ("same", 0.0), ("worse", 0.1)):
        scores = [0.9 - 0.01 * number - loss for number in range(10)]
        write_results(Path(f"{name}.jsonl"), [result(f"p{n}", x, metric="share") for n, x in enumerate(scores)])
    return run


def test_results_worse_than_their_baseline_end_with_status_1(baseline: Run) -> None:
    """After everything is shown; the words name the metric, its difference and the pairs, and no report text."""
    found = baseline("compare", "old.jsonl", "worse.jsonl", "--fail-if-worse")
    assert found.exit_code == 1
    assert "Worse than old?" in found.stdout
    assert "Differences" in found.stdout
    assert "share: significantly worse, by more than 0: mean 0.855 before and 0.755 now over 10 pairs" in found.stderr
    assert "worst pairs: p0 0.900 to 0.800" in found.stderr
    assert baseline("compare", "old.jsonl", "same.jsonl", "--fail-if-worse").exit_code == 0
    assert baseline("compare", "old.jsonl", "worse.jsonl").exit_code == 0


def test_a_loss_within_the_margin_passes(baseline: Run) -> None:
    """One for all metrics, or for one of them, which goes before."""
    within = ("compare", "old.jsonl", "worse.jsonl", "--fail-if-worse")
    assert baseline(*within, "--margin", "0.2").exit_code == 0
    assert baseline(*within, "--margin", "share=0.2").exit_code == 0
    assert baseline(*within, "--margin", "0.2", "--margin", "share=0.05").exit_code == 1


def test_pairs_without_a_score_any_more_fail_unless_they_may_be(baseline: Run) -> None:
    """A generator that writes nothing must not pass by it."""
    rows = [result(f"p{n}", "empty" if n == 3 else 0.9 - 0.01 * n, metric="share") for n in range(10)]
    write_results(Path("fewer.jsonl"), rows)
    found = baseline("compare", "old.jsonl", "fewer.jsonl", "--fail-if-worse")
    assert found.exit_code == 1
    assert "1 of 10 pairs have no score any more, more than may be: p3 (empty)" in found.stderr
    assert baseline("compare", "old.jsonl", "fewer.jsonl", "--fail-if-worse", "--max-lost", "0.1").exit_code == 0


def test_other_references_under_the_ids_of_a_baseline_are_refused(run: Run) -> None:
    """Where the records beside both files tell; the scores of other reports say nothing of a change."""
    rows = [{"id": f"p{n}", "reference": "No mass.", "candidate": "No mass."} for n in range(8)]
    write_baseline("old.jsonl", overread.score_many(rows, metrics=["rouge"]))
    write_baseline(
        "same.jsonl", overread.score_many([{**row, "candidate": "A mass."} for row in rows], metrics=["rouge"])
    )
    other = [{**row, "reference": "A mass."} for row in rows]
    write_baseline("other.jsonl", overread.score_many(other, metrics=["rouge"]))
    assert run("compare", "old.jsonl", "same.jsonl", "--fail-if-worse").exit_code == 1
    found = run("compare", "old.jsonl", "other.jsonl", "--fail-if-worse")
    assert isinstance(found.exception, InputError)
    assert "old.jsonl: was made of other references under the same ids" in str(found.exception)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("old.jsonl", "same.jsonl", "--margin", "0.1"), "say what passes with --fail-if-worse"),
        (("old.jsonl", "--fail-if-worse"), "give the baseline, then the results"),
        (("old.jsonl", "same.jsonl", "--fail-if-worse", "--margin", "much"), "'much' is no number"),
        (("one.jsonl", "two.parquet", "--fail-if-worse"), "no loss of so few can be significant"),
    ],
)
def test_a_check_that_would_only_seem_to_be_one_is_refused(
    baseline: Run, arguments: tuple[str, ...], problem: str
) -> None:
    """Before anything passes."""
    found = baseline("compare", *arguments)
    assert isinstance(found.exception, ConfigurationError)
    assert problem in str(found.exception)


def test_a_comparison_can_be_markdown(baseline: Run) -> None:
    """The first table stands open for the summary of a build, the others are folded; ids cannot break it."""
    found = baseline("compare", "old.jsonl", "worse.jsonl", "--fail-if-worse", "-f", "markdown")
    lines = found.stdout.splitlines()
    assert lines[0] == "## old against worse"
    assert lines[4].startswith("| Metric | Verdict | Pairs | Before |")
    assert lines[6].startswith("| share | worse | 10 | 0.855 | 0.755 | 0.100 \\[")
    assert found.stdout.count("<details>") == found.stdout.count("</details>") > 5
    write_results(Path("odd.jsonl"), [result(f"p|<b>{n}", 0.5, metric="share") for n in range(8)])
    write_results(Path("odder.jsonl"), [result(f"p|<b>{n}", 0.4, metric="share") for n in range(8)])
    assert baseline("compare", "odd.jsonl", "odder.jsonl", "-o", "odd.md").exit_code == 0
    assert " p\\|&lt;b&gt;0 |" in Path("odd.md").read_text(encoding="utf-8")
