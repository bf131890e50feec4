"""Scores of one metric in several places, brought onto the same pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import field, frozen

from overread.domain.results.diversity import Diversity
from overread.domain.results.scores import MetricScores
from overread.exceptions import ConfigurationError

__all__ = ["PairFacts", "Source", "check_signatures", "common_ids", "sign"]


@frozen(kw_only=True)
class Source:
    """One result file: what a system's, or a way of scoring's, pairs got.

    Attributes:
        name: as tables show it.
        metrics: by name.
        diversity: of the wording of its reports; None if it is not known.
    """

    name: str
    metrics: Mapping[str, MetricScores] = field(repr=False)
    diversity: Diversity | None = None


@frozen(kw_only=True)
class PairFacts:
    """Known facts about pairs besides their scores.

    Attributes:
        studies: study by pair id; a pair without an entry is a separate study.
        strata: kind of a pair, by column and then by pair id.
    """

    studies: Mapping[str, str] = field(factory=dict, repr=False)
    strata: Mapping[str, Mapping[str, str]] = field(factory=dict, repr=False)

    def studies_of(self, ids: Sequence[str]) -> list[str]:
        """The study of each pair."""
        # A pair's own study must not fall together with a named one.
        return [f"s{self.studies[name]}" if name in self.studies else f"p{name}" for name in ids]

    def values(self, column: str, ids: Sequence[str]) -> list[str]:
        """The kind of each pair by a column, "" where it has none."""
        kinds = self.strata[column]
        return [kinds.get(name, "") for name in ids]


def common_ids(scores: Sequence[MetricScores]) -> tuple[str, ...]:
    """The ids that all hold, in the order of the first."""
    first, *others = scores
    if all(other.ids == first.ids for other in others):
        return first.ids
    return tuple(name for name in first.ids if all(name in other.place for other in others))


def sign(*, higher_is_better: bool) -> float:
    """Factor to multiply a difference by so that more is better."""
    return 1.0 if higher_is_better else -1.0


def check_signatures(sources: Sequence[Source], metrics: Iterable[str], *, force: bool) -> list[str]:
    """Lists in words why the scores of a metric are not comparable; empty if all were made in the same way.

    Args:
        sources: the sources to compare.
        metrics: those that every source must have scored in the same way.
        force: whether to return the problems rather than raise them.

    Raises:
        ConfigurationError: if there is a problem, unless ``force``; and always where a metric's directions differ.
    """
    problems = []
    for metric in metrics:
        held = [(source.name, source.metrics[metric]) for source in sources if metric in source.metrics]
        (first, one), *others = held
        for name, other in others:
            if other.higher_is_better != one.higher_is_better:
                raise ConfigurationError(
                    [f"{metric}: higher is better in one of {first} and {name}, worse in the other"]
                )
            if other.signature != one.signature:
                problems.append(f"{metric} was scored with other settings: {_differing(one, other, first, name)}")
    if problems and not force:
        remedy = "score both with the same settings, or use `force` to compare what may not be comparable"
        raise ConfigurationError([*problems, remedy])
    return problems


def _differing(one: MetricScores, other: MetricScores, first: str, second: str) -> str:
    left, right = (_parts(scores.signature) for scores in (one, other))
    names = [name for name in {**left, **right} if left.get(name) != right.get(name)]
    parts = [
        f"{name} is {left.get(name, 'not given')} in {first} and {right.get(name, 'not given')} in {second}"
        for name in names
    ]
    return "; ".join(parts) or f"the signatures of {first} and {second} differ"


def _parts(signature: str) -> dict[str, str]:
    """The parts of a printed signature by name."""
    return {name: value for name, _, value in (part.partition(":") for part in signature.split("|")[1:])}
