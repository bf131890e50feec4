"""A corpus logged to MLflow. This module needs the extra ``mlflow``."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Final, Unpack

from overread.extras import require
from overread.integrations.tracking import Described, describe_corpus

require("logging to MLflow", "mlflow")

import mlflow  # noqa: E402 - what is missing is told first

__all__ = ["log_corpus"]

_FOLDER: Final = "overread"
"""Of the run's artifacts."""


def log_corpus(results: Any, *, prefix: str = "", step: int | None = None, **described: Unpack[Described]) -> str:
    """Logs a corpus to the active run, or to a new one, as metrics, parameters, tags and artifacts.

    Nothing that is logged has report text, unless ``report_text`` asks for it. Ids and results are logged, which tell
    of patients too; with ``per_pair=False`` neither is.

    Args:
        results: a file that ``overread corpus -o`` or `score_corpus` wrote, or results as `score_many` gives them.
        prefix: of all names, for example "validation/".
        step: of the metrics, for example the epoch; the rest is that of the last step.
        described: what is logged; see `overread.integrations.tracking.describe_corpus`.

    Returns:
        Id of the run.

    Raises:
        ConfigurationError, InputError: as `describe_corpus`; nothing is logged then.
    """
    with describe_corpus(results, **described) as corpus:
        active = mlflow.active_run()
        with nullcontext(active) if active is not None else mlflow.start_run() as run:
            mlflow.log_metrics({f"{prefix}{name}": value for name, value in corpus.figures.items()}, step=step)
            mlflow.log_params({f"{prefix}signature.{name}": value for name, value in corpus.signatures.items()})
            mlflow.set_tags({f"{prefix}{_FOLDER}.{name}": value for name, value in corpus.facts.items()})
            for path in corpus.files:
                mlflow.log_artifact(str(path), f"{prefix}{_FOLDER}")
            return str(run.info.run_id)
