"""The result store: what was scored is kept in one SQLite file and not scored again. Off unless asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from overread.infrastructure.store.digest import pair_digest

if TYPE_CHECKING:
    from overread.infrastructure.store._results import SqliteResultStore

__all__ = ["open_store", "pair_digest"]


def open_store(path: Path | str, *, store_text: bool = False) -> SqliteResultStore:
    """The store in the SQLite file ``path``, which is made if it is not there.

    Args:
        path: of the file; its folder must exist.
        store_text: whether to keep the reports' text beside their digest.

    Raises:
        StoreError: if the file cannot be opened, is no store, or was written by a newer overread.
    """
    from overread.infrastructure.store._results import SqliteResultStore  # noqa: PLC0415 - sqlmodel is slow to import

    return SqliteResultStore(Path(path), store_text=store_text)
