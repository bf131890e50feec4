"""Unread parts of reports: the share of a report that was read, and differences in the rest.

A report's score rests on what was read. The rest must not be passed over: a report of which hardly a word was read
has no score, and where two sentences that say much the same differ in a number, a side or a word that no rule reads,
the difference is reported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Final

from attrs import define, evolve, field, frozen

from overread.domain.differences.cost import jaccard
from overread.domain.findings.extents import judge_size
from overread.domain.findings.unit import ClinicalUnit, Measurement
from overread.domain.reports.plain_text import PlainText
from overread.domain.reports.report import ReportPart, Span, are_apart, examinations_at
from overread.domain.results.result import Fault, Unscored
from overread.domain.vocabulary.matching import likest_pairs
from overread.domain.vocabulary.numerals import MEASURED, in_digits

__all__ = [
    "CLOCK",
    "LEAST_COVERAGE",
    "LEAST_SIMILARITY",
    "LEAST_WORDS",
    "MUCH_READ",
    "Coverage",
    "Detail",
    "DetailKind",
    "ReadSentence",
    "SentenceContent",
    "UnreadDifference",
    "comparable",
    "is_repeated",
    "least_read",
    "likeness",
    "little_read",
    "same_sentence",
    "unread_differences",
    "unread_pair",
]

MUCH_READ: Final = 0.7
"""Share of a report's words below which a verdict says how much was read; ours."""

_BOTH: Final = ("reference", "candidate")

LEAST_COVERAGE: Final = 0.1
"""Coverage below which a report counts as not read; ours. The least of 3,159 distinct Open-i reports is .47."""

LEAST_WORDS: Final = 10
"""Content words of a report below which its coverage says too little to refuse it; ours. Hardly any sentence of Open-i
that no rule covers is longer, so that a single one, given as a report, is still compared by its words."""

LEAST_SIMILARITY: Final = 0.5
"""Least overlap of the words of two sentences (Dice) that are held against each other; ours."""

_SAME_SENTENCE: Final = 0.5
"""Token overlap from which two sentences that no rule covers count as the same."""

_WORD: Final = re.compile(r"[^\W_]+")

_SAME: Final = 2.0
"""Likeness of a sentence to itself, above that of any other in the same words."""

_MARGINS: Final = {"hu": 10.0, "%": 10.0, "degree": 5.0}
"""Differences that two measurements of one thing show, by unit; ours."""

_MARGIN: Final = 0.2
"""Of the smaller of two numbers, for units without a margin of their own: that of sizes from 30 mm."""

CLOCK: Final = "o'clock"
"""Unit of a place on a dial, as in the breast: 11 o'clock."""

_HOURS: Final = 12
_QUARTER: Final = 3
"""Hours from which two places on a dial are not the same; ours."""

_CATEGORIES: Final = "rads"
"""End of the names of reporting systems: BI-RADS, LI-RADS, Lung-RADS."""

_SUSPICIOUS: Final = 4
"""Category from which these systems ask for a sample or for treatment."""

_OTHER_WAY: Final = {"left": "right", "right": "left"}

_ONE_SIDED: Final = 0.5
"""Extent of a number or side that only one of two sentences has: less is lost by silence than by another value."""


class DetailKind(StrEnum):
    """Kinds of sentence detail that can differ without any rule having read them."""

    NUMBER = "number"
    COUNT = "count"
    SIDE = "side"
    DENIAL = "denial"
    CONTRARY = "contrary"
    WORD = "word"


@frozen
class Detail:
    """A number with its unit, a number of things, a side, a word that denies or has a contrary, or an unread word.

    Attributes:
        value: "left", "right" or "both" for a side, the normalised word, which of two contraries it is, the number's
            unit ("mm" for any length), or what is counted.
        start, end: characters of its sentence.
        is_read: whether a unit of the sentence holds it. A word that was read is no detail.
        number: the number in that unit, or of things; 0 for a side or a word.
        is_beside: whether it is read for another number that its finding is measured by: the smaller diameter, the
            earlier size.
    """

    kind: DetailKind
    value: str = field(repr=False)
    start: int
    end: int
    is_read: bool = False
    number: float = field(default=0.0, repr=False)
    is_beside: bool = False


@define(frozen=True, slots=False)
class SentenceContent:
    """Content of a sentence and how much of it was read, wherever the sentence stands.

    Attributes:
        length: characters of the sentence.
        words: its content words except sides, normalised, in order: no function words, marks, numbers, units of
            measure or de-identified gaps.
        content_words: number of its content words, including sides.
        unread_words: number of those that no unit accounts for.
        details: its numbers and sides, read or not, and its unread words, in order.
        is_whole: whether no rule covers it, so that it is one unread unit.
        names_only: whether it names places and says nothing of them, like a form that nobody filled in.
        paired: its words; one that has a contrary is replaced by the name of the two.
    """

    length: int
    words: tuple[str, ...] = field(default=(), repr=False)
    content_words: int = 0
    unread_words: int = 0
    details: tuple[Detail, ...] = ()
    is_whole: bool = False
    paired: tuple[str, ...] = field(default=(), repr=False)
    names_only: bool = False

    @property
    def read(self) -> SentenceContent:
        """The same sentence where all of it is accounted for by its place, as under a heading about the technique."""
        details = tuple(evolve(d, is_beside=False) for d in self.details if d.is_read)
        return SentenceContent(self.length, self.words, self.content_words, 0, details)

    @cached_property
    def unread(self) -> tuple[Detail, ...]:
        """The details that were not read, or for another one only."""
        return tuple(detail for detail in self.details if not detail.is_read or detail.is_beside)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Number of times each of its words occurs."""
        return Counter(self.words)


@frozen
class ReadSentence:
    """A sentence of a report at character ``start``."""

    start: int
    content: SentenceContent

    @property
    def span(self) -> Span:
        """Place of the sentence in its report."""
        return Span(self.start, self.start + self.content.length)

    def spans(self, details: Iterable[Detail]) -> tuple[Span, ...]:
        """Places of some details of the sentence in its report, in order."""
        return tuple(sorted(Span(self.start + d.start, self.start + d.end) for d in details))


@define(frozen=True, slots=False)
class Coverage:
    """Coverage of a report by reading, sentence by sentence; nothing is computed before it is asked for.

    Attributes:
        placed: the first character and the content of each compared sentence, in reading order.
        parts: of a joined report.
    """

    placed: tuple[tuple[int, SentenceContent], ...] = field(default=(), repr=False)
    parts: tuple[ReportPart, ...] = ()

    @property
    def sentences(self) -> tuple[ReadSentence, ...]:
        """The compared sentences in reading order."""
        return tuple(ReadSentence(start, content) for start, content in self.placed)

    @cached_property
    def names_only(self) -> bool:
        """True if its sentences name places and say nothing of them."""
        contents = [content for _, content in self.placed if content.content_words]
        return bool(contents) and all(content.names_only for content in contents)

    @cached_property
    def content_words(self) -> int:
        """Content words of all compared sentences."""
        return sum(content.content_words for _, content in self.placed)

    @cached_property
    def unread_words(self) -> int:
        """Content words that no unit accounts for."""
        return sum(content.unread_words for _, content in self.placed)

    @property
    def share(self) -> float:
        """Share of the content words that were read, on [0, 1]; 1 for a report without any, which holds nothing unread.

        >>> Coverage(((0, SentenceContent(9, ("heart",), 4, 1)),)).share
        0.75
        """
        return 1.0 - self.unread_words / self.content_words if self.content_words else 1.0


def least_read(subscores: Mapping[str, float]) -> float | None:
    """Share of the words that was read of the report of which less was; None where the extractor does not know.

    >>> least_read({"reference_coverage": 0.9, "candidate_coverage": 0.5})
    0.5
    """
    shares = [subscores[name] for side in _BOTH if (name := f"{side}_coverage") in subscores]
    return min(shares, default=None)


def little_read(subscores: Mapping[str, float]) -> str:
    """Share of each report's words that was read, where of either it is less than `MUCH_READ`; "" where it is not.

    Args:
        subscores: of a score, with the coverage of both reports where the extractor knows it.

    >>> little_read({"reference_coverage": 0.9, "candidate_coverage": 2 / 3})
    "90% of the reference's words and 67% of the candidate's words"
    """
    shares = {side: subscores.get(f"{side}_coverage", 1.0) for side in _BOTH}
    if min(shares.values()) >= MUCH_READ:
        return ""
    return " and ".join(f"{share:.0%} of the {side}'s words" for side, share in shares.items())


def unread_pair(reference: Coverage, candidate: Coverage, least: float = LEAST_COVERAGE) -> Unscored | None:
    """Reason for no score of a pair: less than ``least`` of a report was read; None if both were read.

    A report of fewer than `LEAST_WORDS` content words is never refused. The first of the two reports is named.

    >>> unread_pair(Coverage(), Coverage(((0, SentenceContent(99, ("kalb",), 20, 19)),))).reason
    'unread'
    """
    for side, coverage in ((Fault.REFERENCE, reference), (Fault.CANDIDATE, candidate)):
        if coverage.share < least and coverage.content_words >= LEAST_WORDS:
            detail = f"{coverage.share:.0%} of its words were read, less than {least:.0%}"
            return Unscored("unread", detail, fault=Fault.REPORT).of(side)
    if reference.names_only != candidate.names_only:
        side = Fault.REFERENCE if reference.names_only else Fault.CANDIDATE
        return Unscored("unread", "it names places and says nothing of them", fault=Fault.REPORT).of(side)
    return None


@frozen(kw_only=True)
class UnreadDifference:
    """Difference between two sentences that say much the same, where no rule reads it in at least one of them.

    Attributes:
        kind: whether numbers, counts, sides or words differ.
        reference, candidate: the two sentences.
        reference_spans, candidate_spans: what differs in each report; empty where it is in the other only.
        extent: of the difference, on [0, 1]: numbers by how far they are apart, opposite sides 1, words by their share.
        reason: the difference in words, without report text.
        is_read: whether rules have read all of it, so that findings may carry the difference.
        changes_care: whether the one asks for action and the other does not: a category from `_SUSPICIOUS` on.
    """

    kind: DetailKind
    reference: ReadSentence
    candidate: ReadSentence
    reference_spans: tuple[Span, ...]
    candidate_spans: tuple[Span, ...]
    extent: float
    reason: str
    is_read: bool = False
    changes_care: bool = False


def unread_differences(reference: Coverage, candidate: Coverage) -> list[UnreadDifference]:
    """Differences in numbers, sides and words that no rule reads, between sentences that otherwise say much the same.

    Each sentence with something unread is held against the sentence of the other report that shares most words with it
    (Dice of the content words without sides and numbers, `LEAST_SIMILARITY` at least), each sentence once. A sentence
    without such a partner gives nothing here: if no rule covers it, it is a unit of its own. Numbers within
    the spread of repeated measurements agree. Read numbers and sides count where their partner is unread, and sides
    that were read where two sentences in the same words name them the other way round. So does a "not" that one of two
    sentences in the same words has, and a word of one that says the contrary of the other's.

    Returns:
        At most one difference of each kind for a pair of sentences, in the order of the reference.
    """
    pairs = _pairs(reference, candidate)
    known = tuple(frozenset(_all_words(coverage)) for coverage in (reference, candidate))
    others = (
        *_turned_sides(reference, candidate),
        *_one_sided_denials(reference, candidate),
        *_contrary(reference, candidate),
    )
    settled = {(other.reference.start, other.candidate.start) for other in others}
    from_pairs = (
        difference
        for r, c in pairs
        for difference in (
            *(_numbers(r, c), _counts(r, c), _sides(r, c)),
            None if (r.start, c.start) in settled else _words(r, c, known),
        )
        if difference is not None
    )
    return sorted((*from_pairs, *others), key=lambda difference: difference.reference.start)


def _all_words(coverage: Coverage) -> Iterator[str]:
    """All content words of a report, read or not."""
    for _, content in coverage.placed:
        yield from content.words
        yield from (detail.value for detail in content.details if detail.kind is DetailKind.WORD)


def is_repeated(unit: ClinicalUnit, text: str, others: Iterable[ClinicalUnit]) -> bool:
    """Return whether an unread sentence occurs in the other report anyway, where it isn't a sentence by itself.

    Args:
        unit: an unread sentence.
        text: of the other report.
        others: units of the other report.
    """
    words = _in_a_row(unit.words)
    for other in others:
        is_turned = other.polarity is not unit.polarity and words in _in_a_row(other.words)
        if other.is_unread and (is_turned or same_sentence(unit, other)):
            return False
    return words.isspace() or words in _in_a_row(text)


def same_sentence(unit: ClinicalUnit, other: ClinicalUnit) -> bool:
    """Return whether two sentences that no rule covers share half of their words, and both deny or neither does.

    Those about different examinations, in parts of joined reports, are not the same.
    """
    words, others = _tokens(unit.words), _tokens(other.words)
    same = jaccard(words, others) >= _SAME_SENTENCE if words else unit.words == other.words
    return same and unit.polarity is other.polarity and not unit.is_apart_from(other)


def _tokens(text: str) -> frozenset[str]:
    return frozenset(_in_a_row(text).split())


@lru_cache(maxsize=4096)
def _in_a_row(text: str) -> str:
    """The words and numbers of a text with one blank before and behind each, however they are written."""
    plain = PlainText.of(text).rewritten(MEASURED, in_digits)
    return f" {' '.join(_WORD.findall(plain.text.lower()))} "


def _pairs(reference: Coverage, candidate: Coverage) -> list[tuple[ReadSentence, ReadSentence]]:
    """Sentences that share most words, of which at least one has something unread; the likest first take each other."""
    left, right = reference.placed, candidate.placed
    unread = [j for j, (_, c) in enumerate(right) if c.unread]
    scored_pairs = (
        (shared, i, j)
        for i, (_, r) in enumerate(left)
        for j in (range(len(right)) if r.unread else unread)
        if (shared := likeness(r, right[j][1])) >= LEAST_SIMILARITY and comparable(reference, i, candidate, j)
    )
    return [(ReadSentence(*left[i]), ReadSentence(*right[j])) for i, j in likest_pairs(scored_pairs)]


def comparable(reference: Coverage, i: int, candidate: Coverage, j: int) -> bool:
    """Return whether two sentences, given by number, may be about the same examination."""
    if not (reference.parts and candidate.parts):
        return True
    sides = ((reference, i), (candidate, j))
    here, there = (examinations_at(side.parts, side.placed[number][0]) for side, number in sides)
    return not are_apart(here, there)


def likeness(a: SentenceContent, b: SentenceContent) -> float:
    """Dice of the words of two sentences, each as often as it stands there; more for the very same sentence."""
    if a == b:
        return _SAME
    total = len(a.words) + len(b.words)
    here, there = a.counts, b.counts
    shared = sum(min(here[word], there[word]) for word in here.keys() & there.keys())
    return 2.0 * shared / total if total else 0.0


def _numbers(r: ReadSentence, c: ReadSentence) -> UnreadDifference | None:
    left, right = _without_common(_of(r, DetailKind.NUMBER), _of(c, DetailKind.NUMBER), lambda d: (d.value, d.number))
    differing: tuple[list[Detail], list[Detail]] = ([], [])
    extent, is_other, all_read, changes_care = 0.0, False, True, False
    # What stands beside a measurement is often left out, and then the rest no longer stand for each other.
    as_many = len(left) == len(right)
    for a, b in _by_unit(left, right):
        one_sided = a is None or b is None
        is_read = all(d is None or d.is_read for d in (a, b))
        if is_read and not (as_many and not one_sided and any(d is not None and d.is_beside for d in (a, b))):
            continue
        apart = _ONE_SIDED if a is None or b is None else _apart(a, b)
        if not apart:
            continue
        extent, is_other, all_read = max(extent, apart), is_other or not one_sided, all_read and is_read
        changes_care = changes_care or (a is not None and b is not None and _crosses(a, b))
        for details, detail in zip(differing, (a, b), strict=True):
            if detail is not None:
                details.append(detail)
    if not extent:
        return None
    reason = "a number that no rule reads differs" if is_other else _one_sided("a number that no rule reads", differing)
    difference = _difference(DetailKind.NUMBER, (r, c), differing, extent, reason)
    return evolve(difference, is_read=all_read, changes_care=changes_care)


def _crosses(a: Detail, b: Detail) -> bool:
    """Return whether one of two categories of a reporting system requires action and the other does not."""
    return a.value.endswith(_CATEGORIES) and min(a.number, b.number) < _SUSPICIOUS <= max(a.number, b.number)


def _by_unit(
    left: Sequence[Detail], right: Sequence[Detail]
) -> Iterator[tuple[Detail, Detail] | tuple[Detail, None] | tuple[None, Detail]]:
    """Numbers of one unit in the order of their sentences; what one sentence has more of stands alone."""
    for unit in dict.fromkeys(d.value for d in (*left, *right)):
        a, b = ([d for d in details if d.value == unit] for details in (left, right))
        yield from zip(a, b, strict=False)
        yield from ((d, None) for d in a[len(b) :])
        yield from ((None, d) for d in b[len(a) :])


def _apart(a: Detail, b: Detail) -> float:
    """Distance of two numbers of one unit as a share of the larger; 0 within the spread of measurements."""
    if a.value == CLOCK:
        hours = abs(a.number - b.number)
        return min(hours, _HOURS - hours) / (_HOURS / 2) if _QUARTER <= hours <= _HOURS - _QUARTER else 0.0
    if a.value.endswith(_CATEGORIES):
        return 1.0 if _crosses(a, b) else _ONE_SIDED if a.number != b.number else 0.0
    if a.value == "mm":
        one, other = (Measurement(d.number, "mm", d.number) for d in (a, b))
        judgement = judge_size(one, other)
        if judgement is None or not judgement.severity.counts_as_significant:
            return 0.0
    else:
        smaller = min(abs(a.number), abs(b.number))
        if abs(a.number - b.number) <= _MARGINS.get(a.value, _MARGIN * smaller):
            return 0.0
    return min(1.0, abs(a.number - b.number) / max(abs(a.number), abs(b.number)))


def _sides(r: ReadSentence, c: ReadSentence) -> UnreadDifference | None:
    left, right = _of(r, DetailKind.SIDE), _of(c, DetailKind.SIDE)
    if all(d.is_read for d in (*left, *right)):
        return None
    a, b = ([d.value for d in details] for details in (left, right))
    if a == b or (set(a) == set(b) and r.content.words != c.content.words):
        return None
    if set(a) == set(b):
        return _difference(DetailKind.SIDE, (r, c), (left, right), 1.0, "sides that no rule reads stand the other way")
    named = [{"left", "right"} if "both" in sides else set(sides) for sides in (a, b)]
    if named[0] == named[1]:
        return None
    if not named[0] or not named[1]:
        reason = _one_sided("a side that no rule reads", (left, right))
        return _difference(DetailKind.SIDE, (r, c), (left, right), _ONE_SIDED, reason)
    extent = _ONE_SIDED if named[0] & named[1] else 1.0
    return _difference(DetailKind.SIDE, (r, c), (left, right), extent, "a side that no rule reads differs")


def _counts(r: ReadSentence, c: ReadSentence) -> UnreadDifference | None:
    """Other numbers of the same things; a number that only one of the sentences has says no more than "several"."""
    differing: tuple[list[Detail], list[Detail]] = ([], [])
    extent = 0.0
    left, right = _of(r, DetailKind.COUNT), _of(c, DetailKind.COUNT)
    for counted in dict.fromkeys(d.value for d in left):
        a, b = ([d for d in details if d.value == counted] for details in (left, right))
        here, there = (sum(d.number for d in details) for details in (a, b))
        if here and there and here != there:
            extent = max(extent, abs(here - there) / max(here, there))
            differing[0].extend(a)
            differing[1].extend(b)
    return _difference(DetailKind.COUNT, (r, c), differing, extent, "the number of them differs") if extent else None


def _turned_sides(reference: Coverage, candidate: Coverage) -> Iterator[UnreadDifference]:
    """Sentences in the same words whose sides were all read, and stand the other way round."""
    by_key: dict[tuple[tuple[str, ...], tuple[str, ...]], list[ReadSentence]] = {}
    for c in candidate.sentences:
        by_key.setdefault((c.content.words, _read_sides(c)), []).append(c)
    reference_keys = {(r.content.words, _read_sides(r)) for r in reference.sentences}
    for r in reference.sentences:
        sides = _read_sides(r)
        turned = tuple(_OTHER_WAY.get(side, side) for side in sides)
        same, other = (r.content.words, sides), (r.content.words, turned)
        if turned != sides and same not in by_key and other not in reference_keys and (partners := by_key.get(other)):
            details = (_of(r, DetailKind.SIDE), _of(partners[0], DetailKind.SIDE))
            difference = _difference(
                DetailKind.SIDE, (r, partners.pop(0)), details, 1.0, "sides stand the other way round"
            )
            yield evolve(difference, is_read=True)


def _read_sides(sentence: ReadSentence) -> tuple[str, ...]:
    """The sides of a sentence in order; none where some were not read."""
    sides = _of(sentence, DetailKind.SIDE)
    return tuple(d.value for d in sides) if all(d.is_read for d in sides) else ()


def _one_sided_denials(reference: Coverage, candidate: Coverage) -> Iterator[UnreadDifference]:
    """Sentences of the candidate in the words of one of the reference's, of which only one of the two denies."""
    by_content: dict[tuple[tuple[str, ...], tuple[str, ...], bool], list[int]] = {}
    for i, r in enumerate(reference.sentences):
        by_content.setdefault(_with_denial(r), []).append(i)
    for j, c in enumerate(candidate.sentences):
        words, sides, denies = _with_denial(c)
        if not words or (words, sides, denies) in by_content:
            continue
        for i in by_content.get((words, sides, not denies), []):
            if comparable(reference, i, candidate, j):
                pair = reference.sentences[i], c
                details = _of(pair[0], DetailKind.DENIAL), _of(c, DetailKind.DENIAL)
                yield evolve(
                    _difference(DetailKind.DENIAL, pair, details, 1.0, _one_sided("a denial", details)), is_read=True
                )
                break


def _contrary(reference: Coverage, candidate: Coverage) -> Iterator[UnreadDifference]:
    """Sentences of the candidate in the words of one of the reference's, but for words that say the contrary."""
    by_content: dict[Paired, list[int]] = {}
    for i, r in enumerate(reference.sentences):
        by_content.setdefault(_paired_content(r), []).append(i)
    known = {r.content.words for r in reference.sentences}
    for j, c in enumerate(candidate.sentences):
        poles = _poles(c)
        for i in by_content.get(_paired_content(c), []) if poles and c.content.words not in known else ():
            r = reference.sentences[i]
            if _poles(r) != poles and comparable(reference, i, candidate, j):
                details = _of(r, DetailKind.CONTRARY), _of(c, DetailKind.CONTRARY)
                yield evolve(
                    _difference(DetailKind.CONTRARY, (r, c), details, 1.0, "a word says the contrary"), is_read=True
                )
                break


Paired = tuple[tuple[str, ...], tuple[str, ...], bool]


def _paired_content(sentence: ReadSentence) -> Paired:
    """Content that a sentence and its contrary share: words, sides, and whether it has a word that denies."""
    _, sides, denies = _with_denial(sentence)
    return sentence.content.paired, sides, denies


def _poles(sentence: ReadSentence) -> tuple[str, ...]:
    return tuple(detail.value for detail in _of(sentence, DetailKind.CONTRARY))


def _with_denial(sentence: ReadSentence) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """The words and sides of a sentence, and whether it has a word that denies."""
    sides = tuple(d.value for d in _of(sentence, DetailKind.SIDE))
    return sentence.content.words, sides, bool(_of(sentence, DetailKind.DENIAL))


def _words(r: ReadSentence, c: ReadSentence, reports: Sequence[AbstractSet[str]]) -> UnreadDifference | None:
    """Words of one sentence that the other report has nowhere."""
    left = [d for d in _of(r, DetailKind.WORD) if d.value not in reports[1]]
    right = [d for d in _of(c, DetailKind.WORD) if d.value not in reports[0]]
    if not left and not right:
        return None
    known = [frozenset(s.content.words) for s in (r, c)]
    extent = len({d.value for d in (*left, *right)}) / len(known[0] | known[1])
    reason = "words that no rule reads differ" if left and right else _one_sided("a word no rule reads", (left, right))
    return _difference(DetailKind.WORD, (r, c), (left, right), extent, reason)


def _one_sided(what: str, details: tuple[Sequence[Detail], Sequence[Detail]]) -> str:
    return f"{what} is {'lost' if details[0] else 'added'}"


def _difference(
    kind: DetailKind,
    sentences: tuple[ReadSentence, ReadSentence],
    details: tuple[Sequence[Detail], Sequence[Detail]],
    extent: float,
    reason: str,
) -> UnreadDifference:
    return UnreadDifference(
        kind=kind,
        reference=sentences[0],
        candidate=sentences[1],
        reference_spans=sentences[0].spans(details[0]),
        candidate_spans=sentences[1].spans(details[1]),
        extent=extent,
        reason=reason,
    )


def _of(sentence: ReadSentence, kind: DetailKind) -> list[Detail]:
    return [detail for detail in sentence.content.details if detail.kind is kind]


def _without_common(
    left: Sequence[Detail], right: Sequence[Detail], key: Callable[[Detail], object]
) -> tuple[list[Detail], list[Detail]]:
    """The details of each that the other does not have as well, each as often as it stands there."""
    common = Counter(map(key, left)) & Counter(map(key, right))
    rest: list[list[Detail]] = []
    for details in (left, right):
        spare = common.copy()
        remaining = []
        for detail in details:
            if spare[key(detail)]:
                spare[key(detail)] -= 1
            else:
                remaining.append(detail)
        rest.append(remaining)
    return rest[0], rest[1]
