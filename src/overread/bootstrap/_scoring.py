"""Scoring in one call, for scripts and notebooks, and the service to embed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from attrs import evolve

from overread.application.scoring.evaluate import EvaluationService, PairResults, Progress
from overread.bootstrap._services import DEFAULT_METRICS, build_service
from overread.domain.report import ClinicalContext, Report, ReportPair
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.settings import Settings

__all__ = ["open_service", "score", "score_many"]

PairLike = ReportPair | Mapping[str, Any]


def open_service(settings: Settings | None = None, *, metrics: Sequence[str] | None = None) -> EvaluationService:
    """The service to embed: build once, then call ``evaluate(pairs)`` or ``stream(pairs)``.

    Args:
        settings: which components and options to use; the defaults where omitted.
        metrics: names of the metrics, instead of those in the settings.
    """
    settings = settings or Settings()
    if metrics is not None:
        settings = evolve(settings, metrics=tuple(metrics))
    return build_service(settings)


def score(
    *,
    reference: str | Report,
    candidate: str | Report,
    metrics: Sequence[str] | None = None,
    context: ClinicalContext | None = None,
    settings: Settings | None = None,
) -> PairResults:
    """Scores one pair.

    Args:
        reference: the radiologist's report.
        candidate: the report under test.
        metrics: names of the metrics; those of the settings, else radot and notation, where omitted.
        context: age, sex, indication and comparison, where known.
        settings: which components and options to use.

    Returns:
        The result of each metric by name.
    """
    for name, report in (("reference", reference), ("candidate", candidate)):
        if not isinstance(report, str | Report):
            raise InputError(name, f"is {type(report).__name__}, not text", remedy="give an empty string for no report")
    pair = ReportPair(id="pair", reference=reference, candidate=candidate, context=context or ClinicalContext())
    return _service(metrics, settings).evaluate([pair])[0]


def score_many(
    pairs: Iterable[PairLike],
    *,
    metrics: Sequence[str] | None = None,
    on_progress: Progress | None = None,
    settings: Settings | None = None,
) -> list[PairResults]:
    """Scores pairs, keeping length, order and ids.

    Args:
        pairs: `ReportPair`s, or mappings with id, reference, candidate and optionally age, sex, indication and
            comparison.
        metrics: names of the metrics; those of the settings, else radot and notation, where omitted.
        on_progress: called with the number of pairs done.
        settings: which components and options to use.

    Returns:
        For each pair the result of each metric by name.

    Raises:
        InputError: if a pair lacks a field or holds something that is no text, or two pairs share an id.
    """
    return _service(metrics, settings).evaluate(_checked(pairs), on_progress=on_progress)


def _service(metrics: Sequence[str] | None, settings: Settings | None) -> EvaluationService:
    if isinstance(metrics, str):
        raise ConfigurationError([f"metrics must be a list of names, not the text {metrics!r}"])
    if settings is None:
        return _default_service(tuple(metrics or DEFAULT_METRICS))
    return open_service(settings, metrics=metrics)


@lru_cache(maxsize=8)
def _default_service(metrics: tuple[str, ...]) -> EvaluationService:
    return open_service(metrics=metrics)


def _checked(pairs: Iterable[PairLike]) -> list[ReportPair]:
    seen: dict[str, int] = {}
    checked = []
    for row, pair in enumerate(pairs, start=1):
        made = pair if isinstance(pair, ReportPair) else _pair(pair, row)
        if made.id in seen:
            raise InputError("pairs", f"id {made.id!r} is also that of row {seen[made.id]}", row=row)
        seen[made.id] = row
        checked.append(made)
    return checked


def _pair(fields: Mapping[str, Any], row: int) -> ReportPair:
    missing = [name for name in ("id", "reference", "candidate") if name not in fields]
    if missing:
        remedy = "each pair needs id, reference and candidate"
        raise InputError("pairs", f"missing {', '.join(missing)}", row=row, remedy=remedy)
    for name in ("reference", "candidate"):
        if not isinstance(fields[name], str | Report):
            problem = f"{name} is {type(fields[name]).__name__}, not text"
            raise InputError("pairs", problem, row=row, remedy="give an empty string for an empty report")
    context = ClinicalContext(**{k: fields[k] for k in ("age", "sex", "indication", "comparison") if k in fields})
    return ReportPair(
        id=str(fields["id"]), reference=fields["reference"], candidate=fields["candidate"], context=context
    )
