"""Verification that results can be made again: signatures of then and now, and the scores of a sample made anew."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence

from attrs import field, frozen

from overread.application.statistics.tabulation import Column, Table, Tabulation
from overread.domain.results.result import EvaluationResult, Scored, Unscored

__all__ = ["MetricCheck", "SampleCheck", "check_sample", "draw_sample", "tabulate_checks"]

_CLOSE = 1e-9
"""Largest relative or absolute difference of scores that are the same but for the processor's rounding."""


@frozen(kw_only=True)
class MetricCheck:
    """A metric of some results beside what is installed.

    Attributes:
        metric: its name.
        then: its signature in the results.
        now: its signature with what is installed; "" where it cannot be built.
        problem: why it cannot be built; "" where it can.
    """

    metric: str
    then: str
    now: str = ""
    problem: str = ""

    @property
    def is_same(self) -> bool:
        """True if scores made now are those of then."""
        return self.then == self.now

    def changes(self) -> Iterator[tuple[str, str, str]]:
        """The parts of the signature that differ: their names, and what they were and are; "" for none."""
        then, now = _parts(self.then), _parts(self.now)
        for name in dict.fromkeys((*then, *now)):
            if then.get(name) != now.get(name):
                yield name, then.get(name, ""), now.get(name, "")


@frozen(kw_only=True)
class SampleCheck:
    """A metric's results for some pairs beside those that were made anew.

    Attributes:
        metric: its name.
        compared: number of pairs.
        equal: of those, with the same outcome: score, subscores and discrepancies, or reason.
        largest: difference of scores; None where no pair is scored both times.
        differing: ids of pairs that are not equal, in order.
    """

    metric: str
    compared: int
    equal: int
    largest: float | None
    differing: tuple[str, ...] = field(repr=False)


def draw_sample(ids: Sequence[str], size: int, seed: int) -> list[str]:
    """Some of the ids, drawn without replacement, in their order; all where there are no more."""
    if len(ids) <= size:
        return list(ids)
    drawn = {*random.Random(seed).sample(range(len(ids)), size)}  # noqa: S311 - a sample, no secret
    return [name for place, name in enumerate(ids) if place in drawn]


def check_sample(metric: str, then: Mapping[str, EvaluationResult], now: Mapping[str, EvaluationResult]) -> SampleCheck:
    """Compares results by pair id; those in both count."""
    both = [name for name in then if name in now]
    differing = tuple(name for name in both if not _is_equal(then[name], now[name]))
    gaps = [
        abs(one.outcome.score - other.outcome.score)
        for one, other in ((then[name], now[name]) for name in both)
        if isinstance(one.outcome, Scored) and isinstance(other.outcome, Scored)
    ]
    return SampleCheck(
        metric=metric,
        compared=len(both),
        equal=len(both) - len(differing),
        largest=max(gaps, default=None),
        differing=differing,
    )


def _is_equal(one: EvaluationResult, other: EvaluationResult) -> bool:
    if isinstance(one.outcome, Unscored) or isinstance(other.outcome, Unscored):
        return (
            isinstance(one.outcome, Unscored)
            and isinstance(other.outcome, Unscored)
            and (one.outcome.reason == other.outcome.reason)
        )
    first, second = one.outcome, other.outcome
    return (
        _close(first.score, second.score)
        and first.subscores.keys() == second.subscores.keys()
        and all(_close(value, second.subscores[name]) for name, value in first.subscores.items())
        and [_kind(each) for each in first.discrepancies] == [_kind(each) for each in second.discrepancies]
    )


def _kind(found: object) -> tuple[object, ...]:
    names = ("category", "severity", "finding", "side", "reference_spans", "candidate_spans")
    return tuple(getattr(found, name) for name in names)


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _parts(signature: str) -> dict[str, str]:
    name, *parts = signature.split("|")
    named = (part.partition(":")[::2] for part in parts)
    return {"metric": name, **dict(named)} if signature else {}


def tabulate_checks(
    name: str,
    metrics: Sequence[MetricCheck],
    samples: Sequence[SampleCheck],
    environment: Sequence[tuple[str, str, str]],
    notes: Sequence[str] = (),
) -> Tabulation:
    """Tables "metrics", "signatures" where some differ, "sample" where one was made anew, and "environment".

    Args:
        name: of the results.
        metrics: each of them.
        samples: of those that could be made anew.
        environment: what is of another version now, as `Environment.changes` gives it.
        notes: remarks.
    """
    tables = [_metric_table(metrics)]
    if changed := [(check.metric, *change) for check in metrics if not check.problem for change in check.changes()]:
        tables.append(_change_table("signatures", "What differs in the signatures", ("Metric", "Part"), changed))
    if samples:
        tables.append(_sample_table(samples))
    if environment:
        tables.append(_change_table("environment", "What is of another version", ("What",), environment))
    return Tabulation(
        name="verify", title=f"Whether {name} can be made again", tables=tuple(tables), notes=tuple(notes)
    )


def _metric_table(metrics: Sequence[MetricCheck]) -> Table:
    rows = tuple(
        (check.metric, "yes" if check.is_same else "no", check.problem or ("" if check.is_same else "see below"))
        for check in metrics
    )
    return Table(
        name="metrics",
        title="Metrics",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="same", title="Same"),
            Column(name="problem", title="Why not"),
        ),
        rows=rows,
        note="Same: what is installed scores under the signature of the results.",
    )


def _sample_table(samples: Sequence[SampleCheck]) -> Table:
    return Table(
        name="sample",
        title="Pairs scored anew",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="pairs", title="Pairs"),
            Column(name="equal", title="Equal"),
            Column(name="largest", title="Largest difference", digits=9),
            Column(name="differing", title="First that differ"),
        ),
        rows=tuple(
            (check.metric, check.compared, check.equal, check.largest, ", ".join(check.differing[:3]))
            for check in samples
        ),
        note="Equal: the same score, subscores and discrepancies, or the same reason for no score.",
    )


def _change_table(name: str, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    columns = [*(Column(name=head.lower(), title=head) for head in heads)]
    columns += [Column(name="then", title="Then"), Column(name="now", title="Now")]
    cells = tuple(tuple(cell or "-" for cell in row) for row in rows)
    return Table(name=name, title=title, columns=tuple(columns), rows=cells)
