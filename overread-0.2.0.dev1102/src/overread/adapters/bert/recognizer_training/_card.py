"""The card of a trained recogniser: what it is, what it was made from, and how it does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attrs import asdict

from overread.adapters.bert.recognizer_training._training import TrainedRecognizer
from overread.adapters.checkpoints.model_card import card_table, made_with, with_interval
from overread.application.training.recognition import RecognitionReport

__all__ = ["card"]

_LIBRARIES: Final = ("overread", "torch", "transformers")
_OF_SPANS: Final = ("head_learning_rate", "max_words", "hidden", "width", "dropout")
"""Options that the token head does not have."""


def card(
    trained: TrainedRecognizer, identity: str, reports: Mapping[str, RecognitionReport], sources: str, note: str
) -> str:
    """The card as Markdown.

    Args:
        trained: the recogniser as trained.
        identity: as in signatures.
        reports: how it does on each set of texts.
        sources: of the texts trained on.
        note: how the texts came about.
    """
    options = asdict(trained.options) | {
        "backbone": Path(trained.options.backbone).name,
        "learning_rate": trained.options.rate,
    }
    if trained.options.head == "token":
        options = {name: value for name, value in options.items() if name not in _OF_SPANS}
    head = "a label for each token (IOB)" if trained.options.head == "token" else "a type for each span of words"
    lines = [
        f"# {trained.folder.name}: a recogniser of entities for ratescore",
        "",
        f"Finds entities of five types in radiology reports by {head}, as RaTEScore's recogniser is",
        "trained (Zhao et al. 2024). It is not the published RaTE-NER-DeBERTa, and marks as the texts do that it",
        "learned from.",
        "",
        f"- Signature: `{identity}`",
        f"- Use: `overread score --metric ratescore --set recognizer=bert:{trained.folder.name}`",
        f"- Data: {note or 'not described'} (digest {trained.data}{sources})",
        f"- Learned from: {trained.sentences:,} sentences with {trained.entities:,} entities;",
        f"  {trained.left_out:,} more could not be learned (across sentences, within others, or too long)",
        made_with(_LIBRARIES),
        f"- Training ended after {trained.epochs:g} epochs; kept as it was at its highest F1, {trained.best_f1:.3f}",
        "",
        "## Figures",
        "",
        "Entities with the same first and last character and the same type; accuracy is of words. 95 % bootstrap",
        "intervals over studies.",
        "",
        *_figures(reports),
        "",
        "## Training",
        "",
        *card_table(("option", "value"), sorted(options.items())),
        "",
        *card_table(
            ("epoch", "precision", "recall", "F1"),
            [
                (f"{h['epoch']:.2f}", f"{h['precision']:.3f}", f"{h['recall']:.3f}", f"{h['f1']:.3f}")
                for h in trained.history
            ],
        ),
        "",
    ]
    return "\n".join(lines)


def _figures(reports: Mapping[str, RecognitionReport]) -> list[str]:
    rows: list[tuple[object, ...]] = []
    for name, report in reports.items():
        for kind, figures in (("all", report.total), *report.by_type.items()):
            accuracy = with_interval(report.accuracy) if kind == "all" else ""
            known = (figures.precision, figures.recall, figures.f1)
            rows.append((name, kind, f"{figures.known:,}", *map(with_interval, known), accuracy))
    return card_table(("set", "type", "known", "precision", "recall", "F1", "accuracy"), rows)
