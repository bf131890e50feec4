"""Segments of a message, and what stands in their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, field, frozen

from overread.hospital.infrastructure.exchange.hl7._escapes import unescape
from overread.hospital.infrastructure.exchange.hl7._names import is_segment_name
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["Message", "Segment", "header_of", "split_message"]

_HEADER: Final = "MSH"
_LEAST_HEADER: Final = 8
_LONGEST_HEADER: Final = 4096
_SEPARATORS: Final = (4, 5)
"""Number of encoding characters: version 2.7 added one that nobody uses."""

_NULL: Final = '""'
"""Value by which HL7 marks one as deleted."""

_ORDER: Final = "OBR"
"""Segment that a report begins with. Little is read of those between it and the header."""

_TEXT_FIELDS: Final[Mapping[str, frozenset[int]]] = {
    "OBX": frozenset({5}),
    _ORDER: frozenset({13, 31, 39}),
    "NTE": frozenset({3}),
}
"""Fields of free text, in which a line break may stand unescaped."""

_NAMED: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{2}")


@frozen
class _Separators:
    field: str
    component: str
    repetition: str
    escape: str
    subcomponent: str
    is_lenient: bool = False
    """Whether escape sequences that are not known are kept."""


@frozen
class Segment:
    """A segment; fields count from 1, as HL7's do."""

    name: str
    _fields: tuple[str, ...] = field(repr=False)
    _separators: _Separators = field(repr=False)
    _charset: str = "utf-8"

    def raw(self, number: int) -> str:
        """A field as it was sent, "" where it is not there."""
        return self._fields[number] if number < len(self._fields) else ""

    def repetitions(self, number: int) -> list[str]:
        """The repetitions of a field, as they were sent."""
        return self.raw(number).split(self._separators.repetition)

    def text(self, number: int) -> list[str]:
        """The repetitions of a field that is text: what separates components elsewhere is text here."""
        return [self._unescaped(repetition, number) for repetition in self.repetitions(number) if repetition != _NULL]

    def broken(self) -> Iterator[int]:
        """The fields in which an unescaped line break stands."""
        return (number for number, content in enumerate(self._fields) if "\n" in content)

    def components(self, number: int, repetition: int = 0) -> list[str]:
        """The components of one repetition, subcomponents after the first left out."""
        repetitions = self.repetitions(number)
        chosen = repetitions[repetition] if repetition < len(repetitions) else ""
        firsts = (
            component.split(self._separators.subcomponent)[0] for component in chosen.split(self._separators.component)
        )
        return [self._unescaped(component, number).strip() for component in firsts]

    def raw_components(self, number: int, most: int) -> list[str]:
        """The components of a field as they were sent; the last that there may be holds all that follows."""
        return self.raw(number).split(self._separators.component, most - 1)

    def unescape(self, text: str, number: int) -> str:
        """A part of a field without escape sequences."""
        return self._unescaped(text, number)

    def with_fields(self, name: str, changes: Mapping[int, str]) -> Segment:
        """A segment of this name with the same fields, as they are sent, except for those that are changed."""
        contents = list(self._fields) if name == self.name else [name]
        contents += [""] * (max(changes, default=0) + 1 - len(contents))
        for number, value in changes.items():
            contents[number] = value
        return evolve(self, name=name, fields=tuple(contents))

    @property
    def charset(self) -> str:
        """Python's name of the character set of the message."""
        return self._charset

    def subcomponents(self, number: int) -> list[str]:
        """The subcomponents of the first component."""
        raw = self.raw(number)
        if raw.isalnum():
            return [raw]
        first = self.repetitions(number)[0].split(self._separators.component)[0]
        parts = first.split(self._separators.subcomponent)
        return [self._unescaped(part, number).strip() for part in parts]

    def value(self, number: int, component: int = 1) -> str:
        """A component of the first repetition, "" where it is not there or is the null of HL7."""
        raw = self.raw(number)
        if not raw or raw.isalnum():  # none of the separators is a letter or digit
            return raw if component == 1 else ""
        components = self.components(number)
        value = components[component - 1] if component <= len(components) else ""
        return "" if value == _NULL else value

    def _unescaped(self, text: str, number: int) -> str:
        separators = self._separators
        location = f"{self.name}-{number}"
        return unescape(text, separators.escape, self._charset, location, lenient=separators.is_lenient)


@frozen
class Message:
    """A message: its header and what follows it."""

    header: Segment
    segments: tuple[Segment, ...] = field(repr=False)


def header_of(message: bytes) -> Segment | None:
    """The header of a message, of which the head is enough, whatever its characters: what is wanted of it is ASCII.

    None where it has none.
    """
    lines = message[:_LONGEST_HEADER].decode("latin-1").replace("\n", "\r").strip("\r").split("\r")
    try:
        return _segment(lines[0], _separators(lines[0]), "latin-1")
    except RefusedMessageError:
        return None


def split_message(text: str, charset: str, *, lenient: bool = False) -> Message:
    r"""The segments of a message; line feeds end a segment too, as many senders have it.

    A line begins a segment if it has a segment's name and the field separator. Any other continues the line before,
    since senders write line breaks within text as they are, although HL7 wants ``\.br\``: to leave such a line out
    would lose the rest of a report, and to refuse it would refuse all reports of such a sender. It is refused where it
    does not end up in a field of free text. So is a line with the shape of a segment that HL7 does not have: it may be
    text with an unescaped separator, or a misspelt OBX. Segments of a sender's own (Z) are segments.

    Args:
        text: decoded.
        charset: Python's name of it, for what is escaped by its bytes.
        lenient: whether escape sequences that are not known are kept as they stand.

    Raises:
        RefusedMessageError: if it does not begin with a header, holds a NUL, which no database keeps, or a line that
            belongs nowhere.
    """
    if "\0" in text:
        raise RefusedMessageError("bad-character", "the message contains a NUL character")
    lines = text.replace("\r\n", "\r").replace("\n", "\r").split("\r")
    separators = evolve(_separators(next(filter(str.strip, lines), "")), is_lenient=lenient)
    segments = [_segment(row, separators, charset) for row in _rows(lines, separators.field)]
    _check_breaks_from_order(segments)
    return Message(segments[0], tuple(segments[1:]))


def _rows(lines: Sequence[str], separator: str) -> list[str]:
    """The lines that begin segments, each with those that continue it; blank ones count within text alone."""
    rows: list[list[str]] = []
    blank = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            blank += 1
            continue
        if not rows or _begins_segment(line, separator, number, is_text=rows[-1][0].startswith("OBX")):
            rows.append([line.lstrip()])
        else:
            rows[-1] += [*[""] * blank, line]
        blank = 0
    return ["\n".join(row) for row in rows]


def _begins_segment(line: str, separator: str, number: int, *, is_text: bool) -> bool:
    """Return whether a line begins a segment, given its number and whether text may go on in it.

    A bare name is a segment without fields, but after text it may be a word of that text.
    """
    name, *fields = line.strip().split(separator, maxsplit=1)
    if not fields:
        return not is_text and is_segment_name(name)
    if not _NAMED.fullmatch(name):
        return False
    if not is_segment_name(name):
        detail = (
            f"line {number} of the message looks like a segment that HL7 does not have; names must be in "
            "capitals, and within text a separator is written \\F\\ and a line break \\.br\\"
        )
        raise RefusedMessageError("unknown-segment", detail)
    return True


def _check_breaks_from_order(segments: Sequence[Segment]) -> None:
    """Refuses line breaks that are not in text, in the header and from the first order on."""
    is_reported = False
    for place, segment in enumerate(segments):
        is_reported = is_reported or segment.name == _ORDER
        allowed = _TEXT_FIELDS.get(segment.name, frozenset())
        if (is_reported or not place) and not allowed.issuperset(segment.broken()):
            detail = (
                "the next line neither begins a segment nor continues text; a line break within OBX-5 is "
                "written \\.br\\"
            )
            raise RefusedMessageError("loose-line", detail, location=segment.name)


def _separators(line: str) -> _Separators:
    if not line.startswith(_HEADER) or len(line) < _LEAST_HEADER:
        raise RefusedMessageError("no-header", "a message must begin with MSH and its separators", location=_HEADER)
    one = line[len(_HEADER)]
    others = line[len(_HEADER) + 1 :].split(one, maxsplit=1)[0]
    if (
        len(others) not in _SEPARATORS
        or len({one, *others}) != len(others) + 1
        or any(character.isalnum() for character in others)
    ):
        raise RefusedMessageError(
            "bad-separators", r"there must be four different separators, such as ^~\&", location="MSH-2"
        )
    component, repetition, escape, subcomponent = tuple(others[:4])
    return _Separators(one, component, repetition, escape, subcomponent)


def _segment(line: str, separators: _Separators, charset: str) -> Segment:
    name, *fields = line.split(separators.field)
    shift = (separators.field,) if name == _HEADER else ()
    return Segment(name.strip(), (name, *shift, *fields), separators, charset)
