"""Edits: single errors of a chosen category, and rewrites that change the words but not the meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import asdict, evolve

from overread.adapters.synthetic._composition import assertion, harmless_statement, impression, new_finding
from overread.adapters.synthetic._draft import SLOTS, WORDINGS, Assertion, Coherence, Denial, Draft, Mention, Statement
from overread.adapters.synthetic._draws import Draws
from overread.adapters.synthetic._grammar import CHANGES, HEDGES
from overread.adapters.synthetic._labels import differences
from overread.domain.taxonomy import ErrorCategory

__all__ = ["WEIGHTS", "corrupt", "introduce", "rewrite"]

WEIGHTS: Final = {
    ErrorCategory.FALSE_FINDING: 20,
    ErrorCategory.OMITTED_FINDING: 25,
    ErrorCategory.LOCATION: 13,
    ErrorCategory.SEVERITY: 12,
    ErrorCategory.COMPARISON_NOT_IN_REFERENCE: 7,
    ErrorCategory.OMITTED_COMPARISON: 10,
    ErrorCategory.UNSUPPORTED_UNCERTAINTY: 5,
    ErrorCategory.OMITTED_UNCERTAINTY: 8,
}
"""How often each category is tried first; overread's choice, false and omitted findings leading."""

_DROPPED_NEGATION: Final = 0.35
_FLIPPED: Final = 0.35


def corrupt(reference: Draft, errors: int, coherence: Coherence, draws: Draws) -> tuple[Draft, list[ErrorCategory]]:
    """The reference with up to ``errors`` errors, and their categories; fewer only where nothing more can be wrong."""
    candidate = reference
    made: list[ErrorCategory] = []
    for _ in range(errors):
        for category in _order(draws):
            edited = introduce(category, reference, candidate, coherence, draws)
            if edited is not None:
                candidate = edited
                made.append(category)
                break
    return candidate, made


def introduce(
    category: ErrorCategory, reference: Draft, candidate: Draft, coherence: Coherence, draws: Draws
) -> Draft | None:
    """The candidate with one more error of a category; None where the pair has no room for one."""
    if category is ErrorCategory.FALSE_FINDING:
        edited = _add(reference, candidate, coherence, draws)
    elif category is ErrorCategory.OMITTED_FINDING:
        edited = _omit(reference, candidate, draws)
    else:
        edited = _alter(category, reference, candidate, coherence, draws)
    return edited and impression(edited, coherence, draws)


def rewrite(draft: Draft, vigour: float, coherence: Coherence, draws: Draws) -> Draft:
    """The draft in other words, with the same meaning.

    Args:
        draft: what to rewrite.
        vigour: 0 changes nothing, 1 as much as possible: wording, order, fillers, headings, normal statements.
        coherence: keeps added statements from denying a finding.
        draws: the choices.
    """
    body = [_reworded(s, draws) if draws.chance(vigour) else s for s in draft.body]
    normal = [s for s in body if not isinstance(s, Assertion)]
    if normal and len(body) > 1 and draws.chance(0.5 * vigour):
        body.remove(draws.pick(normal))
    if draws.chance(0.5 * vigour):
        extra = harmless_statement(body, draft.findings, coherence, draws)
        body += [extra] if extra else []
    rewritten = evolve(
        draft,
        body=draws.shuffled(body) if draws.chance(vigour) else tuple(body),
        fillers=_toggled(draft.fillers, coherence, draws) if draws.chance(0.5 * vigour) else draft.fillers,
        impression=tuple(
            evolve(s, wording=draws.below(WORDINGS)) if draws.chance(vigour) else s for s in draft.impression
        ),
    )
    if draws.chance(0.25 * vigour):
        rewritten = evolve(rewritten, sectioned=not draft.sectioned, impression=())
    return impression(rewritten, coherence, draws)


def _order(draws: Draws) -> Iterator[ErrorCategory]:
    left = dict(WEIGHTS)
    while left:
        category = draws.weighted(tuple(left), tuple(left.values()))
        del left[category]
        yield category


def _add(reference: Draft, candidate: Draft, coherence: Coherence, draws: Draws) -> Draft | None:
    """A false finding: a denial that lost its negation, or a finding out of nowhere."""
    asserted = {**reference.findings, **candidate.findings}
    denials = [s for s in candidate.body if isinstance(s, Denial) and coherence.admits(s.finding, asserted)]
    if denials and draws.chance(_DROPPED_NEGATION):
        denial = draws.pick(denials)
        false = assertion(denial.finding, coherence, draws)
        body = [false if s is denial else s for s in candidate.body]
    else:
        finding = new_finding(coherence, asserted, draws)
        if finding is None:
            return None
        false = assertion(finding, coherence, draws)
        body = list(candidate.body)
        body.insert(draws.between(0, len(body)), false)
    return evolve(
        candidate,
        body=tuple(coherence.without_denials(body, false.finding)),
        impression=tuple(coherence.without_denials(candidate.impression, false.finding)),
    )


def _omit(reference: Draft, candidate: Draft, draws: Draws) -> Draft | None:
    """An omission: a finding left out, or its denial in its place."""
    untouched = [f for f in candidate.findings if f in reference.findings and _agree(reference, candidate, f)]
    if not untouched:
        return None
    omitted = candidate.findings[draws.pick(untouched)]
    denial = Denial(omitted.finding, draws.below(WORDINGS))
    flipped = draws.chance(_FLIPPED) or len(candidate.body) == 1
    body: list[Statement] = [denial if s is omitted else s for s in candidate.body if flipped or s is not omitted]
    return evolve(
        candidate,
        body=tuple(body),
        impression=tuple(s for s in candidate.impression if s != Mention(omitted.finding, s.wording)),
    )


def _agree(reference: Draft, candidate: Draft, finding: str) -> bool:
    return not differences(reference.findings[finding], candidate.findings[finding], significant=True)


def _alter(
    category: ErrorCategory, reference: Draft, candidate: Draft, coherence: Coherence, draws: Draws
) -> Draft | None:
    """One more error of the category in the slots of a finding that both drafts assert."""
    shared = [f for f in candidate.findings if f in reference.findings]
    for finding in draws.shuffled(shared):
        right, now = reference.findings[finding], candidate.findings[finding]
        wanted = sorted([*_categories(right, now), category])
        options = [v for v in _variants(now, coherence) if sorted(_categories(right, v)) == wanted]
        if options:
            return candidate.asserting(draws.pick(options))
    return None


def _categories(reference: Assertion, candidate: Assertion) -> list[ErrorCategory]:
    return [mistake.category for mistake in differences(reference, candidate, significant=True)]


def _variants(now: Assertion, coherence: Coherence) -> Iterator[Assertion]:
    """The assertion with one slot changed, in every way the grammar allows."""
    forms = coherence.grammar.findings[now.finding]
    for slot in SLOTS:
        for value in (*forms.values(slot), ""):
            yield Assertion(**{**asdict(now), slot: value})


def _reworded(statement: Statement, draws: Draws) -> Statement:
    if not isinstance(statement, Assertion):
        return evolve(statement, wording=draws.below(WORDINGS))
    return evolve(
        statement,
        wording=draws.below(WORDINGS),
        change=_synonym(statement.change, CHANGES, draws),
        hedge=_synonym(statement.hedge, HEDGES, draws),
    )


def _synonym(word: str, meanings: Mapping[str, str], draws: Draws) -> str:
    return draws.pick([w for w in meanings if meanings[w] == meanings[word]]) if word else ""


def _toggled(fillers: tuple[str, ...], coherence: Coherence, draws: Draws) -> tuple[str, ...]:
    """One filler less, or one where there was none."""
    return fillers[1:] or (draws.pick(tuple(coherence.grammar.fillers)),)
