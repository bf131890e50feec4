"""Routes of whoever leads readings: protocols, their progress, and how far readers agree."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from attrs import define, evolve
from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from overread.application.statistics.tabulation import Tabulation
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.requests import Search
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.reading import AssignmentState, ReadingProtocol
from overread.hospital.infrastructure.http._access import Lead
from overread.hospital.infrastructure.http._state import served_of
from overread.hospital.infrastructure.http.pages._answers import as_sentence, filled_in, page, see
from overread.hospital.infrastructure.http.pages.assignments import lines
from overread.hospital.infrastructure.http.pages.counting import rates_csv
from overread.hospital.infrastructure.http.pages.filters import chips, query_of, read_search, values_of
from overread.hospital.infrastructure.http.pages.protocols import (
    agreement_parts,
    plan_of_form,
    protocol_lines,
    protocol_view,
    state_counts,
)
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary

__all__ = ["PROTOCOLS", "ProtocolPages"]

PROTOCOLS: Final = "/protocols"

_LARGEST: Final = 2**63 - 1
_PAGE: Final = 500
_ROWS: Final = 50

Number = Annotated[int, Path(ge=1, le=_LARGEST)]
Form = Annotated[dict[str, str], Depends(filled_in)]


@define(eq=False)
class ProtocolPages:
    """Answers with reading protocols, and makes them."""

    vocabulary: Vocabulary

    def protocols(self, request: Request, actor: Lead) -> Response:
        """All protocols, those that are open first."""
        hospital = served_of(request).hospital
        known: list[ReadingProtocol] = []
        while part := hospital.protocols(by=actor, after=known[-1].number if known else 0, limit=_PAGE):
            known += part
        return page(
            request,
            "protocols.html.j2",
            actor,
            title="Reading protocols",
            place=PROTOCOLS,
            protocols=protocol_lines(known),
        )

    def new(self, request: Request, actor: Lead) -> Response:
        """The form by which a protocol is made, of the pairs that a search finds unless others are named."""
        wanted = read_search(request.query_params, self.vocabulary)
        return self._form(request, actor, wanted.search, {}, wanted.problems)

    def create(self, request: Request, actor: Lead, form: Form) -> Response:
        """Makes a protocol and leads to it, or tells what is amiss and keeps what was filled in."""
        filters = {name.removeprefix("f-"): value for name, value in form.items() if name.startswith("f-")}
        wanted = read_search(filters, self.vocabulary)
        plan, problems = plan_of_form(form, wanted.search)
        problems = [*wanted.problems, *problems]
        if plan is not None and not problems:
            try:
                made = served_of(request).hospital.create_protocol(plan, by=actor)
            except InputError as error:
                problems = [as_sentence(error.problem)]
            except NotFoundError as error:
                problems = [as_sentence(str(error))]
            else:
                return see(f"{PROTOCOLS}/{made.protocol.number}")
        return self._form(request, actor, wanted.search, form, problems)

    def protocol(
        self,
        request: Request,
        actor: Lead,
        number: Number,
        *,
        state: AssignmentState | None = None,
        reader: Annotated[str, Query(max_length=200)] = "",
        after: Annotated[int, Query(ge=0, le=_LARGEST)] = 0,
        changed: Annotated[int | None, Query(ge=1, le=_LARGEST)] = None,
    ) -> Response:
        """A protocol: how far its pairs are, who has how much to do, and its assignments, those first that are late."""
        hospital = served_of(request).hospital
        view = protocol_view(hospital.protocol(number, by=actor))
        counts = state_counts(view, reader)
        state = state or next((each for each, count in counts.items() if count), AssignmentState.OPEN)
        part = hospital.assignments(
            by=actor, reader=reader or None, protocol=number, state=state, after=after, limit=_ROWS
        )
        return page(
            request,
            "protocol.html.j2",
            actor,
            title=view.name,
            place=PROTOCOLS,
            view=view,
            rows=lines(part.rows),
            following=part.next,
            state=state,
            reader=reader,
            counts=counts,
            changed=changed,
        )

    def close(self, request: Request, actor: Lead, number: Number, form: Form) -> Response:
        """Ends a protocol, once whoever asks has said that they mean it."""
        if "sure" in form:
            served_of(request).hospital.close_protocol(number, by=actor)
        return see(f"{PROTOCOLS}/{number}")

    def agreement(self, request: Request, actor: Lead, number: Number) -> Response:
        """Agreement of the readers in figures, and drawn; not for those who read for it blinded."""
        name = protocol_view(served_of(request).hospital.protocol(number, by=actor)).name
        tabulation, problem = None, ""
        try:
            tabulation = self._tabulation(request, actor, number)
        except InputError as error:
            problem = as_sentence(error.problem)
        return page(
            request,
            "agreement.html.j2",
            actor,
            title=f"Agreement, {name}",
            place=PROTOCOLS,
            number=number,
            protocol_name=name,
            problem=problem,
            tabulation=tabulation,
            parts=agreement_parts(tabulation) if tabulation else [],
        )

    def agreement_csv(self, request: Request, actor: Lead, number: Number) -> Response:
        """The same figures as a file, a line a cell, not rounded."""
        headers = {"Content-Disposition": 'attachment; filename="overread-agreement.csv"'}
        figures = rates_csv(self._tabulation(request, actor, number))
        return Response(figures, media_type="text/csv; charset=utf-8", headers=headers)

    def _tabulation(self, request: Request, actor: Actor, number: int) -> Tabulation:
        return served_of(request).hospital.agreement(number, by=actor).tabulation()

    def _form(
        self, request: Request, actor: Actor, search: Search, form: Mapping[str, str], problems: Sequence[str]
    ) -> Response:
        search = evolve(search, after=None)
        return page(
            request,
            "protocol_form.html.j2",
            actor,
            title="New reading protocol",
            place=PROTOCOLS,
            status=422 if form and problems else 200,
            problems=problems,
            form=form,
            seed=secrets.randbelow(2**31),
            values=values_of(search, self.vocabulary),
            chips=chips(search, self.vocabulary, f"{PROTOCOLS}/new"),
            query=query_of(search, self.vocabulary),
        )
