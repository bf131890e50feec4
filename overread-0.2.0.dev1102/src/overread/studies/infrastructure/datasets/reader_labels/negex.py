"""Marked phrases in the layout of the NegEx and ConText test kit: tab-separated, without a header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from attrs import frozen

from overread.application.ports import MarkedSentence
from overread.exceptions import InputError
from overread.infrastructure.files.tables import read_text
from overread.studies.application.reader_checks.polarity import LabelledPhrase

__all__ = ["Phrases", "read_phrases"]

_LAYOUT: Final = (
    "seven cells separated by tabs: item, blank, phrase, sentence with the phrase in capitals, Affirmed or "
    "Negated, Recent or Historical or Not particular, Patient or Family member or Other"
)
_CELLS: Final = 7
_POLARITY: Final = {"affirmed": False, "negated": True}
_HISTORY: Final = {"recent": False, "not particular": False, "historical": True}
_PERSON: Final = {"patient": False, "family member": True, "other": True}


@frozen
class Phrases:
    """The phrases of a file, and the item numbers of rows whose sentence does not hold the phrase."""

    phrases: tuple[LabelledPhrase, ...]
    left_out: tuple[str, ...]


def read_phrases(path: Path) -> Phrases:
    """Every phrase of a file, its sentence with the phrase back in its own letters.

    The published kit has a few phrases that reach over the end of their sentence: they are left out and named.

    Raises:
        InputError: naming the first row that cannot be used.
    """
    rows = list(_phrases(path))
    phrases = tuple(row for row in rows if isinstance(row, LabelledPhrase))
    if not phrases:
        raise InputError(str(path), "holds no phrase in its sentence", remedy=f"each line has {_LAYOUT}")
    return Phrases(phrases, tuple(row for row in rows if isinstance(row, str)))


def _phrases(path: Path) -> Iterator[LabelledPhrase | str]:
    """Each phrase, or the item number alone where the sentence does not hold it."""
    seen: set[str] = set()
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != _CELLS:
            raise InputError(str(path), f"{len(cells)} cells instead of {_CELLS}", row=row, remedy=_LAYOUT)
        item, _, phrase, sentence, polarity, history, person = cells
        name = item.strip() or str(row)
        if name in seen:
            raise InputError(
                str(path), "its item number is used already", row=row, remedy="give each row its own number"
            )
        seen.add(name)
        labels = (
            _label(path, row, polarity, _POLARITY),
            _label(path, row, history, _HISTORY),
            _label(path, row, person, _PERSON),
        )
        marked = _mark_phrase(phrase.strip(), sentence)
        if marked is None:
            yield name
            continue
        yield LabelledPhrase(id=name, sentence=marked, negated=labels[0], historical=labels[1], other=labels[2])


def _mark_phrase(phrase: str, sentence: str) -> MarkedSentence | None:
    """The sentence with the phrase in place of its capitals, which would tell a reader where to look."""
    words = phrase.split()
    capitals, as_written = (r"\s+".join(map(re.escape, form)) for form in ([w.upper() for w in words], words))
    match = re.search(capitals, sentence) or re.search(as_written, sentence, re.IGNORECASE)
    if not words or match is None:
        return None
    text = sentence[: match.start()] + phrase + sentence[match.end() :]
    return MarkedSentence(text, match.start(), match.start() + len(phrase))


def _label(path: Path, row: int, cell: str, known: Mapping[str, bool]) -> bool:
    label = " ".join(cell.lower().split())
    if label not in known:
        raise InputError(str(path), f"a label is not one of {', '.join(known)}", row=row, remedy=_LAYOUT)
    return known[label]
