"""A sound plugin: a sentence extractor, an aligner without a solver, and a metric of report lengths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from attrs import field, frozen

from overread.domain.results.alignment import Alignment
from overread.domain.differences.cost import CostWeights, PairCosts
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import Outcome, Scale, Scored, Unscored
from overread.domain.findings.unit import ClinicalUnit
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, MetricSpec

_SENTENCE = re.compile(r"[^.\s][^.]*")


@frozen(kw_only=True)
class FixedOptions:
    """Options of fixed: the finding that every sentence is read as."""

    finding: str = field(default="nodule", metadata={"argument": True})


@frozen
class FixedUnitExtractor:
    """Reads every sentence as the same finding."""

    options: FixedOptions

    @property
    def identity(self) -> str:
        return f"fixed,finding={self.options.finding}"

    def extract(self, reports: Sequence[Report]) -> list[tuple[ClinicalUnit, ...]]:
        return [tuple(self._unit(match) for match in _SENTENCE.finditer(report.text)) for report in reports]

    def _unit(self, sentence: re.Match[str]) -> ClinicalUnit:
        return ClinicalUnit(
            span_text=sentence.group(),
            start=sentence.start(),
            end=sentence.end(),
            canonical_finding=self.options.finding,
        )


@frozen(kw_only=True)
class DiagonalOptions:
    """Options of diagonal: whether it always spreads the mass evenly, square or not."""

    even: bool = False


@frozen
class DiagonalAligner:
    """Pairs units in order where both reports have as many, and spreads the mass evenly where they do not."""

    options: DiagonalOptions

    @property
    def identity(self) -> str:
        return f"diagonal,even={str(self.options.even).lower()}"

    def align(self, costs: Sequence[PairCosts]) -> list[Alignment]:
        return [self._aligned(pair) for pair in costs]

    def _aligned(self, costs: PairCosts) -> Alignment:
        ground = costs.weighted(CostWeights())
        rows, columns = ground.shape
        square = rows == columns and not self.options.even
        return Alignment(
            plan=np.eye(rows) / rows if square else np.full((rows, columns), 1 / (rows * columns)),
            ground=ground,
            channels=costs.ground,
            side=costs.side,
            row_mass=np.full(rows, 1 / rows),
            column_mass=np.full(columns, 1 / columns),
        )


@frozen(kw_only=True)
class LengthRatioOptions:
    """Options of length_ratio: what is counted, "words" or "characters"."""

    count: str = field(default="words", metadata={"argument": True})


@frozen
class LengthRatioMetric:
    """Length of the shorter report over that of the longer, 0 to 1; two blank reports are unscored."""

    options: LengthRatioOptions

    @property
    def signature_parts(self) -> tuple[tuple[str, str], ...]:
        return (("count", self.options.count),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [self._outcome(pair) for pair in pairs]

    def _outcome(self, pair: ReportPair) -> Outcome:
        shorter, longer = sorted((self._length(pair.reference), self._length(pair.candidate)))
        return Scored(score=shorter / longer) if longer else Unscored("empty", "both reports are empty")

    def _length(self, report: Report) -> int:
        return len(report.text.split()) if self.options.count == "words" else len(report.text.strip())


def _fixed(options: FixedOptions, _: Components) -> FixedUnitExtractor:
    return FixedUnitExtractor(options)


def _diagonal(options: DiagonalOptions, _: Components) -> DiagonalAligner:
    return DiagonalAligner(options)


def _length_ratio(options: LengthRatioOptions, _: Components) -> LengthRatioMetric:
    return LengthRatioMetric(options)


@hookimpl
def overread_extractors() -> Iterable[ComponentSpec]:
    """fixed."""
    yield ComponentSpec(
        name="fixed",
        version="1.0",
        summary="every sentence is the same finding",
        factory=_fixed,
        options=FixedOptions,
    )


@hookimpl
def overread_aligners() -> Iterable[ComponentSpec]:
    """diagonal."""
    yield ComponentSpec(
        name="diagonal",
        version="1.0",
        summary="units in order, without a solver",
        factory=_diagonal,
        options=DiagonalOptions,
    )


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """length_ratio."""
    yield MetricSpec(
        name="length_ratio",
        version="1.0",
        summary="length of the shorter report over that of the longer",
        scale=Scale(0.0, 1.0, higher_is_better=True),
        factory=_length_ratio,
        options=LengthRatioOptions,
    )
