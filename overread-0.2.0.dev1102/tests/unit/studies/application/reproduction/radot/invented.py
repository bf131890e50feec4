"""Small invented sets in which a candidate has a known number of its reference's findings turned round."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from overread.adapters.transport.nnls.fitter import NnlsFitter
from overread.adapters.transport.sinkhorn.plugin import overread_aligners
from overread.application.ports import Extraction
from overread.domain.differences.cost import TableTwoCost
from overread.domain.findings.unit import FALLBACK_CONFIDENCE, ClinicalUnit, Polarity
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference, Target
from overread.domain.results.result import Unscored
from overread.studies.application.reproduction.radot.reading import ReadSet, read_set
from overread.studies.application.reproduction.radot.study import Plan, RadotStudy

FINDINGS = ("effusion", "edema", "nodule", "fracture", "pneumothorax", "cardiomegaly", "opacity", "atelectasis")
COUNTS = ("total", "significant", "insignificant")


class FakeLineExtractor:
    """A unit a line: "no" negates, "?" cannot be read, a line of "unread" is a sentence that no rule covers."""

    identity = "lines"

    def __init__(self) -> None:
        self.seen: list[Report] = []

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        self.seen.extend(reports)
        return [Unscored("language") if "?" in report.text else self._units(report) for report in reports]

    def _units(self, report: Report) -> tuple[ClinicalUnit, ...]:
        return tuple(
            ClinicalUnit(
                span_text=line,
                start=match.start(),
                end=match.end(),
                canonical_finding="" if line == "unread" else line.removeprefix("no "),
                anatomy=frozenset({"lung"}),
                polarity=Polarity.ABSENT if line.startswith("no ") else Polarity.PRESENT,
                confidence=FALLBACK_CONFIDENCE if line == "unread" else 1.0,
            )
            for match in re.finditer(r".+", report.text)
            for line in [match.group()]
        )


def aligner(plan: Plan) -> Any:
    spec = next(spec for spec in overread_aligners() if spec.name == plan.aligner)
    options = spec.options(epsilon=plan.epsilon, weights=plan.cost_weights.as_tuple())
    return spec.factory(options, None)  # type: ignore[arg-type]


def rated(
    name: str, study: str, reference: str, candidate: str, ratings: Mapping[str, Sequence[float]]
) -> AnnotatedPair:
    return AnnotatedPair(
        pair=ReportPair(id=name, reference=Report(reference), candidate=Report(candidate)),
        study=study,
        ratings={target: tuple(values) for target, values in ratings.items()},
    )


def benchmark(
    pairs: Sequence[AnnotatedPair], *, name: str = "set", preferences: Sequence[Preference] = ()
) -> HumanBenchmark:
    targets = tuple(Target(target, higher_is_better=False) for target in pairs[0].ratings)
    raters = tuple(f"r{i}" for i in range(len(next(iter(pairs[0].ratings.values())))))
    return HumanBenchmark(name=name, targets=targets, raters=raters, pairs=tuple(pairs), preferences=tuple(preferences))


def counted(studies: int, each: int, *, raters: int = 1, seed: int = 0) -> HumanBenchmark:
    """Pairs whose candidate denies 0 to 4 findings, each a significant error, and lacks 0 to 2, insignificant ones."""
    rng = np.random.default_rng(seed)
    pairs = []
    for study in range(studies):
        lines = [str(line) for line in rng.permutation(FINDINGS)[: int(rng.integers(6, 9))]]
        for number in range(each):
            wrong, lost = int(rng.integers(0, 5)), int(rng.integers(0, 3))
            kept = lines[: len(lines) - lost]
            candidate = [f"no {line}" if place < wrong else line for place, line in enumerate(kept)]
            ratings: dict[str, Sequence[float]] = {
                "total": [wrong + lost] * raters,
                "significant": [wrong] * raters,
                "insignificant": [lost] * raters,
                "significant.A": [float(wrong > 2)] * raters,
                "significant.B": [0.0] * raters,
            }
            pairs.append(rated(f"{study}-{number}", f"s{study}", "\n".join(lines), "\n".join(candidate), ratings))
    return benchmark(pairs)


def corrupted(studies: int) -> HumanBenchmark:
    """Each report against itself, and with its first finding denied."""
    pairs, preferences = [], []
    for study in range(studies):
        lines = list(FINDINGS[study % 4 : study % 4 + 4])
        reports = {"clean": lines, "corrupted": [f"no {lines[0]}", *lines[1:]]}
        for kind, candidate in reports.items():
            told = {"corrupted": [float(kind == "corrupted")]}
            pairs.append(rated(f"{study}:{kind}", f"s{study}", "\n".join(lines), "\n".join(candidate), told))
        preferences.append(
            Preference(
                id=str(study), study=f"s{study}", first=f"{study}:clean", second=f"{study}:corrupted", votes=(1.0,)
            )
        )
    return benchmark(pairs, preferences=preferences)


def read(known: HumanBenchmark) -> ReadSet:
    return read_set(known, FakeLineExtractor(), TableTwoCost())


def study(**parts: Any) -> RadotStudy:
    """A study of eight studies with two pairs each, to be tried on twelve others; parts can be given instead."""
    known = {
        "source": read(counted(8, 2, raters=3)),
        "external": read(counted(12, 1, seed=1)),
        "stress": read(corrupted(4)),
        "aligner": aligner,
        "cost": TableTwoCost(),
        "fitter": NnlsFitter(),
        "draws": 50,
        **parts,
    }
    return RadotStudy(**known)


def tried(one: RadotStudy) -> ReadSet:
    """The set that a study is tried on."""
    assert one.external is not None
    return one.external
