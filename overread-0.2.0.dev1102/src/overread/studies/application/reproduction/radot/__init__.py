"""RadOT-Eval: selected on ReXVal, frozen, and tried on RadEvalX and ReXErr-v1."""

from __future__ import annotations

from overread.studies.application.reproduction.published import PublishedPaper
from overread.studies.application.reproduction.radot.ablations import architecture, sensitivity
from overread.studies.application.reproduction.radot.categories import categories
from overread.studies.application.reproduction.radot.correlations import correlations, differences
from overread.studies.application.reproduction.radot.preprocessing import preprocessing
from overread.studies.application.reproduction.radot.screening import screening
from overread.studies.application.reproduction.radot.selection import selection
from overread.studies.application.reproduction.radot.shortcuts import fifths, shortcuts
from overread.studies.application.reproduction.radot.study import RadotStudy
from overread.studies.application.reproduction.sections import Reproduction

__all__ = ["radot_tables"]


def radot_tables(paper: PublishedPaper) -> Reproduction[RadotStudy]:
    """The tables of RadOT-Eval that figures can be computed for, in the paper's order; "fifths" is of section VI-D."""
    return Reproduction(
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
