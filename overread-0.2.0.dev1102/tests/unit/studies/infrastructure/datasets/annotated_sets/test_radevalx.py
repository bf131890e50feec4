"""RadEvalX: two tables of errors become one set with its metrics' scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from overread.studies.infrastructure.datasets.annotated_sets.radevalx import read_radevalx

from .layouts import PRIVATE, Rows, radevalx_errors, radevalx_scores, refused, write_csv, write_radevalx

SIGNIFICANT, INSIGNIFICANT = "clinically_significant_annotations.csv", "clinically_insignificant_annotations.csv"


def test_counts_of_both_tables_are_joined(tmp_path: Path) -> None:
    """Report 5 has errors in the four odd categories: 2 x 5 significant and 1 x 5 insignificant in each."""
    benchmark = read_radevalx(write_radevalx(tmp_path))
    assert len(benchmark.pairs) == 12
    pair = benchmark.pairs[5]
    assert (pair.pair.id, pair.study, pair.generator) == ("5", "5", "M2Tr")
    assert pair.pair.reference.text == f"{PRIVATE} 5"
    assert pair.ratings["significant"] == (40.0,)
    assert pair.ratings["insignificant"] == (20.0,)
    assert pair.ratings["total"] == (60.0,)
    assert [pair.ratings[f"significant.{letter}"] for letter in "ABGH"] == [(10.0,), (0.0,), (10.0,), (0.0,)]
    assert benchmark.raters == ("experts",)


def test_categories_are_those_of_the_paper(tmp_path: Path) -> None:
    """Columns 7 and 8 are the two on uncertainty (RadOT-Eval, Table IX)."""
    labels = {target.name: target.label for target in read_radevalx(write_radevalx(tmp_path)).targets}
    assert labels["significant.G"] == "significant errors: unsupported uncertainty"
    assert labels["insignificant.H"] == "insignificant errors: omitted uncertainty"
    assert len(labels) == 3 + 3 * 8


def test_scores_come_with_their_direction(tmp_path: Path) -> None:
    """Six metrics; RadCliQ is a risk."""
    provided = {each.metric: each for each in read_radevalx(write_radevalx(tmp_path)).provided}
    assert list(provided) == ["bleu4", "bleu2", "bertscore", "chexbert", "radgraph_f1", "radcliq"]
    assert [name for name, each in provided.items() if not each.higher_is_better] == ["radcliq"]
    assert provided["bleu2"].score_by_id()["7"] == 0.17
    assert provided["radcliq"].score_by_id()["0"] == 0.5


def test_missing_scores_are_left_out_and_noted(tmp_path: Path) -> None:
    """An empty cell is no score; without the table there are none."""
    folder = write_radevalx(tmp_path)
    write_csv(
        folder / "metrics.csv",
        [{**row, "bertscore": ""} if row["report_id"] == 3 else row for row in radevalx_scores()],
    )
    benchmark = read_radevalx(folder)
    assert "3" not in next(each for each in benchmark.provided if each.metric == "bertscore").ids
    assert benchmark.notes == ("1 pair has no score of bertscore",)
    (folder / "metrics.csv").unlink()
    assert read_radevalx(folder).notes == (
        "no scores are distributed for bleu4, bleu2, bertscore, chexbert, radgraph_f1, radcliq",
    )


@pytest.mark.parametrize(
    ("significant", "insignificant"),
    [
        ("sig_errors.csv", "insig_errors.csv"),
        ("Clinical errors.csv", "Non-clinical errors.csv"),
        ("significant.csv", "not_significant.csv"),
        ("annotations_clin_sig.tsv", "annotations_nonsig.tsv"),
    ],
)
def test_tables_are_told_apart_by_name(tmp_path: Path, significant: str, insignificant: str) -> None:
    """The word annotations holds "not" and misleads nobody."""
    for name, factor in ((significant, 2), (insignificant, 1)):
        delimiter = "\t" if name.endswith(".tsv") else ","
        write_csv(tmp_path / name, radevalx_errors(factor), delimiter=delimiter)
    assert read_radevalx(tmp_path).pairs[1].ratings["significant"] == (8.0,)


def test_unclear_names_need_options(tmp_path: Path) -> None:
    """Where names do not tell, the user does; naming one is enough where two are there."""
    write_csv(tmp_path / "a.csv", radevalx_errors(2))
    write_csv(tmp_path / "b.csv", radevalx_errors(1))
    message = refused(lambda: read_radevalx(tmp_path))
    assert "which table counts significant errors cannot be told from the names a.csv, b.csv" in message
    assert "`significant=FILE` or `insignificant=FILE`" in message
    both = read_radevalx(tmp_path, significant=Path("a.csv"), insignificant=tmp_path / "b.csv")
    assert both.pairs[1].ratings["significant"] == (8.0,)
    assert read_radevalx(tmp_path, significant=Path("a.csv")) == both
    assert read_radevalx(tmp_path, insignificant=Path("a.csv")).pairs[1].ratings["insignificant"] == (8.0,)


def test_columns_may_be_written_otherwise(tmp_path: Path) -> None:
    """Case and spaces do not matter."""
    plain = read_radevalx(write_radevalx(tmp_path / "plain"))
    names = {"report_id": "Report ID", "M2Tr-Generation": "m2tr_generation", "ground_truth": " Ground truth", "1": " 1"}
    rows = [{names.get(key, key): value for key, value in row.items()} for row in radevalx_errors(2)]
    assert read_radevalx(write_radevalx(tmp_path / "other", significant=rows)) == plain


def cell(place: int, **cells: object) -> Callable[[Rows], Rows]:
    return lambda rows: [{**row, **cells} if number == place else row for number, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda rows: rows[:-1], f"{INSIGNIFICANT}, row 12: report 11 is not in {SIGNIFICANT}"),
        (lambda rows: [*rows, rows[0]], f"{SIGNIFICANT}, row 13: its report_id is also that of row 1"),
        (cell(2, report_id=50), f"{SIGNIFICANT}, row 3: report 50 is not in {INSIGNIFICANT}"),
        (cell(2, ground_truth="Another."), f"row 3: report 2 has another text in {INSIGNIFICANT}"),
        (cell(2, **{"4": -1}), f'{SIGNIFICANT}, row 3: column "4" is negative'),
        (cell(2, **{"4": PRIVATE}), f'{SIGNIFICANT}, row 3: column "4" is not a number'),
        (
            lambda rows: [{k: v for k, v in row.items() if k != "8"} for row in rows],
            "the table of significant errors is missing: clinically_significant_annotations.csv has no column 8; it",
        ),
    ],
)
def test_faulty_tables_are_refused(tmp_path: Path, change: Callable[[Rows], Rows], told: str) -> None:
    """Each fault names file and row; nothing stands for none but a 0."""
    folder = write_radevalx(tmp_path, significant=change(radevalx_errors(2)))
    assert told in refused(lambda: read_radevalx(folder))


def test_blank_counts_are_gaps_that_are_counted(tmp_path: Path) -> None:
    """The category has no rating of that pair, nor have sums over it; the other categories stay."""
    folder = write_radevalx(tmp_path, significant=cell(2, **{"4": " "})(radevalx_errors(2)))
    benchmark = read_radevalx(folder)
    pair = benchmark.pairs[2]
    gaps = {name for name, (count,) in pair.ratings.items() if math.isnan(count)}
    assert gaps == {"total", "significant", "total.D", "significant.D"}
    assert (pair.ratings["insignificant"], pair.ratings["significant.B"]) == ((8.0,), (4.0,))
    assert benchmark.notes == (f"{SIGNIFICANT}: 1 count of 1 report is blank; 1 pair has no sum of errors",)
    assert not any("no error" in line for line in benchmark.understood)


def test_blank_counts_are_no_error_where_that_is_told_or_plain(tmp_path: Path) -> None:
    """The option tells it; a table without a zero lists only what was found. Blanks are counted all the same."""
    plain = read_radevalx(write_radevalx(tmp_path / "plain"))
    blank = [{key: value or "" if key.isdigit() else value for key, value in row.items()} for row in radevalx_errors(2)]
    some = cell(0, **{"1": 0})(blank)
    told: tuple[tuple[Rows, Literal["gap", "none"], str], ...]
    told = ((blank, "gap", "holds no zero"), (some, "none", "as told"))
    for rows, option, why in told:
        read = read_radevalx(write_radevalx(tmp_path / why, significant=rows), blank=option)
        assert read.pairs == plain.pairs
        assert "counts of 12 reports are blank" in read.notes[0]
        assert any(why in line for line in read.understood)
    assert math.isnan(read_radevalx(tmp_path / "as told").pairs[0].mean("total"))
    with pytest.raises(ValueError, match="gap or none"):
        read_radevalx(tmp_path / "plain", blank="zero")  # type: ignore[arg-type]


def test_rows_without_id_or_text_are_left_out_and_counted(tmp_path: Path) -> None:
    """A row of blanks alone says nothing; one without an id, or a report, cannot be used. None of them stops."""
    empty = dict.fromkeys(radevalx_errors(2)[0], "")
    rows = [*cell(4, report_id="")(cell(2, ground_truth="")(radevalx_errors(2))), empty]
    benchmark = read_radevalx(write_radevalx(tmp_path, significant=rows))
    assert [pair.study for pair in benchmark.pairs] == [str(key) for key in range(12) if key not in (2, 4)]
    assert benchmark.notes == (
        f"{SIGNIFICANT}: 1 row holds nothing",
        f"{SIGNIFICANT}: 1 row without a report_id was left out",
        f"{SIGNIFICANT}: 1 report was left out, as one of their texts is blank",
    )


def test_one_table_cannot_be_of_both_kinds(tmp_path: Path) -> None:
    """Named twice, in whatever way, it would count every error twice."""
    folder = write_radevalx(tmp_path)
    same = next(path for path in folder.rglob("*.csv") if path.name == SIGNIFICANT)
    message = refused(lambda: read_radevalx(folder, significant=same, insignificant=Path(same.name)))
    assert "is named both for the significant errors and for the others" in message


def test_scores_of_unknown_reports_are_refused(tmp_path: Path) -> None:
    """The tables must name the reports alike, and scores are numbers."""
    folder = write_radevalx(tmp_path)
    write_csv(folder / "metrics.csv", cell(4, report_id=77)(radevalx_scores()))
    assert "metrics.csv, row 5: report 77 is in neither table of errors" in refused(lambda: read_radevalx(folder))
    write_csv(folder / "metrics.csv", cell(4, radcliq="high")(radevalx_scores()))
    assert "metrics.csv, row 5: radcliq is not a number" in refused(lambda: read_radevalx(folder))
