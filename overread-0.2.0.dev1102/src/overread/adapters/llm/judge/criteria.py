"""Criteria: what makes a difference of each aspect significant, for the second pass of a judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Final

from attrs import field, frozen

from overread.application.asking.prompts import own_text, toml_table
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.exceptions import ConfigurationError

__all__ = ["Criteria", "load_criteria", "values_of"]

_KEYS: Final = frozenset({"version", "criteria"})


@frozen
class Criteria:
    """A paragraph for each of the twelve aspects."""

    version: str
    by_aspect: Mapping[ErrorAspect, str] = field(repr=False)

    @property
    def identity(self) -> str:
        """Version, and the first 12 digits of the SHA-256 of all paragraphs."""
        wording = json.dumps([self.by_aspect[aspect] for aspect in ErrorAspect])
        return f"criteria@{self.version}:{hashlib.sha256(wording.encode()).hexdigest()[:12]}"


def values_of(criteria: Criteria, span: str, aspect: ErrorAspect, kind: ErrorType | None) -> dict[str, str]:
    """The values that fill in a prompt of the second pass, besides the reports."""
    return {
        "span": span,
        "aspect": aspect.value,
        "type": "none" if kind is None else kind.value,
        "criteria": criteria.by_aspect[aspect],
    }


def load_criteria(path: str | None = None) -> Criteria:
    """The criteria that come with overread, or those in a user's TOML file.

    The file has a ``version`` and a table ``criteria`` with a paragraph under each aspect's name, for example
    ``"Size/Distance" = "..."``.

    Raises:
        ConfigurationError: naming the file and everything that is wrong with it.
    """
    source = path or "criteria"
    if path is None:
        text = resources.files(__package__).joinpath("data", "criteria.toml").read_text(encoding="utf-8")
    else:
        text = own_text(f"criteria file {path}", Path(path).expanduser())
    table = toml_table(source, text)
    problems = [f"{source}: unknown key {key!r}" for key in sorted(table.keys() - _KEYS)]
    written = table.get("criteria")
    if not isinstance(table.get("version"), str):
        problems.append(f"{source}: version is missing or not text")
    if not isinstance(written, dict):
        raise ConfigurationError([*problems, f"{source}: the table [criteria] is missing"])
    names = {aspect.value for aspect in ErrorAspect}
    problems += [f"{source}: {name!r} is not an aspect" for name in sorted(written.keys() - names)]
    problems += [
        f"{source}: {aspect.value!r} has no paragraph"
        for aspect in ErrorAspect
        if not isinstance(paragraph := written.get(aspect.value), str) or not paragraph.strip()
    ]
    if problems:
        raise ConfigurationError(problems)
    return Criteria(table["version"], {aspect: written[aspect.value].strip() for aspect in ErrorAspect})
