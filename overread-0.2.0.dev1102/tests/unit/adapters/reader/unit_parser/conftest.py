"""Extractors over a fake model, and the entries of its answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from attrs import evolve

from overread.adapters.reader.unit_parser._extractor import LlmUnitExtractor
from overread.adapters.reader.unit_parser.options import LlmOptions
from overread.application.asking.inquiry import Inquiry
from overread.application.ports import Request
from overread.domain.results.answer import Completion
from overread.domain.results.result import Unscored
from overread.testing import FakeLanguageModel

Entry = Callable[..., Mapping[str, Any]]
MakeExtractor = Callable[..., LlmUnitExtractor]


@pytest.fixture(scope="session")
def entry() -> Entry:
    """An entry of an answer: its words, its finding, its polarity and whatever else is given."""

    def make(words: str, finding: str, polarity: str = "present", **others: Any) -> Mapping[str, Any]:
        return {"span_text": words, "canonical_finding": finding, "polarity": polarity, **others}

    return make


@pytest.fixture(scope="session")
def shipped() -> LlmUnitExtractor:
    return LlmUnitExtractor.create(Inquiry(FakeLanguageModel()), LlmOptions())


@pytest.fixture
def extractor(shipped: LlmUnitExtractor) -> MakeExtractor:
    """An extractor whose model gives these answers, one an attempt; a list or object is written as JSON."""

    def make(*answers: Any, repairs: int = 1, **options: Any) -> LlmUnitExtractor:
        def answer(request: Request) -> str | Completion | Unscored:
            given = answers[min(len(request.messages) // 2, len(answers)) - 1]
            return given if isinstance(given, str | Completion | Unscored) else json.dumps(given)

        model = FakeLanguageModel(answer)
        return evolve(shipped, inquiry=Inquiry(model, None, repairs), options=LlmOptions(repairs=repairs, **options))

    return make
