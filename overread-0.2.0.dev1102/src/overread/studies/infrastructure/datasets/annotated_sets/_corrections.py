"""Lines of generated reports as correctors mended and graded them, and the reports that the lines make up."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from attrs import define, field, frozen

from overread.domain.reports.report import ClinicalContext
from overread.studies.infrastructure.datasets.annotated_sets._files import Row
from overread.studies.infrastructure.datasets.annotated_sets._rows import Distinct, label, number
from overread.tables.cells import RowError, words

__all__ = [
    "ALONE",
    "SEVERITIES",
    "Line",
    "LineTally",
    "Reading",
    "Report",
    "group_by_key",
    "join_lines",
    "read_lines",
    "reports",
]

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

SEVERITIES: Final = ("no error", "not actionable", "actionable nonurgent", "urgent", "emergent")
"""The severities by their number 0 to 4, as ReXrank maps them; an invalid comparison is 0 too."""

ALONE: Final = "radiologist"
"""Name of a corrector who is not named."""

_WORDS: Final[Mapping[str, int]] = {
    "no": 0,
    "none": 0,
    "invalidcomparison": 0,
    "noerrorinvalidcomparison": 0,
    "notactionable": 1,
    "nonactionable": 1,
    "actionable": 2,
    "actionablenonurgent": 2,
    "nonurgent": 2,
    "urgent": 3,
    "actionableurgent": 3,
    "emergent": 4,
}
_NOTHING: Final = frozenset({"na", "nan"})

_KEEP, _DELETE = "no edit", "delete"
_MARKERS: Final[Mapping[str, str]] = {"noedit": _KEEP, "noedits": _KEEP, "delete": _DELETE, "deleted": _DELETE}
_IN_BRACKETS: Final = re.compile(r"[\s\"'.]*\[([^\[\]]*[A-Za-z][^\[\]]*)\][\s\"'.]*")
_BESIDE_TEXT: Final = re.compile(r"[\[({<]\s*(?:no[\s_-]*edits?|deleted?)\s*[\])}>]", re.IGNORECASE)
_MARKER_REMEDY: Final = "known are [no edit] and [delete], alone in their cell"


@frozen(kw_only=True)
class Line:
    """One corrector's statement on one line of a generated report, or a line that they added.

    Attributes:
        row: its row in the file.
        study, generator, rater: names.
        order: its position among the lines of its report and rater.
        place: its number among the generated lines, as text; for an added line that of the one before it and its
            number among those added there, such as "2+1".
        generated: the line as generated; blank for one that was added.
        corrected: the line as mended, blank if it was struck out; None if the file does not say.
        truth: the radiologist's whole report, None if the file has none here.
        severity: 0 to 4, NaN if unknown.
        indication: of the examination, None if it is not given.
    """

    row: Row = field(repr=False)
    study: str
    generator: str
    rater: str
    order: float
    place: str
    generated: str = field(repr=False)
    corrected: str | None = field(repr=False)
    truth: str | None = field(repr=False)
    severity: float
    indication: str | None = field(default=None, repr=False)

    @property
    def is_added(self) -> bool:
        """True if the corrector added the line."""
        return not self.generated.strip()

    @property
    def context(self) -> ClinicalContext:
        """Clinical context of the examination."""
        return ClinicalContext(indication=self.indication)


@define
class LineTally:
    """Tally of what was met in the lines of a file, by kind.

    Attributes:
        kept, struck, added: lines that the marker leaves as they are, that it strikes out, and that were added.
        unmarked: lines without a severity but left as they are, and so without an error.
        ungraded: mended lines without a severity, which is thus unknown.
        unmended: lines with an error, but without what became of them.
        silent: rows that neither hold a line nor add one.
        repeated: reports that one corrector read more than once.
        nobody, nowhere: rows without the corrector, and without the generator, though the file has the column.
        blamed: lines left as they are that have a severity nonetheless.
        doubled: rows that equal an earlier one of the same reading in every cell.
        dropped: number of these left out, as another corrector's lines show that they are duplicates.
        tied: readings left out though their lines were as frequent as those taken, named as in ``strange``.
        strange: readings of other lines than most correctors of the report had, as STUDY:GENERATOR:RATER.
    """

    kept: int = 0
    struck: int = 0
    added: int = 0
    unmarked: int = 0
    ungraded: int = 0
    unmended: int = 0
    silent: int = 0
    repeated: int = 0
    nobody: int = 0
    nowhere: int = 0
    blamed: int = 0
    doubled: list[int] = field(factory=list)
    dropped: int = 0
    tied: list[str] = field(factory=list)
    strange: list[str] = field(factory=list)


@frozen(kw_only=True)
class Reading:
    """One report as one corrector mended and graded it, the lines in order."""

    rater: str
    lines: tuple[Line, ...]

    @property
    def corrected(self) -> str | None:
        """The mended report; None where the file does not tell all of it."""
        mended = [line.corrected for line in self.lines]
        return join_lines(text for text in mended if text is not None) if None not in mended else None

    @property
    def severities(self) -> tuple[float, ...]:
        """0 to 4 a line, NaN where it is not known."""
        return tuple(line.severity for line in self.lines)


@frozen(kw_only=True)
class Report:
    """A generated report and every reading of it.

    Attributes:
        lines: as generated, without those that a corrector added.
        readings: at least one; their raters differ.
    """

    study: str
    generator: str
    lines: tuple[str, ...] = field(repr=False)
    readings: tuple[Reading, ...]

    @property
    def name(self) -> str:
        """Name of study and generator."""
        return f"{self.study}:{self.generator}" if self.generator else self.study

    @property
    def first(self) -> Line:
        """The first line that the file has of it."""
        return self.readings[0].lines[0]

    @property
    def text(self) -> str:
        """The report as generated."""
        return join_lines(self.lines)

    @property
    def context(self) -> ClinicalContext:
        """Clinical context of the examination, from whichever row gives it."""
        every = (line for reading in self.readings for line in reading.lines)
        return next((line.context for line in every if line.indication), self.first.context)


def join_lines(lines: Iterable[str]) -> str:
    """Lines as one text, without the blank ones."""
    return " ".join(text for line in lines if (text := line.strip()))


def group_by_key(things: Iterable[T], keys: Iterable[K]) -> dict[K, list[T]]:
    """Things by their keys, in the order in which these come up."""
    groups: dict[K, list[T]] = {}
    for thing, key in zip(things, keys, strict=True):
        groups.setdefault(key, []).append(thing)
    return groups


def read_lines(rows: Sequence[Row], there: Collection[str], tally: LineTally, *, marked: bool) -> list[Line]:
    """The lines of a file, which its rows hold in order.

    Args:
        rows: by the names study_id, generated_line, severity, and what is there of generator, rater, line_number,
            corrected_line, ground_truth and indication.
        there: the optional columns that are there.
        tally: takes what is met.
        marked: whether the file marks what is left or struck out, so that a blank correction tells nothing.

    Raises:
        InputError: at the first row that cannot be used.
    """
    made: list[Line] = []
    places = _Places(numbered="line_number" in there)
    for row in rows:
        generated = "" if marked and row.is_empty("generated_line") else _unmarked_text(row, row.text("generated_line"))
        correction = _correction(row, generated, tally, marked=marked) if "corrected_line" in there else None
        if marked and not generated.strip() and not (correction or "").strip():
            tally.silent += 1
            continue
        study, generator, rater = row.name("study_id"), label(row, "generator"), label(row, "rater") or ALONE
        tally.nobody += "rater" in there and row.is_empty("rater")
        tally.nowhere += "generator" in there and row.is_empty("generator")
        severity = _severity(row)
        if severity is None:
            severity = _unsaid(row, generated, correction, tally, marked=marked)
        elif severity and correction is not None and correction.split() == generated.split():
            tally.blamed += 1
        if marked and correction is None and generated.strip():
            if severity == 0:
                correction = generated
            else:
                tally.unmended += 1
        order, place = places.of((study, generator, rater), row, added=not generated.strip())
        tally.added += not generated.strip()
        made.append(
            Line(
                row=row,
                study=study,
                generator=generator,
                rater=rater,
                order=order,
                place=place,
                generated=generated,
                corrected=correction,
                truth=None if row.is_empty("ground_truth") else row.text("ground_truth"),
                severity=severity,
                indication=_indication(row),
            )
        )
    return made


class _Places:
    """Numbers the lines of each reading: by the column of numbers, or in the order of the file."""

    def __init__(self, *, numbered: bool) -> None:
        self._numbered = numbered
        self._distinct = Distinct("line number")
        self._generated: Counter[tuple[str, str, str]] = Counter()
        self._added: Counter[tuple[str, str, str]] = Counter()

    def of(self, reading: tuple[str, str, str], row: Row, *, added: bool) -> tuple[float, str]:
        """Position of a line in its reading, and its name there."""
        if self._numbered:
            order = number(row, "line_number")
            if math.isnan(order):
                raise row.fault(f"{row.told('line_number')} is missing", "number the lines of each report")
            self._distinct.add((*reading, order), row)
            return order, f"{order:g}"
        if added:
            self._added[reading] += 1
            return row.number, f"{self._generated[reading]}+{self._added[reading]}"
        self._generated[reading] += 1
        self._added[reading] = 0
        return row.number, str(self._generated[reading])


def _correction(row: Row, generated: str, tally: LineTally, *, marked: bool) -> str | None:
    """The line as mended, blank where it was struck out; None where the cell does not tell."""
    if marked and row.is_empty("corrected_line"):
        return None
    text = row.text("corrected_line")
    marker = _marker(row, text)
    if marker == _KEEP:
        tally.kept += 1
        return generated
    if marker == _DELETE:
        tally.struck += 1
        return ""
    return text


def _marker(row: Row, text: str) -> str | None:
    """The marker that a cell is, None where it is text."""
    match = _IN_BRACKETS.fullmatch(text)
    if match is not None:
        marker = _MARKERS.get(re.sub(r"[\W_]+", "", match[1]).lower())
        if marker is None:
            raise row.fault("a cell is an unknown marker in brackets", _MARKER_REMEDY)
        return marker
    if re.sub(r"[\W_]+", "", text).lower() in _MARKERS:
        raise row.fault("a cell is a marker without both its square brackets", _MARKER_REMEDY)
    if _BESIDE_TEXT.search(text):
        raise row.fault("a cell has a marker beside text", _MARKER_REMEDY)
    return None


def _unmarked_text(row: Row, text: str) -> str:
    """The line as generated, which holds no marker."""
    if _marker(row, text) is not None:
        raise row.fault(f"{row.told('generated_line')} is a marker", "markers stand in the column of corrections")
    return text


def _severity(row: Row) -> float | None:
    """0 to 4, None where the cell is empty."""
    if row.is_empty("severity"):
        return None
    value = row.cells["severity"]
    word = re.sub(r"[\W\d_]+", "", value).lower() if isinstance(value, str) else ""
    if word in _NOTHING:
        return None
    known = _WORDS.get(word.removesuffix("s").removesuffix("error")) if word else number(row, "severity")
    if known not in range(len(SEVERITIES)):
        raise row.fault(f"{row.told('severity')} is not a known severity", f"use {', '.join(SEVERITIES)}, or 0 to 4")
    return float(known or 0)


def _unsaid(row: Row, generated: str, corrected: str | None, tally: LineTally, *, marked: bool) -> float:
    """The severity of a line without one: none of a line that was seen and left as it is."""
    if corrected is not None and corrected.split() == generated.split():
        tally.unmarked += 1
        return 0.0
    if not marked:
        raise row.fault(f"{row.told('severity')} is missing", "a line without an error has the severity no error")
    tally.ungraded += 1
    return math.nan


def _indication(row: Row) -> str | None:
    try:
        return words(row.cells.get("indication"), "indication")
    except RowError as error:
        raise row.fault(str(error)) from None


def reports(lines: Sequence[Line], tally: LineTally) -> Iterator[Report]:
    """The reports that lines make up, each with the readings of its correctors.

    Correctors of a report read the same generated lines, white space apart, but add lines of their own. A reading of
    other lines than most have is put down as strange and left out; of several that are as frequent the longest is
    taken, then the first, and the others are put down as tied. A row that stands twice in every cell is put down; it
    is left out where the lines of another corrector show that it should stand once.
    """
    for (study, generator), mine in group_by_key(lines, [(line.study, line.generator) for line in lines]).items():
        by_rater = {
            rater: sorted(rater_lines, key=lambda line: line.order)
            for rater, rater_lines in group_by_key(mine, [line.rater for line in mine]).items()
        }
        by_rater = _without_doubles(by_rater, tally)
        keys = {rater: _key(rater_lines) for rater, rater_lines in by_rater.items()}
        once = {rater: _once(key, keys.values()) for rater, key in keys.items()}
        frequency = Counter(once.values())
        most = max(frequency, key=lambda key: (frequency[key], len(key)))
        readings: list[Reading] = []
        for rater, rater_lines in by_rater.items():
            if once[rater] != most:
                left = tally.tied if frequency[once[rater]] == frequency[most] else tally.strange
                left.append(":".join(filter(None, (study, generator, rater))))
                continue
            turns = _turns(rater_lines, len(most)) if keys[rater] != most else [rater_lines]
            tally.repeated += len(turns) > 1
            for turn, turn_lines in enumerate(turns, start=1):
                readings.append(Reading(rater=rater if turn == 1 else f"{rater} ({turn})", lines=tuple(turn_lines)))
        generated = tuple(line.generated for line in readings[0].lines if not line.is_added)
        yield Report(study=study, generator=generator, lines=generated, readings=tuple(readings))


def _without_doubles(by_rater: Mapping[str, list[Line]], tally: LineTally) -> dict[str, list[Line]]:
    """The lines of each rater, without those that stand twice where another's lines are those that are left."""
    keys = {rater: _key(rater_lines) for rater, rater_lines in by_rater.items()}
    remaining: dict[str, list[Line]] = {}
    for rater, rater_lines in by_rater.items():
        seen: list[Mapping[str, object]] = []
        single: list[Line] = []
        doubled: list[int] = []
        for line in rater_lines:
            if line.row.cells in seen:
                doubled.append(line.row.number)
            else:
                seen.append(line.row.cells)
                single.append(line)
        others = [key for other, key in keys.items() if other != rater]
        again = _once(keys[rater], others) != keys[rater]
        shown = keys[rater] not in others and not again and _key(single) in others
        tally.doubled.extend([] if again or keys[rater] in others else doubled)
        tally.dropped += len(doubled) if shown else 0
        remaining[rater] = single if shown else rater_lines
    return remaining


_Key = tuple[str, ...]


def _key(lines: Iterable[Line]) -> _Key:
    """The generated lines, white space apart."""
    return tuple(" ".join(line.generated.split()) for line in lines if not line.is_added)


def _once(key: _Key, keys: Iterable[_Key]) -> _Key:
    """The lines of another's reading, where these are the same several times over."""
    shorter = [other for other in keys if other and len(other) < len(key)]
    return next((other for other in shorter if other * (len(key) // len(other)) == key), key)


def _turns(lines: Sequence[Line], size: int) -> list[list[Line]]:
    """The readings of one who read a report of ``size`` lines several times, one after the other in the file."""
    turns: list[list[Line]] = [[]]
    for line in lines:
        whole = sum(not before.is_added for before in turns[-1]) == size
        apart = bool(turns[-1]) and line.row.number > turns[-1][-1].row.number + 1
        if whole and (apart or not line.is_added):
            turns.append([])
        turns[-1].append(line)
    return turns
