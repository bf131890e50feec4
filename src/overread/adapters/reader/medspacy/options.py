"""Options of the medspaCy extractor."""

from __future__ import annotations

from typing import Final, Literal

from attrs import field, frozen

__all__ = ["VERSION", "MedspacyOptions"]

VERSION: Final = "1.0"


@frozen(kw_only=True)
class MedspacyOptions:
    """Options of the medspaCy extractor.

    Attributes:
        lexicon: folder of lexicon files to read instead of the shipped ones.
        max_characters: longest report read.
        sentence_cache: distinct sentences remembered.
        report_cache: distinct reports remembered.
        scopes: what decides which findings a cue bears on: "medspacy" its ConText, "own" the same rules without it, and
            "auto" medspaCy where it is installed.
    """

    lexicon: str | None = field(default=None, metadata={"argument": True})
    max_characters: int = 100_000
    sentence_cache: int = 30_000
    report_cache: int = 4096
    scopes: Literal["auto", "medspacy", "own"] = "auto"
