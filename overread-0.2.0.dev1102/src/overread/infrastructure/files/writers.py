"""Results on standard output, as JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TextIO

from attrs import field, frozen

from overread.domain.results.result import EvaluationResult
from overread.exceptions import InputError
from overread.infrastructure.serialise import result_record

__all__ = ["StandardOutput"]


@frozen(eq=False)
class StandardOutput:
    """Writes results as they come, one line each, in ASCII: the encoding of standard output is not ours to choose.

    It keeps to what standard output was when it was made, wherever that leads while plugins work.
    """

    _stream: TextIO = field(factory=lambda: sys.stdout, init=False, repr=False)

    def write(self, results: Iterable[EvaluationResult]) -> None:
        """Write results, in order.

        Raises:
            InputError: if they cannot be written, as on a full disk.
        """
        self._pass([json.dumps(result_record(result), allow_nan=False) + "\n" for result in results])

    def close(self) -> None:
        """Write what still waits. Raises as `write`."""
        self._pass([])

    def _pass(self, lines: list[str]) -> None:
        try:
            self._stream.writelines(lines)
            if not lines:
                self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError("stdout", f"cannot be written: {error.strerror or type(error).__name__}") from None
