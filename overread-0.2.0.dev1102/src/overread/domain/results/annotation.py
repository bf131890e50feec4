"""People's judgements of reports: ratings of pairs, preferences between candidates, and sets of both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from attrs import field, frozen

from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.scores import MetricScores

__all__ = [
    "STRANGERS",
    "AnnotatedPair",
    "HumanBenchmark",
    "MarkedError",
    "MarkedPair",
    "Preference",
    "Target",
    "told_count",
]

STRANGERS: Final = "strangers"
"""Source of marked pairs of different patients: wrong throughout, so that few of them teach enough."""


@frozen
class Target:
    """Something that people said of pairs as a number, for example how many significant errors there are.

    Attributes:
        name: short and stable, for example "significant" or, for one category of it, "significant.A".
        higher_is_better: False for counts of errors.
        label: in words.
    """

    name: str
    higher_is_better: bool
    label: str = ""


@frozen(kw_only=True)
class AnnotatedPair:
    """A pair with what each rater said of it.

    Attributes:
        pair: the reports.
        study: pairs of one study share a reference; resampling and splits keep them together. "" where it is not known.
        ratings: by target, one number a rater in the set's order of raters; NaN where that rater gave none.
        generator: the system that wrote the candidate, "" where it is not known.
        strata: kinds that the pair belongs to, for example {"level": "sentence"} or {"aspect": "Location"}.
        rated: what the ratings are of, where several pairs hold it, each with what one rater said, such as a candidate
            with a reference by each rater; "" where it is this pair alone. Raters are compared with each other over it.
    """

    pair: ReportPair = field(repr=False)
    study: str
    ratings: Mapping[str, tuple[float, ...]]
    generator: str = ""
    strata: Mapping[str, str] = field(factory=dict)
    rated: str = ""

    def mean(self, target: str) -> float:
        """Mean rating; NaN if there is none."""
        ratings = [rating for rating in self.ratings[target] if not math.isnan(rating)]
        return sum(ratings) / len(ratings) if ratings else math.nan


@frozen(kw_only=True)
class Preference:
    """Choice by each rater of the better of two candidates for one report.

    Attributes:
        id: of the comparison.
        study: as in `AnnotatedPair`.
        first, second: ids of the two pairs; both are among the benchmark's pairs.
        votes: one a rater: 1 for the first, -1 for the second, 0 for neither, NaN where the rater gave none.
        confidence: of each rater, on the benchmark's own scale; empty where nobody was asked.
        strata: as in `AnnotatedPair`.
    """

    id: str
    study: str
    first: str
    second: str
    votes: tuple[float, ...]
    confidence: tuple[float, ...] = ()
    strata: Mapping[str, str] = field(factory=dict)


@frozen
class MarkedError:
    """An error that somebody found.

    Attributes:
        reference_spans, candidate_spans: its words in either report; none where that report is silent.
        category: A to H as in ReXVal and RadEvalX, R for advice, X for a contradiction, O for anything else.
        weight: importance of the finding times extent of the error, on [0, 1].
    """

    reference_spans: tuple[Span, ...]
    candidate_spans: tuple[Span, ...]
    category: str = "O"
    weight: float = 1.0


@frozen(kw_only=True)
class MarkedPair:
    """A pair whose errors are marked, all of them.

    Attributes:
        study: pairs of one study share reports; splits keep them together.
        source: the set it is of; "" where there is one alone.
    """

    pair: ReportPair = field(repr=False)
    study: str
    errors: tuple[MarkedError, ...] = field(repr=False)
    source: str = ""


@frozen(kw_only=True)
class HumanBenchmark:
    """A set of pairs that people judged.

    Attributes:
        name: as on the command line, for example "rexval".
        targets: what was said of pairs, the most telling first; empty where there are preferences alone.
        raters: names in the order of the ratings and votes; one where only their mean is known.
        pairs: in the order of the data, ids distinct.
        preferences: between pairs, where the set holds such.
        provided: scores distributed with the set.
        notes: what was left out and why, without report text.
        understood: what the reader took for what, without report text: files with their columns and rows, and how
            tables were joined. It is no part of what is compared: two layouts may hold the same set.
        by_people: whether people judged the pairs; False where the labels come with how the pairs were made.
    """

    name: str
    targets: tuple[Target, ...]
    raters: tuple[str, ...]
    pairs: tuple[AnnotatedPair, ...] = field(repr=False)
    preferences: tuple[Preference, ...] = field(default=(), repr=False)
    provided: tuple[MetricScores, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()
    understood: tuple[str, ...] = field(default=(), eq=False)
    by_people: bool = True

    @property
    def judges(self) -> str:
        """People or labels that metrics are compared with, for titles."""
        return "people" if self.by_people else "the labels"

    @property
    def account(self) -> tuple[str, ...]:
        """Summary of what was understood and how much of each there is, reported with the notes before any scoring."""
        targets = [target.name for target in self.targets if "." not in target.name]
        sizes = {
            "study": len({annotated.study for annotated in self.pairs}),
            "pair": len(self.pairs),
            "preference": len(self.preferences),
            "rater": len(self.raters),
        }
        counts = [told_count(count, noun) for noun, count in sizes.items() if count]
        by_category = len(self.targets) - len(targets)
        target_note = f"; targets: {', '.join(targets)}" if targets else ""
        target_note += f", and {by_category} by category" if by_category else ""
        given = f"; scores of {', '.join(scores.metric for scores in self.provided)}" if self.provided else ""
        return (*self.understood, *self._blank_reports(), f"{', '.join(counts)}{target_note}{given}")

    def _blank_reports(self) -> Iterator[str]:
        """Number of pairs that lack the words of a report; an empty report is valid, but seldom meant."""
        for what in ("reference", "candidate"):
            blank = sum(not getattr(annotated.pair, what).text.strip() for annotated in self.pairs)
            if blank:
                yield f"{told_count(blank, 'pair')} with a blank {what}, read as an empty report"


def told_count(count: int, noun: str) -> str:
    """A count with its noun.

    >>> told_count(1, "study"), told_count(1200, "study"), told_count(0, "pair")
    ('1 study', '1,200 studies', '0 pairs')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"
