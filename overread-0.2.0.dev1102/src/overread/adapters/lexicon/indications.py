"""Reads indications: what they ask about, and which causes, devices, procedures and circumstances they name.

An indication is no report: "pneumothorax" says neither that there is one nor that there is none, but asks. What is
named is asked about, unless a cue says that it is known or past ("history of", "with", "after").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

from attrs import define, field, frozen

from overread.adapters.lexicon.matching import Match, Parsed, RuleMatcher, Term
from overread.adapters.lexicon.words import Normaliser
from overread.domain.findings.lexicon import Finding
from overread.domain.reports.patient import Indication

__all__ = ["MEANINGS", "SINCE", "IndicationReader", "IndicationWords", "indication_words"]

MEANINGS: Final = ("asks", "known", "history", "past", "ago", "there", "ahead", "denied", "now", "follows")
"""What cues say of what stands after them; ``ago``, ``there`` and a question mark say it of what stands before."""

SINCE: Final = ("past", "history", "known")
"""How far back a circumstance bears on the findings of today: forever, for as long as it is told, if it is recent."""

_BREAKS: Final = frozenset({".", ";", ":", "?", "(", ")"})
_NEW_LINE: Final = re.compile(r"//|[\r\n]+|[•|]")
_LONGEST: Final = 2000
_ORDER: Final = {"denied": 0, "ahead": 0, "past": 1, "history": 2, "known": 3, "named": 4, "asked": 4}
_BEFORE: Final = {"ago": "past", "there": "known"}
_STATES: Final = {"asks": "asked", "now": "asked", "follows": "asked"}
_READINGS_KEPT: Final = 4096


@frozen(kw_only=True)
class IndicationWords:
    """The words of ``indication.toml``.

    Attributes:
        cues: terms by their meaning, one of `MEANINGS`.
        circumstances: terms by label, with how far back they bear, one of `SINCE`.
        questions: terms, each list with the findings that it asks about.
        general: findings too general to be a question: with their kinds they are half the lexicon.
        background: findings that are asked about only where a cue asks: they mostly say who the patient is.
        ignored: terms that mean nothing here, whatever findings have of their words.
        unasked: categories of findings that an indication names and never asks about, such as procedures.
    """

    cues: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)
    circumstances: tuple[tuple[str, str, tuple[str, ...]], ...] = field(default=(), repr=False)
    questions: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = field(default=(), repr=False)
    general: frozenset[str] = field(default=frozenset(), repr=False)
    background: frozenset[str] = field(default=frozenset(), repr=False)
    ignored: tuple[str, ...] = field(default=(), repr=False)
    unasked: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def labels(self) -> frozenset[str]:
        """Labels of the circumstances."""
        return frozenset(label for label, _, _ in self.circumstances)


def indication_words(table: Mapping[str, Any]) -> IndicationWords:
    """The words of ``indication.toml``.

    Raises:
        ValueError: if a cue has another meaning, or a circumstance reaches back otherwise.
    """
    for entry, key, known in (
        *((cue, "meaning", MEANINGS) for cue in table.get("cue", ())),
        *((circumstance, "since", SINCE) for circumstance in table.get("circumstance", ())),
    ):
        if entry[key] not in known:
            raise ValueError(f"indication.toml: {key} must be one of {', '.join(known)}, not {entry[key]!r}")
    return IndicationWords(
        cues=tuple((cue["meaning"], tuple(cue["terms"])) for cue in table.get("cue", ())),
        circumstances=tuple(
            (entry["label"], entry["since"], tuple(entry["terms"])) for entry in table.get("circumstance", ())
        ),
        questions=tuple((tuple(entry["findings"]), tuple(entry["terms"])) for entry in table.get("question", ())),
        general=frozenset(table.get("general", ())),
        background=frozenset(table.get("background", ())),
        ignored=tuple(term for entry in table.get("ignored", ()) for term in entry["terms"]),
        unasked=frozenset(table.get("unasked", ())),
    )


@frozen
class _Named:
    """An item named at word ``start`` of an indication; ``what`` is a finding, a circumstance or a question."""

    start: int
    what: str
    meaning: tuple[str, ...]


@define(eq=False, slots=False)
class IndicationReader:
    """Reads an indication by the terms of the findings and the words of ``indication.toml``.

    Matchers are built when the first indication is read; what was read of an indication is kept.
    """

    findings: Mapping[str, Finding] = field(repr=False)
    words: IndicationWords = field(repr=False)
    normaliser: Normaliser = field(repr=False)
    elements: Parsed = field(repr=False)

    def __attrs_post_init__(self) -> None:
        self._kept = lru_cache(maxsize=_READINGS_KEPT)(self._read)

    def __call__(self, text: str) -> Indication:
        """Read what an indication asks about and names."""
        return self._kept(text[:_LONGEST])

    def _read(self, text: str) -> Indication:
        text = _NEW_LINE.sub(" . ", text)
        normalised = self.normaliser.words(text)
        words = normalised.words
        cues = self._cues(words)
        named = list(_of("finding", self._findings(words)))
        for what, matcher in self._entries:
            named += _of(what, matcher(words))
        asking_back = {
            index
            for index, word in enumerate(words)
            if word == "?" and _asks_back(text, normalised.starts[index], words[index + 1 : index + 2])
        }
        states = _states(words, cues, {mention.start for mention in named}, asking_back)
        followed = any(cue.term.label == "follows" for cue in cues)
        asked: set[str] = set()
        stated: set[str] = set()
        for mention in named:
            state = states[mention.start]
            if mention.what == "circumstance":
                label, since = mention.meaning
                stated.update({label} if _ORDER[state] >= _ORDER[since] else ())
                continue
            known = {finding for finding in mention.meaning if finding in self.findings}
            if mention.what == "finding" and _ORDER[state] >= _ORDER["known"]:
                stated |= known
            if state in {"asked", "named"} or (followed and state == "known"):
                asked |= {finding for finding in known if self._can_be_asked(finding, bare=state == "named")}
        return Indication(asked=frozenset(asked), told=frozenset(stated | asked))

    def _can_be_asked(self, finding: str, *, bare: bool) -> bool:
        if bare and finding in self.words.background:
            return False
        return finding not in self.words.general and self.findings[finding].category not in self.words.unasked

    @cached_property
    def _findings(self) -> RuleMatcher:
        ignored = [Term(text, "ignored", ()) for text in self.words.ignored]
        named = [Term(text, "finding", (finding.id,)) for finding in self.findings.values() for text in finding.terms]
        return self._matcher([*ignored, *named])

    @cached_property
    def _entries(self) -> list[tuple[str, RuleMatcher]]:
        """A matcher for each circumstance and question: a word may tell of several."""
        terms = [
            *(
                [Term(text, "circumstance", (label, since)) for text in of]
                for label, since, of in self.words.circumstances
            ),
            *([Term(text, "question", findings) for text in of] for findings, of in self.words.questions),
        ]
        return [(own[0].label, self._matcher(own)) for own in terms if own]

    @cached_property
    def _cues(self) -> RuleMatcher:
        return self._matcher(Term(text, meaning, ()) for meaning, terms in self.words.cues for text in terms)

    def _matcher(self, terms: Iterable[Term]) -> RuleMatcher:
        return RuleMatcher.of(terms, self.normaliser, self.elements)


def _of(what: str, matches: Iterable[Match]) -> Iterator[_Named]:
    return (_Named(match.start, what, match.term.meaning) for match in matches)


def _asks_back(text: str, start: int, after: Sequence[str]) -> bool:
    """Return whether a question mark closes a question ("effusion?") rather than opens one ("cough ? effusion")."""
    before = text[:start][-1:]
    return not after or after[0] in _BREAKS or bool(before and not before.isspace())


def _states(words: Sequence[str], cues: Sequence[Match], named: set[int], asking_back: set[int]) -> dict[int, str]:
    """The state of each thing named at a word, told by the cue before it in its sentence, or by one after it."""
    at = {cue.start: cue for cue in cues}
    denied_to = -1
    states: dict[int, str] = {}
    state = "named"
    clause: list[int] = []
    for index, word in enumerate(words):
        if index in at:
            meaning = at[index].term.label
            if meaning == "denied" or index == denied_to:  # "no history of", "no known"
                meaning, denied_to = "denied", at[index].end
            if meaning in _BEFORE:
                states.update(dict.fromkeys((i for i in clause if states[i] != "denied"), _BEFORE[meaning]))
            else:
                state = _STATES.get(meaning, meaning)
        if index in asking_back:
            states.update(dict.fromkeys((i for i in clause if states[i] != "denied"), "asked"))
        if word in _BREAKS or (word == "," and state == "denied"):
            state = "named"
        if word in _BREAKS or word == ",":
            clause = []
        if index in named:
            states[index] = state
            clause.append(index)
    return states
