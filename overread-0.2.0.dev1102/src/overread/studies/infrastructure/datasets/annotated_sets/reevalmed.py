"""ReEvalMed's test set (Beyond Scalar Scores, Table 1): one change a pair, which matters or does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Target
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.studies.infrastructure.datasets.annotated_sets._account import Account
from overread.studies.infrastructure.datasets.annotated_sets._files import Row, TableFile, no_table, unpack_tables
from overread.studies.infrastructure.datasets.annotated_sets._rows import (
    Aliases,
    Distinct,
    Studies,
    check_readable,
    label,
)

__all__ = ["read_reevalmed"]

_REQUIRED: Final[Aliases] = {
    "reference": ("ref", "gt", "ground_truth", "gt_report", "reference_report", "original", "original_report"),
    "candidate": ("tgt", "target", "pred", "prediction", "gen_report", "candidate_report", "generated", "modified"),
}
_OPTIONAL: Final[Aliases] = {
    "id": ("pair_id", "sample_id", "key"),
    "study": ("study_id", "report_id"),
    "subset": ("dimension", "significance", "clinical_significance"),
    "severity": (),
    "aspect": ("error_aspect",),
    "type": ("error_type",),
}
_DISCRIMINATION: Final = "discrimination"
_ROBUSTNESS: Final = "robustness"
_SUBSETS: Final[Mapping[str, str]] = {
    "d": _DISCRIMINATION,
    "disc": _DISCRIMINATION,
    "discrimination": _DISCRIMINATION,
    "significant": _DISCRIMINATION,
    "critical": _DISCRIMINATION,
    "sig": _DISCRIMINATION,
    "true": _DISCRIMINATION,
    "1": _DISCRIMINATION,
    "r": _ROBUSTNESS,
    "rob": _ROBUSTNESS,
    "robust": _ROBUSTNESS,
    "robustness": _ROBUSTNESS,
    "insignificant": _ROBUSTNESS,
    "insig": _ROBUSTNESS,
    "nonsignificant": _ROBUSTNESS,
    "notsignificant": _ROBUSTNESS,
    "false": _ROBUSTNESS,
    "0": _ROBUSTNESS,
}
_ASPECTS: Final[Mapping[str, ErrorAspect]] = {
    **{re.sub(r"\W+", "", aspect.value).lower(): aspect for aspect in ErrorAspect},
    "comparison": ErrorAspect.COMPARISON,
    "progression": ErrorAspect.COMPARISON,
    "compprog": ErrorAspect.COMPARISON,
    "size": ErrorAspect.SIZE,
    "distance": ErrorAspect.SIZE,
    "style": ErrorAspect.STYLE,
    "stylisticvar": ErrorAspect.STYLE,
    "stylistic": ErrorAspect.STYLE,
}
_TYPES: Final[Mapping[str, ErrorType | None]] = {
    "omission": ErrorType.OMISSION,
    "o": ErrorType.OMISSION,
    "fabrication": ErrorType.FABRICATION,
    "f": ErrorType.FABRICATION,
    "inaccuracy": ErrorType.INACCURACY,
    "error": ErrorType.INACCURACY,
    "factualerror": ErrorType.INACCURACY,
    "e": ErrorType.INACCURACY,
    "i": ErrorType.INACCURACY,
    "s": None,
    "none": None,
}
_SIGNIFICANT: Final = Target("significant", higher_is_better=False, label="1 where the change matters clinically")


def read_reevalmed(path: Path) -> HumanBenchmark:
    """ReEvalMed's test set, or a file of the same layout, such as ``overread inject`` writes.

    Columns that must be there, each under one of several names, case and signs apart: ``reference``, ``candidate``
    and ``subset``, which is discrimination (the change matters) or robustness (it does not), D or R, significant or
    insignificant, 1 or 0. In its place the names of the files may tell, for example discrimination.json and
    robustness.json. Used where they are there: ``id``, ``study`` (else pairs with the same reference are one study),
    ``aspect`` (one of the twelve), ``type`` (omission, fabrication or inaccuracy) and ``severity``, which must agree
    with the subset.

    Args:
        path: a table, or a folder or archive of such.

    Returns:
        Target significant, 1 or 0, higher is worse; strata subset, aspect and type.

    Raises:
        InputError: if there is no such table, and at the first row that cannot be used.
    """
    with unpack_tables(path) as place:
        account = Account()
        tables = account.find(place)
        check_readable(tables)
        usable = [table for table in tables if table.has(_REQUIRED)]
        if not usable:
            raise no_table(tables, _REQUIRED, "the table of pairs", place)
        pairs = tuple(_pairs(usable, account))
    return HumanBenchmark(
        name="reevalmed", targets=(_SIGNIFICANT,), raters=("label",), pairs=pairs, understood=account.lines
    )


def _pairs(tables: list[TableFile], account: Account) -> Iterator[AnnotatedPair]:
    distinct, studies = Distinct("id"), Studies()
    for table in tables:
        named_subset = _said_by(table.path.name)
        if named_subset:
            account.say(f"the name of {table.path.name} tells {named_subset}")
        for row in account.read_aliased(table, _REQUIRED, _OPTIONAL, "pair"):
            subset = _subset(row, named_subset)
            name = label(row, "id") or (f"{table.path.stem}-{row.number}" if len(tables) > 1 else f"{row.number}")
            distinct.add(name, row)
            reference = row.text("reference")
            aspect, kind = _aspect(row), _type(row)
            yield AnnotatedPair(
                pair=ReportPair(id=name, reference=reference, candidate=row.text("candidate")),
                study=label(row, "study") or studies.of(reference),
                ratings={"significant": (1.0 if subset == _DISCRIMINATION else 0.0,)},
                strata={
                    "subset": subset,
                    **({"aspect": aspect.value} if aspect else {}),
                    **({"type": kind.value} if kind else {}),
                },
            )


def _said_by(name: str) -> str:
    """The subset that a file's name tells, "" if none."""
    subsets = {_SUBSETS[word] for word in re.findall(r"[a-z]+", name.lower()) if len(word) > 1 and word in _SUBSETS}
    return subsets.pop() if len(subsets) == 1 else ""


def _subset(row: Row, said: str) -> str:
    by_column = {column: _read_subset(row, column) for column in ("subset", "severity") if not row.is_empty(column)}
    subsets = set(by_column.values()) or ({said} if said else set())
    if not subsets:
        raise row.fault(
            "it is not given whether the change matters", "add a column subset: discrimination or robustness"
        )
    if len(subsets) > 1:
        raise row.fault("subset and severity contradict each other")
    return subsets.pop()


def _read_subset(row: Row, column: str) -> str:
    value = row.cells[column]
    known = _SUBSETS.get(_word(int(value) if isinstance(value, float) and value.is_integer() else value))
    if known is None:
        raise row.fault(f"{column} is not known", "use discrimination or robustness")
    return known


def _aspect(row: Row) -> ErrorAspect | None:
    if row.is_empty("aspect"):
        return None
    known = _ASPECTS.get(_word(row.cells["aspect"]))
    if known is None:
        raise row.fault("aspect is not one of the twelve", f"use {', '.join(ErrorAspect)}")
    return known


def _type(row: Row) -> ErrorType | None:
    if row.is_empty("type"):
        return None
    word = _word(row.cells["type"])
    if word not in _TYPES:
        raise row.fault("type is not known", f"use {', '.join(ErrorType)}")
    return _TYPES[word]


def _word(value: object) -> str:
    return re.sub(r"[\W_]+", "", str(value)).lower()
