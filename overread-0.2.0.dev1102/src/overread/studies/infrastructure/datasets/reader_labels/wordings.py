"""The bank of wordings: sentences in which findings may be told, and what each of them says, as JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from overread.exceptions import InputError
from overread.studies.application.reader_checks.wordings import Saying, Wording
from overread.studies.infrastructure.datasets.json_lines import read_json_lines

__all__ = ["BANK_PARTS", "read_wordings", "shipped_wordings"]

BANK_PARTS: Final = ("open", "sealed")
"""To learn from; and findings and voices apart, to look at once."""

_FOLDER: Final = Path(__file__).parent.parent / "bank"
_REMEDY: Final = "each line has voice, sentence and readings, each reading concept and polarity"
_FIELDS: Final = ("concept", "polarity", "side", "degree", "change", "words")
_POLARITIES: Final = frozenset({"present", "absent", "uncertain"})


def shipped_wordings(part: str) -> list[Wording]:
    """A part of the bank that comes with overread, "open" or "sealed"."""
    return read_wordings(_FOLDER / f"{part}.jsonl")


def read_wordings(path: Path) -> list[Wording]:
    """The sentences of a file with their readings.

    Raises:
        InputError: if there are none, or naming the first line that cannot be used.
    """
    wordings = list(read_json_lines(path, _wording, problem="is not a sentence with its readings", remedy=_REMEDY))
    if not wordings:
        raise InputError(str(path), "holds no sentences", remedy=_REMEDY)
    return wordings


def _wording(record: dict[str, Any]) -> Wording:
    readings = tuple(Saying(**{name: reading.get(name) or "" for name in _FIELDS}) for reading in record["readings"])
    if not readings or not all(reading.concept and reading.polarity in _POLARITIES for reading in readings):
        raise ValueError("a reading names neither a concept nor its polarity")
    return Wording(voice=record.get("voice") or "", sentence=record["sentence"], readings=readings)
