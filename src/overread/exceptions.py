"""Exceptions raised by overread. A clinical mistake is never one of these: it is a `Discrepancy`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "ComponentError",
    "ConfigurationError",
    "InputError",
    "MissingDependencyError",
    "MissingKeyError",
    "NotFoundError",
    "OverreadError",
    "PermissionDeniedError",
    "PluginError",
    "StoreBusyError",
    "StoreError",
    "UnscoredPairError",
]


class OverreadError(Exception):
    """Base class: catching it catches everything overread raises on purpose.

    It can be sent from one process to another, with its attributes.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), str(self), dict(vars(self)))


class ConfigurationError(OverreadError):
    """One or more settings cannot be used; every problem found is listed together."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


class ComponentError(OverreadError):
    """A component answers what its port does not allow. Says whose class it is and what is wrong, never the text.

    Attributes:
        kind: of the component, for example "extractor".
        component: module and name of its class.
        problem: what is wrong with what it answers.
    """

    def __init__(self, kind: str, component: object, problem: str) -> None:
        self.kind = kind
        self.component = f"{type(component).__module__}.{type(component).__qualname__}"
        self.problem = problem
        super().__init__(f"the {kind} {self.component} {problem}")


class InputError(OverreadError):
    """An input file or row cannot be read. Names the place and the remedy, never the text.

    Attributes:
        source: the file, or another name of the input.
        row: 1-based row of the record (the header of a table is not counted), or None for the whole file.
        rows: every row that is bad, where more than the first was looked for.
    """

    def __init__(
        self, source: str, problem: str, *, row: int | None = None, rows: Sequence[int] = (), remedy: str = ""
    ) -> None:
        self.source = source
        self.row = row
        self.rows = tuple(rows) if rows or row is None else (row,)
        self.problem = problem
        self.remedy = remedy
        place = source if row is None else f"{source}, row {row}"
        super().__init__(f"{place}: {problem}" + (f" ({remedy})" if remedy else ""))


class MissingDependencyError(OverreadError):
    """A component needs packages that are not installed."""

    def __init__(self, component: str, missing: Sequence[str], install: str) -> None:
        self.component = component
        self.missing = tuple(missing)
        self.install = install
        super().__init__(f"{component} needs {', '.join(missing)}; install with: {install}")


class NotFoundError(OverreadError):
    """Something that was asked for by number or name is not there, or not for whoever asks."""


class PermissionDeniedError(OverreadError):
    """Somebody may not do what they asked for. Says which role may."""


class PluginError(OverreadError):
    """Plugins failed to load, clash, or are missing though required."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


class StoreError(OverreadError):
    """A result store cannot be opened or used."""


class StoreBusyError(StoreError):
    """Others were at the same in a store. Nothing was kept, and doing the same again may succeed."""


class MissingKeyError(StoreError):
    """A text in a store is sealed with a key that was not given."""


class UnscoredPairError(OverreadError):
    """The score of an unscored result was asked for."""

    def __init__(self, pair_id: str, metric: str, reason: str) -> None:
        self.pair_id = pair_id
        self.metric = metric
        self.reason = reason
        super().__init__(f"pair {pair_id!r} has no {metric} score: {reason}")


def _remade(kind: type[OverreadError], message: str, attributes: Mapping[str, Any]) -> OverreadError:
    """An error as it was sent: pickle would hand its message to a constructor that asks for more."""
    error = kind.__new__(kind, message)
    vars(error).update(attributes)
    return error
