"""Health of the process: whether it lives and can work, and how much it does."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from overread.hospital.infrastructure.http._access import current_actor
from overread.hospital.infrastructure.http._metrics import CONTENT_TYPE
from overread.hospital.infrastructure.http._records import answer
from overread.hospital.infrastructure.http._state import ServedHere

__all__ = ["health_router"]

health_router: Final = APIRouter(include_in_schema=False)


@health_router.get("/healthz")
async def healthz() -> Response:
    """The process answers."""
    return answer({"status": "ok"})


@health_router.get("/readyz")
async def readyz(served: ServedHere) -> Response:
    """The store can be read and written and has room, and every part that is to run does."""
    parts = {**await served.store_look.parts(), **served.parts()}
    ready = all(parts.values()) and not served.stopping()
    states = {name: "ok" if works else "failed" for name, works in parts.items()}
    return answer({"status": "ready" if ready else "not ready", "parts": states}, status=200 if ready else 503)


@health_router.get("/metrics", dependencies=[Depends(current_actor())])
def metrics(served: ServedHere) -> Response:
    """Counts and times; for whoever has a key."""
    with served.hospital.store.reading() as unit:
        waiting = {"jobs": unit.jobs.waiting(), "deliveries": unit.deliveries.waiting()}
        waiting["notices"] = unit.notices.waiting()
    exposition = served.instruments.exposition(waiting, served.parts(), served.feed_look.figures())
    return Response(exposition, media_type=CONTENT_TYPE)
