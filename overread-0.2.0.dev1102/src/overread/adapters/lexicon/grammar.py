"""Words by which sentences hang together, as ``grammar.toml`` lists them for the rules of reading.

The file says what each list is for; a class here is a table there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_type_hints

from attrs import NOTHING, fields, frozen

__all__ = [
    "AdviceWords",
    "AttachmentWords",
    "CarryingWords",
    "ClauseWords",
    "CoverageWords",
    "DictationWords",
    "EllipsisWords",
    "Grammar",
    "HeadingWords",
    "LevelWords",
    "NamingWords",
    "ReferenceWords",
    "SharingWords",
    "SizeWords",
    "StatementWords",
    "any_of",
]

Words = frozenset[str]


@frozen(kw_only=True)
class ClauseWords:
    """Words that begin and end the clauses of a sentence."""

    verbs: Words
    ends: Words
    denials: Words
    joints: Words
    alternatives: Words
    list_joints: Words
    fits: Words
    predicate_ends: Words
    questions: Words
    asking: Words
    particles: Words
    auxiliaries: Words
    verdict_marks: Words
    conjunctions: Words
    relatives: Words
    telling: Words
    links: Words
    given: Words
    aspects: Words
    quantities: Words
    contrasts: Words
    modals: Words
    lacking: Words
    inferring: Words
    concluding: Words
    supposing: Words
    introducing: Words
    accounting: Words
    naming: Words
    comparatives: Words
    pronouns: Words
    existing: Words


@frozen(kw_only=True)
class AttachmentWords:
    """Words that lead from a finding to its attributes, or separate the two."""

    clause_ends: Words
    prepositions: Words
    links: Words
    placing: Words
    forward_stops: Words
    list_words: Words
    run_words: Words
    explaining: Words
    identities: Words
    harmless: Words
    parting: Words
    adding: Words
    going_on: Words
    alternatives: Words
    sided: Words


@frozen(kw_only=True)
class SharingWords:
    """Words that join statements sharing the name of a finding."""

    denials: Words
    joints: Words
    prepositions: Words
    fillers: Words
    nouns: Words
    ends: Words
    exceptions: Words
    scales: Words


@frozen(kw_only=True)
class EllipsisWords:
    """Words that take a finding up again, or head others."""

    sides: Words
    lobes: Words
    next_clause: Words
    says: Words
    seen: Words
    negative: Words
    devices: Words
    size_names: Words
    taken_up: Words


@frozen(kw_only=True)
class ReferenceWords:
    """Words that name a side by one named before."""

    same: Words
    opposite: Words
    same_part: Words
    opposite_part: Words
    pointing: Words
    parts: Words
    prepositions: Words
    not_behind: Words
    both: Words
    says: Words


@frozen(kw_only=True)
class HeadingWords:
    """Words that headings inside a sentence are made of."""

    besides: Words
    denials: Words


@frozen(kw_only=True)
class LevelWords:
    """Words that join the levels of a list or a range."""

    joints: Words
    ranges: Words
    between: Words
    units: Words


@frozen(kw_only=True)
class StatementWords:
    """Words that tell sentences about the report from those about the patient."""

    clauses: Words
    pictures: Words
    introduced: Words
    telling: Words
    joints: Words
    making: Words = frozenset()


@frozen(kw_only=True)
class CarryingWords:
    """Words that begin sentences about the one before."""

    leads: Words
    one: Words
    several: Words
    denying: Words
    seen: Words
    adverbs: Words
    verbs: Words
    bare: Words
    parts: Words
    placing: Words
    beside: Words
    examination: Words


@frozen(kw_only=True)
class SizeWords:
    """Words that stand around sizes."""

    earlier_before: Words
    ranging: Words
    earlier_behind: Words
    fillers: Words
    present: Words
    present_ends: Words
    dating: Words
    months: Words
    counts: Words
    spans: Words
    ago: Words
    landmarks: Words


@frozen(kw_only=True)
class NamingWords:
    """Words that divide a statement into subject and predicate."""

    verbs: Words
    predicates: Words
    listing: Words
    fillers: Words
    negations: Words
    evidence: Words
    links: Words
    trailing: Words
    comparing: Words


@frozen(kw_only=True)
class AdviceWords:
    """Words for what recommendations ask for and when, and those that take a finding as known."""

    followup: Words
    imaging: Words
    biopsy: Words
    drainage: Words
    repositioning: Words
    removal: Words
    referral: Words
    treatment: Words
    correlation: Words
    comparison: Words
    needless: Words
    at_once: Words
    next_day: Words
    soon: Words
    yearly: Words
    definite: Words
    objects: Words
    telling: Words
    excluding: Words
    sizes: Words


@frozen(kw_only=True)
class CoverageWords:
    """Words that are no content of a sentence, and pairs of words that turn a sentence into its contrary."""

    empty: Words
    contraries: Words = frozenset()


@frozen(kw_only=True)
class DictationWords:
    """Marks that were spoken and taken down as words."""

    comma: Words
    stop: Words
    period: Words
    spans: Words
    semicolon: Words
    question: Words
    line: Words
    openers: Words
    signs: Words


@frozen(kw_only=True)
class Grammar:
    """All tables."""

    clauses: ClauseWords
    attachment: AttachmentWords
    sharing: SharingWords
    ellipsis: EllipsisWords
    references: ReferenceWords
    headings: HeadingWords
    levels: LevelWords
    statements: StatementWords
    carrying: CarryingWords
    sizes: SizeWords
    naming: NamingWords
    advice: AdviceWords
    coverage: CoverageWords
    dictation: DictationWords

    @classmethod
    def of(cls, document: Mapping[str, Mapping[str, Sequence[str]]]) -> Grammar:
        """The tables of a file.

        Raises:
            KeyError: if a table is missing.
            ValueError: if a table holds other lists than its rules ask for.
        """
        return cls(**{name: _table(name, kind, document[name]) for name, kind in get_type_hints(cls).items()})


def _table(name: str, kind: Any, lists: Mapping[str, Sequence[str]]) -> Any:
    known = {field.name: field.default is NOTHING for field in fields(kind)}
    wrong = {name for name, is_needed in known.items() if is_needed and name not in lists} | (lists.keys() - known)
    if wrong:
        differ = ", ".join(map(repr, sorted(wrong)))
        raise ValueError(f"grammar.toml: [{name}] has missing or unknown keys: {differ}")
    return kind(**{key: frozenset(words) for key, words in lists.items()})


def any_of(phrases: Iterable[str]) -> str:
    r"""A regular expression for any of some phrases, however their words are spaced; ``*`` is any ending.

    >>> any_of({"last week*"})
    '(?:last\\s+week\\w*)'
    """
    parts = (re.escape(phrase).replace(r"\ ", r"\s+").replace(r"\*", r"\w*") for phrase in sorted(phrases))
    return f"(?:{'|'.join(parts)})"
