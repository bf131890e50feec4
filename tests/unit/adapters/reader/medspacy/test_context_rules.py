"""Cues as ConText rules: phrases where they can be, patterns where they have a gap."""

from __future__ import annotations

from overread.adapters.lexicon.words import Normaliser
from overread.adapters.reader.medspacy._context_rules import plain_rules


def test_plain_rules() -> None:
    """A cue is one phrase for each of its choices, or a pattern where it has a gap."""
    rules = list(plain_rules(["no|without evidence of?", "rule * out"], Normaliser()))
    assert [phrase for phrase, pattern in rules if pattern is None] == [
        "no evidence of",
        "no evidence",
        "without evidence of",
        "without evidence",
    ]
    assert [phrase for phrase, pattern in rules if pattern is not None] == ["rule * out"]
