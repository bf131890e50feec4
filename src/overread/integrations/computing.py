"""Metrics as Hugging Face's ``evaluate`` has them: predictions and references in, a dict of numbers out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from attrs import define, evolve, field

from overread.application.scoring.corpus import evaluate_rows
from overread.application.scoring.pairs import checked_choice, checked_rows
from overread.application.scoring.process_service import ProcessService
from overread.bootstrap.interface import OnError, SettingsLike
from overread.bootstrap.services import build_service, catalogue_of
from overread.domain.results.result import EvaluationResult
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.tables import Columns
from overread.infrastructure.frames.reading import GivenRow, listed_together, rows_of, rows_of_lists
from overread.infrastructure.settings import Choices, Settings, choose_settings, settings_from

__all__ = ["CorpusMetric", "Scorer", "average_scores", "list_pairs", "load", "score_list"]


def load(
    metric: str | Sequence[str],
    *,
    on_error: OnError = "fail",
    settings: SettingsLike | None = None,
    **choices: Unpack[Choices],
) -> CorpusMetric:
    """A metric to be used as one that ``evaluate.load`` gives.

    >>> rouge = load("rouge")
    >>> rouge.compute(predictions=["Small effusion.", ""], references=["No effusion.", ""])
    {'rouge': 0.5, 'pairs': 2, 'rouge_scored': 1, 'rouge_unscored': 1}

    Args:
        metric: its name, or several names.
        on_error: whether a pair with something that is no text ends the call, or counts as unscored.
        settings: which components and options to use; the defaults where omitted.
        choices: as of `overread.open_service`.

    Raises:
        ConfigurationError: if there is no such metric.
    """
    return CorpusMetric(Scorer.of(metric, on_error, choose_settings(settings, metric, choices)))


@define(eq=False)
class Scorer:
    """Metrics by name, ready to score lists; each process that uses it builds its own service when it is first used.

    Attributes:
        settings: naming the metrics.
        on_error: "fail" or "skip".
        higher_is_better: by the name of each metric.
    """

    settings: Settings = field(repr=False)
    on_error: str
    higher_is_better: Mapping[str, bool]
    _service: ProcessService = field(repr=False)

    @classmethod
    def of(cls, metric: str | Sequence[str], on_error: str, settings: SettingsLike | None) -> Scorer:
        """Raises `ConfigurationError` if there is no such metric, or ``on_error`` is neither."""
        names = (metric,) if isinstance(metric, str) else tuple(metric)
        chosen = evolve(settings_from(settings), metrics=names)
        if not names:
            raise ConfigurationError(["name a metric, or several"])
        catalogue = catalogue_of(chosen)
        directions = {}
        for name in names:
            spec, _ = catalogue.find_metric(name.partition(":")[0])
            directions[spec.name] = spec.scale.higher_is_better
        return cls(chosen, checked_choice(on_error), directions, ProcessService(partial(build_service, chosen)))

    def build(self) -> None:
        """Builds this process's service now, where it is not built; see `open_service` for what this raises."""
        self._service.get()

    def results(self, references: Iterable[Any], candidates: Iterable[Any]) -> list[dict[str, EvaluationResult]]:
        """The results of pairs, in order.

        Raises:
            InputError: if the lists are of different length, or under "fail" any pair holds something that is no text.
        """
        return self._evaluate(rows_of_lists(references, candidates))

    def results_of_rows(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, EvaluationResult]]:
        """The results of pairs, in order; each is a mapping with id, reference, candidate and maybe a context.

        Raises:
            InputError: if one lacks any of the first three, or under "fail" it holds what is no pair.
        """
        return self._evaluate(rows_of(rows, Columns()))

    def _evaluate(self, given: Sequence[GivenRow]) -> list[dict[str, EvaluationResult]]:
        rows = checked_rows([each.row for each in given], self.on_error)
        return list(evaluate_rows(self._service.get(), rows))


def list_pairs(predictions: Iterable[Any], references: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """Both as lists, one of each for every pair.

    Raises:
        InputError: if there are not as many of one as of the other, or it is not clear which belong together.
    """
    lists = listed_together({"references": references, "predictions": predictions})
    if len(lists["references"]) != len(lists["predictions"]):
        problem = f"{len(lists['references'])} references for {len(lists['predictions'])} predictions"
        raise InputError("pairs", problem, remedy="give one of each for every pair")
    return lists["predictions"], lists["references"]


def average_scores(scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The mean of each metric over its scored pairs, and how many those are.

    Args:
        scores: of each metric, one for each pair, NaN where it has none.

    Returns:
        NAME, the mean, NaN where no pair is scored; ``pairs``, how many there are; NAME_scored and NAME_unscored.
    """
    scored = {name: [score for score in values if not math.isnan(score)] for name, values in scores.items()}
    pairs = max((len(values) for values in scores.values()), default=0)
    # fsum is exact, so that the order in which processes hand in their pairs does not matter
    means = {name: math.fsum(values) / len(values) if values else math.nan for name, values in scored.items()}
    summary: dict[str, float] = {**means, "pairs": pairs}
    for name, values in scored.items():
        summary |= {f"{name}_scored": len(values), f"{name}_unscored": pairs - len(values)}
    return summary


@define(eq=False)
class CorpusMetric:
    """One or more metrics over a corpus, with the methods of ``evaluate.EvaluationModule``.

    `add` and `add_batch` collect pairs, `compute` scores them and forgets them. Predictions are the reports under test.
    The mean covers scored pairs alone, and the counts beside it say how many those are.
    """

    _scorer: Scorer
    _predictions: list[Any] = field(factory=list, init=False, repr=False)
    _references: list[Any] = field(factory=list, init=False, repr=False)

    @property
    def name(self) -> str:
        """Name of the metric, or names of all of them."""
        return " ".join(self._scorer.higher_is_better)

    @property
    def higher_is_better(self) -> dict[str, bool]:
        """Direction of each metric; a trainer's ``greater_is_better``."""
        return dict(self._scorer.higher_is_better)

    def add(self, *, prediction: Any, reference: Any) -> None:
        """Collects a pair."""
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(self, *, predictions: Iterable[Any], references: Iterable[Any]) -> None:
        """Collects pairs.

        Raises:
            InputError: if there are not as many of one as of the other, or it is not clear which belong together.
        """
        predictions, references = list_pairs(predictions, references)
        self._references += references
        self._predictions += predictions

    def compute(
        self, *, predictions: Iterable[Any] | None = None, references: Iterable[Any] | None = None
    ) -> dict[str, float]:
        """Scores what was added, these included, and forgets it.

        Args:
            predictions: reports under test, as text.
            references: a radiologist's report for each, as text.

        Returns:
            As `average_scores`: the mean of each metric under its name, and the numbers of pairs.

        Raises:
            InputError: if there are no pairs, only one of the two is given, they are not of one length, or under "fail"
                any is no text: it names every such pair.
            ConfigurationError, MissingDependencyError, PluginError, StoreError: as `overread.open_service`.
        """
        if (predictions is None) != (references is None):
            raise InputError("pairs", "predictions and references come together")
        if predictions is not None and references is not None:
            self.add_batch(predictions=predictions, references=references)
        if not self._predictions:
            raise InputError("pairs", "there are none to compute with", remedy="give predictions and references")
        try:
            results = self._scorer.results(self._references, self._predictions)
        finally:
            self._references, self._predictions = [], []
        return average_scores({name: score_list(results, name) for name in self._scorer.higher_is_better})


def score_list(results: Sequence[Mapping[str, EvaluationResult]], metric: str) -> list[float]:
    """The score of each pair by a metric, NaN where it has none."""
    return [pair[metric].score if pair[metric].is_scored else math.nan for pair in results]
