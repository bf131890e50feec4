"""Figures of a card, each from the scores of its pairs alone: higher badness is worse, whichever way a metric runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from attrs import define, field

from overread.application.statistics import Estimate, Resampling, estimate, estimate_mean, preference_accuracy
from overread.application.statistics.measures import MEASURES
from overread.application.statistics.proportions import wilson
from overread.application.statistics.tabulation import Cell
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Scale
from overread.domain.results.scores import MetricScores
from overread.studies.application.cards.material import CardMaterial, GradedStep
from overread.studies.application.cards.ranked import CANDIDATE_KINDS
from overread.studies.application.meta_evaluation.baselines import (
    like_for_like,
    predict_from_candidates,
    word_overlap,
)
from overread.studies.application.meta_evaluation.evaluation import DIFFERENT_CARE, Mask, MetaEvaluation, Values
from overread.studies.application.synthesis.edits.categories import Subset

__all__ = ["BLIND", "NEW_WORDS", "REGIONS", "CardFigures", "candidate_alone", "region_of", "word_overlaps"]

BLIND: Final = "candidate alone"
NEW_WORDS: Final = "words in common"

_CLOSE: Final = 1e-3
"""Share of the spread below which a score has not changed: rounding of a network, no more."""

_NEAR_BEST: Final = 1e-4

_ENOUGH: Final = 10
"""References below which draws of them tell too little: their intervals come out too narrow."""

REGIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "abdomen": ("abdomen-gen", "abdominal-imaging", "abdominal-fellows"),
    "bones and joints": ("msk", "bones-and-joints", "musculoskeletal-fellows"),
    "head, neck and breast": ("neuro-breast", "neuro-head-breast", "neuroradiology", "breast-and-pelvis"),
    "children": ("paeds-ie", "neonatal", "childrens-hospital", "paediatric"),
    "ultrasound and vessels": ("ultrasound-vascular",),
    "tumours followed": ("oncology-ct", "oncology-follow-up", "oncology-clinic"),
}
"""Voices of the gold corpus that write of one region or kind of patient; the others write of the chest or of all."""

_OTHER_REGION: Final = "chest and mixed"


def region_of(voice: str) -> str:
    """The region that a voice of the gold corpus writes of."""
    return next((region for region, voices in REGIONS.items() if voice in voices), _OTHER_REGION)


def word_overlaps(pairs: Iterable[ReportPair]) -> MetricScores:
    """The words that both reports of each pair have in common, as if it were a metric: it reads nothing."""
    by_id = {pair.id: word_overlap(pair) for pair in pairs}
    return MetricScores.distributed(NEW_WORDS, by_id, higher_is_better=True)


def candidate_alone(material: CardMaterial) -> MetricScores:
    """Different care predicted from each candidate's words without its reference, learned from other studies."""
    by_id: dict[str, float] = {}
    for benchmark in material.whole.values():
        care = np.array([annotated.mean(DIFFERENT_CARE) for annotated in benchmark.pairs])
        predicted = predict_from_candidates(benchmark, care).tolist()
        by_id |= {each.pair.id: value for each, value in zip(benchmark.pairs, predicted, strict=True)}
    return MetricScores.distributed(BLIND, by_id, higher_is_better=False)


@define(eq=False, slots=False)
class CardFigures:
    """The figures of one metric, or of a baseline.

    Attributes:
        material: what was scored.
        scores: of every pair.
        scale: of the metric, None for a baseline.
        draws: of the bootstrap.
    """

    material: CardMaterial
    scores: MetricScores
    scale: Scale | None = None
    draws: int = 2000
    _known: dict[tuple[str, str], Cell] = field(factory=dict, init=False, repr=False)

    def once(self, table: str, row: str, figure: Callable[[CardFigures], Cell]) -> Cell:
        """A figure of a table, computed the first time that it is asked for: pages share what they show."""
        if (table, row) not in self._known:
            self._known[table, row] = figure(self)
        return self._known[table, row]

    def badness(self, ids: Sequence[str]) -> Values:
        """Scores of some pairs, higher is worse, NaN where there is none."""
        scores = np.asarray(self.scores.on(self.scores.scores, tuple(ids)), dtype=np.float64)
        return -scores if self.scores.higher_is_better else scores

    @cached_property
    def spread(self) -> float:
        """Standard deviation of the scores of the labelled pairs: the unit of changes."""
        values = self.badness([annotated.pair.id for annotated in self.material.annotated])
        values = values[np.isfinite(values)]
        return float(values.std()) or math.nan if values.size else math.nan

    def mean(self, values: Values, studies: Sequence[str]) -> Estimate:
        """A mean with its interval, whole studies drawn; None where no pair has a value."""
        if not np.isfinite(values).any():
            return Estimate(None)
        found = estimate_mean(values, Resampling.by_study(studies, draws=self.draws))
        return _drawn_from_enough(found, _studies_with(values, studies))

    def share(self, holds: Mask, known: Values, studies: Sequence[str]) -> Estimate:
        """Share of the pairs with a value of which something holds.

        Where it holds of all or of none every draw is the same, and of few studies draws tell too little: the interval
        is Wilson's over the studies there.
        """
        values = np.where(np.isfinite(known), holds.astype(np.float64), np.nan)
        among = _studies_with(values, studies)
        if not among:
            return Estimate(None)
        share = float(np.nanmean(values))
        if share in {0.0, 1.0} or among < _ENOUGH:
            return Estimate(share, *wilson(share, among))
        return self.mean(values, studies)

    # Identity and layout

    @cached_property
    def best_copies(self) -> Estimate:
        """Share of copies with the best score of the scale; None where the scale has no such end."""
        if self.scale is None:
            return Estimate(None)
        best = -self.scale.high if self.scale.higher_is_better else self.scale.low
        if not math.isfinite(best):
            return Estimate(None)
        copies = self.material.copies
        values = self.badness([pair.id for pair in copies.values()])
        return self.share(values <= best + _NEAR_BEST, values, list(copies))

    @cached_property
    def unbeaten_copies(self) -> Estimate:
        """Share of copies that no other candidate of their report is better than."""
        studies, values = [], []
        for study, pair in self.material.copies.items():
            others = [each.pair.id for each in self.material.annotated if each.study == study]
            if not others:
                continue
            (own,), rest = self.badness([pair.id]), self.badness(others)
            studies.append(study)
            known = np.isfinite(own) and np.isfinite(rest).any()
            values.append(float(own <= np.nanmin(rest) + _NEAR_BEST) if known else math.nan)
        unbeaten = np.array(values)
        return self.share(unbeaten > 0, unbeaten, studies)

    def layout_changes(self, group: str | None = None) -> tuple[Values, list[str]]:
        """Moves of scores by other layouts, in standard deviations, and the studies; of a group, or of all."""
        relaid = [each for each in self.material.relaid if group in (None, each.group)]
        before, after = (self.badness(ids) for ids in zip(*((r.plain, r.pair.id) for r in relaid), strict=True))
        return np.abs(after - before) / self.spread, [each.study for each in relaid]

    def layout_unchanged(self, group: str | None = None) -> Estimate:
        """Share of pairs whose score stays as it is in another layout."""
        changes, studies = self.layout_changes(group)
        return self.share(changes < _CLOSE, changes, studies)

    def layout_largest(self, group: str | None = None) -> float | None:
        """The largest change, in standard deviations."""
        changes, _ = self.layout_changes(group)
        return float(np.nanmax(changes)) if np.isfinite(changes).any() else None

    # Injected errors

    @cached_property
    def _falls(self) -> Values:
        """Falls below the copy by each injected change, in standard deviations."""
        made = self.badness([case.pair.id for case in self.material.injected])
        copies = self.badness([case.copy for case in self.material.injected])
        return (made - copies) / self.spread

    def _injected(self, what: str, name: str) -> tuple[Values, list[str]]:
        cases = self.material.injected
        chosen = np.array([(what, name) in case.kinds for case in cases])
        return np.where(chosen, self._falls, np.nan), [case.injected.study for case in cases]

    def falls(self, what: str, name: str) -> Estimate:
        """Share of injected changes of a kind that make the score worse."""
        values, studies = self._injected(what, name)
        return self.share(values > _CLOSE, values, studies)

    def mean_fall(self, what: str, name: str) -> Estimate:
        """Mean fall by changes of a kind, in standard deviations."""
        return self.mean(*self._injected(what, name))

    @cached_property
    def rewording_fall(self) -> Estimate:
        """Mean fall of free rewordings without an error below copies, in standard deviations."""
        ids, studies = self._rewordings()
        if not ids:
            return Estimate(None)
        best = self.badness([pair.id for pair in self.material.copies.values()])
        floor = np.nanmedian(best) if np.isfinite(best).any() else math.nan
        return self.mean((self.badness(ids) - floor) / self.spread, studies)

    def _rewordings(self) -> tuple[list[str], list[str]]:
        """Ids of free rewordings without any error, and their studies."""
        found = self.material.rewordings
        return [each.pair.id for each in found], [each.study for each in found]

    def harmful_told_from(self, other: str) -> Estimate:
        """AUROC of errors that matter among near copies ("harmless") or rewordings without an error."""
        harmful = [case for case in self.material.injected if case.injected.subset is Subset.DISCRIMINATION]
        if other == "harmless":
            harmless = [case for case in self.material.injected if case.injected.subset is Subset.ROBUSTNESS]
            ids, studies = [case.pair.id for case in harmless], [case.injected.study for case in harmless]
        else:
            ids, studies = self._rewordings()
        if not ids or not harmful:
            return Estimate(None)
        badness = self.badness([*(case.pair.id for case in harmful), *ids])
        marks = np.repeat([1.0, 0.0], [len(harmful), len(ids)])
        studies = [*(case.injected.study for case in harmful), *studies]
        return self.auroc(badness, marks, studies)

    def auroc(self, badness: Values, marks: Values, studies: Sequence[str]) -> Estimate:
        """AUROC with its interval."""
        if len(np.unique(marks[np.isfinite(badness)])) < 2:  # noqa: PLR2004 - both must be there
            return Estimate(None)
        found = estimate(MEASURES["auroc"], badness, marks, Resampling.by_study(studies, draws=self.draws))
        return _drawn_from_enough(found, _studies_with(badness, studies))

    # More errors

    @cached_property
    def further_errors(self) -> Estimate:
        """Share of steps, from the copy to four errors, at which one more error makes the score worse."""
        before, after = self._steps()
        changes = (self.badness([s.pair.id for s in after]) - self.badness(before)) / self.spread
        return self.share(changes > _CLOSE, changes, [step.study for step in after])

    @cached_property
    def four_errors(self) -> Estimate:
        """Share of reports that are worse with four errors than with one."""
        steps = self.material.graded
        most = max((step.errors for step in steps), default=0)
        ends = [[step for step in steps if step.errors == errors] for errors in (1, most)]
        one, four = (self.badness([step.pair.id for step in end]) for end in ends)
        changes = (four - one) / self.spread
        return self.share(changes > _CLOSE, changes, [step.study for step in ends[0]])

    def _steps(self) -> tuple[list[str], list[GradedStep]]:
        by_place = {(step.study, step.errors): step.pair.id for step in self.material.graded}
        before = [by_place.get((s.study, s.errors - 1), f"copy {s.study}") for s in self.material.graded]
        return before, list(self.material.graded)

    # People's order of candidates

    def ranking(self, what: str, kinds: tuple[str, str] | None = None) -> Estimate:
        """Share of pairs of candidates of one reference that are ordered rightly, tied or without a score.

        Args:
            what: "right", "tie" or "unscored".
            kinds: of the candidates, in any order; all where omitted.
        """
        values, studies = [], []
        if not any(case.pair_id(CANDIDATE_KINDS[0]) in self.scores.place for case in self.material.ranked):
            return Estimate(None)
        for case in self.material.ranked:
            for better, worse in case.agreed():
                if kinds is not None and {better, worse} != set(kinds):
                    continue
                good, bad = self.badness([case.pair_id(better), case.pair_id(worse)]).tolist()
                lead = (bad - good) / self.spread
                if math.isnan(lead):
                    verdict = "unscored"
                elif abs(lead) < _CLOSE:
                    verdict = "tie"
                else:
                    verdict = "right" if lead > 0 else "wrong"
                values.append(float(verdict == what))
                studies.append(case.id)
        verdicts = np.array(values)
        return self.share(verdicts > 0, verdicts, studies)

    # Tricks

    def tricks_beating(self, name: str | None = None, *, findings: bool = True) -> Estimate:
        """Share of tricks, or of references on which one trick, that score better than an honest attempt or like it.

        Args:
            name: of the trick; all where omitted.
            findings: whether on references with findings or on normal ones.
        """
        tricks = [t for t in self.material.tricks if name in {None, t.name} and t.has_findings is findings]
        if not tricks:
            return Estimate(None)
        honest = self.badness([trick.honest for trick in tricks])
        tricked = self.badness([trick.pair.id for trick in tricks])
        known = np.isfinite(honest)
        beats = np.isfinite(tricked) & (tricked <= honest)
        return self.share(beats, np.where(known, 1.0, np.nan), [trick.reference for trick in tricks])

    @cached_property
    def tricks_unscored(self) -> Estimate:
        """Share of tricks without a score."""
        tricks = self.material.tricks
        values = self.badness([trick.pair.id for trick in tricks])
        return self.share(~np.isfinite(values), np.zeros(len(values)), [trick.reference for trick in tricks])

    # The gold corpus

    def _meta(self, setting: str) -> MetaEvaluation:
        return MetaEvaluation(self.material.settings[setting], (self.scores,), draws=self.draws)

    def agreement(self, setting: str, target: str = "rating") -> Estimate:
        """Kendall's tau-b with a target of a setting, by the score."""
        meta = self._meta(setting)
        (chosen,) = (each for each in meta.targets if each.name == target)
        badness = self.badness(meta.ids)
        return _drawn_from_enough(meta.estimate("kendall", badness, meta.people(chosen)), _known(meta, badness))

    def care(self, setting: str) -> Estimate:
        """AUROC of different care."""
        meta = self._meta(setting)
        badness = self.badness(meta.ids)
        return _drawn_from_enough(meta.estimate("auroc", badness, self._marks(meta)), _known(meta, badness))

    def care_shuffled(self, setting: str) -> Estimate:
        """The same with every candidate beside another study's reference: what is left is not reading."""
        meta = self._meta(setting)
        shuffled = self.badness([pair.id for pair in self.material.shuffled[setting]])
        return _drawn_from_enough(meta.estimate("auroc", shuffled, self._marks(meta)), _known(meta, shuffled))

    def care_of_like_overlap(self, setting: str) -> Estimate:
        """The same among pairs that share as many words."""
        meta = self._meta(setting)
        overlap = np.array([word_overlap(annotated.pair) for annotated in meta.benchmark.pairs])
        badness = self.badness(meta.ids)
        found = like_for_like(badness, self._marks(meta), overlap, meta.resampling)
        return _drawn_from_enough(found, _known(meta, badness))

    def preferred(self, setting: str) -> Estimate:
        """Share of two differently rated candidates of one reference of which the better is found; a tie is half."""
        meta = self._meta(setting)
        asked = meta.benchmark.preferences
        badness = dict(zip(meta.ids, self.badness(meta.ids).tolist(), strict=True))
        margins = np.array([badness[each.second] - badness[each.first] for each in asked], dtype=np.float64)
        votes = np.array([each.votes for each in asked], dtype=np.float64)
        if not np.isfinite(margins).any():
            return Estimate(None)
        resampling = Resampling.by_study([each.study for each in asked], draws=self.draws)
        found = preference_accuracy(margins, votes, resampling).accuracy
        return _drawn_from_enough(found, _studies_with(margins, [each.study for each in asked]))

    @staticmethod
    def _marks(meta: MetaEvaluation) -> Values:
        (care,) = (target for target in meta.targets if target.name == DIFFERENT_CARE)
        return meta.marks(care)

    # Coverage

    def unscored(self, stratum: str | None = None, value: str = "") -> Estimate:
        """Share of the labelled pairs without a score, of all or of a stratum ("modality" or "region")."""
        chosen = [
            annotated
            for annotated in self.material.annotated
            if stratum is None
            or value
            == (region_of(annotated.strata["voice"]) if stratum == "region" else annotated.strata.get(stratum, ""))
        ]
        if not chosen:
            return Estimate(None)
        values = self.badness([annotated.pair.id for annotated in chosen])
        return self.share(~np.isfinite(values), np.zeros(len(values)), [annotated.study for annotated in chosen])

    def orders_like(self, other: CardFigures) -> bool:
        """Tell whether another metric scores alike but for unit and direction: all figures are then the same."""
        ids = [pair.id for pair in self.material.pairs()]
        ours, theirs = self.badness(ids), other.badness(ids)
        known = np.isfinite(ours)
        if not np.array_equal(known, np.isfinite(theirs)) or math.isnan(self.spread) or math.isnan(other.spread):
            return False
        difference = ours[known] / self.spread - theirs[known] / other.spread
        return bool(np.ptp(difference) < _CLOSE)


def _studies_with(values: Values, studies: Sequence[str]) -> int:
    """Number of studies with a value."""
    return len({studies[row] for row in np.flatnonzero(np.isfinite(values))})


def _known(meta: MetaEvaluation, badness: Values) -> int:
    """Number of studies of a setting with a score."""
    return _studies_with(badness, [annotated.study for annotated in meta.benchmark.pairs])


def _drawn_from_enough(found: Estimate, studies: int) -> Estimate:
    """An estimate, without its interval where it was drawn from few studies."""
    return found if studies >= _ENOUGH else Estimate(found.value)
