"""Agreement of the readers of a protocol with one another, with what was decided, and of the program with each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.statistics.estimating import Estimate
from overread.application.statistics.kappas import Level, Weighting, cohen_kappa, fleiss_kappa, krippendorff_alpha
from overread.application.statistics.resampling import DRAWS, Resampling
from overread.application.statistics.tabulation import Cell, Column, Forest, ForestRow, Table, Tabulation
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import Importance
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.rates import UNTOLD
from overread.hospital.domain.audit_signal import SIGNAL
from overread.hospital.domain.judgement import STEPS, Judgement

__all__ = ["PROGRAM", "VERDICT", "Agreement", "Case", "GroupAgreement", "RaterPair", "agreement_of"]

PROGRAM: Final = "overread"
"""Name of the program among raters."""

VERDICT: Final = "verdict"
"""Name of what was decided, among raters: the adjudicated review, or what the readers agree on."""

_NONE: Final = "none"
_TWO: Final = 2
_WARNING: Final = f"The program's ratings are a {SIGNAL}; agreement with it is no measure of a reader."
_VERDICT_NOTE: Final = (
    "The verdict is the adjudicated review or, where the readers agree, what they agree on: with that each of them "
    "agrees by definition. Pairs that wait for adjudication have none."
)
_MISSING: Final = "Only reviews that were made for the protocol count, and none that was given after unblinding."

Matrix = npt.NDArray[np.float64]


@frozen(kw_only=True)
class Case:
    """A pair as its raters judge it.

    Attributes:
        importance: of the program's gravest significant discrepancy; None for none.
        modality: of the examination; "" where not told.
        readings: by reader.
        program: the program's judgement; None without a result.
        verdict: what was decided; None where nothing is.
    """

    importance: Importance | None = None
    modality: str = ""
    readings: Mapping[str, Judgement] = field(factory=dict)
    program: Judgement | None = None
    verdict: Judgement | None = None


@frozen(kw_only=True)
class RaterPair:
    """Agreement of two raters beyond chance, each figure from less than 0 to 1, higher is better, with its interval.

    Attributes:
        one, other: the raters.
        pairs: that both rated.
        significant: Cohen's kappa on whether a discrepancy is significant.
        linear, quadratic: weighted kappas on the gravest severity: none, insignificant, significant, critical.
        concordant: Cohen's kappa on whether RADPEER scores are concordant; no value without scores.
    """

    one: str
    other: str
    pairs: int
    significant: Estimate
    linear: Estimate
    quadratic: Estimate
    concordant: Estimate


@frozen(kw_only=True)
class GroupAgreement:
    """Agreement of all readers with one another in a group of pairs; figures as in `RaterPair`.

    Attributes:
        by: what makes the groups: "all", "importance", "modality" or "category".
        name: of the group.
        pairs: with two readings or more.
        fleiss: Fleiss' kappa on whether a discrepancy is significant; of a category, on whether one of it is seen.
        nominal: Krippendorff's alpha on the same.
        ordinal: Krippendorff's alpha on the gravest severity; none for a category.
    """

    by: str
    name: str
    pairs: int
    fleiss: Estimate
    nominal: Estimate
    ordinal: Estimate


@frozen(kw_only=True)
class Agreement:
    """Agreement within a reading protocol.

    Attributes:
        protocol: its number.
        pairs: that have a reading.
        readers: each two readers with one another.
        verdict: each reader, and the program, with what was decided.
        program: the program with each reader.
        groups: all readers together: over all pairs, and by importance, modality and category.
        draws: of the intervals.
    """

    protocol: int
    pairs: int
    readers: tuple[RaterPair, ...] = field(converter=in_tuple)
    verdict: tuple[RaterPair, ...] = field(converter=in_tuple)
    program: tuple[RaterPair, ...] = field(converter=in_tuple)
    groups: tuple[GroupAgreement, ...] = field(converter=in_tuple)
    draws: int = DRAWS

    def tabulation(self) -> Tabulation:
        """Tables and forest plots that every view can show; no text of a report is in them."""
        titles = {
            "readers": "Readers with each other",
            "verdict": "Readers and program with the verdict",
            "program": "Program with each reader",
        }
        by_name = {name: getattr(self, name) for name in titles}
        return Tabulation(
            name="agreement",
            title="Agreement of readers",
            tables=(
                _groups_table(self.groups),
                *(_pairs_table(name, titles[name], rows) for name, rows in by_name.items()),
            ),
            plots=tuple(_forest(name, titles[name], rows) for name, rows in by_name.items() if rows),
            facts={"protocol": str(self.protocol), "pairs": self.pairs, "draws": self.draws},
            notes=(_WARNING, _VERDICT_NOTE, _MISSING),
        )


def agreement_of(
    protocol: int, cases: Sequence[Case], readers: Sequence[str], *, draws: int = DRAWS, seed: int = 0
) -> Agreement:
    """Agreement over the pairs of a protocol; intervals are over pairs.

    Args:
        protocol: its number.
        cases: its pairs that have a reading.
        readers: names, in order.
        draws: of the intervals.
        seed: of the draws.
    """
    resampling = Resampling.by_row(len(cases), draws=draws, seed=seed)
    raters = _Raters(cases, readers, resampling)
    names = list(readers)
    return Agreement(
        protocol=protocol,
        pairs=len(cases),
        readers=[raters.of(one, other) for place, one in enumerate(names) for other in names[place + 1 :]],
        verdict=[raters.of(name, VERDICT) for name in (*names, PROGRAM)],
        program=[raters.of(PROGRAM, name) for name in names],
        groups=list(raters.groups()),
        draws=draws,
    )


class _Raters:
    """Ratings of all raters, a column each, and what comes of them."""

    def __init__(self, cases: Sequence[Case], readers: Sequence[str], resampling: Resampling) -> None:
        self._cases = cases
        self._readers = list(readers)
        self._resampling = resampling
        self._significant = self._rate(lambda judgement: float(judgement.is_significant))
        self._severity = self._rate(lambda judgement: float(judgement.step))
        self._concordant = self._rate(_concordance)

    def of(self, one: str, other: str) -> RaterPair:
        """The agreement of two raters."""
        both = np.isfinite(self._severity[one]) & np.isfinite(self._severity[other])
        steps = len(STEPS)
        return RaterPair(
            one=one,
            other=other,
            pairs=int(both.sum()),
            significant=self._kappa(self._significant, one, other, _TWO),
            linear=self._kappa(self._severity, one, other, steps, Weighting.LINEAR),
            quadratic=self._kappa(self._severity, one, other, steps, Weighting.QUADRATIC),
            concordant=self._kappa(self._concordant, one, other, _TWO),
        )

    def groups(self) -> Iterator[GroupAgreement]:
        """The agreement of all readers, over all pairs and by what they are about."""
        yield self._group("all", "all pairs", np.ones(len(self._cases), dtype=np.bool_))
        importances = [case.importance.words if case.importance else _NONE for case in self._cases]
        steps = [*(step.words for step in Importance), _NONE]
        for name in (step for step in steps if step in importances):
            yield self._group("importance", name, np.array([each == name for each in importances]))
        modalities = [case.modality for case in self._cases]
        for name in sorted(set(modalities)):
            yield self._group("modality", name or UNTOLD, np.array([each == name for each in modalities]))
        for category in ErrorCategory:
            seen = {category in judgement.categories for case in self._cases for judgement in case.readings.values()}
            if True in seen:
                yield self._category(category)

    def _kappa(
        self,
        ratings: Mapping[str, Matrix],
        one: str,
        other: str,
        categories: int,
        weighting: Weighting = Weighting.NONE,
    ) -> Estimate:
        return cohen_kappa(ratings[one], ratings[other], self._resampling, categories=categories, weighting=weighting)

    def _group(self, by: str, name: str, rows: npt.NDArray[np.bool_]) -> GroupAgreement:
        significant, severity = (
            np.where(rows[:, None], self._matrix(ratings), np.nan) for ratings in (self._significant, self._severity)
        )
        return GroupAgreement(
            by=by,
            name=name,
            pairs=int((np.isfinite(severity).sum(axis=1) >= _TWO).sum()),
            fleiss=fleiss_kappa(significant, self._resampling, categories=_TWO),
            nominal=krippendorff_alpha(significant, self._resampling, categories=_TWO),
            ordinal=krippendorff_alpha(severity, self._resampling, categories=len(STEPS), level=Level.ORDINAL),
        )

    def _category(self, category: ErrorCategory) -> GroupAgreement:
        ratings = self._matrix(self._rate(lambda judgement: float(category in judgement.categories)))
        return GroupAgreement(
            by="category",
            name=category.label,
            pairs=int((np.isfinite(ratings).sum(axis=1) >= _TWO).sum()),
            fleiss=fleiss_kappa(ratings, self._resampling, categories=_TWO),
            nominal=krippendorff_alpha(ratings, self._resampling, categories=_TWO),
            ordinal=Estimate(None),
        )

    def _matrix(self, ratings: Mapping[str, Matrix]) -> Matrix:
        """Ratings of the readers alone, rows x raters."""
        columns = [ratings[reader] for reader in self._readers]
        return np.stack(columns, axis=1)

    def _rate(self, rating: Callable[[Judgement], float]) -> dict[str, Matrix]:
        judged: dict[str, Iterable[Judgement | None]] = {
            reader: [case.readings.get(reader) for case in self._cases] for reader in self._readers
        }
        judged[PROGRAM] = [case.program for case in self._cases]
        judged[VERDICT] = [case.verdict for case in self._cases]
        return {
            name: np.array([np.nan if each is None else rating(each) for each in judgements], dtype=np.float64)
            for name, judgements in judged.items()
        }


def _concordance(judgement: Judgement) -> float:
    return float("nan") if judgement.radpeer is None else float(judgement.radpeer.is_concordant)


def _groups_table(groups: Sequence[GroupAgreement]) -> Table:
    columns = (
        Column(name="by", title="By"),
        Column(name="group", title="Group"),
        Column(name="pairs", title="Pairs"),
        Column(name="fleiss", title="Fleiss", digits=2),
        Column(name="nominal", title="Alpha", digits=2),
        Column(name="ordinal", title="Alpha, severity", digits=2),
    )
    rows: list[tuple[Cell, ...]] = [
        (group.by, group.name, group.pairs, group.fleiss, group.nominal, group.ordinal) for group in groups
    ]
    return Table(
        name="groups",
        title="All readers with one another",
        columns=columns,
        rows=tuple(rows),
        note="1 is perfect agreement, 0 that of chance, with 95 % intervals over pairs, higher is better. Fleiss' kappa"
        " and Krippendorff's alpha: on whether a discrepancy is significant, of a category on whether one of it is"
        " seen. Alpha, severity: ordinal, on the gravest severity.",
    )


def _pairs_table(name: str, title: str, rows: Sequence[RaterPair]) -> Table:
    return Table(
        name=name,
        title=title,
        columns=(
            Column(name="one", title="Rater"),
            Column(name="other", title="With"),
            Column(name="pairs", title="Pairs"),
            Column(name="significant", title="Kappa", digits=2),
            Column(name="linear", title="Linear", digits=2),
            Column(name="quadratic", title="Quadratic", digits=2),
            Column(name="concordant", title="RADPEER", digits=2),
        ),
        rows=tuple(
            (row.one, row.other, row.pairs, row.significant, row.linear, row.quadratic, row.concordant) for row in rows
        ),
        note="Cohen's kappa: on whether a discrepancy is significant; linear and quadratic: weighted, on the gravest"
        " severity; RADPEER: on whether scores are concordant (1 and 2a). 95 % intervals over pairs, higher is better.",
    )


def _forest(name: str, title: str, rows: Sequence[RaterPair]) -> Forest:
    return Forest(
        name=f"{name}-forest",
        title=title,
        x_title="Cohen's kappa, significant discrepancy",
        reference=0.0,
        rows=tuple(
            ForestRow(f"{row.one} and {row.other}", row.significant)
            for row in rows
            if row.significant.value is not None
        ),
    )
