"""A plugin that loads, and whose metrics then break every rule of conduct, each in its own way."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attrs import frozen

from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scale, Scored
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec, NoOptions

SCALE = Scale(0.0, 1.0, higher_is_better=True)


@frozen
class UnrulyMetric:
    """Does what it is told with each batch."""

    act: Callable[[Any], Any]
    signature_parts: Any = (("unruly", "1"),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> Sequence[Outcome]:
        return self.act(pairs)  # type: ignore[no-any-return]


def leaves(_: Any) -> Any:
    sys.exit(0)


def interrupts(_: Any) -> Any:
    raise KeyboardInterrupt


def quotes(pairs: Any) -> Any:
    raise ValueError(pairs[0].candidate.text)


def sorts(pairs: Any) -> Any:
    pairs.sort(key=lambda pair: pair.candidate.text)
    return words(pairs)


def words(pairs: Any) -> Any:
    return [Scored(score="high") for _ in pairs]  # type: ignore[arg-type]


def prints(pairs: Any) -> Any:
    for pair in pairs:
        print("printed", pair.id)
    return [Scored(score=1.0) for _ in pairs]


def hangs(_: Any) -> Any:
    time.sleep(600)


def _metric(name: str, metric: Callable[[], Any]) -> MetricSpec:
    def build(_options: NoOptions, _components: Components) -> Any:
        return metric()

    return MetricSpec(name=name, version="1.0", summary=f"{name} at every call", scale=SCALE, factory=build)


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """One metric a misdeed."""
    acts = [leaves, interrupts, quotes, sorts, words, prints, hangs]
    return [
        *(_metric(act.__name__, lambda act=act: UnrulyMetric(act)) for act in acts),  # type: ignore[misc]
        _metric("nameless", lambda: UnrulyMetric(words, None)),
        _metric("unbuilt", lambda: sys.exit(0)),
    ]
