"""Table I: how much was read of each set."""

from __future__ import annotations

from overread.application.statistics.tabulation import Cell
from overread.studies.application.reproduction.published import PublishedPaper, beside
from overread.studies.application.reproduction.radot.reading import ReadSet
from overread.studies.application.reproduction.radot.study import RadotStudy
from overread.studies.application.reproduction.sections import Section

__all__ = ["preprocessing"]

_NOTE = (
    "Pairs: those that could be read. Units: of both reports of each pair. Fallback roles: reports of a pair that were "
    "read as whole sentences alone. The paper's units come from a parser of 70 billion parameters, so that theirs and "
    "ours are not expected to be equal."
)


def preprocessing(study: RadotStudy, paper: PublishedPaper) -> Section:
    """Pairs, units and fallbacks of each set."""
    sets = {"ReXVal": study.source, "RadEvalX": study.external, "ReXErr-v1": study.stress}
    reproduced: dict[str, dict[str, Cell]] = {row: _figures(data) for row, data in sets.items() if data is not None}
    if study.external is not None:
        reproduced["ReXVal and RadEvalX"] = _figures(study.source, study.external)
    table = beside(paper.tables["I"], reproduced, name="table-i", note=_NOTE, digits=0)
    notes = tuple(
        f"{row}: {len(data.skipped)} pairs could not be read and are in no table ({_reasons(data)})"
        for row, data in sets.items()
        if data is not None and data.skipped
    )
    return Section(tables=(table,), notes=notes)


def _figures(*sets: ReadSet) -> dict[str, Cell]:
    units = sum(len(report) for data in sets for pair in data.units for report in (pair.reference, pair.candidate))
    fallbacks = sum(int(data.fallbacks.sum()) for data in sets)
    return {"pairs": sum(len(data) for data in sets), "units": units, "fallbacks": fallbacks}


def _reasons(data: ReadSet) -> str:
    reasons = list(data.skipped.values())
    return ", ".join(f"{reason}: {reasons.count(reason)}" for reason in dict.fromkeys(reasons))
