"""Metrics as reward functions for training report generators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import isfinite
from typing import Any, Final

from attrs import define, field, frozen

from overread.application.scoring.pairs import checked_choice, told_rows
from overread.application.scoring.process_service import ProcessService
from overread.domain.reports.report import ReportPair
from overread.domain.results.readout import TARGETS
from overread.domain.results.result import EvaluationResult, Fault, Scale, Unscored
from overread.domain.results.reward import as_reward
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import ConfigurationError, InputError

__all__ = ["Grade", "Reward"]

Completion = str | Sequence[Mapping[str, Any]]
"""A report, or a conversation whose last message is the report."""

_ON_UNIT: Final = Scale(0.0, 1.0, higher_is_better=True)
_COUNTED_FROM_ZERO: Final = Scale(0.0, float("inf"), higher_is_better=False)
_COUNTS: Final = (*TARGETS, "critical", "errors", "risk", *(category.value for category in ErrorCategory))
"""Subscores of which less is better, whichever metric has them."""

_GRADED: Final = "reward"
"""The subscore that is a reward as it is."""


@frozen
class Grade:
    """Reward of a completion, and where it is from.

    Attributes:
        reward: from 0 to 1; None where it is left out.
        is_scored: whether a score is behind it, or it stands in the place of one.
    """

    reward: float | None
    is_scored: bool


@define(eq=False, slots=False)
class Reward:
    """Rewards for generated reports, from 0 to 1, higher is better.

    It is called as TRL calls reward functions: with a batch of completions, and the columns of the data set by name.
    Every process that calls it builds a scorer of its own at its first call: it may be forked, or pickled and sent.

    Attributes:
        metric: which metric scores.
        reference: name of the column with the radiologist's reports, one for each completion.
        subscore: rewards this named number of errors or of risk, 0 or more, instead of the score; "reward" is given as
            it is.
        unscored: reward of a pair that could not be scored for its reference's sake, or because what scores failed;
            None leaves it out of TRL's mean. A completion that has no score with any reference has 0.
        service: of each process that calls it.
        on_error: "fail" or "skip": whether a reference or a completion that is no text ends the call, or its row has
            no score: `unscored` for its reference's sake, 0 for its completion's.

    Raises:
        ConfigurationError: if ``unscored`` is no number on [0, 1], or ``subscore`` or ``on_error`` is none of these.
    """

    metric: str
    reference: str
    subscore: str | None
    unscored: float | None
    service: ProcessService = field(repr=False)
    on_error: str = "fail"

    def __attrs_post_init__(self) -> None:
        checked_choice(self.on_error)
        if self.unscored is not None and (isinstance(self.unscored, bool | str) or not 0.0 <= self.unscored <= 1.0):
            raise ConfigurationError([f"unscored must be a reward from 0 to 1, or None, not {self.unscored!r}"])
        if self.subscore is not None and self.subscore not in (_GRADED, *_COUNTS):
            raise ConfigurationError(
                [f"a reward needs {_GRADED!r}, a count of errors or a risk, one of {', '.join(_COUNTS)}"]
            )

    @property
    def __name__(self) -> str:
        """Name under which trainers log it."""
        return "_".join(["overread", self.metric.partition(":")[0], *([self.subscore] if self.subscore else [])])

    def __call__(self, *, completions: Sequence[Completion], **columns: Any) -> list[float | None]:
        """The reward of each completion, in order.

        Args:
            completions: reports as text, or conversations that end in one.
            columns: must hold the references under the name given. If TRL's ``log_metric`` is among them, it is told
                the share of completions without a score, as "rewards/NAME/unscored"; the others are not looked at.

        Raises:
            InputError: if there are no references or not as many as completions; and under "fail" if any is no text:
                it names every such row.
            ConfigurationError: if there is no such metric, or it has no such subscore.
        """
        references = columns.get(self.reference)
        if references is None:
            there = ", ".join(sorted(columns)) or "none"
            remedy = f"name the column with reward(..., reference=...); there are {there}"
            raise InputError("reward", f"no column {self.reference!r} with the references", remedy=remedy)
        grades = self.grade(completions, references)
        if grades and callable(log := columns.get("log_metric")):
            log(f"rewards/{self.__name__}/unscored", sum(not grade.is_scored for grade in grades) / len(grades))
        return [grade.reward for grade in grades]

    def grade(self, completions: Sequence[Completion], references: Sequence[Any]) -> list[Grade]:
        """The reward of each completion, in order, and whether a score is behind it.

        Args:
            completions: reports as text, or conversations that end in one.
            references: the radiologist's report for each.

        Raises:
            InputError, ConfigurationError: as a call.
        """
        rows = _rows(completions, references)
        bad = [(number, row.problem) for number, row in enumerate(rows, start=1) if isinstance(row, _Bad)]
        if bad and self.on_error == "fail":
            raise told_rows("reward", bad, len(rows), remedy='on_error="skip" goes on without them')
        results = iter(self.service.get().evaluate([row for row in rows if isinstance(row, ReportPair)]))
        name = self.metric.partition(":")[0]
        return [
            self._grade(next(results)[name]) if isinstance(row, ReportPair) else self._without(row.fault)
            for row in rows
        ]

    def _grade(self, result: EvaluationResult) -> Grade:
        if isinstance(result.outcome, Unscored):
            return self._without(result.outcome.fault)
        if self.subscore is None:
            return Grade(as_reward(result.score, result.scale), is_scored=True)
        number = result.subscores.get(self.subscore)
        if number is None:
            known = ", ".join(name for name in result.subscores if name in (_GRADED, *_COUNTS)) or "none"
            raise ConfigurationError([f"{self.metric} has no subscore {self.subscore!r} to reward; it has {known}"])
        if not isfinite(number):
            return Grade(self.unscored, is_scored=False)
        return Grade(as_reward(number, _ON_UNIT if self.subscore == _GRADED else _COUNTED_FROM_ZERO), is_scored=True)

    def _without(self, fault: Fault | None) -> Grade:
        """The reward of a pair without a score."""
        return Grade(0.0 if fault is Fault.CANDIDATE else self.unscored, is_scored=False)


@frozen
class _Bad:
    """A row that holds no pair: what is wrong with it, and whose text it is."""

    problem: str
    fault: Fault


def _rows(completions: Sequence[Completion], references: Sequence[Any]) -> list[ReportPair | _Bad]:
    if isinstance(completions, str) or isinstance(references, str):
        raise InputError("reward", "completions and references come in lists, one text each")
    if isinstance(completions, AbstractSet) or isinstance(references, AbstractSet):
        raise InputError("reward", "completions and references come in lists; a set has no order")
    if len(references) != len(completions):
        raise InputError("reward", f"{len(references)} references for {len(completions)} completions")
    return [
        _row(row, reference, completion)
        for row, (reference, completion) in enumerate(zip(references, completions, strict=True), start=1)
    ]


def _row(row: int, reference: object, completion: Completion) -> ReportPair | _Bad:
    try:
        report = _text(reference, "reference")
    except TypeError as error:
        return _Bad(str(error), Fault.REFERENCE)
    try:
        return ReportPair(id=str(row), reference=report, candidate=_report(completion))
    except TypeError as error:
        return _Bad(str(error), Fault.CANDIDATE)


def _report(completion: Completion) -> str:
    """The report of a completion. Its last message may hold parts, as those with pictures do, or only call tools."""
    if isinstance(completion, str):
        return completion
    last = completion[-1] if isinstance(completion, Sequence) and completion else None
    if not isinstance(last, Mapping):
        raise TypeError(f"the completion is {type(completion).__name__}, neither text nor messages")
    content = last.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        texts = [part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        return "".join(_text(text, "completion's part") for text in texts)
    return "" if content is None else _text(content, "completion")


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"the {name} is {type(value).__name__}, not text")
    return value
