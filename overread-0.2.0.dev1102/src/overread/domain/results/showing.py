"""A result shown by itself, where nothing is known of the reports: score, scale, and discrepancies by their offsets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Protocol

from overread.domain.reports.report import Span
from overread.domain.results.discrepancy import Discrepancy

__all__ = ["result_html", "result_words"]

_HEADINGS = ("No.", "Severity", "Category", "Finding", "Why", "Reference", "Candidate")


class _Result(Protocol):
    """An `EvaluationResult`."""

    @property
    def pair_id(self) -> str: ...

    @property
    def metric(self) -> str: ...

    @property
    def is_scored(self) -> bool: ...

    @property
    def score(self) -> float: ...

    @property
    def discrepancies(self) -> Sequence[Discrepancy]: ...

    @property
    def scale(self) -> Any: ...

    @property
    def signature(self) -> object: ...

    @property
    def outcome(self) -> Any: ...


def result_words(result: _Result) -> str:
    """Outcome in words: the score on its scale, or the reason why there is none; no report text."""
    if not result.is_scored:
        return f"{result.metric} unscored: {result.outcome.reason}"
    count = len(result.discrepancies)
    count_note = f", {count} {'discrepancy' if count == 1 else 'discrepancies'}" if count else ""
    return f"{result.metric} {result.score:.4g} on {result.scale.describe()}{count_note}"


def result_html(result: _Result) -> str:
    """The same as an HTML element, with the discrepancies: where they stand is told in characters of each report.

    It has no colours of its own, so that it suits a light page and a dark one.
    """
    parts = [
        f"<p><b>{escape(result.metric)}</b> of pair {escape(result.pair_id)}: {_outcome(result)}</p>",
        _table(result.discrepancies) if result.is_scored and result.discrepancies else "",
        *(f"<p><small>{escape(note)}</small></p>" for note in _notes(result)),
        f"<p><small><code>{escape(str(result.signature))}</code></small></p>",
    ]
    return f'<div class="overread-result">{"".join(parts)}</div>'


def _outcome(result: _Result) -> str:
    if result.is_scored:
        return f"<b>{result.score:.4g}</b> on {escape(result.scale.describe())}"
    outcome = result.outcome
    return f"not scored, {escape(outcome.reason)}. {escape(outcome.detail)}"


def _notes(result: _Result) -> Iterable[str]:
    if result.is_scored:
        yield from ("Part of a report was not read.",) if result.outcome.truncated else ()
        yield from result.outcome.notes


def _table(discrepancies: Sequence[Discrepancy]) -> str:
    rows = [
        (
            str(number),
            discrepancy.severity.value,
            discrepancy.category.label if discrepancy.category else "",
            discrepancy.finding.replace("_", " "),
            discrepancy.reason,
            _places(discrepancy.reference_spans),
            _places(discrepancy.candidate_spans),
        )
        for number, discrepancy in enumerate(discrepancies, start=1)
    ]
    head = "".join(f'<th scope="col">{heading}</th>' for heading in _HEADINGS)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _places(spans: Iterable[Span]) -> str:
    return ", ".join(f"{span.start} to {span.end}" for span in spans) or "silent"
