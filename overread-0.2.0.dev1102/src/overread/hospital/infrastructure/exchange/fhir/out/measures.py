"""Rates of concordance as a measure report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from overread.application.statistics.estimating import Estimate
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.rates import GroupRates, Rates
from overread.hospital.domain.audit_signal import SIGNAL
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.out.parts import Resource, code, make_concept, make_resource, moment

__all__ = ["INTERVAL", "MEASURE", "measure_report"]

MEASURE: Final = "urn:overread:measure:concordance"
"""Canonical URL of the measure; its groups are the codes "as-read", "confirmed", "no-major-as-read" and
"no-major-confirmed" of this system."""

INTERVAL: Final = "urn:overread:extension:interval-95"
"""Extension of a score: its 95 % interval, as a range."""

_POPULATIONS: Final = "http://terminology.hl7.org/CodeSystem/measure-population"
_IMPROVEMENT: Final = "http://terminology.hl7.org/CodeSystem/measure-improvement-notation"


def _complement(estimate: Estimate) -> Estimate:
    low, value, high = (None if end is None else 1 - end for end in (estimate.high, estimate.value, estimate.low))
    return Estimate(value, low, high)


_SHARES: Final[Mapping[str, Callable[[GroupRates], Estimate]]] = {
    "as-read": lambda group: group.concordant,
    "confirmed": lambda group: group.confirmed,
    "no-major-as-read": lambda group: _complement(group.major),
    "no-major-confirmed": lambda group: _complement(group.major_confirmed),
}


def measure_report(rates: Rates, since: datetime, until: datetime, output: FhirOutput, *, at: datetime) -> Resource:
    """A summary report: concordance as the program read it, and as people confirmed it, overall and by stratum.

    Beside it stands the absence of major discordance, both ways; every score is better the higher it is.

    A score is the share of concordant pairs on [0, 1], higher is better; its interval stands in an extension. Pairs
    without a score are counted as excluded, never as concordant.

    Args:
        rates: that are reported.
        since: when the pairs' references arrived, from here on.
        until: and before here.
        output: how it is written.
        at: when, with a time zone.
    """
    sample = "" if rates.sample is None else f" Weighted estimates of drawn sample {rates.sample}."
    narrative = f"{SIGNAL[0].upper()}{SIGNAL[1:]}.{sample}"
    elements = {
        "text": {"status": "additional", "div": f'<div xmlns="http://www.w3.org/1999/xhtml"><p>{narrative}</p></div>'},
        "status": "complete",
        "type": "summary",
        "measure": MEASURE,
        "date": moment(at),
        "period": {"start": moment(since), "end": moment(until)},
        "improvementNotation": code(_IMPROVEMENT, "increase"),
        "group": [_group(rates, output, kind) for kind in _SHARES],
    }
    name = f"concordance/{moment(since)}/{moment(until)}/{rates.sample or 'all'}"
    return make_resource("MeasureReport", name, output, elements)


def _group(rates: Rates, output: FhirOutput, kind: str) -> Resource:
    strata = [_stratifier(by, groups, output, kind) for by, groups in rates.groups if groups]
    stratifier = {"stratifier": strata} if strata else {}
    return {"code": code(MEASURE, kind)} | _population_elements(rates.overall, output, kind) | stratifier


def _stratifier(by: Grouping, groups: Sequence[GroupRates], output: FhirOutput, kind: str) -> Resource:
    """One property of pairs; what a source did not tell has a stratum of its own."""
    concept = make_concept(by.value)
    strata = [_value(group.title, output) | _population_elements(group, output, kind) for group in groups]
    return {"code": concept if output.is_r5 else [concept], "stratum": strata}


def _value(name: str, output: FhirOutput) -> Resource:
    return {"valueCodeableConcept" if output.is_r5 else "value": make_concept(name)}


def _population_elements(group: GroupRates, output: FhirOutput, kind: str) -> Resource:
    counted = group.reviewed if kind.endswith("confirmed") else group.scored
    populations = {
        "initial-population": group.pairs,
        "denominator": counted,
        "denominator-exclusion": group.pairs - counted,
    }
    score = _score(_SHARES[kind](group))
    elements: Resource = {
        "population": [{"code": code(_POPULATIONS, name), "count": count} for name, count in populations.items()]
    }
    return elements | ({"measureScoreQuantity" if output.is_r5 else "measureScore": score} if score else {})


def _score(estimate: Estimate) -> Resource | None:
    if estimate.value is None:
        return None
    score: Resource = {"value": estimate.value, "system": "http://unitsofmeasure.org", "code": "1"}
    if estimate.low is not None and estimate.high is not None:
        bounds = {"low": {"value": estimate.low}, "high": {"value": estimate.high}}
        score["extension"] = [{"url": INTERVAL, "valueRange": bounds}]
    return score
