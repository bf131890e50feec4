"""Keys that seal report text: in a file of their owner's alone, or in the environment."""

from __future__ import annotations

import base64
import binascii
import os
import secrets
import stat
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from attrs import field, frozen

from overread.exceptions import ConfigurationError
from overread.tables.replacing import replacing, sync

__all__ = ["ENVIRONMENT", "TextKeys", "add_key", "has_keys", "make_key_file", "read_keys"]

ENVIRONMENT: Final = "OVERREAD_TEXT_KEYS"
"""Name of the variable that holds keys as a key file does, with spaces or new lines between them."""

_BYTES: Final = 32
_LONGEST_ID: Final = 64
_CREDENTIALS: Final = "CREDENTIALS_DIRECTORY"
"""Variable by which systemd names the folder of a service's credentials, which nobody but the service can enter."""

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_OWNER_ONLY: Final = 0o600


@frozen
class TextKeys:
    """Keys of AES-256 by their ids. The last one seals; all of them open what they sealed.

    Raises:
        ConfigurationError: if there is none, or one is not of 32 bytes.
    """

    keys: Mapping[str, bytes] = field(repr=False)

    def __attrs_post_init__(self) -> None:
        if not self.keys:
            raise ConfigurationError([f"there is no key to seal texts with; {_REMEDY}"])
        if any(len(key) != _BYTES for key in self.keys.values()):
            raise ConfigurationError([f"a key to seal texts with must have {_BYTES} bytes; {_REMEDY}"])

    @property
    def current(self) -> str:
        """Id of the key that seals."""
        return list(self.keys)[-1]

    def __reduce__(self) -> str:
        raise TypeError("keys are not sent to other processes; each process reads them from their file")


_REMEDY: Final = (
    f"name the file of the store's keys as hospital.key_file, or give the settings that do, or set {ENVIRONMENT}; for "
    "a new store make one with overread rotate-keys --new-key --key-file FILE; each key stands as ID:BASE64"
)


def read_keys(path: Path | None, environment: Mapping[str, str] | None = None) -> TextKeys:
    """The keys of a file; those of the environment where no file is named.

    Args:
        path: of the key file: a line ID:BASE64 for each key, the newest last; lines that begin with "#" are remarks.
        environment: that of the process where omitted.

    Raises:
        ConfigurationError: if the file cannot be read, or others than its owner may read it; or if there are no keys.
            The message quotes no line.
    """
    if path is None:
        return _parse_keys(
            (environment if environment is not None else os.environ).get(ENVIRONMENT, "").split(), ENVIRONMENT
        )
    try:
        if path.stat().st_mode & _forbidden_bits(path, os.environ if environment is None else environment):
            raise ConfigurationError([f"{path}: users other than its owner may read the keys; run chmod 600 {path}"])
        lines = path.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError([f"{path}: the keys cannot be read ({type(error).__name__}); {_REMEDY}"]) from None
    return _parse_keys([line for line in lines if line.strip() and not line.startswith("#")], str(path))


def _forbidden_bits(path: Path, environment: Mapping[str, str]) -> int:
    """Bits of a key file's mode that must not be set.

    Since version 254 systemd lets a service read its credentials by an access control list, whose mask stands where
    the group's rights do: 0440, although no group may read them.
    """
    folder = environment.get(_CREDENTIALS)
    if folder and path.resolve().is_relative_to(Path(folder).resolve()):
        return _OTHERS & ~stat.S_IRGRP
    return _OTHERS


def has_keys(path: Path | None, environment: Mapping[str, str] | None = None) -> bool:
    """Return whether a key file is named, or the environment has keys."""
    return path is not None or bool((environment if environment is not None else os.environ).get(ENVIRONMENT))


def make_key_file(path: Path) -> str:
    """Make a key file with one new key, readable for its owner alone; the key's id.

    Raises:
        ConfigurationError: if something is there already, or it cannot be written.
    """
    name, line = _new_key(())
    try:
        _write(path, [line])
    except OSError as error:
        raise ConfigurationError([f"{path}: the key file cannot be made ({type(error).__name__})"]) from None
    return name


def add_key(path: Path) -> str:
    """Add a new key to a key file, which seals from now on; the earlier ones go on opening. The new key's id.

    Texts that stand there are sealed with it by `overread.hospital.infrastructure.store.maintenance.rotate`; then, and
    not before, the earlier keys may be taken out of the file.

    Raises:
        ConfigurationError: if the file cannot be read or written.
    """
    known = read_keys(path)
    name, line = _new_key(known.keys.keys())
    lines = [f"{key_id}:{base64.b64encode(key).decode()}" for key_id, key in known.keys.items()]
    try:
        with replacing(path, durable=True) as partial:
            _write(partial, [*lines, line])
    except OSError as error:
        raise ConfigurationError([f"{path}: the key file cannot be written ({type(error).__name__})"]) from None
    return name


def _write(path: Path, lines: Sequence[str]) -> None:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY), "w", encoding="ascii") as file:
        file.write("\n".join([*lines, ""]))
        sync(file)


def _new_key(known: Collection[str]) -> tuple[str, str]:
    """Id and line of a new key: the day it was made, numbered where there is one of that day."""
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    name = next(name for name in (day, *(f"{day}.{n}" for n in range(2, 10_000))) if name not in known)
    return name, f"{name}:{base64.b64encode(secrets.token_bytes(_BYTES)).decode()}"


def _parse_keys(lines: list[str], source: str) -> TextKeys:
    keys: dict[str, bytes] = {}
    for number, line in enumerate(lines, 1):
        name, colon, value = line.strip().partition(":")
        try:
            key = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if not colon or not name or len(name) > _LONGEST_ID or len(key) != _BYTES or name in keys:
            raise ConfigurationError([f"{source}: key {number} is not valid, or its id is there twice; {_REMEDY}"])
        keys[name] = key
    return TextKeys(keys)
