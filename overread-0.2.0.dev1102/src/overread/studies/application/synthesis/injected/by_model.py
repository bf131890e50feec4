"""Injection by a language model that is told what to change; the spans are found by comparing the two texts.

The report goes to the model with one error specification (Beyond Scalar Scores, sections 4.2 and 4.3, appendices H
and I). An answer that is no sound edit of the report is sent back once; then that pair is left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import partial
from typing import Final

from attrs import evolve, frozen

from overread.application.asking.answers.json_answer import without_reasoning
from overread.application.asking.answers.refusal import is_refusal
from overread.application.asking.inquiry import Inquiry, Question, UnreadableAnswerError
from overread.application.asking.prompt import Prompt
from overread.application.asking.prompts import load_prompt
from overread.application.ports import Request
from overread.domain.results.result import Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect
from overread.studies.application.synthesis.edits.categories import CATEGORIES, Category, Subset
from overread.studies.application.synthesis.edits.checks import fault_of_text
from overread.studies.application.synthesis.edits.edit import Change, Edit
from overread.studies.application.synthesis.edits.rules import proposals
from overread.studies.application.synthesis.injected.material import Material, Synthesis, plan_edits
from overread.studies.application.synthesis.injected.pairs import InjectedPair
from overread.studies.application.synthesis.injected.specifications import Specifications, load_specifications

__all__ = ["PLACES", "by_model", "difference", "load_injection_prompt"]

PLACES: Final = ("aspect", "type", "definition", "medical", "patterns", "severity", "task", "reference")
"""Places that a prompt of injection must have."""

_FENCE: Final = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_PIECE: Final = re.compile(r"\s+|\w+(?:[.'-]\w+)*|[^\w\s]")
_LEAST_KEPT: Final = 0.5
"""Share of the words that an edit must leave alone, except in matters of style."""

_REMEDIES: Final = {
    "nothing changed": "The report is unchanged. Make the one change asked for and answer with the whole report.",
    "length": "The report became much longer or shorter. Change only what was asked for and keep all the rest.",
    "blemish": "There are doubled words or stray punctuation marks. Write the edited report again without them.",
    "broken sentence": "A sentence is not whole any more. Write the edited report again in whole sentences.",
    "span": "Answer with the whole edited report only.",
    "too much": "Too much was changed. Keep every other word of the report and make the one change only.",
}
_TOKENS_PER_CHARACTER: Final = 0.5
_LEAST_TOKENS: Final = 256


def load_injection_prompt(path: str | None = None) -> Prompt:
    """The shipped prompt, or a user's; see `load_prompt`. Raises `ConfigurationError` where a place is missing."""
    return load_prompt("injection", path, places=PLACES)


@frozen
class _Assignment:
    report: int
    category: Category
    subset: Subset


def by_model(
    material: Material,
    inquiry: Inquiry,
    prompt: Prompt,
    *,
    per_category: int = 100,
    seed: int = 7,
    categories: Sequence[Category] = CATEGORIES,
) -> Synthesis:
    """Pairs by a language model. Reports are chosen as the rules would: those that have a place for the category.

    Args:
        material: the reports.
        inquiry: asks the model; its repairs say how often an unsound answer is sent back.
        prompt: with all of `PLACES`.
        per_category: reports of each category and subset that are given to the model.
        seed: of the choice of reports.
        categories: some of `CATEGORIES`.
    """
    specifications = load_specifications()

    def attempt(report: int, category: Category, subset: Subset) -> _Assignment | None:
        has_place = next(proposals(material.readings[report], category, subset), None) is not None
        return _Assignment(report, category, subset) if has_place else None

    assigned = list(plan_edits(material, attempt, per_category=per_category, seed=seed, categories=categories))
    questions = [_question(material, prompt, specifications, assignment) for assignment in assigned]
    method = f"model:{inquiry.model.identity}"
    pairs: list[InjectedPair] = []
    seen: set[tuple[str, str]] = set()
    faults: Counter[str] = Counter()
    for assignment, reply in zip(assigned, inquiry.ask(questions), strict=True):
        if isinstance(reply.value, Unscored):
            faults[f"{reply.value.reason} ({reply.value.detail})"] += 1
            continue
        pair = _pair(material, assignment, reply.value, method)
        if (pair.reference, pair.candidate) in seen:
            faults["equal to another pair"] += 1
            continue
        seen.add((pair.reference, pair.candidate))
        pairs.append(pair)
    return Synthesis(
        material=material,
        pairs=pairs,
        wanted=per_category,
        seed=seed,
        reader=f"{prompt.identity}, specifications {specifications.identity}",
        method=method,
        faults=faults,
    )


def difference(reference: str, candidate: str) -> Edit:
    """The edit that makes one text of the other: stretches of words that differ, close ones as one.

    >>> [change.words for change in difference("No large effusion.", "A large effusion.").changes]
    ['A']
    """
    old, new = _PIECE.findall(reference), _PIECE.findall(candidate)
    starts = [0]
    for piece in old:
        starts.append(starts[-1] + len(piece))
    changes: list[Change] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        change = Change(starts[a], starts[b], "".join(new[c:d]))
        gap = reference[changes[-1].end : change.start] if changes else "-"
        if changes and not gap.strip():
            change = Change(changes[-1].start, change.end, changes.pop().words + gap + change.words)
        changes.append(change)
    return Edit(tuple(changes), "")


def _question(
    material: Material, prompt: Prompt, specifications: Specifications, assignment: _Assignment
) -> Question[Edit]:
    text = material.readings[assignment.report].text
    specification = specifications.by_category[assignment.category]
    values = {**specification.values(assignment.subset), "reference": text}
    most = max(_LEAST_TOKENS, int(len(text) * _TOKENS_PER_CHARACTER * 2))
    request = Request(prompt.filled(values), max_tokens=most)
    return Question(prompt.identity, request, partial(_read, text, assignment.category.aspect))


def _read(reference: str, aspect: ErrorAspect, answer: str) -> Edit:
    """The edit that an answer makes. Raises `UnreadableAnswerError` where it is no sound one."""
    candidate = without_reasoning(answer).strip()
    if fenced := _FENCE.match(candidate):
        candidate = fenced[1].strip()
    if is_refusal(candidate):
        raise UnreadableAnswerError("refusal", "the model refused to answer")
    lead = reference[: len(reference) - len(reference.lstrip())]
    candidate = f"{lead}{candidate}{reference[len(reference.rstrip()) :]}"
    edit = difference(reference, candidate)
    slips = aspect is ErrorAspect.NOISE
    fault = fault_of_text(reference, candidate, edit.spans(reference), slips=slips)
    if not fault and aspect is not ErrorAspect.STYLE and _unchanged_share(reference, edit) < _LEAST_KEPT:
        fault = "too much"
    if fault:
        raise UnreadableAnswerError("unsound edit", fault, _REMEDIES[fault])
    return edit


def _unchanged_share(reference: str, edit: Edit) -> float:
    """Share of the reference's characters that the edit leaves alone."""
    return 1 - sum(change.end - change.start for change in edit.changes) / max(1, len(reference))


def _pair(material: Material, assignment: _Assignment, edit: Edit, method: str) -> InjectedPair:
    category, subset = assignment.category, assignment.subset
    harmful = subset is Subset.DISCRIMINATION
    asked_for = "an error" if harmful else "a harmless variation"
    contradicts = harmful and category.aspect is ErrorAspect.CONTRADICTION
    edit = evolve(
        edit,
        explanation=f"{asked_for} of this category was asked for",
        severity=Severity.CRITICAL if contradicts else None,
    )
    text = material.readings[assignment.report].text
    return InjectedPair.of(material.studies[assignment.report], text, edit, category, subset, method=method)
