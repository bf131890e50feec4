"""Value of a flag in a department: how often it is right there, what it misses, and how much work it makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from overread.application.statistics.estimating import Estimate
from overread.application.statistics.proportions import Share
from overread.application.statistics.tabulation import Cell, Column, Curve, Curves, Table, Tabulation
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import Importance
from overread.exceptions import InputError
from overread.hospital.application.observations import Observation
from overread.hospital.domain.audit_signal import SIGNAL

__all__ = [
    "BUDGETS",
    "LEAST_POSITIVE",
    "BudgetWorth",
    "FlagTarget",
    "FlagWorth",
    "FlagsWorth",
    "predictive_value",
    "worth_of_flags",
]

LEAST_POSITIVE: Final = 10
"""Reviewed pairs with what is looked for, and as many without: with fewer, sensitivity is anybody's guess. Ours."""

BUDGETS: Final = (5, 10, 20, 50, 100)
"""Pairs a day that a department may have time for."""

_RISKS: Final = tuple(tenth / 10 for tenth in range(1, 10))
_STEPS: Final = (Importance.URGENT, Importance.ACTIONABLE, Importance.FOLLOW_UP, Importance.INCIDENTAL)

_NOTES: Final = (
    f"A {SIGNAL}.",
    (
        "Estimated from a drawn sample of which every scored pair was reviewed: each pair counts for those that "
        "it stands for. The figures hold for the pairs that the sample was drawn from, at their own prevalence."
    ),
    (
        "Sensitivity: share of the discordant pairs that the flag is on. Specificity: share of the others that it is "
        "not on. PPV: share of the flagged pairs that are discordant. NPV: share of the others that are not."
    ),
)


class FlagTarget(StrEnum):
    """Target of a flag, as people confirm it."""

    DISCORDANT = "discordant"
    """RADPEER 2b, 3a or 3b."""

    MAJOR = "major"
    """RADPEER 2b or 3b."""

    def has(self, observation: Observation) -> bool:
        """Return whether a reviewed pair is one."""
        score = observation.radpeer
        return score is not None and (score.is_major if self is FlagTarget.MAJOR else not score.is_concordant)


@frozen(kw_only=True)
class FlagWorth:
    """A threshold, and what comes of flagging all pairs from it on.

    Attributes:
        flag: in words, such as "risk 0.4 or more".
        importance, risk: the threshold; one of them is None.
        sensitivity, specificity, ppv, npv: shares on [0, 1], higher is better, with 95 % intervals over the effective
            number of pairs (linearised for the weights).
        load: flagged pairs a day, with its interval.
    """

    flag: str
    importance: Importance | None
    risk: float | None
    sensitivity: Estimate
    specificity: Estimate
    ppv: Estimate
    npv: Estimate
    load: Estimate


@frozen(kw_only=True)
class BudgetWorth:
    """Yield of reviewing so many pairs from the top of the worklist each day.

    Attributes:
        reviewed: pairs a day; fewer than asked for where there are not as many.
        found: discordant pairs among them a day that may be expected, with its interval.
        sensitivity: share of all discordant pairs that these are.
    """

    reviewed: float
    found: Estimate
    sensitivity: Estimate


@frozen(kw_only=True)
class FlagsWorth:
    """Value of flags in the pairs that a sample was drawn from.

    Attributes:
        sample: its number.
        target: what is looked for.
        reviewed: pairs of the sample that count.
        positive: of them with what is looked for.
        unscored: pairs of the sample without a score, which no flag can be on; they are left out.
        prevalence: share with what is looked for, with its interval.
        pairs_a_day: that the figures a day are for.
        flags: by threshold, the strictest of each kind first.
        budgets: by pairs a day.
    """

    sample: int
    target: FlagTarget
    reviewed: int
    positive: int
    unscored: int
    prevalence: Estimate
    pairs_a_day: float
    flags: tuple[FlagWorth, ...] = field(converter=in_tuple)
    budgets: tuple[BudgetWorth, ...] = field(converter=in_tuple)

    def tabulation(self) -> Tabulation:
        """Tables and curves that every view can show."""
        return Tabulation(
            name="flags",
            title="Value of a flag here",
            tables=(_flag_table(self.flags), _budget_table(self.budgets), _sample_table(self)),
            plots=(_curves(self),),
            facts={"sample": str(self.sample), "reviewed": self.reviewed, "positive": self.positive},
            notes=(*_NOTES, _looked_for(self.target)),
        )


def predictive_value(sensitivity: float, specificity: float, prevalence: float) -> float:
    """Share of flagged pairs that have what is looked for (PPV), by Bayes.

    >>> round(predictive_value(0.80, 0.95, 0.013), 3)
    0.174
    """
    right, wrong = sensitivity * prevalence, (1 - specificity) * (1 - prevalence)
    return right / (right + wrong)


def worth_of_flags(
    observations: Iterable[Observation],
    *,
    sample: int,
    target: FlagTarget = FlagTarget.DISCORDANT,
    pairs_a_day: float | None = None,
) -> FlagsWorth:
    """Value of every threshold, from a drawn sample whose scored pairs were all reviewed.

    Args:
        observations: the pairs of the sample.
        sample: its number.
        target: what a flag shall find.
        pairs_a_day: how many come in; where omitted, what the sample stands for over the days from its first
            examination to its last.

    Raises:
        InputError: if a scored pair is not reviewed, or too few have, or lack, what is looked for.
    """
    every = list(observations)
    scored = [each for each in every if each.is_scored]
    _check(scored, target)
    if pairs_a_day is None:
        pairs_a_day = _pairs_a_day(scored)
    prevalence = _share(scored, target)
    return FlagsWorth(
        sample=sample,
        target=target,
        reviewed=len(scored),
        positive=sum(map(target.has, scored)),
        unscored=len(every) - len(scored),
        prevalence=prevalence.estimate,
        pairs_a_day=pairs_a_day,
        flags=[
            *(_by_importance(scored, step, target, pairs_a_day) for step in _STEPS),
            *(_by_risk(scored, risk, target, pairs_a_day) for risk in reversed(_RISKS)),
        ],
        budgets=[_budget(scored, reviewed, target, pairs_a_day) for reviewed in BUDGETS],
    )


def _check(scored: Sequence[Observation], target: FlagTarget) -> None:
    open_pairs = sum(each.radpeer is None for each in scored)
    if not scored:
        raise InputError("sample", "none of its pairs has a score")
    if open_pairs:
        problem = f"{open_pairs} of its {len(scored)} scored pairs have no confirmed RADPEER score"
        raise InputError("sample", problem, remedy="review them: those that somebody chose say nothing of the others")
    positive = sum(map(target.has, scored))
    if min(positive, len(scored) - positive) < LEAST_POSITIVE:
        problem = f"{positive} of its {len(scored)} reviewed pairs are {target.value}"
        remedy = f"at least {LEAST_POSITIVE} that are, and as many that are not, must be reviewed: draw a larger sample"
        raise InputError("sample", problem, remedy=remedy)


def _pairs_a_day(scored: Sequence[Observation]) -> float:
    days = [each.at.date() for each in scored]
    return sum(each.weight for each in scored) / ((max(days) - min(days)).days + 1)


def _by_importance(
    scored: Sequence[Observation], step: Importance, target: FlagTarget, pairs_a_day: float
) -> FlagWorth:
    flagged = [each.importance is not None and each.importance.weight >= step.weight for each in scored]
    words = "importance urgent" if step is Importance.URGENT else f"importance {step.words} or graver"
    return _worth(words, scored, flagged, target, pairs_a_day, importance=step)


def _by_risk(scored: Sequence[Observation], risk: float, target: FlagTarget, pairs_a_day: float) -> FlagWorth:
    flagged = [each.risk is not None and each.risk >= risk for each in scored]
    return _worth(f"risk {risk:.1f} or more", scored, flagged, target, pairs_a_day, risk=risk)


def _worth(
    words: str,
    scored: Sequence[Observation],
    flagged: Sequence[bool],
    target: FlagTarget,
    pairs_a_day: float,
    *,
    importance: Importance | None = None,
    risk: float | None = None,
) -> FlagWorth:
    sensitivity, specificity, ppv, npv, load = (Share() for _ in range(5))
    for each, flag in zip(scored, flagged, strict=True):
        positive = target.has(each)
        load.count(flag, each.weight)
        if positive:
            sensitivity.count(flag, each.weight)
        else:
            specificity.count(not flag, each.weight)
        if flag:
            ppv.count(positive, each.weight)
        else:
            npv.count(not positive, each.weight)
    return FlagWorth(
        flag=words,
        importance=importance,
        risk=risk,
        sensitivity=sensitivity.estimate,
        specificity=specificity.estimate,
        ppv=ppv.estimate,
        npv=npv.estimate,
        load=_times(load.estimate, pairs_a_day),
    )


def _budget(scored: Sequence[Observation], reviewed: int, target: FlagTarget, pairs_a_day: float) -> BudgetWorth:
    """The top of the worklist in its usual order; a pair that the budget ends in is counted in part."""
    reviewed_a_day = min(float(reviewed), pairs_a_day)
    left = sum(each.weight for each in scored) * reviewed_a_day / pairs_a_day
    found, sensitivity = Share(), Share()
    for each in sorted(scored, key=_rank, reverse=True):
        taken = min(max(left, 0.0), each.weight)
        left -= each.weight
        for weight, is_reviewed in ((taken, True), (each.weight - taken, False)):
            if weight > 0:
                found.count(is_reviewed and target.has(each), weight)
                if target.has(each):
                    sensitivity.count(is_reviewed, weight)
    return BudgetWorth(
        reviewed=reviewed_a_day, found=_times(found.estimate, pairs_a_day), sensitivity=sensitivity.estimate
    )


def _rank(each: Observation) -> tuple[float, float]:
    importance = -1.0 if each.importance is None else each.importance.weight
    return importance, -1.0 if each.risk is None else each.risk


def _share(scored: Sequence[Observation], target: FlagTarget) -> Share:
    share = Share()
    for each in scored:
        share.count(target.has(each), each.weight)
    return share


def _times(estimate: Estimate, factor: float) -> Estimate:
    ends = (None if end is None else end * factor for end in (estimate.value, estimate.low, estimate.high))
    return Estimate(*ends)


def _looked_for(target: FlagTarget) -> str:
    scores = "2b or 3b" if target is FlagTarget.MAJOR else "2b, 3a or 3b"
    return f"Looked for: {target.value} pairs, to which a person gave RADPEER {scores}."


def _flag_table(flags: Sequence[FlagWorth]) -> Table:
    return Table(
        name="flags",
        title="By threshold",
        columns=(
            Column(name="flag", title="Flag"),
            Column(name="sensitivity", title="Sensitivity", digits=2, percent=True),
            Column(name="specificity", title="Specificity", digits=2, percent=True),
            Column(name="ppv", title="PPV", digits=2, percent=True),
            Column(name="npv", title="NPV", digits=2, percent=True),
            Column(name="load", title="Pairs a day", digits=1),
        ),
        rows=tuple((each.flag, each.sensitivity, each.specificity, each.ppv, each.npv, each.load) for each in flags),
        note="With 95 % intervals. A share without a pair to count has no value.",
    )


def _budget_table(budgets: Sequence[BudgetWorth]) -> Table:
    return Table(
        name="budgets",
        title="By pairs reviewed a day",
        columns=(
            Column(name="reviewed", title="Reviewed a day"),
            Column(name="found", title="Discordant among them", digits=2),
            Column(name="sensitivity", title="Share of all discordant", digits=2, percent=True),
        ),
        rows=tuple((f"{each.reviewed:.0f}", each.found, each.sensitivity) for each in dict.fromkeys(budgets)),
        note="From the top of the worklist in its usual order, by importance and then by risk; an average day.",
    )


def _sample_table(worth: FlagsWorth) -> Table:
    return Table(
        name="sample",
        title="The sample",
        columns=(
            Column(name="sample", title="Sample"),
            Column(name="reviewed", title="Reviewed"),
            Column(name="positive", title=worth.target.value.capitalize()),
            Column(name="prevalence", title="Share of all pairs", digits=3, percent=True),
            Column(name="unscored", title="Unscored"),
            Column(name="pairs_a_day", title="Pairs a day", digits=1),
        ),
        rows=(_sample_row(worth),),
    )


def _sample_row(worth: FlagsWorth) -> tuple[Cell, ...]:
    figures = (worth.reviewed, worth.positive, worth.prevalence, worth.unscored, worth.pairs_a_day)
    return (str(worth.sample), *figures)


def _curves(worth: FlagsWorth) -> Curves:
    by_kind = {
        "by importance": [each for each in worth.flags if each.importance is not None],
        "by risk": [each for each in worth.flags if each.risk is not None],
    }
    return Curves(
        name="flags-curves",
        title="Sensitivity and review load",
        x_title="share of pairs flagged",
        y_title="share of discordant pairs flagged",
        square=True,
        curves=tuple(
            Curve(
                label=kind,
                points=tuple(
                    (each.load.value / worth.pairs_a_day, each.sensitivity.value)
                    for each in flags
                    if each.load.value is not None and each.sensitivity.value is not None
                ),
            )
            for kind, flags in by_kind.items()
        ),
    )
