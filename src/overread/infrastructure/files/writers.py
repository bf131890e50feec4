"""Results on standard output, as JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

from overread.domain.result import EvaluationResult
from overread.exceptions import InputError
from overread.infrastructure.serialise import result_record

__all__ = ["StandardOutput"]


class StandardOutput:
    """Writes results as they come, one line each, in ASCII: the encoding of standard output is not ours to choose."""

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
            sys.stdout.writelines(lines)
            if not lines:
                sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError("stdout", f"cannot be written: {error.strerror or type(error).__name__}") from None
