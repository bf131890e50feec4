"""The grammar: sentences with slots for findings, normal statements and fillers, read from ``grammar.toml``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, Literal

from attrs import field, frozen

from overread.studies.application.synthesis.vocabulary import load_table

__all__ = ["CHANGES", "HEDGES", "Filler", "FindingForms", "Grammar", "NormalForms", "fill", "load_grammar"]

CHANGES: Final[Mapping[str, str]] = {
    "new": "new",
    "stable": "stable",
    "unchanged": "stable",
    "increased": "worsened",
    "worsening": "worsened",
    "decreased": "improved",
    "improving": "improved",
    "persistent": "stable",
    "progressive": "worsened",
    "resolving": "improved",
}
"""Words for the slot ``change`` and what each says; words that say the same are interchangeable."""

HEDGES: Final[Mapping[str, str]] = {
    "possible": "open",
    "questionable": "open",
    "likely": "leaning",
    "probable": "leaning",
}
"""Words for the slot ``hedge``: an open one leaves the finding undecided, a leaning one rather asserts it."""

_LISTS: Final = ("No {}.", "There is no {}.", "No evidence of {}.", "Negative for {}.", "The chest is without {}.")
_SPACES: Final = re.compile(r"\s+")
_DENIED: Final = re.compile(r"There (?:is|are) no ((?!evidence|sign)[^.]+)\.")
_SPACE_BEFORE_MARK: Final = re.compile(r"\s+([.,])")


@frozen(kw_only=True)
class FindingForms:
    """Forms that assert and deny a finding, and the values of its slots; see the head of ``grammar.toml``.

    Attributes:
        nouns: names of the finding in a list of denials, if it has more than one there.
        comparison: whether this is how the whole study compares with an earlier one rather than a finding.
    """

    id: str
    weight: float
    significance: Literal["urgent", "significant", "insignificant"]
    sides: bool
    bilateral: bool = True
    zones: tuple[str, ...]
    grades: tuple[str, ...]
    sizes: tuple[int, ...] = ()
    serious: tuple[str, ...] = ()
    change: bool
    hedge: bool
    present: tuple[str, ...] = field(repr=False)
    absent: tuple[str, ...] = field(repr=False)
    nouns: tuple[str, ...] = field(default=(), repr=False)
    comparison: bool = False

    @property
    def is_significant(self) -> bool:
        """True if missing or inventing the finding usually matters."""
        return self.significance != "insignificant"

    def matters_in(self, zone: str) -> bool:
        """Returns whether missing or inventing the finding there usually matters: a misplaced tube does."""
        return self.is_significant or zone in self.serious

    @property
    def is_urgent(self) -> bool:
        """True if the finding calls for action at once."""
        return self.significance == "urgent"

    @property
    def noun(self) -> str:
        """The finding in a list of denials; "" where no denial of the grammar gives one."""
        matches = (_DENIED.fullmatch(sentence) for sentence in self.absent)
        return next((match[1] for match in matches if match), "")

    def values(self, slot: str) -> tuple[str, ...]:
        """Values of a slot other than the empty string; none where the finding lacks the slot."""
        return {
            "side": (("left", "right", "bilateral") if self.bilateral else ("left", "right")) if self.sides else (),
            "zone": self.zones,
            "grade": self.grades,
            "change": tuple(CHANGES) if self.change else (),
            "hedge": tuple(HEDGES) if self.hedge else (),
            "size": tuple(f"{millimetres} mm" for millimetres in self.sizes),
        }[slot]


@frozen(kw_only=True)
class NormalForms:
    """Paraphrases of a statement of normality, and the findings it rules out."""

    id: str
    weight: float
    denies: tuple[str, ...]
    sentences: tuple[str, ...] = field(repr=False)


@frozen(kw_only=True)
class Filler:
    """A sentence without any finding."""

    id: str
    place: Literal["start", "body", "end"]
    sentence: str = field(repr=False)


@frozen
class Grammar:
    """All material, by id, and the sentences that deny several findings at once."""

    findings: Mapping[str, FindingForms]
    normals: Mapping[str, NormalForms]
    fillers: Mapping[str, Filler]
    lists: tuple[str, ...] = _LISTS


@frozen
class _Document:
    finding: tuple[FindingForms, ...]
    normal: tuple[NormalForms, ...]
    filler: tuple[Filler, ...]


@cache
def load_grammar() -> Grammar:
    """The shipped grammar."""
    document = load_table("grammar", _Document)
    return Grammar(
        {forms.id: forms for forms in document.finding},
        {forms.id: forms for forms in document.normal},
        {filler.id: filler for filler in document.filler},
    )


def fill(sentence: str, slots: Mapping[str, str]) -> str:
    """A sentence with its slots filled, tidied where one is empty.

    >>> fill("{hedge} {side} effusion is seen.", {"hedge": "", "side": "left"})
    'Left effusion is seen.'
    """
    text = _SPACES.sub(" ", sentence.format_map(slots)).strip()
    text = _SPACE_BEFORE_MARK.sub(r"\1", text)
    return text[:1].upper() + text[1:]
