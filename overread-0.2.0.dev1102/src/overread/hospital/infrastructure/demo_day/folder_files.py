"""The day's files of the site that drops its reports into a folder: CSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.infrastructure.demo_day.day import Channel, Sending, hospital_day

__all__ = ["DroppedFile", "folder_files"]

_EVERY: Final = timedelta(hours=2)
_SUFFIXES: Final = (".csv", ".jsonl", ".parquet")
_FAULTY_SUFFIXES: Final = {"lakeside-unreadable": ".parquet", "lakeside-line": ".jsonl"}
_UNKNOWN_STATUS: Final = "vetted"


@frozen(kw_only=True)
class DroppedFile:
    """A file as it is put into the folder.

    Attributes:
        name: with its suffix.
        sent: when.
        content: bytes.
        sendings: the messages in it, a row each.
    """

    name: str
    sent: datetime
    content: bytes = field(repr=False)
    sendings: tuple[Sending, ...] = field(converter=in_tuple, repr=False)


def folder_files(day: Sequence[Sending] | None = None) -> tuple[DroppedFile, ...]:
    """All files, the earliest first: one every two hours, of each kind in turn, and the faulty ones by themselves.

    Args:
        day: whose messages; the whole one's where omitted.
    """
    sendings = [item for item in (hospital_day() if day is None else day) if item.channel is Channel.FOLDER]
    usual = [item for item in sendings if not item.file]
    files = [
        _file(f"lakeside-{number}", _SUFFIXES[number % len(_SUFFIXES)], list(group))
        for number, (_, group) in enumerate(groupby(usual, _interval), start=1)
    ]
    for name in dict.fromkeys(item.file for item in sendings if item.file):
        rows = [item for item in sendings if item.file == name]
        files.append(_file(name, _FAULTY_SUFFIXES.get(name, ".csv"), rows))
    return tuple(sorted(files, key=lambda item: item.sent))


def _interval(sending: Sending) -> int:
    midnight = sending.sent.replace(hour=0, minute=0)
    return (sending.sent - midnight) // _EVERY + sending.sent.toordinal() * 12


def _file(stem: str, suffix: str, sendings: Sequence[Sending]) -> DroppedFile:
    rows = [_row(sending) for sending in sendings]
    content = _WRITERS[suffix](rows)
    faults = {sending.fault for sending in sendings}
    if "unreadable" in faults:
        content = content[: len(content) // 2]
    if "bad-line" in faults:
        content = content.rstrip(b"}\n") + b"\n"
    return DroppedFile(name=f"{stem}{suffix}", sent=sendings[-1].sent, content=content, sendings=sendings)


def _row(sending: Sending) -> dict[str, str]:
    version = sending.version
    examination = version.examinations[0]
    age = examination.context.age
    return {
        "site": examination.site,
        "accession": examination.accession,
        "status": _UNKNOWN_STATUS if sending.fault == "unknown-status" else version.status.value,
        "text": "" if sending.fault == "empty" else version.text.text,
        "reader": version.reader,
        "model": version.model,
        "filler": version.filler,
        "placer": version.placer,
        "issued": _time(version.issued),
        "message": version.message,
        "patient": examination.patient,
        "modality": examination.modality,
        "procedure": examination.procedure,
        "body_part": examination.body_part,
        "device": examination.device,
        "performed": _time(examination.performed),
        "age": "" if age is None else f"{age:g}",
        "sex": examination.context.sex or "",
        "indication": examination.context.indication or "",
    }


def _time(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()


def _csv(rows: Sequence[dict[str, str]]) -> bytes:
    written = io.StringIO()
    table = csv.DictWriter(written, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return written.getvalue().encode("utf-8")


def _json_lines(rows: Sequence[dict[str, str]]) -> bytes:
    lines = (json.dumps({name: value for name, value in row.items() if value}, ensure_ascii=False) for row in rows)
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def _parquet(rows: Sequence[dict[str, str]]) -> bytes:
    import pyarrow as pa

    from overread.tables.parquet import RowWriter  # noqa: PLC0415 - pyarrow is slow to import

    written = io.BytesIO()
    with closing(RowWriter(written, pa.schema(dict.fromkeys(rows[0], pa.string())))) as table:
        table.write(rows)
    return written.getvalue()


_WRITERS: Final = {".csv": _csv, ".jsonl": _json_lines, ".parquet": _parquet}
