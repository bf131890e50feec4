"""Segments of a message, and what stands in their fields."""

from __future__ import annotations

from typing import Final

from attrs import field, frozen

from overread.infrastructure.exchange.hl7._escapes import unescaped
from overread.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["Message", "Segment", "split_message"]

_HEADER: Final = "MSH"
_LEAST_HEADER: Final = 8
_SEPARATORS: Final = (4, 5)
"""Number of encoding characters: version 2.7 added one that nobody uses."""


@frozen
class _Separators:
    field: str
    component: str
    repetition: str
    escape: str
    subcomponent: str


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
        return [
            unescaped(each, self._separators.escape, self._charset, self._at(number))
            for each in self.repetitions(number)
        ]

    def components(self, number: int, repetition: int = 0) -> list[str]:
        """The components of one repetition, subcomponents after the first left out."""
        found = self.repetitions(number)
        chosen = found[repetition] if repetition < len(found) else ""
        firsts = (each.split(self._separators.subcomponent)[0] for each in chosen.split(self._separators.component))
        return [unescaped(each, self._separators.escape, self._charset, self._at(number)).strip() for each in firsts]

    def subcomponents(self, number: int) -> list[str]:
        """The subcomponents of the first component."""
        first = self.repetitions(number)[0].split(self._separators.component)[0]
        found = first.split(self._separators.subcomponent)
        return [unescaped(each, self._separators.escape, self._charset, self._at(number)).strip() for each in found]

    def value(self, number: int, component: int = 1) -> str:
        """A component of the first repetition, "" where it is not there or is the null of HL7."""
        found = self.components(number)
        value = found[component - 1] if component <= len(found) else ""
        return "" if value == '""' else value

    def _at(self, number: int) -> str:
        return f"{self.name}-{number}"


@frozen
class Message:
    """A message: its header and what follows it."""

    header: Segment
    segments: tuple[Segment, ...] = field(repr=False)


def split_message(text: str, charset: str) -> Message:
    """The segments of a message; line feeds end a segment too, as many senders have it.

    Args:
        text: decoded.
        charset: Python's name of it, for what is escaped by its bytes.

    Raises:
        RefusedMessageError: if it does not begin with a header, or holds a NUL, which no database keeps.
    """
    if "\0" in text:
        raise RefusedMessageError("bad-character", "there is a NUL character in the message")
    lines = [line for line in text.replace("\r\n", "\r").replace("\n", "\r").split("\r") if line.strip()]
    separators = _separators(lines[0] if lines else "")
    header = _segment(lines[0], separators, charset)
    return Message(header, tuple(_segment(line, separators, charset) for line in lines[1:]))


def _separators(line: str) -> _Separators:
    if not line.startswith(_HEADER) or len(line) < _LEAST_HEADER:
        raise RefusedMessageError("no-header", "a message begins with MSH and its separators", location=_HEADER)
    one = line[len(_HEADER)]
    others = line[len(_HEADER) + 1 :].split(one, maxsplit=1)[0]
    if (
        len(others) not in _SEPARATORS
        or len({one, *others}) != len(others) + 1
        or any(each.isalnum() for each in others)
    ):
        raise RefusedMessageError(
            "bad-separators", r"four different separators are wanted, such as ^~\&", location="MSH-2"
        )
    return _Separators(one, *tuple(others)[:4])


def _segment(line: str, separators: _Separators, charset: str) -> Segment:
    name, *fields = line.split(separators.field)
    shift = (separators.field,) if name == _HEADER else ()
    return Segment(name.strip(), (name, *shift, *fields), separators, charset)
