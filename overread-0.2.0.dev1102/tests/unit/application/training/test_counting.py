"""Error counters tried on known counts, against a counter that is told what to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from attrs import field, frozen

from overread.application.training.counting import try_counter
from overread.application.training.splitting import split_by_study
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.result import Unscored

Array = npt.NDArray[np.float64]


@frozen
class ToldCounter:
    """Answers by pair id."""

    answers: Mapping[str, Mapping[str, float]] = field(factory=dict)
    identity: str = "told"
    note: str = ""

    def count(self, pairs: Sequence[ReportPair]) -> list[ErrorCounts | Unscored]:
        return [
            ErrorCounts(counts=self.answers[pair.id]) if pair.id in self.answers else Unscored("untold")
            for pair in pairs
        ]


def counted(name: str, study: str, **counts: float) -> AnnotatedPair:
    ratings = {head: (count,) for head, count in counts.items()}
    return AnnotatedPair(pair=ReportPair(id=name, reference="a", candidate="b"), study=study, ratings=ratings)


PAIRS = [counted("p", "s", A=1, B=0), counted("q", "s", A=0, B=2), counted("r", "t", A=0, B=0)]
ANSWERS = {"p": {"A": 1.5, "B": 0.0}, "q": {"A": 0.0, "B": 1.0}, "r": {"A": 0.25, "B": 0.0}}


def test_errors_are_mean_absolute_differences_by_head_and_of_the_total() -> None:
    """By hand: A is off by .5, 0, .25; B by 0, 1, 0; the totals 1.5, 1, .25 are off by .5, 1, .25."""
    report = try_counter(ToldCounter(ANSWERS), PAIRS)
    assert report.errors["A"].value == pytest.approx(0.25)
    assert report.errors["B"].value == pytest.approx(1 / 3)
    assert report.total_error.value == pytest.approx(1.75 / 3)
    assert report.correlation.value == pytest.approx(1 / 3)


def test_what_is_predicted_where_nothing_is_wrong_is_told_apart() -> None:
    """A counter that finds errors everywhere still correlates."""
    report = try_counter(ToldCounter(ANSWERS), PAIRS)
    assert (report.harmless, report.harmless_total) == (1, 0.25)


def test_pairs_that_cannot_be_counted_are_left_out_and_told() -> None:
    """Figures are over the rest, and undefined where too little is left."""
    report = try_counter(ToldCounter({"q": ANSWERS["q"]}), PAIRS)
    assert (report.pairs, report.unscored, report.studies) == (1, 2, 1)
    assert report.errors["B"].value == 1.0
    assert report.correlation.value is None
    assert report.harmless_total is None


def test_nothing_counted_gives_no_figures() -> None:
    """A counter that fails throughout is no counter without errors."""
    report = try_counter(ToldCounter(), PAIRS)
    assert (report.pairs, report.total_error.value, report.correlation.value) == (0, None, None)


def test_intervals_hold_the_value_and_resample_whole_studies() -> None:
    """Two studies whose pairs are alike within: the interval reaches both studies' means and not beyond."""
    pairs = [counted(f"{study}{i}", study, A=0) for study in "st" for i in range(20)]
    told = ToldCounter({pair.pair.id: {"A": 1.0 if pair.study == "s" else 3.0} for pair in pairs})
    figure = try_counter(told, pairs).errors["A"]
    assert (figure.low, figure.value, figure.high) == (1.0, 2.0, 3.0)


def test_the_same_seed_gives_the_same_intervals() -> None:
    """A card's figures can be had again."""
    pairs = [counted(str(i), str(i // 2), A=i % 3) for i in range(40)]
    told = ToldCounter({str(i): {"A": (i * 7 % 5) / 2} for i in range(40)})
    assert try_counter(told, pairs, seed=4) == try_counter(told, pairs, seed=4)


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.999])
def test_a_split_keeps_studies_whole_and_neither_side_empty(share: float) -> None:
    """Pairs of one study on both sides would flatter the figures."""
    pairs = [counted(f"{study}-{i}", str(study), A=0) for study in range(7) for i in range(3)]
    training, validation = split_by_study(pairs, share, seed=1)
    sides = [{pair.study for pair in side} for side in (training, validation)]
    assert sides[0].isdisjoint(sides[1])
    assert all(sides)
    assert sorted(pair.pair.id for pair in [*training, *validation]) == sorted(pair.pair.id for pair in pairs)
