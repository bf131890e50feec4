"""Error specifications: what a language model is told of each category (Beyond Scalar Scores, section 4.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Final

from attrs import frozen

from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.studies.application.synthesis.edits.categories import Category, Subset
from overread.studies.application.synthesis.vocabulary import load_table, table_text

__all__ = ["Specification", "Specifications", "load_specifications"]

_SEVERITIES: Final = {
    Subset.DISCRIMINATION: "it matters clinically: acted upon, it could change what is done for the patient.",
    Subset.ROBUSTNESS: "it is harmless: no reader would treat the patient otherwise because of it.",
}
_TASKS: Final = {
    Subset.DISCRIMINATION: "Introduce one clinically significant error of this kind.",
    Subset.ROBUSTNESS: "Introduce one harmless variation of this kind. What the report means must stay the same.",
}


@frozen
class Specification:
    """One category: its definition, how it looks in reports, and patterns of changes that matter and that do not."""

    aspect: ErrorAspect
    definition: str
    medical: tuple[str, ...]
    discrimination: tuple[str, ...]
    robustness: tuple[str, ...]
    type: ErrorType | None = None

    def values(self, subset: Subset) -> dict[str, str]:
        """Values for the prompt's placeholders, except the report."""
        patterns = self.discrimination if subset is Subset.DISCRIMINATION else self.robustness
        return {
            "aspect": self.aspect.value,
            "type": self.type.value if self.type else "any",
            "definition": self.definition,
            "medical": "\n".join(f"- {line}" for line in self.medical),
            "patterns": "\n".join(f"- {line}" for line in patterns),
            "severity": _SEVERITIES[subset],
            "task": _TASKS[subset],
        }


@frozen
class Specifications:
    """The specifications of all categories; ``identity`` is their version and a digest."""

    identity: str
    by_category: Mapping[Category, Specification]


@frozen
class _Document:
    version: str
    specification: tuple[Specification, ...]


@cache
def load_specifications() -> Specifications:
    """The shipped specifications."""
    document = load_table("specifications", _Document)
    digest = hashlib.sha256(table_text("specifications").encode()).hexdigest()[:12]
    return Specifications(
        f"{document.version}:{digest}", {Category(s.aspect, s.type): s for s in document.specification}
    )
