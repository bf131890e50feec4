"""A pair as two systems wrote it: what `pair_page` shows of each, side by side on one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from re import sub
from typing import Final

from attrs import frozen

from overread.domain.report import ReportPair
from overread.domain.result import EvaluationResult
from overread.infrastructure.views import wording
from overread.infrastructure.views.web.pair_page import pair_page
from overread.infrastructure.views.web.templating import template

__all__ = ["Rival", "page_name", "rival_page"]

_LONGEST: Final = 60


@frozen
class Rival:
    """A system, the pair with its candidate, and the outcome of each metric by name."""

    name: str
    pair: ReportPair
    results: Mapping[str, EvaluationResult]


def rival_page(rivals: Sequence[Rival], finding_name: wording.FindingName) -> str:
    """The page of a pair; it contains the full text of the reports.

    Args:
        rivals: one or more, with the same pair.
        finding_name: display name of a finding by its lexicon id.
    """
    sides = []
    for number, rival in enumerate(rivals, start=1):
        part = f"side{number}"
        page = pair_page(rival.pair, rival.results, finding_name, part=part)
        sides.append((part, rival.name, _inside(page, "style"), _inside(page, "body")))
    return template("rivals.html.j2").render(pair_id=wording.shown(rivals[0].pair.id), sides=sides)


def page_name(pair_id: str) -> str:
    """A name for the page of a pair that any file system takes, another one for each id."""
    plain = sub(r"[^A-Za-z0-9]+", "-", pair_id)[:_LONGEST].strip("-")
    digest = sha256(pair_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain}-{digest}.html" if plain else f"{digest}.html"


def _inside(page: str, element: str) -> str:
    """The content of an element that is there once; what users wrote is escaped, so that none of it is one."""
    return page.partition(f"<{element}>")[2].rpartition(f"</{element}>")[0]
