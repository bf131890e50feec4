"""The store of results, so that nothing is scored twice: in a SQLite file or a database of PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from overread.infrastructure.store.digest import pair_digest

if TYPE_CHECKING:
    from overread.infrastructure.store._results import SqlResultStore

__all__ = ["open_store", "pair_digest"]


def open_store(path: Path | str, *, store_text: bool = False, allow_plain: bool = False) -> SqlResultStore:
    """The store in the SQLite file ``path``, which is made if it is not there, or in a database of PostgreSQL.

    Args:
        path: of the file, whose folder must exist; or the address of a database, "postgresql://USER@HOST/NAME".
        store_text: whether to keep the reports' text beside their digest.
        allow_plain: whether a database beyond this machine may be talked to without TLS.

    Raises:
        StoreError: if it cannot be opened, is no store, or was written by a newer overread.
        ConfigurationError: if the address of a database asks for less than TLS, which is not allowed.
    """
    from overread.infrastructure.store._results import SqlResultStore  # noqa: PLC0415
    from overread.infrastructure.store.layout import STORE  # noqa: PLC0415 - sqlmodel is slow to import
    from overread.infrastructure.store.opening import open_database  # noqa: PLC0415

    return SqlResultStore(open_database(path, STORE, allow_plain=allow_plain), store_text=store_text)
