"""Files that are dropped into a folder: taken when complete, whole or not at all, and told what became of them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attrs import evolve

from overread.domain.reports.report import ClinicalContext
from overread.exceptions import ConfigurationError, InputError, StoreError
from overread.hospital.application.requests import Receipt, ReceiptKind, Refusal
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.folder.drop import FolderDrop
from overread.hospital.infrastructure.exchange.folder.options import FolderOptions
from overread.infrastructure.files.csv_rows import as_csv

TEXT = "There is a small left pleural effusion."
ROW = {"site": "NORTH", "accession": "A1", "status": "final", "text": TEXT}


class FakeService:
    """Keeps what it is given and knows it again; the next faults are raised in its place."""

    def __init__(self) -> None:
        self.versions: list[ReportVersion] = []
        self.refused: list[Refusal] = []
        self.faults: list[Exception] = []

    def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        assert by.name == "folder"
        if self.faults:
            raise self.faults.pop()
        kinds = [ReceiptKind.RESENT if version in self.versions else ReceiptKind.STORED for version in versions]
        self.versions += [version for version in versions if version not in self.versions]
        return [Receipt(version=1, kind=kind) for kind in kinds]

    def refuse(self, refusal: Refusal) -> None:
        if self.faults:
            raise self.faults.pop()
        self.refused.append(refusal)


@pytest.fixture
def service() -> FakeService:
    return FakeService()


@pytest.fixture
def drop(tmp_path: Path, service: FakeService) -> FolderDrop:
    return FolderDrop(service, FolderOptions(path=tmp_path))


def _csv(path: Path, *rows: Mapping[str, str]) -> Path:
    path.write_text(as_csv(rows), encoding="utf-8")
    return path


def _looked(drop: FolderDrop) -> int:
    """What the second look finishes: the first only sees."""
    assert drop.look() == 0
    return drop.look()


def test_every_column_has_its_place(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """Of a row each field of a version, its examinations and their context is read."""
    _csv(
        tmp_path / "day.csv",
        {
            **ROW,
            "accession": "A1; A2",
            "reader": "r17",
            "filler": "F1",
            "placer": "P1",
            "issued": "2026-03-01T08:15:00+01:00",
            "message": "m1",
            "patient": "p9",
            "modality": "CT",
            "procedure": "CT CHEST",
            "body_part": "CHEST",
            "device": "CT3",
            "performed": "2026-03-01T08:00:00Z",
            "age": "66",
            "sex": "F",
            "indication": "cough",
        },
    )
    assert _looked(drop) == 1
    first = Examination(
        site="NORTH",
        accession="A1",
        patient="p9",
        modality="CT",
        procedure="CT CHEST",
        body_part="CHEST",
        device="CT3",
        performed=datetime(2026, 3, 1, 8, tzinfo=UTC),
        context=ClinicalContext(age=66, sex="F", indication="cough"),
    )
    assert service.versions == [
        ReportVersion(
            examinations=(first, evolve(first, accession="A2")),
            status=ReportStatus.FINAL,
            text=TEXT,
            reader="r17",
            filler="F1",
            placer="P1",
            issued=datetime(2026, 3, 1, 8, 15, tzinfo=timezone(timedelta(hours=1))),
            source="folder",
            message="m1",
        )
    ]


def test_all_formats_say_the_same(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """CSV, TSV, JSON lines and Parquet; a row without a message is named by its file and number."""
    rows = [ROW, {**ROW, "accession": "A2", "status": "draft", "model": "ChestAI 2.1"}]
    filled = [{"model": "", **row} for row in rows]
    _csv(tmp_path / "a.csv", *filled)
    (tmp_path / "b.tsv").write_text(
        "\n".join("\t".join(cells) for cells in [list(filled[0]), *(list(row.values()) for row in filled)])
    )
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(filled), tmp_path / "d.parquet")
    assert _looked(drop) == 4
    by_file: dict[str, list[ReportVersion]] = {}
    for version in service.versions:
        name, _, row = version.message.partition(":")
        by_file.setdefault(name, []).append(evolve(version, message=row))
    assert list(by_file) == ["a.csv", "b.tsv", "c.jsonl", "d.parquet"]
    assert [by_file[name] == by_file["a.csv"] for name in by_file] == [True] * 4
    assert [(each.status, each.model) for each in by_file["a.csv"]] == [
        (ReportStatus.FINAL, ""),
        (ReportStatus.DRAFT, "ChestAI 2.1"),
    ]


def test_source_of_documents_in_cells_becomes_text(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """Databases keep reports as RTF or HTML; other documents refuse their row, and nothing of them is told."""
    _csv(
        tmp_path / "a.csv",
        ROW | {"text": r"{\rtf1\ansi Small\par nodule.}"},
        ROW | {"accession": "A2", "text": "A<br>B"},
    )
    _looked(drop)
    assert [version.text.text for version in service.versions] == ["Small\nnodule.", "A\nB"]
    _csv(tmp_path / "b.csv", ROW | {"text": r"{\rtf1\ansi Small nodule."}, ROW | {"text": "%PDF-1.4 nodule"})
    _looked(drop)
    [refusal] = service.refused
    assert refusal.detail.startswith("row 1: text: the document is RTF that cannot be read")
    assert "row 2: text: it is the source of a document (PDF)" in refusal.detail
    assert "nodule" not in refusal.detail


def test_a_file_is_taken_when_it_no_longer_changes(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """One that grows between two looks waits, and one that is named as partial is never looked at."""
    path = _csv(tmp_path / "day.csv", ROW)
    _csv(tmp_path / "night.csv.part", ROW)
    _csv(tmp_path / ".hidden.csv", ROW)
    assert drop.look() == 0
    _csv(path, ROW, {**ROW, "accession": "A2"})
    assert [drop.look(), len(service.versions), drop.look(), len(service.versions)] == [0, 0, 1, 2]
    (tmp_path / "night.csv.part").rename(tmp_path / "night.csv")
    assert _looked(drop) == 1


def test_what_became_of_a_file_stands_beside_it(tmp_path: Path, drop: FolderDrop) -> None:
    """In done, with how much of it was new; the folder itself is empty afterwards."""
    _csv(tmp_path / "day.csv", ROW)
    _looked(drop)
    assert (tmp_path / "done" / "day.csv").read_text().count(TEXT) == 1
    assert (tmp_path / "done" / "day.csv.txt").read_text() == "day.csv\nversions stored: 1, there already: 0\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["done", "refused", "taken"]


def test_the_same_file_again_stores_nothing_twice(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """Its versions are recognised, and the file before it is kept."""
    for _ in range(2):
        _csv(tmp_path / "day.csv", ROW)
        assert _looked(drop) == 1
    assert len(service.versions) == 1
    assert (tmp_path / "done" / "day-2.csv.txt").read_text() == "day.csv\nversions stored: 0, there already: 1\n"


def test_texts_need_not_stay_in_the_folder(tmp_path: Path, service: FakeService) -> None:
    """Where it is so set, what is stored is removed, and only what became of it is kept."""
    drop = FolderDrop(service, FolderOptions(path=tmp_path, keep_done=False))
    _csv(tmp_path / "day.csv", ROW)
    assert _looked(drop) == 1
    assert [path.name for path in (tmp_path / "done").iterdir()] == ["day.csv.txt"]


def test_one_bad_row_refuses_the_file(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """Nothing of it is stored; every bad row is listed with its remedy and without its text."""
    _csv(
        tmp_path / "day.csv",
        ROW,
        {**ROW, "status": "signed"},
        {**ROW, "text": ""},
        {**ROW, "accession": "A1;A1"},
    )
    assert _looked(drop) == 1
    note = (tmp_path / "refused" / "day.csv.txt").read_text()
    statuses = "draft, preliminary, partial, final, corrected, addendum, cancelled"
    assert note.splitlines() == [
        "day.csv",
        f"row 2: status must be one of {statuses}",
        "row 3: text is empty; only a cancelled report has none",
        "row 4: accession must hold different numbers, separated by ;",
    ]
    assert service.versions == []
    [refusal] = service.refused
    assert (refusal.source, refusal.message, refusal.reason) == ("folder", "day.csv", "bad-rows")
    assert TEXT not in note + refusal.detail


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"site": ""}, "site is missing"),
        ({"accession": ""}, "accession is empty"),
        ({"status": "F"}, "status must be one of"),
        ({"status": "draft"}, "a draft must name its model"),
        ({"model": "ChestAI"}, "a draft must name its model"),
        ({"issued": "yesterday"}, "issued is not a time"),
        ({"issued": "2026-03-01T08:15:00"}, "issued has no time zone"),
        ({"performed": "2026-03-01"}, "performed has no time zone"),
        ({"age": "old"}, "age is not an age"),
        ({"filler": "x" * 2000}, "filler is longer"),
    ],
)
def test_bad_cells(
    tmp_path: Path, service: FakeService, drop: FolderDrop, changes: dict[str, str], problem: str
) -> None:
    """Each is told by its column and what would be right."""
    _csv(tmp_path / "day.csv", ROW | changes)
    _looked(drop)
    assert problem in service.refused[0].detail


def test_a_folder_may_have_a_site_and_a_zone(tmp_path: Path, service: FakeService) -> None:
    """They stand in for what rows do not tell."""
    drop = FolderDrop(service, FolderOptions(path=tmp_path, site="SOUTH", zone="Europe/Berlin"))
    _csv(tmp_path / "day.csv", {**ROW, "site": "", "issued": "2026-07-01 08:15"})
    assert _looked(drop) == 1
    [version] = service.versions
    assert version.examinations[0].site == "SOUTH"
    assert version.issued == datetime(2026, 7, 1, 6, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("day.csv", b"", "unreadable-file"),
        ("day.csv", b"accession,status\nA1,final\n", "unreadable-file"),
        ("day.csv", b"accession,status,text\n", "no-rows"),
        ("day.csv", b'accession,status,text\nA1,final,"no end\n', "unreadable-file"),
        ("day.csv", b"accession,status,text\nA1,final,\xff\n", "bad-rows"),
        ("day.csv", b"accession,status,text,site\n" + b"A1,final,x,s\n" * 11, "too-many-rows"),
        ("day.csv", b"accession,status,text\n" + b"x" * 5000, "too-large"),
        ("day.jsonl", b"{]\n", "bad-rows"),
        ("day.parquet", b"PAR1 and no more", "unreadable-file"),
        ("day.csv.gz", b"\x1f\x8b", "unknown-format"),
        ("notes.docx", b"PK", "unknown-format"),
        ("Makefile", b"all:", "unknown-format"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, service: FakeService, name: str, content: bytes, code: str) -> None:
    """Each is refused with its reason and moved out of the way."""
    drop = FolderDrop(service, FolderOptions(path=tmp_path, largest_file=4000, most_rows=10))
    (tmp_path / name).write_bytes(content)
    assert _looked(drop) == 1
    assert [(each.message, each.reason) for each in service.refused] == [(name, code)]
    assert (tmp_path / "refused" / name).exists()
    assert (tmp_path / "refused" / f"{name}.txt").read_text().startswith(f"{name}\n")


def test_the_first_row_of_a_file_without_a_header_is_not_told(tmp_path: Path, service: FakeService) -> None:
    """Its cells stand where names of columns would, and may be those of a person."""
    (tmp_path / "day.csv").write_text("Zylowski,A1,final\nZylowski,A2,final\n", encoding="utf-8")
    assert _looked(FolderDrop(service, FolderOptions(path=tmp_path))) == 1
    assert service.refused[0].detail.startswith("no column accession or status or text")
    assert "Zylowski" not in service.refused[0].detail + (tmp_path / "refused" / "day.csv.txt").read_text()


def test_a_packed_flood_is_refused_unread(tmp_path: Path, service: FakeService) -> None:
    """A small Parquet file of many rows, or of much text, is known by its end."""
    drop = FolderDrop(service, FolderOptions(path=tmp_path, largest_file=100_000, most_rows=1000))
    long = pa.array([f"{number}" + "a" * 300_000 for number in range(2)])
    pq.write_table(pa.table({"text": long}), tmp_path / "long.parquet", use_dictionary=False, compression="gzip")
    pq.write_table(pa.table({"text": pa.array(["a"] * 5000)}), tmp_path / "many.parquet")
    assert max((tmp_path / f"{name}.parquet").stat().st_size for name in ("long", "many")) < 100_000
    assert _looked(drop) == 2
    assert [each.reason for each in service.refused] == ["unreadable-file"] * 2
    assert all("unpacked" in each.detail for each in service.refused)


@pytest.mark.parametrize(
    "column",
    [
        *("impression", "Addendum", " findings ", "text_2", "Text2", "impression 1"),
        *("report_text", "Report", "body", "FindingsText", "text (cont.)", "Text", "final-report"),
    ],
)
def test_a_part_of_a_report_beside_its_text_is_not_left_out(
    tmp_path: Path, service: FakeService, drop: FolderDrop, column: str
) -> None:
    """The file is refused; other columns that are not known are nobody's loss."""
    _csv(tmp_path / "day.csv", {**ROW, column: "Small pneumothorax."})
    (tmp_path / "day.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (ROW, {**ROW, column: "Small."})))
    pq.write_table(pa.Table.from_pylist([{**ROW, column: "Small."}]), tmp_path / "day.parquet")
    _csv(tmp_path / "other.csv", {**ROW, "ward": "7"})
    assert _looked(drop) == 4
    assert [each.reason for each in service.refused] == ["unread-columns"] * 3
    assert len(service.versions) == 1


_SENTENCE = "There is a large left pneumothorax with shift of the mediastinum."


@pytest.mark.parametrize(
    "cell", [_SENTENCE, {"sections": [{"title": "F", "said": _SENTENCE}]}, ["7", _SENTENCE.replace(" ", "\n")]]
)
def test_sentences_in_a_column_that_is_not_read_refuse_the_file(
    tmp_path: Path, service: FakeService, drop: FolderDrop, cell: object
) -> None:
    """Whatever it is called, and in whichever row; neither its name nor what it says is told."""
    rows: list[dict[str, Any]] = [{**ROW, "accession": "A0", "Befund": None}, {**ROW, "Befund": cell}]
    (tmp_path / "day.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "day.parquet")
    if isinstance(cell, str):
        _csv(tmp_path / "day.csv", *({name: value or "" for name, value in row.items()} for row in rows))
    taken = _looked(drop)
    assert (len(service.refused), service.versions) == (taken, [])
    assert {each.reason for each in service.refused} <= {"unread-columns", "unreadable-file"}
    assert not any("Befund" in each.detail or "pneumothorax" in each.detail for each in service.refused)


@pytest.mark.parametrize("column", ["Patient", "body part", "ISSUED", "Site"])
def test_a_column_that_is_called_nearly_as_one_that_is_read_refuses_the_file(
    tmp_path: Path, service: FakeService, drop: FolderDrop, column: str
) -> None:
    """Whose report it is, or when it was made, would be left out otherwise."""
    _csv(tmp_path / "day.csv", {**ROW, column: "7"})
    assert _looked(drop) == 1
    assert [each.reason for each in service.refused] == ["unread-columns"]


def test_other_columns_are_nobodys_loss(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """Names, codes, numbers and short remarks; also such as have a part of a report in their name."""
    others = {
        "report_id": "R7",
        "findings_count": "2",
        "result_date": "1 March 2026",
        "ward": "7 West, bed by the door",
    }
    _csv(tmp_path / "day.csv", {**ROW, **others})
    pq.write_table(
        pa.Table.from_pylist([{**ROW, "accession": "A2", "n": 1, "x": 0.5, **others}]), tmp_path / "d.parquet"
    )
    assert _looked(drop) == 2
    assert (len(service.versions), service.refused) == (2, [])


def test_an_accession_number_that_a_float_has_rounded_is_not_taken(
    tmp_path: Path, service: FakeService, drop: FolderDrop
) -> None:
    """The row is refused, since it may name another examination; a whole number, and a float that is exact, count."""
    rows = [{**ROW, "accession": accession} for accession in (1234567890123456789.0, 1234567890123456789, 20260301.0)]
    for number, row in enumerate(rows):
        (tmp_path / f"{number}.jsonl").write_text(json.dumps(row) + "\n")
    assert _looked(drop) == 3
    assert [(each.message, each.reason) for each in service.refused] == [("0.jsonl", "bad-rows")]
    assert [version.keys[0].accession for version in service.versions] == ["1234567890123456789", "20260301"]


def _of_rows(number: int, text: pa.Array) -> pa.Table:
    columns = {name: pa.array([value] * number) for name, value in ROW.items() if name not in {"accession", "text"}}
    return pa.table({**columns, "accession": pa.array(map(str, range(number))), "text": text})


_REPEATED = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), pa.array(["x" * 480_000]))
_BOMBS: dict[str, tuple[Any, dict[str, Any]]] = {
    "repeated": (_of_rows(1000, _REPEATED), {"compression": "zstd"}),
    "unnamed": (_of_rows(1000, _REPEATED), {"compression": "zstd", "store_schema": False}),
    "prefixes": (
        _of_rows(500, pa.array(["x" * 48_000 + str(number) for number in range(500)])),
        {"compression": "zstd", "use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"},
    ),
    "lists": (_of_rows(1, pa.array([[""] * 100_000])), {"compression": "zstd"}),
}


@pytest.mark.parametrize("kind", list(_BOMBS))
def test_a_file_that_grows_as_it_is_decoded_is_refused(tmp_path: Path, service: FakeService, kind: str) -> None:
    """A few bytes of Parquet, of a size that says nothing: it is refused long before it is as large as it would be."""
    table, how = _BOMBS[kind]
    path = tmp_path / "bomb.parquet"
    if how.get("column_encoding"):
        how = how | {"column_encoding": dict.fromkeys(table.column_names, how["column_encoding"])}
    pq.write_table(table, path, **how)
    assert path.stat().st_size < 10_000
    before = pa.default_memory_pool().max_memory()
    assert _looked(FolderDrop(service, FolderOptions(path=tmp_path, largest_file=1_000_000))) == 1
    assert pa.default_memory_pool().max_memory() <= max(before, 50_000_000)
    [refusal] = service.refused
    assert (refusal.reason, service.versions) == ("unreadable-file", [])
    assert ("column text holds lists" if kind == "lists" else "1,000,000 bytes unpacked") in refusal.detail


def test_reports_that_repeat_are_read_as_long_as_they_fit(tmp_path: Path, service: FakeService) -> None:
    """A category of a data frame is a text for each row; its bytes count as often as it occurs, and no more."""
    texts = pa.array([TEXT, "Clear."] * 100).dictionary_encode()
    pq.write_table(_of_rows(200, texts), tmp_path / "day.parquet")
    assert _looked(FolderDrop(service, FolderOptions(path=tmp_path, largest_file=20_000))) == 1
    assert [version.text.text for version in service.versions] == [TEXT, "Clear."] * 100


@pytest.mark.parametrize("name", ["day.csv", "day.tsv", "day.jsonl", "day.parquet"])
def test_a_file_that_was_read_at_two_crashes_is_set_aside(tmp_path: Path, service: FakeService, name: str) -> None:
    """Whatever its kind: it may have been their cause, and would be again; the files after it are read."""
    writers: dict[str, Callable[[Path], object]] = {
        "day.csv": lambda path: _csv(path, ROW),
        "day.tsv": lambda path: path.write_text("\t".join(ROW) + "\n" + "\t".join(ROW.values()) + "\n"),
        "day.jsonl": lambda path: path.write_text(json.dumps(ROW) + "\n"),
        "day.parquet": lambda path: pq.write_table(pa.Table.from_pylist([ROW]), path),
    }
    writers[name](tmp_path / name)
    for _ in range(2):
        assert _crashes(tmp_path)
    _csv(tmp_path / "later.csv", {**ROW, "accession": "A2"})
    drop = FolderDrop(service, FolderOptions(path=tmp_path))
    assert drop.look() + drop.look() == 2
    assert [(each.message, each.reason) for each in service.refused] == [(name, "crashed")]
    assert "stopped twice" in (tmp_path / "refused" / f"{name}.txt").read_text()
    assert [version.examinations[0].accession for version in service.versions] == ["A2"]
    assert list((tmp_path / "taken").iterdir()) == []


def _crashes(folder: Path) -> bool:
    """Whether a process that looks at a folder, and is not let to store anything, ends at once."""
    child = os.fork()
    if child == 0:
        service = FakeService()
        service.ingest = lambda *_, **__: os._exit(137)  # type: ignore[method-assign]
        drop = FolderDrop(service, FolderOptions(path=folder))
        drop.look()
        drop.look()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 137


def test_a_file_that_takes_more_memory_than_there_is_does_not_loop(
    tmp_path: Path, service: FakeService, drop: FolderDrop
) -> None:
    """It is tried once more, as after a crash, and set aside; dropped again it has two tries again."""
    for times in (1, 2):
        _csv(tmp_path / "day.csv", ROW)
        service.faults = [MemoryError(), MemoryError()]
        assert [drop.look() for _ in range(4)] == [0, 0, 0, 1]
        assert [each.reason for each in service.refused] == ["crashed"] * times


def test_one_crash_is_forgotten_once_the_file_is_read(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """And other faults are no crashes, however often they come."""
    _csv(tmp_path / "day.csv", ROW)
    assert _crashes(tmp_path)
    for _ in range(3):
        service.faults = [StoreError("disk full")]
        assert drop.look() == 0
    assert drop.look() == 1
    assert (len(service.versions), service.refused, list((tmp_path / "taken").iterdir())) == (1, [], [])


def test_links_and_pipes_are_not_followed(tmp_path: Path, service: FakeService) -> None:
    """What they lead to is not read, and they are moved away themselves."""
    folder, secret = tmp_path / "in", tmp_path / "secret.csv"
    folder.mkdir()
    _csv(secret, ROW)
    (folder / "link.csv").symlink_to(secret)
    os.mkfifo(folder / "pipe.csv")
    assert _looked(FolderDrop(service, FolderOptions(path=folder))) == 2
    assert [(each.message, each.reason) for each in service.refused] == [
        ("link.csv", "no-file"),
        ("pipe.csv", "no-file"),
    ]
    assert service.versions == []
    assert secret.exists()


def test_a_name_as_long_as_names_can_be_leaves_room_for_the_note(
    tmp_path: Path, service: FakeService, drop: FolderDrop
) -> None:
    """In letters of several bytes too: a file that could not be moved would be read again at each look."""
    _csv(tmp_path / ("\u9801" * 83 + ".csv"), ROW)
    assert _looked(drop) == 1
    assert [path.suffix for path in sorted((tmp_path / "done").iterdir())] == [".csv", ".txt"]
    assert len(service.versions) == 1


def test_odd_names_are_shown_safely(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """A name with a line feed, or with bytes that are no text, can neither forge a note nor stop the rest."""
    _csv(tmp_path / "a\nb.csv", ROW)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/c\xff.csv")).write_text("x")
    _csv(tmp_path / f"{'n' * 240}.csv", {**ROW, "accession": "A2"})
    assert _looked(drop) == 3
    assert (tmp_path / "done" / "a_b.csv.txt").exists()
    assert [each.message for each in service.refused] == ["c_.csv"]
    assert len(service.versions) == 2


def test_while_the_store_has_a_fault_files_wait(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """They are neither done nor refused, and read at the next look, in order."""
    _csv(tmp_path / "a.csv", ROW)
    _csv(tmp_path / "b.csv", {**ROW, "status": "none"})
    drop.look()
    service.faults = [StoreError("disk full")]
    assert drop.look() == 0
    assert sorted(path.name for path in (tmp_path / "taken").iterdir()) == ["a.csv", "b.csv"]
    assert drop.look() == 2
    assert (len(service.versions), len(service.refused)) == (1, 1)


def test_a_file_that_cannot_be_read_keeps_no_other_waiting(
    tmp_path: Path, service: FakeService, drop: FolderDrop
) -> None:
    """For example one that its owner let nobody else read; it is read once that was mended."""
    _csv(tmp_path / "a.csv", ROW)
    _csv(tmp_path / "b.csv", {**ROW, "accession": "A2"})
    drop.look()
    service.faults = [PermissionError("not yours")]
    assert drop.look() == 1
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["a.csv"]
    assert drop.look() == 1
    assert len(service.versions) == 2


def test_after_a_crash_nothing_is_lost_and_nothing_twice(
    tmp_path: Path, service: FakeService, drop: FolderDrop
) -> None:
    """A file that was stored and not yet moved is read again by whoever comes next, and recognised."""
    path = _csv(tmp_path / "day.csv", ROW, {**ROW, "accession": "A2"})
    content = path.read_bytes()
    _looked(drop)
    (tmp_path / "done" / "day.csv").unlink()
    (tmp_path / "taken" / "day.csv").write_bytes(content)
    assert FolderDrop(service, FolderOptions(path=tmp_path)).look() == 1
    assert len(service.versions) == 2
    assert "there already: 2" in (tmp_path / "done" / "day-2.csv.txt").read_text()


def test_what_the_service_does_not_take_is_refused(tmp_path: Path, service: FakeService, drop: FolderDrop) -> None:
    """For example more reports than it takes at once."""
    _csv(tmp_path / "day.csv", ROW)
    service.faults = [InputError("reports", "more than 1000 at once")]
    assert _looked(drop) == 1
    assert [(each.reason, each.detail) for each in service.refused] == [("not-taken", "more than 1000 at once")]


def test_it_is_watched_until_it_is_told_to_stop(tmp_path: Path, service: FakeService) -> None:
    """Looks follow one another; to stop does not wait for the next."""
    drop = FolderDrop(service, FolderOptions(path=tmp_path, every_seconds=0.001))
    _csv(tmp_path / "day.csv", ROW)

    async def told() -> None:
        stop = asyncio.Event()
        watching = asyncio.create_task(drop.watch(stop))
        while not service.versions:  # noqa: ASYNC110 - the folder has no event to wait for
            await asyncio.sleep(0.001)
        stop.set()
        await watching

    asyncio.run(told())
    assert len(service.versions) == 1


def test_a_folder_that_is_not_there_is_told(tmp_path: Path, service: FakeService) -> None:
    """As a fault of the configuration, at once."""
    with pytest.raises(ConfigurationError, match="absent"):
        FolderDrop(service, FolderOptions(path=tmp_path / "absent"))
    with pytest.raises(ValueError, match="time zone"):
        FolderOptions(path=tmp_path, zone="Mars/Olympus")


def test_a_table_with_semicolons_is_told_so(tmp_path: Path, service: FakeService) -> None:
    """As spreadsheets of many countries write it, with quotes that no comma follows; and which columns are wanted."""
    (tmp_path / "day.csv").write_text('"No;1";"Befund"\n"A1";"Clear, no ""change""."\n', encoding="utf-8-sig")
    assert _looked(FolderDrop(service, FolderOptions(path=tmp_path))) == 1
    [refusal] = service.refused
    assert refusal.reason == "unreadable-file"
    assert "semicolons" in refusal.detail
    assert "accession, status, text" in refusal.detail
    assert "Befund" not in refusal.detail


def test_a_pdf_alone_is_told_what_it_lacks(tmp_path: Path, service: FakeService) -> None:
    """Nothing in it says whose report it is."""
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.4")
    assert _looked(FolderDrop(service, FolderOptions(path=tmp_path))) == 1
    assert [each.reason for each in service.refused] == ["unknown-format"]
    assert "whose report" in service.refused[0].detail
