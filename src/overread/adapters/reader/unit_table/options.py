"""What can be set of the extractor that reads a unit table."""

from __future__ import annotations

from attrs import field, frozen

__all__ = ["TableOptions"]


@frozen(kw_only=True)
class TableOptions:
    """Options of the extractor that reads a unit table.

    Attributes:
        file: .parquet or .jsonl file that ``overread units`` wrote.
        lexicon: folder of the lexicon that its findings are named by, instead of the shipped one.
    """

    file: str = field(metadata={"argument": True})
    lexicon: str | None = None
