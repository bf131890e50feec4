"""Cues bear on what medspaCy's ConText lets them bear on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import spacy
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from medspacy.context import ConText, ConTextRule
from spacy.tokens import Doc, Span

from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.loader import ContextRule
from overread.adapters.lexicon.matching import Match, Term
from overread.adapters.lexicon.words import Normaliser
from overread.adapters.reader.medspacy._cues import Cues
from overread.adapters.reader.medspacy._matching import Matchers
from overread.domain.findings.unit import ClinicalUnit

Read = Callable[[str], tuple[ClinicalUnit, ...]]

RULES = (
    ContextRule("NEGATED", "FORWARD", ("no", "without trace")),
    ContextRule("NEGATED", "BACKWARD", ("is ruled out", "not seen"), max_scope=3),
    ContextRule("POSSIBLE", "BIDIRECTIONAL", ("maybe",), max_scope=2),
    ContextRule("PSEUDO", "PSEUDO", ("no sign",)),
    ContextRule("STOP", "TERMINATE", ("but",)),
)
WORDS = ["no", "sign", "of", "without", "trace", "is", "ruled", "out", "maybe", "but", "not", "seen", "x", ","]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12), st.sets(st.integers(0, 11), max_size=3))
def test_cues_are_those_of_the_component_of_medspacy(words: list[str], places: set[int]) -> None:
    """The same cues at the same places, with the same scopes and on the same targets."""
    targets = [(at, at + 1) for at in sorted(places) if at < len(words)]
    found = [Match(Term("x", "FINDING", ("x",)), start, end, 0) for start, end in targets]
    assert _told(_CUES.graph(words, _CUES.among(words), found)) == _told(_graph_of_medspacy(words, targets))


def _told(graph: Any) -> tuple[list[Any], list[Any]]:
    cues = [(cue.category, cue.direction, cue.modifier_span, cue.scope_span) for cue in graph.modifiers]
    return cues, [(target.start, target.end, cue.modifier_span) for target, cue in graph.edges]


def _graph_of_medspacy(words: Sequence[str], targets: Sequence[tuple[int, int]]) -> Any:
    doc = Doc(_CONTEXT.nlp.vocab, words=words, sent_starts=[True] + [False] * (len(words) - 1))
    doc.spans["targets"] = [Span(doc, start, end, label="FINDING") for start, end in targets]
    return _CONTEXT(doc)._.context_graph


def _context_of_medspacy() -> ConText:
    """The component with a pipeline; it warns unless it has both phrases and patterns."""
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=text.split())
    context = ConText(
        nlp,
        rules=None,
        phrase_matcher_attr="ORTH",
        span_attrs=None,
        input_span_type="group",
        span_group_name="targets",
    )
    rules = [
        ConTextRule(
            term,
            rule.category,
            pattern=None if " " in term else [{"ORTH": term}],
            direction=rule.direction,
            max_scope=rule.max_scope,
        )
        for rule in RULES
        for term in rule.terms
    ]
    context.add(rules)
    return context


_CONTEXT = _context_of_medspacy()
_CUES = Cues(evolve(load_knowledge(), context=RULES, normaliser=Normaliser(), elements={}))


def test_spacy_keeps_no_word_of_a_report(matchers: Matchers) -> None:
    """Its store of strings is the same after sentences of words that it has never met."""
    matchers.match(("no", "effusion", "."))
    context = matchers._cues._context
    assert context is not None
    before = set(context.vocab.strings)
    for number in range(50):
        matchers.match(("no", f"xenolith{number}", "or", "effusion", "."))
    assert set(context.vocab.strings) == before


def test_a_cue_that_ends_with_the_full_stop_that_a_sentence_lacks(read: Read) -> None:
    """What it is said of ends with the sentence: "wider" is a part of both."""
    text = "Both collecting systems and ureters wider"
    assert max(unit.end for unit in read(text)) == len(text)


@pytest.fixture(scope="module")
def matchers() -> Matchers:
    return Matchers(load_knowledge())
