"""Settings for a folder that reports are dropped into."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from attrs import field, frozen, validators

from overread.hospital.infrastructure.exchange.bare import is_bare
from overread.hospital.infrastructure.exchange.zones import is_zone

__all__ = ["FolderOptions"]

_POSITIVE: Final = validators.ge(1)


@frozen(kw_only=True)
class FolderOptions:
    """A folder, and how its files are read.

    Attributes:
        path: of the folder; it must be there. In it are made ``taken``, ``done`` and ``refused``.
        site: of rows that name none; "" refuses them.
        zone: IANA name of the time zone of times that tell none; None refuses them.
        largest_file: in bytes, packed or not.
        most_rows: of a file.
        keep_done: whether files stay in ``done`` once their reports are stored; else only what is told of them does.
        every_seconds: between two looks at it.
    """

    path: Path = field(converter=Path)
    site: str = field(default="", validator=is_bare)
    zone: str | None = field(default=None, validator=is_zone)
    largest_file: int = field(default=64 * 2**20, validator=_POSITIVE)
    most_rows: int = field(default=1000, validator=_POSITIVE)
    keep_done: bool = True
    every_seconds: float = field(default=2.0, validator=validators.gt(0))
