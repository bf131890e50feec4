"""Lists as models write them after a count, or instead of one: semicolons, bullets, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from attrs import field, frozen

from overread.adapters.llm.green._counts import NUMBER_WORD, read_count

__all__ = ["Counted", "is_bullet", "join_paragraph", "read_counted_list", "split_list", "split_numbered_list"]

_BULLET: Final = re.compile(r"\s*(?:[-*•–+]|\(?\d{1,2}[.)])\s+(?=\S)")
_NUMBERED_LINE: Final = re.compile(r"\s*(?:#\d{1,2}|\d{1,2}:|\d{1,2}\s[-–])\s")
_NUMBER_ALONE: Final = re.compile(r"\W*\d{1,3}[.)]\s*$")
_MEASURE: Final = r"(?!\d|[.,]\d|[-/]\d|\s*(?:mm|cm|ml|%|x\s*\d|mg|st|nd|rd|th|°)\b|%)"
_SEPARATORS: Final = re.compile(r"[;\n]|,\s")
_PARTS: Final = re.compile(r"[;\n]")
_LINE_MARK: Final = re.compile(r"([(#]?)(\d{1,2})([.):]|\s[-–](?=\s)|(?<=#\d)(?=\s))\s*")
_MARK: Final = re.compile(rf"(?:^|(?<=[\s;,.]))(?<!\n[-*•] ){_LINE_MARK.pattern}(?=\S)(?:(?<=\s)|(?!\d))")
_ENDS: Final = re.compile(r"[.;,\n]\s*$")
_LEAST: Final = 2
_NUMBER_FIRST: Final = re.compile(rf"[(#]?\d{{1,3}}{_MEASURE}(?=\W|$)")
_WORD_FIRST: Final = re.compile(rf"(?:{NUMBER_WORD})\b", re.IGNORECASE)
_NUMBER_WITHIN: Final = re.compile(rf"(?<![\w.,/-])\d{{1,2}}{_MEASURE}\s+[^\W\d]")
_PLAIN: Final = re.compile(r"[a-z0-9]")
_COUNTS_INSIDE: Final = re.compile(r"\btotal\b\W*(?:of\s+)?\d|\bin total\b", re.IGNORECASE)


@frozen
class Counted:
    """A count and the items that were listed with it, which may be fewer or more."""

    count: int
    items: tuple[str, ...] = field(repr=False)


def read_counted_list(text: str) -> Counted | None:
    """The count that a text states and the list after it; a list numbered from its first character counts itself.

    None where there is no count, or the list leaves it in doubt: the numbers of its items contradict it ("1. A 2. B 4.
    C"), one of too many or too few items begins with another number ("1 right; 1 left"), or nothing sets the number
    apart from a single item ("12 ribs").

    >>> (
    ...     read_counted_list("2. A; B"),
    ...     read_counted_list("1. A 2. B 3. C").count,
    ...     read_counted_list("12 ribs"),
    ...     read_counted_list("1. A; 1 B"),
    ... )
    (Counted(count=2), 3, None, None)
    """
    if (items := split_numbered_list(text)) is not None:
        return Counted(len(items), items) if items else None
    stated = read_count(text)
    if stated is None or _COUNTS_INSIDE.search(stated[1]):
        return None
    count, rest, apart = stated
    if (inner := split_numbered_list(rest)) is not None:
        return Counted(count, inner) if len(inner) == count else None
    items = split_list(rest)
    return None if _is_doubtful(rest, items, differs=len(items) != count, apart=apart) else Counted(count, items)


def _is_doubtful(rest: str, items: Sequence[str], *, differs: bool, apart: bool) -> bool:
    """Returns whether what follows a count may be another count, or the number may not be a count at all."""
    return (
        any(map(_NUMBER_ALONE.match, rest.splitlines()[1:]))
        or ((differs or not apart) and any(map(_NUMBER_FIRST.match, _separate(rest)[1:])))
        or (differs and any(map(_WORD_FIRST.match, items[1:])))
        or (not apart and _NUMBER_WITHIN.search(rest) is not None)
        or (not apart and differs and bool(items) and _PLAIN.match(rest) is not None)
    )


def split_list(text: str) -> tuple[str, ...]:
    r"""The items of a list: between semicolons, or one a line.

    >>> split_list("- left effusion.\n- None\n- 2 cm nodule")
    ('left effusion', 'None', '2 cm nodule')
    """
    parts = (
        part[bullet.end() if (bullet := _BULLET.match(part)) else 0 :].strip(" .,\n") for part in _PARTS.split(text)
    )
    bare = (part[1:-1].strip() if part[:1] + part[-1:] in {"()", "[]", "<>"} else part for part in parts)
    return tuple(part for part in bare if part and any(map(str.isalnum, part)))


def _separate(text: str) -> list[str]:
    """The parts between semicolons or commas, or on separate lines, with their numbers."""
    return [part.strip(" -*•–") for part in _SEPARATORS.split(text)]


def split_numbered_list(text: str) -> tuple[str, ...] | None:
    """The items of a list numbered 1, 2, ... from its first character: at least two, in one style.

    None where there is no such list, and () where there is one but an item is empty or a number is out of turn.

    >>> (
    ...     split_numbered_list("1. clear lungs; 2. normal heart"),
    ...     split_numbered_list("1. clear lungs; normal heart"),
    ...     split_numbered_list("1. 2. rib"),
    ... )
    (('clear lungs', 'normal heart'), None, ())
    """
    text = text.strip()
    items = _line_by_line(text)
    return _run_on(text) if items is None else items


def _line_by_line(text: str) -> tuple[str, ...] | None:
    """The items of a list that has one on each line, all or none of them behind a bullet."""
    raw = [line for line in text.splitlines() if line.strip()]
    bulleted = {line.lstrip()[0] in "-*•" for line in raw}
    lines = [line.strip(" -*•") for line in raw]
    marks = [_LINE_MARK.match(line) for line in lines]
    numbers = [mark and int(mark[2]) for mark in marks]
    if len(lines) < _LEAST or len(bulleted) > 1 or numbers != list(range(1, len(lines) + 1)):
        return None
    return _whole(line[mark.end() :] for line, mark in zip(lines, marks, strict=True) if mark)


def _run_on(text: str) -> tuple[str, ...] | None:
    """The items of a list within a text: from each mark in the style of the first to the next."""
    marks = list(_MARK.finditer(text))
    same = [mark for mark in marks if _style(mark) == _style(marks[0])]
    numbers = [int(mark[2]) for mark in same]
    if numbers[:_LEAST] != [1, _LEAST] or same[0].start():
        return None
    ends = [mark.start() for mark in same[1:]] + [len(text)]
    is_reference = len(same) == _LEAST and not same[0][1] and not _ENDS.search(text, 0, ends[0])
    if is_reference or numbers != list(range(1, len(same) + 1)):
        return ()  # "1. In segment 2. Unchanged"
    return _whole(text[mark.end() : end] for mark, end in zip(same, ends, strict=True))


def _style(mark: re.Match[str]) -> tuple[str, str]:
    return mark[1], mark[3].strip()


def _whole(items: Iterable[str]) -> tuple[str, ...]:
    stripped = [item.strip(" .,;\n-") for item in items]
    return tuple(stripped) if all(any(map(str.isalpha, item)) for item in stripped) else ()


def join_paragraph(lines: Sequence[str]) -> str:
    """A paragraph as one text: an item of a list begins a line, any other line carries on; blank lines do not count."""
    text = ""
    for line in filter(str.strip, lines):
        text += (("\n" if is_bullet(line) else " ") if text else "") + line.strip()
    return text


def is_bullet(line: str) -> bool:
    """Returns whether a line is an item of a bulleted or numbered list."""
    return any(pattern.match(line) for pattern in (_BULLET, _NUMBERED_LINE, _NUMBER_ALONE))
