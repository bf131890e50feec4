"""Injection by rules: pairs whose one difference the reader has seen to come out as meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from overread.application.ports import UnitExtractor
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits.categories import CATEGORIES, Category, Subset
from overread.studies.application.synthesis.edits.rules import RuleInjector
from overread.studies.application.synthesis.injected.material import Material, Synthesis, plan_edits
from overread.studies.application.synthesis.injected.pairs import InjectedPair

__all__ = ["by_rules"]


def by_rules(
    material: Material,
    extractor: UnitExtractor,
    *,
    per_category: int = 100,
    seed: int = 7,
    categories: Sequence[Category] = CATEGORIES,
    rereads: bool = True,
    on_progress: Callable[[int], None] | None = None,
) -> Synthesis:
    """Pairs by rules, the same for the same reports and seed.

    Args:
        material: the reports.
        extractor: reads edited reports again.
        per_category: pairs of each category and subset.
        seed: of every random choice.
        categories: some of `CATEGORIES`.
        rereads: see `RuleInjector`.
        on_progress: is told how many pairs there are.
    """
    injector = RuleInjector(extractor, rereads=rereads)
    seen: set[tuple[str, str]] = set()

    def attempt(report: int, category: Category, subset: Subset) -> InjectedPair | None:
        draws = Draws.from_parts(seed, material.studies[report], category.name, subset)
        edit = injector.edit(material.readings[report], category, subset, draws)
        if edit is None:
            return None
        pair = InjectedPair.of(material.studies[report], material.readings[report].text, edit, category, subset)
        if (pair.reference, pair.candidate) in seen:
            return None
        seen.add((pair.reference, pair.candidate))
        return pair

    made = []
    for pair in plan_edits(material, attempt, per_category=per_category, seed=seed, categories=categories):
        made.append(pair)
        if on_progress is not None:
            on_progress(len(made))
    return Synthesis(
        material=material,
        pairs=made,
        wanted=per_category,
        seed=seed,
        reader=extractor.identity,
        method="rules",
        faults=injector.faults,
    )
