"""All routes of the API, and its document."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI, Request
from starlette.responses import Response

from overread.hospital.domain.audit_signal import SIGNAL
from overread.hospital.infrastructure.http._access import Anyone
from overread.hospital.infrastructure.http._openapi import document_of
from overread.hospital.infrastructure.http._records import answer
from overread.hospital.infrastructure.http.api._administration import administration_router
from overread.hospital.infrastructure.http.api._fhir_resources import fhir_router
from overread.hospital.infrastructure.http.api._figures import figure_router
from overread.hospital.infrastructure.http.api._learning import learning_router
from overread.hospital.infrastructure.http.api._pairs import pair_router
from overread.hospital.infrastructure.http.api._readings import reading_router
from overread.hospital.infrastructure.http.api._reports import report_router
from overread.hospital.infrastructure.http.api._resources import resource_router
from overread.hospital.infrastructure.http.api._router import part_of_api
from overread.hospital.infrastructure.http.api._scoring import scoring_router

__all__ = ["API_ROUTERS", "DESCRIPTION"]

DESCRIPTION: Final = f"""Preliminary reports against final ones: what differs, where, and how much it matters.

A score is a {SIGNAL}."""

document_router: Final = part_of_api("document")
API_ROUTERS: Final = (
    scoring_router,
    report_router,
    pair_router,
    reading_router,
    learning_router,
    figure_router,
    resource_router,
    fhir_router,
    administration_router,
    document_router,
)


@document_router.get("/openapi.json", include_in_schema=False)
def openapi(by: Anyone, request: Request) -> Response:  # noqa: ARG001 - who asks must be somebody
    """The OpenAPI document."""
    app: FastAPI = request.app
    if app.openapi_schema is None:
        app.openapi_schema = document_of(app, DESCRIPTION)
    document: dict[str, Any] = app.openapi_schema
    return answer(document)
