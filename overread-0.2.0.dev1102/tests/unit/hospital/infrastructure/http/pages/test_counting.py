"""Rates in words and figures, and the form by which a sample is drawn."""

from __future__ import annotations

import csv
import io

import pytest
from attrs import evolve

from overread.hospital.application.grouping import Grouping
from overread.hospital.application.rates import rates_of
from overread.hospital.application.sampling import SampleAllocation, SampleMethod, SamplePlan
from overread.hospital.domain.examination import Examination
from overread.hospital.infrastructure.http.pages.counting import GROUPINGS, plan_of, rates_csv, rates_parts

from .rows import row

_FORM = {"size": "20", "seed": "7", "method": "stratified", "by": "model", "allocation": "proportional"}


def test_rates_are_told_by_every_property_and_drawn_where_there_are_groups() -> None:
    """Groups bear the names that pages give them; what nobody wrote with a model is told apart from models."""
    rows = [row(1, significant=1), row(2), row(3, model="triage 0.9")]
    parts = {part.name: part for part in rates_parts(rates_of(rows, by=GROUPINGS).tabulation())}
    assert list(parts) == [name for by in ("all", *GROUPINGS) for name in (by, f"{by}-major")]
    assert [cells[0].text for cells in parts["kind"].rows] == ["preliminary → final"]
    assert [cells[0].text for cells in parts["model"].rows] == ["no model", "triage 0.9"]
    assert [cells[0].text for cells in parts["model-major"].rows] == ["no model", "triage 0.9"]
    assert parts["all"].drawing is None
    drawing = parts["model"].drawing
    assert drawing is not None
    assert "2 estimates" in drawing.words


def test_a_share_stands_with_its_interval() -> None:
    """Two of three, with Wilson's interval of 95 %: (2/3 + z^2/6 -+ z sqrt(2/27 + z^2/36)) / (1 + z^2/3), z = 1.96."""
    part = rates_parts(rates_of([row(1, significant=1), row(2), row(3)]).tabulation())[0]
    titles = [title for title, _ in part.columns]
    told = part.rows[0][titles.index("As read")]
    assert (told.text, told.interval) == ("67 %", "[21 to 94]")
    assert part.rows[0][titles.index("Confirmed")].text == "–"


def test_no_groups_name_is_taken_for_a_formula() -> None:
    """A site is called what its sender says; a spreadsheet that opens the file must not follow it."""
    trap = evolve(row(1), examination=Examination(site='=HYPERLINK("http://evil")', accession="A1"))
    lines = list(csv.DictReader(io.StringIO(rates_csv(rates_of([trap], by=[Grouping.SITE]).tabulation()))))
    names = {line["value"] for line in lines if (line["table"], line["column"]) == ("site", "group")}
    assert names == {'\'=HYPERLINK("http://evil")'}


def test_a_form_says_how_to_draw() -> None:
    """Each of its fields is part of the plan."""
    plan, problems = plan_of(_FORM)
    assert problems == []
    assert plan == SamplePlan(
        size=20, seed=7, method=SampleMethod.STRATIFIED, by=Grouping.MODEL, allocation=SampleAllocation.PROPORTIONAL
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"size": "0"}, "Pairs wanted"),
        ({"size": "10001"}, "Pairs wanted"),
        ({"size": "-5"}, "Pairs wanted"),
        ({"size": "²"}, "Pairs wanted"),
        ({"seed": ""}, "Seed"),
        ({"seed": "9" * 4000}, "Seed"),
        ({"seed": str(2**31)}, "Seed"),
        ({"method": "best"}, "How"),
        ({"by": "reader"}, "How"),
        ({"allocation": ""}, "How"),
    ],
)
def test_a_form_that_says_it_wrongly_is_told_so(change: dict[str, str], words: str) -> None:
    """Every field is checked, whoever made the form."""
    plan, problems = plan_of(_FORM | change)
    assert plan is None
    assert [problem.partition(":")[0] for problem in problems] == [words]
