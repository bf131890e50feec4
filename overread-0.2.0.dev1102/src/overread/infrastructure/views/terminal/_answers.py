"""Answers of language models about a pair: what they say of it as a whole, and their raw answers."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from overread.domain.results.result import AnswerEvidence
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import answer_rows
from overread.infrastructure.views.terminal._parts import label_words

__all__ = ["show_answers"]

_SHOWN: Final = 8_000
"""Characters of one answer that are shown; an answer may have millions."""


def show_answers(console: Console, evidence: AnswerEvidence) -> None:
    """The explanation and the matched findings, then every answer as it came, with what reading it came to."""
    if evidence.explanation:
        console.print(Text("Explanation", "bold"))
        _print_indented(console, evidence.explanation)
        console.print()
    if evidence.matched:
        console.print(Text("Findings that both reports state", "bold"))
        for finding in evidence.matched:
            _print_indented(console, f"- {' '.join(finding.split())}")
        console.print()
    for row in answer_rows(evidence, _SHOWN):
        style = "" if row.outcome == "read" else "bold yellow"
        console.print(Text.assemble((f"{row.title}: ", "bold"), (row.outcome, style)))
        for label, words in row.about.items():
            console.print(label_words(f"  {label}", words))
        _print_indented(console, row.text or "(nothing)")
        if row.more:
            console.print(Text(f"  ... {row.more:,} more characters; overread explain -f json has them all", "dim"))
        console.print()


def _print_indented(console: Console, text: str) -> None:
    """Line by line: a carriage return must not write over what stands there."""
    console.print(Padding(Text("\n".join(wording.make_printable(line) for line in text.splitlines())), (0, 0, 0, 2)))
