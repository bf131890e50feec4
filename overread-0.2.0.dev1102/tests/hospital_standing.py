"""A whole hospital service on loopback: HL7, HTTP, a folder and workers, in a process that is a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread

from overread.hospital.application.service import HospitalService
from overread.hospital.bootstrap.demo import Doors, doors_of
from overread.hospital.bootstrap.services import open_hospital
from overread.hospital.bootstrap.serving import Listening, ServiceProcess
from overread.hospital.infrastructure.demo_day.hl7_messages import MODELS
from overread.hospital.infrastructure.exchange.folder.options import FolderOptions
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options, MllpOptions
from overread.hospital.infrastructure.http.configuration import ServerOptions
from overread.hospital.infrastructure.serving_settings import ServeConfiguration


@contextmanager
def standing_hospital(place: Path | str, folder: Path) -> Iterator[tuple[HospitalService, Doors]]:
    """A service with its store at a place, and its doors open."""
    configuration = ServeConfiguration(
        http=ServerOptions(port=0),
        hl7=MllpOptions(port=0),
        hl7_reading=Hl7Options(models=MODELS),
        folder=FolderOptions(path=folder, every_seconds=0.05),
    )
    service = open_hospital({"hospital": {"store": str(place), "texts": "plain"}})
    process = ServiceProcess(service, configuration)
    with standing(process) as listening:
        yield service, doors_of(listening, process.access)


@contextmanager
def standing(process: ServiceProcess) -> Iterator[Listening]:
    """A process of the service that runs in a thread, from when it listens until the end of the block."""
    told: Queue[tuple[Listening, asyncio.AbstractEventLoop, asyncio.Event]] = Queue()

    async def run() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        await process.run(stop, lambda listening: told.put((listening, loop, stop)))

    thread = Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    listening, loop, stop = told.get(timeout=60)
    try:
        yield listening
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)
