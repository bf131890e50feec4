"""A corpus logged to Weights & Biases. This module needs the extra ``wandb``."""

from __future__ import annotations

from typing import Any, Unpack

from overread.exceptions import InputError
from overread.extras import require
from overread.integrations.tracking import Described, describe_corpus

require("logging to Weights & Biases", "wandb")

import wandb  # noqa: E402 - what is missing is told first

__all__ = ["log_corpus"]


def log_corpus(
    results: Any,
    *,
    run: wandb.Run | None = None,
    prefix: str = "",
    step: int | None = None,
    **described: Unpack[Described],
) -> None:
    """Logs a corpus to a run, as metrics, settings, a table of pairs and an artifact with the files.

    Nothing that is logged has report text, unless ``report_text`` asks for it. Ids and results are logged, which tell
    of patients too; with ``per_pair=False`` neither is. Where they go is for the run to say: unless it is offline or of
    a server of your own, to a company's.

    Args:
        results: a file that ``overread corpus -o`` or `score_corpus` wrote, or results as `score_many` gives them.
        run: that `wandb.init` began; the current one where omitted.
        prefix: of all names, for example "validation/".
        step: of the metrics, for example the epoch.
        described: what is logged; see `overread.integrations.tracking.describe_corpus`.

    Raises:
        ConfigurationError, InputError: as `describe_corpus`, or if there is no run; nothing is logged then.
    """
    run = run or wandb.run
    if run is None:
        raise InputError("run", "there is none", remedy="begin one with wandb.init, which says where it is kept")
    with describe_corpus(results, **described) as corpus:
        logged: dict[str, Any] = {f"{prefix}{name}": value for name, value in corpus.figures.items()}
        if corpus.rows:
            rows = [list(row) for row in corpus.rows]
            logged[f"{prefix}pairs"] = wandb.Table(columns=list(corpus.columns), data=rows, allow_mixed_types=True)
        signatures = {f"signature.{name}": value for name, value in corpus.signatures.items()}
        run.config.update({f"{prefix}overread": {**corpus.facts, **signatures}}, allow_val_change=True)
        run.log(logged, step=step)
        kept = wandb.Artifact(f"overread-{run.id}", type="evaluation")
        for path in corpus.files:
            kept.add_file(str(path), name=f"{prefix}{path.name}")
        run.log_artifact(kept)
