"""Services: settings, plugins, metrics and stores joined, ready to score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from attrs import define

from overread.application.asking.planning import Asks, AsksOfReports, ReportQuestions
from overread.application.asking.tally import AnswerTally
from overread.application.asking.watching import ModelWatch, WatchedModel
from overread.application.ports import LanguageModel, Metric, ResultStore, UnitExtractor
from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.application.scoring.run import Run
from overread.application.traits import MetricTraits, traits_of
from overread.domain.findings.lexicon import Lexicon
from overread.domain.results.result import Scale
from overread.exceptions import ConfigurationError, PluginError
from overread.infrastructure.engines.collecting import collect_later
from overread.infrastructure.logs import get_logger
from overread.infrastructure.settings import Settings
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue, is_scale
from overread.raised import describe_error, is_interrupt

__all__ = [
    "DEFAULT_METRICS",
    "assembly_of",
    "build_service",
    "catalogue_of",
    "open_component",
    "open_reader",
    "open_run",
]

DEFAULT_METRICS = ("radot", "notation")

_ASKING_BATCH: Final = 32
"""Pairs at once where a language model is asked: answers take seconds, and each batch shows progress."""


@collect_later()
def build_service(
    settings: Settings,
    *,
    catalogue: Catalogue | None = None,
    assembly: Assembly | None = None,
    store: ResultStore | None = None,
    run: str = "",
    refresh: bool = False,
    only_kept: bool = False,
) -> EvaluationService:
    """An evaluation service; every dependency can be given instead of built. A store that is given stays open.

    Args:
        settings: which components and options to use.
        catalogue: of the plugins; those installed where omitted.
        assembly: of the components; one of the settings where omitted.
        store: where results are kept; that of the settings where omitted.
        run: name under which results are stored.
        refresh: whether to score anew what the store holds.
        only_kept: whether language models may not be asked, but only their kept answers read.

    Raises:
        ConfigurationError: naming every setting that cannot be used.
        MissingDependencyError: if a chosen component needs packages that are not installed.
        PluginError: if plugins fail under ``strict_plugins`` or a required one is missing.
        StoreError: if the store or the file of kept answers cannot be opened.
    """
    build = partial(build_service, settings, run=run, refresh=refresh, only_kept=only_kept)
    own = catalogue is None and assembly is None and store is None
    catalogue = catalogue or catalogue_of(settings)
    assembly = assembly or assembly_of(settings, catalogue, only_kept=only_kept)
    metrics = [_named_metric(catalogue, assembly, name) for name in _distinct(settings.metrics or DEFAULT_METRICS)]
    _tell_unused(settings, assembly)
    holds = [held for held in (assembly, assembly.get("answers")) if held is not None]
    if store is None and settings.store is not None:
        from overread.infrastructure.store import open_store

        store = open_store(settings.store, store_text=settings.store_text)
        holds.append(store)
    log, limit = get_logger("evaluate"), settings.time_limit
    service = EvaluationService(metrics, store=store, run=run, refresh=refresh, log=log, time_limit=limit, holds=holds)
    service.build = build if own else None
    if _model(assembly) is not None:
        service.batch_size = _ASKING_BATCH
    return service


def open_run(
    settings: Settings,
    *,
    run: str = "",
    refresh: bool = False,
    only_kept: bool = False,
    answers: Path | None = None,
    watch: ModelWatch | None = None,
) -> Run:
    """A run: as `build_service`, with what it asks of a language model.

    Args:
        settings: which components and options to use.
        run: name under which results are stored.
        refresh: whether to score anew what the store holds.
        only_kept: whether the model may not be asked, but only its kept answers read.
        answers: where answers are kept if a metric asks a model and the settings name no file.
        watch: is told before the model is first asked, and as its answers come.
    """
    catalogue = catalogue_of(settings)
    assembly = assembly_of(settings, catalogue, only_kept=only_kept, watch=watch)
    service = build_service(settings, catalogue=catalogue, assembly=assembly, run=run, refresh=refresh)
    model, tally = _model(assembly), assembly.get("answers")
    if model is not None and tally.store is None and answers is not None:
        from overread.infrastructure.store.answers import open_answers

        tally.store = open_answers(answers)
    return Run(service=service, model=model, answers=tally, asking=tuple(_asking(service, assembly)))


@collect_later()
def open_component(settings: Settings, kind: str, *, watch: ModelWatch | None = None) -> Any:
    """The chosen component of a kind, for example "extractor", with the kept answers that the settings name.

    Args:
        settings: which components and options to use.
        kind: of the component.
        watch: as of `open_run`.

    Raises:
        ConfigurationError, MissingDependencyError, PluginError, StoreError: as `build_service`.
    """
    return assembly_of(settings, watch=watch).get(kind)


def open_reader(settings: Settings) -> tuple[UnitExtractor, Lexicon]:
    """The chosen extractor, and the lexicon it reads with."""
    from overread.adapters.lexicon import knowledge_of

    extractor = open_component(settings, "extractor")
    return extractor, knowledge_of(extractor).lexicon


def catalogue_of(settings: Settings) -> Catalogue:
    """The installed plugins, as strictly as the settings want them."""
    return Catalogue.discover(strict=settings.strict_plugins, required=settings.required_plugins)


@define(eq=False)
class _WatchedAssembly(Assembly):
    """An assembly whose language model is watched, whoever asks it."""

    watch: ModelWatch | None = None

    def get(self, kind: str, default: str | None = None, options: Mapping[str, object] | None = None) -> Any:
        component = super().get(kind, default, options)
        return component if kind != "model" or self.watch is None else WatchedModel(component, self.watch)


def assembly_of(
    settings: Settings,
    catalogue: Catalogue | None = None,
    *,
    only_kept: bool = False,
    watch: ModelWatch | None = None,
) -> Assembly:
    """The assembly of the settings, with their kept answers. Only those read, their model may be a stand-in."""
    from overread.infrastructure.store.answers import kept_model, open_answers

    tally = AnswerTally()
    provided: dict[str, Any] = {"answers": tally}
    catalogue = catalogue or catalogue_of(settings)
    chosen = {"choices": settings.choices, "options": settings.options, "provided": provided}
    assembly = _WatchedAssembly(catalogue, **chosen, watch=watch)
    if settings.answers is None and only_kept:
        raise ConfigurationError(["no file of kept answers is named; give it with `answers=FILE`"])
    if settings.answers is not None:
        store = open_answers(settings.answers, only_kept=only_kept)
        tally.store = store
        if only_kept and "model" not in settings.choices:
            provided["model"] = kept_model(settings.answers, store.models())
    return assembly


def _model(assembly: Assembly) -> LanguageModel | None:
    """The language model that was built or provided, if any was: one that is chosen need not be asked."""
    model: LanguageModel | None = assembly.built("model")
    return model


def _asking(service: EvaluationService, assembly: Assembly) -> Iterator[Asks]:
    yield from (named.metric for named in service.metrics if isinstance(named.metric, Asks))
    extractor = assembly.built("extractor")
    if isinstance(extractor, AsksOfReports):
        yield ReportQuestions(extractor)


def _tell_unused(settings: Settings, assembly: Assembly) -> None:
    """Logs an aligner or readout that is set though nothing that is scored takes one."""
    for kind in ("aligner", "readout"):
        if (kind in settings.choices or kind in settings.options) and assembly.built(kind) is None:
            get_logger("settings").warning("setting_without_effect", kind=kind, reason="no_chosen_metric_takes_one")


def _distinct(choices: Sequence[str]) -> Sequence[str]:
    """Metrics chosen once each: results are told apart by the metric's name, not by what follows its colon."""
    names = [choice.partition(":")[0] for choice in choices]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigurationError(
            [f"metric {name!r} is chosen twice; score with each in a run of its own" for name in twice]
        )
    return choices


def _named_metric(catalogue: Catalogue, assembly: Assembly, name: str) -> NamedMetric:
    spec, plugin = catalogue.find_metric(name.partition(":")[0])
    origin = () if plugin.builtin else (("plugin", f"{plugin.distribution}@{plugin.version}"),)
    metric = assembly.metric(name)
    return NamedMetric(spec.name, spec.version, _scale(name, metric, spec.scale), metric, origin)


def _scale(name: str, metric: Metric, usual: Scale) -> Scale:
    """The scale that a metric tells, else its spec's. Raises `PluginError` if it fails to, or tells none."""
    try:
        own = traits_of(metric, MetricTraits).scale
    except BaseException as error:
        if is_interrupt(error):
            raise
        raise PluginError([f"metric {name!r} cannot give its scale: {describe_error(error)}"]) from error
    scale = usual if own is None else own
    if not is_scale(scale):
        raise PluginError([f"metric {name!r} has a scale that is not a Scale from a lower to a higher number"])
    return scale
