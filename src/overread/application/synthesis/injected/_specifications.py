"""Error specifications: what a language model is told of each category (Beyond Scalar Scores, section 4.2)."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from attrs import frozen
from cattrs import Converter

from overread.application.synthesis.injected._categories import Category, Subset
from overread.domain.taxonomy import ErrorAspect, ErrorType

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
        """What the prompt's places are filled with, but for the report."""
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


@cache
def load_specifications() -> Specifications:
    """The shipped specifications."""
    source = files("overread.application.synthesis.injected") / "data" / "specifications.toml"
    text = source.read_text(encoding="utf-8")
    table = tomllib.loads(text)
    found = Converter(forbid_extra_keys=True).structure(table["specification"], list[Specification])
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Specifications(f"{table['version']}:{digest}", {Category(s.aspect, s.type): s for s in found})
