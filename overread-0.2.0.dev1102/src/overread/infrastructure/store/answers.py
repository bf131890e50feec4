"""Answers of language models, kept in one SQLite file and not asked for again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import frozen

from overread.application.ports import Request
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError, StoreError

if TYPE_CHECKING:
    from overread.infrastructure.store._answers import SqliteAnswerStore

__all__ = [
    "KeptModel",
    "KeptPrompt",
    "answers_beside",
    "kept_model",
    "kept_prompts",
    "open_answers",
]

_COUNTS: Final = "SELECT prompt, asked_of, COUNT(*) FROM answers GROUP BY prompt, asked_of ORDER BY 3 DESC, 1, 2"


def answers_beside(output: Path) -> Path:
    """Path of the answers if no file is named for them: beside the output that is made of them."""
    return output.parent / f"{output.name}.answers.sqlite"


def open_answers(path: Path | str, *, only_kept: bool = False) -> SqliteAnswerStore:
    """The kept answers in the SQLite file ``path``. A new file is its owner's alone to read: answers quote reports.

    Args:
        path: of the file, which is made if it is not there; its folder must exist.
        only_kept: whether nothing may be asked that is not kept; then the file must be there.

    Raises:
        StoreError: if the file cannot be opened, holds something else, or was written by a newer overread.
    """
    from overread.infrastructure.store._answers import SqliteAnswerStore  # noqa: PLC0415 - sqlmodel is slow to import

    path = Path(path)
    if only_kept and not path.exists():
        raise StoreError(f"{path}: no such file; name the one in which an earlier run kept its answers")
    return SqliteAnswerStore(path, only_kept=only_kept)


@frozen
class KeptModel:
    """Stands in for the model of kept answers, so that they can be read where it cannot be reached. It answers nothing.

    Attributes:
        identity: of the model that was asked.
    """

    identity: str
    note: str = ""

    def complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Unscored]]:
        """No answer to any request: "not asked"."""
        for index in range(len(requests)):
            yield index, Unscored("not asked", "only kept answers are read")

    def count_tokens(self, request: Request) -> int:
        """Words, for want of the model's own tokens."""
        return sum(len(message.text.split()) for message in request.messages)


def kept_model(path: Path, identities: Sequence[str]) -> KeptModel:
    """The model whose answers a file keeps.

    Args:
        path: of the file, for messages.
        identities: of the models whose answers it keeps.

    Raises:
        StoreError: if it keeps none.
        ConfigurationError: if it keeps those of several models, naming them.
    """
    if not identities:
        raise StoreError(f"{path}: keeps no answers (name the file in which an earlier run kept its answers)")
    if len(identities) > 1:
        listed = "; ".join(identities)
        raise ConfigurationError([f"{path} keeps answers of several models; choose one with `model=...`: {listed}"])
    return KeptModel(identities[0])


@frozen
class KeptPrompt:
    """Number of answers that a file keeps to one prompt of one model; both are identities."""

    prompt: str
    model: str
    answers: int


def kept_prompts(path: Path) -> list[KeptPrompt]:
    """The prompts that a file keeps answers to, that with the most first; the file is only read.

    Raises:
        StoreError: if it cannot be read.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.text_factory = lambda data: data.decode("utf-8", "replace")  # they are shown
            return [KeptPrompt(*row) for row in connection.execute(_COUNTS)]
    except sqlite3.Error as error:
        remedy = "name the file in which an earlier run kept its answers"
        raise StoreError(f"{path}: cannot be read: {type(error).__name__} ({remedy})") from None
