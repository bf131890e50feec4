"""The rules behind what models answer are compiled once, too."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.medspacy.options import MedspacyOptions
from overread.adapters.reader.unit_parser import _naming


@pytest.fixture(autouse=True, scope="session")
def _one_reader_of_names(shipped_reader: MedspacyUnitExtractor) -> Iterator[None]:
    """Reading labels by the shipped rules takes the shipped reader."""

    def reader(options: MedspacyOptions) -> MedspacyUnitExtractor:
        return shipped_reader if options == MedspacyOptions() else MedspacyUnitExtractor.create(options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_naming, "MedspacyUnitExtractor", SimpleNamespace(create=reader))
        yield
