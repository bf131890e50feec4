"""RadPref: two candidates for one report, rated by radiologists who marked what is wrong and how much it matters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final, Literal

from attrs import field, frozen

from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference, Target, told_count
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets._account import Account
from overread.studies.infrastructure.datasets.annotated_sets._files import Row, open_table, unpack_tables
from overread.studies.infrastructure.datasets.annotated_sets._marked_findings import (
    COUNTS,
    IMPORTANCES,
    SIDES,
    Rater,
    Said,
    SaidTally,
    read_rater,
)
from overread.studies.infrastructure.datasets.annotated_sets._rows import (
    Aliases,
    Distinct,
    checked_columns,
    label,
)
from overread.tables.cells import RowError, age_years, words

__all__ = ["read_radpref"]

_DATA: Final = "preference_data.json"
_ANNOTATIONS: Final = "radiologist_annotations"
_LAYOUT: Final = f"keep the folder as it is published: {_DATA} and {_ANNOTATIONS}/user_1.json and so on"

_REQUIRED: Final[Aliases] = {"id": (), "ground_truth_report": (), "C1_report": (), "C2_report": ()}
_OPTIONAL: Final[Aliases] = {"C1_source": (), "C2_source": (), "PatientAge": (), "PatientSex": (), "Indication": ()}
_PATIENT: Final = ("PatientAge", "PatientSex", "Indication")
_UNSAID: Final = Said(math.nan, {target.name: math.nan for target in COUNTS})
_HALF: Final = 0.5


@frozen(kw_only=True)
class _Comparison:
    """A report, its two candidates and what each rater said of them."""

    id: str
    study: str
    reference: str = field(repr=False)
    candidates: tuple[str, str] = field(repr=False)
    sources: tuple[str, str]
    context: ClinicalContext
    said: tuple[Mapping[str, Said], ...]

    def of(self, side: str) -> tuple[Said, ...]:
        """Statements of each rater on a candidate."""
        return tuple(by_side.get(side, _UNSAID) for by_side in self.said)

    def votes(self, better: float) -> tuple[float, ...]:
        """One a rater: 1 for the first candidate, -1 for the second, 0 for as good, NaN where they rated one alone."""
        leads = [(one.rating - two.rating) * better for one, two in zip(*map(self.of, SIDES), strict=True)]
        return tuple(lead if math.isnan(lead) else float((lead > 0) - (lead < 0)) for lead in leads)


def read_radpref(
    path: Path,
    *,
    context: Literal["with", "without"] = "with",
    ratings: Literal["grades", "errors"] = "grades",
) -> HumanBenchmark:
    """RadPref as it is published: preference_data.json and radiologist_annotations/user_1.json and so on.

    A comparison has id, ground_truth_report, C1_report and C2_report, and where they are known C1_source, C2_source,
    PatientAge (as DICOM writes it, 045Y), PatientSex and Indication. A radiologist's file has user_id and annotations:
    by the comparison's id and C1 or C2 a rating, finding_errors and missing_findings.

    An error is a false finding, a missing finding, or an attribute of a finding that is wrong, each counted once. What
    it asks for is its finding's clinical_significance; it is significant (ours, the set does not tell) where that is
    urgent or actionable and the attribute, if it is one, is not negligible. An error whose clinical_significance is
    empty leaves the radiologist's counts by importance of that candidate unknown, never their total.

    Args:
        path: the folder, one that holds it, or an archive of it.
        context: "without" keeps age, sex and indication from the metrics.
        ratings: whether ratings are "grades", higher is better, or "errors", lower is better.

    Returns:
        Two pairs a comparison, ID:C1 and ID:C2. Targets: rating; total, significant and insignificant, each for the
        categories A to D too; and errors by what their finding asks for. A radiologist prefers the candidate that they
        rate better. Comparisons with one reference are one study.

    Raises:
        InputError: if a file is missing or no such file, or holds a word that is none of the set's; it tells the file,
            the place and the remedy, and no report.
    """
    account, tally = Account(), SaidTally()
    with unpack_tables(path) as place:
        folder = _folder(place)
        table = open_table(folder / _DATA)
        columns = checked_columns(table, _REQUIRED)
        others = {name: column for name, column in columns.items() if name != "id"} | table.columns(_OPTIONAL)
        rows = list(account.rows(table, {"id": columns["id"]}, others, "comparison"))
        raters = _raters(folder, tally)
        every = list(_comparisons(rows, raters, with_context=context == "with"))
    annotated = [comparison for comparison in every if any(comparison.said)]
    for line in _understood(raters, {comparison.id for comparison in every}, tally):
        account.say(line)
    better = 1.0 if ratings == "grades" else -1.0
    target = Target("rating", higher_is_better=ratings == "grades", label="rating of the candidate")
    return HumanBenchmark(
        name="radpref",
        targets=(target, *COUNTS),
        raters=tuple(rater.name for rater in raters),
        pairs=tuple(_pair(comparison, side) for comparison in annotated for side in SIDES),
        preferences=tuple(_preference(comparison, better) for comparison in annotated),
        understood=account.lines,
        notes=tuple(chain(_left_out(raters, every, annotated), _tally_notes(tally), _direction(annotated, better))),
    )


def _folder(place: Path) -> Path:
    """The folder of the one file of comparisons."""
    if place.is_file():
        if place.name != _DATA:
            raise InputError(str(place), f"is not {_DATA}", remedy=_LAYOUT)
        return place.parent
    files = [file for file in sorted(place.rglob(_DATA)) if "__MACOSX" not in file.parts]
    if len(files) != 1:
        problem = f"holds {len(files)} files {_DATA}" if files else f"holds no {_DATA}"
        raise InputError(str(place), problem, remedy=_LAYOUT)
    return files[0].parent


def _raters(folder: Path, tally: SaidTally) -> list[Rater]:
    """The radiologists, in the order of their files' numbers."""
    files = sorted((folder / _ANNOTATIONS).glob("user_*.json"), key=lambda file: (len(file.name), file.name))
    if not files:
        raise InputError(str(folder / _ANNOTATIONS), "holds no user_1.json or the like", remedy=_LAYOUT)
    raters = [read_rater(file, tally) for file in files]
    first: dict[str, Rater] = {}
    for rater in raters:
        before = first.setdefault(rater.name, rater)
        if before is not rater:
            problem = f"its user_id is also that of {before.source.name}"
            raise InputError(str(rater.source), problem, remedy="give each radiologist an id of their own")
    return raters


def _comparisons(rows: Sequence[Row], raters: Sequence[Rater], *, with_context: bool) -> Iterator[_Comparison]:
    distinct = Distinct("id")
    studies: dict[str, str] = {}
    names = {row.name("id") for row in rows}
    annotated = {key for rater in raters for key in rater.said}
    if not annotated:
        problem = "no file there holds an annotated comparison"
        raise InputError(str(raters[0].source.parent), problem, remedy="copy the files of the release again")
    if names.isdisjoint(annotated):
        problem = f"none of the {told_count(len(annotated), 'id')} of annotated comparisons is in {_DATA}"
        raise InputError(str(raters[0].source.parent), problem, remedy="take the files of one release")
    for row in rows:
        name = row.name("id")
        distinct.add(name, row)
        for column in ("ground_truth_report", "C1_report", "C2_report"):
            if row.cells.get(column) is None:
                raise row.fault(
                    f"{column} is missing", "a comparison has a report and two candidates; correct it or leave it out"
                )
        reference = row.text("ground_truth_report")
        patient = _patient(row)
        yield _Comparison(
            id=name,
            study=studies.setdefault(" ".join(reference.split()), name),
            reference=reference,
            candidates=(row.text("C1_report"), row.text("C2_report")),
            sources=(label(row, "C1_source"), label(row, "C2_source")),
            context=patient if with_context else ClinicalContext(),
            said=tuple(rater.said.get(name, {}) for rater in raters),
        )


def _patient(row: Row) -> ClinicalContext:
    age, sex, indication = (row.cells.get(name) for name in _PATIENT)
    try:
        return ClinicalContext(
            age=age_years(age, "PatientAge"), sex=words(sex, "PatientSex"), indication=words(indication, "Indication")
        )
    except RowError as error:
        raise row.fault(str(error)) from None


def _pair(comparison: _Comparison, side: str) -> AnnotatedPair:
    place = SIDES.index(side)
    statements = comparison.of(side)
    return AnnotatedPair(
        pair=ReportPair(
            id=f"{comparison.id}:{side}",
            reference=comparison.reference,
            candidate=comparison.candidates[place],
            context=comparison.context,
        ),
        study=comparison.study,
        generator=comparison.sources[place],
        ratings={
            "rating": tuple(one.rating for one in statements),
            **{target.name: tuple(one.counts[target.name] for one in statements) for target in COUNTS},
        },
    )


def _preference(comparison: _Comparison, better: float) -> Preference:
    return Preference(
        id=comparison.id,
        study=comparison.study,
        first=f"{comparison.id}:{SIDES[0]}",
        second=f"{comparison.id}:{SIDES[1]}",
        votes=comparison.votes(better),
    )


def _understood(raters: Sequence[Rater], ids: set[str], tally: SaidTally) -> Iterator[str]:
    """Yields a summary of the radiologists' files."""
    for rater in raters:
        joined = told_count(len(rater.said.keys() & ids), "comparison")
        yield f"{_ANNOTATIONS}/{rater.source.name}, rater {rater.name}: {joined}, joined by id"
    counts = {"false finding": tally.false, "missing finding": tally.missing, "wrong attribute": tally.attributes}
    yield f"errors: {', '.join(told_count(count, noun) for noun, count in counts.items())}"
    ratings = [one.rating for rater in raters for by_side in rater.said.values() for one in by_side.values()]
    if ratings := [rating for rating in ratings if not math.isnan(rating)]:
        yield f"ratings from {min(ratings):g} to {max(ratings):g}"
    grades = [f"{name} {tally.by_importance[name]}" for name in IMPORTANCES]
    yield f"errors by clinical_significance: {', '.join(grades)}{f', none {tally.ungraded}' if tally.ungraded else ''}"
    if tally.unread:
        yield f"not read in {_ANNOTATIONS}: {', '.join(sorted(tally.unread))}"


def _left_out(raters: Sequence[Rater], every: Sequence[_Comparison], kept: Sequence[_Comparison]) -> Iterator[str]:
    ids = {comparison.id for comparison in every}
    for rater in raters:
        if strange := len(rater.said.keys() - ids):
            yield f"{told_count(strange, 'annotation')} of {rater.name} left out: {_DATA} has no such comparison"
    if len(kept) < len(every):
        yield f"{told_count(len(every) - len(kept), 'comparison')} left out: nobody annotated it"


def _tally_notes(tally: SaidTally) -> Iterator[str]:
    met = (
        (tally.unsaid, "candidate", "of which a radiologist said nothing: no rating, no counts, no vote"),
        (tally.unrated, "candidate", "annotated without a rating: no vote comes of it"),
        (tally.ungraded, "error", "without a clinical_significance: counts by importance are unknown there"),
        (tally.untyped, "finding", "listed without an error_type: no error"),
        (tally.unlisted, "candidate", "without finding_errors, or with null there: read as no error in what it says"),
        (tally.unmissed, "candidate", "without missing_findings, or with null there: read as nothing missing"),
        (tally.beside, "attribute", "marked in findings that are false altogether: not counted beside these"),
        (tally.unnamed, "finding", "with a wrong attribute that is not named: one error each"),
    )
    yield from (f"{told_count(count, noun)} {what}" for count, noun, what in met if count)


def _direction(kept: Sequence[_Comparison], better: float) -> Iterator[str]:
    """A remark where the candidates that are rated better mostly have more errors."""
    sides = [
        (vote, one.counts["total"] - two.counts["total"])
        for comparison in kept
        for vote, one, two in zip(comparison.votes(better), *map(comparison.of, SIDES), strict=True)
    ]
    contrary = [vote * more > 0 for vote, more in sides if vote * more and not math.isnan(vote * more)]
    if contrary and sum(contrary) > _HALF * len(contrary):
        lower = "if a lower rating is better here, read the ratings as errors"
        other = lower if better > 0 else "if a higher rating is better here, read the ratings as grades"
        yield (
            f"the candidate that is rated better has more errors in {sum(contrary)} of {len(contrary)} cases: {other}"
        )
