"""The interface of RadEval 2 over overread's metrics: a script runs with this import in place of its own.

``from overread.integrations.radeval import RadEval``. Keys of the results are RadEval's. Numbers are RadEval's only
where `NOT_THEIRS` does not say otherwise; of what is served under another's name a warning tells once an evaluator.
"""

from __future__ import annotations

import json
import math
import statistics
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from attrs import evolve, field, frozen

from overread.application.scoring.corpus import MetricSummary
from overread.bootstrap.interface import SettingsLike
from overread.bootstrap.services import catalogue_of
from overread.domain.findings.chest_labels import FIVE_LABELS, LABELS
from overread.domain.results.corpus_figures import LABEL_FIGURES, bleu_terms, corpus_bleu
from overread.domain.results.result import EvaluationResult
from overread.exceptions import ConfigurationError, MissingDependencyError
from overread.infrastructure.settings import merge_tables, settings_from
from overread.integrations.computing import Scorer

__all__ = ["INSTEAD", "NOT_THEIRS", "OtherNumbersWarning", "RadEval"]

NOT_THEIRS: Final[Mapping[str, str]] = {
    "bleu": "sacrebleu's words and smoothing, not those of RadEval's copy of coco-caption",
    "f1chexbert": "overread's rules (metric labels), not CheXbert, unless the path of its checkpoint is given",
    "radgraph": "overread's rules (metric graph), not the model RadGraph-XL",
    "ratescore": "overread's embedded stand-ins unless the published models are named",
    "bertscore": "the checkpoint you name, not distilbert-base-uncased at layer 5 unless it is that one",
}
"""What is served under RadEval's name and does not give its number, with the reason."""

INSTEAD: Final[Mapping[str, str]] = {
    "radeval_bertscore": "bertscore with the folder of its checkpoint: {'bertscore': {'path': FOLDER}}",
    "f1radbert_ct": "notation, which reads findings of CT reports; there is no table of its labels",
    "radgraph_radcliq": "radgraph, which is served by rules",
    "radcliq": "composite with the published coefficients, over metrics of your own (docs/metrics/composite.md)",
    "srrbert": "notation or labels",
    "temporal": "notation, whose categories E and F are about comparisons",
    "mammo_green": "green with a language model, or notation",
    "crimson": "the plugin in examples/overread-crimson, or notation",
    "radfact_ct": "judge with a language model, or notation",
}
"""What to ask for in place of a metric of RadEval's that cannot be served."""

_NO_DIGITS_BEYOND: Final = 4
"""As RadEval rounds what it does not give by the sample."""

Results = Sequence[Mapping[str, EvaluationResult]]


class OtherNumbersWarning(UserWarning):
    """A metric is served under RadEval's name by something that gives other numbers."""


@frozen
class _Key:
    """A key of the results: the number of each pair, and of all of them where that is no mean.

    Attributes:
        name: RadEval's.
        subscore: of the pair, the score where empty.
        figure: of the corpus, the mean where there is none.
    """

    name: str
    subscore: str = ""
    figure: str = ""

    def number(self, result: EvaluationResult) -> float:
        """The number of a pair, NaN where it has none."""
        if not result.is_scored:
            return math.nan
        return result.subscores.get(self.subscore, math.nan) if self.subscore else result.score


@frozen
class _Part:
    """A metric of overread's, and the keys that come of it.

    Attributes:
        metric: with its argument.
        keys: with the numbers of a pair; where ``figures`` is given, by the sample alone.
        figures: gives numbers of the corpus from the sums over its pairs.
        details: numbers that the detailed mode adds, from the sums and the scores of the pairs.
    """

    metric: str
    keys: tuple[_Key, ...]
    figures: Callable[[Mapping[str, float]], dict[str, Any]] | None = None
    details: Mapping[str, Callable[[Mapping[str, float], Sequence[float]], float]] = field(factory=dict)


@frozen(eq=False)
class _Served:
    part: _Part
    scorer: Scorer = field(repr=False)


def _label_figures(sums: Mapping[str, float]) -> dict[str, Any]:
    """F1 of labels over a corpus under RadEval's names, with each label's own for the detailed mode."""
    if not sums:
        sums = {term: math.nan for figure in LABEL_FIGURES for term in figure.terms}
    figures: dict[str, Any] = {}
    by_label: dict[str, dict[str, float]] = {}
    for name, labels in (("5", FIVE_LABELS), ("all", LABELS)):
        counts = {each: tuple(sums[f"{kind}_{each}"] for kind in ("hit", "false", "missed")) for each in labels}
        f1 = {each: _f1(*count) for each, count in counts.items()}
        support = {each: hit + missed for each, (hit, _, missed) in counts.items()}
        whole = sum(support.values())
        figures |= {
            f"f1chexbert_{name}_micro_f1": _f1(*(sum(kind) for kind in zip(*counts.values(), strict=True))),
            f"f1chexbert_{name}_macro_f1": sum(f1.values()) / len(f1),
            f"f1chexbert_{name}_weighted_f1": sum(f1[each] * support[each] for each in labels) / whole
            if whole
            else 0.0,
        }
        by_label[f"f1chexbert_{name}"] = {each.replace("_", " ").title(): value for each, value in f1.items()}
    return {**figures, "f1chexbert_label_scores_f1": by_label}


def _f1(hit: float, false: float, missed: float) -> float:
    counted = 2 * hit + false + missed
    return 2 * hit / counted if counted else 0.0


def _bleu_of(order: int) -> Callable[[Mapping[str, float], Sequence[float]], float]:
    def figure(sums: Mapping[str, float], _: Sequence[float]) -> float:
        return float(corpus_bleu(np.array([sums[term] for term in bleu_terms(order)]))) if sums else math.nan

    return figure


def _deviation(_: Mapping[str, float], scores: Sequence[float]) -> float:
    return statistics.pstdev(scores) if scores else math.nan


_LABEL_ACCURACY: Final = {"f1chexbert_sample_acc_5": FIVE_LABELS, "f1chexbert_sample_acc_all": LABELS}

_PARTS: Final[Mapping[str, tuple[_Part, ...]]] = {
    "bleu": (
        _Part("bleu", (_Key("bleu", figure="corpus_bleu"),), details={f"bleu_{n}": _bleu_of(n) for n in (1, 2, 3)}),
    ),
    "rouge": tuple(_Part(f"rouge:{name}", (_Key(name),)) for name in ("rouge1", "rouge2", "rougeL")),
    "radgraph": (
        _Part("graph", tuple(_Key(f"radgraph_{level}", level) for level in ("simple", "partial", "complete"))),
    ),
    "f1chexbert": (_Part("labels", tuple(map(_Key, _LABEL_ACCURACY)), figures=_label_figures),),
    "green": (_Part("green", (_Key("green"),), details={"green_std": _deviation}),),
}
"""Of RadEval's metrics those that are no metric of overread's by name, or have keys of their own."""


class RadEval:
    """Metrics over lists of reports, called as RadEval is.

    Every metric of overread's may be named too, such as "radot" and "notation": its key is its name. A pair without a
    score is in no mean; where there are such, NAME_unscored stands beside the keys and says how many, and by the
    sample they are NaN.

    Attributes:
        metric_keys: keys of the results, in order.
        differences: of the metrics asked for, why a number is not RadEval's.

    Args:
        metrics: names, names with options, or both, as RadEval takes them; options are those of overread's metric.
        openai_api_key: taken for the sake of scripts and not used; a language model is named by the settings.
        gemini_api_key: likewise.
        per_sample: whether numbers are lists, one a pair.
        detailed: whether there are figures of single labels, and standard deviations.
        show_progress: taken and not used: nothing is printed.
        cache_dir: taken and not used: nothing is downloaded.
        settings: which components and options to use; the defaults where omitted.

    Raises:
        ConfigurationError: for a metric that cannot be served; it names what to use instead.
    """

    def __init__(
        self,
        metrics: Sequence[str | Mapping[str, Any]] | Mapping[str, Any] | None = None,
        openai_api_key: str | None = None,  # noqa: ARG002 - RadEval's
        gemini_api_key: str | None = None,  # noqa: ARG002 - RadEval's
        per_sample: bool = False,  # noqa: FBT001, FBT002 - RadEval's
        detailed: bool = False,  # noqa: FBT001, FBT002 - RadEval's
        show_progress: bool = True,  # noqa: ARG002, FBT001, FBT002 - RadEval's
        cache_dir: str | None = None,  # noqa: ARG002 - RadEval's
        *,
        settings: SettingsLike | None = None,
    ) -> None:
        self.per_sample = per_sample
        self.detailed = detailed
        asked = _options_by_name(metrics)
        known = {metric.spec.name for metric in catalogue_of(settings_from(settings)).metrics()}
        if problems := [_refusal(name, known) for name in asked if name not in _PARTS and name not in known]:
            raise ConfigurationError(problems)
        self._served = [served for name, options in asked.items() for served in _serve(name, options, settings)]
        for served in self._served:
            served.scorer.build()
        self.metric_keys = [key for served in self._served for key in _corpus_keys(served.part, detailed=detailed)]
        self.differences = {name: why for name, why in NOT_THEIRS.items() if name in asked}
        if self.differences:
            told = "; ".join(f"{name}: {why}" for name, why in self.differences.items())
            warnings.warn(f"not RadEval's numbers: {told}", OtherNumbersWarning, stacklevel=2)

    @classmethod
    def from_config(cls, path: str | Path) -> Self:
        """An evaluator by a YAML or JSON file with RadEval's layout: ``metrics``, and ``mode`` of ``output``."""
        text = Path(path).read_text(encoding="utf-8")
        config = json.loads(text) if str(path).endswith(".json") else _yaml(text)
        mode = (config.get("output") or {}).get("mode")
        return cls(config.get("metrics") or [], per_sample=mode == "per_sample", detailed=mode == "detailed")

    def __call__(self, refs: list[str], hyps: list[str]) -> dict[str, Any]:
        """The numbers of pairs by key; none of no pairs.

        Raises:
            TypeError: if one is no list.
            ValueError: if they are not of one length.
            InputError: if a report is no text.
        """
        if not (isinstance(refs, list) and isinstance(hyps, list)):
            raise TypeError("hyps and refs must be of type list")
        if len(refs) != len(hyps):
            raise ValueError(f"hyps and refs lists don't have the same size: {len(hyps)} and {len(refs)}")
        return self.compute_scores(refs, hyps) if refs else {}

    def compute_scores(self, refs: list[str], hyps: list[str]) -> dict[str, Any]:
        """The numbers of pairs by key; see `__call__`, which checks the lists first."""
        numbers: dict[str, Any] = {}
        for served in self._served:
            results = [result for pair in served.scorer.results(refs, hyps) for result in pair.values()]
            if self.per_sample:
                numbers |= _by_sample(served.part, results)
            else:
                numbers |= _of_corpus(served.part, results, detailed=self.detailed)
        return numbers


def _options_by_name(metrics: Sequence[str | Mapping[str, Any]] | Mapping[str, Any] | None) -> dict[str, Any]:
    if isinstance(metrics, str):
        raise ConfigurationError([f'metrics is text, not a list; give ["{metrics}"]'])
    given = [metrics] if isinstance(metrics, Mapping) else metrics or []
    named = [{each: {}} if isinstance(each, str) else each for each in given]
    return {name: options or {} for each in named for name, options in each.items()}


def _refusal(name: str, known: set[str]) -> str:
    if name in INSTEAD:
        return f"{name} cannot be served; use {INSTEAD[name]}"
    return f"there is no metric {name!r}; choose from {', '.join(sorted({*_PARTS, *known}))}"


def _serve(name: str, options: Mapping[str, Any], settings: SettingsLike | None) -> Iterator[_Served]:
    given = settings_from(settings)
    parts = _PARTS.get(name, (_Part(name, (_Key(name),)),))
    if name == "f1chexbert" and "path" in options:
        parts = tuple(evolve(part, metric="chexbert") for part in parts)
    for part in parts:
        chosen = evolve(given, options=merge_tables(given.options, {part.metric.partition(":")[0]: dict(options)}))
        yield _Served(part, Scorer.of(part.metric, "fail", chosen))


def _corpus_keys(part: _Part, *, detailed: bool) -> list[str]:
    if part.figures is not None:
        return [name for name in part.figures({}) if detailed or not name.endswith("label_scores_f1")]
    return [*(key.name for key in part.keys), *(part.details if detailed else ())]


def _by_sample(part: _Part, results: Sequence[EvaluationResult]) -> dict[str, list[float]]:
    if part.figures is not None:
        return {
            name: [_label_accuracy(result, labels) for result in results] for name, labels in _LABEL_ACCURACY.items()
        }
    return {key.name: [key.number(result) for result in results] for key in part.keys}


def _label_accuracy(result: EvaluationResult, labels: Sequence[str]) -> float:
    """The share of labels in which both reports agree."""
    if not result.is_scored:
        return math.nan
    there = result.subscores
    return statistics.fmean(there[f"reference_{label}"] == there[f"candidate_{label}"] for label in labels)


def _of_corpus(part: _Part, results: Sequence[EvaluationResult], *, detailed: bool) -> dict[str, Any]:
    summary = MetricSummary()
    for result in results:
        summary.add(result)
    numbers: dict[str, Any] = {}
    if part.figures is not None:
        figures = part.figures(summary.sums)
        numbers = {name: figures[name] for name in _corpus_keys(part, detailed=detailed)}
    else:
        for key in part.keys:
            scored = [number for number in map(key.number, results) if not math.isnan(number)]
            mean = math.fsum(scored) / len(scored) if scored else math.nan
            numbers[key.name] = summary.figures.get(key.figure, math.nan) if key.figure else mean
            if detailed:
                numbers |= {name: detail(summary.sums, scored) for name, detail in part.details.items()}
    rounded = {
        name: round(number, _NO_DIGITS_BEYOND) if isinstance(number, float) else number
        for name, number in numbers.items()
    }
    unscored = len(results) - summary.scored
    return rounded | ({f"{part.metric.partition(':')[2] or part.metric}_unscored": unscored} if unscored else {})


def _yaml(text: str) -> Any:
    if find_spec("yaml") is None:
        raise MissingDependencyError("a YAML file", ["yaml"], "pip install pyyaml")
    import yaml  # noqa: PLC0415 - the base does without it

    return yaml.safe_load(text)
