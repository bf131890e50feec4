"""Data sets that Hugging Face's library saved to disk, written by that library."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from overread.application.scoring.corpus import BadRow
from overread.domain.reports.report import ReportPair
from overread.exceptions import InputError
from overread.infrastructure.files.tables import Columns, PairFile, read_pairs

datasets = pytest.importorskip("datasets")

ROWS: list[dict[str, Any]] = [
    {"id": f"p{n}", "reference": f"Nodule of {n} mm.", "candidate": "" if n % 3 else "é", "age": 50 + n % 40, "x": [n]}
    for n in range(1500)
]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set in three files, and one of two splits."""
    folder = tmp_path_factory.mktemp("saved")
    datasets.disable_progress_bars()
    whole = datasets.Dataset.from_list(ROWS)
    whole.save_to_disk(str(folder / "whole"), num_shards=3)
    datasets.DatasetDict({"train": whole, "test": whole.select(range(5, 2, -1))}).save_to_disk(str(folder / "splits"))
    datasets.DatasetDict({"test": whole.select([7])}).save_to_disk(str(folder / "one"))
    return folder


def test_all_rows_come_in_order(saved: Path) -> None:
    """From all files, with what is known of the patient."""
    pairs = [pair for pair in read_pairs(saved / "whole") if isinstance(pair, ReportPair)]
    assert [(p.id, p.reference.text, p.candidate.text) for p in pairs] == [
        (row["id"], row["reference"], row["candidate"]) for row in ROWS
    ]
    assert [p.context.age for p in pairs] == [row["age"] for row in ROWS]
    assert PairFile(path=saved / "whole").count() == len(ROWS)


def test_a_split_is_chosen_by_its_name(saved: Path) -> None:
    """Where there is one, it need not be. A selection of rows is saved in its order."""
    assert _ids(saved / "splits", split="test") == ["p5", "p4", "p3"]
    assert (PairFile(path=saved / "splits", split="test").count(), PairFile(path=saved / "splits").count()) == (3, None)
    assert _ids(saved / "one") == _ids(saved / "one", split="test") == ["p7"]


@pytest.mark.parametrize(
    ("name", "split", "says"),
    [
        ("splits", "", "has several splits: train, test .name one with `split`"),
        ("splits", "dev", "has no split 'dev'; it has train, test"),
        ("whole", "test", "has no splits"),
    ],
)
def test_a_split_that_is_not_there_is_named(saved: Path, name: str, split: str, says: str) -> None:
    """The message lists the splits there are."""
    with pytest.raises(InputError, match=says):
        read_pairs(saved / name, split=split)


def test_columns_are_checked_and_named(saved: Path) -> None:
    """A missing column fails at once, a cell that is no text only its row."""
    with pytest.raises(InputError, match="no column truth; it has id, reference, candidate, age, x"):
        read_pairs(saved / "whole", columns=Columns(reference="truth"))
    rows = list(read_pairs(saved / "whole", columns=Columns(candidate="x"), on_error="skip"))
    assert rows[0] == BadRow(1, "p0", "x is a list, not text")


def test_a_folder_that_is_damaged_is_named(saved: Path, tmp_path: Path) -> None:
    """Without the words of the library, which may quote a cell."""
    folder = tmp_path / "whole"
    shutil.copytree(saved / "whole", folder)
    last = folder / "data-00002-of-00003.arrow"
    last.write_bytes(last.read_bytes()[:-5000])
    with pytest.raises(InputError, match=r"data-00002-of-00003\.arrow: is not a whole Arrow file"):
        list(read_pairs(folder))
    last.unlink()
    with pytest.raises(InputError, match=r"data-00002-of-00003\.arrow: no such file"):
        read_pairs(folder)
    (folder / "state.json").write_text("{")
    with pytest.raises(InputError, match=r"state\.json: cannot be read"):
        read_pairs(folder)
    (folder / "state.json").write_text(json.dumps({"_data_files": []}))
    with pytest.raises(InputError, match="holds no pairs"):
        read_pairs(folder)
    with pytest.raises(InputError, match="is a folder, but not one that the datasets library saved"):
        read_pairs(tmp_path)


def test_a_file_that_was_cut_between_batches_is_named(saved: Path, tmp_path: Path) -> None:
    """Arrow itself takes it for a shorter one."""
    folder = tmp_path / "whole"
    shutil.copytree(saved / "whole", folder)
    first = folder / "data-00000-of-00003.arrow"
    with pa.ipc.open_stream(first.read_bytes()) as stream:
        table = stream.read_all()
    with first.open("wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_batch(table.to_batches()[0].slice(0, 100))
        cut = file.tell()
        writer.write_batch(table.to_batches()[0].slice(100, 100))
    assert len(list(read_pairs(folder))) == 1500 - 300
    first.write_bytes(first.read_bytes()[:cut])
    with pytest.raises(InputError, match=r"data-00000-of-00003\.arrow: is not a whole Arrow file"):
        list(read_pairs(folder))


def test_a_file_has_no_splits(tmp_path: Path) -> None:
    """A split asked of a plain file is a mistake and not ignored."""
    (tmp_path / "p.csv").write_text("id,reference,candidate\n1,a,b\n", encoding="utf-8")
    with pytest.raises(InputError, match="leave `split` out"):
        read_pairs(tmp_path / "p.csv", split="test")


def _ids(path: Path, split: str = "") -> list[str]:
    return [row.id for row in read_pairs(path, split=split)]
