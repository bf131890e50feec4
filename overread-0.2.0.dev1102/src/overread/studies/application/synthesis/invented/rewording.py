"""The words of a second writer: more sentences for findings and normal statements, and words for words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import cycle, islice
from typing import Final

from attrs import evolve, field, frozen

from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.invented.grammar import FindingForms, NormalForms
from overread.studies.application.synthesis.invented.templates import Material
from overread.studies.application.synthesis.vocabulary import any_of, load_table, match_case

__all__ = ["Rewording", "load_rewording"]

_OWN: Final = 0.7
"""How often a writer has a word of their own, where several say the same."""

_BOUND: Final = 60
"""Most sentences of a finding."""

_TARGET: Final = "~"


@frozen(kw_only=True)
class Rewording:
    """Contents of ``rewording.toml``; see its head."""

    present: tuple[str, ...] = field(repr=False)
    bare: tuple[str, ...] = field(repr=False)
    absent: tuple[str, ...] = field(repr=False)
    lists: tuple[str, ...] = field(repr=False)
    linked: tuple[str, ...]
    joined: tuple[str, ...]
    apart: tuple[str, ...]
    alike: tuple[tuple[str, ...], ...] = field(repr=False)
    said: Mapping[str, tuple[str, ...]] = field(repr=False)
    denied: Mapping[str, tuple[str, ...]] = field(repr=False)
    normal: Mapping[str, tuple[str, ...]] = field(repr=False)

    def material(self, material: Material) -> Material:
        """The templates with those of the second writer besides."""
        return evolve(
            material,
            present=(*material.present, *self.present),
            bare=(*material.bare, *self.bare),
            absent=(*material.absent, *self.absent),
            lists=(*material.lists, *self.lists),
            nouns={f: tuple(n for n in nouns if n not in self.apart) for f, nouns in material.nouns.items()},
            apart=self.apart,
        )

    def finding(self, forms: FindingForms) -> FindingForms:
        """A finding of which half the sentences are its own among these, where it has any."""
        return evolve(
            forms,
            present=_half(self.said.get(forms.id, ()), forms.present),
            absent=_half(self.denied.get(forms.id, ()), forms.absent),
        )

    def normally(self, forms: NormalForms) -> NormalForms:
        """A normal statement with its sentences among these besides."""
        return evolve(forms, sentences=tuple(dict.fromkeys((*forms.sentences, *self.normal.get(forms.id, ())))))

    def in_own_words(self, text: str, draws: Draws) -> str:
        """A report in which its writer's own words take the place of others that say the same."""
        for group in self.alike:
            if not draws.chance(_OWN):
                continue
            own = draws.pick(group).removeprefix(_TARGET)
            others = tuple(word for word in group if word != own and not word.startswith(_TARGET))
            # A word within the writer's own is found as a part of it, and so stays.
            pattern = any_of((*others, own))
            text = pattern.sub(lambda match, own=own: match_case(own, match.string, match.start(), match[0]), text)  # type: ignore[misc]
        return text


@cache
def load_rewording() -> Rewording:
    """The shipped rewording."""
    return load_table("rewording", Rewording)


def _half(own: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """Equal parts of the one and the other, each repeated where it is short."""
    if not own:
        return tuple(given)
    return (*islice(cycle(own), _BOUND // 2), *islice(cycle(given), _BOUND // 2))
