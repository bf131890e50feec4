"""The extractor that looks reports up in a table of units as others publish it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import field, frozen

from overread.adapters.reader.published_units._files import is_blank
from overread.adapters.reader.published_units._matching import WordMatcher
from overread.adapters.reader.published_units._table import (
    Key,
    Listed,
    PublishedTable,
    read_published_table,
    read_texts,
)
from overread.adapters.reader.unit_parser.composing import UnitComposer, place
from overread.application.ports import Extraction
from overread.application.traits import ExtractorTraits
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.exceptions import InputError

__all__ = ["PublishedUnitExtractor", "open_published"]

VERSION: Final = "0.1"


@frozen(eq=False)
class PublishedUnitExtractor:
    """Gives each report the units that a published table has for it, brought into the lexicon's terms.

    Units are named, placed and completed as those of a language model's answer. A report is known by its text, white
    space apart, or by the words of its units where the table holds no texts. A report that the table does not hold is
    unscored as "not in table", as is one that two reports of the table fit alike; one of whose units no words stand in
    it as "damaged table". A blank report has no units.

    Attributes:
        source: the file.
        table: what it holds.
        reports: digest of the file with the texts, "" where none was given.
    """

    source: str
    table: PublishedTable
    reports: str
    _composer: UnitComposer
    _by_text: Mapping[str, Listed] = field(repr=False)
    _matcher: WordMatcher = field(repr=False)

    @property
    def identity(self) -> str:
        """Digest of the file, that it is a published one, and the lexicon that its labels are mapped to."""
        texts = f",reports={self.reports}" if self.reports else ""
        lexicon = self._composer.naming.knowledge.digest
        return f"table@{self.table.digest},published={VERSION}{texts},lexicon={lexicon}"

    @property
    def traits(self) -> ExtractorTraits:
        """Summary of what was understood of the table, as a note; folder of the lexicon that labels are mapped to."""
        return ExtractorTraits(note=self._summary, lexicon_folder=self._composer.naming.folder)

    @property
    def _summary(self) -> str:
        table = self.table
        count = sum(len(listed.units) for listed in table.reports.values())
        apart = f", {table.sentences:,} without a finding read as sentences" if table.sentences else ""
        known = f"{len(self._by_text):,} known by their text" if self._by_text else ""
        words = len(self._matcher.reports)
        known += f"{', ' if known and words else ''}{words:,} by the words of their units" if words else ""
        columns = f"; {table.columns}" if table.columns else ""
        read = f"{count:,} units of {len(table.reports):,} reports{apart}"
        return f"{Path(self.source).name}: {table.layout}, {read}; {known}{columns}"

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        """Units of each report in reading order, or why there are none."""
        return [() if report.is_blank else self._units(report.text) for report in reports]

    def _units(self, text: str) -> Extraction:
        outline = self._composer.outline(text)
        listed = self._by_text.get(_letters(text))
        if listed is None:
            try:
                listed = self._matcher.find(text, self._composer.told(outline))
            except LookupError:
                detail = "two reports of the unit table fit this text; give the texts with extractor.reports"
                return Unscored("not in table", detail)
        if listed is None:
            return Unscored("not in table", "the unit table has no report with this text")
        placed, lost = place(listed.units, outline)
        if lost and lost == len(listed.units):
            return Unscored("damaged table", "none of the words that the table quotes are in the report")
        return self._composer.units(outline, placed)


def open_published(path: Path, lexicon: str | None, reports: Path | None) -> PublishedUnitExtractor:
    """The extractor over a file.

    Args:
        path: of the table.
        lexicon: folder of the lexicon that labels are mapped to, the shipped one where None.
        reports: table of reports or pairs with the ids of the table, where that holds no texts.

    Raises:
        InputError: if a file cannot be used, naming the row and what would mend it.
        ConfigurationError: if the lexicon cannot be used.
    """
    table = read_published_table(path)
    if not any(listed.units for listed in table.reports.values()):
        raise InputError(str(path), "holds no units", remedy="add a row below its header")
    texts = {} if reports is None else read_texts(reports)
    by_text: dict[str, Listed] = {}
    unknown: list[Listed] = []
    for key, listed in table.reports.items():
        text = listed.text if listed.text is not None else _looked_up(key, texts)
        if text is None or is_blank(text):
            unknown.append(listed)
        elif by_text.setdefault(_letters(text), listed).units != listed.units:
            by_text[_letters(text)] = max((by_text[_letters(text)], listed), key=lambda one: len(one.units))
    if reports is not None and not by_text:
        raise InputError(str(reports), "holds no report of the unit table", remedy="ids must be those of the table")
    digest = "" if reports is None else hashlib.sha256(reports.read_bytes()).hexdigest()[:12]
    return PublishedUnitExtractor(
        str(path), table, digest, UnitComposer.create(lexicon), by_text, WordMatcher(tuple(unknown))
    )


def _looked_up(key: Key, texts: Mapping[Key, str]) -> str | None:
    """The text of a report by all of its ids, or else by one of them."""
    *ids, side = key
    text = texts.get(key)
    if text is not None:
        return text
    return next((texts[identifier, side] for identifier in reversed(ids) if (identifier, side) in texts), None)


def _letters(text: str) -> str:
    return "".join(text.replace("\ufeff", " ").split())
