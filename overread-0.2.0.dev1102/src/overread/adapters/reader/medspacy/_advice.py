"""Content of a recommendation: what is to be done, by which examination, when, and about which finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from attrs import evolve

from overread.adapters.lexicon.grammar import AdviceWords, any_of
from overread.adapters.lexicon.words import Words
from overread.adapters.reader.medspacy._matching import AttributeMatch, SentenceMatches, TargetMatch
from overread.domain.findings.advice import ADVICE, COMMUNICATION, Action
from overread.domain.findings.unit import ClinicalUnit

__all__ = ["AdviceReader"]

_DAYS: Final = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4, "year": 365.0}
_UP_TO_TWELVE: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NUMBERS: Final = {
    **{word: float(number) for number, word in enumerate(_UP_TO_TWELVE, start=1)},
    "a": 1.0,
    "an": 1.0,
    "eighteen": 18.0,
    "twenty-four": 24.0,
    "several": 3.0,
    "few": 3.0,
    "a few": 3.0,
}
_NUMBER: Final = rf"(?:\d+(?:\.\d+)?|{'|'.join(sorted(map(re.escape, _NUMBERS), key=len, reverse=True))})"
_LENGTH: Final = (
    rf"(?P<low>{_NUMBER})(?:\s*(?:-|–|to|or|and)\s*(?P<high>{_NUMBER}))?[\s-]*"
    r"(?P<unit>hour|day|week|month|year|hr|wk|mo|yr)s?\b"
)
_SHORT_UNITS: Final = {"hr": "hour", "wk": "week", "mo": "month", "yr": "year"}
_AHEAD: Final = re.compile(
    r"\b(?P<lead>in|within|after|at|every|by|over|next|until)\s+"
    r"(?:the\s+next\s+|the\s+|about\s+|approximately\s+|around\s+|another\s+)?"
    rf"{_LENGTH}(?!\s+(?:ago|before|earlier|prior|old))",
    re.IGNORECASE,
)
_FOLLOWED: Final = (
    r"interval|short|follow|surveillance|repeat|recheck|control|ct\b|mri?\b|scan|ultrasound|radiograph|x-?ray|chest"
)
_BEFORE: Final = re.compile(rf"\b{_LENGTH}[\s']*(?:time\b|(?={_FOLLOWED}))", re.IGNORECASE)
_FROM_NOW: Final = frozenset({"within", "by", "over", "next"})
"""Words before a length of time that count from now."""

_DECIMALS: Final = 2
_LISTING: Final = frozenset({"and", "or", ","})


class AdviceReader:
    """Reads the sentences of a reader's recommendations."""

    def __init__(self, rules: AdviceWords) -> None:
        self._actions = {
            Action.FOLLOW_UP: rules.followup,
            Action.IMAGING: rules.imaging,
            Action.BIOPSY: rules.biopsy,
            Action.DRAINAGE: rules.drainage,
            Action.REPOSITIONING: rules.repositioning,
            Action.REMOVAL: rules.removal,
            Action.REFERRAL: rules.referral,
            Action.TREATMENT: rules.treatment,
            Action.CORRELATION: rules.correlation,
            Action.COMPARISON: rules.comparison,
        }
        self._any = frozenset().union(*self._actions.values())
        self._needless = re.compile(rf"\b{any_of(rules.needless)}\b", re.IGNORECASE)
        self._named = [
            (re.compile(rf"\b{any_of(words)}\b", re.IGNORECASE), days)
            for words, days in (
                (rules.at_once, (0.0, 1.0)),
                (rules.next_day, (1.0, 1.0)),
                (rules.soon, (1.0, 184.0)),
                (rules.yearly, (365.0, 365.0)),
            )
        ]
        self._rules = rules

    def is_plain(self, kind: str, words: Sequence[str]) -> bool:
        """Return whether words of such a statement say plainly what is to be done, or that somebody was told."""
        listed = {ADVICE: self._any, COMMUNICATION: self._rules.telling}.get(kind, frozenset())
        return not listed.isdisjoint(words)

    def described(
        self,
        unit: ClinicalUnit,
        text: str,
        words: Sequence[str],
        matches: SentenceMatches,
        findings: Iterable[ClinicalUnit] = (),
    ) -> ClinicalUnit:
        """A statement about the report with what it asks for, if it is a recommendation.

        The whole sentence counts: what is to be done, when and about what stand on either side of a finding.
        """
        if unit.administrative != ADVICE:
            return unit
        actions = {action for action, listed in self._actions.items() if not listed.isdisjoint(words)}
        if matches.modalities:
            actions.add(Action.IMAGING)
        if self._needless.search(text):
            actions = {Action.NONE}
        places = (label for a in matches.attributes if a.kind in {"side", "zone", "organ"} for label in a.labels)
        return evolve(
            unit,
            actions=frozenset(action.value for action in actions),
            interval_days=self.interval(text),
            about=frozenset(f.canonical_finding for f in findings if f.canonical_finding and not f.administrative),
            anatomy=frozenset(places),
        )

    def interval(self, text: str) -> tuple[float, float] | None:
        """Earliest and latest time at which something is to be done, in days from now; None where nothing is said."""
        match = _AHEAD.search(text) or _BEFORE.search(text)
        if match is not None:
            unit = match["unit"].lower()
            days = _DAYS[_SHORT_UNITS.get(unit, unit)]
            low = round(_value(match["low"]) * days, _DECIMALS)
            high = round(_value(match["high"]) * days, _DECIMALS) if match["high"] else low
            lead = match.groupdict().get("lead") or ""
            return (0.0 if lead.lower() in _FROM_NOW else low), max(low, high)
        return next((days for pattern, days in self._named if pattern.search(text)), None)

    def referred(
        self,
        text: str,
        words: Words,
        targets: Sequence[TargetMatch],
        owned: Sequence[Sequence[AttributeMatch]],
    ) -> tuple[TargetMatch, ...]:
        """The findings of a recommendation, without doubt for those that it takes as known.

        "To evaluate the hilar mass" and "biopsy of the nodule" are about something that is there; "to exclude fracture"
        and "evaluate for effusion" leave it open.
        """
        result: list[TargetMatch] = []
        for index, target in enumerate(targets):
            is_listed = bool(index) and _LISTING.issuperset(words.words[targets[index - 1].end : target.start])
            was_known = is_listed and result[-1] is not targets[index - 1]
            doubts = [cue for cue in target.cues if cue.category == "HYPOTHETICAL"]
            excludes = any(not self._rules.excluding.isdisjoint(words.words[c.start : c.end]) for c in doubts)
            if doubts and not excludes and (was_known or self._is_known(text, words, target, owned[index])):
                result.append(evolve(target, cues=tuple(c for c in target.cues if c.category != "HYPOTHETICAL")))
            else:
                result.append(target)
        return tuple(result)

    def is_definite(self, text: str, words: Words, target: TargetMatch, attributes: Sequence[AttributeMatch]) -> bool:
        """Return whether a finding is named as a known one: "the small nodule", "its margin", "this effusion"."""
        start = self._start(words, target, attributes)
        if not start:
            return text[: words.starts[0]].strip().lower() == "the"
        between = text[words.ends[start - 1] : words.starts[start]].strip().lower()
        return between == "the" or words.words[start - 1] in self._rules.definite

    def _is_known(self, text: str, words: Words, target: TargetMatch, attributes: Sequence[AttributeMatch]) -> bool:
        start = self._start(words, target, attributes)
        if not start:
            return False
        if self.is_definite(text, words, target, attributes):
            return True
        return start > 1 and words.words[start - 1] == "of" and words.words[start - 2] in self._rules.objects

    def _start(self, words: Words, target: TargetMatch, attributes: Sequence[AttributeMatch]) -> int:
        """The first word of a finding with its attributes and sizes in front."""
        covered = {i for a in attributes for i in range(a.start, a.end)}
        start = target.start
        while start and (
            start - 1 in covered or words.words[start - 1] in self._rules.sizes or _is_number(words, start - 1)
        ):
            start -= 1
        return start


def _is_number(words: Words, at: int) -> bool:
    return words.words[at][0].isdigit()


def _value(number: str) -> float:
    return _NUMBERS.get(number.lower()) or float(number)
