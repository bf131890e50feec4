"""A reader that gives the units it was told, and a small lexicon, for tests of the checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from overread.application.ports import Extraction
from overread.application.statistics import Estimate
from overread.domain.findings.lexicon import Finding, Lexicon, NormalStatement
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report
from overread.domain.vocabulary.severity import Importance
from overread.studies.application.reader_checks.check import ReaderCheck


def _finding(identifier: str, importance: Importance = Importance.ACTIONABLE, *parents: str) -> Finding:
    return Finding(id=identifier, name=identifier, category="test", importance=importance, parents=parents)


LEXICON = Lexicon.of(
    [
        _finding("opacity"),
        _finding("pneumonia", Importance.ACTIONABLE, "opacity"),
        _finding("effusion"),
        _finding("scar", Importance.INCIDENTAL),
    ],
    [NormalStatement(id="clear", name="clear lungs", denies=("opacity",))],
)


def unit(finding: str, text: str = "words", sentence: int = 0, **attributes: Any) -> ClinicalUnit:
    """A unit that spans its text."""
    return ClinicalUnit(
        span_text=text, start=0, end=len(text), canonical_finding=finding, sentence_index=sentence, **attributes
    )


def lines(check: ReaderCheck, title: str) -> dict[str, dict[str, Any]]:
    """The lines of a table by their names, each by column; of a figure its value."""
    [table] = [table for table in check.tabulation.tables if table.title == title]
    names = [column.name for column in table.columns]
    return {
        str(row[0]): {
            name: cell.value if isinstance(cell, Estimate) else cell for name, cell in zip(names, row, strict=True)
        }
        for row in table.rows
    }


def value(check: ReaderCheck, table: str, line: str, column: str) -> Any:
    """One figure, or a count."""
    return lines(check, table)[line][column]


@frozen
class ToldReader:
    """Gives each text the outcome it was told."""

    told: Mapping[str, Extraction]
    identity: str = "told"

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        return [self.told[report.text] for report in reports]
