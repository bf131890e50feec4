"""Composition: drafts of invented reports.

Some are normal throughout, some have headings, their impression repeating one or two findings; how many, and how long
they are, the profile says.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from attrs import evolve

from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.invented.drafts import (
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

__all__ = ["assertion", "compose", "harmless_statement", "impression", "new_finding"]

_COMPARED: Final = 0.12
"""How many reports compare the whole study, where the grammar can."""

_USUALLY_DENIED: Final = {"pneumothorax": 40, "pleural_effusion": 40, "consolidation": 25, "pulmonary_edema": 10}
"""How much more often than its weight a finding is denied. One without the slot "change", as a device, never is."""


def compose(coherence: Coherence, draws: Draws) -> Draft:
    """A draft without contradictions."""
    profile = coherence.profile
    statements = draws.between(*draws.weighted(tuple(profile.lengths), tuple(profile.lengths.values())))
    asserted = profile.findings
    wanted = 0 if draws.chance(profile.normal) else draws.weighted(tuple(asserted), tuple(asserted.values()))
    findings = _findings(min(wanted, statements), coherence, draws)
    body: list[Statement] = [assertion(finding, coherence, draws) for finding in findings]
    body += _comparison_statements(coherence, draws)
    for _ in range(max(0, statements - len(body))):
        statement = harmless_statement(body, findings, coherence, draws)
        body += [statement] if statement else []
    draft = Draft(
        body=draws.shuffled(body), sectioned=draws.chance(profile.sectioned), fillers=_fillers(coherence, draws)
    )
    return impression(draft, coherence, draws)


def assertion(finding: str, coherence: Coherence, draws: Draws) -> Assertion:
    """A finding with random slots."""
    forms = coherence.grammar.findings[finding]
    slots = dict.fromkeys(SLOTS, "")
    for slot in SLOTS:
        values = forms.values(slot)
        if values and (forms.comparison or draws.chance(coherence.profile.stated[slot])):
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
        if significant in (None, forms.is_significant) and not forms.comparison and coherence.admits(f, findings)
    ]
    return draws.weighted(free, [coherence.grammar.findings[f].weight for f in free]) if free else None


def harmless_statement(
    body: Collection[Statement], findings: Collection[str], coherence: Coherence, draws: Draws
) -> Denial | Normality | None:
    """A normal statement or denial that the body lacks and that denies none of the findings; None if there is none."""
    grammar = coherence.grammar
    body_statements = {evolve(s, wording=0) for s in body}
    options: dict[Denial | Normality, float] = {}
    if draws.chance(0.5):
        options = {Normality(n): forms.weight for n, forms in grammar.normals.items()}
    else:
        options = {
            Denial(f): forms.weight * _USUALLY_DENIED.get(f, 1)
            for f, forms in grammar.findings.items()
            if forms.change and not forms.comparison
        }
    free = [s for s in options if s not in body_statements and coherence.allows(s, findings)]
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


def _comparison_statements(coherence: Coherence, draws: Draws) -> list[Statement]:
    """Sometimes, where the grammar can say it, how the whole study compares with an earlier one."""
    comparisons = [f for f, forms in coherence.grammar.findings.items() if forms.comparison]
    return [assertion(f, coherence, draws) for f in comparisons if draws.chance(_COMPARED)]


def _findings(wanted: int, coherence: Coherence, draws: Draws) -> list[str]:
    findings: list[str] = []
    for _ in range(wanted):
        finding = new_finding(coherence, findings, draws)
        findings += [finding] if finding else []
    return findings


def _fillers(coherence: Coherence, draws: Draws) -> tuple[str, ...]:
    ids = draws.shuffled(coherence.grammar.fillers)
    return ids[: draws.weighted((0, 1, 2, 3), (5, 3, 2, 1))]
