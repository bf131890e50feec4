"""Registers chexbert. Its model is loaded when the metric is built."""

from __future__ import annotations

from collections.abc import Iterable

from overread.adapters.bert.chexbert.options import CheXbertOptions
from overread.application.metrics.labels import LABEL_SCALE, LabelMetric
from overread.exceptions import ConfigurationError
from overread.extras import install_command
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["overread_metrics"]


def _chexbert(options: CheXbertOptions, _: Components) -> LabelMetric:
    if options.path is None:
        problem = "chexbert needs its checkpoint: name the folder that holds it, as -m chexbert:FOLDER"
        raise ConfigurationError([problem])
    from overread.adapters.bert.chexbert._labeller import CheXbertLabeller

    return LabelMetric(
        labeller=CheXbertLabeller.create(options, options.path), uncertain=options.uncertain == "positive"
    )


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """chexbert."""
    return (
        MetricSpec(
            name="chexbert",
            version="0.2.0",
            summary="F1 of the fourteen observations of CheXbert (Smit et al. 2020), from its published checkpoint",
            scale=LABEL_SCALE,
            factory=_chexbert,
            backend="CheXbert's checkpoint",
            options=CheXbertOptions,
            requires=("torch", "transformers"),
            install=install_command("torch"),
        ),
    )
