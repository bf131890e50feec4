"""Reworded pairs: two writers tell one study, and differ in words without differing in meaning."""

from __future__ import annotations

import re
from collections import Counter
from string import Formatter

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.invented import Origin, Style, SyntheticPair, SyntheticPairs
from overread.studies.application.synthesis.invented.breadth import Breadth
from overread.studies.application.synthesis.invented.drafts import SLOTS
from overread.studies.application.synthesis.invented.grammar import load_grammar
from overread.studies.application.synthesis.invented.rewording import load_rewording
from overread.studies.application.synthesis.invented.slots import Slots

KNOWN = load_knowledge().lexicon
SAYS = {
    "place": {"side", "zone"},
    "region": {"side", "zone"},
    "sided": {"side"},
    "on": {"side"},
    "ends": {"zone"},
    "at": {"zone"},
    "gradely": {"grade"},
    "maybe": {"hedge"},
    "lead": {"hedge"},
    "since": {"change"},
    "trend": {"change"},
    "interval": {"change"},
    "overall": {"change"},
    "measure": {"size"},
}


@pytest.fixture(scope="module")
def plain() -> Breadth:
    return Breadth.of(KNOWN)


@pytest.fixture(scope="module")
def reworded() -> Breadth:
    return Breadth.of(KNOWN, reworded=True)


@pytest.fixture(scope="module")
def pairs() -> list[SyntheticPair]:
    return list(SyntheticPairs(KNOWN, seed=4, studies=200, candidates_per_study=4, purpose="reworded"))


def test_half_of_the_pairs_have_no_error(pairs: list[SyntheticPair]) -> None:
    """The others have one to three, and no candidate is its reference's copy or another study's report."""
    harmless = sum(not pair.total for pair in pairs) / len(pairs)
    assert harmless == pytest.approx(0.5, abs=0.07)
    assert max(pair.total for pair in pairs) <= 4
    assert {pair.origin for pair in pairs} == {Origin.EDITED}


def test_the_writers_differ(pairs: list[SyntheticPair]) -> None:
    """Hardly a candidate without any error reads as its reference, and neither of them runs its sentences together."""
    harmless = [pair for pair in pairs if not pair.total]
    assert sum(pair.reference != pair.candidate for pair in harmless) / len(harmless) > 0.95
    assert Style.LOWER not in {style for pair in pairs for style in (pair.reference_style, pair.candidate_style)}
    said = " ".join(pair.candidate for pair in pairs)
    for words in (r"[Nn]either .* nor ", r"-sided ", r"\babsent\b", r"mildly \w+", r" without evidence of "):
        assert re.search(words, said), words


def test_nothing_of_the_templates_shows(pairs: list[SyntheticPair]) -> None:
    """No slot, mark, double space or empty sentence is left."""
    for pair in pairs:
        for text in (pair.reference, pair.candidate):
            assert not re.search(r"[{}~]|\bTERM\b|\bORGAN\b|  | \.|, ?[,.]", text), text


def test_every_sentence_holds_every_slot(reworded: Breadth) -> None:
    """A slot that a sentence leaves out, or says twice, would be an error that no reader can see."""
    for forms in reworded.grammar.findings.values():
        wanted = {slot for slot in SLOTS if forms.values(slot)}
        for sentence in forms.present:
            named = [name for _, name, _, _ in Formatter().parse(sentence) if name]
            said = Counter(slot for name in named for slot in SAYS.get(name, {name}))
            assert wanted <= said.keys(), (forms.id, sentence)
            assert all(said[slot] == 1 for slot in wanted), (forms.id, sentence)


def test_words_are_about_findings_that_there_are(reworded: Breadth) -> None:
    """Each entry has its finding or normal statement, and half of a finding's sentences are the second writer's."""
    words, grammar = load_rewording(), load_grammar()
    assert words.said.keys() | words.denied.keys() <= grammar.findings.keys()
    assert words.normal.keys() <= reworded.grammar.normals.keys()
    for finding, sentences in words.said.items():
        present = reworded.grammar.findings[finding].present
        assert sum(sentence in sentences for sentence in present) >= len(present) / 2


def test_names_set_apart_are_not_said(plain: Breadth, reworded: Breadth) -> None:
    """They are names of the lexicon, and each of their findings has another that is said instead."""
    apart = set(load_rewording().apart)
    names = {noun for f in reworded.lexical for noun in reworded.grammar.findings[f].nouns}
    assert not apart & names
    assert apart & {noun for f in plain.lexical for noun in plain.grammar.findings[f].nouns}
    assert set(reworded.lexical) == set(plain.lexical)


@pytest.mark.parametrize(
    ("slots", "name", "phrase"),
    [
        ({"side": "left"}, "sided", "left-sided"),
        ({"side": "bilateral"}, "sided", "bilateral"),
        ({"side": "right"}, "on", "on the right"),
        ({"side": "right", "zone": "upper lobe"}, "region", "the right upper lobe"),
        ({"side": "bilateral", "zone": "basilar"}, "region", "both bases"),
        ({"side": "bilateral", "zone": "apical"}, "region", "both apices"),
        ({"side": "left", "zone": "perihilar"}, "region", "the left perihilar region"),
        ({"zone": "lower lobe"}, "region", "the lower lobe"),
        ({"side": "left"}, "region", "the left lung"),
        ({"side": "bilateral"}, "region", "both lungs"),
        ({}, "region", "the lungs"),
        ({"zone": "with its tip at the carina"}, "ends", "terminates at the carina"),
        ({"zone": "with leads in the right atrium"}, "ends", "has leads in the right atrium"),
        ({"zone": "with its lead in the right ventricle"}, "ends", "has its lead in the right ventricle"),
        ({}, "ends", "is in place"),
        ({"zone": "with its tip at the carina"}, "at", "tip at the carina"),
        ({}, "at", "in place"),
        ({"grade": "marked"}, "gradely", "markedly"),
        ({"hedge": "questionable"}, "maybe", "possibly"),
        ({"hedge": "likely"}, "maybe", "probably"),
        ({"change": "persistent"}, "since", ", unchanged"),
        ({}, "since", ""),
    ],
)
def test_forms_say_what_their_slots_say(slots: dict[str, str], name: str, phrase: str) -> None:
    """An adjective, an adverb, a region or a predicate for the slot."""
    assert Slots({**dict.fromkeys(SLOTS, ""), **slots}, 0)[name] == phrase


def test_a_writer_keeps_to_one_word() -> None:
    """Of the words that say the same, in the case that the text asks for; a shorter one within a longer stays."""
    words = load_rewording()
    text = "Right PICC in place. A PICC line is seen. Rib fracture. THE PICC."
    told = {words.in_own_words(text, Draws.from_parts("own", n)) for n in range(60)}
    assert text in told
    assert any("Right peripherally inserted central catheter in place. A peripherally inserted" in t for t in told)
    assert any("Broken rib." in t for t in told)
    assert not any("PICC line line" in t for t in told)
    upper = {words.in_own_words("RIGHT PICC.", Draws.from_parts("own", n)) for n in range(60)}
    assert "RIGHT PERIPHERALLY INSERTED CENTRAL CATHETER." in upper
    assert all(t.isupper() for t in upper)


def test_pairs_follow_from_their_seed() -> None:
    """Same arguments, same pairs, and other than those for counts."""

    def rows(purpose: str) -> list[dict[str, str | int]]:
        made = SyntheticPairs(KNOWN, seed=6, studies=4, candidates_per_study=2, purpose=purpose)
        return [pair.as_row() for pair in made]

    assert rows("reworded") == rows("reworded")
    assert rows("reworded") != rows("counts")
