"""Files of kept answers: made for their owner alone, and what they hold."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import frozen

from overread.exceptions import StoreError
from overread.infrastructure.store.answers import open_answers

if TYPE_CHECKING:
    from overread.infrastructure.store._answers import SqliteAnswerStore

__all__ = ["KeptPrompt", "keep_answers", "kept_prompts", "missing_words"]

_OWNER_ONLY: Final = 0o600
_COUNTS: Final = "SELECT prompt, asked_of, COUNT(*) FROM answers GROUP BY prompt, asked_of ORDER BY 3 DESC, 1, 2"


@frozen
class KeptPrompt:
    """How many answers a file keeps to one prompt of one model; both are identities."""

    prompt: str
    model: str
    answers: int


def keep_answers(path: Path) -> SqliteAnswerStore:
    """The kept answers in a file, as of `open_answers`. A new file is its owner's alone to read: answers quote reports.

    Raises:
        StoreError: as `open_answers`.
    """
    if path.parent.is_dir():
        with suppress(OSError):  # it is there already, or `open_answers` tells what is wrong with the place
            new = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY)
            os.close(new)
    return open_answers(path)


def kept_prompts(path: Path) -> list[KeptPrompt]:
    """The prompts that a file keeps answers to, that with the most first; the file is only read.

    Raises:
        StoreError: if it cannot be read.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return [KeptPrompt(*row) for row in connection.execute(_COUNTS)]
    except sqlite3.Error as error:
        raise StoreError(f"{path}: cannot be read: {type(error).__name__}") from None


def missing_words(file: str, kept: Sequence[KeptPrompt], wanted: Sequence[str], model: str) -> list[str]:
    """What a file keeps and what was looked for in it, a line for each prompt.

    Args:
        file: name of the file.
        kept: what it keeps.
        wanted: identities of the prompts of the first questions.
        model: identity of the model whose answers were looked for.
    """
    lines = [f"{file} keeps {item.answers:,} answers to {item.prompt} of {item.model}" for item in kept]
    here = {item.prompt for item in kept if item.model == model}
    for prompt in wanted:
        if prompt not in here:
            lines.append(f"and none to {prompt} of {model}, which this run looks for")
        else:
            lines.append(
                f"this run looks for {prompt} of {model} too: what is missing was asked about other reports, "
                "with other limits, or in a later question"
            )
    return lines
