"""Registers the second readers that ask no model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from overread.adapters.second_reader.options import OddsOptions
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, NoOptions

if TYPE_CHECKING:
    from overread.adapters.second_reader.odds import OddsReader

__all__ = ["overread_second_readers"]


@hookimpl
def overread_second_readers() -> Iterable[ComponentSpec]:
    """The odds of a discrepancy by its kind, and nobody."""
    return (
        ComponentSpec(
            name="odds",
            version="1.0",
            summary="How often discrepancies of a kind were confirmed on labelled pairs.",
            factory=_odds,
            options=OddsOptions,
        ),
        ComponentSpec(
            name="none", version="1.0", summary="Nobody reads again: every discrepancy stands.", factory=_nobody
        ),
    )


def _odds(options: OddsOptions, _: Components) -> OddsReader:
    from overread.adapters.second_reader.odds import load_odds

    return load_odds(options.path)


def _nobody(_options: NoOptions, _components: Components) -> None:
    return None
