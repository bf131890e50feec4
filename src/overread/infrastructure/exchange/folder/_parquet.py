"""How much a Parquet file holds, told by its end alone."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from overread.exceptions import InputError

__all__ = ["unpacked"]


def unpacked(path: Path) -> tuple[int, int]:
    """Rows and bytes of a file when it is unpacked.

    Raises:
        InputError: if it is no Parquet file.
    """
    try:
        with pq.ParquetFile(path) as file:
            known = file.metadata
            groups = range(known.num_row_groups)
            return known.num_rows, sum(known.row_group(group).total_byte_size for group in groups)
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(path.name, "is not a whole Parquet file", remedy="write or copy it again") from None
