"""Signs in a report apart from its findings: headings, sentences, and the cues that deny or doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum

from attrs import frozen

from overread.domain.reports.report import Section, Span

__all__ = ["NO_SIGNS", "Cue", "CueKind", "SignReader", "Signs", "no_signs"]


class CueKind(StrEnum):
    """Effect of a cue on the finding that it bears on."""

    NEGATION = "negation"
    UNCERTAINTY = "uncertainty"


@frozen
class Cue:
    """Words of a report that deny or doubt a finding.

    Attributes:
        start, end: character offsets into the report as given.
        kind: whether they deny or doubt.
        forward: whether they bear on what follows.
        backward: whether they bear on what stands before.
    """

    start: int
    end: int
    kind: CueKind
    forward: bool = True
    backward: bool = True


@frozen(kw_only=True)
class Signs:
    """The signs of one report; all offsets point into it as given.

    Attributes:
        sections: titled parts, in order; none where nothing is known of them.
        sentences: of the sections that are compared, in order.
        cues: in order.
    """

    sections: tuple[Section, ...] = ()
    sentences: tuple[Span, ...] = ()
    cues: tuple[Cue, ...] = ()

    def section_at(self, offset: int) -> str:
        """Name of the section that an offset stands in, "" where there is none.

        >>> from overread.domain.reports.report import SectionRole
        >>> Signs(sections=(Section("impression", SectionRole.FINDINGS, 11, 40),)).section_at(12)
        'impression'
        """
        return next((part.name for part in self.sections if part.start <= offset < part.end), "")

    def cues_within(self, span: Span) -> tuple[Cue, ...]:
        """The cues of which a part lies in a span."""
        return tuple(cue for cue in self.cues if cue.start < span.end and cue.end > span.start)

    def cue_for(self, span: Span, kind: CueKind) -> Cue | None:
        """The cue of a kind that bears on words that are known to be denied or doubted.

        It lies in the words themselves, or else in their sentence: the nearest before them that looks forward, or else
        the nearest behind them that looks back.

        >>> text = "No effusion or edema."
        >>> signs = Signs(sentences=(Span(0, 21),), cues=(Cue(0, 2, CueKind.NEGATION),))
        >>> signs.cue_for(Span(15, 20), CueKind.NEGATION)
        Cue(start=0, end=2, kind=<CueKind.NEGATION: 'negation'>, forward=True, backward=True)
        """
        whole = next((s for s in self.sentences if s.start <= span.start < s.end), span)
        near = [cue for cue in self.cues_within(whole) if cue.kind is kind]
        inside = _first(cue for cue in near if cue.start < span.end and cue.end > span.start)
        before = _first(cue for cue in reversed(near) if cue.forward and cue.end <= span.start)
        behind = _first(cue for cue in near if cue.backward and cue.start >= span.end)
        return inside or before or behind


def _first(cues: Iterable[Cue]) -> Cue | None:
    return next(iter(cues), None)


SignReader = Callable[[str], Signs]
"""Finds the signs of a report's text."""

NO_SIGNS = Signs()


def no_signs(_text: str) -> Signs:
    """The reader where no lexicon is at hand: it finds none."""
    return NO_SIGNS
