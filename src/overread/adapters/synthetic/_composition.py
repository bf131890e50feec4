"""Composition: drafts of invented reports.

From one sentence to fourteen; a fifth are normal throughout. Three in ten have headings, their impression repeating
one or two findings. The shares are overread's choice, after what chest radiograph reports look like.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from attrs import evolve

from overread.adapters.synthetic._draft import (
    SLOTS,
    WORDINGS,
    Assertion,
    Coherence,
    Denial,
    Draft,
    Mention,
    Normality,
    Statement,
)
from overread.adapters.synthetic._draws import Draws

__all__ = ["assertion", "compose", "harmless_statement", "impression", "new_finding"]

_NORMAL: Final = 0.2
_SECTIONED: Final = 0.3
_LENGTHS: Final = {(1, 1): 10, (2, 4): 28, (5, 8): 40, (9, 14): 22}
"""Fewest and most statements of a report, with weights."""

_FINDINGS: Final = {1: 3, 2: 5, 3: 6, 4: 5, 5: 3, 6: 2, 7: 1}
"""How many findings a report asserts that is not normal, with weights; a short one fewer."""

_STATED: Final = {"side": 0.85, "zone": 0.5, "grade": 0.45, "change": 0.4, "hedge": 0.25, "size": 0.6}
"""How often a slot is filled."""

_USUALLY_DENIED: Final = {"pneumothorax": 40, "pleural_effusion": 40, "consolidation": 25, "pulmonary_edema": 10}
"""How much more often than its weight a finding is denied. One without the slot "change", as a device, never is."""


def compose(coherence: Coherence, draws: Draws) -> Draft:
    """A draft without contradictions."""
    statements = draws.between(*draws.weighted(tuple(_LENGTHS), tuple(_LENGTHS.values())))
    wanted = 0 if draws.chance(_NORMAL) else draws.weighted(tuple(_FINDINGS), tuple(_FINDINGS.values()))
    findings = _findings(min(wanted, statements), coherence, draws)
    body: list[Statement] = [assertion(finding, coherence, draws) for finding in findings]
    for _ in range(statements - len(body)):
        statement = harmless_statement(body, findings, coherence, draws)
        body += [statement] if statement else []
    draft = Draft(body=draws.shuffled(body), sectioned=draws.chance(_SECTIONED), fillers=_fillers(coherence, draws))
    return impression(draft, coherence, draws)


def assertion(finding: str, coherence: Coherence, draws: Draws) -> Assertion:
    """A finding with random slots."""
    forms = coherence.grammar.findings[finding]
    slots = dict.fromkeys(SLOTS, "")
    for slot in SLOTS:
        values = forms.values(slot)
        if values and draws.chance(_STATED[slot]):
            slots[slot] = draws.pick(values)
    if slots["size"]:
        slots["grade"] = ""
    return Assertion(finding=finding, wording=draws.below(WORDINGS), **slots)


def new_finding(
    coherence: Coherence, findings: Collection[str], draws: Draws, *, significant: bool | None = None
) -> str | None:
    """A finding unrelated to the given ones, common findings first; None if there is none of that significance."""
    free = [
        f
        for f, forms in coherence.grammar.findings.items()
        if significant in (None, forms.is_significant) and coherence.admits(f, findings)
    ]
    return draws.weighted(free, [coherence.grammar.findings[f].weight for f in free]) if free else None


def harmless_statement(
    body: Collection[Statement], findings: Collection[str], coherence: Coherence, draws: Draws
) -> Denial | Normality | None:
    """A normal statement or denial that the body lacks and that denies none of the findings; None if there is none."""
    grammar = coherence.grammar
    said = {evolve(s, wording=0) for s in body}
    options: dict[Denial | Normality, float] = {}
    if draws.chance(0.5):
        options = {Normality(n): forms.weight for n, forms in grammar.normals.items()}
    else:
        options = {
            Denial(f): forms.weight * _USUALLY_DENIED.get(f, 1) for f, forms in grammar.findings.items() if forms.change
        }
    free = [s for s in options if s not in said and coherence.allows(s, findings)]
    if not free:
        return None
    return evolve(draws.weighted(free, [options[s] for s in free]), wording=draws.below(WORDINGS))


def impression(draft: Draft, coherence: Coherence, draws: Draws) -> Draft:
    """A sectioned draft with an impression: one or two of its findings, or else the broadest normal statement."""
    if not draft.sectioned or draft.impression:
        return draft
    findings = coherence.grammar.findings
    keys = [f for f in draws.shuffled(draft.findings) if findings[f].is_significant] or list(draft.findings)
    mentions = [Mention(f, draws.below(WORDINGS)) for f in keys[: draws.between(1, 2)]]
    normals = [Normality(n, draws.below(WORDINGS)) for n in coherence.broadest_normals(draft.findings)[:1]]
    return evolve(draft, impression=tuple(mentions or normals))


def _findings(wanted: int, coherence: Coherence, draws: Draws) -> list[str]:
    findings: list[str] = []
    for _ in range(wanted):
        finding = new_finding(coherence, findings, draws)
        findings += [finding] if finding else []
    return findings


def _fillers(coherence: Coherence, draws: Draws) -> tuple[str, ...]:
    ids = draws.shuffled(coherence.grammar.fillers)
    return ids[: draws.weighted((0, 1, 2, 3), (5, 3, 2, 1))]
