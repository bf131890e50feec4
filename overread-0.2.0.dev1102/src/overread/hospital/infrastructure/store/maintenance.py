"""Sealing a hospital's texts anew."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from overread.hospital.infrastructure.store import open_hospital_store

__all__ = ["rotate"]


def rotate(
    place: Path | str,
    *,
    texts: Literal["plain", "sealed", "none"] = "sealed",
    key_file: Path | None = None,
    allow_plain: bool = False,
) -> int:
    """Seal every text of a hospital's store with the newest key; how many were sealed otherwise.

    It may be broken off and begun again, and the store be used meanwhile by processes that have read the new key. With
    ``texts`` "plain", those that are sealed are opened for good.

    Args:
        place: of the store, as for `open_hospital_store`.
        texts: how texts are kept.
        key_file: of the keys, the newest last; those of the environment where None.
        allow_plain: as for `open_hospital_store`.

    Raises:
        StoreError: if a text is sealed with a key that is not there.
        ConfigurationError: if there is no key.
    """
    with open_hospital_store(place, texts=texts, key_file=key_file, allow_plain=allow_plain) as store:
        return store.rotate()
