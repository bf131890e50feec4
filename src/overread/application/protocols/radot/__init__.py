"""RadOT-Eval's protocol: selected on ReXVal, frozen, and tried on RadEvalX and ReXErr-v1."""

from __future__ import annotations

from overread.application.protocols.protocol import Protocol
from overread.application.protocols.published import PublishedPaper
from overread.application.protocols.radot.ablations import architecture, sensitivity
from overread.application.protocols.radot.categories import categories
from overread.application.protocols.radot.correlations import correlations, differences
from overread.application.protocols.radot.preprocessing import preprocessing
from overread.application.protocols.radot.screening import screening
from overread.application.protocols.radot.selection import selection
from overread.application.protocols.radot.shortcuts import fifths, shortcuts
from overread.application.protocols.radot.study import RadotStudy

__all__ = ["radot_protocol"]


def radot_protocol(paper: PublishedPaper) -> Protocol[RadotStudy]:
    """The tables of RadOT-Eval that figures can be computed for, in the paper's order; "fifths" is of section VI-D."""
    return Protocol(
        paper=paper,
        makers={
            "I": preprocessing,
            "III": correlations,
            "IV": screening,
            "V": architecture,
            "VI": sensitivity,
            "VII": shortcuts,
            "VIII": categories,
            "fifths": fifths,
            "X": selection,
            "XI": differences,
        },
    )
