"""Metrics as scorers of Inspect. This module needs the extra ``inspect``.

Inspect finds it by its entry point, so that ``inspect score LOG --scorer overread/notation`` needs no import. Each
scorer reads a completion against the sample's target, which is the radiologist's report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any, Final, Unpack, cast

from overread.bootstrap.interface import SettingsLike
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Unscored
from overread.domain.results.showing import result_words
from overread.exceptions import InputError
from overread.extras import require
from overread.infrastructure.settings import Choices, choose_settings, load_settings
from overread.integrations.computing import Scorer as Metrics

require("a scorer of Inspect", "inspect")

from anyio import to_thread  # noqa: E402 - what is missing is told first
from inspect_ai import scorer as inspect  # noqa: E402 - as above
from inspect_ai.solver import TaskState  # noqa: E402 - as above

__all__ = [
    "METRICS",
    "bertscore",
    "bleu",
    "chexbert",
    "composite",
    "crepe",
    "graph",
    "green",
    "judge",
    "labels",
    "notation",
    "panel",
    "radot",
    "ratescore",
    "report",
    "rouge",
    "stderr",
]

ScorerMaker = Callable[..., inspect.Scorer]

_KNOWN_OF_PATIENTS: Final = ("age", "sex", "indication", "comparison")
_STUDY: Final = "study"


@inspect.metric  # type: ignore[untyped-decorator]
def stderr(cluster: str = _STUDY) -> inspect.Metric:
    """Standard error of the mean, for which samples of one study count together.

    A study is what samples have in common under this name in their metadata; a sample without one stands alone. NaN
    where there are not two studies.

    Args:
        cluster: the name in the metadata.
    """
    clustered = cast(inspect.MetricProtocol, inspect.stderr(cluster=_STUDY))

    def compute(scores: list[inspect.SampleScore]) -> inspect.Value:
        studies = [(score.sample_metadata or {}).get(cluster) for score in scores]
        known = [f"sample {number}" if each is None else f"study {each}" for number, each in enumerate(studies)]
        if len(set(known)) < 2:  # noqa: PLR2004 - a deviation needs two
            return float("nan")
        return clustered(
            [
                score.model_copy(update={"sample_metadata": {_STUDY: study}})
                for score, study in zip(scores, known, strict=True)
            ]
        )

    return compute


@inspect.scorer(metrics=[inspect.mean(), stderr()])  # type: ignore[untyped-decorator]
def report(
    metric: str = "notation", settings: SettingsLike | str | None = None, **choices: Unpack[Choices]
) -> inspect.Scorer:
    """A scorer by any metric, those of plugins included.

    The value of a sample is its score, the answer the completion, the explanation the discrepancies in words, and the
    metadata the result's record: subscores, discrepancies with their places, notes and signature. A sample without a
    score is unscored, with the reason: it is in no mean, and Inspect counts it in ``unscored_samples``.

    What the sample's metadata says of the patient under ``age``, ``sex``, ``indication`` and ``comparison`` is read.

    Args:
        metric: its name, such as "rouge:rouge1".
        settings: which components and options to use, or the path of a settings file; the defaults where omitted.
        choices: as of `overread.open_service`.

    Raises:
        ConfigurationError: if there is no such metric.
    """
    given = load_settings(settings) if isinstance(settings, str) else settings
    metrics = Metrics.of(metric, "fail", choose_settings(given, metric, choices))
    lock = Lock()

    async def score(state: TaskState, target: inspect.Target) -> inspect.Score:
        if len(target) != 1:
            raise InputError(f"sample {state.sample_id}", f"has {len(target)} targets", remedy="give it one report")
        if state.output.empty or state.output.error:  # a model that failed did not write an empty report
            return inspect.Score.unscored(reason="no_response", explanation="the model gave no answer")
        known = {name: state.metadata[name] for name in _KNOWN_OF_PATIENTS if state.metadata.get(name) is not None}
        pair = {
            "id": str(state.sample_id),
            "reference": target.text,
            "candidate": state.output.completion,
            **known,
        }
        return _score(await to_thread.run_sync(partial(_result, metrics, lock, pair)), state.output.completion)

    return score


def _result(metrics: Metrics, lock: Lock, pair: Mapping[str, Any]) -> EvaluationResult:
    with lock:  # samples are scored at once, and would each build what scores them
        metrics.build()
    [results] = metrics.results_of_rows([pair])
    [result] = results.values()
    return result


def _score(result: EvaluationResult, completion: str) -> inspect.Score:
    outcome = result.outcome
    if isinstance(outcome, Unscored):
        return inspect.Score.unscored(
            reason=outcome.reason, answer=completion, explanation=outcome.detail, metadata=result.to_dict()
        )
    explanation = "\n".join([result_words(result), *_in_words(outcome.discrepancies, outcome.notes)])
    return inspect.Score(value=outcome.score, answer=completion, explanation=explanation, metadata=result.to_dict())


def _in_words(discrepancies: Sequence[Discrepancy], notes: Sequence[str]) -> list[str]:
    """The discrepancies, the gravest first, and the notes, without report text."""
    graver = sorted(discrepancies, key=lambda each: (not each.is_significant, -(each.weight or 0.0)))
    lines = [
        f"- {each.severity.value} {each.label}: "
        + " ".join(part for part in (each.side, each.finding.replace("_", " ")) if part)
        + (f" ({each.reason})" if each.reason else "")
        for each in graver
    ]
    return [*lines, *(f"note: {note}" for note in notes)]


def _named(name: str) -> ScorerMaker:
    def make(settings: SettingsLike | str | None = None, **choices: Unpack[Choices]) -> inspect.Scorer:
        return report(name, settings, **choices)

    make.__doc__ = f"A scorer by {name}; see overread.integrations.inspect_ai.report."
    return cast(ScorerMaker, inspect.scorer(metrics=[inspect.mean(), stderr()], name=name)(make))


radot = _named("radot")
notation = _named("notation")
ratescore = _named("ratescore")
crepe = _named("crepe")
green = _named("green")
judge = _named("judge")
panel = _named("panel")
labels = _named("labels")
chexbert = _named("chexbert")
graph = _named("graph")
composite = _named("composite")
bertscore = _named("bertscore")
bleu = _named("bleu")
rouge = _named("rouge")

METRICS: Final = frozenset({*__all__} - {"METRICS", "report", "stderr"})
"""Metrics that have a scorer of their own name."""
