"""The extractor that looks reports up in a unit table."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from overread.adapters.reader.unit_table._table import UnitTable
from overread.application.ports import Extraction
from overread.application.traits import ExtractorTraits
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.exceptions import InputError

__all__ = ["TableUnitExtractor"]


@frozen(eq=False)
class TableUnitExtractor:
    """Gives each report the units that a table has for its text, letter by letter the same.

    A report that is not in the table is unscored as "not in table"; one that could not be read when the table was made
    keeps the reason for which it could not. A row that is damaged, or whose units are not the report's own, leaves the
    report unscored as "damaged table". A blank report has no units.

    Attributes:
        table: the table.
        lexicon_folder: of the lexicon that its findings are named by, None for the shipped one.
    """

    table: UnitTable
    lexicon_folder: str | None = None

    @property
    def traits(self) -> ExtractorTraits:
        """Folder of the lexicon."""
        return ExtractorTraits(lexicon_folder=self.lexicon_folder)

    @property
    def identity(self) -> str:
        """Digest of the file, and the extractor that read the units."""
        return f"table@{self.table.digest},units={self.table.extractor}"

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        """Units of each report, or why there are none."""
        return [self._find(report) for report in reports]

    def _find(self, report: Report) -> Extraction:
        try:
            extraction = self.table.find(report)
        except InputError:
            detail = "the unit table's row of this report is damaged or another report's; write the table again"
            return Unscored("damaged table", detail)
        if extraction is None:
            missing = Unscored("not in table", "the unit table has no report with this text")
            return () if report.is_blank else missing
        return extraction
