"""Registers bertscore. Its model is loaded when the metric is built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from overread.adapters.bert.bertscore.options import BertScoreOptions
from overread.domain.results.result import Scale
from overread.exceptions import ConfigurationError
from overread.extras import EXTRAS, install_command
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

if TYPE_CHECKING:
    from overread.adapters.bert.bertscore._metric import BertScoreMetric

__all__ = ["overread_metrics"]


def _bertscore(options: BertScoreOptions, _: Components) -> BertScoreMetric:
    if options.path is None:
        problem = "bertscore needs a model: name the folder of a saved one, as -m bertscore:FOLDER"
        raise ConfigurationError([problem])
    from overread.adapters.bert.bertscore._metric import BertScoreMetric

    return BertScoreMetric.create(options, options.path)


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """bertscore."""
    return (
        MetricSpec(
            name="bertscore",
            version="1.1",
            summary="BERTScore F1 (Zhang et al. 2020) over a checkpoint of your own, as bert-score matches tokens",
            scale=Scale(0.0, 1.0, higher_is_better=True),
            factory=_bertscore,
            backend="a checkpoint of your own",
            options=BertScoreOptions,
            requires=EXTRAS["bertscore"],
            install=install_command("bertscore"),
        ),
    )
