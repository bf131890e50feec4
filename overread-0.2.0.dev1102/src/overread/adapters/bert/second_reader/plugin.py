"""Registers the second readers. The model is loaded when one is built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from overread.adapters.bert.second_reader.options import SecondReaderOptions
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, NoOptions

if TYPE_CHECKING:
    from overread.adapters.bert.second_reader._reader import ComparingReader

__all__ = ["overread_second_readers"]


@hookimpl
def overread_second_readers() -> Iterable[ComponentSpec]:
    """One that compares, and nobody."""
    return (
        ComponentSpec(
            name="comparing",
            version="2.0",
            summary="compares both reports token by token: judges discrepancies, finds sentences with an error",
            factory=_comparing,
            options=SecondReaderOptions,
        ),
        ComponentSpec(
            name="none", version="1.0", summary="nobody reads again: every discrepancy stands", factory=_nobody
        ),
    )


def _comparing(options: SecondReaderOptions, _: Components) -> ComparingReader:
    from overread.adapters.bert.second_reader._reader import load_reader

    return load_reader(options)


def _nobody(_options: NoOptions, _components: Components) -> None:
    return None
