"""Sections of an answer: the six categories with their counts, and the matched findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from overread.adapters.llm.green._counts import read_count
from overread.adapters.llm.green._denials import denies, is_filler, is_none, is_partial
from overread.adapters.llm.green._entries import Entry, is_harmless, sub_categories
from overread.adapters.llm.green._labels import category_named, has_label, name_and_count
from overread.adapters.llm.green._lists import (
    Counted,
    is_bullet,
    join_paragraph,
    read_counted_list,
    split_numbered_list,
)
from overread.application.asking.inquiry import UnreadableAnswerError
from overread.domain.results.green import CountedErrors
from overread.domain.vocabulary.taxonomy import ErrorCategory

__all__ = ["FORMAT", "ReadErrors", "ReadMatches", "read_errors", "read_matches"]

FORMAT: Final = (
    "Answer again in the format asked for: the sections [Explanation], [Clinically Significant Errors], "
    "[Clinically Insignificant Errors] and [Matched Findings], each once. In both error sections write the lines (a) "
    "to (f), each as the kind of error, a colon, the number of errors, a full stop, and then the errors themselves "
    "with semicolons between them; the number is 0 where there is none. Under [Matched Findings] write the number, a "
    "full stop, and the findings."
)
"""What is asked of a model whose answer could not be read."""

_COURTESY: Final = re.compile(r"(?:please\s+)?(?:let\s+me\s+know|feel\s+free|i\s+hope|if\s+you)\b", re.IGNORECASE)
_COMBINED: Final = re.compile(r"\s*(?:[-–—,/&]|to|and|through)\s*[(\[]?[b-f][)\]]", re.IGNORECASE)
"""A second label beside the first, as in "(a)-(f): 0"."""


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
    lines = sub_categories(body)
    denied = not all(map(is_partial, lines.denials))
    if not lines.entries and not denied:
        raise UnreadableAnswerError("unreadable answer", f"no {severity} error is counted, nor said to be none", FORMAT)
    if lines.unclaimed or (lines.prose and not lines.entries):
        raise _inconsistent(f"something is said among the {severity} errors that belongs to no kind of error")
    counts: dict[ErrorCategory, CountedErrors] = {}
    notes: list[str] = []
    for entry in lines.entries:
        place = f"{severity} errors ({entry.category.value.lower()})"
        errors = _errors(entry, place)
        before = counts.setdefault(entry.category, errors)
        if before.count != errors.count or (before.count and before.explanations != errors.explanations):
            raise _inconsistent(f"{place} are stated twice, and differently")
        notes += _remarks(place, errors.count, len(errors.explanations))
    number = sum(errors.count for errors in counts.values())
    if denied and number:
        raise _inconsistent(f"{severity} errors are counted and said to be none")
    if any(total != number for total in lines.totals):
        raise _inconsistent(f"the total of {severity} errors is not the sum of their counts")
    return ReadErrors(counts, tuple(dict.fromkeys(notes)))


def read_matches(body: str) -> ReadMatches:
    """The matched findings.

    Raises:
        UnreadableAnswerError: as `read_errors`.
    """
    text, trailing = _paragraph(body)
    if not all(_COURTESY.match(line) or is_harmless(line) for line in trailing):
        raise _inconsistent("something is said after the matched findings that may be another count")
    tally = read_counted_list(text)
    if tally is None:
        raise UnreadableAnswerError("unreadable answer", "matched findings are not counted", FORMAT)
    if has_label(text):
        raise _inconsistent("the matched findings hold the label of a kind of error")
    if not tally.count and not all(denies(item, matches=True) for item in tally.items):
        raise _inconsistent("matched findings are listed and said to be none")
    if tally.count and is_none(tally.items):
        raise _inconsistent("matched findings are counted and said to be none")
    notes = tuple(_remarks("matched findings", tally.count, len(tally.items)))
    if tally.count and read_count(text) is not None and split_numbered_list(text) is not None:
        notes = ("the matched findings are numbered, not counted",)
    return ReadMatches(tally.count, tally.items if tally.count else (), notes)


def _paragraph(body: str) -> tuple[str, list[str]]:
    """The first paragraph with the items of its list, which may stand apart, and the lines that follow it.

    Lines that introduce it, with a colon at their end and no number in them, are left out.
    """
    lines = body.strip().splitlines()
    while lines and (not lines[0].strip() or (lines[0].rstrip().endswith(":") and is_harmless(lines[0]))):
        lines = lines[1:]
    paragraph: list[str] = []
    trailing: list[str] = []
    gap = False
    for line in lines:
        if not line.strip():
            gap = True
        else:
            (paragraph if not gap or is_bullet(line) else trailing).append(line)
    return join_paragraph(paragraph), trailing


def _errors(entry: Entry, place: str) -> CountedErrors:
    lines = [line for line in (entry.text, *entry.more) if line.strip()]
    name, text = name_and_count(lines[0]) if lines else ("", None)
    if text is None and len(lines) > 1 and lines[0].rstrip().endswith(":"):
        text = lines.pop(1)
    combined = _COMBINED.match(entry.text)
    tally = _count_items(text, lines[1:]) if text is not None else None
    if tally is None or (combined and tally.count):
        raise UnreadableAnswerError("unreadable answer", f"{place} are not counted", FORMAT)
    if not combined and category_named(name) not in (None, entry.category):
        raise _inconsistent(f"{place} go by the name of another category")
    if not combined and any(map(has_label, lines)):
        raise _inconsistent(f"{place} hold the label of another category")
    if not tally.count and not all(map(is_filler, tally.items)):
        raise _inconsistent(f"{place} are listed and said to be none")
    if tally.count and is_none(tally.items):
        raise _inconsistent(f"{place} are counted and said to be none")
    return CountedErrors(tally.count, tally.items if tally.count else ())


def _count_items(text: str, more: Sequence[str]) -> Counted | None:
    """The count of a text and the list in it and in the lines after it, which a bare count has to itself."""
    count = read_count(text)
    if count is not None and not count[1].strip() and more:
        return read_counted_list(f"{text}\n{join_paragraph(more)}")
    return read_counted_list(join_paragraph([text, *more]))


def _remarks(place: str, count: int, listed_: int) -> Iterator[str]:
    if count and listed_ and count != listed_:
        yield f"{place}: {count} counted, {listed_} listed; the count is taken"


def _inconsistent(detail: str) -> UnreadableAnswerError:
    return UnreadableAnswerError("inconsistent answer", detail, f"Your answer contradicts itself: {detail}. {FORMAT}")
