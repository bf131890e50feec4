"""Words of the hospital's pages for its own records: versions, pairs, reviews and the scores of RADPEER.

Those for results are in `overread.infrastructure.views.wording`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from attrs import frozen

from overread.domain.differences.unread import MUCH_READ
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.learning import OwnRow
from overread.hospital.application.requests import Order, PairState, Withdrawn, WorklistRow
from overread.hospital.domain import audit_signal
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.learning import ActionKind, ActionState, LearningKind
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer, ReviewStage, ReviewState, VerdictKind
from overread.hospital.domain.version_pairs import DoubtReason, PairKind
from overread.infrastructure.views.wording import format_count, lower_first, one_line

__all__ = [
    "ACTIONS",
    "ACTION_STATES",
    "CATEGORIES",
    "DOUBTS",
    "IMPORTANCES",
    "KINDS",
    "LEARNING",
    "ORDERS",
    "RADPEER",
    "REVIEWS",
    "SEVERITIES",
    "SIGNAL",
    "SIGNIFICANCES",
    "STAGES",
    "STATES",
    "STATUSES",
    "VERDICTS",
    "WITHDRAWN",
    "Badge",
    "badge_of",
    "differs",
    "examination_words",
    "first_of",
    "moment",
    "pairs_words",
    "radpeer_words",
    "source_words",
    "who",
    "within",
]

SIGNAL: Final = f"A score is a {audit_signal.SIGNAL}."

KINDS: Final = {
    PairKind.PRELIMINARY_FINAL: "preliminary \u2192 final",
    PairKind.DRAFT_FINAL: "AI draft \u2192 final",
    PairKind.FINAL_CORRECTED: "final \u2192 corrected",
    PairKind.GIVEN: "given as a pair",
}
STATUSES: Final = {
    ReportStatus.DRAFT: "AI draft",
    ReportStatus.PRELIMINARY: "Preliminary report",
    ReportStatus.PARTIAL: "Partial report",
    ReportStatus.FINAL: "Final report",
    ReportStatus.CORRECTED: "Corrected report",
    ReportStatus.ADDENDUM: "Addendum",
    ReportStatus.CANCELLED: "Withdrawn report",
}
DOUBTS: Final = {
    DoubtReason.OPENS_AS_ADDENDUM: "It begins as an addendum before any final report: it is not compared.",
    DoubtReason.NUMBER_USED_AGAIN: (
        "It came half a year after the others and does not say when the examination was performed: the "
        "accession number may have been reused, so it is not compared with them."
    ),
    DoubtReason.HOLDS_ADDITION_ALONE: (
        "It repeats hardly anything of the report before it: it is taken as an addition to it, and it is not compared."
    ),
    DoubtReason.WITHDRAWS_TOO_EARLY: (
        "It withdraws a report, but its time is before that of a version already stored: that version remains."
    ),
    DoubtReason.PATIENTS_DIFFER: (
        "Reports with this accession number name several patients: it is compared only with those that name "
        "the same patient."
    ),
    DoubtReason.TIMES_CONTRADICT: (
        "It arrived before the final report but has a later time: which was first is not known, so it is not compared."
    ),
    DoubtReason.HOLDS_ESCAPES: (
        "Its text has a backslash, which may be left of an unknown HL7 escape sequence: a sign may be missing."
    ),
}
IMPORTANCES: Final = {
    Importance.URGENT: "action at once",
    Importance.ACTIONABLE: "can change care now",
    Importance.FOLLOW_UP: "to be looked at again",
    Importance.INCIDENTAL: "of no consequence",
    Importance.EXPECTED: "expected in such a patient",
}
STATES: Final = {
    PairState.SCORED: "scored",
    PairState.WAITING: "waiting to be scored",
    PairState.UNSCORED: "could not be scored",
}
WITHDRAWN: Final = {Withdrawn.ALSO: "shown too", Withdrawn.ONLY: "shown alone"}
REVIEWS: Final = {ReviewState.OPEN: "not reviewed", ReviewState.REVIEWED: "reviewed"}
STAGES: Final = {
    ReviewStage.OPEN: "",
    ReviewStage.BLINDED: "read blinded",
    ReviewStage.UNBLINDED: "after a blinded reading",
    ReviewStage.ADJUDICATED: "adjudicated",
}
ORDERS: Final = {
    Order.IMPORTANCE: "importance",
    Order.RISK: "highest risk",
    Order.NEWEST: "newest",
}
RADPEER: Final = {
    Radpeer.CONCUR: "concur",
    Radpeer.UNDERSTANDABLE_INSIGNIFICANT: "understandable miss, unlikely to be clinically significant",
    Radpeer.UNDERSTANDABLE_SIGNIFICANT: "understandable miss, likely to be clinically significant",
    Radpeer.EXPECTED_INSIGNIFICANT: "should be made most of the time, unlikely to be clinically significant",
    Radpeer.EXPECTED_SIGNIFICANT: "should be made most of the time, likely to be clinically significant",
}
CATEGORIES: Final = {category: f"{category.value}: {category.label}" for category in ErrorCategory}
SEVERITIES: Final = {severity: severity.value for severity in Severity}
SIGNIFICANCES: Final = {
    Severity.CRITICAL: "the report contradicts itself; counted among the significant ones",
    Severity.SIGNIFICANT: "it could change what is done for the patient",
    Severity.INSIGNIFICANT: "unlikely to change what is done",
}
LEARNING: Final = {LearningKind.LEARNING_POINT: "Learning point", LearningKind.GOOD_CALL: "Good call"}
ACTIONS: Final = {
    ActionKind.CLINICIAN_TOLD: "Clinician told",
    ActionKind.ADDENDUM_MADE: "Addendum made",
    ActionKind.FOLLOW_UP_BOOKED: "Follow-up booked",
    ActionKind.NO_ACTION_NEEDED: "No action needed",
}
ACTION_STATES: Final = {ActionState.PROPOSED: "proposed", ActionState.OPEN: "open", ActionState.DONE: "done"}
VERDICTS: Final = {VerdictKind.AGREE: "Agree", VerdictKind.DISAGREE: "Disagree", VerdictKind.AMEND: "Amend"}

_LETTERS: Final = frozenset({"fhir", "hl7", "http"})
_TONES: Final = {Importance.URGENT: "critical", Importance.ACTIONABLE: "significant"}
_SHOWN: Final = 3
_ABBREVIATIONS: Final = frozenset(
    {"AP", "CT", "CTA", "GI", "IV", "KUB", "MR", "MRA", "MRI", "PA", "PE", "PET", "TMJ", "US", "XR"}
)
_CODE: Final = 2
"""Letters of a modality, as DICOM and names of procedures write it."""


@frozen
class Badge:
    """A word in a frame; ``tone`` is how it looks, which no reader needs."""

    words: str
    tone: str


def badge_of(row: WorklistRow | OwnRow) -> Badge:
    """Badge of a pair: what its gravest discrepancy asks for, why nothing is known, or that it is withdrawn."""
    if isinstance(row, WorklistRow) and row.withdrawn:
        return Badge("withdrawn", "none")
    if row.state is not PairState.SCORED:
        return Badge("waiting" if row.state is PairState.WAITING else "not scored", "none")
    if row.importance is None:
        return Badge("none significant", "none")
    return Badge(row.importance.words, _TONES.get(row.importance, "insignificant"))


def differs(row: WorklistRow | OwnRow) -> str:
    """Numbers of discrepancies by weight, with the share read where that is little, or why there is no score."""
    if row.state is PairState.UNSCORED:
        return one_line(row.reason.replace("_", " ")) or "no reason given"
    if row.state is PairState.WAITING:
        return "to be scored"
    parts = [f"{row.significant} significant"] * (row.significant > 0)
    parts += [f"{row.insignificant} insignificant"] * (row.insignificant > 0)
    counts = ", ".join(parts) or "no discrepancy found"
    is_little = row.read is not None and row.read < MUCH_READ
    return f"{counts} in what was read ({row.read:.0%} of a report)" if is_little else counts


def first_of(names: list[str], shown: int = _SHOWN) -> str:
    """The first names, and how many more there are.

    >>> first_of(["effusion", "nodule", "fracture", "catheter", "mass"])
    'effusion, nodule, fracture and 2 more'
    """
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")


def examination_words(examination: Examination) -> str:
    """Modality and procedure, or body part; a procedure that begins with a modality of its own stands alone.

    >>> examination_words(Examination(site="a", accession="1", modality="CT", body_part="CHEST"))
    'CT chest'
    >>> examination_words(Examination(site="a", accession="1", modality="DX", procedure="XR CHEST PA AND LATERAL"))
    'XR chest PA and lateral'
    """
    part = one_line(examination.procedure or examination.body_part)
    first, _, rest = part.partition(" ")
    if len(first) == _CODE and first.isupper() and rest:
        return f"{first} {_calm(rest)}"
    return f"{one_line(examination.modality)} {_calm(part)}".strip() or "examination not described"


def radpeer_words(score: Radpeer | None) -> str:
    """A RADPEER score with its meaning, "" for none.

    >>> radpeer_words(Radpeer.CONCUR)
    '1: concur'
    """
    return "" if score is None else f"{score.value}: {RADPEER[score]}"


def source_words(source: str) -> str:
    """Name of the way by which something came.

    >>> source_words("hl7"), source_words("folder")
    ('HL7', 'folder')
    """
    return source.upper() if source in _LETTERS else one_line(source)


def who(reader: str, model: str) -> str:
    """Author of a version."""
    return one_line(", ".join(part for part in (model, reader) if part)) or "not given"


def within(name: str) -> str:
    """A name within a sentence.

    >>> within("Final report"), within("AI draft")
    ('final report', 'AI draft')
    """
    return lower_first(name)


def moment(at: datetime | None) -> str:
    """A moment for people, in UTC.

    >>> moment(datetime(2026, 11, 3, 8, 5, tzinfo=UTC))
    '3 Nov 2026, 08:05'
    """
    if at is None:
        return "not given"
    at = at.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M}"


def pairs_words(total: int, bound: int = 10_000) -> str:
    """A number of pairs that were counted up to a bound."""
    return format_count(total, "pair") if total < bound else f"{bound:,} pairs or more"


def _calm(text: str) -> str:
    """Words in capitals in lower case, except abbreviations."""
    if not text.isupper():
        return text
    return " ".join(word if word in _ABBREVIATIONS else word.lower() for word in text.split(" "))
