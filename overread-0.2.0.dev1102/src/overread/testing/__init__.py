"""Conformance checks and fakes for plugin authors to test their components against.

A check builds the component from its spec, as configuration would, and tries it on invented reports:

    def test_my_metric() -> None:
        check_metric(MY_METRIC)

It takes the options, by default those of the spec's class with their defaults; the components that the factory draws
from, by default fakes; and what to try the component on. It raises an AssertionError that names every problem found;
what the component itself raises passes through.
"""

from overread.testing._checks import check_aligner, check_extractor, check_metric
from overread.testing._components import FakeComponents
from overread.testing._fakes import FakeAligner, FakeExtractor, FakeMetric, FakeReadout
from overread.testing._judge_checks import check_judge, check_language_model
from overread.testing._judge_fakes import FakeJudge, FakeLanguageModel
from overread.testing._model_checks import check_encoder, check_error_counter, check_recognizer, check_second_reader
from overread.testing._model_fakes import FakeEncoder, FakeErrorCounter, FakeRecognizer, FakeSecondReader
from overread.testing._samples import (
    SAMPLE_COSTS,
    SAMPLE_PAIRS,
    SAMPLE_READINGS,
    SAMPLE_REPORTS,
    SAMPLE_REQUESTS,
    SAMPLE_TEXTS,
)

__all__ = [
    "SAMPLE_COSTS",
    "SAMPLE_PAIRS",
    "SAMPLE_READINGS",
    "SAMPLE_REPORTS",
    "SAMPLE_REQUESTS",
    "SAMPLE_TEXTS",
    "FakeAligner",
    "FakeComponents",
    "FakeEncoder",
    "FakeErrorCounter",
    "FakeExtractor",
    "FakeJudge",
    "FakeLanguageModel",
    "FakeMetric",
    "FakeReadout",
    "FakeRecognizer",
    "FakeSecondReader",
    "check_aligner",
    "check_encoder",
    "check_error_counter",
    "check_extractor",
    "check_judge",
    "check_language_model",
    "check_metric",
    "check_recognizer",
    "check_second_reader",
]
