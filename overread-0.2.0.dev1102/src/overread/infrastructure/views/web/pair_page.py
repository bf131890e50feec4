"""One pair as a self-contained HTML page: no script, no network, readable in print and without colour."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from attrs import evolve

from overread.domain.findings.signs import SignReader, no_signs
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult
from overread.infrastructure.views import wording
from overread.infrastructure.views.web.pair_view import Surroundings, pair_view
from overread.infrastructure.views.web.palette import PALETTE
from overread.infrastructure.views.web.plan_graph import ROW_HEIGHT
from overread.infrastructure.views.web.templating import template

__all__ = ["Surroundings", "pair_fragment", "pair_page", "pair_style"]


def pair_page(
    pair: ReportPair,
    results: Mapping[str, EvaluationResult],
    finding_name: wording.FindingName,
    *,
    signs: SignReader = no_signs,
) -> str:
    """The page of one pair.

    Args:
        pair: the two reports; the page contains their full text.
        results: outcome of each metric, by its name.
        finding_name: display name of a finding by its lexicon id.
        signs: finds headings and cues in the reports.
    """
    view = pair_view(pair, results, finding_name, signs=signs, around=Surroundings())
    body = template("pair_body.html.j2").render(pair=view)
    return template("page.html.j2").render(pair_id=wording.make_printable(pair.id), style=pair_style(), body=body)


def pair_fragment(
    pair: ReportPair,
    results: Mapping[str, EvaluationResult],
    finding_name: wording.FindingName,
    *,
    signs: SignReader = no_signs,
    part: str = "",
    title: str = "",
    level: int = 2,
    styled: bool = True,
    around: Surroundings | None = None,
) -> str:
    """The content of `pair_page` as one element that can stand in a notebook or in another page.

    Its style sheet touches nothing outside it. It has no script and loads nothing.

    Args:
        pair: the two reports; the element contains their full text.
        results: outcome of each metric, by its name.
        finding_name: display name of a finding by its lexicon id.
        signs: finds headings and cues in the reports.
        part: id of the element, a lower-case word, from which the ids in it are made; where omitted, one made from the
            pair and its results.
        title: heading instead of the pair's id.
        level: of its heading, 1 to 4.
        styled: whether the style sheet comes with it; only one of several on a page needs it.
        around: the page around it, whose part and level are those given here.
    """
    around = evolve(around or Surroundings(), part=part or _part(pair, results), level=level)
    view = pair_view(pair, results, finding_name, signs=signs, title=title, around=around)
    body = template("pair_body.html.j2").render(pair=view)
    return f"<style>{pair_style()}</style>\n{body}" if styled else body


def pair_style() -> str:
    """The style sheet of `pair_fragment`."""
    return template("pair.css.j2").render(palette=PALETTE, row_height=ROW_HEIGHT)


def _part(pair: ReportPair, results: Mapping[str, EvaluationResult]) -> str:
    """An id that tells one pair and its results from others, and is the same each time."""
    contents = [pair.id, pair.reference.text, pair.candidate.text]
    for name, result in results.items():
        contents += [name, str(result.signature), repr(result.score) if result.is_scored else ""]
    return "orp-" + sha256("\0".join(contents).encode("utf-8", "surrogatepass")).hexdigest()[:10]
