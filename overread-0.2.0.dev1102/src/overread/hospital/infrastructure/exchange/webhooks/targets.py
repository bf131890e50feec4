"""Targets of webhooks, and the secrets that they are signed with."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

from attrs import field, frozen, validators

from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import ConfigurationError
from overread.hospital.infrastructure.exchange.addresses import checked_authorities, checked_url
from overread.hospital.infrastructure.exchange.secrets import Secret

__all__ = ["SHORTEST_SECRET", "WebhookTarget"]

SHORTEST_SECRET: Final = 24
"""Bytes of a secret at least, as Standard Webhooks asks."""

_PREFIX: Final = "whsec_"


def _keys(_: str, words: Sequence[str]) -> tuple[bytes, ...]:
    """Keys out of the words of a file or an environment variable, the newest first."""
    return tuple(map(_key, words))


def _key(written: str) -> bytes:
    problem = f'must hold "{_PREFIX}" and base64'
    if not written.startswith(_PREFIX):
        raise ConfigurationError([problem])
    try:
        return base64.b64decode(written.removeprefix(_PREFIX), validate=True)
    except ValueError:  # not base64, or not even ASCII
        raise ConfigurationError([problem]) from None


@frozen(kw_only=True)
class WebhookTarget:
    """A system that is told of important pairs.

    Attributes:
        name: by which the configuration of the service calls it.
        url: where to post; https, or http on this machine.
        secrets: that each message is signed with, the newest first: while a secret is changed, the target takes what
            is signed with either. One at least.
        pages: URL of the pages of overread, which messages link to; "" for no link.
        allow_plain: whether http is allowed to other machines.
        authorities: file of the certificates that the target's is checked by; the system's where None.
        seconds: that the target has for its answer.

    Raises:
        ConfigurationError: if it cannot be used; no secret is in the message.
    """

    name: str = field(validator=validators.min_len(1))
    url: str = field(repr=False)
    secrets: Annotated[tuple[bytes, ...], Secret(_keys)] = field(converter=in_tuple, repr=False)
    pages: str = ""
    allow_plain: bool = False
    authorities: Path | None = None
    seconds: float = field(default=10.0, validator=validators.gt(0.0))

    def __attrs_post_init__(self) -> None:
        checked_url(self.url, "url", allow_plain=self.allow_plain)
        checked_authorities(self.authorities, "authorities")
        if not self.secrets or min(map(len, self.secrets)) < SHORTEST_SECRET:
            raise ConfigurationError([f"secrets must have at least {SHORTEST_SECRET} bytes each"])
