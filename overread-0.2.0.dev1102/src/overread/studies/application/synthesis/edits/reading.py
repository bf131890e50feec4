"""A reference as the rules see it: its text, its units, its sentences, and what they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from attrs import field, frozen

from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import denies, kinship
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Span
from overread.domain.vocabulary.severity import Importance
from overread.studies.application.synthesis.edits.word_exchange import load_wording

__all__ = ["Reading", "sentence_spans"]

_GENERAL: Final = "general"
_DENIAL: Final = re.compile(r"\b(?:no|not|nor|without|w/o|absent|negative|excluded|neither)\b", re.IGNORECASE)
_BREAK: Final = re.compile(
    r"(?<=[a-zA-Z\d)\]][.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)\s+(?=[A-Z_\[\d])"
    r"|\s*\n+\s*|(?<=\D)(?=\s\d\.\s[A-Z])"
)
_ASIDE: Final = re.compile(
    r"\b(?:dictated|transcribed|transcription|electronically|signed|verified|attending|resident|voice recognition"
    r"|typographical|paged|notified|informed|communicated|telephoned?|discussed with|read back|preliminary"
    r"|this (?:report|study|examination|exam)|disclaimer|clinical correlation|correlate clinically|suboptimal"
    r"|diagnostic quality|rotated|limited by|technically|thank you)\b",
    re.IGNORECASE,
)
"""Of sentences about the report or the examination, whatever else the reader finds in them."""

_BEFORE_THE_FINDINGS: Final = frozenset(
    {"indication", "history", "technique", "comparison", "exam", "examination", "clinical information", "procedure"}
)
_ADVICE: Final = "recommendation"
_SLIGHT: Final = frozenset({Importance.INCIDENTAL, Importance.EXPECTED})
_ALL_IS_WELL: Final = re.compile(
    r"\bno (?:new|acute) (?:change|abnormality|disease|process|finding|cardiopulmonary|intracranial|intrathoracic"
    r"|abdominal|osseous|fracture)|\bnormal (?:chest|examination|study)\b",
    re.IGNORECASE,
)
_NO_PRIOR: Final = re.compile(
    r"comparison\w*\s*:?\s*(?:none|no\b)|\bno (?:prior|previous|earlier|comparison|relevant prior)", re.IGNORECASE
)
_LEAD: Final = re.compile(r"\s*(?:[-*•]\s+|\d{1,2}[.)]\s+|[A-Z][A-Za-z /]{2,40}:\s+|[a-z]{4,12}:\s+)*")


def sentence_spans(text: str) -> tuple[Span, ...]:
    """The sentences of a report without headings, bullets and numbers before them.

    >>> text = "FINDINGS: Clear lungs. No effusion."
    >>> [span.of(text) for span in sentence_spans(text)]
    ['Clear lungs.', 'No effusion.']
    """
    ends = [(match.start(), match.end()) for match in _BREAK.finditer(text)]
    starts = [0, *(after for _, after in ends)]
    stops = [*(before for before, _ in ends), len(text)]
    spans = []
    for start, stop in zip(starts, stops, strict=True):
        lead = _LEAD.match(text, start, stop)
        begin = lead.end() if lead else start
        if any(c.isalpha() for c in text[begin:stop]) and not text[:stop].endswith(":"):
            spans.append(Span(begin, stop))
    return tuple(spans)


@frozen(eq=False, slots=False)
class Reading:
    """A report, what it says, and what that asks for.

    Attributes:
        units: in reading order, administrative ones included.
        sentences: their spans.
    """

    text: str = field(repr=False)
    units: Sequence[ClinicalUnit] = field(repr=False)
    lexicon: Lexicon = field(repr=False)
    sentences: tuple[Span, ...]

    @classmethod
    def of(cls, text: str, units: Sequence[ClinicalUnit], lexicon: Lexicon) -> Reading:
        """The reading of a report."""
        return cls(text, units, lexicon, sentence_spans(text))

    @property
    def asserted(self) -> list[ClinicalUnit]:
        """Findings of the lexicon that the report asserts."""
        return [unit for unit in self.units if unit.asserts_finding and unit.canonical_finding in self.lexicon.findings]

    @property
    def denied(self) -> list[ClinicalUnit]:
        """Single findings that the report denies."""
        return [unit for unit in self.units if unit.denies_finding and not unit.denies]

    def single(self) -> Iterator[ClinicalUnit]:
        """Asserted findings of which the report speaks once: one edit makes one difference.

        Remarks on the examination are left out, and findings beside a word of denial, which may be theirs after all.
        """
        return iter(self._single)

    @cached_property
    def _single(self) -> tuple[ClinicalUnit, ...]:
        return tuple(
            unit
            for unit in self.asserted
            if self.lexicon.findings[unit.canonical_finding].category != _GENERAL
            and self.is_clinical(self.sentence(unit))
            and not self.is_beside_denial(unit)
            and self.is_single(unit)
        )

    @cached_property
    def clinical(self) -> tuple[Span, ...]:
        """The sentences that say what is seen, and nothing of the report or of how it came about."""
        return tuple(span for span in self.sentences if self._says_what_is_seen(span))

    @cached_property
    def advice(self) -> tuple[Span, ...]:
        """The sentences that recommend something, and are no more than that."""
        return tuple(
            span
            for span in self.sentences
            if any(unit.administrative == _ADVICE for unit in self._meeting(span))
            and not _ASIDE.search(span.of(self.text))
        )

    @cached_property
    def has_prior(self) -> bool:
        """False if the report says that there is nothing to compare with."""
        return not _NO_PRIOR.search(self.text)

    @cached_property
    def says_all_is_well(self) -> bool:
        """True if the report sums up that there is nothing, which any finding would contradict."""
        return bool(_ALL_IS_WELL.search(self.text))

    def is_covered(self, unit: ClinicalUnit) -> bool:
        """Returns whether another normal statement covers the same part of the body, and denies the finding too."""
        parts = unit.anatomy - {"left", "right"}
        return any(other is not unit and other.denies and parts & other.anatomy for other in self.units)

    def is_clinical(self, sentence: Span | None) -> bool:
        """Returns whether a sentence is one of the `clinical` ones."""
        return sentence in self.clinical

    def is_slight(self, unit: ClinicalUnit) -> bool:
        """Returns whether nothing depends on the finding, now or later."""
        return self.lexicon.importance(unit.canonical_finding) in _SLIGHT

    def is_arguable(self, unit: ClinicalUnit) -> bool:
        """Returns whether readers differ about the finding without acting differently, as it is slight or vague."""
        if self.lexicon.importance(unit.canonical_finding) is Importance.URGENT:
            return False
        return unit.severity == "mild" or unit.canonical_finding in load_wording().idle["arguable"]

    def may_change(self, start: int, end: int, *, advice: bool = False) -> bool:
        """Returns whether a stretch lies in sentences that may be edited, or between two of them.

        Args:
            start: of the stretch.
            end: of the stretch; equal to ``start`` for an insertion.
            advice: whether sentences that recommend something may be edited too.
        """
        allowed = {*self.clinical, *(self.advice if advice else ())}
        met = [s for s in self.sentences if s.start < end and start < s.end] or [
            s for s in self.sentences if s.start <= start <= s.end
        ]
        return bool(met) and allowed.issuperset(met)

    def _meeting(self, span: Span) -> Iterator[ClinicalUnit]:
        return (unit for unit in self.units if unit.start < span.end and span.start < unit.end)

    def _says_what_is_seen(self, span: Span) -> bool:
        units = list(self._meeting(span))
        return (
            any(unit.canonical_finding for unit in units)
            and not any(unit.administrative or unit.section in _BEFORE_THE_FINDINGS for unit in units)
            and not _ASIDE.search(span.of(self.text))
        )

    def is_beside_denial(self, unit: ClinicalUnit) -> bool:
        """Returns whether the unit's sentence contains a word of denial."""
        sentence = self.sentence(unit) or unit.span
        return bool(_DENIAL.search(self.text, sentence.start, sentence.end))

    def is_single(self, unit: ClinicalUnit) -> bool:
        """Returns whether nothing else in the report names the finding, a kind of it or a broader one."""
        return not self._is_repeated(unit) and not any(
            other is not unit
            and (
                kinship(unit, other, self.lexicon).is_kin
                or denies(other, unit, self.lexicon)
                or self.lexicon.denies(other.denies, unit.canonical_finding)
            )
            for other in self.units
        )

    def _is_repeated(self, unit: ClinicalUnit) -> bool:
        """Returns whether the finding's words occur elsewhere too, even in sections that the reader skips."""
        words = " ".join(unit.surface_finding.lower().split())
        return bool(words) and " ".join(self.text.lower().split()).count(words) > 1

    def is_actionable(self, unit: ClinicalUnit) -> bool:
        """Returns whether the finding calls for any action."""
        return self.lexicon.importance(unit.canonical_finding).is_actionable

    def sentence(self, unit: ClinicalUnit) -> Span | None:
        """The sentence that holds the whole unit; None where none does."""
        return next((s for s in self.sentences if s.start <= unit.start and unit.end <= s.end), None)

    def sentence_number(self, at: int) -> int:
        """Number of the sentence that a place is in or stands behind; 0 before the first."""
        return sum(sentence.start <= at for sentence in self.sentences)

    def within(self, span: Span) -> list[ClinicalUnit]:
        """The units that stand in a stretch of the text."""
        return [unit for unit in self.units if span.start <= unit.start and unit.end <= span.end]

    def scope(self, unit: ClinicalUnit) -> Span:
        """Span for words about the unit: its sentence if no other unit shares that, else the unit's own span."""
        sentence = self.sentence(unit)
        return sentence if sentence is not None and len(self.within(sentence)) == 1 else unit.span

    def surface(self, unit: ClinicalUnit) -> Span | None:
        """Span of the finding's own words; None if they are not found verbatim."""
        at = self.text.find(unit.surface_finding, unit.start, unit.end) if unit.surface_finding else -1
        return None if at < 0 else Span(at, at + len(unit.surface_finding))
