"""Tables of labels as files."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from overread.domain.findings.chest_labels import LABELS, NO_FINDING, LabelTable
from overread.domain.findings.lexicon import Lexicon
from overread.exceptions import ConfigurationError

__all__ = ["load_labels"]

_SHIPPED: Final = "chexpert"


def load_labels(path: Path | None, lexicon: Lexicon) -> tuple[LabelTable, str]:
    """The shipped table or that of a .toml file, and its identity.

    Raises:
        ConfigurationError: if it cannot be read, names labels that CheXpert does not have, or findings that the
            lexicon does not have.
    """
    source = files(__package__) / "data" / f"{_SHIPPED}.toml" if path is None else path
    name = _SHIPPED if path is None else path.stem
    try:
        content = source.read_bytes()
        table = tomllib.loads(content.decode("utf-8"))
    except (OSError, ValueError) as error:
        problem = f"labels.table: {path} cannot be read ({type(error).__name__}); it must be a .toml file"
        raise ConfigurationError([problem]) from error
    if problems := _problems(table, lexicon):
        raise ConfigurationError([f"labels.table {name}: {problem}" for problem in problems])
    return LabelTable(table["findings"]), f"{name}#{hashlib.sha256(content).hexdigest()[:8]}"


def _problems(table: Mapping[str, Any], lexicon: Lexicon) -> list[str]:
    findings = table.get("findings")
    if not isinstance(findings, dict) or not all(
        isinstance(named, list) and all(isinstance(finding, str) for finding in named) for named in findings.values()
    ):
        return ["it must have [findings] with a list of findings for each label"]
    strange = [label for label in findings if label not in LABELS or label == NO_FINDING]
    unknown = sorted({finding for named in findings.values() for finding in named} - lexicon.findings.keys())
    return [
        *(f"{label!r} is not a label of findings ({', '.join(LABELS[:-1])})" for label in strange),
        *(f"the lexicon has no finding {finding!r}" for finding in unknown),
    ]
