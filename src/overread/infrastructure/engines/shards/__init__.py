"""Output in shards: ``OUT.partial`` holds what a run has committed, until all is joined into ``OUT``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from overread.application.scoring.evaluate import OUT_OF_MEMORY
from overread.application.scoring.fingerprint import Fingerprint
from overread.application.scoring.run_identity import RunIdentity, differences
from overread.application.scoring.shards import ShardRecord
from overread.domain.results.diversity import Diversity
from overread.exceptions import InputError
from overread.infrastructure.engines.shards._faults import RUN_AGAIN, naming_faults
from overread.infrastructure.engines.shards._join import join
from overread.infrastructure.engines.shards._lock import lock_file
from overread.infrastructure.engines.shards._manifest import append_record, read_manifest, write_manifest
from overread.infrastructure.engines.shards._shard import Format, ShardFolder, file_digest
from overread.infrastructure.files.completeness import (
    Completeness,
    completeness_file,
    partial_folder,
    write_completeness,
)
from overread.infrastructure.files.environment import installed_environment

__all__ = ["PartialOutput", "ShardFolder", "open_partial", "result_format"]

_FORMATS: Final[Mapping[str, Format]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "jsonl",
    ".parquet": "parquet",
}
"""Of shards, by the suffix of the output; what the columns of CSV are is known when all are there."""
_MANIFEST: Final = "manifest.jsonl"
_LOCK: Final = "lock"
_UNANSWERED: Final = ("not asked", "no answer")


def result_format(output: Path) -> Format:
    """The format that the suffix of a result file names.

    Raises:
        InputError: if it names none, ``output`` is a folder, a pipe or a device, or its folder is missing.
    """
    if output.is_dir():
        raise InputError(str(output), "is a folder", remedy="name a file in it")
    if output.exists() and not output.is_file():
        raise InputError(
            str(output), "is a pipe or a device, not a file", remedy="name another output, or - for stdout"
        )
    if output.suffix.lower() not in _FORMATS:
        remedy = "use .jsonl, .csv or .parquet, or - for stdout"
        raise InputError(str(output), "its suffix is not that of a result format", remedy=remedy)
    if not output.parent.is_dir():
        raise InputError(str(output), f"the folder {output.parent} does not exist", remedy="create it first")
    return _FORMATS[output.suffix.lower()]


@contextmanager
def open_partial(output: Path, settings: Mapping[str, Any] | None = None) -> Iterator[PartialOutput]:
    """The output of a run, held for this process alone. The folder for its shards is made if it is not there.

    Where ``output`` is a link, what it leads to is made.

    Args:
        output: the file.
        settings: as of `Completeness`.

    Raises:
        InputError: if there can be no such output, or another run makes it.
    """
    form = result_format(output)
    output = Path(os.path.realpath(output)) if output.is_symlink() else output
    folder = ShardFolder(partial_folder(output), form)
    if folder.path.exists() and not folder.path.is_dir():
        remedy = "remove it, or name another output"
        raise InputError(str(folder.path), "is a file where the folder for the shards should be", remedy=remedy)
    with naming_faults(folder.path):
        folder.path.mkdir(exist_ok=True)
    partial, lock = PartialOutput(output, folder, settings or {}), folder.path / _LOCK
    with ExitStack() as stack:
        with naming_faults(lock):
            stack.enter_context(lock_file(lock, output))
        stack.callback(partial.leave)
        yield partial


@define(eq=False)
class PartialOutput:
    """The committed part of an output; a `ShardedOutput`.

    Attributes:
        output: the file that is made.
        folder: where the shards lie.
        settings: as of `Completeness`.
        kept: the committed shards by number.
        lost: shards that were committed but are gone or damaged, and are to be scored again.
        stray: number of shards that lay there without a manifest to say which run they belong to; they were removed.
        unanswered: number of pairs that are scored again because an answer was missing then that may come now.
        starved: number of pairs that are scored again because memory did not suffice then, and may now.
        first: identity of the run that began it.
    """

    output: Path
    folder: ShardFolder
    settings: Mapping[str, Any] = field(factory=dict)
    kept: dict[int, ShardRecord] = field(factory=dict, init=False)
    lost: list[int] = field(factory=list, init=False)
    stray: int = field(default=0, init=False)
    unanswered: int = field(default=0, init=False)
    starved: int = field(default=0, init=False)
    first: RunIdentity | None = field(default=None, init=False)
    _begun: bool = field(default=False, init=False)

    @property
    def place(self) -> str:
        """Path of the shards, for messages."""
        return str(self.folder.path)

    @property
    def format(self) -> Format:
        """Format of the results."""
        return self.folder.format

    @property
    def _manifest(self) -> Path:
        return self.folder.path / _MANIFEST

    def begin(self, identity: RunIdentity, *, restart: bool = False) -> list[str]:
        """Goes on with what is there, if it is of the same run; what was found there, in words.

        Args:
            identity: what run this is.
            restart: whether to throw away what is there.

        Raises:
            InputError: if what is there is of another run.
        """
        with naming_faults(self.folder.path):
            self._begin(identity, restart=restart)
        return list(self._describe_state(identity))

    def commit(self, record: ShardRecord) -> None:
        """Keep the record of a shard whose file is on the disk."""
        with naming_faults(self._manifest):
            append_record(self._manifest, record)
        self.kept[record.number] = record

    def finish(self, diversity: Diversity | None = None) -> None:
        """Joins the shards into the output, with the record of its completeness, and removes them.

        Args:
            diversity: as of `Completeness`.
        """
        numbers = sorted(self.kept)
        if numbers != list(range(len(numbers))):
            raise ValueError("shards are missing")
        with naming_faults(completeness_file(self.output)):  # of the file from before, which is replaced now
            completeness_file(self.output).unlink(missing_ok=True)
        join(self.folder, [self.kept[number] for number in numbers], self.output)
        if self.first is not None:
            with naming_faults(completeness_file(self.output)):
                write_completeness(self.output, self._completeness(self.first, diversity))
        self.kept.clear()

    def _completeness(self, identity: RunIdentity, diversity: Diversity | None) -> Completeness:
        prints = [record.fingerprint for record in self.kept.values()]
        known = [fingerprint for fingerprint in prints if fingerprint is not None]
        return Completeness(
            pairs=sum(record.rows for record in self.kept.values()),
            metrics=tuple(identity.signatures),
            columns=dict(identity.columns),
            fingerprint=sum(known, Fingerprint()) if len(known) == len(prints) else None,
            settings=self.settings,
            environment=installed_environment(),
            diversity=diversity,
        )

    def leave(self) -> None:
        """Removes what is of no use to a later run, and the folder if nothing else is in it."""
        with suppress(OSError):
            if self._begun and not self.kept:
                self._manifest.unlink(missing_ok=True)
                self._sweep()
            if not self._manifest.exists():
                (self.folder.path / _LOCK).unlink(missing_ok=True)
                self.folder.path.rmdir()

    def _begin(self, identity: RunIdentity, *, restart: bool) -> None:
        if restart:
            self._manifest.unlink(missing_ok=True)
        if not self._manifest.exists():
            self.stray = 0 if restart else len(list(self.folder.path.glob(f"shard-*.{self.folder.format}")))
            self._sweep()
            write_manifest(self._manifest, identity, ())
            self.first, self._begun = identity, True
            return
        with naming_faults(self._manifest):
            manifest = read_manifest(self._manifest)
        then, records = manifest.identity, manifest.records
        if differing := differences(then, identity):
            remedy = "use the options of that run, or score everything again with `restart`"
            problem = f"belongs to another run, which differs in {'; '.join(differing)}"
            raise InputError(str(self.folder.path), problem, remedy=remedy)
        fitting = {number: record for number, record in sorted(records.items()) if self._is_sound(record, then)}
        unanswered = {number for number, record in fitting.items() if _count(record, *_UNANSWERED)}
        starved = {number for number, record in fitting.items() if _count(record, OUT_OF_MEMORY)} - unanswered
        self.kept = {number: record for number, record in fitting.items() if number not in unanswered | starved}
        self.lost = sorted({number for number in records if number not in fitting} | manifest.changed)
        self.unanswered = sum(fitting[number].rows for number in unanswered)
        self.starved = sum(fitting[number].rows for number in starved)
        self.first, self._begun = then, True
        if manifest.is_torn or len(self.kept) < len(records):
            write_manifest(self._manifest, then, self.kept.values())
        self._sweep()

    def _describe_state(self, now: RunIdentity) -> Iterator[str]:
        before = sum(record.rows for record in self.kept.values())
        if self.stray:
            yield f"{self.place} lacks its manifest, without which no shard in it can be used: all is scored again"
        if self.lost:
            yield f"shards that are gone or damaged are scored again: {', '.join(map(str, self.lost))}"
        if self.unanswered:
            yield f"{self.unanswered:,} pairs in shards that lack answers of a language model are scored again"
        if self.starved:
            yield f"{self.starved:,} pairs in shards that ran out of memory are scored again"
        if before:
            yield f"resumed: {before:,} pairs were scored before"
        if before and self.first is not None and self.first.stamp and self.first.stamp != now.stamp:
            yield f"{now.input} changed since this run began; it goes on if the {before:,} pairs are as they were"

    def _is_sound(self, record: ShardRecord, identity: RunIdentity) -> bool:
        place = self.folder.file(record.number)
        if set(record.metrics) != set(identity.signatures) or not place.is_file():
            return False
        return file_digest(place) == (record.size, record.sha256)

    def _sweep(self) -> None:
        """Removes shards that are not committed, and what was written in part."""
        committed = {self.folder.file(number).name for number in self.kept}
        for pattern in ("shard-*", "*.tmp"):
            for path in self.folder.path.glob(pattern):
                if path.is_dir():
                    problem = "is a folder where a file of the run should be"
                    raise InputError(str(path), problem, remedy=f"move it away, then {RUN_AGAIN}")
                if path.name not in committed:
                    path.unlink(missing_ok=True)


def _count(record: ShardRecord, *reasons: str) -> int:
    """Outcomes for some reasons: of want of an answer or of memory, which may be there by now."""
    return sum(metric.unscored[reason] for metric in record.metrics.values() for reason in reasons)
