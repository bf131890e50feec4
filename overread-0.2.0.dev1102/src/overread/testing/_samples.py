"""Invented data that the checks try components on."""

from __future__ import annotations

from typing import Final

from overread.application.ports import Message, Request
from overread.domain.differences.cost import TableTwoCost
from overread.domain.differences.second_reading import FirstReading
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report, ReportPair, Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import Unscored
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.testing._fakes import FakeExtractor

__all__ = ["SAMPLE_COSTS", "SAMPLE_PAIRS", "SAMPLE_READINGS", "SAMPLE_REPORTS", "SAMPLE_REQUESTS", "SAMPLE_TEXTS"]

_PLAIN: Final = "Small left pleural effusion. No pneumothorax. The heart is mildly enlarged."
_OTHER: Final = "Moderate right pleural effusion. Small apical pneumothorax. Heart size is normal."
_HEADED: Final = (
    "EXAMINATION: Chest radiograph\n\nFINDINGS:\n  Stable 8 mm nodule in the right upper lobe.\r\n"
    "  The endotracheal tube ends 4 cm above the carina.\n\nIMPRESSION:\n1. Unchanged nodule.\n2. No new consolidation."
)
_ODD: Final = "Überlagerung — no <b>effusion</b>; T°: 37,5 \u200b| 0/10 \U0001fac1 opacity"

SAMPLE_REPORTS: Final = tuple(map(Report, (_PLAIN, _OTHER, "", _HEADED, " \n\t", _ODD, "Effusion", f"{_OTHER} " * 20)))
"""Invented reports: plain, with headings, blank, with unusual characters, of one word, and long."""

SAMPLE_PAIRS: Final = tuple(
    ReportPair(id=f"sample-{index}", reference=reference, candidate=candidate)
    for index, (reference, candidate) in enumerate(
        [
            (_PLAIN, _PLAIN),
            (_PLAIN, _OTHER),
            (_OTHER, _PLAIN),
            (_PLAIN, ""),
            (" \n", _OTHER),
            ("", " "),
            (_HEADED, _PLAIN),
            (_ODD, _HEADED),
            (_PLAIN, f"{_OTHER} " * 20),
            (_PLAIN, _OTHER),
        ],
        start=1,
    )
)
"""Invented pairs: equal and different, blank on either side and on both, one twice."""


def _units(*texts: str) -> tuple[ClinicalUnit, ...]:
    extractions = FakeExtractor().extract([Report(text) for text in texts])
    return tuple(unit for units in extractions if not isinstance(units, Unscored) for unit in units)


_UNITS: Final = {1: _units("Effusion"), 3: _units(_PLAIN), 4: _units(_OTHER, "Effusion"), 7: _units(*[_OTHER] * 2, "a")}

SAMPLE_COSTS: Final = tuple(
    TableTwoCost().between(_UNITS[rows], _UNITS[columns])
    for rows, columns in [(3, 3), (3, 4), (1, 1), (4, 3), (1, 7), (7, 1), (7, 4), (3, 4)]
)
"""Costs between invented units: of one report with itself, square or not, down to a single unit."""

SAMPLE_TEXTS: Final = (
    "pleural effusion",
    "no pleural effusion",
    "fluid in the pleural space",
    "",
    "Heart",
    _ODD,
    "pleural effusion",
    f"{_OTHER} " * 5,
)
"""Invented names: short and long, blank, with unusual characters, one twice."""

SAMPLE_REQUESTS: Final = (
    Request((Message("system", "Answer in one word."), Message("user", f"Is this normal? {_PLAIN}"))),
    Request((Message("user", f"Is this normal? {_OTHER}"),), max_tokens=8),
    Request((Message("user", f"Repeat: {_ODD}"), Message("assistant", "No."), Message("user", "Then list it."))),
    Request((Message("user", f"As JSON: {_HEADED}"),), schema={"type": "object"}, max_tokens=64),
    Request((Message("user", f"Is this normal? {_OTHER}"),), max_tokens=8),
)
"""Invented requests: with and without a system turn, a conversation, one with a schema, one twice."""


def _reading(pair: ReportPair) -> FirstReading:
    texts = (pair.reference.text, pair.candidate.text)
    alone = [_alone(at, text) for at, text in enumerate(texts) if text.strip()]
    return FirstReading(*texts, ((), ()), alone, Lexicon({}, {}))


def _alone(report: int, text: str) -> Discrepancy:
    spans = (Span(0, text.find(".") + 1),)
    return Discrepancy(
        category=ErrorCategory.FALSE_FINDING if report else ErrorCategory.OMITTED_FINDING,
        aspect=ErrorAspect.DESCRIPTION,
        type=ErrorType.FABRICATION if report else ErrorType.OMISSION,
        severity=Severity.SIGNIFICANT,
        reason="actionable; only in one report",
        finding="pleural_effusion",
        importance=Importance.ACTIONABLE,
        extent=0.6,
        reference_spans=() if report else spans,
        candidate_spans=spans if report else (),
    )


SAMPLE_READINGS: Final = tuple(map(_reading, SAMPLE_PAIRS))
"""The invented pairs, with the first sentence of each report as one that the other may or may not hold."""
