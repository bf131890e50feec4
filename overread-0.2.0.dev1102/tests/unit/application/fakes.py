"""Adapters that count, refuse and break, for tests of what orchestrates them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attrs import define, evolve, field

from overread.application.metrics.pair_reader import PairReader
from overread.application.ports import Extraction, Metric
from overread.application.scoring.evaluate import NamedMetric
from overread.domain.differences.cost import PairCosts
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.alignment import Alignment
from overread.domain.results.result import EvaluationResult, Outcome, Scale, Scored
from overread.testing import FakeAligner, FakeExtractor

SHARE = Scale(0.0, 1e6, higher_is_better=True)


def pair(identifier: str, reference: str, candidate: str) -> ReportPair:
    return ReportPair(id=identifier, reference=reference, candidate=candidate)


@define
class CountingExtractor:
    """The fake extractor, and every batch of texts it was given."""

    identity: str = "counting"
    inner: FakeExtractor = field(factory=FakeExtractor)
    batches: list[list[str]] = field(factory=list)

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        self.batches.append([report.text for report in reports])
        return self.inner.extract(reports)

    @property
    def texts(self) -> list[str]:
        """Every text it was given, in order."""
        return [text for batch in self.batches for text in batch]


@define
class CountingAligner:
    """The fake aligner, and the shape of every plan it was asked for."""

    identity: str = "counting"
    inner: FakeAligner = field(factory=FakeAligner)
    shapes: list[tuple[int, ...]] = field(factory=list)

    def align(self, costs: Sequence[PairCosts]) -> list[Alignment]:
        self.shapes.extend(cost.ground["text"].shape for cost in costs)
        return self.inner.align(costs)


def reader(**parts: Any) -> PairReader:
    """A reader over counting fakes, or over what is given."""
    return PairReader(**{"extractor": CountingExtractor(), "aligner": CountingAligner(), **parts})


@define
class ScriptedMetric:
    """Answers each batch as a function says, and keeps the ids it was asked for; by itself it scores text length."""

    answer: Callable[[Sequence[ReportPair]], Any] | None = None
    signature_parts: Sequence[tuple[str, str]] = (("script", "1"),)
    batches: list[list[str]] = field(factory=list)

    def evaluate(self, pairs: Sequence[ReportPair]) -> Any:
        self.batches.append([pair.id for pair in pairs])
        return [length(pair) for pair in pairs] if self.answer is None else self.answer(pairs)

    @property
    def ids(self) -> list[str]:
        """Every id it was asked for, in order."""
        return [identifier for batch in self.batches for identifier in batch]


def length(of: ReportPair) -> Outcome:
    """A score that tells pairs apart."""
    return Scored(score=float(len(of.candidate.text)), subscores={"reference": float(len(of.reference.text))})


def named(metric: Metric, name: str = "script", **more: Any) -> NamedMetric:
    return NamedMetric(name=name, version="1.0", scale=SHARE, metric=metric, **more)


@define
class FakeStore:
    """Keeps results in memory by text, metric and signature; counts what is asked of it."""

    kept: dict[tuple[str, str, str, str], EvaluationResult] = field(factory=dict)
    finds: list[list[str]] = field(factory=list)
    adds: list[tuple[str, list[str]]] = field(factory=list)

    def find(self, pairs: Sequence[ReportPair], metric: str, signature: str) -> list[EvaluationResult | None]:
        self.finds.append([p.id for p in pairs])
        known = [self.kept.get((p.reference.text, p.candidate.text, metric, signature)) for p in pairs]
        return [evolve(k, pair_id=p.id) if k is not None else None for k, p in zip(known, pairs, strict=True)]

    def add(self, run: str, pairs: Sequence[ReportPair], results: Iterable[EvaluationResult]) -> None:
        self.adds.append((run, [p.id for p in pairs]))
        for p, result in zip(pairs, results, strict=True):
            self.kept[(p.reference.text, p.candidate.text, result.metric, str(result.signature))] = result


@define
class FakeLog:
    """Keeps what it is told."""

    told: list[tuple[str, dict[str, object]]] = field(factory=list)

    def warning(self, event: str, **values: object) -> None:
        self.told.append((event, values))
