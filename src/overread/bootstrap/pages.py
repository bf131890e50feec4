"""Pairs and results as HTML: pages of their own, and elements for notebooks and other pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from overread.bootstrap.naming import finding_name, read_signs
from overread.domain.reports.report import ReportPair
from overread.domain.results.diversity import Diversity
from overread.domain.results.result import EvaluationResult

__all__ = ["render_fragment", "render_page", "render_results", "render_results_page", "write_page"]


def render_page(pair: ReportPair, results: Mapping[str, EvaluationResult]) -> str:
    """The HTML page of a pair: both reports marked, what is wrong with the candidate, risks, and what they rest on.

    Args:
        pair: the reports.
        results: by metric, as `score` returns them; those with evidence show what a score rests on.
    """
    from overread.infrastructure.views.web.pair_page import pair_page

    return pair_page(pair, results, finding_name, signs=read_signs)


def render_fragment(pair: ReportPair, results: Mapping[str, EvaluationResult]) -> str:
    """The content of `render_page` as an element with its own style, for a notebook or another page.

    Args:
        pair: the reports; the element contains their full text.
        results: by metric, as `score` returns them.
    """
    from overread.infrastructure.views.web.pair_page import pair_fragment

    return pair_fragment(pair, results, finding_name, signs=read_signs)


def write_page(path: Path | str, pair: ReportPair, results: Mapping[str, EvaluationResult]) -> None:
    """Writes `render_page` into a file, whole or not at all.

    Raises:
        InputError: if the file cannot be written.
    """
    from overread.infrastructure.files.whole_files import write_whole

    write_whole(path, render_page(pair, results) + "\n")


def render_results(
    results: Sequence[Mapping[str, EvaluationResult]], *, most: int, diversity: Diversity | None = None
) -> str:
    """A table of results as an element with its own style; no report text is in it.

    Args:
        results: of each pair by metric.
        most: rows that are shown; the first ones.
        diversity: of the wording of the pairs, if it is known.
    """
    from overread.infrastructure.views.web.results_page import results_fragment

    return results_fragment(results, most=most, diversity=diversity)


def render_results_page(
    results: Sequence[Mapping[str, EvaluationResult]],
    pairs: Sequence[ReportPair | None],
    *,
    diversity: Diversity | None = None,
) -> str:
    """The table as a page, and below it each pair that is given, with both reports marked.

    Args:
        results: of each pair by metric.
        pairs: the reports of the first of them, None where they are not known or not wanted.
        diversity: of the wording of all pairs, if it is known.
    """
    from overread.infrastructure.views.web.results_page import results_page

    return results_page(results, pairs, finding_name, signs=read_signs, diversity=diversity)
