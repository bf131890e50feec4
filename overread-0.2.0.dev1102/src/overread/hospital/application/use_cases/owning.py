"""Authors and the pairs of which they wrote a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.learning import OwnPage, OwnPair, OwnPoint, OwnQuery, OwnRow
from overread.hospital.application.ports import KeptPair, UnitOfWork
from overread.hospital.application.requests import WorklistRow
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.learning import check_words
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.worklist import DISCREPANCIES_OF
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.learning import Author, AuthorResponse, LearningPoint

__all__ = ["Owning"]

_LARGEST_PAGE = 500
_FIRST = 0


class Owning(UseCase):
    """Shows authors their own pairs, and keeps what they say to them."""

    @operation
    def own_pairs(self, *, by: Actor, news: bool = False, before: int | None = None, limit: int = 50) -> OwnPage:
        """A page of the pairs of which somebody wrote a report, the newest first. Author.

        They are those in which a version names one of the reader names that the settings give them. Pairs of an active
        blinded protocol wait until it is closed, and those with a withdrawn report are left out.

        Args:
            by: whose they are.
            news: whether only those are wanted with a learning point that they have not seen.
            before: number of the pair before which the list goes on.
            limit: pairs, 1 to 500.
        """
        if not 1 <= limit <= _LARGEST_PAGE or (before is not None and before < 1):
            raise InputError("own pairs", f"before must be 1 or more, and limit 1 to {_LARGEST_PAGE}")
        author = self._author(by)
        with self._context.store.reading() as unit:
            numbers = unit.learning.own_pairs(OwnQuery(author=author, news=news, before=before, limit=limit + 1))
            shown = numbers[:limit]
            rows = list(self._own_rows(unit, shown, author))
        self._context.tell(by, "own pairs", details={"rows": len(rows)})
        return OwnPage(rows=rows, next=shown[-1] if len(numbers) > limit else None)

    @operation
    def own_pair(self, number: int, *, by: Actor) -> OwnPair:
        """A pair of which somebody wrote a report: its texts, discrepancies and learning points. Author.

        Raises:
            NotFoundError: if it is not theirs, or waits for a blinded protocol.
        """
        with self._context.store.reading() as unit:
            record = self._own_record(unit, number, by)
        self._context.tell(by, "read own", f"pair:{number}")
        return record

    @operation
    @again_if_busy
    def acknowledge(self, number: int, *, by: Actor) -> OwnPair:
        """Note that an author has seen a pair of theirs, as it is now. Author."""
        return self._respond(number, by, "acknowledge", "")

    @operation
    @again_if_busy
    def answer(self, number: int, *, by: Actor, text: str) -> OwnPair:
        """Keep what an author says to a pair of theirs; reviewers see it, with their name. Author.

        Args:
            number: of the pair.
            by: on whose behalf.
            text: in their own words; it is kept as report text is.
        """
        problems = [] if text.strip() else ["it needs a text"]
        check_words(text, "answer", self._context.configuration.longest_report, *problems)
        return self._respond(number, by, "answer", text)

    def _respond(self, number: int, by: Actor, action: str, text: str) -> OwnPair:
        with self._context.store.transaction() as unit:
            self._own_record(unit, number, by)
            response = AuthorResponse(
                number=_FIRST,
                pair=number,
                author=by.name,
                made=self._context.now(),
                is_answer=bool(text),
                text=text,
            )
            unit.responses.add(response)
            self._context.note(unit, by, action, f"pair:{number}")
            return self._own_record(unit, number, by)

    def _author(self, by: Actor) -> Author:
        return self._context.configuration.author(by.name)

    def _own_record(self, unit: UnitOfWork, number: int, by: Actor) -> OwnPair:
        author = self._author(by)
        [entry] = unit.pairs.get([number])
        [row] = unit.pairs.rows([number], self._context.signature_lines)
        if row.withdrawn or not author.wrote(_readers(unit, entry)) or unit.protocols.withheld([number]):
            raise NotFoundError(f"there is no pair {number}")
        [points] = unit.learning.of([number])
        [responses] = unit.responses.of([number])
        [results] = unit.pairs.results([number])
        current = self._context.signatures.get(DISCREPANCIES_OF)
        return OwnPair(
            row=_own_row(row, points, responses, author),
            report_pair=entry.report_pair,
            result=next((each for each in results if str(each.signature) == current), None),
            points=[_own_point(point) for point in points],
            responses=[response for response in responses if response.author == author.name],
        )

    def _own_rows(self, unit: UnitOfWork, numbers: Sequence[int], author: Author) -> Iterator[OwnRow]:
        rows = unit.pairs.rows(numbers, self._context.signature_lines)
        for row, points, responses in zip(rows, unit.learning.of(numbers), unit.responses.of(numbers), strict=True):
            yield _own_row(row, points, responses, author)


def _readers(unit: UnitOfWork, entry: KeptPair) -> list[str]:
    compared = [*entry.pair.candidate, *entry.pair.reference]
    return [kept.version.reader for kept in unit.versions.get(compared)] if compared else []


def _own_row(
    row: WorklistRow, points: Sequence[LearningPoint], responses: Sequence[AuthorResponse], author: Author
) -> OwnRow:
    seen = max((response.made for response in responses if response.author == author.name), default=None)
    others = [point for point in points if point.made_by != author.name]
    return OwnRow(
        pair=row.pair,
        examination=evolve(row.examination, patient=""),
        kind=row.kind,
        arrived=row.arrived,
        points=len(points),
        is_new=any(seen is None or point.made > seen for point in others),
    )


def _own_point(point: LearningPoint) -> OwnPoint:
    return OwnPoint(kind=point.kind, category=point.category, finding=point.finding, text=point.text, made=point.made)
