"""Figures of CREPE, GREEN, RaTEScore and Beyond Scalar Scores, as they are kept."""

from __future__ import annotations

import pytest

from overread.application.statistics import Estimate
from overread.studies.application.reproduction.published import PublishedTable
from overread.studies.infrastructure.datasets.published import read_published


@pytest.mark.parametrize(
    ("paper", "table", "row", "column", "printed"),
    [
        ("crepe", "1", "GREEN EC", "refisco_kendall", 0.723),
        ("crepe", "1", "CREPE", "rate_eval_counts_spearman", 0.541),
        ("crepe", "2", "RadCliQ-v1", "rexval_star", 0.500),
        ("crepe", "3", "ROUGE-L", "milliseconds", 125.99),
        ("crepe", "section-4-6", "CREPE", "rexval_sd", 1.022),
        ("crepe", "5-rexval", "CREPE", "kendall", Estimate(0.786, 0.749, 0.816)),
        ("crepe", "5-rexval_star", "GREEN", "spearman", Estimate(0.713, 0.617, 0.789)),
        ("crepe", "5-refisco", "METEOR", "kendall", Estimate(0.468, 0.388, 0.538)),
        ("crepe", "5-radevalx", "BLEU-4", "kendall", Estimate(0.074, -0.092, 0.231)),
        ("crepe", "5-rate_eval", "RaTEScore", "spearman", Estimate(0.460, 0.379, 0.534)),
        ("crepe", "5-rate_eval_counts", "SembScore", "kendall", Estimate(0.245, 0.186, 0.308)),
        ("green", "1", "Expert 1", "rater_5", 1.365),
        ("green", "1", "Expert 1", "rater_1", None),
        ("green", "1", "GREEN", "rater_2", 0.715),
        ("green", "4", "GREEN", "insignificant", 0.51),
        ("green", "4", "Phi-2 (2.7B)", "B", 0.08),
        ("green", "4", "GREEN-GPT-4", "F", 0.70),
        ("green", "5", "Expert 5", "A", 0.67),
        ("green", "5-sd", "GREEN-GPT-4", "B", 0.54),
        ("green", "6", "GREEN error count", "kendall", Estimate(0.79, 0.74, 0.83)),
        ("green", "6", "Inter-Expert", "kendall", Estimate(0.81, 0.78, 0.83)),
        ("green", "7", "GREEN", "accuracy", Estimate(0.62, 0.49, 0.75)),
        ("ratescore", "4", "RaTEScore", "kendall", 0.527),
        ("ratescore", "5", "SPICE", "spearman", 0.605),
        ("ratescore", "5-synthetic", "CheXbert", "accuracy", 0.666),
        ("judge", "2", "GREEN", "robustness", 41.5),
        ("judge", "2", "CRIMSON", "average", Estimate(77.8, 73.6, 82.0)),
        ("judge", "3", "Hulu-Med-32B, two passes", "gap", 43.5),
        ("judge", "4", "MedGemma-4B, one pass, SFT and RL", "discrimination", 75.5),
    ],
)
def test_figures_are_those_printed(paper: str, table: str, row: str, column: str, printed: object) -> None:
    """One or more of each table, compared with the paper by eye."""
    assert read_published(paper).tables[table].figure(row, column) == printed


def value(table: PublishedTable, row: str, column: str) -> float:
    cell = table.figure(row, column)
    cell = cell.value if isinstance(cell, Estimate) else cell
    assert isinstance(cell, float)
    return cell


@pytest.mark.parametrize("key", ["crepe", "green", "judge"])
def test_intervals_hold_their_value(key: str) -> None:
    """A figure in the wrong place would show."""
    cells = [cell for table in read_published(key).tables.values() for row in table.rows.values() for cell in row]
    estimates = [cell for cell in cells if isinstance(cell, Estimate)]
    assert estimates
    assert all(each.low < each.value < each.high for each in estimates)  # type: ignore[operator]


def test_crepes_table_1_is_table_5_without_intervals() -> None:
    """But for ReXVal*, which only the latter has."""
    tables = read_published("crepe").tables
    for row in tables["1"].rows:
        for column in tables["1"].columns:
            part, _, measure = column.rpartition("_")
            assert value(tables["1"], row, column) == value(tables[f"5-{part}"], row, measure)


def test_crepes_differences_are_those_of_its_correlations() -> None:
    """Table 2, up to rounding; its ReXVal column is Table 1's."""
    tables = read_published("crepe").tables
    for row in tables["2"].rows:
        whole, star, difference = (value(tables["2"], row, name) for name in ("rexval", "rexval_star", "difference"))
        assert whole == value(tables["1"], row, "rexval_kendall")
        assert difference == pytest.approx(star - whole, abs=0.0011)


def test_greens_table_1_is_symmetric() -> None:
    """Between experts."""
    table = read_published("green").tables["1"]
    for one in range(6):
        for other in range(one):
            assert value(table, f"Expert {one}", f"rater_{other}") == value(table, f"Expert {other}", f"rater_{one}")


def test_greens_mean_between_experts_is_that_of_its_table_1() -> None:
    """0.83 (SD 0.13) in section 4.1: over experts, of each one's mean."""
    table = read_published("green").tables["1"]
    means = [
        sum(value(table, f"Expert {one}", f"rater_{other}") for other in range(6) if other != one) / 5
        for one in range(6)
    ]
    mean = sum(means) / 6
    deviation = (sum((each - mean) ** 2 for each in means) / 5) ** 0.5
    printed = read_published("green").tables["section-4-1"]
    assert value(printed, "Experts", "mean") == pytest.approx(mean, abs=0.005)
    assert value(printed, "Experts", "sd") == pytest.approx(deviation, abs=0.005)


@pytest.mark.parametrize("number", ["2", "3", "4"])
def test_average_and_gap_are_those_of_d_and_r(number: str) -> None:
    """Beyond Scalar Scores rounds to one digit."""
    table = read_published("judge").tables[number]
    for row in table.rows:
        d, r = value(table, row, "discrimination"), value(table, row, "robustness")
        assert value(table, row, "average") == pytest.approx((d + r) / 2, abs=0.051), row
        assert value(table, row, "gap") == pytest.approx(abs(d - r), abs=0.051), row


def test_untrained_judges_are_the_same_in_both_tables() -> None:
    """Tables 3 and 4 share Qwen3-8B and MedGemma-4B."""
    tables = read_published("judge").tables
    for row, cells in tables["4"].rows.items():
        model, passes, training = row.split(", ")
        if training == "base":
            assert tables["3"].rows[f"{model}, {passes}"] == cells
