"""Pairs that are compared, and their results, in a database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from attrs import define, evolve
from sqlalchemy import Connection, delete, func, select, update
from sqlmodel import Session

from overread.domain.differences.edits import Edits
from overread.domain.reports.pair_digest import pair_digest
from overread.domain.reports.report import ClinicalContext, Report, ReportPair, ReportPart
from overread.domain.results.result import EvaluationResult
from overread.exceptions import InputError
from overread.hospital.application.grouping import Drawable, Grouping, Tally
from overread.hospital.application.observations import Observation
from overread.hospital.application.ports import EditTally, KeptPair, Stated
from overread.hospital.application.requests import PairState, Search, WorklistPage, WorklistRow
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.infrastructure.store._forgetting import forget_given
from overread.hospital.infrastructure.store._hospital_tables import (
    COMPARED,
    COMPARED_EXAMINATIONS,
    COMPARED_VERSIONS,
    EDITS,
    EXAMINATIONS,
    JOBS,
    VERSION_EXAMINATIONS,
    VERSIONS,
)
from overread.hospital.infrastructure.store._outlines import BLANK, Scoring, add_outlines, misshown
from overread.hospital.infrastructure.store._protocols import hidden_pairs
from overread.hospital.infrastructure.store._texts import Owner, Texts
from overread.hospital.infrastructure.store._versions import find_numbered
from overread.hospital.infrastructure.store._worklist import Worklist
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.keeping import keep
from overread.infrastructure.store.result_tables import RESULTS
from overread.infrastructure.store.rows import RESULT_COLUMNS, Entry, StoredResult
from overread.infrastructure.store.statements import Row, add_all

__all__ = ["SqlPairs"]

_STATED: Final = ("id", "kind", "made_of", "digest", "name", "owner", "batch")
_SIDES: Final = (True, False)

_RUN: Final = "hospital"
"""Name of the run that results of the hospital are kept under, among those of the result store."""


@define
class SqlPairs:
    """The pairs within one transaction."""

    session: Session
    texts: Texts

    def add(self, pair: VersionPair, report_pair: ReportPair | None, *, made: datetime) -> tuple[int, bool]:
        """Keep a pair of versions; its number, and whether it is new."""
        made_of = _made_of(pair)
        known = self._connection.execute(select(COMPARED.c.id).where(COMPARED.c.made_of == made_of)).scalar()
        if known is not None:
            return int(known), False
        digest = pair_digest(report_pair) if report_pair is not None else hashlib.sha256(made_of.encode()).hexdigest()
        row = _row(pair.kind, digest=digest, name=report_pair.id if report_pair is not None else "", made=made)
        row |= {"made_of": made_of, **self._worklist_columns(pair)}
        [number] = add_all(self._connection, COMPARED, [row])
        self._link(number, pair)
        if report_pair is not None:
            self.texts.put(Owner.PAIR, {number: _body(report_pair)})
        return number, True

    def add_given(self, pairs: Sequence[ReportPair], *, owner: str, batch: int | None, made: datetime) -> Sequence[int]:
        """Keep pairs that were given as texts; their numbers."""
        rows = [
            _row(PairKind.GIVEN, digest=pair_digest(pair), name=pair.id, made=made)
            | {"owner": owner, "batch": batch, "accession": pair.id}
            for pair in pairs
        ]
        numbers = add_all(self._connection, COMPARED, rows)
        self.texts.put(Owner.PAIR, {number: _body(pair) for number, pair in zip(numbers, pairs, strict=True)})
        return numbers

    def get(self, numbers: Sequence[int]) -> Sequence[KeptPair]:
        """The pairs of these numbers, in that order."""
        rows = self._rows(numbers)
        bodies = self.texts.get(Owner.PAIR, numbers)
        queued = self._queued_numbers(numbers)
        versions = self._compared_versions(numbers)
        pairs = {
            number: KeptPair(
                number=number,
                pair=VersionPair(
                    kind=PairKind(row["kind"]),
                    candidate=versions.get((number, True), ()),
                    reference=versions.get((number, False), ()),
                ),
                report_pair=_report_pair(row["name"], bodies[number]) if number in bodies else None,
                digest=row["digest"],
                state=PairState.WAITING if number in queued else PairState(row["state"]),
                owner=row["owner"],
                batch=row["batch"],
            )
            for number, row in rows.items()
        }
        return [find_numbered(pairs, number, "pair") for number in numbers]

    def of_versions(self, versions: Sequence[int]) -> Sequence[int]:
        """Numbers of the pairs that any of these versions is part of."""
        link = COMPARED_VERSIONS
        return sorted(
            {
                int(number)
                for chunk in chunks(versions)
                for number in self._connection.execute(select(link.c.pair).where(link.c.version.in_(chunk))).scalars()
            }
        )

    def stated(self, after: int = 0, limit: int = 1000) -> Sequence[Stated]:
        """Statements of what pairs are made of, oldest first, after a given number; no key of texts is needed."""
        query = select(COMPARED).where(COMPARED.c.id > after).order_by(COMPARED.c.id).limit(limit)
        rows = self._connection.execute(query).mappings().all()
        sides = self._compared_versions([row["id"] for row in rows])
        return [
            Stated(
                number=row["id"],
                said=[
                    json.dumps([*(row[name] for name in _STATED), *(sides.get((row["id"], side)) for side in _SIDES)])
                ],
            )
            for row in rows
        ]

    def misshown(self, after: int = 0, limit: int = 1000) -> tuple[int | None, Sequence[int]]:
        """Pairs of which lists show something else than their results tell, among so many after a number."""
        query = select(COMPARED).where(COMPARED.c.id > after).order_by(COMPARED.c.id).limit(limit)
        rows = self._connection.execute(query).mappings().all()
        wrong = misshown(self._connection, rows, self._valid_results(rows))
        return (rows[-1]["id"] if rows else None), wrong

    def rewritten(self, after: int, limit: int) -> tuple[int | None, list[int]]:
        """Pairs whose texts are others than they were made of, among so many after a number, and the last of these."""
        query = select(COMPARED.c.id, COMPARED.c.digest).where(COMPARED.c.id > after).order_by(COMPARED.c.id)
        rows = self._connection.execute(query.limit(limit)).all()
        bodies = self.texts.get(Owner.PAIR, [row.id for row in rows])
        rows_with_text = [row for row in rows if row.id in bodies]
        return (rows[-1].id if rows else None), [
            row.id for row in rows_with_text if _digest_of(bodies[row.id]) != row.digest
        ]

    def of_batch(self, batch: int) -> Sequence[int]:
        """Numbers of the pairs of a batch, in the order submitted."""
        query = select(COMPARED.c.id).where(COMPARED.c.batch == batch).order_by(COMPARED.c.id)
        return [int(number) for number in self._connection.execute(query).scalars()]

    def withdraw(self, pairs: Sequence[int], *, withdrawn: bool = True) -> Sequence[int]:
        """Mark pairs as withdrawn, or as standing again; the numbers of those that were not marked so before."""
        changed: list[int] = []
        for chunk in chunks(pairs):
            others = COMPARED.c.id.in_(chunk) & COMPARED.c.withdrawn.is_(not withdrawn)
            statement = update(COMPARED).where(others).values(withdrawn=withdrawn).returning(COMPARED.c.id)
            changed += map(int, self._connection.execute(statement).scalars())
        return sorted(changed)

    def add_results(self, results: Mapping[int, Mapping[str, EvaluationResult]]) -> None:
        """Keep the results of pairs by metric. The same pair under the same signature is kept once."""
        rows = self._rows(list(results))
        for number in results:
            find_numbered(rows, number, "pair")
        entries = [
            _entry(rows[number]["digest"], result)
            for number, by_metric in results.items()
            for result in by_metric.values()
        ]
        if entries:
            keep(self.session, _RUN, entries)
        by_digest = self._valid_results(rows.values())
        scored = [
            Scoring(
                number,
                by_digest.get(rows[number]["digest"], []),
                {metric: str(result.signature) for metric, result in by_metric.items()},
            )
            for number, by_metric in results.items()
        ]
        add_outlines(self._connection, scored)

    def add_edits(self, edits: Mapping[int, Edits | None]) -> None:
        """Keep the numbers of edits of pairs by type, in place of earlier ones."""
        for chunk in chunks(edits):
            self._connection.execute(delete(EDITS).where(EDITS.c.pair.in_(chunk)))
        rows = [
            {"pair": pair, "type": kind.value, "number": number}
            for pair, of_pair in edits.items()
            if of_pair is not None
            for kind, number in of_pair.counts.items()
        ]
        if rows:
            self._connection.execute(EDITS.insert(), rows)

    def edit_tallies(self, search: Search, signatures: Sequence[str], *, hidden_from: str = "") -> Sequence[EditTally]:
        """Edits by type in all pairs that a search finds."""
        return self._worklist_for(hidden_from).edit_tallies(search, signatures)

    def results(self, numbers: Sequence[int]) -> Sequence[Sequence[EvaluationResult]]:
        """All results of each pair, oldest first, under the pair's own id. One that is damaged is none."""
        rows = self._rows(numbers)
        by_digest = self._valid_results(rows.values())
        ordered = (find_numbered(rows, number, "pair") for number in numbers)
        return [
            [evolve(result, pair_id=row["name"] or f"pair:{row['id']}") for result in by_digest.get(row["digest"], [])]
            for row in ordered
        ]

    def search(self, search: Search, signatures: Sequence[str], *, hidden_from: str = "") -> WorklistPage:
        """A page of the worklist."""
        return self._worklist_for(hidden_from).page(search, signatures)

    def rows(self, numbers: Sequence[int], signatures: Sequence[str]) -> Sequence[WorklistRow]:
        """The worklist's rows of these pairs, in that order."""
        return self._worklist_for("").rows(numbers, signatures)

    def numbers(self, search: Search, signatures: Sequence[str], *, hidden_from: str = "") -> Sequence[int]:
        """Numbers of all pairs that a search finds, in number order."""
        return self._worklist_for(hidden_from).numbers(search, signatures)

    def tallies(
        self, search: Search, signatures: Sequence[str], by: Sequence[Grouping], *, hidden_from: str = ""
    ) -> Sequence[Tally]:
        """All pairs that a search finds, counted by what is alike in them."""
        return self._worklist_for(hidden_from).tallies(search, signatures, by)

    def observations(
        self, search: Search, signatures: Sequence[str], *, hidden_from: str = ""
    ) -> Sequence[Observation]:
        """All pairs that a search finds, in number order, as charts take them."""
        return self._worklist_for(hidden_from).observations(search, signatures)

    def drawables(
        self, search: Search, signatures: Sequence[str], by: Grouping, *, hidden_from: str = ""
    ) -> Sequence[Drawable]:
        """All pairs that a search finds, in number order, with what samples are drawn by."""
        return self._worklist_for(hidden_from).drawables(search, signatures, by)

    def forget_texts(self, before: datetime) -> int:
        """Erase the texts of given pairs that were made before a moment and do not wait; how many pairs."""
        return forget_given(self.texts, before)

    @property
    def _connection(self) -> Connection:
        return self.session.connection()

    def _worklist_for(self, name: str) -> Worklist:
        """The worklist without the pairs that are blinded to somebody."""
        return Worklist(self._connection, self.texts, hidden_pairs(self._connection, name) if name else None)

    def _rows(self, numbers: Iterable[int]) -> dict[int, Row]:
        return {
            row["id"]: row
            for chunk in chunks(numbers)
            for row in self._connection.execute(select(COMPARED).where(COMPARED.c.id.in_(chunk))).mappings()
        }

    def _queued_numbers(self, numbers: Iterable[int]) -> set[int]:
        return {
            int(number)
            for chunk in chunks(numbers)
            for number in self._connection.execute(select(JOBS.c.pair).where(JOBS.c.pair.in_(chunk))).scalars()
        }

    def _compared_versions(self, numbers: Iterable[int]) -> dict[tuple[int, bool], tuple[int, ...]]:
        """Versions of pairs, in order, by the pair's number and whether they are its candidate's."""
        link, versions = COMPARED_VERSIONS, dict[tuple[int, bool], tuple[int, ...]]()
        for chunk in chunks(numbers):
            query = select(link).where(link.c.pair.in_(chunk)).order_by(link.c.place)
            for row in self._connection.execute(query):
                side = (row.pair, row.is_candidate)
                versions[side] = (*versions.get(side, ()), row.version)
        return versions

    def _worklist_columns(self, pair: VersionPair) -> dict[str, Any]:
        """Columns that a worklist repeats of a pair's versions, and of the first examination of its reference."""
        link, table = VERSION_EXAMINATIONS, EXAMINATIONS
        arrived = select(func.max(VERSIONS.c.arrived)).where(VERSIONS.c.id.in_(pair.reference))
        author = select(VERSIONS.c.reader, VERSIONS.c.model).where(VERSIONS.c.id == pair.candidate[0])
        first = (
            select(table.c.id, table.c.site, table.c.accession, table.c.modality, table.c.device)
            .join(link, link.c.examination == table.c.id)
            .where(link.c.version == pair.reference[0])
            .order_by(link.c.place)
            .limit(1)
        )
        examination = dict(self._connection.execute(first).mappings().one())
        return {
            "arrived": self._connection.execute(arrived).scalar_one(),
            **self._connection.execute(author).mappings().one(),
            "examination": examination.pop("id"),
            **examination,
        }

    def _link(self, number: int, pair: VersionPair) -> None:
        """Ties a pair to its versions and to all that they report on."""
        sides = ((True, pair.candidate), (False, pair.reference))
        versions = [
            {"pair": number, "version": version, "is_candidate": is_candidate, "place": place}
            for is_candidate, side in sides
            for place, version in enumerate(side)
        ]
        self._connection.execute(COMPARED_VERSIONS.insert(), versions)
        link = VERSION_EXAMINATIONS
        query = select(link.c.examination).where(link.c.version.in_([*pair.candidate, *pair.reference])).distinct()
        about = self._connection.execute(query).scalars().all()
        self._connection.execute(
            COMPARED_EXAMINATIONS.insert(), [{"pair": number, "examination": examination} for examination in about]
        )

    def _valid_results(self, rows: Iterable[Row]) -> dict[str, list[EvaluationResult]]:
        """Results that hold, oldest first, by digest of the pair."""
        results: dict[str, list[EvaluationResult]] = {}
        for chunk in chunks(row["digest"] for row in rows):
            query = select(*RESULT_COLUMNS).where(RESULTS.c.pair_digest.in_(chunk)).order_by(RESULTS.c.id)
            for stored in self._connection.execute(query).mappings():
                with suppress(ValueError):
                    results.setdefault(stored["pair_digest"], []).append(StoredResult({**stored}).result())
        return results


def _digest_of(body: bytes) -> str:
    """Digest by which a pair of these texts is known; "" if they cannot be read."""
    with suppress(ValueError, TypeError, KeyError, AttributeError, InputError):
        return pair_digest(_report_pair("pair", body))
    return ""


def _made_of(pair: VersionPair) -> str:
    """Kind and versions, as a text that is the same for the same pair alone."""
    return ":".join((pair.kind.value, *(",".join(map(str, side)) for side in (pair.candidate, pair.reference))))


def _row(kind: PairKind, *, digest: str, name: str, made: datetime) -> dict[str, Any]:
    """A row of a pair that waits."""
    untold = dict.fromkeys(("owner", "site", "accession", "modality", "device", "reader", "model"), "")
    return {
        "kind": kind.value,
        "made_of": None,
        "digest": digest,
        "name": name,
        "batch": None,
        "made": made,
        "arrived": made,
        **untold,
        **BLANK,
        "examination": None,
        "profile": None,
        "reviewed": False,
        "radpeer": None,
        "withdrawn": False,
    }


def _entry(digest: str, result: EvaluationResult) -> Entry:
    """A result on its way in, named by the digest: its pair's own id may name an examination that is deleted later."""
    named = evolve(result, pair_id=digest)
    return Entry.of(digest, ReportPair(id=digest, reference="", candidate=""), named)


def _body(pair: ReportPair) -> bytes:
    context = pair.context
    details = [context.age, context.sex, context.indication, context.comparison]
    parts = [_parts_of(side) for side in (pair.reference, pair.candidate)]
    return json.dumps([pair.reference.text, pair.candidate.text, *details, *(parts if any(parts) else ())]).encode()


def _parts_of(report: Report) -> list[list[Any]]:
    return [[part.start, part.end, sorted(part.examinations)] for part in report.parts]


def _report(text: str, parts: Iterable[Sequence[Any]]) -> Report:
    return Report(text, [ReportPart(start, end, frozenset(numbers)) for start, end, numbers in parts])


def _report_pair(name: str, body: bytes) -> ReportPair:
    reference, candidate, age, sex, indication, comparison, *parts = json.loads(body)
    reference_parts, candidate_parts = parts or ((), ())
    context = ClinicalContext(age=age, sex=sex, indication=indication, comparison=comparison)
    return ReportPair(
        id=name,
        reference=_report(reference, reference_parts),
        candidate=_report(candidate, candidate_parts),
        context=context,
    )
