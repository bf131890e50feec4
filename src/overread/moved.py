"""Old names of modules that moved, for one release; importing one warns and answers with what the new module has."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

__all__ = ["MOVED", "answer_to_old_names"]

_DOMAIN: Final = {
    "vocabulary": (
        "anatomy",
        "connected",
        "equality",
        "json_text",
        "members",
        "numerals",
        "patterns",
        "recent",
        "severity",
        "taxonomy",
    ),
    "reports": ("pair_digest", "patient", "plain_text", "report"),
    "findings": (
        "advice",
        "chest_labels",
        "contradiction",
        "entailment",
        "lesion",
        "lexicon",
        "meaning",
        "qualities",
        "relation",
        "severity_rules",
        "signs",
        "unit",
    ),
    "entities": ("affinity", "annotated_text", "entity", "entity_graph"),
    "results": (
        "alignment",
        "annotation",
        "answer",
        "composite",
        "corpus_figures",
        "discrepancy",
        "error_counts",
        "green",
        "judgement",
        "panel",
        "ratescore",
        "readout",
        "record",
        "result",
        "reward",
        "scores",
        "showing",
        "signature",
    ),
    "differences": (
        "actionable",
        "aligned_pair",
        "comparison",
        "cost",
        "features",
        "graded_reward",
        "hard_fact",
        "notation",
        "relational_cost",
        "remark",
        "second_reading",
        "unread",
        "weighing",
    ),
}

MOVED: Final[Mapping[str, str]] = {
    "overread.domain.pairing": "overread.domain.vocabulary.matching",
    **{
        f"overread.domain.{name}": f"overread.domain.{room}.{name}" for room, names in _DOMAIN.items() for name in names
    },
}
"""New names of modules by their old ones."""


class _Alias(Loader):
    """Loads an empty module that looks its names up in another."""

    def __init__(self, name: str) -> None:
        self.name = name

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module what the other has."""
        moved = import_module(self.name)

        def names() -> list[str]:
            return dir(moved)

        def attribute(name: str) -> Any:
            return getattr(moved, name)

        vars(module).update(__getattr__=attribute, __dir__=names, __doc__=moved.__doc__)
        if hasattr(moved, "__all__"):
            vars(module)["__all__"] = moved.__all__


class _OldNames(MetaPathFinder):
    """Finds modules by their old names."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the protocol's
        target: ModuleType | None = None,  # noqa: ARG002 - the protocol's
    ) -> ModuleSpec | None:
        """The alias of a module that moved; None for any other."""
        if fullname not in MOVED:
            return None
        warnings.warn(
            f"{fullname} is now {MOVED[fullname]}; the old name goes with the next release",
            DeprecationWarning,
            stacklevel=2,
        )
        return ModuleSpec(fullname, _Alias(MOVED[fullname]))


def answer_to_old_names() -> None:
    """Lets old names be imported. Does nothing where that is so already."""
    if not any(isinstance(finder, _OldNames) for finder in sys.meta_path):
        sys.meta_path.append(_OldNames())
