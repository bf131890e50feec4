"""`overread reproduce crepe`, `green`, `ratescore` and `judge`: from files to the papers' tables, on invented sets.

Each figure is computed once more here with scipy and numpy, from the numbers that the files hold.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from typer.testing import CliRunner, Result

from overread.cli.app import app
from overread.domain.results.annotation import HumanBenchmark
from overread.exceptions import ConfigurationError, InputError
from overread.studies.infrastructure.datasets.annotated_sets import BENCHMARKS

from ..benchmarks_data import SIGNIFICANT, write_radevalx, write_rexval

Vector = npt.NDArray[np.float64]
Record = Mapping[str, Any]

FEW = ("--draws", "60", "-f", "json")
CATEGORIES = "ABCDEF"


def reproduce(paper: str, *arguments: object) -> Result:
    return CliRunner().invoke(app, ["reproduce", paper, *map(str, arguments)])


def reproduced(paper: str, *arguments: object) -> Record:
    result = reproduce(paper, *arguments, *FEW)
    assert result.exit_code == 0, result.output
    record: Record = json.loads(result.stdout)
    return record


def rows(record: Record, table: str) -> dict[str, Record]:
    return {row["row"]: row for row in record["tables"][table]["rows"]}


def people(benchmark: HumanBenchmark, target: str) -> Vector:
    return np.asarray([np.mean(pair.ratings[target]) for pair in benchmark.pairs])


def results(
    file: Path,
    metric: str,
    ids: Iterable[str],
    scores: Iterable[float | None],
    *,
    higher_is_better: bool,
    subscores: Sequence[Mapping[str, float]] | None = None,
    discrepancies: Sequence[Sequence[Mapping[str, str]]] | None = None,
) -> Path:
    """A file of results as `overread corpus` writes it, as far as it is read here."""
    lines = [
        {
            "id": key,
            "metric": metric,
            "signature": f"{metric}|1",
            "higher_is_better": higher_is_better,
            "status": "unscored" if score is None else "scored",
            "reason": "too long" if score is None else None,
            "score": score,
            "subscores": {} if subscores is None else subscores[place],
            "discrepancies": [] if discrepancies is None else discrepancies[place],
        }
        for place, (key, score) in enumerate(zip(ids, scores, strict=True))
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return file


def lines(file: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return file


class Green:
    """Results of GREEN over ReXVal, invented: counts about the raters' own, and its formula of them."""

    def __init__(self, benchmark: HumanBenchmark) -> None:
        random = np.random.default_rng(3)
        self.ids = [pair.pair.id for pair in benchmark.pairs]
        self.counts = {
            f"{prefix}{letter}": np.clip(
                np.rint(people(benchmark, f"{grade}.{letter}") + random.normal(0, 0.7, len(self.ids))), 0, None
            )
            for grade, prefix in (("significant", ""), ("insignificant", "insignificant_"))
            for letter in CATEGORIES
        }
        self.significant = np.sum([self.counts[letter] for letter in CATEGORIES], axis=0)
        self.insignificant = np.sum([self.counts[f"insignificant_{letter}"] for letter in CATEGORIES], axis=0)
        self.score = 2 / (2 + self.significant)

    def write(self, file: Path) -> Path:
        counts = self.counts | {"significant": self.significant, "insignificant": self.insignificant}
        subscores = [{name: float(values[place]) for name, values in counts.items()} for place in range(len(self.ids))]
        return results(file, "green", self.ids, self.score.tolist(), higher_is_better=True, subscores=subscores)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ReXVal and RadEvalX, small, and results of GREEN over the former."""
    folder = tmp_path_factory.mktemp("sets")
    write_rexval(folder / "rexval", studies=8)
    write_radevalx(folder / "radevalx", pairs=15)
    Green(BENCHMARKS["rexval"].read(folder / "rexval")).write(folder / "green.jsonl")
    return folder


@pytest.fixture(scope="module")
def rexval(folder: Path) -> HumanBenchmark:
    return BENCHMARKS["rexval"].read(folder / "rexval")


@pytest.fixture(scope="module")
def green(rexval: HumanBenchmark) -> Green:
    return Green(rexval)


@pytest.fixture(scope="module")
def crepe_tables(folder: Path) -> Record:
    return reproduced(
        "crepe", "--rexval", folder / "rexval", "--radevalx", folder / "radevalx", "--results", folder / "green.jsonl"
    )


@pytest.fixture(scope="module")
def green_tables(folder: Path) -> Record:
    return reproduced("green", "--rexval", folder / "rexval", "--results", folder / "green.jsonl")


def test_crepes_correlations_are_of_badness_and_the_mean_rater(
    crepe_tables: Record, rexval: HumanBenchmark, green: Green
) -> None:
    """In Tables 1 and 5; +1 is agreement, of scores and of error counts alike."""
    said = people(rexval, "total")
    for row, badness in (("GREEN", -green.score), ("GREEN EC", green.significant + green.insignificant)):
        tau, rho = stats.kendalltau(badness, said).statistic, stats.spearmanr(badness, said).statistic
        first, fifth = rows(crepe_tables, "table-1")[row], rows(crepe_tables, "table-5-rexval")[row]
        assert (first["rexval_kendall"], first["rexval_spearman"]) == pytest.approx((tau, rho))
        assert fifth["kendall"]["value"] == pytest.approx(tau)
        assert fifth["spearman"]["low"] < rho < fifth["spearman"]["high"]
        assert tau > 0
    assert rows(crepe_tables, "table-5-rexval")["CREPE"]["kendall_paper"] == {
        "value": 0.786,
        "low": 0.749,
        "high": 0.816,
    }


def test_crepes_second_table_leaves_equal_pairs_out(crepe_tables: Record, rexval: HumanBenchmark, green: Green) -> None:
    """ReXVal*: the same scores, over the pairs whose reports differ."""
    differ = np.asarray([p.pair.reference.text.split() != p.pair.candidate.text.split() for p in rexval.pairs])
    assert 0 < differ.sum() < len(differ)
    said = people(rexval, "total")
    whole, star = (stats.kendalltau(-green.score[kept], said[kept]).statistic for kept in (differ | True, differ))
    row = rows(crepe_tables, "table-2")["GREEN"]
    assert (row["rexval"], row["rexval_star"], row["difference"]) == pytest.approx((whole, star, star - whole))
    assert f"{differ.sum()} of {len(differ)} pairs" in crepe_tables["tables"]["table-2"]["note"]


def test_scores_that_come_with_radevalx_stand_in_its_table(crepe_tables: Record, folder: Path) -> None:
    """Turned where higher is better, in a row that says where they come from, with the paper's figure beside."""
    radevalx = BENCHMARKS["radevalx"].read(folder / "radevalx")
    bertscore = next(provided for provided in radevalx.provided if provided.metric == "bertscore")
    known = bertscore.score_by_id()
    badness = [-known[pair.pair.id] for pair in radevalx.pairs]
    expected = stats.spearmanr(badness, people(radevalx, "total")).statistic
    row = rows(crepe_tables, "table-5-radevalx")["BERTScore (distributed with the set)"]
    assert row["spearman"]["value"] == pytest.approx(expected)
    assert row["spearman_paper"]["value"] == 0.452


def test_blank_cells_of_radevalx_are_shown_and_stop_nothing(folder: Path, tmp_path: Path) -> None:
    """Pairs of which a count is blank are in no figure of its sums; the notes count the cells."""
    data = write_radevalx(tmp_path / "radevalx", pairs=15)
    with (data / SIGNIFICANT).open(encoding="utf-8", newline="") as stream:
        header, *cells = csv.reader(stream)
    cells[3][-1] = cells[7][-2] = " "
    with (data / SIGNIFICANT).open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *cells, [""] * len(header)])
    made = reproduced("crepe", "--radevalx", data, "--rexval", folder / "rexval", "--results", folder / "green.jsonl")
    notes, name = " ".join(made["notes"]), SIGNIFICANT
    assert f"{name}: 2 counts of 2 reports are blank; 2 pairs have no sum of errors" in notes
    assert f"{name}: 1 row holds nothing" in notes
    blank = BENCHMARKS["radevalx"].read(data)
    rated = np.isfinite(people(blank, "total"))
    assert rated.sum() == 13
    bertscore = next(provided for provided in blank.provided if provided.metric == "bertscore").score_by_id()
    badness = -np.asarray([bertscore[pair.pair.id] for pair in blank.pairs])
    expected = stats.spearmanr(badness[rated], people(blank, "total")[rated]).statistic
    row = rows(made, "table-5-radevalx")["BERTScore (distributed with the set)"]
    assert row["spearman"]["value"] == pytest.approx(expected)
    assert any(line.startswith(f"radevalx: {name}, 16 reports: report_id") for line in made["understood"])


def test_crepes_mean_absolute_error_is_of_all_errors(
    crepe_tables: Record, rexval: HumanBenchmark, green: Green
) -> None:
    """Section 4.6."""
    differences = np.abs(green.significant + green.insignificant - people(rexval, "total"))
    row = rows(crepe_tables, "section-4-6")["GREEN EC"]
    assert (row["rexval"], row["rexval_sd"]) == pytest.approx((differences.mean(), differences.std()))
    assert row["rexval_paper"] == 1.674


def test_what_is_not_given_is_named(crepe_tables: Record) -> None:
    """Each set by its name."""
    notes = " ".join(crepe_tables["notes"])
    assert "Table 5: ReFiSco-v0 was not given" in notes
    assert "Table 3 is left out: it needs metrics that are scored now" in notes
    assert "table-5-refisco" not in crepe_tables["tables"]


def test_refisco_counts_lines_with_an_error(tmp_path: Path) -> None:
    """CREPE, appendix A.3.2; RaTE-Eval's grade and its counts are two columns."""
    severities = [["no error", "urgent"], ["not actionable", "emergent"], ["no error", "no error"]]
    told = [
        {
            "study_id": study,
            "line_number": place,
            "generated_line": f"Line {study} {place}.",
            "corrected_line": f"Line {study}.",
            "severity": severity,
            "ground_truth": f"Report {study}.",
        }
        for study, both in enumerate(severities)
        for place, severity in enumerate(both)
    ]
    refisco = lines(tmp_path / "refisco.jsonl", told)
    sentences = [
        {"id": f"s{n}", "reference": f"R {n}.", "candidate": f"C {n}.", "errors": errors, "potential": potential}
        for n, (errors, potential) in enumerate([(1, 1), (2, 4), (0, 3)])
    ]
    rate = lines(tmp_path / "sentence.jsonl", sentences)
    mine = [
        results(tmp_path / "a.jsonl", "mine", ["0", "1", "2"], [0.5, 0.7, 0.6], higher_is_better=False),
        results(
            tmp_path / "b.jsonl", "mine", [f"sentence-s{n}" for n in range(3)], [1.0, 3, 2], higher_is_better=False
        ),
    ]
    record = reproduced(
        "crepe", "--refisco", refisco, "--rate-eval", rate, "--results", mine[0], "--results", mine[1], "--table", "1"
    )
    row = rows(record, "table-1")["mine"]
    tau = stats.kendalltau
    assert row["refisco_kendall"] == pytest.approx(tau([0.5, 0.7, 0.6], [1, 2, 0]).statistic)
    assert row["rate_eval_kendall"] == pytest.approx(tau([1, 3, 2], [1, 2 / 4, 0]).statistic)
    assert row["rate_eval_counts_kendall"] == pytest.approx(tau([1, 3, 2], [1, 2, 0]).statistic)


def test_speed_is_measured_of_metrics_scored_now(folder: Path, tmp_path: Path) -> None:
    """Not where a store would answer for them."""
    given = ("--rexval", folder / "rexval", "-m", "rouge", "--table", "3")
    row = rows(reproduced("crepe", *given), "table-3")["ROUGE-L"]
    assert 0 < row["milliseconds"] < 1000
    assert row["milliseconds_paper"] == 125.99
    kept = reproduced("crepe", *given, "--set", f"store={tmp_path / 'kept.db'}")
    assert not kept["tables"]
    assert any("without kept results" in note for note in kept["notes"])


def test_greens_first_table_is_between_raters(green_tables: Record, rexval: HumanBenchmark, green: Green) -> None:
    """And between each and the metric, of significant errors."""
    ratings = np.asarray([pair.ratings["significant"] for pair in rexval.pairs])
    table = rows(green_tables, "table-1")
    assert table["Expert 2"]["rater_4"] == pytest.approx(np.abs(ratings[:, 2] - ratings[:, 4]).mean())
    assert table["Expert 2"]["rater_2"] is None
    from_each = np.abs(green.significant[:, None] - ratings).mean(axis=0)
    assert [table["GREEN"][f"rater_{place}"] for place in range(6)] == pytest.approx(from_each.tolist())
    summary = rows(green_tables, "section-4-1")
    assert (summary["GREEN"]["mean"], summary["GREEN"]["sd"]) == pytest.approx(
        (from_each.mean(), from_each.std(ddof=1))
    )


def test_greens_fourth_and_fifth_tables_are_against_the_mean_rater(
    green_tables: Record, rexval: HumanBenchmark, green: Green
) -> None:
    """Absolute differences with their deviation, and the share of equal counts."""
    row = rows(green_tables, "table-4")["GREEN"]
    differences = np.abs(green.significant - people(rexval, "significant"))
    assert (row["significant"], row["significant_sd"]) == pytest.approx((differences.mean(), differences.std()))
    assert row["insignificant"] == pytest.approx(np.abs(green.insignificant - people(rexval, "insignificant")).mean())
    for letter in CATEGORIES:
        said = people(rexval, f"significant.{letter}")
        assert row[letter] == pytest.approx(np.mean(green.counts[letter] == np.floor(said + 0.5)))
        off = np.abs(green.counts[letter] - said)
        assert rows(green_tables, "table-5")["GREEN"][letter] == pytest.approx(off.mean())
        assert rows(green_tables, "table-5-sd")["GREEN"][letter] == pytest.approx(off.std())
    rater = np.asarray([pair.ratings["significant.B"][3] for pair in rexval.pairs])
    mean = np.abs(rater - people(rexval, "significant.B")).mean()
    assert rows(green_tables, "table-5")["Expert 3"]["B"] == pytest.approx(mean)


def test_greens_sixth_table_has_the_raters_too(green_tables: Record, rexval: HumanBenchmark, green: Green) -> None:
    """Each against the mean of the others."""
    table = rows(green_tables, "table-6")
    said = people(rexval, "total")
    counted = stats.kendalltau(green.significant + green.insignificant, said).statistic
    assert table["GREEN error count"]["kendall"]["value"] == pytest.approx(counted)
    ratings = np.asarray([pair.ratings["total"] for pair in rexval.pairs])
    raters = [stats.kendalltau(ratings[:, k], np.delete(ratings, k, axis=1).mean(axis=1)).statistic for k in range(6)]
    assert table["Inter-Expert"]["kendall"]["value"] == pytest.approx(np.mean(raters))
    assert any("Table 7 is left out: it needs preferences" in note for note in green_tables["notes"])


def test_greens_seventh_table_counts_who_is_preferred(tmp_path: Path) -> None:
    """Of four comparisons one is undecided; by hand two of three are told by the score, by the count one and a tie."""
    told = [
        {"id": f"c{n}", "reference": f"R {n}.", "candidate_a": f"A {n}.", "candidate_b": f"B {n}.", "rater": who}
        | {"choice": choice}
        for n, choices in enumerate(["AA", "BB", "AA", "AB"])
        for who, choice in zip(("one", "two"), choices, strict=True)
    ]
    preferences = lines(tmp_path / "preferences.jsonl", told)
    ids = [f"c{n}:{side}" for n in range(4) for side in "ab"]
    scores = [0.9, 0.1, 0.2, 0.8, 0.3, 0.4, 0.5, 0.5]
    counts = [(1, 2), (0, 0), (2, 1), (1, 1)]
    subscores = [{"significant": float(n), "insignificant": 0.0, "A": float(n)} for pair in counts for n in pair]
    file = results(tmp_path / "g.jsonl", "green", ids, scores, higher_is_better=True, subscores=subscores)
    table = rows(reproduced("green", "--preferences", preferences, "--results", file), "table-7")
    assert table["GREEN"]["accuracy"]["value"] == pytest.approx(2 / 3)
    assert table["GREEN error count"]["accuracy"]["value"] == pytest.approx(1.5 / 3)
    assert table["GREEN"]["accuracy_paper"]["value"] == 0.62


def test_ratescores_fifth_table_is_of_paragraphs_and_triads(tmp_path: Path) -> None:
    """Grades against scores by scipy; two of three synonyms stand above their antonyms."""
    rate = tmp_path / "rate"
    rate.mkdir()
    grades, scores = [5, 3, 4, 0, 1], [0.9, 0.5, 0.4, 0.2, 0.3]
    lines(
        rate / "paragraph.jsonl",
        [{"id": n, "reference": f"R {n}.", "candidate": f"C {n}.", "rating": grade} for n, grade in enumerate(grades)],
    )
    lines(
        rate / "synthetic.jsonl",
        [{"id": n, "reference": f"R {n}.", "synonym": f"S {n}.", "antonym": f"A {n}."} for n in range(3)],
    )
    benchmark = BENCHMARKS["rate-eval"].read(rate)
    ids = [pair.pair.id for pair in benchmark.pairs if pair.strata["level"] == "paragraph"]
    triads = {preference.first: preference.second for preference in benchmark.preferences}
    ids += [key for both in triads.items() for key in both]
    file = results(
        tmp_path / "r.jsonl", "ratescore", ids, [*scores, 0.9, 0.1, 0.8, 0.2, 0.3, 0.4], higher_is_better=True
    )
    record = reproduced("ratescore", "--rate-eval", rate, "--results", file)
    row = rows(record, "table-5")["RaTEScore"]
    for name, test in (("pearson", stats.pearsonr), ("kendall", stats.kendalltau), ("spearman", stats.spearmanr)):
        assert row[name]["value"] == pytest.approx(test(scores, grades).statistic)
    assert row["pearson_paper"] == 0.653
    assert rows(record, "table-5-synthetic")["RaTEScore"]["accuracy"]["value"] == pytest.approx(2 / 3)
    notes = " ".join(record["notes"])
    assert "it needs ReXVal" in notes
    assert "with the task sentence" in notes


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Four changes that matter and four that do not, a score and a judge of them."""
    folder = tmp_path_factory.mktemp("judged")
    ids = [f"d{n}" for n in range(4)] + [f"r{n}" for n in range(4)]
    told = [
        {"id": key, "reference": f"R {key}.", "candidate": f"C {key}.", "subset": key[0].upper(), "aspect": "Location"}
        for key in ids
    ]
    scores = [0.1, 0.2, 0.6, 0.7, 0.9, 0.8, 0.65, 0.3]
    named = {"d0": "critical", "d1": "significant", "d2": "insignificant", "r0": "insignificant", "r1": "significant"}
    discrepancies = [
        [{"category": "A", "aspect": "Negation", "severity": named[key]}] if key in named else [] for key in ids
    ]
    significant = [float(named.get(key) in {"critical", "significant"}) for key in ids]
    subscores = [{"significant": each, "insignificant": 0.0, "A": 0.0} for each in significant]
    files: tuple[Path, ...] = (
        results(folder / "b.jsonl", "bertscore", ids, scores, higher_is_better=True),
        results(
            folder / "j.jsonl",
            "judge",
            ids,
            significant,
            higher_is_better=False,
            subscores=subscores,
            discrepancies=discrepancies,
        ),
    )
    counted = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    files += (
        results(
            folder / "g.jsonl",
            "green",
            ids,
            [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9],
            higher_is_better=True,
            subscores=[{"significant": each, "insignificant": 0.0} for each in counted],
            discrepancies=[
                [{"category": "A", "aspect": "Location", "severity": "significant"}] if each else [] for each in counted
            ],
        ),
    )
    pairs = lines(folder / "reevalmed.jsonl", told)
    given = [part for file in files for part in ("--results", file)]
    return reproduced("judge", "--reevalmed", pairs, *given, "-o", folder / "page.html", "-o", "-")


def test_scores_are_held_against_the_maximin_threshold(judged: Record) -> None:
    """By hand: at 0.6 or less d0 to d2 of 4 are called, and of the harmless r3, so D and R are 75 %.

    Thresholds are put on scores, not on counts: GREEN's score tells all pairs apart.
    """
    row = rows(judged, "table-2")["BERTScore"]
    assert [row[name]["value"] for name in ("discrimination", "robustness", "average", "gap")] == [75, 75, 75, 0]
    assert judged["facts"]["reevalmed"].endswith(" 1 rater")
    assert row["discrimination_paper"] == 24.0
    green = rows(judged, "table-2")["GREEN"]
    assert [green[name]["value"] for name in ("discrimination", "robustness")] == [100, 100]
    assert judged["tables"]["table-2"]["columns"]["discrimination"] == "D %"


def test_verdicts_follow_the_papers_rule(judged: Record) -> None:
    """Equation 1 by hand: d0 and d1 are called rightly, and r0; r1 is not, and of r2 and r3 nothing is named."""
    for number in ("3", "4"):
        table = rows(judged, f"table-{number}")
        assert [table["judge"][name]["value"] for name in ("discrimination", "robustness")] == [50, 25]
        lenient = table["judge (silence is insig.)"]
        assert [lenient[name]["value"] for name in ("discrimination", "robustness", "average")] == [50, 75, 62.5]
    green = rows(judged, "table-3")["GREEN (silence is insig.)"]
    assert [green[name]["value"] for name in ("discrimination", "robustness")] == [25, 75]
    assert "BERTScore" not in rows(judged, "table-3")
    assert rows(judged, "table-3")["GPT-5.1, one pass"]["robustness_paper"] == 42.5


def test_the_judges_figures_stand_beside_its_tables(judged: Record) -> None:
    """By aspect, paired tests with Holm's correction (Fig. 4), and aspects noted (Fig. 5).

    What is tested is Table 3's average of each metric, by the paper's rule: of the judge 37.5 %.
    """
    tested = {(row["first"], row["second"]): row for row in judged["tables"]["paired-average"]["rows"]}
    average = {row: figures["average"]["value"] for row, figures in rows(judged, "table-3").items() if row == "judge"}
    difference = tested["BERTScore", "judge (verdict)"]["difference"]["value"]
    assert average == {"judge": 37.5}
    assert difference == pytest.approx(0.75 - 0.375)
    assert {"rightly-by-aspect", "paired-average", "aspects"} <= judged["tables"].keys()
    assert {"metric": "judge", "aspect": "Location", "noted": 0.0}.items() <= judged["tables"]["aspects"]["rows"][
        0
    ].items()


def test_pages_and_csv_are_written(folder: Path, tmp_path: Path) -> None:
    """Beside what is printed."""
    given = ("--rexval", folder / "rexval", "--results", folder / "green.jsonl", "--table", "6", "--draws", "60")
    result = reproduce("green", *given, "-o", f"{tmp_path}/csv/", "-o", tmp_path / "page.html", "-o", "-")
    assert result.exit_code == 0, result.output
    assert "Kendall's tau with the total errors" in result.stdout
    assert (tmp_path / "csv" / "table-6.csv").exists()
    assert "GREEN error count" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_pairs_without_a_score_are_counted(folder: Path, rexval: HumanBenchmark, tmp_path: Path) -> None:
    """With their reason, and left out of the figures."""
    ids = [pair.pair.id for pair in rexval.pairs]
    scores = [None, *(float(n) for n in range(1, len(ids) - 1))]
    file = results(tmp_path / "mine.jsonl", "mine", ids[:-1], scores, higher_is_better=False)
    record = reproduced("green", "--rexval", folder / "rexval", "--results", file, "--table", "6")
    expected = stats.kendalltau(scores[1:], people(rexval, "total")[1:-1]).statistic
    assert rows(record, "table-6")["mine"]["kendall"]["value"] == pytest.approx(expected)
    assert any("mine has no score for 2 of 32 pairs" in note and "too long 1" in note for note in record["notes"])


def refused(paper: str, *arguments: object) -> str:
    result = reproduce(paper, *arguments)
    assert isinstance(result.exception, ConfigurationError | InputError), result.output
    return str(result.exception)


def test_wrong_input_is_refused_with_a_remedy(folder: Path, tmp_path: Path) -> None:
    """No set, an unknown table, and results of other pairs."""
    assert "no set is given: use `rexval` or `preferences`" in refused("green")
    given = ("--rexval", folder / "rexval", "--results", folder / "green.jsonl")
    assert "no table '9'; choose from 1, 4, 5, 6, 7" in refused("green", *given, "--table", "9")
    other = results(tmp_path / "other.jsonl", "mine", ["elsewhere"], [1.0], higher_is_better=False)
    assert "holds no pair of rexval" in refused("green", "--rexval", folder / "rexval", "--results", other)


def test_results_name_their_set_where_ids_are_in_two(folder: Path, tmp_path: Path) -> None:
    """As SET=FILE; without it they are refused."""
    radevalx = BENCHMARKS["radevalx"].read(folder / "radevalx")
    ids = [pair.pair.id for pair in radevalx.pairs]
    told = [
        {"study_id": key, "line_number": 1, "generated_line": "A.", "corrected_line": "B.", "ground_truth": f"C {key}."}
        | {"severity": "urgent" if place % 2 else "no error"}
        for place, key in enumerate(ids)
    ]
    refisco = lines(tmp_path / "refisco.jsonl", told)
    file = results(tmp_path / "mine.jsonl", "mine", ids, map(float, range(len(ids))), higher_is_better=False)
    given = ("--radevalx", folder / "radevalx", "--refisco", refisco, "--table", "1", "--results")
    assert "`results=radevalx=mine.jsonl`" in refused("crepe", *given, file)
    record = reproduced("crepe", *given, f"radevalx={file}")
    row = rows(record, "table-1")["mine"]
    assert row["radevalx_kendall"] is not None
    assert row.get("refisco_kendall") is None
    assert any("refisco: no metric has scores of it" in note for note in record["notes"])


def test_pairs_that_may_be_unscored_are_bounded(folder: Path, tmp_path: Path) -> None:
    """A metric that leaves more of a set's pairs unscored ends with status 3, behind the tables."""
    radevalx = BENCHMARKS["radevalx"].read(folder / "radevalx")
    ids = [pair.pair.id for pair in radevalx.pairs][:-1]
    file = results(tmp_path / "mine.jsonl", "mine", ids, map(float, range(len(ids))), higher_is_better=False)
    given = ("--radevalx", folder / "radevalx", "--table", "1", "--results", file, *FEW)
    assert reproduce("crepe", *given).exit_code == 0
    done = reproduce("crepe", *given, "--max-unscored", "0")
    assert (done.exit_code, json.loads(done.stdout)["tables"].keys()) == (3, {"table-1"})
    assert f"mine: 1 of {len(ids) + 1} pairs unscored, more than --max-unscored allows" in done.stderr
