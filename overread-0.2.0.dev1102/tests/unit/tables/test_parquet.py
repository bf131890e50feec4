"""Parquet: rows in groups of some thousand, and what a file keeps with its columns."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from overread.exceptions import InputError
from overread.tables.parquet import RowWriter, join_files, metadata_text, readable, rows

SCHEMA = pa.schema([("id", pa.int64()), ("text", pa.string())])


def written(path: Path, count: int, group: int = 4096, **metadata: str) -> Path:
    with closing(RowWriter(path, SCHEMA.with_metadata(metadata), group)) as writer:
        for number in range(count):
            writer.write([{"id": number, "text": f"row {number}"}])
    return path


@pytest.mark.parametrize(("count", "groups"), [(0, []), (3, [3]), (10, [4, 4, 2]), (8, [4, 4])])
def test_rows_are_written_in_groups(tmp_path: Path, count: int, groups: list[int]) -> None:
    """Memory holds a group, and what waits at the end is written too."""
    metadata = pq.read_metadata(written(tmp_path / "a.parquet", count, group=4))
    assert [metadata.row_group(place).num_rows for place in range(metadata.num_row_groups)] == groups
    assert metadata.num_rows == count


def test_rows_given_together_stay_together() -> None:
    """A batch that is larger than a group is one group; the stream that it goes to stays open."""
    stream = io.BytesIO()
    with closing(RowWriter(stream, SCHEMA, 2)) as writer:
        writer.write([{"id": number} for number in range(5)])
    assert pq.read_metadata(stream).num_row_groups == 1
    assert not stream.closed


def test_files_are_joined_in_order(tmp_path: Path) -> None:
    """Small groups become one; a column that a row did not have is null."""
    parts = [written(tmp_path / f"{place}.parquet", count, group=2) for place, count in enumerate((3, 0, 5))]
    join_files(parts, tmp_path / "joined.parquet", SCHEMA)
    with (tmp_path / "joined.parquet").open("rb") as stream, readable(tmp_path, stream) as file:
        assert [cells["id"] for cells, _ in rows(file, ["id"])] == [0, 1, 2, 0, 1, 2, 3, 4]
        assert file.metadata.num_row_groups == 1


def test_a_file_keeps_a_text_with_its_columns(tmp_path: Path) -> None:
    """One under another key is none."""
    path = written(tmp_path / "a.parquet", 1, key="value")
    with path.open("rb") as stream, readable(path, stream) as file:
        assert (metadata_text(file, "key"), metadata_text(file, "other")) == ("value", None)


def test_a_file_that_is_cut_off_is_told_with_what_to_do(tmp_path: Path) -> None:
    """In words of ours: Arrow's may quote a cell."""
    path = written(tmp_path / "a.parquet", 3)
    path.write_bytes(path.read_bytes()[:-9])
    with (
        path.open("rb") as stream,
        pytest.raises(InputError, match=r"is not a whole Parquet file \(write or copy it again\)"),
        readable(path, stream),
    ):
        pytest.fail("there is nothing to read")
