"""Lines of an order: which of its OBX are the report's text, under which heading each stands, and what it says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Final

from attrs import field, frozen

from overread.hospital.domain.markup import markup_of
from overread.hospital.infrastructure.exchange.documents.reading import is_rtf, text_of_source
from overread.hospital.infrastructure.exchange.hl7._cuts import mend_cuts
from overread.hospital.infrastructure.exchange.hl7._encapsulated import (
    Encapsulated,
    document_in,
    is_raw_rtf,
    raw_rtf,
)
from overread.hospital.infrastructure.exchange.hl7._segments import Segment
from overread.hospital.infrastructure.exchange.hl7.options import ANY_ID, Hl7Options, LineUse, NoteUse
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["POINTER", "Line", "refuse_markup", "text_of", "texts_of"]

_VALUE: Final = 5
_NOTE: Final = "NTE"
_NOTE_VALUE: Final = 3
_STATUS: Final = 11
_DELETED: Final = "D"
"""Status of a line (table 0085) that is no longer part of the report."""

_UNITS: Final = (6, 7)
"""Units and range: what stands there in a line of text came after a separator that was not escaped."""

_SHAPES: Final[Mapping[int, re.Pattern[str]]] = {
    8: re.compile(r"\S{1,10}"),  # abnormal flags
    9: re.compile(r"[\d.]+"),  # probability
    10: re.compile(r"\S{1,5}"),  # nature of the test for abnormal values
    12: re.compile(r"\d[\d.+-]*"),  # since when the range holds
    13: re.compile(r".{1,20}"),  # who may see it
    14: re.compile(r"\d[\d.+-]*"),  # when it was observed
    19: re.compile(r"\d[\d.+-]*"),  # when it was analysed
}
"""Shapes of codes, numbers and times: text that got there came after several separators, and moved the fields."""

_NOTE_TYPE: Final = re.compile(r"\S{0,10}")
"""Shape of the field after the text of a note."""

_SHORT: Final = "ST"
_LISTED: Final = """
    AD AUI CCD CCP CD CE CF CK CN CNE CNN CP CQ CSU CWE CX DDI DIN DLD DLN DLT DR DT DTM DTN ED EI EIP ERL FC FN FT
    HD ICD ID IS JCC LA1 LA2 MA MO MOC MOP MSG NA NDL NM NR OCD OSD OSP PIP PL PLN PN PPN PRL PT PTA QIP QSC RCD RFR
    RI RMC RP RPT SAD SCV SI SN SNM SPD SPS SRT ST TM TN TQ TS TX UVC VH VID VR WVI WVS XAD XCN XON XPN XTN
"""
"""Types of values (table 0125, and the data types that it refers to)."""

_TYPES: Final = frozenset(_LISTED.split())

_CODED: Final = frozenset({"CE", "CF", "CNE", "CWE", "ID", "IS"})
"""Types of values that may state a finding as a code."""

_DOCUMENT: Final = "ED"
POINTER: Final = "RP"
"""Type of a value that says where a document is; nothing is fetched."""

_DOCUMENTS: Final = frozenset({_DOCUMENT, POINTER})
"""Types of values that hold a document, or say where one is."""

_PLAIN: Final = frozenset({"DT", "DTM", "ID", "IS", "NM", "SI", "TM", "TS"})
"""Types of values that are one number, time or code: two words in one are text under the wrong type."""

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_SPOKEN: Final = {True: 2, False: 8}
"""Words from which on a value is text, by whether its type is one of those; ours."""

_LONGEST_HEADING: Final = 40


@frozen
class _Part:
    """A part of a report: the heading that a reader would give it, and whether it is an addendum."""

    heading: str = ""
    is_addendum: bool = False


_REPORT, _ADDENDUM = _Part(), _Part(is_addendum=True)
_FINDINGS, _IMPRESSION = _Part("FINDINGS:"), _Part("IMPRESSION:")
_RECOMMENDATION, _COMPARISON = _Part("RECOMMENDATION:"), _Part("COMPARISON:")
_TECHNIQUE, _EXAMINATION = _Part("TECHNIQUE:"), _Part("EXAMINATION:")
_HISTORY, _INDICATION = _Part("HISTORY:"), _Part("INDICATION:")

_STATING: Final = frozenset({_REPORT, _ADDENDUM, _FINDINGS, _IMPRESSION, _RECOMMENDATION})
"""Parts that say what was found; the others are about how the images were made, and why."""

_USES: Final[Mapping[LineUse, _Part]] = {
    LineUse.TEXT: _REPORT,
    LineUse.ADDENDUM: _ADDENDUM,
    LineUse.FINDINGS: _FINDINGS,
    LineUse.IMPRESSION: _IMPRESSION,
    LineUse.RECOMMENDATION: _RECOMMENDATION,
    LineUse.COMPARISON: _COMPARISON,
    LineUse.TECHNIQUE: _TECHNIQUE,
    LineUse.HISTORY: _HISTORY,
    LineUse.INDICATION: _INDICATION,
}

_SUFFIXES: Final[Mapping[str, _Part]] = {
    "GDT": _FINDINGS,
    "MDT": _REPORT,
    "IMP": _IMPRESSION,
    "REC": _RECOMMENDATION,
    "ADT": _ADDENDUM,
    "CMS": _COMPARISON,
    "CMR": _COMPARISON,
    "CMC": _COMPARISON,
}
"""Parts by the suffix of OBX-3 (chapter 7, observation identifier suffixes)."""

_NAMED: Final[Mapping[str, _Part]] = {
    "report": _REPORT,
    "report text": _REPORT,
    "narrative": _REPORT,
    "18748-4": _REPORT,  # diagnostic imaging study
    "findings": _FINDINGS,
    "59776-5": _FINDINGS,  # procedure findings
    "18782-3": _FINDINGS,  # radiology study observation
    "impression": _IMPRESSION,
    "conclusion": _IMPRESSION,
    "19005-8": _IMPRESSION,  # radiology study impression
    "55110-1": _IMPRESSION,  # conclusions
    "recommendation": _RECOMMENDATION,
    "recommendations": _RECOMMENDATION,
    "18783-1": _RECOMMENDATION,  # radiology study recommendation
    "comparison": _COMPARISON,
    "18834-2": _COMPARISON,  # radiology comparison study
    "technique": _TECHNIQUE,
    "55111-5": _TECHNIQUE,  # current imaging procedure descriptions
    "examination": _EXAMINATION,
    "exam": _EXAMINATION,
    "procedure": _EXAMINATION,
    "55115-0": _EXAMINATION,  # requested imaging studies
    "history": _HISTORY,
    "clinical history": _HISTORY,
    "11329-0": _HISTORY,  # history, general
    "indication": _INDICATION,
    "clinical information": _INDICATION,
    "reason for exam": _INDICATION,
    "18785-6": _INDICATION,  # radiology reason for study
    "addendum": _ADDENDUM,
    "55107-7": _ADDENDUM,  # addendum document
}
"""Parts by the code or the name in OBX-3: LOINC's, and words that leave no doubt."""


@frozen(eq=False)
class Line:
    """An OBX with the notes below it, or a note that is a line of the report.

    Attributes:
        segment: an OBX or NTE.
        uses: of lines, by their code, as the settings have it.
        notes: below it.
    """

    segment: Segment
    uses: Mapping[str, LineUse] = field(factory=dict)
    notes: list[Segment] = field(factory=list, repr=False)

    @property
    def is_note(self) -> bool:
        """True for a note."""
        return self.segment.name == _NOTE

    @property
    def value(self) -> int:
        """Number of the field that has its value."""
        return _NOTE_VALUE if self.is_note else _VALUE

    @cached_property
    def type(self) -> str:
        """Type of its value."""
        return "FT" if self.is_note else self.segment.value(2).upper()

    @cached_property
    def is_filled(self) -> bool:
        """True if it has a value."""
        return bool(self.segment.raw(self.value).strip(' "'))

    @cached_property
    def is_left_out(self) -> bool:
        """True if it is no part of the report: it was deleted, or its code is one of other things."""
        is_deleted = not self.is_note and self.segment.value(_STATUS) == _DELETED
        return is_deleted or self.uses.get(self.id) is LineUse.LEAVE_OUT

    @cached_property
    def id(self) -> str:
        """Code of what it observes."""
        return "" if self.is_note else self.segment.subcomponents(3)[0]

    @cached_property
    def suffix(self) -> str:
        """Suffix of the code, by which HL7 tells parts of one report apart."""
        if self.is_note:
            return ""
        parts = self.segment.subcomponents(3)
        return parts[1].upper() if len(parts) > 1 else ""

    @cached_property
    def part(self) -> _Part | None:
        """The part of a report that it says it is; None where it does not say so."""
        if self.is_note or self.id in self.uses:
            return _USES.get(self.uses.get(self.id, LineUse.TEXT))
        if self.suffix:
            return _SUFFIXES.get(self.suffix)
        names = (self.id, self.segment.value(3, 2))
        return next((_NAMED[name] for label in names if (name := label.casefold().rstrip(": ")) in _NAMED), None)

    @cached_property
    def is_document(self) -> bool:
        """True if its value is a document, or the source of one."""
        if self.type == _DOCUMENT or is_raw_rtf(self.segment.raw(self.value)):
            return True
        return any(markup_of(text) for text in self.segment.text(self.value))

    @cached_property
    def document(self) -> Encapsulated | None:
        """The document that is its value, where it is one."""
        return document_in(self.segment) if self.type == _DOCUMENT and self.is_filled else None

    @cached_property
    def document_text(self) -> str:
        """The text of this document."""
        return "" if self.document is None else self.document.text()


def texts_of(lines: Sequence[Line], procedure: str, options: Hl7Options) -> list[Line]:
    """The lines of an order that are its report's text; where there are none, the documents that are.

    Without `Hl7Options.text_ids` all that are text must be of one kind, or say which part of a report they are: who
    made an image, and with what dose, is no part of it, and nothing else tells the two apart.

    Args:
        lines: of the order.
        procedure: code of what was ordered, which is that of its report as well.
        options: how they are read.

    Raises:
        RefusedMessageError: if it is not clear what is text, or something of a text would be lost.
    """
    lines = [line for line in lines if not line.is_left_out]
    for line in lines:
        if line.is_filled and line.type not in _TYPES:
            detail = "the value type is not one of HL7's; lines of text must be TX, FT or ST, and documents ED"
            raise RefusedMessageError("unknown-type", detail, location="OBX-2")
    texts = [line for line in lines if line.type in options.text_types and _is_wanted(line, options)]
    read = {id(line) for line in texts}
    documents = [line for line in lines if line.document is not None and _is_wanted(line, options)]
    if not options.text_ids:
        _check_codes(lines)
        _check_left_out([line for line in lines if id(line) not in read and line.type not in _DOCUMENTS])
        _check_documents(lines, [line for line in texts if line.is_filled])
        _check_kinds([line for line in texts if line.is_filled], procedure)
    if documents and not any(line.is_filled for line in texts):
        return _best_documents(documents)
    for line in texts:
        _check_fields(line)
        if options.notes is NoteUse.REFUSE and any(note.raw(3).strip(' "') for note in line.notes):
            detail = 'a note follows a line of text; set whether it is part of the report: notes = "text"'
            raise RefusedMessageError("note-in-report", f'{detail}, or "leave-out"', location="NTE-3")
        if options.notes is NoteUse.TEXT:
            for note in line.notes:
                _check_shape(note, 4, _NOTE_TYPE)
    return texts


def _is_wanted(line: Line, options: Hl7Options) -> bool:
    """Return whether the code of a line is one that is read."""
    names = options.text_ids
    return not names or line.is_note or ANY_ID in names or line.id in names or line.id in line.uses


def _best_documents(lines: Sequence[Line]) -> list[Line]:
    """The documents of each part of a report in the form that needs the least undoing: others say the same.

    An image beside a document that is read is left out.
    """
    best = list[Line]()
    for part in dict.fromkeys(line.part or _REPORT for line in lines):
        forms = [(line.document.rank, line) for line in lines if line.document and (line.part or _REPORT) == part]
        rank = min(rank for rank, _ in forms)
        chosen = [line for own, line in forms if own == rank]
        if len({" ".join(line.document_text.split()) for line in chosen}) > 1:
            detail = "several documents of one kind differ, and it is not clear which is the report; send one"
            raise RefusedMessageError("unclear-lines", detail, location="OBX-5")
        best.append(chosen[0])
    return best


def _check_codes(lines: Sequence[Line]) -> None:
    """Refuses a part of a report that is told as a code: the report would be stored without it."""
    for line in lines:
        if line.is_filled and line.type in _CODED and line.part in _STATING:
            detail = (
                f"OBX {line.segment.raw(1) or 'without a number'} is part of the report (OBX-3) but a code "
                "(OBX-2), which is not read: send it as text, or, if the text says the same, list the codes "
                "of the lines of text in text_ids"
            )
            raise RefusedMessageError("unclear-lines", detail, location="OBX-2")


def _check_left_out(lines: Sequence[Line]) -> None:
    """Refuses text under a type that is none of text: it would be left out as a number, a code or a name."""
    for line in lines:
        words = sum(
            len(_WORD.findall(component))
            for place in _places(line)
            for component in line.segment.components(_VALUE, place)
        )
        if words >= _SPOKEN[line.type in _PLAIN]:
            detail = (
                f"OBX {line.segment.raw(1) or 'without a number'} holds sentences, but its type is for "
                "numbers, codes or names: send text as TX, FT or ST, or list the codes of the lines of text "
                "in text_ids"
            )
            raise RefusedMessageError("unclear-lines", detail, location="OBX-2")


def _places(line: Line) -> range:
    return range(len(line.segment.repetitions(_VALUE)))


def _check_documents(lines: Sequence[Line], texts: Sequence[Line]) -> None:
    """Refuses a document beside text that says to be another part than the findings: they are in the document alone."""
    documents = [line for line in lines if line.is_filled and line.type in _DOCUMENTS]
    parts = {line.part or _REPORT for line in texts}
    if not documents or not texts or _REPORT in parts:
        return
    if _FINDINGS not in parts or any(line.part in _STATING - parts for line in documents):
        detail = (
            f"OBX {documents[0].segment.raw(1) or 'without a number'} is a document, and the lines of text "
            "are labelled as other parts of the report: send the whole report as text or as one document, or, if the "
            "text is complete, list the codes of its lines in text_ids"
        )
        raise RefusedMessageError("unclear-lines", detail, location="OBX-2")


def _check_kinds(texts: Sequence[Line], procedure: str) -> None:
    is_long = any(line.type != _SHORT for line in texts)
    of_report = {procedure, *(line.id for line in texts if line.suffix in _SUFFIXES)}
    kinds: set[tuple[bool, str, str] | None] = set()
    for line in texts:
        is_odd = is_long and line.type == _SHORT
        is_told = line.part is not None or (line.id in of_report and not line.suffix and not is_odd)
        kinds.add(None if is_told else (is_odd, line.id, line.suffix))
        if len(kinds) > 1:
            detail = (
                f"OBX {line.segment.raw(1) or 'without a number'} is text of another kind (OBX-2, OBX-3) than those "
                'before: say in codes what each is, or list those of the report in text_ids ("*" for all), or set '
                "text_types"
            )
            raise RefusedMessageError("unclear-lines", detail, location="OBX-3")


def _check_fields(line: Line) -> None:
    if line.is_note:
        _check_shape(line.segment, 4, _NOTE_TYPE)
        return
    for number in _UNITS:
        if line.segment.raw(number).strip(' "'):
            detail = "a line of text must have no units and no range; write a separator within text as \\F\\"
            raise RefusedMessageError("stray-separator", detail, location=f"OBX-{number}")
    for number, shape in _SHAPES.items():
        _check_shape(line.segment, number, shape)


def _check_shape(segment: Segment, number: int, shape: re.Pattern[str]) -> None:
    """Refuses a field after text that is no code, number or time: what a separator within the text cut off."""
    if not segment.raw(number).strip(' "'):
        return
    firsts = (segment.components(number, place)[0] for place in range(len(segment.repetitions(number))))
    if not all(shape.fullmatch(first) for first in firsts if first.strip(' "')):
        detail = "this must be a code, number or time; write a separator within text as \\F\\"
        raise RefusedMessageError("stray-separator", detail, location=f"{segment.name}-{number}")


def refuse_markup(text: str) -> None:
    """Refuses the source of a document in place of its text."""
    if kind := markup_of(text):
        detail = (
            f"it is the source of a document ({kind}); convert it to plain text at the sender or the interface engine"
        )
        raise RefusedMessageError("markup", detail, location="OBX-5")


def text_of(lines: Sequence[Line], options: Hl7Options, *, addenda: bool) -> str:
    """Text of the lines of a report, or of those of its addenda.

    Parts that OBX-3 tells apart get the heading that they lack, so that an impression is not read as the end of the
    part before it.
    """
    chosen = [(line, line.part or _REPORT) for line in lines]
    selected = [(line, part) for line, part in chosen if part.is_addendum is addenda]
    parts = [
        _with_heading(_joined([line for line, _ in group], options), part.heading)
        for part, group in groupby(selected, lambda pair: pair[1])
    ]
    return "\n\n".join(parts).strip("\n")


def _joined(lines: Sequence[Line], options: Hl7Options) -> str:
    """The text of lines of one part; they may be the source of documents, each of which goes on up to the next."""
    sources, is_raw = [list[str]()], False
    for line in lines:
        raw = line.segment.raw(line.value)
        is_raw = is_raw or is_raw_rtf(raw)  # its backslashes are not escaped, so that it cannot be unescaped
        text = raw_rtf(raw) if is_raw else _wording(line, options)
        if is_rtf(text):
            sources.append([])
        sources[-1].append(text)
    return "\n".join(_source_text("\n".join(source), options) for source in sources if source)


def _source_text(source: str, options: Hl7Options) -> str:
    """The text of what lines hold; those of a document's source say nothing of how its text was wrapped."""
    return text_of_source(source if markup_of(source) else mend_cuts(source, options.cut_at, "OBX-5"), location="OBX-5")


def _wording(line: Line, options: Hl7Options) -> str:
    if line.document is not None:
        return line.document_text
    notes = [text for note in line.notes for text in note.text(3)] if options.notes is NoteUse.TEXT else []
    return "\n".join([*line.segment.text(line.value), *notes]).replace("\r\n", "\n").replace("\r", "\n")


def _with_heading(text: str, heading: str) -> str:
    return text if not heading or not text.strip() or _has_heading(text) else f"{heading}\n{text}"


def _has_heading(text: str) -> bool:
    """Return whether a text begins with a line in capitals, or with words and a colon."""
    first = next(iter(text.strip().splitlines()), "")
    return first.isupper() or ":" in first[:_LONGEST_HEADING]
