"""The costs that the transport metrics know, and the lexicon that relates findings for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from overread.adapters.lexicon import knowledge_of, load_knowledge
from overread.application.ports import CostModel
from overread.domain.differences.cost import TableTwoCost
from overread.domain.differences.relational_cost import RelationalCost
from overread.domain.differences.weighing import ImportanceCost
from overread.domain.findings.lexicon import Lexicon
from overread.exceptions import ConfigurationError

__all__ = ["IMPORTANCE", "RELATION", "cost_model", "lexicon_of"]

IMPORTANCE: Final = "importance"
RELATION: Final = "relation"
_TABLE_TWO: Final = "table-ii"
_KNOWING: Final[Mapping[str, Callable[[Lexicon], CostModel]]] = {IMPORTANCE: ImportanceCost, RELATION: RelationalCost}


def cost_model(name: str, extractor: object, lexicon: str | None = None) -> CostModel:
    """A cost by its name; importance and relations are those of a lexicon folder, by default the extractor's.

    Raises:
        ConfigurationError: if there is no such cost.
    """
    if name == _TABLE_TWO:
        return TableTwoCost()
    if name not in _KNOWING:
        raise ConfigurationError([f"cost must be {', '.join((*_KNOWING, _TABLE_TWO))}, not {name!r}"])
    return _KNOWING[name](lexicon_of(extractor, lexicon))


def lexicon_of(extractor: object, folder: str | None) -> Lexicon:
    """The lexicon of a folder, by default that the extractor names findings by."""
    return (load_knowledge(folder) if folder else knowledge_of(extractor)).lexicon
