"""The lexicon's cues: looked up among the words of a sentence, and linked to its findings by ConText."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from overread.adapters.lexicon.loader import ContextRule, Knowledge
from overread.adapters.lexicon.matching import Match, RuleMatcher, Term
from overread.adapters.reader.medspacy._scopes import Scopes
from overread.adapters.reader.medspacy._verdicts import VERDICTS
from overread.extras import EXTRAS, find_missing

if TYPE_CHECKING:
    from overread.adapters.reader.medspacy._context import MedspacyContext
    from overread.adapters.reader.medspacy._medspacy import ConTextGraph

__all__ = ["Cues", "has_medspacy"]


def has_medspacy() -> bool:
    """Return whether medspaCy and spaCy are installed, and so decide what a cue bears on."""
    return not find_missing(EXTRAS["medspacy"])


class Cues:
    """Finds cues among the words of a sentence: of overlapping ones the longest, of equal ones the first listed.

    Args:
        knowledge: with the rules of the cues.
        own_scopes: whether our own rules of scope link them to findings, not medspaCy's ConText.
    """

    def __init__(self, knowledge: Knowledge, *, own_scopes: bool = False) -> None:
        cues = [rule for rule in knowledge.context if rule.category not in VERDICTS]
        verdicts = [Term(text, r.category, ()) for r in knowledge.context if r.category in VERDICTS for text in r.terms]
        self._rules = [rule for rule in cues for _ in rule.terms]
        terms = [Term(text, rule.category, ()) for rule in cues for text in rule.terms]
        self._matcher = RuleMatcher.of(terms, knowledge.normaliser, knowledge.elements)
        self._verdicts = RuleMatcher.of(verdicts, knowledge.normaliser, knowledge.elements)
        self._context = None if own_scopes else _open_medspacy(cues)

    def among(self, words: Sequence[str]) -> list[Match]:
        """The cues among the words of one sentence, in reading order, but for verdicts."""
        return self._matcher(words)

    def verdicts(self, words: Sequence[str]) -> list[Match]:
        """The cues of `VERDICTS` among the words of one sentence, in reading order; they hide no other cue."""
        return self._verdicts(words)

    def graph(self, words: Sequence[str], cues: Iterable[Match], targets: Sequence[Match]) -> Scopes | ConTextGraph:
        """The cues of one sentence, and which of the targets each bears on."""
        placed = [(self._rules[cue.order], cue.start, cue.end) for cue in cues]
        link = Scopes.of if self._context is None else self._context
        return link(placed, targets, len(words))


def _open_medspacy(rules: Iterable[ContextRule]) -> MedspacyContext:
    from overread.adapters.reader.medspacy._context import MedspacyContext  # noqa: PLC0415 - it may not be installed

    return MedspacyContext(rules)
