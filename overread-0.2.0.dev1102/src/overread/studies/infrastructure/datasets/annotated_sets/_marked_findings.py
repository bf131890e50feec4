"""Radiologists' statements on RadPref's candidates: ratings, and the findings they marked as wrong or missing."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import define, field, frozen

from overread.domain.results.annotation import Target
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets._counts import count_targets, sum_counts
from overread.tables.cells import RowError, finite_number, identifier, is_blank, type_words
from overread.tables.documents import parse_document

__all__ = ["COUNTS", "IMPORTANCES", "SIDES", "Rater", "Said", "SaidTally", "read_rater"]

SIDES: Final = ("C1", "C2")
"""Keys of the two candidates."""

IMPORTANCES: Final[Mapping[str, str]] = {
    "urgent": "urgent",
    "actionable_not_urgent": "actionable, not urgent",
    "not_actionable_not_urgent": "neither actionable nor urgent",
    "benign_expected": "benign or expected",
}
"""What a finding asks for, the gravest first, in words."""

_ACTIONABLE: Final = frozenset({"urgent", "actionable_not_urgent"})
_ATTRIBUTES: Final[Mapping[str, ErrorCategory | None]] = {
    "location": ErrorCategory.LOCATION,
    "severity": ErrorCategory.SEVERITY,
    "descriptor": None,
    "measurement": ErrorCategory.SEVERITY,
    "certainty": None,
    "unspecific": None,
    "overinterpretation": None,
    "temporal": None,
}
"""Attributes and the category of ReXVal that an error of each is, if it is one: sizes are graded with severity."""

_CATEGORIES: Final = (
    ErrorCategory.FALSE_FINDING,
    ErrorCategory.OMITTED_FINDING,
    ErrorCategory.LOCATION,
    ErrorCategory.SEVERITY,
)
COUNTS: Final = (
    *count_targets(_CATEGORIES),
    *(
        Target(name, higher_is_better=False, label=f"errors in findings that are {words}")
        for name, words in IMPORTANCES.items()
    ),
)
"""Numbers of errors, more is worse."""

_CANDIDATE: Final = ("rating", "finding_errors", "missing_findings")
_FINDING: Final = ("error_type", "clinical_significance", "attributes")
_SHOWN: Final = re.compile(r"[\w.:-]{1,40}")


@frozen
class Said:
    """One radiologist's statement on one candidate.

    Attributes:
        rating: NaN if they gave none.
        counts: number of errors by target; NaN if unknown.
    """

    rating: float
    counts: Mapping[str, float]


@define
class SaidTally:
    """Tally of what was met in the radiologists' files.

    Attributes:
        false, missing, attributes: findings marked as false, findings marked as missing, attributes marked as wrong.
        by_importance: errors by what their finding calls for.
        ungraded: errors without a statement of how much they matter.
        untyped: findings listed among the errors without saying what is wrong: no error.
        unnamed: findings with a wrong attribute that is not named: one error.
        unlisted, unmissed: candidates without a list of wrong findings, and of missing ones, not counting empty lists.
        beside: attributes marked in findings that are false altogether, which are one error each.
        unrated: candidates without a rating.
        unsaid: candidates of an annotated comparison about which nothing is said.
        unread: keys besides those that are read, if they look like names.
    """

    false: int = 0
    missing: int = 0
    attributes: int = 0
    by_importance: Counter[str] = field(factory=Counter)
    ungraded: int = 0
    untyped: int = 0
    unnamed: int = 0
    unlisted: int = 0
    unmissed: int = 0
    beside: int = 0
    unrated: int = 0
    unsaid: int = 0
    unread: set[str] = field(factory=set)

    def pass_over(self, held: Mapping[str, Any], known: Iterable[str]) -> None:
        """Puts down the keys of an object that are not read."""
        self.unread.update(key for key in held.keys() - set(known) if _SHOWN.fullmatch(key))


@frozen
class Rater:
    """One radiologist's file.

    Attributes:
        source: the file.
        name: their user id, or the file's name where it holds none.
        said: by the id of the comparison and the key of the candidate.
    """

    source: Path
    name: str
    said: Mapping[str, Mapping[str, Said]]


@frozen
class _Error:
    """An error: what its finding asks for, None where nobody said; its category, if any; and whether it is slight."""

    importance: str | None
    category: ErrorCategory | None
    is_negligible: bool = False


@frozen
class _At:
    """A place in a JSON file, told by its keys."""

    source: Path
    keys: tuple[str, ...] = ()

    def under(self, key: str, place: int) -> _At:
        """A key of this object; told by its place where it may be somebody's words."""
        return _At(self.source, (*self.keys, key if _SHOWN.fullmatch(key) else f"entry {place}"))

    def fault(self, problem: str, remedy: str) -> InputError:
        """An error here, to be raised."""
        where = f"{', '.join(self.keys)}: " if self.keys else ""
        return InputError(str(self.source), f"{where}{problem}", remedy=remedy)

    def held(self, value: object, key: str) -> Mapping[str, Any]:
        """An object under a key, an empty one where there is none or an empty list."""
        if value is None or value == []:
            return {}
        if not isinstance(value, dict):
            raise self.fault(f"{key} is {type_words(value)}, not an object", "keep the file as it is published")
        return value


def read_rater(path: Path, tally: SaidTally) -> Rater:
    """Reads a radiologist's file.

    Raises:
        InputError: if it is not such a file; the error gives the place by its keys, and no text.
    """
    at, data = _At(path), parse_document(path)
    remedy = 'write {"user_id": ..., "annotations": {ID: {"C1": {...}, "C2": {...}}}}'
    if not isinstance(data, dict) or not isinstance(data.get("annotations"), dict):
        raise at.fault("is not an object with an object annotations", remedy)
    user = data.get("user_id")
    try:
        name = path.stem if is_blank(user) else identifier(user, "user_id").strip()
    except RowError as error:
        raise at.fault(str(error), remedy) from None
    tally.pass_over(data, ("user_id", "annotations"))
    statements: dict[str, dict[str, Said]] = {}
    for place, (key, entry) in enumerate(data["annotations"].items(), start=1):
        here = at.under("annotations", 1).under(key, place)
        held = here.held(entry, "it")
        if held and not set(SIDES) & held.keys():
            raise here.fault("has neither C1 nor C2", "use these names for the candidates")
        tally.pass_over(held, SIDES)
        statements[key.strip()] = dict(_candidates(held, here, tally))
    return Rater(source=path, name=name, said=statements)


def _candidates(held: Mapping[str, Any], at: _At, tally: SaidTally) -> Iterator[tuple[str, Said]]:
    for place, side in enumerate(SIDES, start=1):
        here = at.under(side, place)
        entry = at.held(held.get(side), side)
        if not entry:
            tally.unsaid += 1
            continue
        tally.pass_over(entry, _CANDIDATE)
        tally.unlisted += entry.get("finding_errors") is None
        tally.unmissed += entry.get("missing_findings") is None
        rating = entry.get("rating")
        tally.unrated += is_blank(rating)
        try:
            number = math.nan if is_blank(rating) else finite_number(rating, "rating")
        except RowError as error:
            raise here.fault(str(error), "write a number, or null where there is none") from None
        errors = [*_wrong(entry, here, tally), *_missing(entry, here, tally)]
        yield side, Said(number, _counts(errors, tally))


def _entries(told: Mapping[str, Any], key: str, at: _At) -> Iterator[tuple[Mapping[str, Any], _At]]:
    """The findings under a key, each with its place."""
    here = at.under(key, 1)
    for place, (number, entry) in enumerate(at.held(told.get(key), key).items(), start=1):
        inner = here.under(number, place)
        yield inner.held(entry, "it"), inner


def _wrong(told: Mapping[str, Any], at: _At, tally: SaidTally) -> Iterator[_Error]:
    """The errors in findings of the candidate."""
    for entry, here in _entries(told, "finding_errors", at):
        tally.pass_over(entry, _FINDING)
        kind = entry.get("error_type")
        if kind is False or _plain(kind) in {"false", "false_finding"}:
            tally.false += 1
            marked = here.held(entry.get("attributes"), "attributes").values()
            tally.beside += sum(not is_blank(value) for value in marked)
            yield _Error(_importance(entry, here), ErrorCategory.FALSE_FINDING)
        elif _plain(kind) == "attribute":
            yield from _attributes(entry, here, tally)
        elif is_blank(kind):
            tally.untyped += 1
        else:
            raise here.fault("error_type is not known", "use false or attribute")


def _attributes(entry: Mapping[str, Any], at: _At, tally: SaidTally) -> Iterator[_Error]:
    """An error for each attribute that is marked."""
    importance, count = _importance(entry, at), 0
    here = at.under("attributes", 1)
    for place, (name, value) in enumerate(at.held(entry.get("attributes"), "attributes").items(), start=1):
        inner = here.under(name, place)
        if _plain(name) not in _ATTRIBUTES:
            raise inner.fault("is not a known attribute", f"use {', '.join(_ATTRIBUTES)}")
        if is_blank(value):
            continue
        if _plain(value) not in {"significant", "negligible"}:
            raise inner.fault("says neither significant nor negligible", "use one of these words")
        count += 1
        yield _Error(importance, _ATTRIBUTES[_plain(name)], is_negligible=_plain(value) == "negligible")
    tally.attributes += count
    if not count:
        tally.unnamed += 1
        yield _Error(importance, None)


def _missing(told: Mapping[str, Any], at: _At, tally: SaidTally) -> Iterator[_Error]:
    """The findings of the reference that the candidate lacks."""
    for entry, here in _entries(told, "missing_findings", at):
        tally.pass_over(entry, _FINDING[1:2])
        tally.missing += 1
        yield _Error(_importance(entry, here), ErrorCategory.OMITTED_FINDING)


def _importance(entry: Mapping[str, Any], at: _At) -> str | None:
    """Clinical significance of the finding, None if nobody said."""
    value = entry.get("clinical_significance")
    if is_blank(value):
        return None
    if _plain(value) not in IMPORTANCES:
        raise at.fault("clinical_significance is not known", f"use {', '.join(IMPORTANCES)}")
    return _plain(value)


def _plain(value: object) -> str:
    return re.sub(r"[\W_]+", "_", value.strip().lower()) if isinstance(value, str) else ""


def _counts(errors: Sequence[_Error], tally: SaidTally) -> dict[str, float]:
    """Number of errors by target; what depends on an importance that nobody told is not known."""
    graded = all(error.importance is not None for error in errors)
    counted: dict[tuple[bool, ErrorCategory], float] = {}
    overall: Counter[str] = Counter()
    for error in errors:
        significant = error.importance in _ACTIONABLE and not error.is_negligible
        overall.update(("total", "significant" if significant else "insignificant", error.importance or ""))
        if error.category is not None:
            key = (significant, error.category)
            counted[key] = counted.get(key, 0.0) + 1
        tally.ungraded += error.importance is None
        tally.by_importance.update([error.importance] if error.importance is not None else [])
    by_category = sum_counts(counted)
    return {
        target.name: (
            float(by_category.get(target.name, 0.0) if "." in target.name else overall[target.name])
            if graded or target.name.partition(".")[0] == "total"
            else math.nan
        )
        for target in COUNTS
    }
