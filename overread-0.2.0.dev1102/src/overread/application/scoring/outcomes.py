"""Outcomes: what a metric must return for each pair, held at run time whoever wrote the metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from attrs import evolve

from overread.application.contracts import discrepancy_problem, is_number, unscored_problem
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Evidence, Outcome, Scale, Scored, Unscored
from overread.exceptions import OverreadError

__all__ = ["ROUNDING", "OutcomeError", "checked_outcomes"]

ROUNDING: Final = 1e-9
"""A score may lie this far beyond its scale by floating-point rounding."""

_EVIDENCE: Final = get_args(Evidence)


class OutcomeError(OverreadError):
    """A metric returned what is no outcome for each pair. The message holds nothing of it."""


def checked_outcomes(outcomes: object, pairs: Sequence[ReportPair], scale: Scale) -> list[Outcome]:
    """The outcome of each pair; one that is not sound leaves its pair unscored, and says what is wrong with it.

    Numbers that other libraries make, such as numpy's, become Python's.

    Raises:
        OutcomeError: if they are no sequence with one outcome a pair.
    """
    if not isinstance(outcomes, Sequence) or isinstance(outcomes, str):
        raise OutcomeError(f"the metric returned {type(outcomes).__name__}, which is not a sequence of outcomes")
    if len(outcomes) != len(pairs):
        raise OutcomeError(f"the metric returned {len(outcomes)} outcomes for {len(pairs)} pairs")
    return [_sound(outcome, pair, scale) for outcome, pair in zip(outcomes, pairs, strict=True)]


def _sound(outcome: object, pair: ReportPair, scale: Scale) -> Outcome:
    if isinstance(outcome, Unscored):
        problem = unscored_problem(outcome)
        return Unscored("error", f"the metric {problem}") if problem else outcome
    if not isinstance(outcome, Scored):
        return Unscored("error", f"the metric returned {type(outcome).__name__}, which is not an outcome")
    problem = _problem(outcome, pair)
    if problem:
        return Unscored("error", f"the metric {problem}")
    if number := _not_a_number(outcome):
        return Unscored("not a number", f"the metric returned {number}")
    if not scale.low - ROUNDING <= outcome.score <= scale.high + ROUNDING:
        return Unscored("out of range", f"the metric returned {outcome.score:g}, its scale is {scale.describe()}")
    return _plain(outcome)


def _problem(outcome: Scored, pair: ReportPair) -> str:
    """Problem with anything about a score except its numbers."""
    if not isinstance(outcome.subscores, Mapping) or not all(isinstance(name, str) for name in outcome.subscores):
        return "returned subscores that are not a mapping from names to numbers"
    if outcome.evidence is not None and not isinstance(outcome.evidence, _EVIDENCE):
        return f"returned {type(outcome.evidence).__name__}, which is not evidence"
    if not isinstance(outcome.notes, tuple) or not all(isinstance(note, str) for note in outcome.notes):
        return "returned notes that are not a tuple of texts"
    if not isinstance(outcome.truncated, bool):
        return "did not say with True or False whether a report was cut"
    return discrepancy_problem(pair, outcome.discrepancies)


def _not_a_number(outcome: Scored) -> str:
    """The first of a score's values that isn't a finite number: the value itself, or the type if it isn't a float."""
    for name, value in (("score", outcome.score), *outcome.subscores.items()):
        if not is_number(value):
            shown = str(value) if isinstance(value, float) and not math.isfinite(value) else type(value).__name__
            return shown if name == "score" else f"{shown} for the subscore {name!r}"
    return ""


def _plain(outcome: Scored) -> Scored:
    values: tuple[Any, ...] = (outcome.score, *outcome.subscores.values())
    if all(type(value) is float for value in values):
        return outcome
    subscores = {name: float(value) for name, value in outcome.subscores.items()}
    return evolve(outcome, score=float(outcome.score), subscores=subscores)
