"""Names of findings, each read alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from overread.application.ports import Extraction, UnitExtractor
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit, Polarity
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.studies.application.reader_checks._drafts import Draft, DraftLine, counts, finish_check
from overread.studies.application.reader_checks.check import Mistake, ReaderCheck

__all__ = ["FindingName", "check_names"]


@frozen(kw_only=True)
class FindingName:
    """A name of a finding.

    Attributes:
        entry: id of the entry it stands in.
        name: the name itself.
        synonym: whether it is one of the entry's synonyms.
        findings: findings or normal statements that are right for it; empty where nobody has said.
    """

    entry: str
    name: str
    synonym: bool
    findings: tuple[str, ...]


def check_names(extractor: UnitExtractor, lexicon: Lexicon, names: Sequence[FindingName]) -> ReaderCheck:
    """Reads each name as a report of its own.

    A name is read if it yields a right finding, or a kind of it, that is not denied, or a right normal statement. A
    name for which no finding is said to be right is not read.
    """
    extractions = extractor.extract([Report(name.name) for name in names])
    read = [_is_read(name, extraction, lexicon) for name, extraction in zip(names, extractions, strict=True)]
    lines = [_line("all", [True] * len(names), read)]
    lines.append(_line("names", [not name.synonym for name in names], read))
    lines.append(_line("synonyms", [name.synonym for name in names], read))
    without = sum(not name.findings for name in names)
    return finish_check(
        "names",
        extractor.identity,
        [Draft("Names read as the right finding", "names", tuple(lines))],
        len(names),
        mistakes=(
            Mistake(
                name.entry,
                " or ".join(name.findings) or "as nothing in particular",
                _describe_extraction(extraction),
                name.name,
            )
            for name, extraction, is_read in zip(names, extractions, read, strict=True)
            if not is_read
        ),
        notes=(f"{without} names stand in entries that the mapping does not have",) if without else (),
    )


def _line(title: str, kept: Sequence[bool], read: Sequence[bool]) -> DraftLine:
    keep = counts(list(kept))
    return DraftLine(title, int(keep.sum()), {"share read": (np.asarray(read, dtype=np.float64) * keep, keep)})


def _is_read(name: FindingName, extraction: Extraction, lexicon: Lexicon) -> bool:
    return not isinstance(extraction, Unscored) and any(
        _is_right(unit, wanted, lexicon) for unit in extraction for wanted in name.findings
    )


def _is_right(unit: ClinicalUnit, wanted: str, lexicon: Lexicon) -> bool:
    if wanted in lexicon.normals:
        return unit.canonical_finding == wanted
    return unit.polarity is not Polarity.ABSENT and lexicon.is_kind_of(unit.canonical_finding, wanted)


def _describe_extraction(extraction: Extraction) -> str:
    if isinstance(extraction, Unscored):
        return extraction.reason
    named = [f"{unit.polarity} {unit.canonical_finding}" for unit in extraction if unit.canonical_finding]
    return ", ".join(named) or "nothing"
