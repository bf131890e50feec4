"""Old names of modules that moved, for one release; importing one warns and answers with what the new module has."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from importlib.abc import Loader
else:  # whoever imports overread waits for what is imported here
    Loader = object

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

_PRODUCTS: Final = {
    "domain.hospital": "hospital.domain",
    "application.hospital": "hospital.application",
    "infrastructure.exchange": "hospital.infrastructure.exchange",
    "infrastructure.http": "hospital.infrastructure.http",
    "infrastructure.telemetry": "hospital.infrastructure.telemetry",
    "infrastructure.serialise.hospital": "hospital.infrastructure.serialise.records",
    "infrastructure.serialise.hospital_schema": "hospital.infrastructure.serialise.schema",
    "infrastructure.hospital_settings": "hospital.infrastructure.hospital_settings",
    "infrastructure.serving_settings": "hospital.infrastructure.serving_settings",
    "infrastructure.datasets.hospital_day": "hospital.infrastructure.demo_day",
    "bootstrap.hospital": "hospital.bootstrap.services",
    "bootstrap.hospital_demo": "hospital.bootstrap.demo",
    "bootstrap.access": "hospital.bootstrap.access",
    "bootstrap.serving": "hospital.bootstrap.serving",
    "bootstrap.serving_parts": "hospital.bootstrap.serving_parts",
    "bootstrap.operation": "hospital.bootstrap.operation",
    "cli.hospital_demo": "hospital.cli.demo",
    "cli.serve": "hospital.cli.serve",
    "cli.keys": "hospital.cli.keys",
    "cli.operation": "hospital.cli.operation",
    "infrastructure.store.keys": "hospital.infrastructure.store.keys",
    "testing.hospital": "hospital.testing",
    "application.scoring.scores": "application.scoring.score_collection",
    "application.studies": "studies.application",
    "application.studies.tabulation": "application.statistics.tabulation",
    "application.studies.green_summary": "application.scoring.green_summary",
    "application.synthesis": "studies.application.synthesis",
    "hospital.infrastructure.exchange.wording": "hospital.domain.audit_signal",
    "infrastructure.views.figures": "infrastructure.views.table_words",
    "studies.application.corpus_figures": "studies.application.corpus_summary",
    "studies.application.meta_evaluation.scores": "studies.application.meta_evaluation.counted_errors",
    "studies.application.synthesis.edits.wording": "studies.application.synthesis.edits.word_exchange",
    "infrastructure.datasets.samples": "infrastructure.samples",
    "infrastructure.datasets": "studies.infrastructure.datasets",
    "infrastructure.files.cells": "tables.cells",
    "infrastructure.files.contents": "tables.contents",
    "infrastructure.files.lines": "tables.lines",
    "infrastructure.files.records": "tables.records",
    "infrastructure.files.saved_datasets": "tables.saved_datasets",
    "replacing": "tables.replacing",
    "infrastructure.files.sources": "studies.infrastructure.files.sources",
    "infrastructure.files.pair_facts": "studies.infrastructure.files.pair_facts",
    "infrastructure.views.study_files": "studies.infrastructure.views.study_files",
    "infrastructure.views.web.compared_pages": "studies.infrastructure.views.compared_pages",
    "adapters.transport.rivals": "studies.adapters.rivals",
    "bootstrap.checks": "studies.bootstrap.checks",
    "bootstrap.fits": "studies.bootstrap.fits",
    "bootstrap.reproduction": "studies.bootstrap.reproduction",
    "bootstrap.studies": "studies.bootstrap.studies",
    "bootstrap.synthesis": "studies.bootstrap.synthesis",
    "cli.benchmark": "studies.cli.benchmark",
    "cli.compare": "studies.cli.compare",
    "cli.summary": "studies.cli.summary",
    "cli.fit": "studies.cli.fit",
    "cli.fit_judge": "studies.cli.fit_judge",
    "cli.reader_checks": "studies.cli.reader_checks",
    "cli.reproduce": "studies.cli.reproduce",
    "cli.study": "studies.cli.study",
    "cli.synthesis": "studies.cli.synthesis",
}
"""Modules, and packages with all that is in them, that went to the hospital, to studies, or elsewhere in the core."""

_OWN: Final = "overread."

MOVED: Final[Mapping[str, str]] = {
    "overread.domain.pairing": "overread.domain.vocabulary.matching",
    "overread.domain.severity_rules": "overread.domain.findings.extents",
    "overread.domain.findings.severity_rules": "overread.domain.findings.extents",
    "overread.hospital.application.use_cases.bell": "overread.hospital.application.use_cases.notification",
    "overread.hospital.application.use_cases.means": "overread.hospital.application.use_cases.context",
    **{f"overread.{old}": f"overread.{new}" for old, new in _PRODUCTS.items()},
    **{
        f"overread.domain.{name}": f"overread.domain.{room}.{name}" for room, names in _DOMAIN.items() for name in names
    },
}
"""New names of modules by their old ones."""

_RENAMED: Final[Mapping[tuple[str, str], str]] = {
    ("overread.domain.findings.extents", "mistaken_for"): "judge_mistake",
    ("overread.hospital.application.use_cases.notification", "Bell"): "Notification",
    ("overread.hospital.application.use_cases.context", "Means"): "ServiceContext",
}
"""New names of what modules that moved have in them, by the new module and the old name."""


class _Alias(Loader):
    """Loads an empty module that looks its names up in another."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, _spec: ModuleSpec) -> None:
        """Let Python make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module what the other has."""
        moved = import_module(self.name)

        def names() -> list[str]:
            return dir(moved)

        def attribute(name: str) -> Any:
            return getattr(moved, _RENAMED.get((self.name, name), name))

        vars(module).update(__getattr__=attribute, __dir__=names, __doc__=moved.__doc__)
        if hasattr(moved, "__all__"):
            vars(module)["__all__"] = moved.__all__


class _OldNames:
    """Finds modules by their old names."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the protocol's
        target: ModuleType | None = None,  # noqa: ARG002 - the protocol's
    ) -> ModuleSpec | None:
        """The alias of a module that moved; None for any other."""
        name = _new_name(fullname) if fullname.startswith(_OWN) else None
        if name is None:
            return None
        warnings.warn(
            f"{fullname} is now {name}; the old name goes with the next release", DeprecationWarning, stacklevel=2
        )
        return ModuleSpec(fullname, _Alias(name), is_package=True)


def _new_name(old: str) -> str | None:
    """The new name of a module, or of one in a package that moved; None where neither did."""
    package, rest = old, ""
    while package and package not in MOVED:
        package, _, name = package.rpartition(".")
        rest = f".{name}{rest}"
    return f"{MOVED[package]}{rest}" if package else None


def answer_to_old_names() -> None:
    """Lets old names be imported. Does nothing where that is so already."""
    if not any(isinstance(finder, _OldNames) for finder in sys.meta_path):
        # In front: a folder that a checkout left behind would be found as a package without modules.
        sys.meta_path.insert(0, _OldNames())
