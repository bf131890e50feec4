"""Files that are there whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.exceptions import InputError
from overread.infrastructure.files.whole_files import write_rows


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.NDJSON", "rows", "rows.txt"])
def test_rows_are_written_one_a_line(tmp_path: Path, name: str) -> None:
    """Under any name that is not of another format."""
    write_rows(tmp_path / name, [{"id": "ä"}, {"id": "b"}])
    read = (tmp_path / name).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in read] == [{"id": "ä"}, {"id": "b"}]


@pytest.mark.parametrize("name", ["rows.csv", "rows.TSV", "rows.parquet", "rows.jsonl.gz", "rows.xlsx"])
def test_rows_are_not_written_under_the_name_of_another_format(tmp_path: Path, name: str) -> None:
    """Nothing could read them back; what is there stays."""
    path = tmp_path / name
    path.write_text("before", encoding="utf-8")
    with pytest.raises(InputError, match=r"JSON lines are written \(give it a name that ends in \.jsonl\)"):
        write_rows(path, [{"id": "a"}])
    assert path.read_text(encoding="utf-8") == "before"
