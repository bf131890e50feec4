"""Samples of a corpus: the same pairs in any order, and no more than the memory allows."""

from __future__ import annotations

from overread.application.scoring.corpus import BadRow, Row
from overread.application.scoring.text_sample import SAMPLED_PAIRS, TextSample, diversity_of, watch_rows
from overread.domain.reports.report import ReportPair


def pairs(count: int, candidate: str = "No effusion in case {}.") -> list[ReportPair]:
    return [
        ReportPair(id=f"p{number}", reference=f"Nodule {number}.", candidate=candidate.format(number))
        for number in range(count)
    ]


def test_order_does_not_matter() -> None:
    """Of rows in another order the same sample is kept, and measured the same."""
    rows = pairs(SAMPLED_PAIRS + 300)
    shuffled = sorted(rows, key=lambda pair: pair.id[::-1])
    found = diversity_of(rows)
    assert found is not None
    assert (found.pairs, found.of) == (SAMPLED_PAIRS, SAMPLED_PAIRS + 300)
    assert found == diversity_of(shuffled)


def test_two_systems_are_sampled_alike() -> None:
    """Whatever their candidates are, the references are those of the same pairs."""
    one, other = (diversity_of(pairs(SAMPLED_PAIRS + 50, words)) for words in ("Case {}.", "Normal."))
    assert one is not None
    assert other is not None
    assert one.references == other.references
    assert other.candidates.distinct == 1 / SAMPLED_PAIRS


def test_rows_that_cannot_be_read_are_counted_alone() -> None:
    """They pass on as they came; without a readable one there is no diversity."""
    rows: list[Row] = [*pairs(2), BadRow(3, "row-3", "no reference")]
    sample = TextSample()
    assert list(watch_rows(sample, lambda: rows)) == rows
    assert (sample.rows, sample.diversity()) == (3, diversity_of(rows))
    assert diversity_of(rows[2:]) is None


def test_of_a_long_report_the_beginning_is_kept() -> None:
    """So that no file can fill the memory."""
    long = ReportPair(id="a", reference="x", candidate="a b " * 100_000)
    cut = ReportPair(id="a", reference="x", candidate=("a b " * 2500))
    assert diversity_of([long]) == diversity_of([cut])
