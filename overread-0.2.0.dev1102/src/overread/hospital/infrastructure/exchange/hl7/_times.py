"""Times of HL7 (data type TS or DTM)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["moment"]

_TIME: Final = re.compile(
    r"(?P<date>\d{8})(?:(?P<hour>\d{2})(?P<minute>\d{2})?(?:(?P<second>\d{2})(?:\.(?P<fraction>\d{1,4}))?)?)?"
    r"(?P<zone>[+-]\d{4})?"
)


def moment(value: str, zone: str | None, location: str) -> datetime | None:
    """A time with its zone, None where it is not given or tells no zone and none is configured.

    Args:
        value: the field.
        zone: IANA name of the zone of times that tell none.
        location: of the field.

    Raises:
        RefusedMessageError: if it is no time.

    >>> moment("202603010815-0500", None, "OBR-22").isoformat(), moment("202603010815", None, "OBR-22")
    ('2026-03-01T08:15:00-05:00', None)
    """
    if not value:
        return None
    try:
        return _read(value, zone)
    except (ValueError, OverflowError):
        detail = (
            "a time must be written as YYYYMMDDHHMMSS+ZZZZ, with seconds, minutes and zone as far as they are known"
        )
        raise RefusedMessageError("bad-time", detail, location=location) from None


def _read(value: str, zone: str | None) -> datetime | None:
    match = _TIME.fullmatch(value)
    if match is None:
        raise ValueError("no time")
    day = date.fromisoformat(match["date"])
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    local = datetime.combine(day, time(hour, minute, second, int((match["fraction"] or "0").ljust(6, "0"))))
    where = _offset(match["zone"]) or (None if zone is None else ZoneInfo(zone))
    if where is None:
        return None
    zoned = local.replace(tzinfo=where)
    zoned.astimezone(UTC)  # the first and the last day there is may have no such time
    return zoned


def _offset(value: str | None) -> tzinfo | None:
    if value is None:
        return None
    size = timedelta(hours=int(value[1:3]), minutes=int(value[3:5]))
    return timezone(-size if value[0] == "-" else size)
