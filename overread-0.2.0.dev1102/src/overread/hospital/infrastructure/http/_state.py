"""State that the routes of an application work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from attrs import Factory, field, frozen
from fastapi import Depends, Request

from overread.hospital.application.service import HospitalService
from overread.hospital.domain.feeds import Feed
from overread.hospital.infrastructure.exchange.fhir.fetching import FhirFetcher
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.http._feed_look import FeedLook
from overread.hospital.infrastructure.http._joining import Joiner
from overread.hospital.infrastructure.http._metrics import Instruments
from overread.hospital.infrastructure.http._store_look import StoreLook
from overread.hospital.infrastructure.http._streams import Streams

__all__ = ["Hospital", "Served", "ServedHere", "served_of"]


@frozen(kw_only=True, eq=False)
class Served:
    """State that the routes of an application work with.

    Attributes:
        hospital: the service itself.
        joiner: scores what several requests ask for together.
        instruments: count and measure.
        streams: of events that are under way.
        parts: tells of each part of the process whether it works; called when somebody asks.
        plugins: metrics, components and plugins, as `overread plugins` lists them; called when somebody asks.
        fhir: how reports in FHIR are read; None where each request must name its site.
        fhir_fetcher: fetches what notifications name and do not bring; None where no server is configured.
        fhir_output: how results are written as FHIR.
        stopping: whether the process is about to end, and answers that never end must.
        feeds: that raise alerts where they fall silent.
        store_look: tells whether the store can be used.
        feed_look: tells figures of the feeds.
    """

    hospital: HospitalService
    joiner: Joiner
    instruments: Instruments
    streams: Streams
    parts: Callable[[], Mapping[str, bool]] = field(repr=False)
    plugins: Callable[[], Mapping[str, Any]] = field(repr=False)
    fhir: FhirOptions | None = None
    fhir_fetcher: FhirFetcher | None = None
    fhir_output: FhirOutput = field(factory=FhirOutput)
    stopping: Callable[[], bool] = field(repr=False)
    feeds: Sequence[Feed] = ()
    store_look: StoreLook = field(init=False, default=Factory(lambda self: StoreLook(self.hospital), takes_self=True))
    feed_look: FeedLook = field(
        init=False, default=Factory(lambda self: FeedLook(self.hospital, self.feeds), takes_self=True)
    )


def served_of(request: Request) -> Served:
    """The state of the application that answers a request."""
    served: Served = request.app.state.served
    return served


def _hospital_of(request: Request) -> HospitalService:
    return served_of(request).hospital


Hospital = Annotated[HospitalService, Depends(_hospital_of)]
ServedHere = Annotated[Served, Depends(served_of)]
