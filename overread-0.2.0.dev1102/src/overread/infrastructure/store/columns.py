"""Types of columns that SQLite and PostgreSQL keep alike."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, String
from sqlalchemy.types import TypeDecorator

__all__ = ["Moment", "Words", "plain", "storable"]


class Moment(TypeDecorator[datetime]):
    """A moment, given with a time zone and read in UTC; SQLite has no zones and is given none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment in UTC. Raises `ValueError` without a time zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        return value.astimezone(UTC).replace(tzinfo=None if dialect.name == "sqlite" else UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - as given
        """The moment in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Words(TypeDecorator[str]):
    """A short text that is no report; characters that a database cannot hold are written out."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - as given
        """The text as a database can hold it."""
        return None if value is None else plain(value)


def plain(text: str) -> str:
    """A short text as a column of `Words` gives it back."""
    return storable(text).replace("\0", "\\x00")


def storable(text: str) -> str:
    """The text, with half characters, which no database can hold, written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
