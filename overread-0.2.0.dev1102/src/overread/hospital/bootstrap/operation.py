"""Looking after a hospital's store from the machine that it is on: its audit trail, copies, tables and keys."""

from __future__ import annotations

import getpass
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from overread.bootstrap.extras import STORE, check_installed
from overread.exceptions import ConfigurationError, InputError, StoreError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.key_check import KeyCheck
from overread.hospital.application.ports import HospitalStore, UnitOfWork
from overread.hospital.application.review_check import ReviewCheck
from overread.hospital.application.row_check import RowCheck
from overread.hospital.domain.audit_trail import AuditEvent, TrailCheck, verify

__all__ = ["check_trail", "new_key", "note", "restore", "seal_anew", "trail_records"]

_AT_ONCE: Final = 1000


def trail_records(store: HospitalStore, *, after: int = 0) -> Iterator[Mapping[str, Any]]:
    """The events of the audit trail as JSON holds them, digests and all, from the one after a number."""
    from overread.hospital.infrastructure.serialise import hospital_record

    return map(hospital_record, _events(store, after))


def check_trail(store: HospitalStore, exports: Sequence[Path] = ()) -> TrailCheck:
    """Check whether the audit trail of a store holds, by itself and against what `trail_records` gave before.

    Access keys, reviews, versions and pairs must also be as it tells, and lists as their results tell.

    Raises:
        InputError: if a line of an export cannot be read, or two exports disagree about an event.
    """
    known, reviews, rows, keys = _read_digests(exports), ReviewCheck(), RowCheck(), KeyCheck()
    with store.reading() as unit:
        events = map(keys.note, map(rows.note, map(reviews.note, _of_unit(unit, 0))))
        check = verify(events, known=known)
        for checker in (keys, reviews, rows):
            check = checker.against(unit, check) if check.holds else check
        return check


def note(store: HospitalStore, action: str, details: Mapping[str, str | int] | None = None) -> None:
    """Add an event to the audit trail on behalf of whoever is at the machine."""
    items = tuple((name, str(value)) for name, value in (details or {}).items())
    event = AuditEvent(
        number=0, at=datetime.now(UTC), actor=f"operator:{getpass.getuser()}", action=action, details=items
    )
    with store.transaction() as unit:
        unit.trail.append(event)


def new_key(configuration: HospitalConfiguration) -> str:
    """Add a key that seals texts from now on to the key file, which is made if it is not there; the key's id.

    Raises:
        ConfigurationError: if no key file is configured, or it cannot be written.
    """
    from overread.hospital.infrastructure.store.keys import add_key, make_key_file

    path = configuration.key_file
    if path is None:
        raise ConfigurationError(["there is no key file to add a key to; name one with `key_file` or in the settings"])
    return add_key(path) if path.exists() else make_key_file(path)


def restore(copy: Path, configuration: HospitalConfiguration) -> TrailCheck:
    """Put a copy in the place of the store that a configuration names, once all of it was found whole.

    That is: every page, the audit trail with the reviews that it tells of, and every text, which must open with the
    configured keys. Where something is amiss, nothing is put there. The event ``restore`` is the trail's newest then.

    Raises:
        StoreError: if the copy is damaged, the trail does not hold, a text does not open, or the place is taken.
        ConfigurationError: if texts are to be sealed and there is no key.
    """
    from overread.hospital.infrastructure.store import open_hospital_store
    from overread.infrastructure.store import maintenance

    checks: list[TrailCheck] = []
    check_installed("a hospital's store", STORE)

    def check(place: Path) -> None:
        with open_hospital_store(
            place, texts=configuration.texts.value, key_file=configuration.key_file, hold=configuration.hold
        ) as store:
            outcome = check_trail(store)
            if not outcome.holds:
                where = f"event {outcome.broken}: " if outcome.broken is not None else ""
                problem = f"{copy}: its audit trail does not hold: {where}{outcome.problem}"
                raise StoreError(f"{problem} (use an earlier copy, and find out who could write to this one)")
            store.check_texts()
            note(store, "restore", {"events": outcome.events})
            checks.append(outcome)

    maintenance.restore(copy, configuration.store, check)
    return checks[0]


def seal_anew(configuration: HospitalConfiguration) -> int:
    """Seal every text with the newest key; how many were sealed otherwise."""
    from overread.hospital.bootstrap.services import open_store_of
    from overread.hospital.infrastructure.store.maintenance import rotate
    from overread.infrastructure.store.maintenance import schema_of

    allow_plain = configuration.allow_plain
    schema_of(configuration.store, allow_plain=allow_plain)  # which must be there
    sealed = rotate(
        configuration.store,
        texts=configuration.texts.value,
        key_file=configuration.key_file,
        allow_plain=allow_plain,
    )
    store = open_store_of(configuration)
    try:
        note(store, "seal", {"texts": sealed})
    finally:
        store.close()
    return sealed


def _events(store: HospitalStore, after: int) -> Iterator[AuditEvent]:
    """All events after one, of one moment."""
    with store.reading() as unit:
        yield from _of_unit(unit, after)


def _of_unit(unit: UnitOfWork, after: int) -> Iterator[AuditEvent]:
    while some := unit.trail.events(after, _AT_ONCE):
        yield from some
        after = some[-1].number


def _read_digests(exports: Sequence[Path]) -> dict[int, str]:
    from overread.hospital.infrastructure.serialise import hospital_from_json

    known: dict[int, str] = {}
    for path in exports:
        for row, line in enumerate(path.read_bytes().splitlines(), 1):
            try:
                event = hospital_from_json(AuditEvent, line)
            except ValueError:
                raise InputError(str(path), "is not an event of an audit trail", row=row) from None
            if known.setdefault(event.number, event.digest) != event.digest:
                raise InputError(str(path), f"has another event {event.number} than an earlier export", row=row)
    return known
