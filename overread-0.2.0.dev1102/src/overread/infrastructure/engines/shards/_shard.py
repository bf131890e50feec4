"""Files of single shards: written under another name, made safe, then given their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, Literal, Protocol
from uuid import uuid4

from attrs import define, field, frozen

from overread.domain.results.result import EvaluationResult
from overread.infrastructure.engines.shards._faults import naming_faults
from overread.infrastructure.serialise import result_record
from overread.tables.replacing import sync

__all__ = ["Format", "ShardFolder", "file_digest"]

Format = Literal["jsonl", "parquet"]

_CHUNK: Final = 1 << 20


class _Body(Protocol):
    """Puts records into an open file."""

    def write(self, records: Sequence[Mapping[str, Any]]) -> None: ...

    def close(self) -> None: ...


@frozen
class ShardFolder:
    """The files of the shards of one run; they lie in ``path``, one a shard."""

    path: Path
    format: Format

    def file(self, number: int) -> Path:
        """Path of a shard."""
        return self.path / f"shard-{number:08d}.{self.format}"

    def attempts(self, number: int) -> int:
        """Number of processes that began to write a shard and neither finished nor failed: they are at it, or died."""
        return sum(1 for _ in self.path.glob(f"{self.file(number).name}.*.tmp"))

    @contextmanager
    def writing(self, number: int) -> Iterator[ShardSink]:
        """A sink for the results of a shard, which has its name only if all is well.

        Raises:
            InputError: if the disk does not take them.
        """
        place = self.file(number)
        partial = place.with_name(f"{place.name}.{uuid4().hex}.tmp")  # two processes may write the same shard at once
        try:
            with naming_faults(self.path):
                stream = partial.open("wb", buffering=0)  # nothing waits to be written when it is closed
            with stream:
                hashed = _Hashed(stream)
                sink = ShardSink(self.path, _BODIES[self.format](hashed), hashed)
                try:
                    yield sink
                except BaseException:
                    sink.abandon()
                    raise
                sink.close()
            with naming_faults(self.path):  # not around it all: faults of what scores are not the disk's
                partial.replace(place)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise


@define(eq=False)
class _Hashed:
    """A file to write to, with the digest of what is written."""

    stream: IO[bytes]
    size: int = 0
    digest: Any = field(factory=hashlib.sha256)
    closed: bool = False

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self.digest.update(view)
        self.size += len(view)
        while view:
            view = view[self.stream.write(view) :]
        return len(data)

    def flush(self) -> None:
        self.stream.flush()

    def tell(self) -> int:
        return self.size

    def close(self) -> None:
        """Left open: whoever opened the file closes it."""

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False


@define(eq=False)
class ShardSink:
    """Takes the results of one shard."""

    _folder: Path
    _body: _Body
    _written: _Hashed

    def write(self, results: Iterable[EvaluationResult]) -> None:
        """Keep results, in order."""
        with naming_faults(self._folder):
            self._body.write([_encodable(result_record(result)) for result in results])

    def close(self) -> None:
        """Returns when all is on the disk."""
        with naming_faults(self._folder):
            self._body.close()
            sync(self._written.stream)

    def abandon(self) -> None:
        """Let go of what would else be written when it is forgotten."""
        with suppress(OSError):
            self._body.close()

    @property
    def size(self) -> int:
        """Bytes written."""
        return self._written.size

    @property
    def sha256(self) -> str:
        """Digest of the bytes written."""
        return str(self._written.digest.hexdigest())


def _encodable(value: Any) -> Any:
    """The same, with a question mark for each character that is none: files of either format are UTF-8."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_encodable(name): _encodable(part) for name, part in value.items()}
    return [_encodable(part) for part in value] if isinstance(value, (list, tuple)) else value


@frozen(eq=False)
class _Lines:
    """JSON lines."""

    stream: _Hashed

    def write(self, records: Sequence[Mapping[str, Any]]) -> None:
        lines = [json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records]
        self.stream.write("".join(lines).encode())

    def close(self) -> None:
        """Nothing waits."""


def _parquet(stream: _Hashed) -> _Body:
    from overread.infrastructure.files.parquet import RESULT_SCHEMA  # noqa: PLC0415 - pyarrow is slow to import
    from overread.tables.parquet import RowWriter  # noqa: PLC0415 - as above

    return RowWriter(stream, RESULT_SCHEMA)


_BODIES: Final[Mapping[str, Callable[[_Hashed], _Body]]] = {"jsonl": _Lines, "parquet": _parquet}


def file_digest(path: Path) -> tuple[int, str]:
    """Bytes and SHA-256 of a file."""
    size, digest = 0, hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            digest.update(chunk)
    return size, digest.hexdigest()
