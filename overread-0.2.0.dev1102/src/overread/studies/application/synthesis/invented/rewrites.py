"""Rewrites: a draft said otherwise, with the same meaning. Each kind stands alone, and none is ever an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from attrs import evolve

from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.invented.composition import harmless_statement, impression
from overread.studies.application.synthesis.invented.drafts import (
    WORDINGS,
    Assertion,
    Coherence,
    Denial,
    Draft,
    Mention,
    Normality,
    Statement,
)
from overread.studies.application.synthesis.invented.grammar import CHANGES, HEDGES
from overread.studies.application.synthesis.invented.labels import same_level, same_size

__all__ = ["REWRITES", "Rewrite", "rewrite"]


class Rewrite(StrEnum):
    """Change to a draft that does not change what it says."""

    WORDING = "wording"
    ORDER = "order"
    ZONE = "zone"
    SIZE = "size"
    NORMAL_DROPPED = "normal-dropped"
    NORMAL_ADDED = "normal-added"
    NORMALS_SUMMED_UP = "normals-summed-up"
    NORMALS_LISTED = "normals-listed"
    SILENT_NORMALS = "silent-normals"
    ADMINISTRATIVE = "administrative"
    SECTIONS = "sections"


_LIKELIHOOD: Final = {
    Rewrite.WORDING: 1.0,
    Rewrite.ORDER: 0.7,
    Rewrite.ZONE: 0.8,
    Rewrite.SIZE: 0.8,
    Rewrite.NORMAL_DROPPED: 0.35,
    Rewrite.NORMAL_ADDED: 0.45,
    Rewrite.NORMALS_SUMMED_UP: 0.3,
    Rewrite.NORMALS_LISTED: 0.3,
    Rewrite.SILENT_NORMALS: 0.12,
    Rewrite.ADMINISTRATIVE: 0.5,
    Rewrite.SECTIONS: 0.2,
}
"""How often each is done at full vigour."""

_MOST_ADDED: Final = 5
_MOST_FILLERS: Final = 4
_MOST_LISTED: Final = 4


def rewrite(draft: Draft, vigour: float, coherence: Coherence, draws: Draws) -> tuple[Draft, tuple[Rewrite, ...]]:
    """The draft in other words, with the same meaning, and what was done to it.

    Args:
        draft: what to rewrite.
        vigour: 0 changes nothing, 1 as much as possible.
        coherence: keeps added statements from denying a finding.
        draws: the choices.
    """
    done: list[Rewrite] = []
    for kind, likelihood in _LIKELIHOOD.items():
        if draws.chance(likelihood * vigour):
            rewritten = REWRITES[kind](draft, coherence, draws)
            done += [kind] if rewritten != draft else []
            draft = rewritten
    return draft, tuple(done)


def _word(draft: Draft, _coherence: Coherence, draws: Draws) -> Draft:
    """Other sentences, and other words for the change and for the doubt."""
    return evolve(
        draft,
        body=tuple(_reword_statement(s, draws) for s in draft.body),
        impression=tuple(evolve(s, wording=draws.below(WORDINGS)) for s in draft.impression),
    )


def _reword_statement(statement: Statement, draws: Draws) -> Statement:
    wording = draws.below(WORDINGS)
    if not isinstance(statement, Assertion):
        return evolve(statement, wording=wording)
    change = _synonym(statement.change, CHANGES, draws)
    return evolve(statement, wording=wording, change=change, hedge=_synonym(statement.hedge, HEDGES, draws))


def _synonym(word: str, meanings: Mapping[str, str], draws: Draws) -> str:
    return draws.pick([w for w in meanings if meanings[w] == meanings[word]]) if word else ""


def _reorder(draft: Draft, _coherence: Coherence, draws: Draws) -> Draft:
    return evolve(draft, body=draws.shuffled(draft.body), impression=draws.shuffled(draft.impression))


def _rename_zone(draft: Draft, coherence: Coherence, draws: Draws) -> Draft:
    """Another name for the same level: basal for lower lobe."""

    def rename(said: Assertion) -> Assertion:
        zones = [z for z in coherence.grammar.findings[said.finding].zones if same_level(z, said.zone)]
        return evolve(said, zone=draws.pick(zones)) if zones else said

    return _each_assertion(draft, rename)


def _remeasure(draft: Draft, _coherence: Coherence, draws: Draws) -> Draft:
    """A millimetre more or less, or the same in centimetres."""

    def remeasure(said: Assertion) -> Assertion:
        if not said.size.endswith("mm"):
            return said
        millimetres = int(said.size.split()[0])
        sizes = [f"{millimetres - 1} mm", f"{millimetres + 1} mm", f"{millimetres / 10:.1f} cm"]
        return evolve(said, size=draws.pick([size for size in sizes if same_size(said.size, size)]))

    return _each_assertion(draft, remeasure)


def _each_assertion(draft: Draft, change: Callable[[Assertion], Assertion]) -> Draft:
    untouched = draft.contradicted
    return evolve(
        draft,
        body=tuple(change(s) if isinstance(s, Assertion) and s.finding not in untouched else s for s in draft.body),
    )


def _normal(draft: Draft) -> list[Denial | Normality]:
    return [s for s in draft.body if isinstance(s, Denial | Normality)]


def _drop_normal(draft: Draft, _coherence: Coherence, draws: Draws) -> Draft:
    normal = _normal(draft)
    if not normal or len(draft.body) == 1:
        return draft
    gone = draws.pick(normal)
    return evolve(draft, body=tuple(s for s in draft.body if s is not gone))


def _add_normals(draft: Draft, coherence: Coherence, draws: Draws) -> Draft:
    body = list(draft.body)
    for _ in range(draws.between(1, _MOST_ADDED)):
        extra = harmless_statement(body, draft.findings, coherence, draws)
        body += [extra] if extra else []
    return evolve(draft, body=tuple(body))


def _sum_up(draft: Draft, coherence: Coherence, draws: Draws) -> Draft:
    """One statement of normality for two or more denials that it covers."""
    denials = [s for s in draft.body if isinstance(s, Denial)]
    options = {
        normal: [s for s in denials if s.finding in forms.denies]
        for normal, forms in coherence.grammar.normals.items()
        if coherence.allows(Normality(normal), draft.findings)
    }
    options = {normal: covered for normal, covered in options.items() if len(covered) > 1}
    if not options:
        return draft
    normal = draws.pick(list(options))
    covered = options[normal]
    body: list[Statement] = [s for s in draft.body if s not in covered]
    if all(not (isinstance(s, Normality) and s.normal == normal) for s in body):
        body.insert(draws.between(0, len(body)), Normality(normal, draws.below(WORDINGS)))
    return evolve(draft, body=tuple(body))


def _list(draft: Draft, coherence: Coherence, draws: Draws) -> Draft:
    """The denials that a statement of normality stands for, in its place."""
    normal = [s for s in draft.body if isinstance(s, Normality)]
    if not normal:
        return draft
    chosen = draws.pick(normal)
    denied = {s.finding for s in draft.body if isinstance(s, Denial)}
    findings = coherence.grammar.findings
    free = [
        f
        for f in coherence.grammar.normals[chosen.normal].denies
        if f in findings and findings[f].change and f not in denied and coherence.allows(Denial(f), draft.findings)
    ]
    if not free:
        return draft
    listed = [Denial(f, draws.below(WORDINGS)) for f in draws.shuffled(free)[: draws.between(1, _MOST_LISTED)]]
    at = next(i for i, s in enumerate(draft.body) if s is chosen)
    return evolve(draft, body=(*draft.body[:at], *listed, *draft.body[at + 1 :]))


def _silence(draft: Draft, coherence: Coherence, draws: Draws) -> Draft:
    """The findings alone; of a normal report, its broadest statement alone."""
    asserted = tuple(s for s in draft.body if not isinstance(s, Denial | Normality))
    if asserted:
        return evolve(draft, body=asserted)
    broadest = coherence.broadest_normals(draft.findings)[: draws.between(1, 2)]
    return evolve(draft, body=(Normality(broadest[-1], draws.below(WORDINGS)),))


def _administrate(draft: Draft, coherence: Coherence, draws: Draws) -> Draft:
    """Other sentences about technique, communication and follow-up, or none."""
    ids = draws.shuffled(coherence.grammar.fillers)
    return evolve(draft, fillers=ids[: draws.between(0, _MOST_FILLERS)])


def _section(draft: Draft, coherence: Coherence, draws: Draws) -> Draft:
    """Adds an impression or takes it away; one that contradicts the body stays as it is."""
    if any(isinstance(s, Mention) and s.side for s in draft.impression):
        return draft
    return impression(evolve(draft, sectioned=not draft.sectioned, impression=()), coherence, draws)


REWRITES: Final[Mapping[Rewrite, Callable[[Draft, Coherence, Draws], Draft]]] = {
    Rewrite.WORDING: _word,
    Rewrite.ORDER: _reorder,
    Rewrite.ZONE: _rename_zone,
    Rewrite.SIZE: _remeasure,
    Rewrite.NORMAL_DROPPED: _drop_normal,
    Rewrite.NORMAL_ADDED: _add_normals,
    Rewrite.NORMALS_SUMMED_UP: _sum_up,
    Rewrite.NORMALS_LISTED: _list,
    Rewrite.SILENT_NORMALS: _silence,
    Rewrite.ADMINISTRATIVE: _administrate,
    Rewrite.SECTIONS: _section,
}
