"""Routes of what a quality lead counts: samples and rates."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from attrs import define, evolve
from fastapi import Depends, Request
from starlette.responses import Response

from overread.application.statistics.tabulation import Tabulation
from overread.exceptions import ConfigurationError, NotFoundError
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.requests import Search
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.infrastructure.http._access import Reviewer
from overread.hospital.infrastructure.http._state import served_of
from overread.hospital.infrastructure.http.pages._answers import as_sentence, filled_in, page, see
from overread.hospital.infrastructure.http.pages.counting import GROUPINGS, plan_of, rates_csv, rates_parts
from overread.hospital.infrastructure.http.pages.filters import Asked, chips, query_of, read_search, values_of
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.hospital.infrastructure.http.pages.worklist import WORKLIST

__all__ = ["RATES", "SAMPLES", "CountingPages"]

RATES: Final = "/rates"
SAMPLES: Final = "/samples"


@define(eq=False)
class CountingPages:
    """Answers with samples and rates of the pairs that a search finds."""

    vocabulary: Vocabulary

    def rates(self, request: Request, actor: Reviewer) -> Response:
        """Rates of concordance with their intervals, drawn and in figures."""
        counted = self._read_query(request.query_params)
        search, tabulation = counted.search, self._tabulation(request, actor, counted.search)
        return page(
            request,
            "rates.html.j2",
            actor,
            title=tabulation.title,
            place=RATES,
            problems=counted.problems,
            tabulation=tabulation,
            parts=rates_parts(tabulation),
            chips=chips(search, self.vocabulary, RATES),
            query=query_of(search, self.vocabulary),
        )

    def rates_csv(self, request: Request, actor: Reviewer) -> Response:
        """The same figures as a file, a line a cell, not rounded; none where a filter is not understood."""
        counted = self._read_query(request.query_params)
        if counted.problems:  # a file cannot say that it is of other pairs than those asked for
            raise ConfigurationError(["a filter is not valid; the page of rates says which"])
        tabulation = self._tabulation(request, actor, counted.search)
        headers = {"Content-Disposition": 'attachment; filename="overread-rates.csv"'}
        return Response(rates_csv(tabulation), media_type="text/csv; charset=utf-8", headers=headers)

    def samples(self, request: Request, actor: Reviewer) -> Response:
        """The form by which a sample is drawn."""
        wanted = self._read_query(request.query_params)
        return self._form(request, actor, wanted.search, {}, wanted.problems)

    def draw(self, request: Request, actor: Reviewer, form: Annotated[dict[str, str], Depends(filled_in)]) -> Response:
        """Draws a sample and leads to it, or tells why none can be drawn."""
        wanted = self._read_query(form)
        search = evolve(wanted.search, sample=None)
        plan, problems = plan_of(form)
        problems = [*wanted.problems, *problems]
        if plan is not None and not problems:
            try:
                drawn = served_of(request).hospital.draw_sample(search, plan, by=actor)
            except (ConfigurationError, NotFoundError) as error:
                problems = [as_sentence(str(error))]
            else:
                return see(f"{WORKLIST}?sample={drawn.number}")
        return self._form(request, actor, search, form, problems)

    def _form(
        self, request: Request, actor: Actor, search: Search, form: Mapping[str, str], problems: Sequence[str]
    ) -> Response:
        return page(
            request,
            "samples.html.j2",
            actor,
            title="Draw a sample",
            place=SAMPLES,
            status=422 if form and problems else 200,
            problems=problems,
            form=form,
            seed=secrets.randbelow(2**31),
            groupings=[grouping.value for grouping in GROUPINGS],
            values=values_of(evolve(search, sample=None), self.vocabulary),
            chips=chips(search, self.vocabulary, SAMPLES),
            query=query_of(search, self.vocabulary),
        )

    def _tabulation(self, request: Request, actor: Actor, search: Search) -> Tabulation:
        hospital = served_of(request).hospital
        authors = (Grouping.AUTHOR_GROUP,) if hospital.configuration.author_groups else ()
        return hospital.rates(search, by=actor, groupings=(*GROUPINGS, *authors)).tabulation()

    def _read_query(self, parameters: Mapping[str, str]) -> Asked:
        """The pairs that are counted; which part of their list was shown does not matter."""
        given = read_search(parameters, self.vocabulary)
        problems = given.problems
        if given.search.withdrawn is not None:
            problems = (*problems, "Withdrawn pairs are not counted in rates or samples: the filter is ignored.")
        return evolve(given, search=evolve(given.search, after=None, withdrawn=None), problems=problems)
