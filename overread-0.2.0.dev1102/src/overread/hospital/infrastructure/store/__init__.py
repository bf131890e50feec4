"""The hospital's store, in a SQLite file or a database of PostgreSQL: all that the service keeps."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from overread.hospital.infrastructure.store._hospital import SqlHospitalStore

__all__ = ["DEFAULT_HOLD", "open_hospital_store"]


DEFAULT_HOLD: Final = timedelta(days=30)
"""Time for which a text that is not to be kept is held in case a correction of it comes: most come within days."""


def open_hospital_store(
    place: Path | str,
    *,
    texts: Literal["plain", "sealed", "none"] = "sealed",
    key_file: Path | None = None,
    hold: timedelta = DEFAULT_HOLD,
    locked: bool = False,
    allow_plain: bool = False,
) -> SqlHospitalStore:
    """The store of a hospital's service: a SQLite file, made if it is not there, or a database of PostgreSQL.

    What it acknowledges is on the disk, and outlives a power cut.

    Args:
        place: path of the file, whose folder must exist; or the address of a database, "postgresql://USER@HOST/NAME".
        texts: how the text of reports, and what reviewers write, is kept: as it is; sealed by AES-GCM; or not at all,
            which is sealed and only as long as a comparison needs it.
        key_file: of the keys that seal, see `overread.hospital.infrastructure.store.keys`; those of the environment
            where None.
        hold: for which a text is held that a later pair may need, where texts are not kept.
        locked: whether to do without the keys, for what needs no text: the audit trail, access keys.
        allow_plain: whether a database beyond this machine may be talked to without TLS.

    Raises:
        StoreError: if it cannot be opened, is no store, was written by a newer overread, or belongs to other keys.
        ConfigurationError: if texts are to be sealed and there is no key, or the address of a database asks for less
            than TLS, which is not allowed.
    """
    from overread.hospital.infrastructure.store._hospital import SqlHospitalStore  # noqa: PLC0415 - sqlmodel is slow to import
    from overread.hospital.infrastructure.store._seals import Seals  # noqa: PLC0415
    from overread.hospital.infrastructure.store.keys import has_keys, read_keys  # noqa: PLC0415
    from overread.infrastructure.store.layout import DURABLE  # noqa: PLC0415
    from overread.infrastructure.store.opening import open_database  # noqa: PLC0415

    seals = locked or texts != "plain"
    keys = read_keys(key_file) if not locked and (seals or has_keys(key_file)) else None
    database = open_database(place, DURABLE, allow_plain=allow_plain)
    return SqlHospitalStore(database, Seals(keys, seals=seals), hold=hold if texts == "none" else None)
