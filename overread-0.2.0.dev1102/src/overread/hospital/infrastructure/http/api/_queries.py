"""A search of pairs by the query of an address."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Depends, Query, Request
from pydantic import AfterValidator, AwareDatetime

from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.requests import Order, PairState, Search, Withdrawn
from overread.hospital.application.use_cases.context import is_storable_moment
from overread.hospital.domain.review import Radpeer, ReviewState
from overread.hospital.domain.version_pairs import PairKind

__all__ = ["LARGEST", "Groups", "Limit", "Moment", "Number", "Searched", "Word"]

LARGEST: Final = 2**63 - 1
"""The largest number that a store has."""


def _storable(moment: datetime) -> datetime:
    if not is_storable_moment(moment):
        raise ValueError("the time does not exist in UTC")
    return moment


Word = Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")]
Number = Annotated[int | None, Query(ge=1, le=LARGEST)]
Limit = Annotated[int, Query(ge=1, le=500)]
_Aware = Annotated[AwareDatetime, AfterValidator(_storable)]
Moment = Annotated[
    _Aware | None,
    Query(description="ISO 8601 with a time zone, such as 2026-11-01T00:00:00Z; the end is not included."),
]
Groups = Annotated[list[Grouping] | None, Query(description="What to group rates by; may be given several times.")]
_Risk = Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)]


def _search_of_query(  # noqa: PLR0917 - each is a name in the query
    request: Request,
    kind: PairKind | None = None,
    site: Word = None,
    modality: Word = None,
    reader: Word = None,
    model: Word = None,
    device: Word = None,
    accession: Word = None,
    since: Moment = None,
    until: Moment = None,
    importance: Importance | None = None,
    severity: Severity | None = None,
    category: ErrorCategory | None = None,
    finding: Word = None,
    min_risk: _Risk = None,
    max_risk: _Risk = None,
    state: PairState | None = None,
    review: ReviewState | None = None,
    radpeer: Radpeer | None = None,
    signature: Annotated[str | None, Query(max_length=4000, pattern=r"^[^\x00]*$")] = None,
    batch: Number = None,
    sample: Number = None,
    withdrawn: Withdrawn | None = None,
    order: Order = Order.IMPORTANCE,
    after: Annotated[str | None, Query(max_length=1000, pattern=r"^[^\x00]*$")] = None,
    limit: Limit = 50,
) -> Search:
    given: dict[str, Any] = {name: value for name, value in locals().items() if name != "request"}
    return Search(**given)


Searched = Annotated[Search, Depends(_search_of_query)]
