"""A part of the API."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Depends
from fastapi.routing import APIRoute

from overread.hospital.infrastructure.http._records import no_unknown_parameters

__all__ = ["API", "part_of_api"]

API: Final = "/api/v1"


def part_of_api(tag: str, *, route: type[APIRoute] = APIRoute) -> APIRouter:
    """A router of the API.

    Args:
        tag: under which its routes are described.
        route: class of its routes.
    """
    return APIRouter(prefix=API, tags=[tag], dependencies=[Depends(no_unknown_parameters)], route_class=route)
