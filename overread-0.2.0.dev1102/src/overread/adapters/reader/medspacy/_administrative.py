"""Statements about the report and its making: advice, messages, technique, comparison and limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from attrs import evolve

from overread.adapters.lexicon.grammar import StatementWords, any_of
from overread.adapters.lexicon.words import Words
from overread.adapters.reader.medspacy._advice import AdviceReader
from overread.adapters.reader.medspacy._matching import SentenceMatches, StatementMatch
from overread.adapters.reader.medspacy._scope import CHANGES
from overread.domain.findings.unit import ClinicalUnit, Temporality

__all__ = ["MAKING", "Statements"]

_LEAD: Final = 6

_LONGEST_CODE: Final = 5

MAKING: Final = "signature"
"""Kind of a sentence about who made the report, how, for whom and under which terms."""

_IN_THE_PATIENT: Final = frozenset({"organ", "zone", "side", "severity"})


class Statements:
    """Tells statements about the report by the words around them."""

    def __init__(self, rules: StatementWords, advice: AdviceReader) -> None:
        self._rules = rules
        self._advice = advice
        joints = any_of(rules.joints)
        self._separator = re.compile(rf"[,;:.]\s|\b{joints}\b", re.IGNORECASE)
        self._lead_in = re.compile(rf"(?:[\s,;:.]|{joints}\b)+", re.IGNORECASE)

    def kind(self, words: Sequence[str], matches: SentenceMatches) -> str:
        """The kind of a sentence without a finding, "" where it is not administrative.

        A picture or an earlier examination is named by many a sentence about the patient: one that tells of a change or
        degree, or of what the pictures show, is left to its own reading.
        """
        if not matches.statements:
            return MAKING if self._is_of_the_making(words, matches) else ""
        first = min(matches.statements, key=lambda statement: statement.rank)
        if first.kind in self._rules.pictures:
            tells = any(cue.category in CHANGES for cue in matches.cues) or not self._rules.telling.isdisjoint(words)
            tells = tells or any(a.kind == "severity" for a in matches.attributes)
            compares = first.kind == "comparison" and first.start > 0
            if (
                tells
                or not self._leads(words, first)
                or (compares and any(a.kind == "organ" for a in matches.attributes))
            ):
                return ""
        return first.kind

    def without_codes(self, text: str, words: Words, matches: SentenceMatches) -> SentenceMatches:
        """The matches but for initials in a sentence about the report's making: "Workstation NW-RAD-04"."""
        names = [text[words.starts[t.start] : words.ends[t.end - 1]] for t in matches.targets]
        is_code = all(name.isupper() and len(name) <= _LONGEST_CODE for name in names) and not text.isupper()
        return evolve(matches, targets=()) if is_code and self._is_of_the_making(words.words, matches) else matches

    def _is_of_the_making(self, words: Sequence[str], matches: SentenceMatches) -> bool:
        """Return whether a sentence names nothing in the patient and has words about how reports are made."""
        if any(a.kind in _IN_THE_PATIENT for a in matches.attributes) or any(
            c.category in CHANGES for c in matches.cues
        ):
            return False
        return not self._rules.making.isdisjoint(words)

    def _leads(self, words: Sequence[str], statement: StatementMatch) -> bool:
        """Return whether a sentence is about a statement in it: "not seen on the lateral view" is about no view."""
        return statement.start == 0 or (
            statement.start <= _LEAD and self._rules.introduced.isdisjoint(words[: statement.start])
        )

    def with_clause(
        self, text: str, words: Words, matches: SentenceMatches, units: tuple[ClinicalUnit, ...]
    ) -> tuple[ClinicalUnit, ...]:
        """The units of a sentence's findings and of advice or a message that is a clause of its own."""
        for statement in sorted(matches.statements, key=lambda s: (s.rank, s.start)):
            if statement.kind not in self._rules.clauses:
                continue
            start, end = _outside(words.starts[statement.start], words.ends[statement.end - 1], units)
            if start >= end or any(unit.start < end and start < unit.end for unit in units):
                continue
            if clause := self._clause(text, words, units, statement, (start, end)):
                first, last = clause
                unit = ClinicalUnit(
                    span_text=text[first:last],
                    start=first,
                    end=last,
                    administrative=statement.kind,
                    modalities=matches.modalities,
                )
                clause_unit = self._advice.described(unit, text, words.words, matches, units)
                return tuple(sorted((*units, clause_unit), key=lambda u: u.start))
        return units

    def _clause(
        self,
        text: str,
        words: Words,
        units: tuple[ClinicalUnit, ...],
        statement: StatementMatch,
        span: tuple[int, int],
    ) -> tuple[int, int] | None:
        """The clause around a statement, None where it shares one with what the patient has.

        One that says plainly what is to be done, or that somebody was told, may: "follow-up CT of the nodule".
        """
        start, end = span
        left = max((unit for unit in units if unit.end <= start), key=lambda u: u.end, default=None)
        right = min((unit for unit in units if unit.start >= end), key=lambda u: u.start, default=None)
        first = left.end if left else 0
        last = right.start if right else len(text)
        own = [word for word, at in zip(words.words, words.starts, strict=True) if first <= at < last]
        shares = self._advice.is_plain(statement.kind, own)
        if left and left.temporality is not Temporality.HYPOTHETICAL:
            cuts = [m.end() for m in self._separator.finditer(text, first, start)]
            if not cuts and not shares:
                return None
            first = cuts[0] if cuts else first
        if right and right.temporality is not Temporality.HYPOTHETICAL:
            cut = None
            for match in self._separator.finditer(text, end, last):
                cut = match.start()
            if cut is None and not shares:
                return None
            last = last if cut is None else cut
        if lead := self._lead_in.match(text, first, last):
            first = lead.end()
        while last > first and text[last - 1] in " \t\n,;:":
            last -= 1
        return (first, last) if last > first else None


def _outside(start: int, end: int, units: tuple[ClinicalUnit, ...]) -> tuple[int, int]:
    """The part of a statement before or behind the findings it only thinks of: "CT would show nodules better"."""
    for unit in units:
        if unit.temporality is Temporality.HYPOTHETICAL and unit.start < end and start < unit.end:
            start, end = (start, unit.start) if unit.start > start else (unit.end, end)
    return start, end
