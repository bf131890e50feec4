"""Reads answers in GREEN's format (Ostmeier et al. 2024, appendix A.1), in the ways that models write it.

A number is taken only where the answer states it; what is missing, contradictory or cut short is an error, never a 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from overread.adapters.answers.json_answer import without_reasoning
from overread.adapters.answers.refusal import is_refusal
from overread.adapters.green._sections import FORMAT, read_errors, read_matches
from overread.application.inquiry import UnreadableAnswerError
from overread.domain.green import GreenNotation

__all__ = ["ANSWER_READER", "SECTIONS", "read_answer"]

ANSWER_READER: Final = "green-1"
"""Name and version of the rules by which answers are read."""


class _Section(StrEnum):
    EXPLANATION = "Explanation"
    SIGNIFICANT = "Clinically Significant Errors"
    INSIGNIFICANT = "Clinically Insignificant Errors"
    MATCHED = "Matched Findings"


SECTIONS: Final = tuple(section.value for section in _Section)
"""The four sections of an answer; all but the explanation are needed."""

_NEEDED: Final = (_Section.SIGNIFICANT, _Section.INSIGNIFICANT, _Section.MATCHED)

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
_OTHER_HEADER: Final = re.compile(r"\s*\[[A-Za-z][A-Za-z ]{3,40}\]\s*:?")

_ANSWERER: Final = re.compile(r"<\|assistant\|>|<\|im_start\|>\s*assistant|\[/INST\]", re.IGNORECASE)
_TOKEN: Final = re.compile(r"</?s>|<unk>|<pad>|<[be]os>|<\|[a-z_0-9]{1,30}\|>", re.IGNORECASE)
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~|\^\^\^).*$", re.MULTILINE)
_BLANKS: Final = re.compile(r"[^\S\n]+")
_BLANK_LINES: Final = re.compile(r"(?: ?\n){3,}")
_EMPHASIS: Final = re.compile(r"\*\*|__|`")


def read_answer(text: str) -> GreenNotation:
    """What an answer says.

    The format may stand anywhere in the answer: after reasoning between think tags, within a code fence, between
    prose. Headers may be bold, without brackets or in another case, labels numbers or missing, counts words. If the
    whole format is there more than once, as where a model repeats the request or corrects itself, what can be read
    of it must agree.

    Raises:
        UnreadableAnswerError: "refusal"; "unreadable answer" if a section or a count is missing; "inconsistent answer"
            if the answer contradicts itself.
    """
    blocks = list(_blocks(_cleaned(text)))
    whole = [block for block in blocks if all(section in block for section in _NEEDED)]
    if not whole:
        raise _incomplete(text, blocks)
    readings: list[GreenNotation] = []
    failures: list[UnreadableAnswerError] = []
    for block in whole:
        try:
            readings.append(_notation(block))
        except UnreadableAnswerError as failure:
            failures.append(failure)
    if not readings:
        raise failures[-1]
    if any(reading.counts != readings[-1].counts for reading in readings):
        detail = "the answer is given more than once, and differently"
        raise UnreadableAnswerError("inconsistent answer", detail, FORMAT)
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


def _incomplete(text: str, blocks: list[_Block]) -> UnreadableAnswerError:
    seen = {section for block in blocks for section in block}
    if not seen and is_refusal(text):
        return UnreadableAnswerError("refusal", "the model declined to answer")
    missing = [f"[{section}]" for section in _NEEDED if section not in seen]
    detail = f"{', '.join(missing)} missing" if missing else "the sections do not stand together"
    return UnreadableAnswerError("unreadable answer", detail, FORMAT)


def _blocks(text: str) -> Iterator[_Block]:
    """The sections with their texts; a section that comes again begins another block."""
    block: dict[_Section, str] = {}
    current: _Section | None = None
    lines: list[str] = []
    for line in text.splitlines():
        header = _HEADER.match(line)
        section = _section(header, block) if header else None
        if section is None and not _OTHER_HEADER.match(line):
            lines.append(line)
            continue
        if current is not None:
            block[current] = "\n".join(lines)
        if section in block:
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


def _cleaned(text: str) -> str:
    """The answer without reasoning, control tokens, code fences, emphasis, and blanks beyond one."""
    text = _answered(without_reasoning(text))
    if "\n" not in text.strip():
        text = text.replace("\\n", "\n")
    text = _EMPHASIS.sub("", _FENCE.sub("", _TOKEN.sub("\n", text)))
    text = _BLANK_LINES.sub("\n\n", _BLANKS.sub(" ", text))
    return _INLINE_HEADER.sub("\n", text)


def _answered(text: str) -> str:
    """The last turn of the assistant that holds a section, where a model repeats the turns; else the whole text."""
    turns = _ANSWERER.split(text)
    with_section = (turn for turn in reversed(turns) if any(map(_HEADER.match, turn.splitlines())))
    return next(with_section, text)
