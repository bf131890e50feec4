"""The worklist of a store in memory."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC
from typing import Any, Final

from attrs import evolve, fields

from overread.domain.reports.report import ClinicalContext
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.requests import Order, PairState, Search, Withdrawn, WorklistPage, WorklistRow
from overread.hospital.application.worklist import DISCREPANCIES_OF, summary_of
from overread.hospital.domain.examination import Examination, ExaminationKey
from overread.hospital.domain.report_version import KeptVersion
from overread.hospital.domain.review import ReviewState, standing_score
from overread.hospital.testing._state import PairRow, State

__all__ = ["examination_of", "numbers_of", "page_of", "row_of", "state_of"]

_COUNTED: Final = 10_000
_LEAST: Final = -1.0
_DESCRIBED: Final = ("site", "modality", "device")

Place = tuple[float, ...]
"""Where a row stands in an order."""


def examination_of(state: State, key: ExaminationKey) -> Examination:
    """The examination as its versions tell it; the later word counts, and silence takes nothing back."""
    examinations = [
        examination
        for row in state.versions.values()
        for examination in row.kept.version.examinations
        if examination.accession == key.accession and examination.site == key.site
    ]
    if not examinations:
        raise NotFoundError("there is no examination with that accession number at that site")
    known = examinations[0]
    for later in examinations[1:]:
        names = [field.name for field in fields(Examination) if getattr(later, field.name)]
        known = evolve(known, **{name: getattr(later, name) for name in names if name != "context"})
        known = evolve(known, context=_joined_context(known, later))
    return known


def _joined_context(known: Examination, later: Examination) -> ClinicalContext:
    values: dict[str, Any] = {
        field.name: value
        for field in fields(type(later.context))
        if (value := getattr(later.context, field.name)) is not None
    }
    return evolve(known.context, **values)


def state_of(state: State, pair: PairRow) -> PairState:
    """Progress of a pair, whatever the signature: waiting while it is queued, and then as its newest results say."""
    if any(job.pair == pair.number for job in state.jobs.values()):
        return PairState.WAITING
    newest = {key[1]: result for key, result in state.results.items() if key[0] == pair.digest}
    return summary_of(newest).state


def row_of(state: State, pair: PairRow, signatures: Sequence[str]) -> WorklistRow:
    """A pair's row under signatures."""
    summary = summary_of(_results(state, pair, signatures))
    reviews = state.reviews.get(pair.number, ())
    candidate = [state.versions[number].kept for number in pair.pair.candidate]
    reference = [state.versions[number].kept for number in pair.pair.reference]
    return WorklistRow(
        pair=pair.number,
        examination=_first_examination(state, pair, reference),
        kind=pair.pair.kind,
        state=summary.state,
        reason=summary.reason,
        arrived=max((entry.arrived for entry in reference), default=pair.made),
        reader=candidate[0].version.reader if candidate else "",
        model=candidate[0].version.model if candidate else "",
        risk=summary.risk,
        importance=summary.importance,
        significant=summary.significant,
        insignificant=summary.insignificant,
        findings=summary.findings,
        review=ReviewState.REVIEWED if reviews else ReviewState.OPEN,
        radpeer=standing_score(reviews),
        withdrawn=pair.withdrawn,
        read=summary.read,
        edits=state.edits[pair.number].counts if pair.number in state.edits else None,
    )


def page_of(state: State, search: Search, signatures: Sequence[str], hidden: Collection[int] = ()) -> WorklistPage:
    """A page of what a search finds, without hidden pairs."""
    ranked = sorted((_place(row, search.order), row) for row in rows_found(state, search, signatures, hidden))
    after = _read_place(search.after)
    rest = [row for place, row in ranked if after is None or place > after]
    rows = tuple(rest[: search.limit])
    more = len(rest) > search.limit
    following = json.dumps(_place(rows[-1], search.order)) if more else None
    return WorklistPage(rows=rows, total=min(len(ranked), _COUNTED), next=following)


def numbers_of(state: State, search: Search, signatures: Sequence[str], hidden: Collection[int] = ()) -> Sequence[int]:
    """Numbers of all pairs that a search finds, without hidden ones."""
    return sorted(row.pair for row in rows_found(state, search, signatures, hidden))


def rows_found(
    state: State, search: Search, signatures: Sequence[str], hidden: Collection[int] = ()
) -> list[WorklistRow]:
    """The rows of all pairs that a search finds, with their weights in its sample; without hidden pairs."""
    weights = _weights(state, search.sample)
    shown = _shown_signatures(search, signatures)
    rows = []
    for pair in state.pairs.values():
        if pair.number in hidden:
            continue
        if weights is not None and pair.number not in weights:
            continue
        results = _results(state, pair, shown)
        if search.signature is not None and search.signature not in map(_line, results.values()):
            continue
        row = row_of(state, pair, shown)
        if search.accession is not None and search.accession not in _accessions(state, pair):
            continue
        if _fits(row, pair, search) and _has_discrepancy(results, search):
            rows.append(evolve(row, weight=1.0 if weights is None else weights[pair.number]))
    return rows


def _weights(state: State, sample: int | None) -> Mapping[int, float] | None:
    if sample is None:
        return None
    if sample not in state.samples:
        raise NotFoundError(f"there is no sample {sample}")
    return {drawn.pair: drawn.weight for drawn in state.samples[sample]}


def _shown_signatures(search: Search, signatures: Sequence[str]) -> Sequence[str]:
    if search.signature is None:
        return signatures
    metric = search.signature.partition("|")[0]
    return [*(line for line in signatures if line.partition("|")[0] != metric), search.signature]


def _results(state: State, pair: PairRow, signatures: Sequence[str]) -> Mapping[str, EvaluationResult]:
    lines = {line.partition("|")[0]: line for line in signatures}
    keys = {metric: (pair.digest, metric, line) for metric, line in lines.items()}
    return {metric: state.results[key] for metric, key in keys.items() if key in state.results}


def _line(result: EvaluationResult) -> str:
    return str(result.signature)


def _first_examination(state: State, pair: PairRow, reference: Sequence[KeptVersion]) -> Examination:
    if reference:
        return examination_of(state, reference[0].version.keys[0])
    return Examination(site="", accession=pair.name)


def _accessions(state: State, pair: PairRow) -> set[str]:
    """Accession numbers of all that a pair reports on; the id of a pair that was given."""
    versions = (*pair.pair.candidate, *pair.pair.reference)
    accessions = {key.accession for number in versions for key in state.versions[number].kept.version.keys}
    return accessions or {pair.name}


def _fits(row: WorklistRow, pair: PairRow, search: Search) -> bool:
    examination = row.examination
    asked = {name: getattr(search, name) for name in _DESCRIBED}
    checks = (
        all(value is None or value == getattr(examination, name) for name, value in asked.items()),
        all(
            (value := getattr(search, name)) is None or value == getattr(row, name)
            for name in ("kind", "state", "reader", "model", "review", "radpeer")
        ),
        search.batch is None or pair.batch == search.batch,
        search.withdrawn is Withdrawn.ALSO or row.withdrawn is (search.withdrawn is Withdrawn.ONLY),
        search.since is None or row.arrived >= search.since,
        search.until is None or row.arrived < search.until,
        search.importance is None or (row.importance is not None and row.importance.weight >= search.importance.weight),
        search.min_risk is None or (row.risk is not None and row.risk >= search.min_risk),
        search.max_risk is None or (row.risk is not None and row.risk <= search.max_risk),
    )
    return all(checks)


def _has_discrepancy(results: Mapping[str, EvaluationResult], search: Search) -> bool:
    if search.category is None and search.severity is None and search.finding is None:
        return True
    notation = results.get(DISCREPANCIES_OF)
    discrepancies = notation.discrepancies if notation is not None and notation.is_scored else ()
    return any(_is_wanted(discrepancy, search) for discrepancy in discrepancies)


def _is_wanted(discrepancy: Discrepancy, search: Search) -> bool:
    asked = {name: getattr(search, name) for name in ("category", "severity", "finding")}
    return all(value is None or value == getattr(discrepancy, name) for name, value in asked.items())


def _place(row: WorklistRow, order: Order) -> Place:
    """Numbers that grow down the list."""
    importance = row.importance.weight if row.importance else _LEAST
    risk = _LEAST if row.risk is None else row.risk
    newest = (-row.arrived.replace(tzinfo=row.arrived.tzinfo or UTC).timestamp(), -float(row.pair))
    match order:
        case Order.IMPORTANCE:
            return (-importance, -risk, *newest)
        case Order.RISK:
            return (-risk, *newest)
        case Order.NEWEST:
            return newest


def _read_place(after: str | None) -> Place | None:
    if after is None:
        return None
    try:
        return tuple(float(value) for value in json.loads(after))
    except (ValueError, TypeError):
        raise InputError(
            "search", "after is not a place in a worklist", remedy="use the value that the previous page gave"
        ) from None
