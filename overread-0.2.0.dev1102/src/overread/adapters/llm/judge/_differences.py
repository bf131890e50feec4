"""Differences as a judge names them, located in the reports and turned into discrepancies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from attrs import field, frozen

from overread.adapters.llm.judge._direction import direction
from overread.adapters.llm.judge.labels import Label
from overread.application.asking.answers.spans import find_quote, locate, normalise_quote
from overread.application.asking.inquiry import UnreadableAnswerError
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorTaxonomy, ErrorType

__all__ = ["Difference", "distinct", "locate_difference"]

_TAXONOMY: Final = ErrorTaxonomy()
_REMEDY: Final = (
    "At least one span stands in neither report. Answer again, and quote every span exactly, word for word, from one "
    "of the two reports."
)


@frozen(kw_only=True)
class Difference:
    """A passage that a judge points out, and what it calls it.

    Attributes:
        quote: the passage in the judge's spelling.
        reference_spans, candidate_spans: where it stands, in at least one of the reports.
    """

    quote: str = field(repr=False)
    label: Label
    reference_spans: tuple[Span, ...] = ()
    candidate_spans: tuple[Span, ...] = ()

    @property
    def marks(self) -> frozenset[object]:
        """Marks that identify the passage: its words and its places, in each report that contains it.

        Two that share a mark are the same passage. An omission and a fabrication in the same words stand in different
        reports.
        """
        words = normalise_quote(self.quote)
        sides = (("reference", self.reference_spans), ("candidate", self.candidate_spans))
        return frozenset((side, mark) for side, spans in sides if spans for mark in (words, *spans))

    def judged(self, severity: Severity, pair: ReportPair, explanation: str = "") -> Discrepancy:
        """The difference as a discrepancy of a severity.

        The category is that of aspect and type; a flipped negation and a changed certainty, which are printed without
        a type, take it from what the reports say where the passage stands.
        """
        aspect, kind = self.label.aspect, self.label.type
        turned = kind or direction(aspect, pair, self.reference_spans, self.candidate_spans)
        return Discrepancy(
            category=_TAXONOMY.category(aspect, turned),
            aspect=aspect,
            type=kind,
            severity=severity,
            reason=f"judged {severity.value}",
            finding="",
            reference_spans=self.reference_spans,
            candidate_spans=self.candidate_spans,
            explanation=explanation,
        )


def locate_difference(quote: str, label: Label, pair: ReportPair, threshold: float) -> Difference:
    """The difference with its places in the reports.

    An omission stands in the reference and a fabrication in the candidate, in the other report only if not there. Any
    other stands wherever its words do. Where they stand nowhere word for word, the nearest passage is taken, in the
    candidate before the reference, for an omission the other way round.

    Args:
        quote: as the judge wrote it.
        label: what the judge calls it.
        pair: the reports.
        threshold: as of `locate`.

    Raises:
        UnreadableAnswerError: "span not found" if it stands in neither report.
    """
    reference, candidate = pair.reference.text, pair.candidate.text
    here, there = find_quote(quote, reference), find_quote(quote, candidate)
    if here and there:
        here = None if label.type is ErrorType.FABRICATION else here
        there = None if label.type is ErrorType.OMISSION else there
    elif not here and not there:
        if label.type is ErrorType.OMISSION:
            here = locate(quote, reference, threshold)
            there = None if here else locate(quote, candidate, threshold)
        else:
            there = locate(quote, candidate, threshold)
            here = None if there else locate(quote, reference, threshold)
    if not here and not there:
        raise UnreadableAnswerError("span not found", "the answer quotes words that are in neither report", _REMEDY)
    return Difference(
        quote=quote,
        label=label,
        reference_spans=(here,) if here else (),
        candidate_spans=(there,) if there else (),
    )


def distinct(differences: Iterable[Difference]) -> tuple[Difference, ...]:
    """The first of those that have the same label and the same words, or the same label and the same place."""
    unique: list[Difference] = []
    taken: set[object] = set()
    for difference in differences:
        same = {
            (difference.label, normalise_quote(difference.quote)),
            (difference.label, difference.reference_spans, difference.candidate_spans),
        }
        if not same & taken:
            unique.append(difference)
        taken |= same
    return tuple(unique)
