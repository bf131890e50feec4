"""Cards: metrics built, scored and timed for what a card says of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from attrs import evolve, frozen

from overread.application.asking.watching import ModelWatch
from overread.application.scoring.score_collection import score_pairs
from overread.application.statistics.tabulation import Fact, Tabulation
from overread.application.telling import tell, telling
from overread.bootstrap.services import build_service, catalogue_of, open_reader, open_run
from overread.domain.reports.report import ReportPair
from overread.exceptions import ConfigurationError, InputError, MissingDependencyError, PluginError
from overread.extras import require
from overread.infrastructure.files.environment import installed_environment
from overread.infrastructure.settings import Settings, settings_from
from overread.plugins.catalogue import Catalogue, LoadedPlugin
from overread.plugins.specs import MetricSpec
from overread.studies.application.cards.cards import MetricCard, tabulate_cards
from overread.studies.application.cards.figures import CardFigures, candidate_alone, word_overlaps
from overread.studies.application.cards.material import SIZES, CardMaterial, SizeName, gather_material
from overread.studies.application.cards.timed import Timing

__all__ = ["Cards", "card", "draw_material", "measure_cards"]

_ROUGE: Final = "rouge"
_PART: Final = "select"
"""Of the gold corpus: not learned from, and not the sealed one."""

_NO_PAIRS_FAULT: Final = (ConfigurationError, InputError, MissingDependencyError, PluginError)


@frozen(eq=False)
class Cards:
    """Measured cards, ready to be shown together or each alone.

    Attributes:
        cards: in the order asked for.
        baselines: that read nothing.
        material: what was scored.
        facts: what was run.
    """

    cards: tuple[MetricCard, ...]
    baselines: tuple[MetricCard, ...]
    material: CardMaterial
    facts: Mapping[str, Fact]

    def tabulate(self, only: Sequence[MetricCard] | None = None) -> Tabulation:
        """All cards side by side, or some."""
        chosen = self.cards if only is None else only
        return tabulate_cards(chosen, self.baselines, self.material, self.facts, _NOTES)


_NOTES: Final = (
    "All reports are invented, and the labels are no radiologist's: see how metrics differ, not how they do on yours.",
    "overread was developed beside these reports, which favours its metrics over others; the notes say where.",
    "In brackets: 95 % intervals, whole references drawn; under ten references, Wilson's for shares, and else none.",
    "Where all pairs or none are so, the interval is Wilson's over the references.",
)


def card(
    metrics: str | Sequence[str],
    *,
    settings: Settings | Mapping[str, Any] | None = None,
    size: str = SizeName.USUAL,
    timed: bool = True,
    draws: int = 2000,
) -> Tabulation:
    """Measures what metrics do with reports, as `overread card` does.

    Args:
        metrics: names, such as "radot" or "bertscore:FOLDER"; metrics of plugins, too.
        settings: components and options.
        size: "quick", "usual" or "full".
        timed: whether speed and memory are measured, in processes of their own.
        draws: of the bootstrap.

    Raises:
        ConfigurationError: for an unknown size or metric.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    return measure_cards(names, settings_from(settings), size=size, timed=timed, draws=draws).tabulate()


def measure_cards(
    choices: Sequence[str],
    settings: Settings,
    *,
    size: str = SizeName.USUAL,
    timed: bool = True,
    draws: int = 2000,
    watch: ModelWatch | None = None,
) -> Cards:
    """Measures each metric by itself; one that cannot be built is told of, and holds no other back.

    Args:
        choices: metrics, as settings name them.
        settings: components and options.
        size: one of `SizeName`.
        timed: whether speed and memory are measured.
        draws: of the bootstrap.
        watch: of the language model that is asked, if one is.

    Raises:
        ConfigurationError: for an unknown size or metric, or if no metric is named.
        MissingDependencyError: if intervals cannot be computed here; nothing has been scored by then.
    """
    if size not in list(SizeName):
        raise ConfigurationError([f"unknown size {size!r}; choose from {', '.join(SizeName)}"])
    if not choices:
        raise ConfigurationError(["no metric is named; `overread plugins` lists them"])
    chosen, catalogue = list(dict.fromkeys(choices)), catalogue_of(settings)
    for choice in chosen:
        catalogue.find_metric(choice.partition(":")[0])
    require("a card", "statistics")
    tell("drawing reports", 0)
    material = draw_material(settings, SizeName(size))
    pairs = material.pairs()
    timed_pairs = [annotated.pair for annotated in material.annotated][:: max(1, len(material.annotated) // 500)]
    timed_pairs = timed_pairs[: material.size.timed]
    cards = [
        _measure(choice, settings, catalogue, material, pairs, timed_pairs if timed else (), draws, watch)
        for choice in chosen
    ]
    baselines = [
        MetricCard(name=scores.metric, about={}, figures=CardFigures(material, scores, draws=draws))
        for scores in (word_overlaps(pairs), candidate_alone(material))
    ]
    return Cards(tuple(cards), tuple(baselines), material, dict(_facts(size, len(pairs), draws)))


def draw_material(settings: Settings, size: SizeName) -> CardMaterial:
    """Draws the pairs of a card of a size, from what comes with overread alone."""
    from overread.studies.infrastructure.datasets.annotated_sets import read_benchmark
    from overread.studies.infrastructure.datasets.gold_files import SETTINGS
    from overread.studies.infrastructure.datasets.ranked import read_rankings

    gold = {setting: read_benchmark("gold", None, {"part": _PART, "setting": setting}) for setting in SETTINGS}
    reader = open_reader(Settings(strict_plugins=settings.strict_plugins))
    return gather_material(gold, read_rankings("even"), *reader, SIZES[size])


def _measure(
    choice: str,
    settings: Settings,
    catalogue: Catalogue,
    material: CardMaterial,
    pairs: Sequence[ReportPair],
    timed: Sequence[ReportPair],
    draws: int,
    watch: ModelWatch | None,
) -> MetricCard:
    spec, plugin = catalogue.find_metric(choice.partition(":")[0])
    name, about = _label(choice), dict(_about(choice, spec, plugin))
    own = evolve(settings, metrics=(choice,))
    try:
        run = open_run(own, watch=watch)
    except _NO_PAIRS_FAULT as error:
        problem = _problem(error)
        return MetricCard(name=name, about={**about, "measured": f"no: {problem}"}, problem=problem)
    try:
        named = run.service.metrics[0]
        shown = telling(f"scoring by {name}", len(pairs))
        (scores,) = score_pairs(run.service, pairs, on_progress=shown)
    finally:
        run.close()
    figures = CardFigures(material, evolve(scores, metric=name), named.scale, draws)
    unscored = scores.unscored
    about["range and direction"] = named.scale.describe()
    about["measured"] = f"{len(pairs) - sum(unscored.values()):,} of {len(pairs):,} pairs scored"
    if unscored:
        about["why not the others"] = ", ".join(f"{reason} ({count:,})" for reason, count in unscored.items())
    is_timed = bool(timed) and run.model is None
    return MetricCard(
        name=name,
        about=about,
        figures=figures,
        rouge=_time_rouge(catalogue, timed) if is_timed else None,
        timing=_time(own, timed) if is_timed else None,
        signature=str(named.signature),
    )


def _problem(error: Exception) -> str:
    words = str(error)
    return f"it needs a language model ({words})" if "no model is chosen" in words else words


def _label(choice: str) -> str:
    """The metric as settings name it; of a path only its end."""
    name, _, argument = choice.partition(":")
    return f"{name}:{Path(argument).name}" if "/" in argument else choice


def _about(choice: str, spec: MetricSpec, plugin: LoadedPlugin) -> Iterator[tuple[str, str]]:
    from overread.studies.infrastructure.licences import licence_of, module_licences

    yield "what it does", spec.summary
    yield "version", spec.version
    yield "provided by", f"{plugin.distribution} {plugin.version}{'' if plugin.builtin else ' (plugin)'}"
    yield "licence", licence_of(plugin.distribution)
    argument = choice.partition(":")[2]
    yield "backend", f"{spec.backend}{f' ({Path(argument).name})' if '/' in argument else ''}"
    if spec.requires:
        yield "licences of what it needs", ", ".join(module_licences(spec.requires))
    yield "range and direction", spec.scale.describe()


def _time_rouge(catalogue: Catalogue, pairs: Sequence[ReportPair]) -> Timing | None:
    if catalogue.find(kind="metric", name=_ROUGE).missing():
        return None
    return _time(Settings(metrics=(_ROUGE,)), pairs)


def _time(settings: Settings, pairs: Sequence[ReportPair]) -> Timing:
    from overread.studies.infrastructure.timing import in_process, time_service

    tell(f"timing {settings.metrics[0].partition(':')[0]}", 0)
    return in_process(time_service, partial(build_service, evolve(settings, store=None)), list(pairs))


def _facts(size: str, pairs: int, draws: int) -> Iterator[tuple[str, Fact]]:
    environment = installed_environment()
    yield "size", str(size)
    yield "pairs scored", pairs
    yield "draws", draws
    yield "overread", environment.packages.get("overread", "")
    yield "Python", environment.python
    yield "platform", environment.platform
    for package in ("numpy", "onnxruntime", "torch"):
        if package in environment.packages:
            yield package, environment.packages[package]
