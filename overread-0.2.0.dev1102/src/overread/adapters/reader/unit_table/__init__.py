"""Unit tables: what an extractor read, kept in a file and used again (RadOT-Eval section III-C)."""

from overread.adapters.reader.unit_table._rows import digest_of
from overread.adapters.reader.unit_table._table import FORMAT, UnitTable, UnitTableWriter, read_table

__all__ = ["FORMAT", "UnitTable", "UnitTableWriter", "digest_of", "read_table"]
