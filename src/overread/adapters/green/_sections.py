"""Sections of an answer: the six categories with their counts, and the matched findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from overread.adapters.green._counts import is_bullet, is_filler, listed, numbered, read_count
from overread.adapters.green._labels import Entry, category_named, name_and_count, sub_categories
from overread.application.inquiry import UnreadableAnswerError
from overread.domain.green import CountedErrors
from overread.domain.taxonomy import ErrorCategory

__all__ = ["FORMAT", "ReadErrors", "ReadMatches", "read_errors", "read_matches"]

FORMAT: Final = (
    "Answer again in the format asked for: the sections [Explanation], [Clinically Significant Errors], "
    "[Clinically Insignificant Errors] and [Matched Findings], each once. In both error sections write the lines (a) "
    "to (f), each as the kind of error, a colon, the number of errors, a full stop, and then the errors themselves "
    "with semicolons between them; the number is 0 where there is none. Under [Matched Findings] write the number, a "
    "full stop, and the findings."
)
"""What is asked of a model whose answer could not be read."""

_REST: Final = re.compile(r"\b(?:other|further|additional|more|remaining)\b|\([a-f]\)", re.IGNORECASE)
"""A line with one of these denies only what is not counted elsewhere."""


@frozen
class ReadErrors:
    """An error section, and oddities of it."""

    counts: Mapping[ErrorCategory, CountedErrors]
    notes: tuple[str, ...]


@frozen
class ReadMatches:
    """The matched findings, and oddities of their section."""

    count: int
    findings: tuple[str, ...] = field(repr=False)
    notes: tuple[str, ...]


def read_errors(body: str, severity: str) -> ReadErrors:
    """The counts of an error section; a category that it does not mention has no errors.

    Args:
        body: of the section, without its header.
        severity: for messages, "significant" or "insignificant".

    Raises:
        UnreadableAnswerError: "unreadable answer" if a count is missing or the section says nothing; "inconsistent
            answer" if it contradicts itself.
    """
    entries, prose = sub_categories(body)
    denied = any(map(_denies, prose))
    if not entries and not denied:
        raise UnreadableAnswerError("unreadable answer", f"no {severity} error is counted, nor said to be none", FORMAT)
    counts: dict[ErrorCategory, CountedErrors] = {}
    notes: list[str] = []
    for entry in entries:
        place = f"{severity} errors ({entry.category.value.lower()})"
        errors = _errors(entry, place)
        before = counts.setdefault(entry.category, errors)
        if before.count != errors.count or (before.count and before.explanations != errors.explanations):
            raise _inconsistent(f"{place} are stated twice, and differently")
        notes += _remarks(place, errors.count, len(errors.explanations))
    if denied and any(errors.count for errors in counts.values()):
        raise _inconsistent(f"{severity} errors are counted and said to be none")
    return ReadErrors(counts, tuple(dict.fromkeys(notes)))


def read_matches(body: str) -> ReadMatches:
    """The matched findings.

    Raises:
        UnreadableAnswerError: as `read_errors`.
    """
    lines = body.strip().splitlines()
    while lines and read_count(lines[0]) is None and _opens(lines[0]):
        lines = lines[1:]
    text = _joined(lines)
    if items := numbered(text):
        return ReadMatches(len(items), items, ("the matched findings are numbered, not counted",))
    found = read_count(text)
    if found is None:
        raise UnreadableAnswerError("unreadable answer", "matched findings are not counted", FORMAT)
    count, rest = found
    findings = listed(rest)
    if not count and not all(map(is_filler, findings)):
        raise _inconsistent("matched findings are listed and said to be none")
    return ReadMatches(count, findings if count else (), tuple(_remarks("matched findings", count, len(findings))))


def _denies(line: str) -> bool:
    """Whether a line says that there is no error at all."""
    found = read_count(line)
    return found is not None and not found[0] and not _REST.search(line)


def _opens(line: str) -> bool:
    return not line.strip() or line.rstrip().endswith(":")


def _joined(lines: Sequence[str]) -> str:
    """A paragraph as one text: an item of a list begins a line, any other line carries on; bullets may stand apart."""
    text, gap = "", False
    for line in lines:
        if not line.strip():
            gap = bool(text)
        elif is_bullet(line) or not text:
            text += ("\n" if text else "") + line.strip()
        elif not gap:
            text += " " + line.strip()
    return text


def _errors(entry: Entry, place: str) -> CountedErrors:
    first, *more = (entry.text, *entry.more) if entry.text.strip() else (*entry.more, "")
    name, found = name_and_count(first)
    if found is None and first.rstrip().endswith(":"):
        found, more = read_count(_joined(more)), []
    if found is None:
        raise UnreadableAnswerError("unreadable answer", f"{place} are not counted", FORMAT)
    named = category_named(name)
    if named not in (None, entry.category):
        raise _inconsistent(f"{place} go by the name of another category")
    count, rest = found
    if not count:
        more = [line for line in more if is_bullet(line)]
    text = _joined([rest, *more]) if rest.strip() else _joined(more)
    if count == 1 and (items := numbered(f"1. {text}")):
        return CountedErrors(len(items), items)
    explanations = listed(text)
    if not count and not all(map(is_filler, explanations)):
        raise _inconsistent(f"{place} are listed and said to be none")
    return CountedErrors(count, explanations if count else ())


def _remarks(place: str, count: int, listed_: int) -> Iterator[str]:
    if count and listed_ and count != listed_:
        yield f"{place}: {count} counted, {listed_} listed; the count is taken"


def _inconsistent(detail: str) -> UnreadableAnswerError:
    return UnreadableAnswerError("inconsistent answer", detail, f"Your answer contradicts itself: {detail}. {FORMAT}")
