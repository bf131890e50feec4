"""Names of findings and signs of reports by the shipped lexicon, which is loaded when the first is asked for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overread.domain.findings.signs import SignReader, Signs

__all__ = ["finding_name", "read_signs"]


def finding_name(finding: str) -> str:
    """Display name of a finding by its id."""
    from overread.adapters.lexicon import load_knowledge

    return load_knowledge().lexicon.name(finding)


def read_signs(text: str) -> Signs:
    """Headings, sentences and cues of a report."""
    return _sign_reader()(text)


@lru_cache(maxsize=1)
def _sign_reader() -> SignReader:
    from overread.adapters.lexicon import load_knowledge, sign_reader

    return sign_reader(load_knowledge())
