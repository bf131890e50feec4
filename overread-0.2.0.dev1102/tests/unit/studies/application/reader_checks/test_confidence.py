"""What discrepancies are told to be likely against where somebody marked errors."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import frozen

from overread.application.metrics.notation import NOTATION_SCALE
from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.application.statistics import Estimate
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.annotation import MarkedError, MarkedPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import Outcome, Scored, Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect
from overread.studies.application.reader_checks.confidence import calibration_error, check_confidence


@frozen
class _Told:
    """A metric that notes, at the candidate's first word, the probabilities that a pair's id says."""

    signature_parts: Sequence[tuple[str, str]] = ()

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [self._outcome(pair.id.partition(" ")[2]) for pair in pairs]

    def _outcome(self, told: str) -> Outcome:
        if told == "unscored":
            return Unscored("too long")
        return Scored(
            score=1.0,
            discrepancies=tuple(
                Discrepancy(
                    category=None,
                    aspect=ErrorAspect.DESCRIPTION,
                    type=None,
                    severity=Severity.INSIGNIFICANT,
                    reason="told",
                    finding="scar",
                    candidate_spans=(Span(0, 3),),
                    probability=float(part),
                )
                for part in told.split(",")
            ),
        )


SERVICE = EvaluationService([NamedMetric("notation", "1", NOTATION_SCALE, _Told())])


def _marked(told: str, source: str, *, wrong: bool) -> MarkedPair:
    pair = ReportPair(id=told, reference="Old scar.", candidate="New scar.")
    error = MarkedError((Span(0, 3),), (Span(0, 3),), "D", 0.2)
    return MarkedPair(pair=pair, study=told, errors=(error,) if wrong else (), source=source)


def test_told_and_held_stand_side_by_side() -> None:
    """By set and tenth of the probability; what cannot be scored is left out and said."""
    check = check_confidence(
        SERVICE,
        [
            _marked("1 0.9,0.2", "one", wrong=True),
            _marked("2 0.94", "one", wrong=False),
            _marked("3 1.0", "other", wrong=True),
            _marked("4 unscored", "other", wrong=True),
        ],
    )
    shown = {
        (table.title, *row[:2]): [cell.value for cell in row[2:] if isinstance(cell, Estimate)]
        for table in check.tabulation.tables
        for row in table.rows
    }
    assert shown == {
        ("One", "20% to 30%", 1): [pytest.approx(0.2), 1.0],
        ("One", "90% to 100%", 2): [pytest.approx(0.92), 0.5],
        ("Other", "90% to 100%", 1): [1.0, 1.0],
    }
    facts = check.tabulation.facts
    # |0.2 - 1| of one and |0.92 - 0.5| of two
    assert facts["calibration error, one"] == f"{(0.8 + 2 * 0.42) / 3:.3f}"
    assert facts["calibration error, other"] == "0.000"
    assert check.tabulation.notes == ("1 pairs could not be scored",)


def test_the_calibration_error_is_0_where_all_hold_as_told() -> None:
    """And where there is nothing."""
    assert calibration_error([0.5, 0.5], [True, False]) == 0.0
    assert calibration_error([], []) == 0.0
