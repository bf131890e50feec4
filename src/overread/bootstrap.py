"""Joins the layers: settings, plugins, metrics and store become an evaluation service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from overread.application.evaluate import EvaluationService, NamedMetric, PairResults, Progress
from overread.application.fit_readout import LabelledPair
from overread.application.ports import ResultStore
from overread.domain.report import ClinicalContext, Report, ReportPair
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.logs import get_logger
from overread.infrastructure.settings import Settings
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue

__all__ = [
    "DEFAULT_METRICS",
    "FittedReadout",
    "build_service",
    "fit_readout",
    "open_service",
    "open_store",
    "score",
    "score_many",
]

DEFAULT_METRICS = ("radot", "notation")


@frozen(kw_only=True)
class FittedReadout:
    """A fitted readout as the record its file holds, the table it was selected from, and what was left out."""

    record: dict[str, Any] = field(repr=False)
    rows: list[dict[str, Any]]
    pairs: int
    studies: int
    skipped: tuple[tuple[str, str], ...]


PairLike = ReportPair | Mapping[str, Any]


def build_service(
    settings: Settings,
    *,
    catalogue: Catalogue | None = None,
    assembly: Assembly | None = None,
    store: ResultStore | None = None,
    run: str = "",
    refresh: bool = False,
) -> EvaluationService:
    """An evaluation service; every dependency can be given instead of built.

    Raises:
        ConfigurationError: naming every setting that cannot be used.
        MissingDependencyError: if a chosen component needs packages that are not installed.
        PluginError: if plugins fail under ``strict_plugins`` or a required one is missing.
        StoreError: if the store cannot be opened.
    """
    if catalogue is None:
        catalogue = Catalogue.discover(strict=settings.strict_plugins, required=settings.required_plugins)
    if assembly is None:
        assembly = Assembly(catalogue, choices=settings.choices, options=settings.options)
    metrics = [_named(catalogue, assembly, name) for name in _distinct(settings.metrics or DEFAULT_METRICS)]
    if store is None and settings.store is not None:
        store = open_store(settings.store, store_text=settings.store_text)
    return EvaluationService(metrics, store=store, run=run, refresh=refresh, log=get_logger("evaluate"))


def open_store(path: Path, *, store_text: bool = False) -> ResultStore:
    """The SQLite store at ``path``. Raises `StoreError` if it cannot be opened."""
    from overread.infrastructure.store import open_sqlite_store

    return open_sqlite_store(path, store_text=store_text)


def fit_readout(
    settings: Settings,
    labelled: Sequence[LabelledPair],
    *,
    kind: str = "debiased",
    grid: bool = True,
    name: str = "user",
    note: str = "",
    on_progress: Progress | None = None,
) -> FittedReadout:
    """Fits a readout to labelled pairs with the chosen extractor and balanced plans.

    Args:
        settings: the extractor and its options.
        labelled: pairs with total, significant and insignificant counts.
        kind: "debiased" or "paper".
        grid: whether all priors and epsilons compete; else only polarity-heavy at 0.20.
        name: of the fit, part of the readout's identity.
        note: how the pairs came about; kept with the coefficients.
        on_progress: called with the number of settings done.
    """
    from overread.adapters.nnls import NnlsFitter, readout_record
    from overread.application.fit_readout import DEFAULT_EPSILONS, FitReadout
    from overread.domain.cost import PRIORS

    catalogue = Catalogue.discover(strict=settings.strict_plugins, required=settings.required_plugins)
    assembly = Assembly(catalogue, choices=settings.choices, options=settings.options)

    def aligner(prior: str, epsilon: float) -> Any:
        table = {"aligner": {"prior": prior, "epsilon": epsilon}}
        return Assembly(catalogue, choices={"aligner": "balanced"}, options=table).get("aligner")

    extractor = assembly.get("extractor")
    fit = FitReadout(extractor=extractor, aligner_factory=aligner, fitter=NnlsFitter())
    report = fit(
        labelled,
        kind=kind,
        priors=tuple(PRIORS) if grid else ("polarity-heavy",),
        epsilons=DEFAULT_EPSILONS if grid else (0.20,),
        on_progress=None if on_progress is None else lambda done, _total: on_progress(done),
    )
    selected = report.selection.selected
    rows = [
        {"prior": row.prior, "epsilon": row.epsilon, "macro": row.macro, **row.scores} for row in report.selection.table
    ]
    record = readout_record(
        report.selection.readout,
        kind=kind,
        aligner={"prior": selected.prior, "epsilon": selected.epsilon},
        provenance={
            "name": name,
            "note": note,
            "pairs": report.pairs,
            "studies": report.studies,
            "extractor": extractor.identity,
            "held_out_spearman": {"macro": selected.macro, **selected.scores},
        },
    )
    return FittedReadout(record=record, rows=rows, pairs=report.pairs, studies=report.studies, skipped=report.skipped)


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


def _distinct(choices: Sequence[str]) -> Sequence[str]:
    """Metrics chosen once each: results are told apart by the metric's name, not by what follows its colon."""
    names = [choice.partition(":")[0] for choice in choices]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigurationError(
            [f"metric {name!r} is chosen twice; score with each in a run of its own" for name in twice]
        )
    return choices


def _named(catalogue: Catalogue, assembly: Assembly, name: str) -> NamedMetric:
    spec, plugin = catalogue.find_metric(name.partition(":")[0])
    origin = () if plugin.builtin else (("plugin", f"{plugin.distribution}@{plugin.version}"),)
    return NamedMetric(spec.name, spec.version, spec.scale, assembly.metric(name), origin)


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
