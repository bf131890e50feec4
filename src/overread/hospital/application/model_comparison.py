"""Comparison of a model that was learned from reviews with the present one, on later pairs, by site."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.statistics import (
    DRAWS,
    Estimate,
    Measure,
    Resampling,
    compare_means,
    compare_measures,
    estimate,
    estimate_mean,
)
from overread.application.statistics.correlations import Kendall
from overread.application.statistics.screening import AreaUnderRoc
from overread.application.statistics.tabulation import Cell, Column, Table, Tabulation
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import Severity
from overread.hospital.application.standing_pairs import Least, StandingPair
from overread.hospital.domain.judgement import STEPS

__all__ = ["ALL_SITES", "Claims", "ComparedMeasure", "Comparison", "ModelComparison", "Outcome", "compare_models"]

Numbers = npt.NDArray[np.float64]

ALL_SITES: Final = "all sites"


class ComparedMeasure(StrEnum):
    """Figures by which models are compared."""

    ORDER = "order"
    """Kendall's tau-b of radot's score and the gravest severity of the verdict."""

    SIGNIFICANT = "significant"
    """Area under the ROC curve of radot's score for pairs with a significant discrepancy."""

    CLAIMS = "claims"
    """Mean squared error of the probability that a second reader gives each discrepancy, which holds or does not."""

    @property
    def higher_is_better(self) -> bool:
        """False for an error."""
        return self is not ComparedMeasure.CLAIMS


class Outcome(StrEnum):
    """Outcome of a comparison, by the order of all sites' pairs."""

    BETTER = "better"
    """The interval of the difference is above 0."""

    WORSE = "worse"
    """It is below 0."""

    NOT_SHOWN = "not shown to be better"
    """It includes 0, or there is none."""


@frozen(kw_only=True)
class Claims:
    """Discrepancies of the first reading of a pair, and what is thought of each.

    Attributes:
        holds: whether the verdict confirms it.
        present, fitted: probability that either reader gives it.
    """

    holds: tuple[bool, ...] = field(converter=in_tuple)
    present: tuple[float, ...] = field(converter=in_tuple)
    fitted: tuple[float, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class Comparison:
    """One figure of both models over the pairs of one site, or of all.

    Attributes:
        measure: what is measured.
        site: name of the site, or `ALL_SITES`.
        pairs: number of later pairs.
        wrong: of these, with a discrepancy.
        significant: of these, with a significant one.
        support: rows that the figure is over: pairs that both models score, or discrepancies.
        present, fitted: the figures, with their 95 % intervals over patients.
        difference: fitted less present.
    """

    measure: ComparedMeasure
    site: str
    pairs: int
    wrong: int
    significant: int
    support: int
    present: Estimate
    fitted: Estimate
    difference: Estimate


@frozen(kw_only=True)
class ModelComparison:
    """Comparison of two models, all sites first, then each.

    Attributes:
        rows: by measure and site.
        unscored: number of later pairs that one of the models cannot score.
        draws, seed: of the intervals.
    """

    rows: tuple[Comparison, ...] = field(converter=in_tuple)
    unscored: int
    draws: int
    seed: int

    def of(self, measure: ComparedMeasure, site: str = ALL_SITES) -> Comparison:
        """The row of a measure and a site."""
        return next(row for row in self.rows if (row.measure, row.site) == (measure, site))

    @property
    def outcome(self) -> Outcome:
        """Outcome of the fitted model by the order of all pairs."""
        difference = self.of(ComparedMeasure.ORDER).difference
        if difference.low is not None and difference.low > 0:
            return Outcome.BETTER
        if difference.high is not None and difference.high < 0:
            return Outcome.WORSE
        return Outcome.NOT_SHOWN

    @property
    def worse_at(self) -> tuple[str, ...]:
        """Sites at which the fitted model orders the pairs worse, the interval of the difference being below 0."""
        rows = (row for row in self.rows if row.measure is ComparedMeasure.ORDER and row.site != ALL_SITES)
        return tuple(row.site for row in rows if row.difference.high is not None and row.difference.high < 0)

    @property
    def words(self) -> str:
        """The outcome in a sentence."""
        sentence = {
            Outcome.BETTER: "The fitted model is better: it orders the later pairs more as reviewers do.",
            Outcome.WORSE: "The fitted model is WORSE: it orders the later pairs less as reviewers do.",
            Outcome.NOT_SHOWN: (
                "The fitted model is NOT shown to be better: the interval of the difference in order includes 0."
            ),
        }[self.outcome]
        return sentence + (f" At {' and '.join(self.worse_at)} it is worse." if self.worse_at else "")

    def tabulation(self) -> Tabulation:
        """Tables that every view can show; no text of a report is in them."""
        measures = dict.fromkeys(row.measure for row in self.rows)
        notes = [self.words]
        if self.unscored:
            notes.append(f"Later pairs in no figure, since one of the models cannot score them: {self.unscored}.")
        return Tabulation(
            name="fitted-model",
            title="Fitted and present model on later pairs",
            tables=(_support_table(self.rows), *(self._table(measure) for measure in measures)),
            facts={"draws": self.draws, "seed": self.seed},
            notes=tuple(notes),
        )

    def _table(self, measure: ComparedMeasure) -> Table:
        rows = [row for row in self.rows if row.measure is measure]
        title, note = _TITLES[measure]
        return Table(
            name=measure.value,
            title=title,
            columns=(
                Column(name="site", title="site"),
                Column(name="support", title="n"),
                Column(name="present", title="present", digits=2),
                Column(name="fitted", title="fitted", digits=2),
                Column(name="difference", title="difference", digits=2),
            ),
            rows=tuple((row.site, row.support, row.present, row.fitted, row.difference) for row in rows),
            note=note,
        )


_TITLES: Final[Mapping[ComparedMeasure, tuple[str, str]]] = {
    ComparedMeasure.ORDER: (
        "Order by risk",
        (
            "Kendall's tau-b of radot's score and the gravest severity of the verdict, -1 to 1, higher is better; 95 % "
            "intervals over patients, of the difference by the paired bootstrap. n: pairs."
        ),
    ),
    ComparedMeasure.SIGNIFICANT: (
        "Significant ones ahead",
        (
            "How often a pair with a significant discrepancy has a higher score than one without, 0 to 1, 0.5 is "
            "chance; likewise."
        ),
    ),
    ComparedMeasure.CLAIMS: (
        "Chances of discrepancies",
        (
            "Mean squared error of the chance told that a discrepancy is confirmed, 0 to 1, lower is better; likewise. "
            "n: discrepancies."
        ),
    ),
}


def compare_models(
    later: Sequence[StandingPair],
    present: Sequence[float],
    fitted: Sequence[float],
    claims: Sequence[Claims | None] | None = None,
    *,
    least: Least,
    draws: int = DRAWS,
    seed: int = 0,
) -> ModelComparison:
    """Compare what two models make of the same pairs.

    Args:
        later: pairs that the fitted one did not learn from.
        present: score of each by the present model, higher is worse; NaN without one.
        fitted: the same by the fitted model.
        claims: discrepancies of each pair, where second readers are compared; None for a pair that tells of none.
        least: number of pairs of a site from which there are figures of it.
        draws: of the intervals.
        seed: of the draws.
    """
    sets = _Sets(later, np.asarray(present), np.asarray(fitted), least, draws, seed)
    rows = [*sets.compare(ComparedMeasure.ORDER), *sets.compare(ComparedMeasure.SIGNIFICANT)]
    if claims is not None:
        rows += sets.compare_claims(claims)
    unscored = sum(math.isnan(one) or math.isnan(other) for one, other in zip(present, fitted, strict=True))
    return ModelComparison(rows=rows, unscored=unscored, draws=draws, seed=seed)


class _Sets:
    """Later pairs, all and by site, with the scores of both models."""

    def __init__(
        self, later: Sequence[StandingPair], present: Numbers, fitted: Numbers, least: Least, draws: int, seed: int
    ) -> None:
        self._later, self._least, self._draws, self._seed = later, least, draws, seed
        unscored = ~(np.isfinite(present) & np.isfinite(fitted))
        self._present, self._fitted = (np.where(unscored, np.nan, scores) for scores in (present, fitted))
        self._sites = [pair.site for pair in later]

    def compare(self, measure: ComparedMeasure) -> Iterator[Comparison]:
        """Yield the figures of a measure of scores."""
        if measure is ComparedMeasure.ORDER:
            figure: Measure = Kendall()
            people = np.array([_step(pair) for pair in self._later], dtype=np.float64)
        else:
            figure = AreaUnderRoc()
            people = np.array([float(pair.significant > 0) for pair in self._later])
        resampling = self._resampling([pair.patient for pair in self._later])
        for site, inside in self._parts(self._sites):
            told = np.where(inside, people, np.nan)
            yield self._row(
                measure,
                site,
                int((inside & np.isfinite(self._present)).sum()),
                estimate(figure, self._present, told, resampling),
                estimate(figure, self._fitted, told, resampling),
                compare_measures(figure, self._fitted, self._present, told, resampling).difference,
            )

    def compare_claims(self, claims: Sequence[Claims | None]) -> Iterator[Comparison]:
        """Yield the errors of the probabilities of discrepancies."""
        told = [(pair, each) for pair, each in zip(self._later, claims, strict=True) if each is not None]
        rows = [
            (pair.site, pair.patient, (present - held) ** 2, (fitted - held) ** 2)
            for pair, each in told
            for held, present, fitted in zip(each.holds, each.present, each.fitted, strict=True)
        ]
        present, fitted = (np.array([row[column] for row in rows], dtype=np.float64) for column in (2, 3))
        resampling = self._resampling([patient for _, patient, _, _ in rows])
        for site, inside in self._parts([site for site, *_ in rows]):
            before, after = (np.where(inside, errors, np.nan) for errors in (present, fitted))
            yield self._row(
                ComparedMeasure.CLAIMS,
                site,
                int(inside.sum()),
                estimate_mean(before, resampling),
                estimate_mean(after, resampling),
                compare_means(after, before, resampling).difference,
            )

    def _resampling(self, patients: Sequence[str]) -> Resampling:
        return Resampling.by_study(patients, draws=self._draws, seed=self._seed)

    def _parts(self, sites: Sequence[str]) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
        """Yield all rows, then those of each site."""
        of_row = np.array(sites, dtype=object)
        yield ALL_SITES, np.ones(len(of_row), dtype=np.bool_)
        for site in sorted(set(self._sites)):
            yield site, of_row == site

    def _row(
        self,
        measure: ComparedMeasure,
        site: str,
        support: int,
        present: Estimate,
        fitted: Estimate,
        difference: Estimate,
    ) -> Comparison:
        pairs = [pair for pair in self._later if site in {ALL_SITES, pair.site}]
        is_few = site != ALL_SITES and len(pairs) < self._least.of_a_site
        return Comparison(
            measure=measure,
            site=site,
            pairs=len(pairs),
            wrong=sum(bool(pair.named) for pair in pairs),
            significant=sum(pair.significant > 0 for pair in pairs),
            support=support,
            present=Estimate(None) if is_few else present,
            fitted=Estimate(None) if is_few else fitted,
            difference=Estimate(None) if is_few else difference,
        )


def _step(pair: StandingPair) -> int:
    severities: list[Severity | None] = [None, *(each.severity for each in pair.named)]
    return max(STEPS.index(severity) for severity in severities)


def _support_table(rows: Sequence[Comparison]) -> Table:
    """The pairs that figures are over."""
    counted = [row for row in rows if row.measure is ComparedMeasure.ORDER]
    cells: list[tuple[Cell, ...]] = [(row.site, row.pairs, row.wrong, row.significant) for row in counted]
    return Table(
        name="support",
        title="Later pairs",
        columns=(
            Column(name="site", title="site"),
            Column(name="pairs", title="pairs"),
            Column(name="wrong", title="with a discrepancy"),
            Column(name="significant", title="significant"),
        ),
        rows=tuple(cells),
        note="As the verdicts that stand have it.",
    )
