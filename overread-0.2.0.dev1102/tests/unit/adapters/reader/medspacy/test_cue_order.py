"""Which of several cues counts: the longest, and of equal wordings that of the rule listed first."""

from __future__ import annotations

from attrs import evolve

from overread.adapters.lexicon.loader import ContextRule, load_knowledge
from overread.adapters.lexicon.matching import Match, Term
from overread.adapters.reader.medspacy._cues import Cues

DENIAL = ContextRule("NEGATED", "FORWARD", ("not|hardly seen",))
DOUBT = ContextRule("POSSIBLE", "FORWARD", ("hardly seen",))
SHORT = ContextRule("PROBABLE", "FORWARD", ("hardly",))
WORDS = ("hardly", "seen", "effusion")


def bearing(*rules: ContextRule) -> list[str]:
    """Categories of the cues that bear on the last of the words."""
    cues = Cues(evolve(load_knowledge(), context=rules))
    target = Match(Term("effusion", "FINDING", ("pleural_effusion",)), 2, 3, 0)
    return [modifier.category for _, modifier in cues.graph(WORDS, cues.among(WORDS), [target]).edges]


def test_of_equal_wordings_the_first_listed_counts() -> None:
    """Either way round, plain or gapped."""
    gapped = ContextRule("DEFINITE", "FORWARD", ("hardly * seen",))
    assert bearing(DENIAL, DOUBT) == ["NEGATED"]
    assert bearing(DOUBT, DENIAL) == ["POSSIBLE"]
    assert bearing(gapped, DOUBT) == ["DEFINITE"]
    assert bearing(DOUBT, gapped) == ["POSSIBLE"]


def test_the_longest_counts_wherever_it_is_listed() -> None:
    """A cue inside a longer one is not read."""
    assert bearing(SHORT, DOUBT) == bearing(DOUBT, SHORT) == ["POSSIBLE"]


def test_unrelated_rules_change_nothing() -> None:
    """However many come before: what counts hangs on no rule's number."""
    for count in range(1, 40):
        others = (ContextRule("DEFINITE", "FORWARD", (f"elsewhere{number}",)) for number in range(count))
        assert bearing(*others, DENIAL, DOUBT) == ["NEGATED"]
