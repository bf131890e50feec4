"""The lexicon in words."""

from __future__ import annotations

import re

import pytest

from overread.adapters.lexicon.describe import asks_for, card, entry_named, page, rule_words
from overread.domain.findings.lexicon import Finding, Lexicon, NormalStatement
from overread.domain.reports.patient import ImportanceRule
from overread.domain.vocabulary.severity import Importance


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon.of(
        [
            Finding(
                id="shadow",
                name="shadow",
                category="lung",
                importance=Importance.ACTIONABLE,
                terms=("shadow", "a|b|c|d shadow", "e", "f", "g", "h"),
            ),
            Finding(
                id="round_shadow",
                name="round shadow",
                category="lung",
                parents=("shadow",),
                confused_with=("stripe",),
                signs=("stripe",),
                importance=Importance.URGENT,
                when=(ImportanceRule(step=-1, reason="usual", age_from=60),),
                anatomy=("lung", "upper_lobe"),
                terms=("round|oval shadow", "coin * lesion?"),
                sited={"base": "stripe"},
            ),
            Finding(id="stripe", name="stripe", category="soft_tissue", importance=Importance.INCIDENTAL),
        ],
        [
            NormalStatement(id="lungs_fine", name="lungs are fine", denies=("shadow",), terms=("lung is fine",)),
            NormalStatement(id="no_circle", name="no circle", denies=("round_shadow",), anatomy=("lung",)),
        ],
    )


def test_a_finding_is_shown_with_all_that_is_known_of_it(lexicon: Lexicon) -> None:
    """What follows from other entries too: what denies its parent, and who else confuses it."""
    assert dict(card(lexicon, "round_shadow")) == {
        "name": "round shadow",
        "id": "round_shadow",
        "category": "lung",
        "kind of": "shadow [shadow]",
        "confused with": "stripe [stripe]",
        "has the signs": "stripe [stripe]",
        "asks for": "urgent action; a step less, from 60 years (usual)",
        "implies": "lung, upper lobe",
        "elsewhere": "base: stripe [stripe]",
        "denied by": "no circle [no_circle]",
        "denied with a broader finding by": "lungs are fine [lungs_fine]",
        "worded as": "round/oval shadow; coin … (lesion)",
    }
    assert dict(card(lexicon, "stripe"))["confused with"] == "round shadow [round_shadow]"
    assert dict(card(lexicon, "stripe"))["is a sign of"] == "round shadow [round_shadow]"
    assert dict(card(lexicon, "shadow"))["kinds"] == "round shadow [round_shadow]"


def test_a_normal_statement_is_shown_with_what_it_denies(lexicon: Lexicon) -> None:
    """What a normal statement denies decides what contradicts it."""
    assert dict(card(lexicon, "no_circle")) == {
        "name": "no circle",
        "id": "no_circle",
        "category": "normal statement",
        "denies": "round shadow [round_shadow]",
        "speaks of": "lung",
    }


def test_an_entry_is_found_by_id_and_by_name_in_any_case(lexicon: Lexicon) -> None:
    """People type names with spaces and capitals as they come."""
    assert entry_named(lexicon, "round_shadow") == entry_named(lexicon, " Round  shadow ") == "round_shadow"
    assert entry_named(lexicon, "Lungs are fine") == "lungs_fine"
    assert entry_named(lexicon, "oval shadow") is None


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"age_from": 40, "age_below": 60}, "a step more, from 40 years, below 60 years (rare)"),
        ({"age_below": 1}, "a step more, below 1 year (rare)"),
        ({"sex": "M"}, "a step more, in men (rare)"),
        ({"step": -1, "sex": "F"}, "a step less, in women (rare)"),
        ({"step": 0, "to": Importance.URGENT, "sex": "F"}, "urgent action, in women (rare)"),
        ({"beside": ("chest_tube",)}, "a step more, beside chest tube (rare)"),
        ({"sex": "M", "kinds": True}, "a step more, in men, its kinds too (rare)"),
        ({"sex": "M", "kinds": True, "but_not": ("old_one",)}, "a step more, in men, its kinds too but old one (rare)"),
        ({"indication": ("fall", "trauma")}, "a step more, where the indication names fall or trauma (rare)"),
    ],
)
def test_every_condition_of_a_rule_is_put_in_words(conditions: dict[str, object], words: str) -> None:
    """A radiologist reads whom a rule is about."""
    rule = ImportanceRule(**{"step": 1, "reason": "rare", **conditions})  # type: ignore[arg-type]
    assert rule_words(rule) == words


def test_every_importance_has_words_of_its_own() -> None:
    """No two of them read alike."""
    said = {asks_for(Finding(id="a", name="a", category="c", importance=asks)) for asks in Importance}
    assert len(said) == len(Importance)


def test_the_page_has_a_row_for_each_entry(lexicon: Lexicon) -> None:
    """A table for each category, wordings cut short, and no bar that would part a cell."""
    text = page(lexicon)
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "How much is in it",
        "Lung",
        "Soft tissue",
        "Normal statements",
    ]
    rows = {row.split(" | ")[1]: row for row in text.splitlines() if "`" in row and row.startswith("| ")}
    assert list(rows) == ["`shadow`", "`round_shadow`", "`stripe`", "`lungs_fine`", "`no_circle`"]
    assert {row.count(" | ") for row in list(rows.values())[:3]} == {6}
    assert rows["`shadow`"].endswith("| lungs are fine | shadow; a/b/c/etc. shadow; e; f; g; 1 more |")
    assert "| no circle; lungs are fine |" in rows["`round_shadow`"]
