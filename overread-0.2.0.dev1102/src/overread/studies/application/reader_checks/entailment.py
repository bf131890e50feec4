"""Entailment of single statements by whole reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from attrs import field, frozen

from overread.application.ports import UnitExtractor
from overread.application.scoring.evaluate import Progress
from overread.application.statistics.tabulation import Column, Table
from overread.domain.findings.entailment import Entailment, entails
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.studies.application.reader_checks._drafts import Draft, DraftLine, class_lines, counts, finish_check
from overread.studies.application.reader_checks.check import CONFUSION, Mistake, ReaderCheck

__all__ = ["LabelledStatement", "check_entailment"]

Units = tuple[ClinicalUnit, ...]
Judgement = Callable[[Units, Units, Lexicon], Entailment]

_CLASSES: Final = tuple(label.value for label in Entailment)


@frozen(kw_only=True)
class LabelledStatement:
    """A statement, the statements of the report it is read against, and what people say the report makes of it."""

    id: str
    statement: str = field(repr=False)
    report: tuple[str, ...] = field(repr=False)
    label: Entailment


def check_entailment(
    extractor: UnitExtractor,
    lexicon: Lexicon,
    statements: Sequence[LabelledStatement],
    *,
    judge: Judgement = entails,
    on_progress: Progress | None = None,
) -> ReaderCheck:
    """Reads each statement alone, and each report as its statements one after another.

    A statement that cannot be read, or that stands against one that cannot, is wrong.

    Args:
        extractor: reads the statements.
        lexicon: what the findings are kinds of.
        statements: the labelled statements.
        judge: what a report's units make of a statement's.
        on_progress: called with the number of statements done.
    """
    units = _units(extractor, statements)
    readings: list[str | None] = []
    for labelled in statements:
        parts = [units[text] for text in labelled.report]
        alone = units[labelled.statement]
        if isinstance(alone, Unscored) or any(isinstance(part, Unscored) for part in parts):
            readings.append(None)
        else:
            whole = _join_units(labelled.report, [part for part in parts if not isinstance(part, Unscored)])
            readings.append(judge(alone, whole, lexicon).value)
        if on_progress is not None:
            on_progress(len(readings))
    labels = [labelled.label.value for labelled in statements]
    right = [label == reading for label, reading in zip(labels, readings, strict=True)]
    everything = DraftLine("all", len(labels), {"accuracy": (counts(right), np.ones(len(right)))})
    drafts = [
        Draft("Accuracy", "statements", (everything,)),
        Draft("By label", "statements", class_lines(labels, readings, _CLASSES)),
    ]
    failed = readings.count(None)
    return finish_check(
        "entailment",
        extractor.identity,
        drafts,
        len(labels),
        confusion=_confusion(labels, readings),
        mistakes=(
            Mistake(s.id, label, reading or "nothing", f"{s.statement} | {' '.join(s.report)}")
            for s, label, reading in zip(statements, labels, readings, strict=True)
            if label != reading
        ),
        notes=(f"{failed} statements could not be read and count as wrong",) if failed else (),
    )


def _units(extractor: UnitExtractor, statements: Sequence[LabelledStatement]) -> dict[str, Units | Unscored]:
    texts = list(dict.fromkeys(text for s in statements for text in (s.statement, *s.report)))
    return dict(zip(texts, extractor.extract([Report(text) for text in texts]), strict=True))


def _join_units(texts: Sequence[str], parts: Sequence[Units]) -> Units:
    """The units of all statements, each in its place in the statements written one a line."""
    joined: list[ClinicalUnit] = []
    offset = sentence = 0
    for text, units in zip(texts, parts, strict=True):
        joined += (
            unit.moved(offset, section=unit.section, sentence_index=sentence + unit.sentence_index) for unit in units
        )
        offset += len(text) + 1
        sentence += 1 + max((unit.sentence_index for unit in units), default=0)
    return tuple(joined)


def _confusion(labels: Sequence[str], readings: Sequence[str | None]) -> Table:
    pairs = list(zip(labels, readings, strict=True))
    return Table(
        name=CONFUSION,
        title="Labelled (rows) and read as (columns)",
        columns=(Column(name="labelled", title=""), *(Column(name=read, title=read) for read in _CLASSES)),
        rows=tuple((label, *(pairs.count((label, read)) for read in _CLASSES)) for label in _CLASSES),
    )
