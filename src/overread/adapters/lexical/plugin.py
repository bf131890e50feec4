"""The plugin of the word-overlap baselines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from overread.adapters.lexical.options import BleuOptions, RougeOptions
from overread.domain.results.result import Scale
from overread.extras import install_command
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

_UNIT_SCALE = Scale(0.0, 1.0, higher_is_better=True)


def _bleu(options: BleuOptions, _: Components) -> Any:
    from overread.adapters.lexical._bleu import BleuMetric

    return BleuMetric(options)


def _rouge(options: RougeOptions, _: Components) -> Any:
    from overread.adapters.lexical._rouge import RougeMetric

    return RougeMetric(options)


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """bleu and rouge."""
    return [
        MetricSpec(
            name="bleu",
            version="1.1",
            summary="sentence BLEU (Papineni et al. 2002), smoothed, as sacrebleu computes it",
            scale=_UNIT_SCALE,
            factory=_bleu,
            backend="sacrebleu",
            options=BleuOptions,
            requires=("sacrebleu",),
            install=install_command("baselines"),
        ),
        MetricSpec(
            name="rouge",
            version="1.1",
            summary="ROUGE F-measure (Lin 2004), as rouge-score computes it",
            scale=_UNIT_SCALE,
            factory=_rouge,
            backend="rouge-score",
            options=RougeOptions,
            requires=("rouge_score",),
            install=install_command("baselines"),
        ),
    ]
