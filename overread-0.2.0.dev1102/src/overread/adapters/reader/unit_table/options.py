"""Options of the extractor that reads a unit table."""

from __future__ import annotations

from attrs import field, frozen

__all__ = ["TableOptions"]


@frozen(kw_only=True)
class TableOptions:
    """Options of the extractor that reads a unit table.

    Attributes:
        file: what ``overread units`` wrote, or a published table with the fields of RadOT-Eval's Table IX: .parquet,
            .jsonl, .json, .csv or .tsv.
        reports: table of reports or pairs with the ids of a published table that holds no texts.
        lexicon: folder of the lexicon that its findings are named by, instead of the shipped one.
    """

    file: str = field(metadata={"argument": True})
    reports: str | None = None
    lexicon: str | None = None
