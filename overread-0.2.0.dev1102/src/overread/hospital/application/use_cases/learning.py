"""Learning points of pairs, and the conferences that they are shown at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from overread.domain.reports.report import Report
from overread.domain.vocabulary.members import check_member
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.learning import (
    Conference,
    ConferenceCase,
    ConferencePoint,
    PairLearning,
    PointQuery,
)
from overread.hospital.application.ports import KeptPair, UnitOfWork
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase, is_storable
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.learning import (
    LearningKind,
    LearningPoint,
    learning_problems,
    without_names,
)

__all__ = ["Learning", "check_open", "check_words"]

_LARGEST_PAGE = 500
_FIRST = 0
"""Number of what has none yet."""


class Learning(UseCase):
    """Keeps what pairs teach, and gathers it for conferences."""

    @operation
    @again_if_busy
    def add_learning_point(
        self,
        number: int,
        *,
        by: Actor,
        kind: LearningKind,
        text: str,
        category: ErrorCategory | None = None,
        finding: str = "",
        nominated: bool = False,
    ) -> LearningPoint:
        """Keep what a pair teaches, or what was seen well in it. Reviewer.

        The authors of its reports see it, without the name of who wrote it.

        Args:
            number: of the pair.
            by: on whose behalf.
            kind: whether something can be learnt, or was seen well.
            text: in their own words; it is kept as report text is.
            category: of the discrepancy that it is about, if any.
            finding: id in the lexicon, if any.
            nominated: whether it is to be shown at a conference.

        Raises:
            NotFoundError: if there is no such pair.
            InputError: if they read the pair blinded, or the point is not sound.
        """
        check_member(LearningKind, "kind", kind)
        if category is not None:
            check_member(ErrorCategory, "category", category)
        check_words(text, "learning", self._context.configuration.longest_report, *learning_problems(text, finding))
        with self._context.store.transaction() as unit:
            check_open(unit, number, by)
            point = LearningPoint(
                number=_FIRST,
                pair=number,
                kind=kind,
                category=category,
                finding=finding,
                text=text,
                nominated=nominated,
                made=self._context.now(),
                made_by=by.name,
            )
            kept = unit.learning.get(unit.learning.add(point))
            details: dict[str, str | int] = {"point": kept.number, "kind": kind.value}
            details |= {"nominated": "yes"} if nominated else {}
            self._context.note(unit, by, "learning", f"pair:{number}", details)
        return kept

    @operation
    def learning_points(self, number: int, *, by: Actor) -> PairLearning:
        """Learning points of a pair, what was done about it, and what its authors say. Reviewer."""
        with self._context.store.reading() as unit:
            unit.pairs.get([number])
            blinded = bool(unit.protocols.blinded(by.name, [number]))
            [points] = unit.learning.of([number])
            [responses] = unit.responses.of([number])
            actions = unit.actions.of(number)
        self._context.tell(by, "read learning", f"pair:{number}")
        if blinded:
            return PairLearning(pair=number, blinded=True)
        return PairLearning(pair=number, points=points, actions=actions, responses=responses)

    @operation
    @again_if_busy
    def nominate(self, number: int, *, by: Actor, nominated: bool = True) -> LearningPoint:
        """Note whether a learning point is to be shown at a conference, also once more. Reviewer."""
        with self._context.store.transaction() as unit:
            point = unit.learning.get(number)
            check_open(unit, point.pair, by)
            unit.learning.nominate(number, nominated=nominated)
            details: dict[str, str | int] = {"point": number, "nominated": "yes" if nominated else "no"}
            self._context.note(unit, by, "nominate", f"pair:{point.pair}", details)
            return unit.learning.get(number)

    @operation
    def conference(
        self,
        *,
        by: Actor,
        since: datetime | None = None,
        until: datetime | None = None,
        presented: bool | None = None,
        after: int = 0,
        limit: int = 50,
    ) -> Conference:
        """Pairs for a conference, with the points nominated in a period and without anybody's name. Reviewer.

        Pairs of an active blinded protocol wait until it is closed, whoever asks. Names that the service knows are
        replaced in the texts; a report may hold others.

        Args:
            by: on whose behalf.
            since: from when on the points were written, with its zone.
            until: before when they were.
            presented: whether they were presented; both where omitted.
            after: number of the pair after which the list goes on.
            limit: pairs, 1 to 500.
        """
        if after < 0 or not 1 <= limit <= _LARGEST_PAGE:
            raise InputError("conference", f"after must be 0 or more, and limit 1 to {_LARGEST_PAGE}")
        if any(moment is not None and moment.tzinfo is None for moment in (since, until)):
            raise InputError("conference", "since and until must be times with a time zone")
        query = PointQuery(since=since, until=until, presented=presented, after=after, limit=limit + 1)
        with self._context.store.reading() as unit:
            numbers = unit.learning.nominated(query)
            shown = numbers[:limit]
            cases = list(self._conference_cases(unit, shown, query))
        self._context.tell(by, "conference", details={"pairs": len(cases)})
        return Conference(cases=cases, next=shown[-1] if len(numbers) > limit else None)

    @operation
    @again_if_busy
    def mark_presented(self, number: int, *, by: Actor) -> int:
        """Mark the nominated learning points of a pair as presented; how many had not been. Lead.

        Raises:
            NotFoundError: if no point of it is nominated.
        """
        with self._context.store.transaction() as unit:
            unit.pairs.get([number])
            [points] = unit.learning.of([number])
            if number in unit.protocols.withheld([number]) or not any(point.nominated for point in points):
                raise NotFoundError(f"pair {number} is not nominated for a conference")
            changed = unit.learning.present(number, self._context.now())
            self._context.note(unit, by, "present", f"pair:{number}", {"points": changed})
        return changed

    def _conference_cases(
        self, unit: UnitOfWork, numbers: Sequence[int], query: PointQuery
    ) -> Iterator[ConferenceCase]:
        rows = unit.pairs.rows(numbers, self._context.signature_lines)
        by_pair = zip(unit.pairs.get(numbers), rows, unit.learning.of(numbers), strict=True)
        for entry, row, points in by_pair:
            names = list(_known_names(unit, entry, points))
            nominated = [point for point in points if point.nominated and _is_asked(point, query)]
            texts = entry.report_pair
            moments = [point.presented for point in nominated]
            yield ConferenceCase(
                pair=entry.number,
                kind=entry.pair.kind,
                modality=row.examination.modality,
                procedure=row.examination.procedure,
                candidate=None if texts is None else _nameless(texts.candidate, names),
                reference=None if texts is None else _nameless(texts.reference, names),
                points=[
                    ConferencePoint(
                        kind=point.kind,
                        category=point.category,
                        finding=point.finding,
                        text=without_names(point.text, names),
                    )
                    for point in nominated
                ],
                presented=None if None in moments else max(filter(None, moments)),
            )


def check_open(unit: UnitOfWork, number: int, by: Actor) -> None:
    """Checks that a pair is there and that somebody may say something of it.

    Raises:
        NotFoundError: if it is not there.
        InputError: if they read it blinded.
    """
    unit.pairs.get([number])
    if unit.protocols.blinded(by.name, [number]):
        raise InputError("pair", "you read this pair blinded", remedy="review it by your assignment first")


def check_words(text: str, what: str, longest: int, *problems: str) -> None:
    """Raises `InputError` for words that are too long or that no store can hold, and for other problems."""
    found = [*problems]
    if len(text) > longest:
        found.append(f"the text is longer than {longest:,} characters")
    if not is_storable(text):
        found.append("the text contains a NUL or half a surrogate pair")
    if found:
        raise InputError(what, "; ".join(found))


def _is_asked(point: LearningPoint, query: PointQuery) -> bool:
    return (
        (query.since is None or point.made >= query.since)
        and (query.until is None or point.made < query.until)
        and query.presented in {None, point.presented is not None}
    )


def _known_names(unit: UnitOfWork, entry: KeptPair, points: Sequence[LearningPoint]) -> Iterator[str]:
    """Names of people and numbers of examinations that are known to belong to a pair."""
    for kept in unit.versions.get([*entry.pair.candidate, *entry.pair.reference]):
        yield kept.version.reader
        for examination in kept.version.examinations:
            yield from (examination.accession, examination.patient)
    yield entry.owner
    yield from (point.made_by for point in points)


def _nameless(report: Report, names: Sequence[str]) -> str:
    return without_names(report.text, names)
