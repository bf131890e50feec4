"""Pairs that differ in one thing against what notation makes of them."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from overread.application.metrics.notation import NOTATION_SCALE
from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import Outcome, Scored, Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect
from overread.studies.application.reader_checks.significance import Probe, check_significance

from .labelled import lines


@frozen
class _Told:
    """A metric that notes, for each pair, what its id says: severities and aspects, or that it cannot score it."""

    signature_parts: Sequence[tuple[str, str]] = ()

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [self._outcome(pair.id.partition(" ")[2]) for pair in pairs]

    def _outcome(self, told: str) -> Outcome:
        if told == "unscored":
            return Unscored("too long")
        noted = [part.split(":") for part in told.split(",") if part]
        return Scored(
            score=1.0,
            discrepancies=tuple(
                Discrepancy(
                    category=None,
                    aspect=ErrorAspect(aspect),
                    type=None,
                    severity=Severity(severity),
                    reason="told",
                    finding="scar",
                )
                for severity, aspect in noted
            ),
        )


SERVICE = EvaluationService([NamedMetric("notation", "1", NOTATION_SCALE, _Told())])


def _probe(told: str, aspect: str, *, significant: bool) -> Probe:
    pair = ReportPair(id=told, reference="Old scar.", candidate="New scar.")
    return Probe(pair=pair, aspect=ErrorAspect(aspect), significant=significant)


def test_discrimination_robustness_and_aspects() -> None:
    """Critical counts as significant; strict robustness wants silence; a table line for each aspect there is."""
    probes = [
        _probe("1 critical:Negation", "Negation", significant=True),
        _probe("2 significant:Severity", "Negation", significant=True),
        _probe("3 insignificant:Location", "Location", significant=True),
        _probe("4 ", "Location", significant=True),
        _probe("5 ", "Noise", significant=False),
        _probe("6 insignificant:Noise", "Noise", significant=False),
        _probe("7 significant:Noise,insignificant:Noise", "Noise", significant=False),
        _probe("8 unscored", "Noise", significant=False),
    ]
    report = check_significance(SERVICE, probes)
    found, kept_quiet = lines(report, "Significant pairs"), lines(report, "Insignificant pairs")
    assert list(found) == ["all", "Location", "Negation"]
    assert list(kept_quiet) == ["all", "Noise"]
    assert (found["all"]["count"], found["all"]["D"]) == (4, 1 / 2)
    assert found["Location"]["D"] == 0.0
    assert found["Location"]["aspect noted"] == 1 / 2
    assert found["Negation"]["aspect noted"] == 1 / 2
    assert kept_quiet["Noise"]["R"] == 2 / 4
    assert kept_quiet["Noise"]["strict R"] == 1 / 4
    assert [m.place[0] for m in report.mistakes] == ["3", "4", "7", "8"]
    assert [m.got for m in report.mistakes[:2]] == ["insignificant Location scar", "no discrepancy"]
    assert report.tabulation.notes == ("1 pairs could not be scored and count as wrong",)
    assert "scar." not in repr(report)
