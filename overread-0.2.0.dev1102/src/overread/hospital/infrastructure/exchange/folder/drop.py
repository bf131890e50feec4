"""Takes files of reports out of a folder: each whole or not at all, and each told what became of it."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from overread.exceptions import ConfigurationError, InputError, StoreError
from overread.hospital.application.requests import Receipt, ReceiptKind
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.report_version import ReportVersion
from overread.hospital.infrastructure.exchange.dicom.structured_reports import read_structured_report
from overread.hospital.infrastructure.exchange.folder._messages import read_messages
from overread.hospital.infrastructure.exchange.folder.options import FolderOptions
from overread.hospital.infrastructure.exchange.folder.rows import SOURCE, Problem, read_rows
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options
from overread.hospital.infrastructure.exchange.inlet import BlockingInlet
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.infrastructure.files.whole_files import write_whole
from overread.infrastructure.logs import get_logger

__all__ = ["FolderDrop"]

_PARTIAL: Final = (".part", ".partial", ".tmp")
"""Endings of files that are being written."""

_MESSAGES: Final = (".hl7",)
_STRUCTURED: Final = (".dcm",)
_SUFFIXES: Final = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", *_MESSAGES, *_STRUCTURED)
_PDF: Final = ".pdf"
_LONGEST_NAME: Final = 150
"""Bytes: to a name a number and another suffix are added, and no file system takes more than 255."""

_MOST_CRASHES: Final = 2
"""Crashes while reading a file before it is refused; an unrelated cause hardly strikes twice at the same file."""

_TOLD_ROWS: Final = 5
_LISTED_ROWS: Final = 1000

_log = get_logger("exchange.folder")


def _now() -> datetime:
    return datetime.now(UTC)


class FolderDrop:
    """A folder that is looked at again and again; by one process, and within it from one thread.

    A file is taken when two looks found it alike, so that one which is still written is left alone; better still is to
    write it under another name, such as NAME.part, and to rename it. It is moved to ``taken``, read, stored, and moved
    to ``done`` or ``refused`` with a NAME.txt that tells what became of it. What a crash leaves in ``taken`` is read
    again: versions that were stored already are recognised. One that was being read at two crashes is refused, since it
    may have been their cause, as one is that takes more memory than there is. While the store has a fault, files wait
    in ``taken``; so does one that cannot be read for now, and keeps no other waiting.

    Args:
        service: where reports go.
        options: of the folder.
        reading: how messages of HL7 in it are read.
        by: on whose behalf.
        clock: the present, in UTC.

    Raises:
        ConfigurationError: if the folder is not there, or cannot be written to.
    """

    def __init__(
        self,
        service: BlockingInlet,
        options: FolderOptions,
        reading: Hl7Options | None = None,
        *,
        by: Actor | None = None,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._service = service
        self._options = options
        self._reading = reading or Hl7Options()
        self._by = by or Actor(name=SOURCE, roles=frozenset({Role.SUBMITTER}))
        self._clock = clock
        self._taken, self._done, self._refused = (options.path / name for name in ("taken", "done", "refused"))
        self._seen: dict[str, tuple[int, ...]] = {}
        try:
            for folder in (self._taken, self._done, self._refused):
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(
                [f"{options.path} cannot be used as a folder for report files: {error.strerror}"]
            ) from None

    async def watch(self, stop: asyncio.Event) -> None:
        """Look until told to stop; a file that is being read is finished. Faults of the folder are logged."""
        while not stop.is_set():
            try:
                await asyncio.to_thread(self.look)
            except OSError as error:
                _log.error("folder_not_read", error=error)
            try:
                async with asyncio.timeout(self._options.every_seconds):
                    await stop.wait()
            except TimeoutError:
                continue

    def look(self) -> int:
        """Take what is complete and read it; the number of files that were finished."""
        self._take()
        finished = 0
        for path in sorted(path for path in self._taken.iterdir() if not path.name.startswith(".")):
            try:
                self._finish(path)
            except StoreError as error:
                _log.error("files_wait", error=error)
                break
            except Exception as error:  # noqa: BLE001 - whatever it was, the file waits for the next look, and none else
                _log.error("file_waits", error=error)
                continue
            finished += 1
        return finished

    def _take(self) -> None:
        """Move what has not changed since the last look to where nobody else writes."""
        states = dict(self._offered_files())
        for name, state in states.items():
            if self._seen.get(name) == state:
                place = _free(self._taken / _printable(name))
                _mark(place).unlink(missing_ok=True)
                with suppress(FileNotFoundError):  # whoever put it there took it back
                    (self._options.path / name).rename(place)
        self._seen = {name: state for name, state in states.items() if self._seen.get(name) != state}

    def _offered_files(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        with os.scandir(self._options.path) as entries:
            for entry in entries:
                hidden = entry.name.startswith(".") or entry.name.lower().endswith(_PARTIAL)
                if not hidden and not entry.is_dir(follow_symlinks=False):
                    with suppress(FileNotFoundError):
                        known = entry.stat(follow_symlinks=False)
                        yield entry.name, (known.st_ino, known.st_size, known.st_mtime_ns)

    def _finish(self, path: Path) -> None:
        """Read a file that was taken, and move it to where it belongs."""
        try:
            receipts = self._store_marked(path)
        except RefusedMessageError as error:
            self._service.refuse(error.refusal(at=self._clock(), source=SOURCE))
            self._move(path, self._refused, error.note if isinstance(error, _BadRowsError) else str(error))
        else:
            resent = sum(receipt.kind is ReceiptKind.RESENT for receipt in receipts)
            self._move(path, self._done, f"versions stored: {len(receipts) - resent}, there already: {resent}")

    def _store_marked(self, path: Path) -> Sequence[Receipt]:
        """Reads and stores a file, with a mark beside it meanwhile that a crash leaves behind."""
        mark = _mark(path)
        if mark.exists() and mark.stat().st_size >= _MOST_CRASHES:
            mark.unlink()
            detail = "the service stopped twice while reading this file; split it, or check its content"
            raise RefusedMessageError("crashed", detail, message=path.name)
        with mark.open("ab") as begun:
            begun.write(b".")
        try:
            receipts = self._store_rows(path)
        except MemoryError:  # as good as a crash, where memory is limited: the mark stays
            raise
        except BaseException:
            mark.unlink()
            raise
        mark.unlink()
        return receipts

    def _store_rows(self, path: Path) -> Sequence[Receipt]:
        self._check(path)
        entries = self._read(path)
        problems = [entry for entry in entries if isinstance(entry, Problem)]
        if problems:
            raise _BadRowsError(path.name, problems)
        try:
            return self._service.ingest([entry for entry in entries if not isinstance(entry, Problem)], by=self._by)
        except InputError as error:
            raise RefusedMessageError("not-taken", error.problem, message=path.name) from None

    def _read(self, path: Path) -> Sequence[ReportVersion | Problem]:
        """The versions in a file, by its kind."""
        suffix = path.suffix.lower()
        if suffix in _MESSAGES:
            return read_messages(path, path.name, self._options, self._reading)
        if suffix in _STRUCTURED:
            return [read_structured_report(path, path.name, self._options.site, self._options.zone)]
        return read_rows(path, path.name, self._options)

    def _check(self, path: Path) -> None:
        known = path.lstat()
        if not stat.S_ISREG(known.st_mode):
            detail = "it is a link, a pipe or a device; put the file itself here"
            raise RefusedMessageError("no-file", detail, message=path.name)
        if path.suffix.lower() not in _SUFFIXES:
            detail = f"its suffix must be one of {', '.join(_SUFFIXES)}"
            if path.suffix.lower() == _PDF:
                detail += (
                    "; a PDF alone tells neither whose report it is nor its status: send it in HL7 (ED), FHIR or DICOM"
                )
            raise RefusedMessageError("unknown-format", detail, message=path.name)
        if known.st_size > self._options.largest_file:
            detail = f"a file may have at most {self._options.largest_file:,} bytes; split it"
            raise RefusedMessageError("too-large", detail, message=path.name)

    def _move(self, path: Path, folder: Path, told: str) -> None:
        """The note first: a file that has been moved is told of."""
        place = _free(folder / path.name)
        write_whole(place.with_name(f"{place.name}.txt"), f"{path.name}\n{told}\n")
        if folder == self._done and not self._options.keep_done:
            path.unlink()
        else:
            path.rename(place)
        _log.info("file_finished", state=folder.name)


class _BadRowsError(RefusedMessageError):
    """A file with rows that cannot be taken: its note lists them, the refusal names the first."""

    def __init__(self, name: str, problems: Sequence[Problem]) -> None:
        kind = problems[0].kind
        lines = [f"{kind} {problem.row}: {problem.detail}" for problem in problems[:_LISTED_ROWS]]
        self.note = "\n".join(lines)
        more = f"; and {len(problems) - _TOLD_ROWS:,} further {kind}s" if len(problems) > _TOLD_ROWS else ""
        super().__init__(f"bad-{kind}s", f"{'; '.join(lines[:_TOLD_ROWS])}{more}", message=name)


def _printable(name: str) -> str:
    """A name that can be written and shown."""
    shown = "".join(character if character.isprintable() else "_" for character in name).encode()
    half = _LONGEST_NAME // 2
    parts = [shown] if len(shown) <= _LONGEST_NAME else [shown[:half], shown[-half:]]
    return "".join(part.decode(errors="ignore") for part in parts)


def _mark(path: Path) -> Path:
    """Mark beside a file while it is read, with a byte for each time that reading began."""
    return path.with_name(f".{path.name}.begun")


def _free(path: Path) -> Path:
    """A path at which there is nothing: the same, or with a number before its suffix."""
    place, number = path, 1
    while os.path.lexists(place) or os.path.lexists(f"{place}.txt"):
        number += 1
        place = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return place
