"""The model card: what a trained model is, what it was made from, and how it does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import asdict

from overread.adapters.bert.crepe._training import TrainedModel
from overread.adapters.checkpoints.model_card import card_table, made_with, with_interval
from overread.application.training.counting import CountingReport

__all__ = ["card"]

_LIBRARIES = ("overread", "torch", "transformers")


def card(
    trained: TrainedModel, identity: str, reports: Mapping[str, CountingReport], sizes: Mapping[str, int], note: str
) -> str:
    """The card as Markdown.

    Args:
        trained: the model as trained.
        identity: of its counter, as in signatures.
        reports: how it does on each set of pairs.
        sizes: pairs in each set, those trained on included.
        note: how the pairs came about.
    """
    options = asdict(trained.options) | {"backbone": Path(trained.options.backbone).name}
    lines = [
        f"# {trained.folder.name}: a CREPE model",
        "",
        "Predicts how many errors of each kind a candidate radiology report has beside its reference, with the",
        "architecture of CREPE (Cho et al. 2025). It is not the published CREPE-BiomedBERT, and counts as the",
        "pairs do that it learned from. It compares texts; it does not know which of them is true.",
        "",
        f"- Signature: `{identity}`",
        f"- Use: `overread score --metric crepe --set error_counter=bert:{trained.folder.name}`",
        f"- Data: {note or 'not described'} (digest {trained.data})",
        f"- Pairs: {', '.join(f'{name} {size:,}' for name, size in sizes.items())}",
        made_with(_LIBRARIES),
        f"- Training ended after {trained.epochs:g} epochs; kept as it was at its highest tau, {trained.best_tau:.3f}",
        "",
        "## Figures",
        "",
        "Mean absolute error by head, with 95 % bootstrap intervals over studies; Kendall's tau-b of the totals;",
        "the mean total of pairs without any error.",
        "",
        *_figures(reports),
        "",
        "## Training",
        "",
        *card_table(("option", "value"), sorted(options.items())),
        "",
        *card_table(
            ("epoch", "tau", "MAE", "loss"),
            [(f"{h['epoch']:.2f}", f"{h['tau']:.3f}", f"{h['mae']:.3f}", f"{h['loss']:.3f}") for h in trained.history],
        ),
        "",
    ]
    return "\n".join(lines)


def _figures(reports: Mapping[str, CountingReport]) -> list[str]:
    heads = list(next(iter(reports.values())).errors)
    rows = []
    for name, report in reports.items():
        figures = (*(report.errors[head] for head in heads), report.total_error, report.correlation)
        harmless = "" if report.harmless_total is None else f"{report.harmless_total:.2f} (of {report.harmless:,})"
        rows.append((name, f"{report.pairs:,}", *map(with_interval, figures), harmless))
    return card_table(("set", "pairs", *heads, "total", "tau", "harmless"), rows)
