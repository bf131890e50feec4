"""Plugins that come with overread and what each provides, as text, so that none is imported before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["BUILTIN_PLUGINS"]

BUILTIN_PLUGINS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "overread.adapters.bert.plugin": (("recognizer", "bert"), ("encoder", "bert")),
    "overread.adapters.llm.causal_lm.plugin": (("model", "transformers"),),
    "overread.adapters.llm.chat_server.plugin": (("model", "openai"),),
    "overread.adapters.bert.crepe.plugin": (("metric", "crepe"), ("error_counter", "small"), ("error_counter", "bert")),
    "overread.adapters.llm.green.plugin": (("metric", "green"),),
    "overread.adapters.llm.judge.plugin": (("metric", "judge"), ("judge", "one-pass"), ("judge", "two-pass")),
    "overread.adapters.llm.llamacpp.plugin": (("model", "llamacpp"),),
    "overread.adapters.lexical.plugin": (("metric", "bleu"), ("metric", "rouge")),
    "overread.adapters.bert.bertscore.plugin": (("metric", "bertscore"),),
    "overread.adapters.reader.medspacy.plugin": (("extractor", "medspacy"),),
    "overread.adapters.bert.minilm.plugin": (("encoder", "minilm"),),
    "overread.adapters.bert.second_reader.plugin": (("second_reader", "comparing"), ("second_reader", "none")),
    "overread.adapters.transport.nnls.plugin": (("readout", "relaxed"), ("readout", "debiased"), ("readout", "paper")),
    "overread.adapters.bert.chexbert.plugin": (("metric", "chexbert"),),
    "overread.adapters.metrics.composite.plugin": (("metric", "composite"),),
    "overread.adapters.metrics.graph.plugin": (("metric", "graph"),),
    "overread.adapters.metrics.labels.plugin": (("metric", "labels"),),
    "overread.adapters.metrics.panel.plugin": (("metric", "panel"),),
    "overread.adapters.metrics.ratescore.plugin": (("metric", "ratescore"),),
    "overread.adapters.transport.importance.plugin": (("aligner", "importance"), ("readout", "plan")),
    "overread.adapters.transport.sinkhorn.plugin": (
        ("aligner", "balanced"),
        ("aligner", "partial"),
        ("aligner", "unbalanced"),
    ),
    "overread.adapters.metrics.transport.plugin": (("metric", "radot"), ("metric", "notation")),
    "overread.adapters.reader.unit_parser.plugin": (("extractor", "llm"),),
    "overread.adapters.reader.unit_table.plugin": (("extractor", "table"),),
    "overread.adapters.reader.units.plugin": (("recognizer", "units"),),
}
"""Kinds and names of the specs of each module of a built-in plugin."""
