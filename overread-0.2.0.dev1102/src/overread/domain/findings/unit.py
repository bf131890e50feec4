"""Clinical units: the attribute-structured statements a report is made of (RadOT-Eval Table IX)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from attrs import field, fields, frozen

from overread.domain.reports.report import Span, are_apart
from overread.domain.vocabulary.anatomy import Place

__all__ = [
    "FALLBACK_CONFIDENCE",
    "NULL_UNIT",
    "SEVERITY_ORDINAL",
    "UNCHANGED",
    "Certainty",
    "Change",
    "ClinicalUnit",
    "Experiencer",
    "Measurement",
    "Polarity",
    "Temporality",
    "largest",
    "severity_ordinal",
]

FALLBACK_CONFIDENCE = 0.50
"""Confidence of a unit that is a whole sentence no rule covers (RadOT-Eval Table IX)."""

UNCHANGED: Final = "appearance_unchanged"
"""Finding of a statement that the examination as a whole is as the one before, as in "No interval change."

It names nothing that is there and denies nothing."""

SEVERITY_ORDINAL = {"none": 0.0, "normal": 0.0, "mild": 0.33, "moderate": 0.66, "severe": 1.0, "marked": 1.0}
"""Severity words on the ordinal scale of RadOT-Eval section V-A."""


class Polarity(StrEnum):
    """Polarity of a unit's finding: asserted, denied, or left open."""

    PRESENT = "present"
    ABSENT = "absent"
    UNCERTAIN = "uncertain"


class Certainty(StrEnum):
    """Certainty of the report about what it asserts."""

    DEFINITE = "definite"
    PROBABLE = "probable"
    POSSIBLE = "possible"


class Change(StrEnum):
    """Comparison with a previous examination."""

    NEW = "new"
    STABLE = "stable"
    IMPROVED = "improved"
    WORSENED = "worsened"
    RESOLVED = "resolved"


class Temporality(StrEnum):
    """Time that the statement is about: this examination or the past."""

    CURRENT = "current"
    HISTORICAL = "historical"
    HYPOTHETICAL = "hypothetical"


class Experiencer(StrEnum):
    """Person that the statement is about."""

    PATIENT = "patient"
    FAMILY = "family"


@frozen
class Measurement:
    """A size or distance as written and in millimetres; an angle ("degree") or attenuation ("hu") has 0 of them."""

    value: float
    unit: str
    millimetres: float

    @property
    def is_length(self) -> bool:
        """True if it is a size or distance."""
        return self.unit not in _NO_LENGTHS


_NO_LENGTHS: Final = frozenset({"hu", "degree"})


def largest(sizes: Iterable[Measurement]) -> Measurement | None:
    """The largest of some sizes, by which findings are compared; None for none. Angles and the like are no sizes."""
    return max((size for size in sizes if size.is_length), key=lambda size: size.millimetres, default=None)


def severity_ordinal(word: str | None) -> float:
    """Severity on [0, 1] (RadOT-Eval section V-A): missing is 0, a word outside the scale 0.5.

    >>> severity_ordinal("moderate"), severity_ordinal(None), severity_ordinal("extensive")
    (0.66, 0.0, 0.5)
    """
    if word is None or not word.strip():
        return 0.0
    return SEVERITY_ORDINAL.get(word.strip().lower(), 0.5)


@frozen(kw_only=True)
class ClinicalUnit:
    """One clinical statement of a report. An unstated attribute is missing, never a category "none".

    Attributes:
        span_text: the report's own words, ``text[start:end]``.
        start, end: character offsets into the report as given.
        section: name of the section it stands in, "" where the report has no headings.
        sentence_index: 0-based sentence of the report.
        canonical_finding: lexicon id; "" for a sentence no rule covers.
        surface_finding: the finding as worded; of a sentence without one the sentence, where it was laid out otherwise.
        device: canonical device, if the unit is about one; ``device_status`` its state (for example "malpositioned").
        severity: word on or off the ordinal scale of `severity_ordinal`.
        anatomy: labels with laterality and zone, for example {"left", "lower_lobe"}.
        denies: findings that a normal statement asserts to be absent; empty for any other unit.
        administrative: kind of a sentence that says nothing of the patient's state ("recommendation",
            "communication", "technique", "comparison", "limitation", "signature"); "" for any other unit.
        modalities: imaging modalities the unit names, for example {"ct"}.
        actions: what a recommendation asks for, for example {"biopsy"}; labels of
            `overread.domain.findings.advice.Action`.
        interval_days: when a recommendation wants it done, as the earliest and the latest day from now.
        about: canonical findings of the sentence that a recommendation is about.
        confidence: of the reading, on [0, 1]; 0.50 for a sentence no rule covers.
        examinations: those that it is about, by number, in a part of a joined report; else empty.
        asserts_finding: whether the unit says that something is, or may be, there in this patient now. Follows from
            the others, as do the next two.
        denies_finding: whether the unit says that something is not there in this patient now.
        place: what its anatomy says of the place.
    """

    span_text: str = field(repr=False)
    start: int
    end: int
    section: str = ""
    sentence_index: int = 0
    canonical_finding: str = ""
    surface_finding: str = field(default="", repr=False)
    polarity: Polarity = Polarity.PRESENT
    certainty: Certainty | None = None
    change: Change | None = None
    device: str | None = None
    device_status: str | None = None
    severity: str | None = None
    anatomy: frozenset[str] = frozenset()
    modifiers: frozenset[str] = frozenset()
    measurements: tuple[Measurement, ...] = ()
    denies: frozenset[str] = frozenset()
    administrative: str = ""
    modalities: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    interval_days: tuple[float, float] | None = None
    about: frozenset[str] = frozenset()
    temporality: Temporality = Temporality.CURRENT
    experiencer: Experiencer = Experiencer.PATIENT
    confidence: float = 1.0
    examinations: frozenset[int] = frozenset()
    asserts_finding: bool = field(init=False, eq=False, repr=False)
    denies_finding: bool = field(init=False, eq=False, repr=False)
    place: Place = field(init=False, eq=False, repr=False)

    @asserts_finding.default
    def _asserts(self) -> bool:
        present = bool(self.canonical_finding) and not self.denies and self.polarity is not Polarity.ABSENT
        return present and self._is_about_patient_now

    @denies_finding.default
    def _denies(self) -> bool:
        denial = bool(self.denies) or (bool(self.canonical_finding) and self.polarity is Polarity.ABSENT)
        return denial and self._is_about_patient_now

    @place.default
    def _default_place(self) -> Place:
        return Place.of(self.anatomy)

    @property
    def span(self) -> Span:
        """Place of the unit in its report."""
        return Span(self.start, self.end)

    @property
    def words(self) -> str:
        """The statement as it was read: without the line and page breaks that stand in its `span_text`."""
        return self.span_text if self.canonical_finding else self.surface_finding or self.span_text

    @property
    def is_normal_statement(self) -> bool:
        """True if the unit asserts the absence of a group of findings."""
        return bool(self.denies)

    @property
    def is_unread(self) -> bool:
        """True if the unit is a whole sentence that no rule covers."""
        return not self.canonical_finding and not self.administrative

    @property
    def _is_about_patient_now(self) -> bool:
        return self.temporality is Temporality.CURRENT and self.experiencer is Experiencer.PATIENT

    def is_apart_from(self, other: ClinicalUnit) -> bool:
        """Return whether both are about different examinations in joined reports: neither bears on the other."""
        return are_apart(self.examinations, other.examinations)

    def moved(self, offset: int, *, section: str, sentence_index: int) -> ClinicalUnit:
        """The same unit placed ``offset`` characters later in its report."""
        # What follows from the other fields follows from none of these; evolve would work it out anew.
        twin = object.__new__(ClinicalUnit)
        placed = self.start + offset, self.end + offset, section, sentence_index
        for write, value in zip(_PLACING, placed, strict=True):
            write(twin, value)
        for read, write in _STAYING:
            write(twin, read(self))
        return twin


_PLACE: Final = ("start", "end", "section", "sentence_index")
_SLOTS: Final = {each.name: getattr(ClinicalUnit, each.name) for each in fields(ClinicalUnit)}
_PLACING: Final = tuple(_SLOTS[name].__set__ for name in _PLACE)
_STAYING: Final = tuple((slot.__get__, slot.__set__) for name, slot in _SLOTS.items() if name not in _PLACE)


NULL_UNIT: Final = ClinicalUnit(span_text="", start=0, end=0, confidence=0.0)
"""Stands for a report without a unit: a plan needs one to carry the mass of the other report's."""
