"""Injection: from reports to pairs with known errors, pairs by heuristics, and the datasheet of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from attrs import frozen

from overread.application.asking.inquiry import Inquiry
from overread.application.asking.prompt import Prompt
from overread.application.ports import TextEncoder, UnitExtractor
from overread.domain.findings.lexicon import Lexicon
from overread.studies.application.synthesis.edits.categories import KINDS
from overread.studies.application.synthesis.injected.by_model import by_model
from overread.studies.application.synthesis.injected.by_rules import by_rules
from overread.studies.application.synthesis.injected.datasheets import datasheet
from overread.studies.application.synthesis.injected.heuristics import Heuristic, HeuristicPair, by_heuristics
from overread.studies.application.synthesis.injected.material import Material, Synthesis

__all__ = ["PAIRS_A_CATEGORY", "Asked", "Injection", "inject"]

PAIRS_A_CATEGORY: Final = len(KINDS)
"""How many pairs there are for each that is wanted of a category and subset."""


@frozen(eq=False)
class Asked:
    """The language model that makes the changes, and in which words it is asked."""

    inquiry: Inquiry
    prompt: Prompt


@frozen(eq=False)
class Injection:
    """Pairs made from reports.

    Attributes:
        made: pairs with one difference each.
        by_heuristics: further pairs, whose differences have no labels.
        source: name of the reports.
    """

    made: Synthesis
    by_heuristics: tuple[HeuristicPair, ...]
    source: str

    @property
    def heuristics(self) -> Counter[str]:
        """Number of pairs by heuristic."""
        return Counter(pair.heuristic.value for pair in self.by_heuristics)

    @property
    def datasheet(self) -> str:
        """Datasheet in Markdown: what is there, how it came about and what was left out."""
        return datasheet(self.made, self.heuristics, source=self.source)


def inject(
    reports: Iterable[tuple[str, str]],
    extractor: UnitExtractor,
    lexicon: Lexicon,
    *,
    source: str,
    encoder: Callable[[], TextEncoder],
    asked: Asked | None = None,
    per_category: int = 100,
    heuristics: Sequence[Heuristic] = (),
    heuristic_pairs: int = 1000,
    seed: int = 7,
    on_progress: Callable[[int], None] | None = None,
) -> Injection:
    """Puts known errors into reports; the same reports and seed make the same pairs.

    Args:
        reports: with their ids.
        extractor: reads reports, and edited ones again.
        lexicon: that it reads with.
        source: name of the reports, for the datasheet.
        encoder: makes the encoder that finds the nearest report; called only if that is asked for.
        asked: the model that makes the changes; by rules where omitted.
        per_category: pairs of each category and subset.
        heuristics: by which further pairs are made.
        heuristic_pairs: pairs of each.
        seed: of every random choice.
        on_progress: is told how many pairs the rules have made.
    """
    material = Material.read(reports, extractor, lexicon)
    if asked is None:
        made = by_rules(material, extractor, per_category=per_category, seed=seed, on_progress=on_progress)
    else:
        made = by_model(material, asked.inquiry, asked.prompt, per_category=per_category, seed=seed)
    more = by_heuristics(material, heuristics, heuristic_pairs, seed=seed, extractor=extractor, encoder=encoder)
    return Injection(made, tuple(more), source)
