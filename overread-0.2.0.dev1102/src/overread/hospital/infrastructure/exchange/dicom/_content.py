"""The content tree of a structured report as text (PS3.3, C.17.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from overread.hospital.infrastructure.exchange.documents.reading import text_of_source
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["children", "concept_code", "content_text", "meaning", "person"]

_DEEPEST: Final = 30
_LONGEST: Final = 512 * 1024
_CONTEXT: Final = frozenset({"HAS OBS CONTEXT", "HAS ACQ CONTEXT", "SELECTED FROM"})
"""Relations of items that tell who observed what and where, not what was seen."""

_MODIFIERS: Final = frozenset({"HAS CONCEPT MOD", "HAS PROPERTIES"})
_WITHOUT_WORDS: Final = frozenset({"COMPOSITE", "IMAGE", "SCOORD", "SCOORD3D", "TCOORD", "UIDREF", "WAVEFORM"})
_VALUES: Final = {"DATE": "Date", "TIME": "Time", "DATETIME": "DateTime"}
_UNNAMED: Final = frozenset(
    {"finding", "impression", "conclusion", "recommendation", "text", "report text", "narrative"}
)
"""Names of items that say no more than the heading above them."""

_NO_UNIT: Final = frozenset({"1", "no units", "{no units}", ""})
_UCUM: Final = "UCUM"


def content_text(report: Any) -> str:
    """The text of a report: a heading for each container, a line for each item, codes by their meaning.

    Raises:
        RefusedMessageError: if it is too deep or too long, or holds an item that cannot be put into words.
    """
    pieces, length = list[str](), 0
    for piece in _container(report, 0):
        length += len(piece)
        if length > _LONGEST:
            raise RefusedMessageError("too-large", f"a report may have at most {_LONGEST:,} characters of text")
        pieces.append(piece)
    return "\n".join(pieces).strip()


def children(item: Any) -> Sequence[Any]:
    """The items below another."""
    return item.get("ContentSequence") or ()


def meaning(codes: Any) -> str:
    """The meaning of the first code of a sequence; "" where there is none."""
    return str(codes[0].get("CodeMeaning") or "").strip() if codes else ""


def concept_code(item: Any) -> str:
    """The code of an item's name."""
    names = item.get("ConceptNameCodeSequence")
    return str(names[0].get("CodeValue") or "") if names else ""


def person(name: Any) -> str:
    """A person's name, family name first."""
    return " ".join(part for part in str(name or "").split("=")[0].split("^")[:2] if part)


def _container(item: Any, depth: int) -> Iterator[str]:
    """Lines of what a container contains."""
    if depth > _DEEPEST:
        raise RefusedMessageError("too-large", f"the items of a report may be nested at most {_DEEPEST} deep")
    heading = _name(item) if depth else ""
    for child in children(item):
        if _relation(child) in _CONTEXT | _MODIFIERS:
            continue
        if child.get("ValueType") == "CONTAINER":
            lines = [line for line in _container(child, depth + 1) if line]
            name = _name(child)
            yield from ("", f"{name.upper()}:", *lines) if lines and name else lines
        else:
            yield from _lines(child, heading, depth)


def _lines(item: Any, heading: str, depth: int) -> Iterator[str]:
    """Lines of an item that is no container, with what modifies it; below them those of which it was inferred."""
    name, value = _name(item), _value(item)
    details = [
        detail for child in children(item) if _relation(child) in _MODIFIERS for detail in _details(child, depth)
    ]
    if value and not heading and item.get("ValueType") == "TEXT" and name:
        yield from ("", f"{name.upper()}:")
    if value or details:
        is_named = name and heading and name.casefold() not in _UNNAMED and not _is_same(name, heading)
        is_named = is_named or (name and not heading and item.get("ValueType") != "TEXT")
        said = f"{name}: {value}" if is_named else value
        yield f"{said} ({'; '.join(details)})" if details else said
    for child in children(item):
        if _relation(child) not in _CONTEXT | _MODIFIERS:
            _check_depth(depth)
            yield from _lines(child, heading or name, depth + 1)


def _details(item: Any, depth: int) -> Iterator[str]:
    """An item that modifies another, and what modifies it."""
    _check_depth(depth)
    name, value = _name(item), _value(item)
    if value:
        yield f"{name}: {value}" if name else value
    for child in children(item):
        if _relation(child) not in _CONTEXT:
            yield from _details(child, depth + 1)


def _check_depth(depth: int) -> None:
    if depth > _DEEPEST:
        raise RefusedMessageError("too-large", f"the items of a report may be nested at most {_DEEPEST} deep")


def _name(item: Any) -> str:
    return meaning(item.get("ConceptNameCodeSequence"))


def _relation(item: Any) -> str:
    return str(item.get("RelationshipType") or "")


def _is_same(name: str, heading: str) -> bool:
    return name.casefold().rstrip("s") == heading.casefold().rstrip("s")


def _value(item: Any) -> str:
    """The value of an item in words; "" for one that only points to images, or to another item."""
    kind = str(item.get("ValueType") or "")
    if kind == "TEXT":
        return text_of_source(str(item.get("TextValue") or ""), location="TextValue").replace("\r\n", "\n").strip()
    if kind == "CODE":
        return meaning(item.get("ConceptCodeSequence"))
    if kind == "NUM":
        return _measurement(item)
    if kind == "PNAME":
        return person(item.get("PersonName"))
    if kind in _VALUES:
        return str(item.get(_VALUES[kind]) or "")
    if kind in _WITHOUT_WORDS or "ReferencedContentItemIdentifier" in item or kind == "CONTAINER":
        return ""
    detail = "an item has a type of value that is not read; send the report as text or PDF"
    raise RefusedMessageError("unread-part", detail, location="ValueType")


def _measurement(item: Any) -> str:
    measured = item.get("MeasuredValueSequence")
    if not measured:
        return meaning(item.get("NumericValueQualifierCodeSequence"))
    units = measured[0].get("MeasurementUnitsCodeSequence")
    unit = meaning(units)
    if units and units[0].get("CodingSchemeDesignator") == _UCUM:
        unit = str(units[0].get("CodeValue") or unit)
    number = str(measured[0].get("NumericValue") or "")
    return number if unit.casefold() in _NO_UNIT else f"{number} {unit}"
