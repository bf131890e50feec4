"""A whole hospital service on loopback: HL7, HTTP, a folder and workers, as `overread serve` puts them together."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import uvicorn

from overread.application.hospital.access import AccessControl
from overread.application.hospital.aio import AsyncHospitalService
from overread.application.hospital.service import HospitalService
from overread.application.hospital.workers import Workers
from overread.bootstrap.hospital_demo import Doors
from overread.bootstrap.services import build_service
from overread.domain.hospital.audit_trail import Actor, Role
from overread.infrastructure.datasets.hospital_day.hl7_messages import MODELS
from overread.infrastructure.exchange.folder.drop import FolderDrop
from overread.infrastructure.exchange.folder.options import FolderOptions
from overread.infrastructure.exchange.hl7.listener import MllpListener
from overread.infrastructure.exchange.hl7.options import Hl7Options, MllpOptions
from overread.infrastructure.http import HttpConfiguration, create_app, secret_hasher
from overread.infrastructure.settings import Settings
from overread.infrastructure.store import open_hospital_store

_LEAD = Actor(name="lead", roles=frozenset({Role.ADMIN}))


@contextmanager
def standing_hospital(place: Path | str, folder: Path) -> Iterator[tuple[HospitalService, Doors]]:
    """A service with its store at a place, and its doors open."""
    service = HospitalService(open_hospital_store(place, texts="plain"), build_service(Settings()))
    access = AccessControl(service.store, secret_hasher())
    issued = access.issue("systems", [Role.SUBMITTER], by=_LEAD)
    app = create_app(service, access, HttpConfiguration())
    stop, ready, ports = Event(), Event(), dict[str, int]()

    async def run() -> None:
        stopping = asyncio.Event()
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
        async with MllpListener(
            AsyncHospitalService(service), MllpOptions(port=0), Hl7Options(models=MODELS)
        ) as listener:
            drop = FolderDrop(service, FolderOptions(path=folder, every_seconds=0.05))
            tasks: list[asyncio.Task[Any]] = [
                asyncio.create_task(server.serve()),
                asyncio.create_task(drop.watch(stopping)),
            ]
            while not server.started:  # noqa: ASYNC110 - uvicorn tells by nothing else
                await asyncio.sleep(0.02)
            ports["hl7"] = listener.port
            ports["http"] = server.servers[0].sockets[0].getsockname()[1]
            ready.set()
            await asyncio.to_thread(stop.wait)
            server.should_exit = True
            stopping.set()
            await asyncio.gather(*tasks)

    thread = Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert ready.wait(30), "the service did not start"
    workers = Workers(service)
    workers.start()
    try:
        yield (
            service,
            Doors(host="127.0.0.1", hl7_port=ports["hl7"], http_port=ports["http"], key=issued.secret, folder=folder),
        )
    finally:
        workers.stop()
        stop.set()
        thread.join(30)
        service.close()
