"""Input and parser of the released GREEN package (PyPI green-score 0.0.12), for comparison.

The parser never fails: what it cannot find counts as nothing, so that a refusal scores 0, and an answer whose error
section has a bold header, or begins with "Nodule", scores 1 where anything matched.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final

from overread.application.asking.prompt import Prompt
from overread.domain.results.green import CountedErrors, GreenNotation
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorCategory

__all__ = ["RELEASED_PROMPT", "RELEASED_READER", "RELEASED_WORDS", "first_words", "read_released", "released_note"]

RELEASED_READER: Final = "green-0.0.12"
RELEASED_WORDS: Final = 300
"""Words of each report that the release sends."""
RELEASED_PROMPT: Final = "62ff3675597dd0994584f5b08cd33076bc5d74c72de27cf0124b0a9dac8aad0f"
"""SHA-256 of the release's wording in UTF-8, with {reference} and {candidate} where the reports stand. It is that of
the 1,866 characters which make_prompt of RadEval 2.2.1, whose copy is the release's, gives for those two texts."""

_NOTE: Final = "read as GREEN 0.0.12 reads it: an answer that it cannot read is a score, not a failure"
_OTHER_WORDING: Final = "the prompt's wording is not that of GREEN 0.0.12"
_OTHER_TURNS: Final = "the model is not asked in the turns of GREEN 0.0.12: set model.chat=green"
_STYLE: Final = ",chat="

_START: Final = "[Explanation]:"
_TURN: Final = "<|assistant|>"
_LABELS: Final = (("abcdef", re.compile(r"\([a-f]\) .*")), ("123456", re.compile(r"\([1-6]\) .*")))
_COUNT: Final = re.compile(r"(?<=: )\b\d+\b(?=\.)")
_MOST: Final = 1000
_MATCHED: Final = re.compile(r"^\b\d+\b(?=\.)")


def first_words(report: str, words: int | None = RELEASED_WORDS) -> str:
    r"""The first words of a report, or all, single blanks between them, as the release sends every report.

    >>> first_words("Small  effusion.\n\nNo change.")
    'Small effusion. No change.'
    """
    return " ".join(report.split()[:words])


def released_note(prompt: Prompt, model: str) -> str:
    """Note for a reader of the scores: how answers are read, and where the request differs from the release.

    Args:
        prompt: the one that is used.
        model: identity of the model. One that writes conversations itself states its style; a server does not, and
            the note omits it.
    """
    digest = hashlib.sha256(prompt.user.encode()).hexdigest()
    notes = [_NOTE]
    if prompt.system or digest != RELEASED_PROMPT:
        notes.append(_OTHER_WORDING)
    if _STYLE in model and f"{_STYLE}{RELEASED_READER}," not in f"{model},":
        notes.append(_OTHER_TURNS)
    return "; ".join(notes)


def read_released(text: str) -> GreenNotation:
    """Reads an answer as the release does; a section that it does not find has no errors or matches.

    >>> read_released("I cannot help with that.").counts == (0,) * 13
    True
    """
    answer = _extract_answer(text)
    matched = _section(answer, "Matched Findings")
    numbers = _MATCHED.findall(matched)
    return GreenNotation(
        significant=_errors(_section(answer, "Clinically Significant Errors")),
        insignificant=_errors(_section(answer, "Clinically Insignificant Errors")),
        matched=_number(numbers[0]) if numbers else 0,
        matched_findings=_parts(matched.rpartition(":")[2].rpartition(".")[2]),
        explanation=re.split(r"\[Clinically", answer, maxsplit=1)[0].strip(),
    )


def _extract_answer(text: str) -> str:
    """The text between the first two explanation headers, of the last turn in it, without control tokens."""
    after = text.split(_START)[1] if _START in text else text
    return after.split(_TURN)[-1].replace("</s>", "").replace("<unk>", "")


def _section(answer: str, name: str) -> str:
    """A section up to the first blank line, "" if it is not found or begins with "No"."""
    match = re.search(rf"\[{name}\]:\s*(.*?)(?:\n\s*\n|\Z)", answer, re.DOTALL)
    return "" if match is None or match[1].startswith("No") else match[1]


def _errors(section: str) -> dict[ErrorCategory, CountedErrors]:
    """The errors by category; of two lines with the same label the one that sorts later is taken."""
    labels, lines = _labels_and_lines(section)
    errors: dict[ErrorCategory, CountedErrors] = {}
    for line in lines:
        if numbers := _COUNT.findall(line):
            words = line.rpartition(":")[2].split(".", 1)[-1]
            errors[REXVAL_SIX[labels.index(line[1])]] = CountedErrors(_number(numbers[0]), _parts(words))
    return errors


def _number(digits: str) -> int:
    """A count; the release has no limit, and every error becomes a discrepancy here."""
    return min(int(digits[:6]), _MOST)


def _labels_and_lines(section: str) -> tuple[str, Sequence[str]]:
    for labels, pattern in _LABELS:
        if lines := sorted(pattern.findall(section)):
            return labels, lines
    return "abcdef", ()


def _parts(words: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in words.split(";") if part.strip())
