"""Reading reports into a table of units, to be scored with later without reading anything anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol

from attrs import define, field, frozen

from overread.application.asking.inquiry import Inquiry
from overread.application.asking.planning import AsksOfReports, RunPlan, plan_questions
from overread.application.asking.tally import AnswerTally
from overread.application.ports import Extraction, LanguageModel, UnitExtractor
from overread.application.scoring.evaluate import Progress
from overread.application.traits import ExtractorTraits, traits_of
from overread.domain.reports.report import Report

__all__ = ["UnitCounts", "UnitReading", "UnitSink"]

_BATCH: Final = 64
_PASSING: Final = frozenset({"no answer", "not asked"})
"""Failures that say nothing of the report: it is left out of the table, and another run asks again."""


class UnitSink(Protocol):
    """Destination of units."""

    def add(self, report: Report, extraction: Extraction) -> None:
        """Keep what was read of a report; a report is added once."""
        ...


@define
class UnitCounts:
    """Outcome of reading.

    Attributes:
        reports: number of reports read.
        units: number of units in all of them.
        sentences: units that are sentences without a finding.
        failures: reports that were not read, by reason.
    """

    reports: int = 0
    units: int = 0
    sentences: int = 0
    failures: Counter[str] = field(factory=Counter)

    @property
    def asks_again(self) -> bool:
        """True if reports are left to another run for lack of an answer."""
        return not _PASSING.isdisjoint(self.failures)

    def add(self, extraction: Extraction) -> bool:
        """Count a report; whether it belongs in the table."""
        if not isinstance(extraction, tuple):
            self.failures[extraction.reason] += 1
            return extraction.reason not in _PASSING
        self.reports += 1
        self.units += len(extraction)
        self.sentences += sum(unit.is_unread for unit in extraction)
        return True


@frozen(kw_only=True, eq=False)
class UnitReading:
    """An extractor ready to read, and the language model that it asks, if it asks one.

    Attributes:
        extractor: reads.
        table: takes what is read; it is there whole when its context ends, or not at all.
        model: None where the extractor asks none.
        answers: counts what the model is asked and what is found kept.
    """

    extractor: UnitExtractor
    table: AbstractContextManager[UnitSink]
    model: LanguageModel | None
    answers: AnswerTally

    @property
    def note(self) -> str:
        """The extractor's note on its units, such as how a table of them was understood; "" for none."""
        return traits_of(self.extractor, ExtractorTraits).note

    def plan(self, reports: Sequence[Report]) -> RunPlan | None:
        """Plan the first attempt at reading, or return None if the extractor asks no model; nothing is asked."""
        if self.model is None or not isinstance(self.extractor, AsksOfReports):
            return None
        return plan_questions([self.extractor.questions(reports)], Inquiry(self.model, self.answers.store))

    def read(self, reports: Sequence[Report], on_progress: Progress | None = None) -> UnitCounts:
        """Reads distinct reports into the table; ``on_progress`` is called with the number of reports done."""
        counts = UnitCounts()
        with self.table as sink:
            for start in range(0, len(reports), _BATCH):
                batch = reports[start : start + _BATCH]
                for report, extraction in zip(batch, self.extractor.extract(batch), strict=True):
                    if counts.add(extraction):
                        sink.add(report, extraction)
                if on_progress is not None:
                    on_progress(start + len(batch))
        return counts
