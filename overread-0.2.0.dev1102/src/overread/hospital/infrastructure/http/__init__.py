"""The hospital service over HTTP: who comes in, what they may do, and how much of it."""

# What is imported within functions is slow to import, and not everybody has it.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from overread.hospital.infrastructure.http.configuration import (
    LOOPBACK,
    HttpConfiguration,
    OidcConfiguration,
    ServerOptions,
)

if TYPE_CHECKING:
    from fastapi import APIRouter, FastAPI

    from overread.hospital.application.access import AccessControl, SecretHasher
    from overread.hospital.application.service import HospitalService
    from overread.hospital.domain.feeds import Feed
    from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
    from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
    from overread.hospital.infrastructure.exchange.fhir.servers import FhirServer
    from overread.hospital.infrastructure.http._server import HttpServer

__all__ = [
    "LOOPBACK",
    "HttpConfiguration",
    "OidcConfiguration",
    "ServerOptions",
    "create_app",
    "create_server",
    "secret_hasher",
]


def create_app(
    hospital: HospitalService,
    access: AccessControl,
    configuration: HttpConfiguration,
    *,
    oidc: OidcConfiguration | None = None,
    routers: Sequence[APIRouter] = (),
    parts: Callable[[], Mapping[str, bool]] = dict,
    plugins: Callable[[], Mapping[str, Any]] = dict,
    fhir: FhirOptions | None = None,
    fhir_server: FhirServer | None = None,
    fhir_output: FhirOutput | None = None,
    stopping: Callable[[], bool] = bool,
    feeds: Sequence[Feed] = (),
) -> FastAPI:
    """The service as an ASGI application.

    Args:
        hospital: what answers.
        access: the keys by which clients come in.
        configuration: of limits.
        oidc: an OpenID provider whose people may sign in.
        routers: of pages.
        parts: tells of each part of the process whether it works.
        plugins: metrics, components and plugins, as they are listed.
        fhir: how reports in FHIR are read where a request does not name its site.
        fhir_server: server that is asked for what notifications of its subscriptions do not bring.
        fhir_output: how results are written as FHIR; as usual where omitted.
        stopping: whether the process is about to end.
        feeds: that raise alerts where they fall silent; metrics tell them by their names.
    """
    from overread.hospital.infrastructure.http._app import build_app

    return build_app(
        hospital,
        access,
        configuration,
        oidc=oidc,
        routers=routers,
        parts=parts,
        plugins=plugins,
        fhir=fhir,
        fhir_server=fhir_server,
        fhir_output=fhir_output,
        stopping=stopping,
        feeds=feeds,
    )


def create_server(app: FastAPI, options: ServerOptions) -> HttpServer:
    """A server that, once started, listens for HTTP and lets an application answer."""
    from overread.hospital.infrastructure.http._server import HttpServer

    return HttpServer(app, options)


def secret_hasher() -> SecretHasher:
    """Argon2id, for the secrets of keys."""
    from overread.hospital.infrastructure.http._argon2 import Argon2Hasher

    return Argon2Hasher()
