"""Results on standard output."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from overread.exceptions import InputError
from overread.infrastructure.files.writers import StandardOutput

from ..engines.shards.outcomes import RESULTS


def test_standard_output_gets_ascii_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Its encoding is unknown, and it is not closed."""
    writer = StandardOutput()
    writer.write(RESULTS)
    writer.close()
    assert not sys.stdout.closed
    out = capsys.readouterr().out
    assert out.isascii()
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["a", "é", "c", "d", "e"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("count", [1, 5000])
def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Whether it shows while writing or only at the end."""
    stream = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115 - it cannot be closed: it cannot be flushed
    monkeypatch.setattr(sys, "stdout", stream)
    writer = StandardOutput()
    with pytest.raises(InputError, match="stdout: cannot be written: No space left"):
        _written(writer, count)
    monkeypatch.undo()
    with suppress(OSError):  # what waits in it has nowhere to go
        stream.close()


def _written(writer: StandardOutput, count: int) -> None:
    writer.write(RESULTS * count)
    writer.close()
