"""Registers the readouts. Coefficients are read when a readout is built."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from overread.adapters.transport.nnls.options import ReadoutOptions
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

if TYPE_CHECKING:
    from overread.adapters.transport.nnls.readout import NnlsReadout

__all__ = ["overread_readouts"]


@hookimpl
def overread_readouts() -> Iterable[ComponentSpec]:
    """The relaxed, the debiased and the published readout, all of them fitted."""
    return tuple(
        ComponentSpec(
            name=kind, version="1.0", summary=summary, factory=partial(_readout, kind), options=ReadoutOptions
        )
        for kind, summary in _SUMMARIES.items()
    )


_SUMMARIES: Final = {
    "relaxed": "Risk from each finding's best match in the other report; no transport plan enters it.",
    "debiased": "Risk from the plan above what each report has against itself: 0 for identical reports.",
    "paper": "Risk from the published features (RadOT-Eval section IV-C): above 0 for identical reports.",
}


def _readout(kind: str, options: ReadoutOptions, _components: Components) -> NnlsReadout:
    from overread.adapters.transport.nnls.readout import load_readout

    return load_readout(kind, options.path)
