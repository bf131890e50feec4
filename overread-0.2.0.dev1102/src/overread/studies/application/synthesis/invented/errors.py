"""Errors of a chosen category and significance, made on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import asdict, evolve

from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.invented.composition import assertion, impression, new_finding
from overread.studies.application.synthesis.invented.drafts import (
    WORDINGS,
    Assertion,
    Coherence,
    Contradiction,
    Denial,
    Draft,
    Mention,
    Statement,
)
from overread.studies.application.synthesis.invented.labels import Mistake, differences

__all__ = ["corrupt", "introduce"]

_WHOLE_STUDY: Final = 0.3
"""Share of the errors of comparison that are about the whole study, where the grammar can say that."""

_Wanted = bool | None
"""Whether an error is to matter; None for either."""

_SLOTS_OF: Final = {
    ErrorCategory.LOCATION: ("side", "zone"),
    ErrorCategory.SEVERITY: ("grade", "size"),
    ErrorCategory.COMPARISON_NOT_IN_REFERENCE: ("change",),
    ErrorCategory.OMITTED_COMPARISON: ("change",),
    ErrorCategory.UNSUPPORTED_UNCERTAINTY: ("hedge",),
    ErrorCategory.OMITTED_UNCERTAINTY: ("hedge",),
}

_OTHER_SIDE: Final = {"left": "right", "right": "left"}


def corrupt(reference: Draft, errors: int, coherence: Coherence, draws: Draws) -> tuple[Draft, list[ErrorCategory]]:
    """The reference with up to ``errors`` errors, and their categories; fewer only where nothing more can be wrong."""
    candidate = reference
    made: list[ErrorCategory] = []
    for _ in range(errors):
        wanted = draws.chance(coherence.profile.significant)
        for category, significant in _order(wanted, coherence, draws):
            edited = introduce(category, reference, candidate, coherence, draws, significant=significant)
            if edited is not None:
                candidate = edited
                made.append(category)
                break
    return candidate, made


def introduce(
    category: ErrorCategory,
    reference: Draft,
    candidate: Draft,
    coherence: Coherence,
    draws: Draws,
    *,
    significant: _Wanted = None,
) -> Draft | None:
    """The candidate with one more error of a category; None where the pair has no room for one.

    Args:
        category: kind of the error.
        reference: what is right.
        candidate: what may be wrong already.
        coherence: keeps the candidate from denying what it asserts.
        draws: the choices.
        significant: whether the error is to matter; None for either.
    """
    if category is ErrorCategory.FALSE_FINDING:
        edited = _add(reference, candidate, coherence, draws, significant)
    elif category is ErrorCategory.OMITTED_FINDING:
        edited = _omit(reference, candidate, coherence, draws, significant)
    else:
        edited = _alter(category, reference, candidate, coherence, draws, significant)
    return edited and impression(edited, coherence, draws)


def _order(significant: _Wanted, coherence: Coherence, draws: Draws) -> Iterator[tuple[ErrorCategory, _Wanted]]:
    for category in draws.rank(coherence.profile.categories):
        yield category, significant
        yield category, not significant


def _add(reference: Draft, candidate: Draft, coherence: Coherence, draws: Draws, significant: _Wanted) -> Draft | None:
    """A false finding: a denial that lost its negation, a finding out of nowhere, or one beside its own denial."""
    if draws.chance(coherence.profile.contradicted) and (
        edited := _contradict(reference, candidate, coherence, draws, significant)
    ):
        return edited
    asserted = {**reference.findings, **candidate.findings}
    # Only what neither report asserts can be a false finding, and of the wanted significance by itself.
    denials = [
        s
        for s in candidate.body
        if isinstance(s, Denial)
        and significant in (None, coherence.matters(Assertion(finding=s.finding)))
        and coherence.admits(s.finding, asserted)
    ]
    body: list[Statement] = list(candidate.body)
    if denials and draws.chance(coherence.profile.dropped_negation):
        denial = draws.pick(denials)
        false = _false(denial.finding, coherence, draws, significant)
        contradiction = Contradiction(denial.finding, denial.wording)
        body = [
            (contradiction if draws.chance(coherence.profile.contradicted) else false) if s is denial else s
            for s in body
        ]
    else:
        finding = new_finding(coherence, asserted, draws, significant=significant)
        if finding is None:
            return None
        false = _false(finding, coherence, draws, significant)
    if false not in body:
        body.insert(draws.between(0, len(body)), false)
    return evolve(
        candidate,
        body=tuple(coherence.without_denials(body, false.finding)),
        impression=tuple(coherence.without_denials(candidate.impression, false.finding)),
    )


def _false(finding: str, coherence: Coherence, draws: Draws, significant: _Wanted) -> Assertion:
    statement = assertion(finding, coherence, draws)
    return statement if significant in (None, coherence.matters(statement)) else evolve(statement, zone="")


def _contradict(
    reference: Draft, candidate: Draft, coherence: Coherence, draws: Draws, significant: _Wanted
) -> Draft | None:
    """The denial of a finding that both drafts assert, elsewhere in the candidate."""
    options = [f for f in _sound_findings(reference, candidate, coherence, significant) if not _is_device(f, coherence)]
    if not options:
        return None
    body = list(candidate.body)
    body.insert(draws.between(0, len(body)), Contradiction(draws.pick(options), draws.below(WORDINGS)))
    return evolve(candidate, body=tuple(body))


def _omit(reference: Draft, candidate: Draft, coherence: Coherence, draws: Draws, significant: _Wanted) -> Draft | None:
    """An omission: a finding left out, or its denial in its place."""
    options = _sound_findings(reference, candidate, coherence, significant)
    if not options:
        return None
    omitted = candidate.findings[draws.pick(options)]
    denial = Denial(omitted.finding, draws.below(WORDINGS))
    flipped = draws.chance(coherence.profile.flipped) or len(candidate.body) == 1
    body: list[Statement] = [denial if s is omitted else s for s in candidate.body if flipped or s is not omitted]
    return evolve(
        candidate,
        body=tuple(body),
        impression=tuple(s for s in candidate.impression if not isinstance(s, Mention) or s.finding != omitted.finding),
    )


def _sound_findings(reference: Draft, candidate: Draft, coherence: Coherence, significant: _Wanted) -> list[str]:
    """Findings of a significance that both drafts assert and in which nothing is wrong yet."""
    return [
        f
        for f in candidate.findings
        if f in reference.findings
        and f not in candidate.contradicted
        and not coherence.grammar.findings[f].comparison
        and significant in (None, coherence.matters(reference.findings[f]))
        and not differences(reference.findings[f], candidate.findings[f], significant=True)
    ]


def _is_device(finding: str, coherence: Coherence) -> bool:
    forms = coherence.grammar.findings[finding]
    return not forms.change and not forms.grades


def _alter(
    category: ErrorCategory,
    reference: Draft,
    candidate: Draft,
    coherence: Coherence,
    draws: Draws,
    significant: _Wanted,
) -> Draft | None:
    """One more error of the category in the slots of a finding that both drafts assert."""
    if category is ErrorCategory.LOCATION and draws.chance(coherence.profile.other_side):
        edited = _exchange_side_of_impression(reference, candidate, coherence, draws, significant)
        if edited is not None:
            return edited
    if significant is not True and (edited := _compare(category, reference, candidate, coherence, draws)):
        return edited
    shared = [f for f in candidate.findings if f in reference.findings and f not in candidate.contradicted]
    for finding in draws.shuffled(shared):
        right, now = reference.findings[finding], candidate.findings[finding]
        before = _mistakes(right, now, coherence)
        options = [
            v for v in _variants(category, now, coherence) if _adds(category, significant, before, right, v, coherence)
        ]
        if options:
            return candidate.asserting(draws.pick(options))
    return None


def _compare(
    category: ErrorCategory, reference: Draft, candidate: Draft, coherence: Coherence, draws: Draws
) -> Draft | None:
    """A comparison of the whole study added or left out."""
    comparisons = [f for f, forms in coherence.grammar.findings.items() if forms.comparison]
    if not comparisons or not draws.chance(_WHOLE_STUDY):
        return None
    (whole,) = comparisons
    here, there = whole in candidate.findings, whole in reference.findings
    if category is ErrorCategory.COMPARISON_NOT_IN_REFERENCE and not here and not there:
        added = assertion(whole, coherence, draws)
        at = draws.pick((0, len(candidate.body)))
        return evolve(candidate, body=(*candidate.body[:at], added, *candidate.body[at:]))
    untouched = here and there and candidate.findings[whole].change == reference.findings[whole].change
    if category is ErrorCategory.OMITTED_COMPARISON and untouched and len(candidate.body) > 1:
        return evolve(
            candidate,
            body=tuple(s for s in candidate.body if s is not candidate.findings[whole]),
            impression=tuple(s for s in candidate.impression if not isinstance(s, Mention) or s.finding != whole),
        )
    return None


def _exchange_side_of_impression(
    reference: Draft, candidate: Draft, coherence: Coherence, draws: Draws, significant: _Wanted
) -> Draft | None:
    """Left for right in the impression alone, which then contradicts the body."""
    untouched = _sound_findings(reference, candidate, coherence, significant)
    options = [
        s
        for s in candidate.impression
        if isinstance(s, Mention)
        and s.finding in untouched
        and candidate.findings[s.finding].side in _OTHER_SIDE
        and candidate.findings[s.finding].side == reference.findings[s.finding].side
    ]
    if not options:
        return None
    wrong = draws.pick(options)
    other = evolve(wrong, side=_OTHER_SIDE[candidate.findings[wrong.finding].side])
    return evolve(candidate, impression=tuple(other if s is wrong else s for s in candidate.impression))


def _adds(
    category: ErrorCategory,
    significant: _Wanted,
    before: list[Mistake],
    right: Assertion,
    variant: Assertion,
    coherence: Coherence,
) -> bool:
    """Returns whether a variant has exactly one more mistake than before, of the category and the significance."""
    after = _mistakes(right, variant, coherence)
    for mistake in before:
        if mistake not in after:
            return False
        after.remove(mistake)
    return [m.category for m in after] == [category] and significant in (None, after[0].significant)


def _mistakes(right: Assertion, said: Assertion, coherence: Coherence) -> list[Mistake]:
    forms = coherence.grammar.findings[right.finding]
    return differences(right, said, significant=forms.is_significant, urgent=forms.is_urgent)


def _variants(category: ErrorCategory, now: Assertion, coherence: Coherence) -> Iterator[Assertion]:
    """The assertion with one slot that the category is about changed, in every way the grammar allows."""
    forms = coherence.grammar.findings[now.finding]
    slots = asdict(now)
    for slot in _SLOTS_OF[category]:
        for value in (*forms.values(slot), ""):
            variant = Assertion(**{**slots, slot: value})
            if not (variant.grade and variant.size) and not (forms.comparison and not value):
                yield variant
