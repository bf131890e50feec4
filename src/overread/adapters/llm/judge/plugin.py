"""Registers the judge metric and its judges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from overread.adapters.llm.judge.options import JudgeLimits, OnePassOptions, TwoPassOptions
from overread.application.asking.inquiry import Inquiry
from overread.application.metrics.judge import JUDGE_SCALE, JudgeMetric
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, MetricSpec

if TYPE_CHECKING:
    from overread.adapters.llm.judge.one_pass import OnePassJudge
    from overread.adapters.llm.judge.two_pass import TwoPassJudge

__all__ = ["overread_judges", "overread_metrics"]

_VERSION: Final = "1.1"


def _one_pass(options: OnePassOptions, components: Components) -> OnePassJudge:
    from overread.adapters.llm.judge.one_pass import OnePassJudge
    from overread.application.asking.prompts import load_prompt

    _check(options)
    return OnePassJudge(
        prompt=load_prompt("one-pass", options.prompt),
        inquiry=_inquiry(options, components),
        max_tokens=options.max_tokens,
        threshold=options.threshold,
    )


def _two_pass(options: TwoPassOptions, components: Components) -> TwoPassJudge:
    from overread.adapters.llm.judge.criteria import load_criteria
    from overread.adapters.llm.judge.two_pass import TwoPassJudge
    from overread.application.asking.prompts import load_prompt

    _check(options)
    places = ("reference", "candidate", "span", "aspect")
    return TwoPassJudge(
        detection=load_prompt("span-detection", options.detection_prompt),
        severity=load_prompt("severity", options.severity_prompt, places=places),
        criteria=load_criteria(options.criteria),
        inquiry=_inquiry(options, components),
        max_tokens=options.max_tokens,
        threshold=options.threshold,
    )


def _check(options: JudgeLimits) -> None:
    problems = []
    if options.repairs < 0:
        problems.append("repairs must be at least 0")
    if options.max_tokens < 1:
        problems.append("max_tokens must be at least 1")
    if not 0.0 < options.threshold <= 1.0:
        problems.append("threshold must be above 0 and at most 1")
    if problems:
        raise ConfigurationError(problems)


def _inquiry(options: JudgeLimits, components: Components) -> Inquiry:
    return Inquiry(components.get("model"), components.get("answers"), options.repairs)


def _judge(_: object, components: Components) -> JudgeMetric:
    return JudgeMetric(components.get("judge"))


@hookimpl
def overread_judges() -> Iterable[ComponentSpec]:
    """The one-pass and the two-pass judge."""
    return (
        ComponentSpec(
            name="one-pass",
            version=_VERSION,
            summary="a language model names differences and their severity in one answer; needs a model",
            factory=_one_pass,
            options=OnePassOptions,
        ),
        ComponentSpec(
            name="two-pass",
            version=_VERSION,
            summary="a language model names differences, then judges each by its aspect's criteria; needs a model",
            factory=_two_pass,
            options=TwoPassOptions,
        ),
    )


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """judge."""
    return (
        MetricSpec(
            name="judge",
            version=_VERSION,
            summary="clinically significant differences that a judge names (ReEvalMed)",
            scale=JUDGE_SCALE,
            factory=_judge,
            backend="language model",
        ),
    )
