"""Tables of the result store. Their metadata is their own, apart from that of a host which uses sqlmodel too."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final

from sqlalchemy import Table
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel, UniqueConstraint

__all__ = [
    "DISCREPANCIES",
    "RESULTS",
    "RUNS",
    "SCHEMA_VERSION",
    "DiscrepancyRow",
    "PairRow",
    "ResultRow",
    "RunRow",
    "SchemaVersion",
    "StoreTable",
]

SCHEMA_VERSION: Final = 12
"""The newest revision of the tables: 1 to 3 are results alone, 4 has the hospital beside them."""


class StoreTable(SQLModel, registry=registry()):
    """Base of the tables."""


class SchemaVersion(StoreTable, table=True):
    """One row: the version of the tables in this file."""

    __tablename__: ClassVar[str] = "schema_version"

    version: int = Field(primary_key=True)


class RunRow(StoreTable, table=True):
    """A named run."""

    __tablename__: ClassVar[str] = "runs"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    started: datetime


class PairRow(StoreTable, table=True):
    """A pair of reports: its digest, the id it was first seen under, and its text only if that was asked for."""

    __tablename__: ClassVar[str] = "pairs"

    digest: str = Field(primary_key=True)
    name: str = Field(index=True)
    reference: str | None = Field(default=None)
    candidate: str | None = Field(default=None)


class ResultRow(StoreTable, table=True):
    """A result: its record as JSON, and columns to look it up by. ``digest`` is of what it says and of its key."""

    __tablename__: ClassVar[str] = "results"
    __table_args__ = (UniqueConstraint("pair_digest", "metric", "signature"),)

    id: int | None = Field(default=None, primary_key=True)
    pair_digest: str = Field(foreign_key="pairs.digest")
    metric: str
    signature: str
    run_id: int = Field(foreign_key="runs.id", index=True)
    pair_name: str
    status: str
    reason: str | None
    score: float | None
    record: str
    digest: str = Field(default="")
    created: datetime


class DiscrepancyRow(StoreTable, table=True):
    """A discrepancy of a result, for counting and weighing across pairs; no weight where it was not weighed.

    ``digest`` is of what it says, of its place among those of its result, and of that result's key.
    """

    __tablename__: ClassVar[str] = "discrepancies"

    id: int | None = Field(default=None, primary_key=True)
    result_id: int | None = Field(foreign_key="results.id", index=True, nullable=False, ondelete="CASCADE")
    category: str | None
    aspect: str
    type: str | None
    severity: str
    finding: str
    importance: str | None = Field(default=None)
    extent: float | None = Field(default=None)
    weight: float | None = Field(default=None)
    probability: float | None = Field(default=None)
    digest: str = Field(default="")


RUNS: Final[Table] = StoreTable.metadata.tables["runs"]
RESULTS: Final[Table] = StoreTable.metadata.tables["results"]
DISCREPANCIES: Final[Table] = StoreTable.metadata.tables["discrepancies"]
