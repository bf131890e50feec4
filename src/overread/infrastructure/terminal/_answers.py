"""What language models answered about a pair: what they say of it as a whole, and their raw answers."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from overread.domain.answer import Answer
from overread.domain.result import AnswerEvidence
from overread.infrastructure import wording
from overread.infrastructure.terminal._parts import labelled

__all__ = ["show_answers"]

_SHOWN: Final = 8_000
"""Characters of one answer that are shown; an answer may have millions."""


def show_answers(console: Console, evidence: AnswerEvidence) -> None:
    """The explanation and the matched findings, then every answer as it came, with what reading it came to."""
    if evidence.explanation:
        console.print(Text("Explanation", "bold"))
        _indented(console, evidence.explanation)
        console.print()
    if evidence.matched:
        console.print(Text("Findings that both reports state", "bold"))
        for finding in evidence.matched:
            _indented(console, f"- {' '.join(finding.split())}")
        console.print()
    for number, answer in enumerate(evidence.answers, start=1):
        _answer(console, number, len(evidence.answers), answer)


def _answer(console: Console, number: int, total: int, answer: Answer) -> None:
    style = "" if answer.outcome == "read" else "bold yellow"
    title = f"Raw answer {number} of {total}, attempt {answer.attempt}: "
    console.print(Text.assemble((title, "bold"), (wording.shown(answer.outcome), style)))
    for label, words in _about(answer).items():
        console.print(labelled(f"  {label}", words))
    text = answer.completion.text
    _indented(console, text[:_SHOWN] or "(nothing)")
    if len(text) > _SHOWN:
        console.print(Text(f"  ... {len(text) - _SHOWN:,} more characters; --format json has them all", "dim"))
    console.print()


def _about(answer: Answer) -> dict[str, str]:
    completion = answer.completion
    asked = "asked now" if answer.asked else "found kept"
    tokens = (_tokens(completion.prompt_tokens, "prompt"), _tokens(completion.completion_tokens, "answer"))
    return {
        "prompt": answer.prompt,
        "model": completion.model or "not told",
        "tokens": ", ".join(tokens),
        "ended": f"{completion.finish.value}; {asked}",
    }


def _tokens(count: int | None, where: str) -> str:
    return f"{where} not told" if count is None else f"{count:,} {where}"


def _indented(console: Console, text: str) -> None:
    """Line by line: a carriage return must not write over what stands there."""
    console.print(Padding(Text("\n".join(wording.shown(line) for line in text.splitlines())), (0, 0, 0, 2)))
