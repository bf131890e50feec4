"""A service that has an invented day: sent through the doors that a hospital's systems use, and what came of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from attrs import evolve, field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import ConfigurationError
from overread.hospital.application.requests import PairState, Search, WorklistRow
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.demo_day import Channel, Sending, hospital_day

if TYPE_CHECKING:
    from overread.hospital.application.access import AccessControl
    from overread.hospital.application.service import HospitalService
    from overread.hospital.bootstrap.serving import Listening
    from overread.hospital.infrastructure.serving_settings import ServeConfiguration
    from overread.infrastructure.settings import Settings

__all__ = [
    "DEMONSTRATOR",
    "DayOutcome",
    "Demonstration",
    "Doors",
    "demonstration",
    "doors_of",
    "outcome_of_day",
    "send_day",
    "wait_until_scored",
]

DEMONSTRATOR: Final = Actor(name="demo", roles=frozenset({Role.ADMIN}))
"""On whose behalf a demonstration looks at what came of it."""

_LOOK: Final = 0.2
_TAKEN: Final = 0.1
_PATIENCE: Final = 60.0
_MOST_REFUSALS: Final = 1000

_LOOK_AT_FOLDER: Final = 0.2
_KEYS_LAST: Final = timedelta(days=1)

Told = Callable[[int], None]
"""Called with the number of messages sent so far."""


@frozen(kw_only=True)
class Doors:
    """Addresses that the systems of the invented hospital send their reports to.

    Attributes:
        host: of the service.
        hl7_port: where it listens for HL7.
        http_port: where it serves HTTP.
        key: secret by which a submitter comes in over HTTP.
        folder: that it watches.
    """

    host: str
    hl7_port: int
    http_port: int
    key: str = field(repr=False)
    folder: Path


@frozen(kw_only=True)
class DayOutcome:
    """Outcome of a day.

    Attributes:
        pairs: of versions, by kind.
        unscored: pairs without a score.
        significant: pairs with a significant discrepancy.
        refusals: messages that were not taken, by reason.
        first: the most important pairs.
    """

    pairs: Mapping[PairKind, int]
    unscored: int
    significant: int
    refusals: Mapping[str, int]
    first: tuple[WorklistRow, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class Demonstration:
    """A hospital of its own, to which the day can happen.

    Attributes:
        hospital: the service, with an empty store.
        configuration: of its process: HL7, HTTP and a folder on loopback.
    """

    hospital: HospitalService = field(repr=False)
    configuration: ServeConfiguration = field(repr=False)


@contextmanager
def demonstration(
    settings: Settings,
    configuration: ServeConfiguration,
    *,
    store: str | None = None,
    opens: Callable[[Settings], HospitalService] | None = None,
) -> Iterator[Demonstration]:
    """A hospital for a demonstration; all that it keeps is removed at the end, but for a store that is named.

    Whatever else is configured stays out of it: what is invented is not sent on, and nothing real comes in.

    Args:
        settings: which components score.
        configuration: where HTTP and HL7 are listened for, and the limits of HTTP.
        store: SQLite file to be made; one among what is removed where omitted.
        opens: makes the service of settings; as for the day where omitted.

    Raises:
        ConfigurationError: if the store is there already: an invented day must not get among real ones.
        StoreError: if it cannot be made.
    """
    from overread.hospital.bootstrap.services import open_hospital
    from overread.hospital.infrastructure.demo_day.hl7_messages import MODELS
    from overread.hospital.infrastructure.exchange.folder.options import FolderOptions
    from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options, MllpOptions
    from overread.hospital.infrastructure.serving_settings import ServeConfiguration

    if store is not None and ("://" in store or Path(store).exists()):
        raise ConfigurationError(["the demo needs a store of its own: name a file that does not exist yet"])
    with TemporaryDirectory(prefix="overread-demo-") as temporary:
        folder = Path(temporary) / "inbox"
        folder.mkdir(mode=0o700)
        place = store if store is not None else str(Path(temporary) / "hospital.db")
        yield Demonstration(
            # Nobody's secrets are in these reports; sealing them would want a key first.
            hospital=(opens or open_hospital)(evolve(settings, hospital={"store": place, "texts": "plain"})),
            configuration=ServeConfiguration(
                http=configuration.http,
                limits=configuration.limits,
                hl7=configuration.hl7 or MllpOptions(port=0),
                hl7_reading=Hl7Options(models=MODELS),
                folder=FolderOptions(path=folder, every_seconds=_LOOK_AT_FOLDER),
                drain=configuration.drain,
            ),
        )


def doors_of(listening: Listening, access: AccessControl) -> Doors:
    """The doors of a process, with a key for the systems that send reports.

    Raises:
        ConfigurationError: if one is not there.
    """
    address = urlsplit(listening.url)
    if listening.hl7 is None or listening.folder is None or address.port is None or address.scheme != "http":
        raise ConfigurationError(["the demo needs HL7, plain HTTP and a folder, all on this machine only"])
    key = access.issue("demo systems", {Role.SUBMITTER}, by=DEMONSTRATOR, lasting=_KEYS_LAST)
    return Doors(
        host=listening.hl7[0],
        hl7_port=listening.hl7[1],
        http_port=address.port,
        key=key.secret,
        folder=listening.folder,
    )


def send_day(doors: Doors, *, day: Sequence[Sending] | None = None, told: Told | None = None) -> None:
    """Send the messages of a day, each site's in their order and the sites side by side; as fast as they are taken.

    Args:
        doors: where to.
        day: the messages; the whole invented day where omitted.
        told: is called as it goes.

    Raises:
        OSError: if a door is closed, or does not answer.
    """
    sendings = hospital_day() if day is None else day
    lock, numbers = Lock(), count(1)

    def send() -> None:
        with lock:
            number = next(numbers)
            if told is not None:
                told(number)

    ways = {Channel.HL7: _send_hl7, Channel.FHIR: _post_fhir, Channel.FOLDER: _drop_files}
    with ThreadPoolExecutor(len(ways)) as threads:
        sites = [
            threads.submit(way, doors, [sending for sending in sendings if sending.channel is channel], send)
            for channel, way in ways.items()
        ]
        for site in sites:
            site.result()


def wait_until_scored(service: HospitalService, *, by: Actor, told: Told | None = None) -> None:
    """Wait until no pair waits; ``told`` is called with the number of pairs that are done.

    To be called when all is sent: a service without workers would be waited for without end.
    """
    while True:
        waiting = service.search(Search(state=PairState.WAITING, limit=1), by=by).total
        if told is not None:
            told(service.search(Search(limit=1), by=by).total - waiting)
        if not waiting:
            return
        time.sleep(_LOOK)


def outcome_of_day(service: HospitalService, *, by: Actor, first: int = 10) -> DayOutcome:
    """Sum up what a service made of all that it was sent.

    Args:
        service: that took it.
        by: on whose behalf; admin.
        first: number of most important pairs to tell.
    """
    rows = list(service.export(Search(), by=by))
    refusals = service.refusals(by=by, limit=_MOST_REFUSALS)
    return DayOutcome(
        pairs=Counter(row.kind for row in rows),
        unscored=sum(row.state is PairState.UNSCORED for row in rows),
        significant=sum(row.significant > 0 for row in rows),
        refusals=Counter(refusal.reason for refusal in refusals),
        first=service.search(Search(limit=first), by=by).rows,
    )


# --- the sites -------------------------------------------------------------------------------------------------------


def _send_hl7(doors: Doors, sendings: Sequence[Sending], sent: Callable[[], None]) -> None:
    asyncio.run(_over_mllp(doors, sendings, sent))


async def _over_mllp(doors: Doors, sendings: Sequence[Sending], sent: Callable[[], None]) -> None:
    """One connection for all, and a new one after each message that the listener closes it upon."""
    from overread.hospital.infrastructure.demo_day.hl7_messages import message
    from overread.hospital.infrastructure.exchange.hl7.client import MllpClient
    from overread.hospital.infrastructure.exchange.hl7.framing import frame_message

    remaining = list(sendings)
    while remaining:
        async with MllpClient(doors.host, doors.hl7_port) as client:
            while remaining:
                sending = remaining.pop(0)
                if sending.fault == "cut":
                    whole = frame_message(message(sending))
                    client.write(whole[: len(whole) // 2])
                else:
                    await client.send(message(sending))
                sent()
                if sending.fault in {"cut", "oversized"}:
                    break


def _post_fhir(doors: Doors, sendings: Sequence[Sending], sent: Callable[[], None]) -> None:
    from overread.hospital.infrastructure.demo_day.fhir_bundles import bundle
    from overread.hospital.infrastructure.exchange.fhir.client import FhirClient

    if not sendings:
        return
    path = f"/api/v1/fhir?site={sendings[0].version.examinations[0].site}"
    with FhirClient(doors.host, doors.http_port, key=doors.key, path=path) as client:
        for sending in sendings:
            client.post(json.dumps(bundle(sending)).encode("utf-8"))
            sent()


def _drop_files(doors: Doors, sendings: Sequence[Sending], sent: Callable[[], None]) -> None:
    """Each file is renamed into place, and taken before the next one comes."""
    from overread.hospital.infrastructure.demo_day.folder_files import folder_files

    for file in folder_files(sendings):
        place = doors.folder / file.name
        part = place.with_name(f"{place.name}.part")
        part.write_bytes(file.content)
        part.rename(place)
        _wait_until_taken(place)
        for _ in file.sendings:
            sent()


def _wait_until_taken(place: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while place.exists():
        if time.monotonic() > until:
            raise TimeoutError(f"{place.name} was not taken from the folder")
        time.sleep(_TAKEN)
