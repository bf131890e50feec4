"""The hospital service over HTTP: who comes in, what they may do, and how much of it."""

# What is imported within functions is slow to import, and not everybody has it.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from overread.infrastructure.http.configuration import LOOPBACK, HttpConfiguration

if TYPE_CHECKING:
    from fastapi import APIRouter, FastAPI

    from overread.application.hospital.access import AccessControl, SecretHasher
    from overread.application.hospital.service import HospitalService
    from overread.infrastructure.http._access import BearerTokens

__all__ = ["LOOPBACK", "HttpConfiguration", "create_app", "secret_hasher"]


def create_app(
    hospital: HospitalService,
    access: AccessControl,
    configuration: HttpConfiguration,
    *,
    tokens: BearerTokens | None = None,
    routers: Sequence[APIRouter] = (),
) -> FastAPI:
    """The service as an ASGI application.

    Args:
        hospital: what answers.
        access: the keys by which clients come in.
        configuration: of limits.
        tokens: of an OpenID provider, if one is configured.
        routers: of pages.
    """
    from overread.infrastructure.http._app import build_app

    return build_app(hospital, access, configuration, tokens=tokens, routers=routers)


def secret_hasher() -> SecretHasher:
    """Argon2id, for the secrets of keys."""
    from overread.infrastructure.http._argon2 import Argon2Hasher

    return Argon2Hasher()
