"""Spoken marks that a report was taken down with, as the marks they stand for."""

from __future__ import annotations

import re
from typing import Final

from overread.adapters.lexicon.grammar import DictationWords, any_of

__all__ = ["Dictation"]

_WORD_BEFORE: Final = re.compile(r"([\w-]+)[)%]?\s*$")


class Dictation:
    """Turns spoken marks into marks, each as long as its words, so that every other character keeps its place."""

    def __init__(self, rules: DictationWords) -> None:
        kinds = (
            ("comma", rf"{any_of(rules.comma)}(?![\s-]+{any_of(rules.signs)}\b)"),
            ("stop", any_of(rules.stop)),
            ("period", any_of(rules.period)),
            ("semicolon", any_of(rules.semicolon)),
            ("question", any_of(rules.question)),
            ("line", any_of(rules.line)),
        )
        named = "|".join(f"(?P<{kind}>{words})" for kind, words in kinds)
        self._spoken = re.compile(rf"(?<=\s)(?:{named})(?=\s|$|[.,;:])", re.IGNORECASE)
        self._opener = re.compile(rf"\s+{any_of(rules.openers)}\b", re.IGNORECASE)
        self._spans = rules.spans

    def punctuate(self, text: str) -> str:
        """The text with its spoken marks as marks, of the same length."""
        parts: list[str] = []
        done = 0
        spoken_end = -1
        for match in self._spoken.finditer(text):
            follows = spoken_end >= 0 and not text[spoken_end : match.start()].strip()
            if not follows and not self._is_mark(text, match):
                continue
            mark = _MARKS[match.lastgroup or ""]
            parts += [text[done : match.start()], mark.ljust(match.end() - match.start())]
            done = spoken_end = match.end()
        return "".join([*parts, text[done:]]) if parts else text

    def _is_mark(self, text: str, match: re.Match[str]) -> bool:
        """Return whether words not right after a spoken mark are one; a line or a period may be the patient's."""
        before = _WORD_BEFORE.search(text[max(0, match.start() - 40) : match.start()])
        if before is None:
            return False
        if match.lastgroup == "period":
            return before[1].lower() not in self._spans and not before[1].lower().endswith("-term")
        return match.lastgroup != "line" or self._opener.match(text, match.end()) is not None


_MARKS: Final = {"comma": ",", "stop": ".", "period": ".", "semicolon": ";", "question": "?", "line": "."}
