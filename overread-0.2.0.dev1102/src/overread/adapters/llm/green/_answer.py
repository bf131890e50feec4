"""Reads answers in GREEN's format (Ostmeier et al. 2024, appendix A.1), in the ways that models write it.

A number is taken only where the answer states it; what is missing, contradictory or cut short is an error, never a 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from overread.adapters.llm.green._cleaning import clean_answer
from overread.adapters.llm.green._sections import FORMAT, read_errors, read_matches
from overread.application.asking.answers.refusal import is_refusal
from overread.application.asking.inquiry import UnreadableAnswerError
from overread.domain.results.green import GreenNotation

__all__ = ["ANSWER_READER", "SECTIONS", "read_answer"]

ANSWER_READER: Final = "green-3"
"""Name and version of the rules by which answers are read."""


class _Section(StrEnum):
    EXPLANATION = "Explanation"
    SIGNIFICANT = "Clinically Significant Errors"
    INSIGNIFICANT = "Clinically Insignificant Errors"
    MATCHED = "Matched Findings"


SECTIONS: Final = tuple(section.value for section in _Section)
"""The four sections of an answer; all but the explanation are needed."""

_NEEDED: Final = (_Section.SIGNIFICANT, _Section.INSIGNIFICANT, _Section.MATCHED)

_ORDER: Final = {section: place for place, section in enumerate(_Section)}

_NAMES: Final = {
    _Section.EXPLANATION: r"explanations?",
    _Section.SIGNIFICANT: r"(?:clinically\s+)?significant\s+errors?",
    _Section.INSIGNIFICANT: r"(?:clinically\s+)?(?:in|non-?|not\s+)significant\s+errors?",
    _Section.MATCHED: r"match(?:ed|ing)\s+findings?",
}
_ANY_NAME: Final = "|".join(f"(?P<{section.name}>{pattern})" for section, pattern in _NAMES.items())
_HEADER: Final = re.compile(
    rf"[\s#>*-]*(?:\d{{1,2}}[.)]\s*)?(?P<marked>\[\s*)?(?:{_ANY_NAME})(?:\s*\])?\s*(?::|$|[-–—]\s|(?=\(\d))",
    re.IGNORECASE,
)
_INLINE_HEADER: Final = re.compile(rf"(?=\[\s*(?:{'|'.join(_NAMES.values())})\s*\]\s*:)", re.IGNORECASE)
_OTHER_HEADER: Final = re.compile(r"\s*\[[A-Za-z][A-Za-z ]{3,40}\]\s*(?::|$)")
_TEMPLATE: Final = re.compile(
    r"<\s*(?:the\s+)?(?:number|error|finding)|:\s*number\b|^\s*number\.|first (?:error|finding)\b", re.IGNORECASE
)
"""A section as the request shows it."""
_BARE_TOTAL: Final = re.compile(r"\W*(\d{1,3})\W*(?:errors?\W*)?$", re.IGNORECASE)


def read_answer(text: str) -> GreenNotation:
    """Reads an answer.

    The format may stand anywhere in the answer: after reasoning between think tags, within a code fence, between
    prose. Headers may be bold, without brackets or in another case; labels may be numbers or missing; counts may be
    words. If the whole format occurs more than once, as when a model repeats the request or corrects itself, all
    that can be read of it must agree.

    Raises:
        UnreadableAnswerError: "refusal"; "unreadable answer" if a section or a count is missing; "inconsistent answer"
            if the answer contradicts itself.
    """
    blocks = list(_blocks(clean_answer(text, has_section=_has_section)))
    stated = [block for block in blocks if not _is_template(block)]
    whole = [block for block in stated if all(section in block for section in _NEEDED)]
    if not whole:
        raise _incomplete(text, blocks)
    readings = [_notation(block) for block in whole]
    if any(reading.counts != readings[0].counts for reading in readings):
        detail = "the answer is given more than once, and differently"
        raise UnreadableAnswerError("inconsistent answer", detail, FORMAT)
    for block in stated:
        if block not in whole and not _agrees(block, readings[-1]):
            raise UnreadableAnswerError("inconsistent answer", "a section is given again, and differently", FORMAT)
    return readings[-1]


_Block = Mapping[_Section, str]


def _notation(block: _Block) -> GreenNotation:
    significant = read_errors(block[_Section.SIGNIFICANT], "significant")
    insignificant = read_errors(block[_Section.INSIGNIFICANT], "insignificant")
    matches = read_matches(block[_Section.MATCHED])
    return GreenNotation(
        significant=significant.counts,
        insignificant=insignificant.counts,
        matched=matches.count,
        matched_findings=matches.findings,
        explanation=block.get(_Section.EXPLANATION, "").strip(),
        notes=(*significant.notes, *insignificant.notes, *matches.notes),
    )


def _is_template(block: _Block) -> bool:
    return any(_TEMPLATE.search(block[section]) for section in _NEEDED if section in block)


def _agrees(block: _Block, reading: GreenNotation) -> bool:
    """Returns whether the sections in part of an answer agree with the answer; a section of errors may be its total."""
    sides = ((_Section.SIGNIFICANT, 0, reading.error_count), (_Section.INSIGNIFICANT, 6, reading.insignificant_count))
    try:
        for section, start, total in sides:
            if section in block and not ((bare := _BARE_TOTAL.match(block[section])) and int(bare[1]) == total):
                errors = read_errors(block[section], "repeated").counts
                counts = GreenNotation(significant=errors).counts[:6]
                if counts != reading.counts[start : start + 6]:
                    return False
        return _Section.MATCHED not in block or read_matches(block[_Section.MATCHED]).count == reading.matched
    except UnreadableAnswerError:
        return False


def _incomplete(text: str, blocks: list[_Block]) -> UnreadableAnswerError:
    seen = {section for block in blocks for section in block}
    if not seen and is_refusal(text):
        return UnreadableAnswerError("refusal", "the model declined to answer")
    missing = [f"[{section}]" for section in _NEEDED if section not in seen]
    detail = f"{', '.join(missing)} missing" if missing else "the sections do not stand together"
    return UnreadableAnswerError("unreadable answer", detail, FORMAT)


def _blocks(text: str) -> Iterator[_Block]:
    """The sections with their texts; one that comes again, or before its turn, begins another block.

    A header stands at the beginning of a line, except in an answer of a single line.
    """
    if "\n" not in text.strip():
        text = _INLINE_HEADER.sub("\n", text)
    block: dict[_Section, str] = {}
    current: _Section | None = None
    lines: list[str] = []
    for line in text.splitlines():
        header = _HEADER.match(line)
        section = _section(header, block) if header else None
        if section is None and not (current is _Section.MATCHED and _OTHER_HEADER.match(line)):
            lines.append(line)
            continue
        if current is not None:
            block[current] = "\n".join(lines)
        if section is not None and any(_ORDER[section] <= _ORDER[other] for other in block):
            yield block
            block = {}
        current, lines = section, [line[header.end() :]] if header else []
    if current is not None:
        block[current] = "\n".join(lines)
    if block:
        yield block


def _section(header: re.Match[str], block: _Block) -> _Section | None:
    """The section that a header opens; "Explanation:" among the errors, without brackets, opens none."""
    section = _Section[str(header.lastgroup)]
    if section is _Section.EXPLANATION and not header["marked"] and block:
        return None
    return section


def _has_section(text: str) -> bool:
    """Returns whether a text contains the header of a section that an answer needs."""
    headers = (_INLINE_HEADER.sub("\n", text)).splitlines()
    return any((match := _HEADER.match(line)) and match.lastgroup != _Section.EXPLANATION.name for line in headers)
