"""The costs that the transport metrics know, and the lexicon that relates findings for them."""

from __future__ import annotations

from typing import Final

from overread.adapters.lexicon import knowledge_of, load_knowledge
from overread.application.ports import CostModel
from overread.domain.cost import TableTwoCost
from overread.domain.lexicon import Lexicon
from overread.domain.relational_cost import RelationalCost
from overread.exceptions import ConfigurationError

__all__ = ["RELATION", "cost_model", "lexicon_of"]

RELATION: Final = "relation"
_TABLE_TWO: Final = "table-ii"


def cost_model(name: str, extractor: object, lexicon: str | None = None) -> CostModel:
    """The cost "relation" or "table-ii"; relations are those of a lexicon folder, by default the extractor's.

    Raises:
        ConfigurationError: if there is no such cost.
    """
    if name not in (RELATION, _TABLE_TWO):
        raise ConfigurationError([f"cost must be {RELATION} or {_TABLE_TWO}, not {name!r}"])
    return RelationalCost(lexicon_of(extractor, lexicon)) if name == RELATION else TableTwoCost()


def lexicon_of(extractor: object, folder: str | None) -> Lexicon:
    """The lexicon of a folder, by default that the extractor names findings by."""
    return (load_knowledge(folder) if folder else knowledge_of(extractor)).lexicon
