"""Verdicts that stand as the labels that trainings take: numbers of errors, and errors at their places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from attrs import evolve, field, frozen

from overread.application.metrics.pair_reader import PairReader
from overread.application.training.marked_readings import MarkedReading, first_readings, mark_reading
from overread.domain.differences.second_reading import FirstReading
from overread.domain.differences.word_alignment import AlignedSentence, Fate, aligned_words
from overread.domain.reports.report import Placed, Span, share_a_place
from overread.domain.results.annotation import AnnotatedPair, MarkedError
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import SIGNIFICANT_FROM, Importance, Severity
from overread.exceptions import ConfigurationError
from overread.hospital.application.standing_pairs import Least, StandingPair
from overread.hospital.domain.judgement import NamedDiscrepancy

__all__ = ["MarkedPairs", "Unmarked", "check_claims", "count_pairs", "mark_pairs", "place_errors"]

_SOURCE: Final = "reviews"
_OTHER: Final = "O"

_WEIGHTS: Final[Mapping[Severity, float]] = {
    Severity.CRITICAL: Importance.ACTIONABLE.weight,
    Severity.SIGNIFICANT: Importance.ACTIONABLE.weight,
    Severity.INSIGNIFICANT: Importance.INCIDENTAL.weight,
}
"""Weight of an error where the program does not weigh it, or by another severity than the reviewer's; ours."""


class Unmarked(StrEnum):
    """Reasons why the errors of a pair cannot be marked."""

    UNREAD = "cannot be read"
    UNJUDGED = "a discrepancy of the program was not judged"
    UNPLACED = "a named discrepancy has no place in the texts"


@frozen(kw_only=True)
class MarkedPairs:
    """Pairs with their errors marked, each beside the pair that it was made of.

    Attributes:
        pairs: that could be marked.
        readings: of these, in the same order.
        left_out: numbers of the others, by reason.
    """

    pairs: tuple[StandingPair, ...] = field(converter=in_tuple, repr=False)
    readings: tuple[MarkedReading, ...] = field(converter=in_tuple, repr=False)
    left_out: Mapping[Unmarked, int] = field(factory=dict)

    @property
    def holds(self) -> tuple[bool, ...]:
        """True for each discrepancy of the first readings that holds."""
        return tuple(held for reading in self.readings for held in reading.holds)

    @property
    def missed(self) -> int:
        """Number of errors at which the first readings find nothing."""
        return sum(
            not any(share_a_place(error, each) for each in reading.first.discrepancies)
            for reading in self.readings
            for error in reading.errors
        )


def check_claims(earlier: MarkedPairs, later: MarkedPairs, least: Least) -> None:
    """Checks that reviewers confirmed, and refuted, enough of what the first readings find.

    A second reader that has seen only what holds learns to doubt nothing, and one that is judged by nothing else seems
    the better for it.

    Raises:
        ConfigurationError: naming each number that is too low, with what is needed.
    """
    problems = [
        f"discrepancies that reviewers {what} {words}: {count}; at least {least.of_a_kind} are needed"
        for words, marked in (("before that day", earlier), ("from that day on", later))
        for what, count in (("confirm", sum(marked.holds)), ("refute", len(marked.holds) - sum(marked.holds)))
        if count < least.of_a_kind
    ]
    if problems:
        raise ConfigurationError(["too few discrepancies of the program that reviewers judged", *problems])


def count_pairs(pairs: Sequence[StandingPair]) -> list[AnnotatedPair]:
    """Pairs with the numbers of discrepancies that their verdicts name: total, significant and insignificant."""
    return [
        AnnotatedPair(
            pair=evolve(pair.report_pair, id=f"pair:{pair.number}"),
            study=pair.patient,
            ratings={
                "total": (float(len(pair.named)),),
                "significant": (float(pair.significant),),
                "insignificant": (float(len(pair.named) - pair.significant),),
            },
        )
        for pair in pairs
    ]


def mark_pairs(reader: PairReader, pairs: Sequence[StandingPair]) -> MarkedPairs:
    """Pairs as they are read first, with the errors that their verdicts name at their places.

    Args:
        reader: reads and weighs pairs; its second reader is not asked.
        pairs: with their verdicts.
    """
    marked: list[tuple[StandingPair, MarkedReading]] = []
    left_out: Counter[Unmarked] = Counter()
    firsts = first_readings(reader, [pair.report_pair for pair in pairs])
    for pair, first in zip(pairs, firsts, strict=True):
        outcome = Unmarked.UNREAD if first is None else _mark(pair, first)
        if isinstance(outcome, Unmarked):
            left_out[outcome] += 1
        else:
            marked.append((pair, outcome))
    return MarkedPairs(
        pairs=[pair for pair, _ in marked], readings=[reading for _, reading in marked], left_out=dict(left_out)
    )


def _mark(pair: StandingPair, first: FirstReading) -> MarkedReading | Unmarked:
    if pair.unjudged:
        return Unmarked.UNJUDGED
    errors = place_errors(pair.named, first)
    if errors is None:
        return Unmarked.UNPLACED
    return mark_reading(first, errors, study=pair.patient, source=_SOURCE)


def place_errors(named: Sequence[NamedDiscrepancy], first: FirstReading) -> tuple[MarkedError, ...] | None:
    """The errors that a verdict names, at their places; None if one of them has none that is certain.

    A response to a discrepancy of the program stands where that does. One of the reviewer's own stands, the first that
    applies, where the first reading has discrepancies of the same finding; where it has no more of the same category
    than the reviewer names; where a sentence that differs between the reports names its finding; or at the sentence
    that differs, if there is but one in either report.

    Args:
        named: discrepancies of a pair.
        first: the pair as it is read first.
    """
    changed = _changed_sentences(first)
    placed = [_place(each, named, first, changed) for each in named]
    errors = [error for error in placed if error is not None]
    return tuple(errors) if len(errors) == len(named) else None


def _place(
    one: NamedDiscrepancy, named: Sequence[NamedDiscrepancy], first: FirstReading, changed: Sequence[AlignedSentence]
) -> MarkedError | None:
    for places in _candidates(one, named, first, changed):
        reference = tuple(dict.fromkeys(span for place in places for span in place.reference_spans))
        candidate = tuple(dict.fromkeys(span for place in places for span in place.candidate_spans))
        if reference or candidate:
            category = one.category.value if one.category is not None else _OTHER
            return MarkedError(reference, candidate, category, _weight(one.severity, places))
    return None


def _candidates(
    one: NamedDiscrepancy, named: Sequence[NamedDiscrepancy], first: FirstReading, changed: Sequence[AlignedSentence]
) -> Iterator[Sequence[Placed]]:
    """Yield the places where a discrepancy may stand, the most certain first."""
    if one.listed is not None:
        yield [one.listed]
        return
    if one.finding:
        yield [each for each in first.discrepancies if each.finding == one.finding]
    if one.category is not None:
        alike = [each for each in first.discrepancies if each.category is one.category]
        if len(alike) <= sum(each.category is one.category for each in named):
            yield alike
    if one.finding:
        yield list(_units_of(one.finding, first, changed))
    places = [_Place.of_sentence(sentence) for sentence in changed]
    reference = tuple(span for place in places for span in place.reference_spans)
    candidate = tuple(span for place in places for span in place.candidate_spans)
    if len(reference) <= 1 and len(candidate) <= 1:
        yield [_Place(reference, candidate)]


@frozen
class _Place:
    reference_spans: tuple[Span, ...]
    candidate_spans: tuple[Span, ...]

    @classmethod
    def of_sentence(cls, sentence: AlignedSentence) -> _Place:
        """The sentence in both reports, the candidate being the earlier."""
        return cls(
            () if sentence.after is None else (sentence.after,), () if sentence.before is None else (sentence.before,)
        )


def _units_of(finding: str, first: FirstReading, changed: Sequence[AlignedSentence]) -> Iterator[_Place]:
    """Yield the units of a finding in sentences that differ."""
    reference, candidate = first.units
    for place in map(_Place.of_sentence, changed):
        here = [unit.span for unit in reference if unit.canonical_finding == finding]
        there = [unit.span for unit in candidate if unit.canonical_finding == finding]
        yield _Place(
            tuple(span for span in here if any(map(span.meets, place.reference_spans))),
            tuple(span for span in there if any(map(span.meets, place.candidate_spans))),
        )


def _changed_sentences(first: FirstReading) -> list[AlignedSentence]:
    """Sentences of either report that do not stand word for word in the other."""
    sentences = aligned_words(first.candidate, first.reference).sentences
    return [sentence for sentence in sentences if sentence.fate not in {Fate.SAME, Fate.MOVED}]


def _weight(severity: Severity, places: Sequence[Placed]) -> float:
    """The program's weight where it agrees with the reviewer's severity, else a typical one of that."""
    weights = [each.weight for each in places if isinstance(each, Discrepancy) and each.weight is not None]
    heaviest = max(weights, default=None)
    if heaviest is not None and (heaviest >= SIGNIFICANT_FROM) == severity.counts_as_significant:
        return heaviest
    return _WEIGHTS[severity]
