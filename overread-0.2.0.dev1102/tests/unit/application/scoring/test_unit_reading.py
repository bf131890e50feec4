"""Reading reports into a table of units."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, ClassVar

from attrs import frozen

from overread.application.asking.tally import AnswerTally
from overread.application.scoring.unit_reading import UnitReading
from overread.application.traits import ExtractorTraits
from overread.testing import FakeExtractor


@frozen
class _Telling(FakeExtractor):
    traits: ClassVar[ExtractorTraits] = ExtractorTraits(note="units.csv: one unit a row")


def test_what_an_extractor_says_of_its_units_is_told() -> None:
    """How a published table was understood, before anything is written; nothing where it says nothing."""

    def reading(extractor: Any) -> UnitReading:
        return UnitReading(extractor=extractor, table=nullcontext(None), model=None, answers=AnswerTally())  # type: ignore[arg-type]

    assert reading(_Telling()).note == "units.csv: one unit a row"
    assert reading(FakeExtractor()).note == ""
