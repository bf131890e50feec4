"""The crepe metric over counters that say what they are told."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import frozen

from overread.application.metrics.crepe import CREPE_SCALE, CrepeMetric
from overread.domain.reports.report import ReportPair
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.result import CountEvidence, Outcome, Scored, Unscored

from ..fakes import pair

EMPTY = Unscored("empty", "both reports are empty")


@frozen
class ScriptedCounter:
    """Says of each pair what stands under its id."""

    answers: dict[str, ErrorCounts | Unscored]
    note: str = ""
    identity: str = "scripted"

    def count(self, pairs: Sequence[ReportPair]) -> list[ErrorCounts | Unscored]:
        return [self.answers[pair.id] for pair in pairs]


def _outcome(counts: ErrorCounts | Unscored, note: str = "") -> Outcome:
    [outcome] = CrepeMetric(ScriptedCounter({"p": counts}, note)).evaluate([pair("p", "One.", "Two.")])
    return outcome


def _scored(counts: ErrorCounts, note: str = "") -> Scored:
    outcome = _outcome(counts, note)
    assert isinstance(outcome, Scored)
    return outcome


def test_the_score_is_the_sum_of_the_counts_and_each_is_a_subscore() -> None:
    """The published example pair (parameters 6.3) and its published sum."""
    published = dict(
        zip("ABCDEF", [1.5391030311584473, 0.7975516319274902, 0, 0.026526600122451782, 0, 0], strict=True)
    )
    scored = _scored(ErrorCounts(counts=published, presence=dict.fromkeys("ABCDEF", 0.9)))
    assert math.isclose(scored.score, 2.3631812632083893, rel_tol=1e-15)
    assert scored.subscores == published
    assert isinstance(scored.evidence, CountEvidence)
    assert scored.evidence.counts.presence["F"] == 0.9
    assert (scored.truncated, scored.notes) == (False, ())


def test_fewer_errors_are_better_and_there_is_no_most() -> None:
    """The score is a sum of counts."""
    assert (CREPE_SCALE.low, CREPE_SCALE.high, CREPE_SCALE.higher_is_better) == (0.0, math.inf, False)


def test_outcomes_keep_the_order_of_the_pairs_whatever_cannot_be_counted() -> None:
    """A pair without an answer shifts no other."""
    metric = CrepeMetric(ScriptedCounter({"a": ErrorCounts(counts={"total": 2}), "b": EMPTY}))
    outcomes = metric.evaluate([pair("b", "", ""), pair("a", "One.", ""), pair("b", " ", "")])
    assert [outcome if isinstance(outcome, Unscored) else outcome.score for outcome in outcomes] == [EMPTY, 2, EMPTY]


def test_tokens_that_were_not_seen_mark_the_score_and_are_told() -> None:
    """A score over a part of the reports must not pass for one over all of them."""
    scored = _scored(ErrorCounts(counts={"total": 1}, tokens=633, unseen=121))
    assert scored.truncated
    assert scored.notes == ("the model did not see 121 of the pair's 633 tokens",)


def test_a_pair_read_in_windows_is_whole_and_the_windows_are_told() -> None:
    """Nothing was cut, but counts were added as the release does not."""
    scored = _scored(ErrorCounts(counts={"total": 1}, tokens=633, windows=2))
    assert not scored.truncated
    assert scored.notes == ("the pair was read in 2 windows, and their counts were added",)


def test_what_the_counter_stands_in_for_heads_the_notes() -> None:
    """The gravest reservation is read first."""
    scored = _scored(ErrorCounts(counts={"total": 1}, tokens=9, unseen=1), note="a stand-in")
    assert scored.notes[0] == "a stand-in"
    assert len(scored.notes) == 2


def test_the_signature_names_the_counter() -> None:
    """Scores of two counters are not comparable."""
    assert CrepeMetric(ScriptedCounter({})).signature_parts == (("counter", "scripted"),)
