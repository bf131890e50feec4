"""Checks common to all components: identity, and one answer per item whatever the batch."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any, Final, ParamSpec, TypeVar

from overread.application.contracts import is_number
from overread.application.ports import Identified, Request
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import PairCosts
from overread.domain.differences.second_reading import FirstReading
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import Unscored
from overread.plugins.catalogue import spec_problem
from overread.plugins.specs import Components, Spec
from overread.raised import describe_error
from overread.testing._components import FakeComponents
from overread.testing._fakes import SENTENCE

__all__ = [
    "BATCH_TOLERANCE",
    "ConformanceError",
    "Problems",
    "built_twice",
    "conclude",
    "conduct",
    "exits_told",
    "identity_problems",
    "near",
    "noted_problems",
    "quotes",
    "reading_problems",
    "unprintable",
    "unscored_problems",
]

Problems = Iterator[str]
T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

_QUOTED_WORDS: Final = 3
_CALLED: Final = {
    AlignedPair: "pair",
    FirstReading: "pair",
    Report: "report",
    str: "text",
    Request: "request",
    PairCosts: "costs",
}
BATCH_TOLERANCE: Final = 1e-6
"""Answers in another batch may differ by this much: solvers and networks round by the company they keep."""


class ConformanceError(AssertionError):
    """A component that is not as its port wants it. It can be sent from one process to another.

    Attributes:
        name: of the component.
        problems: all that is wrong, each in one line.
    """

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        self.name, self.problems = name, tuple(problems)
        super().__init__("\n- ".join([f"{name} does not conform:", *problems]))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.problems)


def exits_told(check: Callable[P, None]) -> Callable[P, None]:
    """A check that fails where the component leaves the process: a script would end there as if all were well."""

    @wraps(check)
    def check_exits(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            check(*args, **kwargs)
        except SystemExit as error:
            raise ConformanceError("the component", [f"it leaves the process: {describe_error(error)}"]) from error

    return check_exits


def conclude(spec: Spec, problems: Iterable[str]) -> None:
    """Raises a ConformanceError that lists the problems, if there are any."""
    distinct = list(dict.fromkeys(problems))
    if distinct:
        raise ConformanceError(spec.name, distinct)


def built_twice(spec: Spec, expected: type[Spec], options: Any, components: Components | None) -> tuple[Any, Any]:
    """Two components built alike, from a spec that the catalogue would accept."""
    if not isinstance(spec, expected):
        raise ConformanceError("the spec", [f"a {expected.__name__} is needed, not {type(spec).__name__}"])
    if problem := spec_problem(spec):
        conclude(spec, [problem])
    components = components or FakeComponents()
    options = spec.options() if options is None else options
    return spec.factory(options, components), spec.factory(options, components)


def identity_problems(built: Identified, twin: Identified) -> Problems:
    """Problems that keep an identity out of a signature."""
    if problem := unprintable(built.identity):
        yield f"identity {problem}"
    elif built.identity != twin.identity:
        yield "identity differs between two that are built alike"


def noted_problems(built: Any, twin: Identified) -> Problems:
    """The problems of `identity_problems`, and those that keep a note from being shown."""
    yield from identity_problems(built, twin)
    if not isinstance(built.note, str):
        yield "note must be text, empty where there is nothing to say"


def equal(one: object, other: object, _: float) -> bool:
    """Returns whether two answers are equal."""
    return one == other


def unprintable(identity: object) -> str:
    """The problem that keeps a text out of a signature, which is one line with bars between its parts."""
    if not isinstance(identity, str) or not identity.strip():
        return "must be text that is not empty"
    return "must hold no bar and no line break" if re.search(r"[|\r\n]", identity) else ""


def conduct(
    built: Any,
    twin: Any,
    items: Sequence[T],
    ask: Callable[[Any, Sequence[T]], Sequence[R]],
    faults: Callable[[T, Any], Problems],
    *,
    same: Callable[[R, R, float], bool] = equal,
    own: Callable[[Any, Any], Problems] = noted_problems,
    tolerance: float = BATCH_TOLERANCE,
) -> Problems:
    """All that is wrong with a component.

    Args:
        built: the component.
        twin: another, built alike.
        items: what to ask about.
        ask: the answers of a component, in order.
        faults: what is wrong with one answer.
        same: compares two answers within a tolerance.
        own: what is wrong with its identity.
        tolerance: by how much answers in another batch may differ.
    """
    items = tuple(items)  # as where reports are scored: who sorts what it is given fails
    yield from own(built, twin)
    answers = ask(built, items)
    yield from _behaviour(
        items, answers, lambda asked: ask(built, asked), lambda asked: ask(twin, asked), same, tolerance
    )
    for number, (item, answer) in enumerate(_pair_answers(items, answers), start=1):
        called = f"pair {item.id}" if isinstance(item, ReportPair) else f"{_CALLED[type(item)]} {number}"
        yield from (f"{called}: {problem}" for problem in faults(item, answer))


def unscored_problems(answer: Unscored, pair: ReportPair | None = None) -> Problems:
    """Problems of a reason: it is missing, or quotes a report of the pair."""
    if not isinstance(answer.reason, str) or not answer.reason:
        yield "Unscored must give a reason"
    if pair is not None and quotes(pair, f"{answer.reason} {answer.detail}"):
        yield "the reason quotes a report"


def reading_problems(report: Report, answer: object, kind: type, things: str) -> Problems:
    """Problems of what was read out of a report, apart from the content of each thing."""
    if isinstance(answer, Unscored):
        if report.is_blank:
            yield f"a blank report must be read, into no {things}"
        yield from unscored_problems(answer)
    elif not isinstance(answer, tuple) or not all(isinstance(thing, kind) for thing in answer):
        yield f"must be a tuple of {kind.__name__}, or Unscored"
    else:
        if report.is_blank and answer:
            yield f"a blank report must be read into no {things}"
        if any(later.start < thing.start for thing, later in pairwise(answer)):
            yield f"{things} must stand in reading order"


def _behaviour(
    items: tuple[T, ...],
    answers: Sequence[R],
    call: Callable[[Sequence[T]], Sequence[R]],
    twin_call: Callable[[Sequence[T]], Sequence[R]],
    same: Callable[[R, R, float], bool],
    tolerance: float,
) -> Problems:
    """Problems that any batch method may have."""
    empty = call(())
    if not isinstance(answers, Sequence) or not isinstance(empty, Sequence):
        yield f"must return a sequence, not {type(answers).__name__}"
        return
    if empty:
        yield f"an empty batch gives {len(empty)} answers"
    if len(answers) != len(items):
        yield f"{len(items)} items give {len(answers)} answers"
        return
    others = {
        "the same batch again gives other answers": (call(items), 0.0),
        "another that is built alike gives other answers": (twin_call(items), 0.0),
        "answers do not follow the order of the batch": (call(items[::-1])[::-1], tolerance),
        "an item alone has another answer than in a batch": ([r for i in items for r in call((i,))], tolerance),
    }
    for problem, (other, allowed) in others.items():
        if len(other) != len(answers) or not all(same(a, b, allowed) for a, b in zip(answers, other, strict=True)):
            yield problem


def _pair_answers(items: Sequence[T], answers: object) -> list[tuple[T, Any]]:
    """Each item with its answer; none where they do not match, which `_behaviour` tells."""
    if not isinstance(answers, Sequence) or len(answers) != len(items):
        return []
    return list(zip(items, answers, strict=True))


def near(one: float, other: float, tolerance: float) -> bool:
    """Returns whether two numbers differ by no more than a tolerance, or are faulty in the same way."""
    if not is_number(one) or not is_number(other):
        return repr(one) == repr(other)  # NaN is not equal to itself, and a faulty value is told on its own
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)


def quotes(pair: ReportPair, text: str) -> bool:
    """Returns whether a text contains a sentence of either report; fewer than three words may be there by chance."""
    sentences = [s for report in (pair.reference, pair.candidate) for s in SENTENCE.findall(report.text)]
    return any(sentence.strip() in text for sentence in sentences if len(sentence.split()) >= _QUOTED_WORDS)
