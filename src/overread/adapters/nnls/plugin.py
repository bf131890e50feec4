"""Registers the readouts. Coefficients are read when a readout is built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from attrs import field, frozen

from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

if TYPE_CHECKING:
    from overread.adapters.nnls._readout import NnlsReadout

__all__ = ["ReadoutOptions", "overread_readouts"]


@frozen(kw_only=True)
class ReadoutOptions:
    """Options of both readouts.

    Attributes:
        path: coefficients fitted by ``overread fit readout``, in place of those shipped.
    """

    path: str | None = field(default=None, metadata={"argument": True})


@hookimpl
def overread_readouts() -> Iterable[ComponentSpec]:
    """The debiased and the published readout."""
    return (
        ComponentSpec(
            name="debiased",
            version="1.0",
            summary="Risk above what each report has against itself: 0 for identical reports.",
            factory=_debiased,
            options=ReadoutOptions,
        ),
        ComponentSpec(
            name="paper",
            version="1.0",
            summary="Risk from the published features (RadOT-Eval section IV-C): above 0 for identical reports.",
            factory=_paper,
            options=ReadoutOptions,
        ),
    )


def _debiased(options: ReadoutOptions, _components: Components) -> NnlsReadout:
    from overread.adapters.nnls._readout import load_readout

    return load_readout("debiased", options.path)


def _paper(options: ReadoutOptions, _components: Components) -> NnlsReadout:
    from overread.adapters.nnls._readout import load_readout

    return load_readout("paper", options.path)
