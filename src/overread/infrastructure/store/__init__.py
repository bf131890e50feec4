"""The result store: what was scored is kept in one SQLite file and not scored again. Off unless asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from overread.infrastructure.store.digest import pair_digest

if TYPE_CHECKING:
    from overread.infrastructure.store._results import SqlResultStore

__all__ = ["open_store", "pair_digest"]


def open_store(path: Path | str, *, store_text: bool = False) -> SqlResultStore:
    """The store in the SQLite file ``path``, which is made if it is not there, or in a database of PostgreSQL.

    Args:
        path: of the file, whose folder must exist; or the address of a database, "postgresql://USER@HOST/NAME".
        store_text: whether to keep the reports' text beside their digest.

    Raises:
        StoreError: if it cannot be opened, is no store, or was written by a newer overread.
    """
    from overread.infrastructure.store._layout import STORE  # noqa: PLC0415 - sqlmodel is slow to import
    from overread.infrastructure.store._opening import open_database  # noqa: PLC0415
    from overread.infrastructure.store._results import SqlResultStore  # noqa: PLC0415

    return SqlResultStore(open_database(path, STORE), store_text=store_text)
