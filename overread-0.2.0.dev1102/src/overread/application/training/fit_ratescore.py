"""Use case: learn RaTEScore's W and p from rated pairs (Zhao et al. 2024, sections 2.5 and 3).

Which entity matches which depends on their names alone, so a pair is read and encoded once; under any table each
direction is then a ratio of two sums over the 25 cells of W.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from overread.application.metrics.entity_reader import EntityPair, EntityReader
from overread.application.statistics import Measure
from overread.application.statistics.correlations import Kendall, Pearson, Spearman, zero_where_undefined
from overread.domain.entities.affinity import (
    DEFAULT_TABLE,
    TABLES,
    TYPES,
    Affinity,
    AffinityTable,
    Orientation,
    PenaltyRule,
)
from overread.domain.entities.entity import EntityType
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.ratescore import harmonic_mean, ratescore, weighted_mean
from overread.domain.results.result import EntityMatch, Unscored
from overread.exceptions import ConfigurationError

__all__ = ["RATING", "AgreementRow", "FitAffinity", "FittedAffinity", "Search"]

Array = npt.NDArray[np.float64]

_CORRELATIONS: Final = MappingProxyType({each.name: each for each in (Kendall(), Pearson(), Spearman())})


RATING: Final = "rating"
"""Target of the pairs that a table is fitted to: a grade, or a number of errors."""


class Search(Protocol):
    """Looks for the point of the unit cube at which a function is highest."""

    @property
    def identity(self) -> str:
        """Its name and what else decides where it looks."""
        ...

    def maximise(
        self,
        objective: Callable[[Array], float],
        starts: Sequence[Array],
        *,
        trials: int,
        seed: int,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Array:
        """The best of the points tried.

        Args:
            objective: the function.
            starts: points to try first; all of one length.
            trials: points to try in all.
            seed: of the search.
            on_progress: called with trials done and trials in all.
        """
        ...


@frozen(kw_only=True)
class AgreementRow:
    """Agreement of a table's scores with the ratings, by correlation: above 0 where better pairs score higher."""

    table: str
    train: Mapping[str, float]
    held_out: Mapping[str, float]


@frozen(kw_only=True)
class FittedAffinity:
    """The learned parameters, how they were learned, and on what.

    Attributes:
        table: W and p.
        fitted, start: agreement of the learned table, and of the published one that the search began with.
        correlation: the one that was maximised on the training part.
        trials, seed, search: of the search.
        train_pairs, held_out_pairs: numbers of pairs.
        skipped: id and reason of each pair left out.
    """

    table: AffinityTable
    fitted: AgreementRow
    start: AgreementRow
    correlation: str
    trials: int
    seed: int
    search: str
    train_pairs: int
    held_out_pairs: int
    skipped: tuple[tuple[str, str], ...] = ()


@frozen(kw_only=True)
class FitAffinity:
    """Learns an affinity table from rated pairs.

    Attributes:
        reader: recognizes entities and compares their names.
        search: over 25 weights and p, each on [0, 1].
        correlations: those to report, by name; one that is not defined counts as 0.
        start: name of the shipped table that the learned one is compared with.
    """

    reader: EntityReader
    search: Search
    correlations: Mapping[str, Measure] = _CORRELATIONS
    start: str = DEFAULT_TABLE

    def __call__(
        self,
        pairs: Sequence[AnnotatedPair],
        *,
        name: str = "user",
        correlation: str = "kendall",
        lower_is_better: bool = False,
        orientation: Orientation = Orientation.RELEASE,
        penalty: PenaltyRule = PenaltyRule.POLARITY,
        trials: int = 1000,
        seed: int = 0,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> FittedAffinity:
        """Read the pairs, hold a fifth of the studies out, search on the others, and compare on both.

        Args:
            pairs: rated pairs; one that cannot be read, or holds no entity on either side, is left out. Those of one
                study, or where it is "" of one reference, stay on one side of the split.
            name: of the table.
            correlation: the one to maximise.
            lower_is_better: whether ratings count errors.
            orientation: how the learned W is written down; it makes no difference to the search.
            penalty: which types p applies to.
            trials: points to try.
            seed: of the split and of the search.
            on_progress: called with trials done and trials in all.

        Raises:
            ConfigurationError: if there is no such correlation or no trial, or the pairs do not suffice for a split
                with different ratings on both sides.
        """
        self._check(name, correlation, trials)
        readable, cells, skipped = self._cells(pairs)
        ratings = np.array([rated.mean(RATING) for rated in readable]) * (-1.0 if lower_is_better else 1.0)
        held_out = _held_out([rated.study or rated.pair.reference.text for rated in readable], seed)
        _check_ratings(ratings, held_out)
        measure, train = self.correlations[correlation], cells.of(~held_out)
        table = partial(_table, name, orientation, penalty)
        learned = table(
            self.search.maximise(
                lambda point: zero_where_undefined(measure, train.scores(table(point).read_as()), ratings[~held_out]),
                [np.append(known.read_as().weights, known.p) for known in TABLES.values()],
                trials=trials,
                seed=seed,
                on_progress=on_progress,
            )
        )
        return FittedAffinity(
            table=learned,
            fitted=self._agreement(learned, cells, ratings, held_out),
            start=self._agreement(TABLES[self.start], cells, ratings, held_out),
            correlation=correlation,
            trials=trials,
            seed=seed,
            search=self.search.identity,
            train_pairs=int((~held_out).sum()),
            held_out_pairs=int(held_out.sum()),
            skipped=tuple(skipped),
        )

    def _agreement(
        self, table: AffinityTable, cells: _Cells, ratings: Array, held_out: npt.NDArray[np.bool_]
    ) -> AgreementRow:
        scores = cells.scores(table.read_as())
        train, tested = (
            {
                key: zero_where_undefined(measured, scores[part], ratings[part])
                for key, measured in self.correlations.items()
            }
            for part in (~held_out, held_out)
        )
        return AgreementRow(table=table.identity, train=train, held_out=tested)

    def _check(self, name: str, correlation: str, trials: int) -> None:
        problems = []
        try:
            evolve(TABLES[DEFAULT_TABLE], name=name)
        except ValueError as error:
            problems.append(str(error))
        if correlation not in self.correlations:
            problems.append(f"correlation must be one of {', '.join(self.correlations)}, not {correlation!r}")
        if trials < 1:
            problems.append(f"trials must be 1 or more, not {trials}")
        if problems:
            raise ConfigurationError(problems)

    def _cells(self, pairs: Sequence[AnnotatedPair]) -> tuple[list[AnnotatedPair], _Cells, list[tuple[str, str]]]:
        """The pairs that can be scored, what their scores are made of, and why the others cannot be."""
        readable, read, skipped = [], [], []
        for start in range(0, len(pairs), _BATCH):
            batch = pairs[start : start + _BATCH]
            for rated, outcome in zip(batch, self.reader.read([rated.pair for rated in batch]), strict=True):
                if isinstance(outcome, Unscored):
                    skipped.append((rated.pair.id, outcome.reason))
                elif not outcome.reference and not outcome.candidate:
                    skipped.append((rated.pair.id, "no entities"))
                else:
                    readable.append(rated)
                    read.append(outcome)
        return readable, _Cells.of_pairs(read), skipped


_BATCH: Final = 256
_FEWEST_STUDIES: Final = 5
_TEST_SHARE: Final = 0.2


@frozen(eq=False)
class _Cells:
    """Matches of each pair in each cell of W, type of the scored entity x type of its match.

    Attributes:
        sums, counts: of the similarities of the matches, and of the matches; 2 directions x pairs x 25.
    """

    sums: Array = field(repr=False)
    counts: Array = field(repr=False)

    @classmethod
    def of_pairs(cls, pairs: Sequence[EntityPair]) -> _Cells:
        any_table = TABLES[DEFAULT_TABLE].read_as()  # matches do not depend on it
        rows = []
        for pair in pairs:
            reference, candidate = ([entity.type for entity in side] for side in (pair.reference, pair.candidate))
            result = ratescore(reference, candidate, pair.similarities, any_table, pair.back)
            rows.append(
                (
                    _in_cells(result.candidate_matches, candidate, reference),
                    _in_cells(result.reference_matches, reference, candidate),
                )
            )
        sums, counts = np.array(rows).reshape(-1, 2, 2, len(TYPES) ** 2).transpose(2, 1, 0, 3)
        return cls(sums, counts)

    def of(self, chosen: npt.NDArray[np.bool_]) -> _Cells:
        """Those of some of the pairs."""
        return _Cells(self.sums[:, chosen], self.counts[:, chosen])

    def scores(self, affinity: Affinity) -> Array:
        """RaTEScore of each pair under a table."""
        weights = affinity.weights.ravel()
        totals = self.sums @ (weights * affinity.penalties.ravel())
        return harmonic_mean(*weighted_mean(totals, self.counts @ weights))


def _table(name: str, orientation: Orientation, penalty: PenaltyRule, point: Array) -> AffinityTable:
    """W and p of a point of the search."""
    weights = point[:-1].reshape(len(TYPES), len(TYPES))
    rows = weights.T if orientation is Orientation.PAPER else weights
    return AffinityTable(name=name, weights=rows.tolist(), p=point[-1], orientation=orientation, penalty=penalty)


def _in_cells(
    matches: Sequence[EntityMatch], scored: Sequence[EntityType], others: Sequence[EntityType]
) -> tuple[Array, Array]:
    """Sum of the similarities, and number, of the matches in each cell of W."""
    cells = [TYPES.index(scored[m.entity]) * len(TYPES) + TYPES.index(others[m.match]) for m in matches]
    size, at = len(TYPES) ** 2, np.array(cells, dtype=np.intp)
    sums = np.bincount(at, weights=[match.similarity for match in matches], minlength=size)
    return sums.astype(np.float64), np.bincount(at, minlength=size).astype(np.float64)


def _held_out(studies: Sequence[str], seed: int) -> npt.NDArray[np.bool_]:
    """Mask of the pairs that belong to the held-out fifth of the studies."""
    names, study = np.unique(np.array(studies, dtype=object), return_inverse=True)
    if len(names) < _FEWEST_STUDIES:
        needed = f"fitting needs at least {_FEWEST_STUDIES} studies (or, without studies, references)"
        raise ConfigurationError([f"{needed} that can be read; there are {len(names)}"])
    order = np.random.default_rng(seed).permutation(len(names))
    return np.isin(study, order[: round(_TEST_SHARE * len(names))])


def _check_ratings(ratings: Array, held_out: npt.NDArray[np.bool_]) -> None:
    for part, name in ((~held_out, "fitted on"), (held_out, "held out")):
        if np.ptp(ratings[part]) == 0:
            raise ConfigurationError([f"all pairs {name} have the same rating: nothing can agree with it"])
