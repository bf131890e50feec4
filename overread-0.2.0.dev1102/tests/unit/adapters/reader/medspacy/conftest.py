"""The shipped reader, built once: loading its lexicon takes seconds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.medspacy.options import MedspacyOptions
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report

Read = Callable[[str], tuple[ClinicalUnit, ...]]


@pytest.fixture(scope="session")
def extractor(shipped_reader: MedspacyUnitExtractor) -> MedspacyUnitExtractor:
    return shipped_reader


@pytest.fixture(scope="session")
def fresh() -> MedspacyUnitExtractor:
    """A reader that remembers one sentence."""
    return MedspacyUnitExtractor.create(MedspacyOptions(sentence_cache=1))


@pytest.fixture(scope="session")
def read(extractor: MedspacyUnitExtractor) -> Read:
    """The units of a text that must be readable."""

    def units(text: str) -> tuple[ClinicalUnit, ...]:
        extraction = extractor.extract([Report(text)])[0]
        assert isinstance(extraction, tuple), extraction
        return extraction

    return units
