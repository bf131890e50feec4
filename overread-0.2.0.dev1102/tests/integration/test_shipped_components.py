"""The shipped extractors, aligners and metrics pass the checks that plugin authors use."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from overread.application.ports import Request
from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.infrastructure.serialise import explanation_record, result_from_record, result_record, result_schema
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue, Registered
from overread.testing import FakeLanguageModel, check_aligner, check_extractor, check_metric
from overread.testing._samples import SAMPLE_PAIRS

_CATALOGUE = Catalogue.discover(entry_points=[])


GREEN = """[Explanation]:
One finding is missing.
[Clinically Significant Errors]:
(b) Missing a finding present in the reference: 1. the effusion
[Clinically Insignificant Errors]:
(a) False report of a finding in the candidate: 0.
[Matched Findings]:
2. the heart; the lungs
"""
JUDGED = '{"critical": {}, "significant": {}, "insignificant": {}, "explanation": "alike"}'


def answer(request: Request) -> str:
    """What a model might say: JSON where a schema asks for it, else GREEN's form."""
    return GREEN if request.schema is None else JUDGED


@pytest.fixture(scope="module")
def assembly() -> Assembly:
    """The default components, shared by the metrics, and a model that stands in for one that users bring."""
    return Assembly(_CATALOGUE, provided={"model": FakeLanguageModel(answer)})


def test_extractor() -> None:
    """The default one; the others need a model or a table, and have tests of their own."""
    extractor = _CATALOGUE.find("extractor", "medspacy")
    check_extractor(extractor.spec)  # type: ignore[arg-type]  # only metrics have another kind of spec


@pytest.mark.parametrize("aligner", _CATALOGUE.of("aligner"), ids=lambda registered: registered.spec.name)
def test_aligner(aligner: Registered) -> None:
    """Every built-in aligner passes the check that third parties' aligners are held against."""
    check_aligner(aligner.spec)  # type: ignore[arg-type]  # as above


_BROUGHT = {"bertscore", "chexbert", "composite", "panel"}
"""Have no model or coefficients of their own, and tests with some."""

_METRICS = [r.spec.name for r in _CATALOGUE.metrics() if not r.missing() and r.spec.name not in _BROUGHT]


@pytest.mark.parametrize("name", _METRICS)
def test_metric(name: str, assembly: Assembly) -> None:
    """Each that can run here, over the default components."""
    spec, _ = _CATALOGUE.find_metric(name)
    check_metric(spec, components=assembly)


@pytest.mark.parametrize("name", _METRICS)
def test_records_fit_the_published_schema(name: str, assembly: Assembly) -> None:
    """Of every metric that can run here, with what a score rests on and without; they are read back as they were."""
    validator = Draft202012Validator(result_schema())
    spec, _ = _CATALOGUE.find_metric(name)
    service = EvaluationService([NamedMetric(name, spec.version, spec.scale, assembly.metric(name))])
    for results in service.evaluate(SAMPLE_PAIRS):
        for result in results.values():
            for record in (result_record(result), explanation_record(result)):
                written = json.loads(json.dumps(record, allow_nan=False))
                assert [error.message for error in validator.iter_errors(written)] == []
                assert result_from_record(written) == result
            assert result_from_record(written).outcome.evidence == result.outcome.evidence


def test_metrics_without_extras_can_run() -> None:
    """The check above leaves out none of these."""
    assert {"radot", "notation"} <= {r.spec.name for r in _CATALOGUE.metrics() if not r.missing()}
