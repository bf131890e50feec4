"""Rates of concordance as measure reports."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from overread.domain.vocabulary.severity import Importance
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.rates import rates_of
from overread.hospital.application.requests import PairState, WorklistRow
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.review import Radpeer
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.exchange.fhir.options import FhirRelease
from overread.hospital.infrastructure.exchange.fhir.out.measures import INTERVAL, measure_report
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput

from .holding import hold
from .records import NOON


def _row(pair: int, site: str, **told: Any) -> WorklistRow:
    facts: dict[str, Any] = {
        "examination": Examination(site=site, accession=f"A{pair}"),
        "kind": PairKind.PRELIMINARY_FINAL,
        "state": PairState.SCORED,
        "arrived": NOON,
    }
    return WorklistRow(pair=pair, **(facts | told))


_ROWS = [
    _row(1, "north"),
    _row(2, "north", significant=1, radpeer=Radpeer.EXPECTED_SIGNIFICANT),
    _row(3, "", radpeer=Radpeer.CONCUR),
    _row(4, "north", state=PairState.WAITING),
]


def _report(release: FhirRelease, rows: list[WorklistRow], *, sample: int | None = None) -> dict[str, Any]:
    rates = rates_of(rows, by=[Grouping.SITE], sample=sample)
    report = measure_report(rates, NOON - timedelta(days=30), NOON, FhirOutput(release=release), at=NOON)
    hold(report, release)
    return report


@pytest.mark.parametrize(
    ("release", "score", "value"),
    [(FhirRelease.R4B, "measureScore", "value"), (FhirRelease.R5, "measureScoreQuantity", "valueCodeableConcept")],
)
def test_rates_are_counted_overall_and_by_stratum(release: FhirRelease, score: str, value: str) -> None:
    """Two of three scored pairs are concordant, one of two reviewed; the one that waits is excluded."""
    read, confirmed, *_ = _report(release, _ROWS)["group"]
    assert read[score]["value"] == pytest.approx(2 / 3)
    assert confirmed[score]["value"] == pytest.approx(1 / 2)
    counts = {each["code"]["coding"][0]["code"]: each["count"] for each in read["population"]}
    assert counts == {"initial-population": 4, "denominator": 3, "denominator-exclusion": 1}
    strata = {each[value]["text"]: each[score]["value"] for each in read["stratifier"][0]["stratum"]}
    assert strata == {"not given": 1.0, "north": 0.5}
    bounds = read[score]["extension"][0]
    assert bounds["url"] == INTERVAL
    assert bounds["valueRange"]["low"]["value"] < 2 / 3 < bounds["valueRange"]["high"]["value"]


def test_major_discordance_is_told_by_its_absence() -> None:
    """So that every score of the report is better the higher it is; the interval is turned with it."""
    rows = [*_ROWS[:3], _row(5, "north", significant=1, importance=Importance.URGENT)]
    groups = _report(FhirRelease.R4B, rows)["group"]
    codes = [group["code"]["coding"][0]["code"] for group in groups]
    assert codes == ["as-read", "confirmed", "no-major-as-read", "no-major-confirmed"]
    assert groups[2]["measureScore"]["value"] == pytest.approx(3 / 4)
    bounds = groups[2]["measureScore"]["extension"][0]["valueRange"]
    assert bounds["low"]["value"] < 3 / 4 < bounds["high"]["value"]
    assert groups[3]["measureScore"]["value"] == pytest.approx(1 / 2)


@pytest.mark.parametrize("release", list(FhirRelease))
def test_nothing_counted_is_no_rate(release: FhirRelease) -> None:
    """Without a scored pair there is no score, and no share of nothing."""
    report = _report(release, [])
    assert "measureScore" not in report["group"][0]
    assert "measureScoreQuantity" not in report["group"][0]


def test_a_report_says_what_it_rests_on() -> None:
    """The sentence that stands wherever a score does, and the sample where the rates are estimates of one."""
    div = _report(FhirRelease.R4B, _ROWS, sample=7)["text"]["div"]
    assert "not an autonomous clinical decision tool" in div
    assert "drawn sample 7" in div
