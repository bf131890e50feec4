"""Result files under the names that tables show."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path

from overread.domain.results.diversity import Diversity
from overread.exceptions import ConfigurationError
from overread.infrastructure.files.completeness import read_completeness
from overread.infrastructure.files.scored import read_scores
from overread.studies.application.comparison import Source

__all__ = ["check_columns", "named_file", "read_sources", "two_files"]


def named_file(argument: str) -> tuple[str, Path]:
    """Name and path of an argument: NAME=PATH, or a path, whose stem is the name."""
    path = Path(argument)
    name, equals, rest = argument.partition("=")
    if equals and name and rest and not path.exists():
        return name, Path(rest)
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name, path


def two_files(files: Sequence[str]) -> list[tuple[str, Path]]:
    """Name and path of the files to compare; two of one name are A and B."""
    named = [named_file(file) for file in files]
    if len({name for name, _ in named}) == len(named):
        return named
    return [(letter, path) for letter, (_, path) in zip("AB", named, strict=True)]


def read_sources(files: Iterable[tuple[str, Path]], directions: Mapping[str, bool]) -> list[Source]:
    """The scores of each file.

    Args:
        files: name and path of each.
        directions: as of `read_scores`; each column must be in a file.

    Raises:
        ConfigurationError: as `check_columns`.
        InputError: as `read_scores`.
    """
    sources = [
        Source(name=name, metrics=read_scores(path, directions=directions), diversity=_diversity(path))
        for name, path in files
    ]
    check_columns(directions, {metric for source in sources for metric in source.metrics})
    return sources


def _diversity(results: Path) -> Diversity | None:
    record = read_completeness(results)
    return record.diversity if record is not None else None


def check_columns(directions: Mapping[str, bool], read: Container[str]) -> None:
    """Raises `ConfigurationError` where a column of plain scores that has a direction was read from no file."""
    if absent := [name for name in directions if name not in read]:
        raise ConfigurationError([f"no file of results has a column {name}" for name in absent])
