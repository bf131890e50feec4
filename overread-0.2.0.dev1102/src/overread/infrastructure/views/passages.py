"""The words of both reports that a discrepancy is about: quoted, with their section and what denies or doubts them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from attrs import field, frozen

from overread.domain.findings.signs import Cue, CueKind, SignReader, Signs, no_signs
from overread.domain.findings.unit import Certainty, ClinicalUnit, Polarity
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import chosen_evidence

__all__ = ["Passage", "Passages", "Piece", "ReportReading", "unread_words"]

_DOUBTS: Final = frozenset({Certainty.POSSIBLE, Certainty.PROBABLE})


@frozen
class Piece:
    """Words of a passage; those of a cue have its kind."""

    text: str = field(repr=False)
    cue: CueKind | None = None


@frozen(kw_only=True)
class Passage:
    """One place that a discrepancy is about.

    Attributes:
        span: the place.
        section: where it stands, for example "impression"; "" where the report has no headings.
        said: what the report does with it, for example "denied"; "" where it asserts it, or nobody read it.
        pieces: its words in order, those of a cue that stands elsewhere in the sentence in front.
        cues: of the report that bear on it.
    """

    span: Span
    section: str
    said: str
    pieces: tuple[Piece, ...]
    cues: tuple[Cue, ...]

    @property
    def quote(self) -> str:
        """Its words in quotation marks."""
        return f"\u201c{''.join(piece.text for piece in self.pieces)}\u201d"

    @property
    def place(self) -> str:
        """Section, and what is said of it there: "findings, denied"."""
        return ", ".join(part for part in (self.section, self.said) if part)


@frozen(kw_only=True)
class ReportReading:
    """A report with its signs and, where a metric read it, its units."""

    text: str = field(repr=False)
    read_signs: SignReader = field(default=no_signs, repr=False)
    units: Sequence[ClinicalUnit] = ()

    @cached_property
    def signs(self) -> Signs:
        """Signs that stand beside the findings, read when something is first quoted."""
        return self.read_signs(self.text)

    def passages(self, spans: Iterable[Span], finding: str) -> tuple[Passage, ...]:
        """A passage for each span that holds words."""
        return tuple(self._passage(span, finding) for span in spans if span.of(self.text).strip())

    def _passage(self, span: Span, finding: str) -> Passage:
        unit = self._unit(span, finding)
        cues = self._cues(span, unit)
        section = (unit.section if unit else "") or self.signs.section_at(span.start)
        return Passage(
            span=span,
            section=wording.one_line(section.replace("_", " ")),
            said=_stance(unit),
            pieces=tuple(self._pieces(span, cues)),
            cues=cues,
        )

    def _unit(self, span: Span, finding: str) -> ClinicalUnit | None:
        """The unit that was read there, that of the discrepancy's finding before others."""
        over = [unit for unit in self.units if unit.start < span.end and unit.end > span.start]
        over.sort(key=lambda unit: (unit.canonical_finding != finding, unit.span != span))
        return over[0] if over else None

    def _cues(self, span: Span, unit: ClinicalUnit | None) -> tuple[Cue, ...]:
        """Cues that deny or doubt the words. For words that were not read, these are just the cues inside them."""
        if unit is None or unit.is_normal_statement or unit.is_unread:
            return self.signs.cues_within(span)
        wanted = []
        if unit.polarity is Polarity.ABSENT:
            wanted.append(CueKind.NEGATION)
        if unit.polarity is Polarity.UNCERTAIN or unit.certainty in _DOUBTS:
            wanted.append(CueKind.UNCERTAINTY)
        cues = (self.signs.cue_for(span, kind) for kind in wanted)
        return tuple(sorted((cue for cue in cues if cue is not None), key=lambda cue: cue.start))

    def _pieces(self, span: Span, cues: Sequence[Cue]) -> Iterable[Piece]:
        at, ends = span.start, span.end
        for cue in cues:
            if cue.end <= span.start:
                yield Piece(wording.one_line(self.text[cue.start : cue.end]), cue.kind)
                between = self.text[cue.end : span.start]
                yield Piece(" " if not between.strip() else " \u2026 ")
                continue
            if cue.start >= span.end:
                ends = max(ends, cue.start)
                yield from self._plain(at, span.end, first=at == span.start, last=True)
                yield Piece(" " if not self.text[span.end : cue.start].strip() else " \u2026 ")
                yield Piece(wording.one_line(self.text[cue.start : cue.end]), cue.kind)
                return
            yield from self._plain(at, cue.start, first=at == span.start)
            yield Piece(wording.make_printable(self.text[max(cue.start, at) : min(cue.end, span.end)]), cue.kind)
            at = min(cue.end, span.end)
        yield from self._plain(at, span.end, first=at == span.start, last=True)

    def _plain(self, start: int, end: int, *, first: bool = False, last: bool = False) -> Iterable[Piece]:
        """Words without a cue in one line, with the blanks that part them from a cue."""
        raw = self.text[start:end]
        words = wording.one_line(raw)
        if not words:
            if raw and not (first or last):
                yield Piece(" ")
            return
        lead = " " if raw[0].isspace() and not first else ""
        trail = " " if raw[-1].isspace() and not last else ""
        yield Piece(f"{lead}{words}{trail}")


def _stance(unit: ClinicalUnit | None) -> str:
    if unit is None or unit.is_unread or unit.administrative:
        return ""
    if unit.is_normal_statement:
        return "normal"
    if unit.polarity is Polarity.ABSENT:
        return "denied"
    return "uncertain" if unit.polarity is Polarity.UNCERTAIN or unit.certainty in _DOUBTS else ""


@frozen(kw_only=True)
class Passages:
    """Both reports of a pair, ready to be quoted."""

    pair: ReportPair
    reference: ReportReading
    candidate: ReportReading

    @classmethod
    def of(cls, pair: ReportPair, results: Mapping[str, EvaluationResult], signs: SignReader = no_signs) -> Passages:
        """The reports with the units of the transport evidence that is shown, if there is any."""
        chosen = chosen_evidence(results)
        evidence = chosen[1] if chosen else None
        return cls(
            pair=pair,
            reference=ReportReading(
                text=pair.reference.text,
                read_signs=signs,
                units=evidence.reference_units if evidence else (),
            ),
            candidate=ReportReading(
                text=pair.candidate.text,
                read_signs=signs,
                units=evidence.candidate_units if evidence else (),
            ),
        )

    def about(self, discrepancy: Discrepancy) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
        """Passages that a discrepancy is about in the reference, and in the candidate."""
        return (
            self.reference.passages(discrepancy.reference_spans, discrepancy.finding),
            self.candidate.passages(discrepancy.candidate_spans, discrepancy.finding),
        )


def unread_words(passages: Passages) -> str:
    """Words on how many statements were not read, "" where all were or it is unknown.

    A statement is unread where no rule of the reader covers it: nothing is known of what it says.
    """
    sides = (("reference", passages.reference), ("candidate", passages.candidate))
    counts = [(name, sum(unit.is_unread for unit in side.units)) for name, side in sides]
    unread = [(name, count) for name, count in counts if count]
    if not unread:
        return ""
    if len(unread) == 1:
        [(name, count)] = unread
        return f"{wording.format_count(count, 'statement')} of the {name} unread."
    parts = " and ".join(f"{count} of the {name}" for name, count in unread)
    total = sum(count for _, count in unread)
    return f"{wording.format_count(total, 'statement')} unread: {parts}."
