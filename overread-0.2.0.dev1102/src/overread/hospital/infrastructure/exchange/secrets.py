"""Secrets from where they are kept: settings name the place, never the secret."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, get_args

from attrs import frozen
from cattrs import Converter

from overread.exceptions import ConfigurationError
from overread.structuring import strict_converter

__all__ = ["Secret", "SecretBytes", "SecretPlace", "SecretText", "secret_words", "secrets_converter"]

_REMEDY: Final = "must be env:NAME or file:PATH, where the secret is kept"


def secret_words(place: str, environment: Mapping[str, str]) -> list[str]:
    """The words of a secret, one at least.

    Args:
        place: "env:NAME" or "file:PATH".
        environment: of the process.

    Raises:
        ConfigurationError: if there is none; nothing of it is in the message, which goes on after a setting's name.

    >>> secret_words("env:TOKEN", {"TOKEN": "abc"})
    ['abc']
    """
    kind, _, name = place.partition(":")
    if kind not in ("env", "file") or not name:
        raise ConfigurationError([_REMEDY])
    what = f"names the environment variable {name}" if kind == "env" else f"names the file {name}"
    if kind == "env" and name not in environment:
        raise ConfigurationError([f"{what}, which is not set"])
    try:
        text = environment[name] if kind == "env" else Path(name).expanduser().read_text(encoding="ascii")
    except OSError as error:
        raise ConfigurationError([f"{what}, which cannot be read: {error.strerror}"]) from None
    except ValueError:
        raise ConfigurationError([f"{what}, which contains characters other than ASCII"]) from None
    if not text.split():
        raise ConfigurationError([f"{what}, which is empty"])
    return text.split()


@frozen
class Secret:
    """Marks the type of an attribute that holds a secret, whose setting is the place where it is kept.

    Attributes:
        read: what the attribute holds, of the place and the words that are kept there.
    """

    read: Callable[[str, Sequence[str]], Any]


SecretText = Annotated[str, Secret(lambda _, words: words[0])]
SecretBytes = Annotated[bytes, Secret(lambda _, words: words[0].encode())]
SecretPlace = Annotated[str, Secret(lambda place, _: place)]
"""A secret that is looked up anew whenever it is needed; what is held is its place."""


def secrets_converter(environment: Mapping[str, str]) -> Converter:
    """A strict converter that looks secrets up where settings say that they are.

    Args:
        environment: of the process.
    """

    def look_up(place: object, kind: Any) -> Any:
        if not isinstance(place, str):
            raise ValueError(_REMEDY)  # noqa: TRY004 - a setting that is wrong, not a program
        return _mark(kind).read(place, secret_words(place, environment))

    converter = strict_converter()
    converter.register_structure_hook_func(_is_secret, look_up)
    return converter


def _is_secret(kind: Any) -> bool:
    return any(isinstance(annotation, Secret) for annotation in get_args(kind))


def _mark(kind: Any) -> Secret:
    return next(annotation for annotation in get_args(kind) if isinstance(annotation, Secret))
