"""How long each operation of the hospital's service takes on a store of a million pairs, on PostgreSQL and on SQLite.

A store of two years is filled by the real schema: some thousand pairs come in by the store's own way, with versions,
results, edits, reviews, learning points, deliveries and refusals, and the database copies their rows under other
numbers and times. Copies of a pair have its texts, and so share its results. Some examinations have one half alone.
Then each operation is asked through the service's use cases, with values drawn anew each time, audit event and all.
Prints p50 and p95 by the clock, in milliseconds, and how many pairs a second came in before and after. Ends with 1
where a p95 is above the limit, except for those that read every pair one by one.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, Final

from attrs import evolve, frozen
from sqlalchemy import Connection, Table, select, text
from sqlalchemy import func as sql

from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.domain.differences.edits import Edits, EditType
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Outcome, Scale, Scored, Unscored
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.ports import NOBODY
from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.application.requests import Order, PairState, Refusal, Search
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.examination import Examination, ExaminationKey
from overread.hospital.domain.learning import LearningKind, LearningPoint
from overread.hospital.domain.reading import AssignmentState, ProtocolReader
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.domain.review import Radpeer, Review, ReviewState
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.infrastructure.store import _hospital_tables as tables
from overread.hospital.infrastructure.store import open_hospital_store
from overread.infrastructure.store._migrations.versions import _13_counts
from overread.infrastructure.store.columns import Moment

START: Final = datetime(2025, 1, 1, tzinfo=UTC)
DAYS: Final = 730
SITES: Final = ("north", "north", "north", "south", "south", "coast")
ZONES: Final = {"north": "Europe/Berlin", "south": "Asia/Kolkata", "coast": "America/New_York"}
MODALITIES: Final = ("CR", "CR", "CT", "CT", "MR", "US", "MG")
READERS: Final = tuple(f"{site} reader {n}" for site in ZONES for n in range(20))
MODELS: Final = ("drafter 2.0", "drafter 2.1", "triage 0.9")
DOORS: Final = ("hl7", "hl7", "fhir", "folder")
FINDINGS: Final = tuple(f"finding_{n}" for n in range(300))
SCALE: Final = Scale(0.0, 1.0, higher_is_better=False)
LEAD: Final = Actor(name="lead", roles=frozenset({Role.REVIEWER, Role.LEAD, Role.SUBMITTER}))
READER: Final = Actor(name="ruth", roles=frozenset({Role.REVIEWER}))
AUTHOR: Final = Actor(name="author", roles=frozenset({Role.AUTHOR}))
AT_ONCE: Final = 500
ONE_BY_ONE: Final = ("charts", "month report")
"""Operations that read every pair: they are measured, and no limit holds for them."""


@frozen(kw_only=True)
class Size:
    """Sizes of a store: pairs, how many of them come in by the store's own way, and pairs of each protocol."""

    pairs: int
    made: int
    protocol: int

    @property
    def span(self) -> timedelta:
        """Time in which the pairs came that are copied."""
        return timedelta(days=DAYS) * self.made / self.pairs

    @property
    def end(self) -> datetime:
        """Time after the last pair."""
        return START + timedelta(days=DAYS)


@frozen
class Timing:
    """An operation and the milliseconds that it took, each time."""

    name: str
    times: Sequence[float]

    def share(self, share: float) -> float:
        """The time that this share of all does not exceed."""
        return sorted(self.times)[min(len(self.times) - 1, int(len(self.times) * share))]


@frozen(eq=False)
class Invented:
    """A metric that answers at once."""

    name: str
    scale: ClassVar[Scale] = SCALE

    @property
    def signature_parts(self) -> tuple[tuple[str, str], ...]:
        """Parts of its signature."""
        return (("extractor", "medspacy@1.0,lexicon=9c3f5211"), ("cost", "importance"), ("version", "0.3.0"))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """No difference, whatever the pair."""
        return [Scored(score=0.0) for _ in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--made", type=int, default=1_000, help="of which so many come in by the store's own way")
    parser.add_argument("--protocol", type=int, default=2_000, help="pairs of each of two reading protocols")
    parser.add_argument("--repeats", type=int, default=20, help="of each operation")
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--keep", help="path or address of the store: it is filled if it is empty, and stays")
    parser.add_argument("--match", default="", help="only operations whose names contain this")
    parser.add_argument("--limit-ms", type=float, default=300.0, help="of a p95")
    given = parser.parse_args()
    size = Size(pairs=given.pairs, made=given.made, protocol=given.protocol)
    slow = False
    for kind, opened in (("postgres", _postgres), ("sqlite", _sqlite)):
        if given.only in (None, kind):
            with opened(given.keep) as place:
                for timing in measure(place, size, given.repeats, given.match):
                    slow |= timing.share(0.95) > given.limit_ms and not timing.name.startswith(ONE_BY_ONE)
    sys.exit(slow)


def measure(place: str, size: Size, repeats: int, match: str = "") -> list[Timing]:
    """Fills a store that is empty, times each operation and prints what it took."""
    draw = random.Random(17)
    timings = []
    with open_hospital_store(place, texts="plain") as store:
        service = service_of(store, size)
        fill(service, size, draw)
        print(f"{'operation':54}{'p50 ms':>8}{'p95 ms':>9}{'times':>7}")
        for name, ask in operations(service, size, draw).items():
            if match in name:
                times = list[float]()
                for _ in range(repeats):
                    began = time.perf_counter()
                    ask()
                    times.append(1000 * (time.perf_counter() - began))
                    if sum(times) > 30_000:
                        break
                timings.append(timing := Timing(name, times))
                print(f"{name:54}{timing.share(0.5):>8.1f}{timing.share(0.95):>9.1f}{len(times):>7}", flush=True)
    return timings


def fill(service: HospitalService, size: Size, draw: random.Random) -> None:
    """Fills an empty store."""
    store: Any = service.store
    with store.reading() as unit:
        if unit.pairs.numbers(Search(limit=1, accession="A1"), (), hidden_from=NOBODY):
            return
    rate, began = _come_in(service, size, draw, range(size.made)), time.perf_counter()
    with store.transaction() as unit, _bare(unit.session.connection()) as connection:
        shift = 10 ** len(str(max(_greatest(connection, table) for table in COPIED)))
        for table in COPIED:
            _multiply(connection, table, size, shift)
    with store.transaction() as unit:
        _tidy(unit.session.connection())
    _protocols(service, size, draw)
    took = time.perf_counter() - began
    print(f"{size.pairs:,} pairs in {took:.0f} s; {rate:.0f} a second came in to an empty store", flush=True)
    late = range(size.pairs, size.pairs + min(size.made, 1000))
    print(f"{_come_in(service, size, draw, late):.0f} a second came in to the full one", flush=True)


def operations(service: HospitalService, size: Size, draw: random.Random) -> dict[str, Callable[[], object]]:
    """The operations by name; each asks for something else each time."""
    kinds: dict[str, Callable[[], object]] = {}

    def look(name: str, search: Callable[[], Search]) -> None:
        kinds[f"search: {name}"] = lambda: service.search(search(), by=LEAD)

    def moment() -> datetime:
        return START + timedelta(seconds=draw.randrange(DAYS * 86_400))

    for order in Order:
        look(f"first page by {order}", lambda order=order: Search(order=order))
        look(f"second page by {order}", lambda order=order: _after(service, order))
        look(f"a deep page by {order}", lambda order=order: Search(order=order, after=_place(order, moment(), draw)))
        look(f"site and modality by {order}", lambda order=order: Search(order=order, site="south", modality="MR"))
    accession = lambda: f"A{draw.randrange(size.made)}-{draw.randrange(1, max(2, size.pairs // size.made))}"  # noqa: E731
    look("accession", lambda: Search(accession=accession()))
    look("accession that is not there", lambda: Search(accession="none"))
    look("reader by newest", lambda: Search(reader=draw.choice(READERS), order=Order.NEWEST))
    look("model by risk", lambda: Search(model=draw.choice(MODELS), order=Order.RISK))
    look("one day", lambda: Search(since=(at := moment()), until=at + timedelta(days=1)))
    look("urgent", lambda: Search(importance=Importance.URGENT))
    look("finding", lambda: Search(finding=draw.choice(FINDINGS)))
    look("category and severity", lambda: Search(category=draw.choice(CATEGORIES), severity=Severity.SIGNIFICANT))
    look("severity by newest", lambda: Search(severity=Severity.SIGNIFICANT, order=Order.NEWEST))
    look("risk between", lambda: Search(min_risk=(low := draw.random() * 0.8), max_risk=low + 0.02))
    look("reviewed, by newest", lambda: Search(review=ReviewState.REVIEWED, order=Order.NEWEST))
    look("not reviewed, urgent", lambda: Search(review=ReviewState.OPEN, importance=Importance.URGENT))
    look("RADPEER 3b", lambda: Search(radpeer=Radpeer.EXPECTED_SIGNIFICANT))
    look("waiting", lambda: Search(state=PairState.WAITING))
    look("unscored, by newest", lambda: Search(state=PairState.UNSCORED, order=Order.NEWEST))
    look("nothing found", lambda: Search(site="nowhere", order=Order.RISK))
    kinds["search: as somebody who reads blinded"] = lambda: service.search(Search(), by=READER)
    kinds["a pair"] = lambda: service.pair(draw.randrange(1, size.made), by=LEAD)
    kinds["an examination"] = lambda: service.examination(ExaminationKey(*_known(draw, size)), by=LEAD)
    for name, groupings in (
        ("site, modality and month", (Grouping.SITE, Grouping.MODALITY, Grouping.EXAMINATION_MONTH)),
        ("reader", (Grouping.READER,)),
        ("month of arrival", (Grouping.MONTH,)),
        ("nothing", ()),
    ):
        kinds[f"rates by {name}"] = lambda groupings=groupings: service.rates(Search(), by=LEAD, groupings=groupings)
    by_model = (Grouping.MODEL,)
    kinds["rates of a site by model"] = lambda: service.rates(Search(site="south"), by=LEAD, groupings=by_model)
    kinds["rates of 30 days by model"] = lambda: service.rates(
        Search(since=(at := moment()), until=at + timedelta(days=30)), by=LEAD, groupings=by_model
    )
    kinds["rates of a year by model"] = lambda: service.rates(
        Search(since=(at := START + timedelta(days=draw.randrange(300))), until=at + timedelta(days=365)),
        by=LEAD,
        groupings=by_model,
    )
    kinds["rates as somebody who reads blinded"] = lambda: service.rates(Search(), by=READER, groupings=by_model)
    kinds["RADPEER counts"] = lambda: service.radpeer_counts(Search(), by=LEAD)
    for days in (7, 92):
        kinds[f"coverage of {days} days"] = lambda days=days: service.coverage(
            until=(at := START + timedelta(days=draw.randrange(100, DAYS))), since=at - timedelta(days=days), by=LEAD
        )
    for state in (None, *AssignmentState):
        kinds[f"my assignments: {state or 'all'}"] = lambda state=state: service.assignments(
            by=READER, reader=READER.name, state=state
        )
    kinds["protocol"] = lambda: service.protocol(1, by=LEAD)
    kinds["own pairs"] = lambda: service.own_pairs(by=evolve(AUTHOR, name=draw.choice(READERS)))
    kinds["own pairs: news"] = lambda: service.own_pairs(by=evolve(AUTHOR, name=draw.choice(READERS)), news=True)
    kinds["conference"] = lambda: service.conference(by=LEAD)
    kinds["my assignments, as the page shows them"] = lambda: service.own_assignments(by=READER)
    kinds["next assignment"] = lambda: service.next_assignment(by=READER)
    kinds["month report"] = lambda: service.monthly_report(f"2026-{draw.randrange(1, 10):02}", by=LEAD)
    kinds["charts of a site"] = lambda: service.charts(Search(site="coast"), by=LEAD)
    kinds["charts"] = lambda: service.charts(Search(), by=LEAD)
    return kinds


CATEGORIES: Final = tuple(ErrorCategory)


def _known(draw: random.Random, size: Size) -> tuple[str, str]:
    number = draw.randrange(size.made)
    return _site(number), f"A{number}"


def _site(number: int) -> str:
    return SITES[number % len(SITES)]


def _after(service: HospitalService, order: Order) -> Search:
    return Search(order=order, after=service.search(Search(order=order, limit=50), by=LEAD).next)


def _place(order: Order, at: datetime, draw: random.Random) -> str:
    """A place in the middle of an order, as a page tells it."""
    ranks = {Order.IMPORTANCE: f"{draw.randrange(4)}, {draw.random()}, ", Order.RISK: f"{draw.random()}, "}
    return f'[{ranks.get(order, "")}"{at.isoformat()}", 1]'


def service_of(store: Any, size: Size) -> HospitalService:
    """The service on a store, with metrics that answer at once."""
    metrics = [NamedMetric(name, "1", SCALE, Invented(name)) for name in ("radot", "notation")]
    configuration = HospitalConfiguration(
        site_zones=ZONES,
        reference_since=START,
        reference_until=START + timedelta(days=365),
    )
    return HospitalService(store, EvaluationService(metrics), configuration, now=lambda: size.end)


def lines_of(service: HospitalService) -> list[str]:
    """The signatures of the service's metrics, radot's first."""
    return [str(metric.signature) for metric in service.scorer.metrics]


def _come_in(service: HospitalService, size: Size, draw: random.Random, numbers: range) -> float:
    """Keeps pairs as they come in and are scored, reviewed and so on; how many a second."""
    began = time.perf_counter()
    for first in range(numbers.start, numbers.stop, AT_ONCE):
        with service.store.transaction() as unit:
            _fill(service, unit, draw, range(first, min(first + AT_ONCE, numbers.stop)), size)
    return len(numbers) / (time.perf_counter() - began)


def _fill(service: HospitalService, unit: Any, draw: random.Random, numbers: range, size: Size) -> None:
    results: dict[int, dict[str, EvaluationResult]] = {}
    edits: dict[int, Edits | None] = {}
    for number in numbers:
        at = START + number * timedelta(days=DAYS) / size.pairs
        site = _site(number)
        about = Examination(
            site=site,
            accession=f"A{number}",
            patient=f"P{number // 2 if number % 3 else number}",
            modality=draw.choice(MODALITIES),
            device=f"{site} scanner {draw.randrange(8)}",
            performed=at - timedelta(minutes=draw.randrange(300)) if draw.random() < 0.98 else None,
        )
        is_draft = draw.random() < 0.2
        told: dict[str, Any] = {
            "examinations": (about,),
            "source": draw.choice(DOORS),
            "filler": f"F{number}",
            "reader": f"{site} reader {draw.randrange(20)}",
        }
        early = ReportVersion(
            status=ReportStatus.DRAFT if is_draft else ReportStatus.PRELIMINARY,
            text=f"Chest. No pneumothorax. Draft {number}.",
            model=draw.choice(MODELS) if is_draft else "",
            message=f"M{number}",
            **told,
        )
        final = ReportVersion(
            status=ReportStatus.FINAL,
            text=f"Chest. No pneumothorax, no effusion. Final {number}.",
            message=f"N{number}",
            **told,
        )
        candidate = unit.versions.add(early, at - timedelta(minutes=draw.randrange(200)))
        reference = unit.versions.add(final, at)
        if number % 20 in (1, 2):  # an examination of which one half alone came
            alone = evolve(about, accession=f"{site}{number}" if number % 20 == 1 else f"{site}-{number}")
            unit.versions.add(evolve(early if number % 20 == 1 else final, examinations=(alone,), message="L"), at)
        kind = PairKind.DRAFT_FINAL if is_draft else PairKind.PRELIMINARY_FINAL
        compared = VersionPair(kind=kind, candidate=(candidate.number,), reference=(reference.number,))
        texts = ReportPair(id=f"{number}", reference=final.text, candidate=early.text)
        pair, _ = unit.pairs.add(compared, texts, made=at)
        if draw.random() < 0.99:
            results[pair] = _results(draw, service)
        if draw.random() < 0.3:
            edits[pair] = _edits(draw)
        if draw.random() < 0.05:
            signature = lines_of(service)[1]
            radpeer = draw.choice([None, *Radpeer])
            unit.reviews.add(pair, Review(reviewer="eve", made=at, signature=signature, radpeer=radpeer))
        if draw.random() < 0.01:
            unit.learning.add(_point(draw, pair, at))
        if draw.random() < 0.05:
            unit.deliveries.add([pair], "pager")
        if draw.random() < 0.01:
            unit.refusals.add(Refusal(at=at, source=told["source"], message=f"M{number}", reason="hl7", detail=""))
    unit.pairs.add_results(results)
    unit.pairs.add_edits(edits)


def _edits(draw: random.Random) -> Edits:
    return Edits(types=[draw.choice(list(EditType)) for _ in range(draw.choice((0, 1, 1, 2, 4)))])


def _point(draw: random.Random, pair: int, at: datetime) -> LearningPoint:
    return LearningPoint(
        number=0,
        pair=pair,
        kind=draw.choice(list(LearningKind)),
        text="Look at the apex.",
        nominated=draw.random() < 0.1,
        made=at,
        made_by="eve",
    )


def _results(draw: random.Random, service: HospitalService) -> dict[str, EvaluationResult]:
    found = tuple(_discrepancy(draw) for _ in range(draw.choice((0, 0, 0, 0, 0, 0, 1, 1, 2, 3))))
    risk = draw.random() ** 3 if found else draw.random() / 10
    failed = draw.random() < 0.01
    outcomes: tuple[Outcome, Outcome] = (Scored(score=risk), Scored(score=1 - risk, discrepancies=found))
    if failed:
        outcomes = (Unscored("too long", "it is"), Unscored("too long", "it is"))
    return {
        metric.name: EvaluationResult(
            pair_id="", metric=metric.name, scale=SCALE, signature=metric.signature, outcome=outcome
        )
        for metric, outcome in zip(service.scorer.metrics, outcomes, strict=True)
    }


def _discrepancy(draw: random.Random) -> Discrepancy:
    return Discrepancy(
        category=draw.choice(CATEGORIES),
        aspect=ErrorAspect.NEGATION,
        type=ErrorType.OMISSION,
        severity=draw.choice((Severity.SIGNIFICANT, Severity.INSIGNIFICANT, Severity.INSIGNIFICANT)),
        reason="the reference states it and the candidate does not",
        finding=draw.choice(FINDINGS),
        importance=draw.choice(list(Importance)),
        extent=draw.random(),
    )


def _protocols(service: HospitalService, size: Size, draw: random.Random) -> None:
    """Two protocols of the newest pairs, one of them half done; somebody reads in both."""
    with service.store.reading() as unit:
        numbers = unit.pairs.numbers(
            Search(since=size.end - timedelta(days=DAYS) / 4), lines_of(service), hidden_from=NOBODY
        )
    chosen = draw.sample(list(numbers), min(2 * size.protocol, len(numbers)))
    half = len(chosen) // 2
    readers = [ProtocolReader(name=name) for name in (READER.name, "carl", "dina")]
    for name, pairs in (("blinded", chosen[:half]), ("second", chosen[half:])):
        plan = ProtocolPlan(name=name, readers=readers, per_pair=2, pairs=pairs, due=size.end + timedelta(days=7))
        service.create_protocol(plan, by=LEAD)
    with service.store.transaction() as unit:
        for assignment in unit.assignments.of(1)[: size.protocol]:
            unit.assignments.finish(assignment.number, assignment.reader, size.end)


COPIED: Final = (
    tables.EXAMINATIONS,
    tables.VERSIONS,
    tables.VERSION_EXAMINATIONS,
    tables.COMPARED,
    tables.COMPARED_VERSIONS,
    tables.COMPARED_EXAMINATIONS,
    tables.OUTLINES,
    tables.FOUND,
    tables.EDITS,
    tables.TEXTS,
    tables.REVIEWS,
    tables.LEARNING_POINTS,
    tables.DELIVERIES,
    tables.REFUSALS,
)
"""Tables whose rows are copied, in an order that keeps their references."""

NUMBERS: Final = ("id", "pair", "version", "examination", "number")
NAMES: Final = ("accession", "patient", "message", "filler", "made_of")


def _greatest(connection: Connection, table: Table) -> int:
    [column] = [table.c[name] for name in NUMBERS if name in table.c][:1]
    return connection.execute(select(sql.max(column))).scalar() or 0


def _multiply(connection: Connection, table: Table, size: Size, shift: int) -> None:
    """Copies the rows that are there, under other numbers, names and times."""
    is_postgres = connection.dialect.name == "postgresql"
    seconds = round(size.span.total_seconds())
    values = []
    for column in table.c:
        name = column.name
        if name in NUMBERS and not (table is tables.EDITS and name == "number"):
            values.append(f"{name} + copy.n * {shift}")
        elif name in NAMES:
            values.append(f"CASE WHEN {name} = '' THEN '' ELSE {name} || '-' || copy.n END")
        elif isinstance(column.type, Moment):
            later = f"({name} + copy.n * interval '{seconds} seconds')"
            values.append(later if is_postgres else _later(name, seconds, "%Y-%m-%d %H:%M:%f000"))
        elif name == "performed":
            moved = f"{name}::timestamptz + copy.n * interval '{seconds} seconds'"
            moved = f"""to_char({moved}, 'YYYY-MM-DD"T"HH24:MI:SS+00:00')"""
            moved = moved if is_postgres else _later(name, seconds, "%Y-%m-%dT%H:%M:%S+00:00")
            values.append(f"CASE WHEN {name} = '' THEN '' ELSE {moved} END")
        else:
            values.append(name)
    count = size.pairs // size.made - 1
    copies = f"WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < {count})"  # noqa: S608
    names = ", ".join(column.name for column in table.c)
    chosen = f"SELECT {', '.join(values)} FROM copy CROSS JOIN {table.name} ORDER BY copy.n"  # noqa: S608 - all of it is of our own
    connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) {copies} {chosen}")


def _later(name: str, seconds: int, written: str) -> str:
    return f"strftime('{written}', {name}, (copy.n * {seconds}) || ' seconds')"


@contextmanager
def _bare(connection: Connection) -> Iterator[Connection]:
    """The tables without their indexes and triggers, so that much is copied at once; these come back at the end."""
    if connection.dialect.name == "postgresql":
        query = """
            SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename = ANY(:names)
            AND indexname NOT IN (SELECT conname FROM pg_constraint)
        """
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        connection.execute(text("SET LOCAL maintenance_work_mem = '256MB'"))
        made = connection.execute(text(query), {"names": [table.name for table in COPIED]}).all()
        dropped = [f"DROP INDEX {name}" for name, _ in made]
    else:
        query = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
        found = [row for row in connection.execute(text(query)).all() if "audit" not in row.name]
        dropped, made = [f"DROP {kind} {name}" for kind, name, _ in found], [(name, made) for _, name, made in found]
    for statement in dropped:
        connection.exec_driver_sql(statement)
    yield connection
    for _, statement in made:
        connection.exec_driver_sql(statement)


def _tidy(connection: Connection) -> None:
    """Counts numbers on from the greatest, and pairs anew, and gathers statistics, as autovacuum does in a minute."""
    is_postgres = connection.dialect.name == "postgresql"
    for table in COPIED:
        if is_postgres and "id" in table.c:
            counted = f"pg_get_serial_sequence('{table.name}', 'id')"
            connection.execute(text(f"SELECT setval({counted}, (SELECT max(id) FROM {table.name}))"))  # noqa: S608
    for statement in _13_counts.count_anew(connection.dialect.name):
        connection.exec_driver_sql(statement)
    connection.execute(text("ANALYZE"))


@contextmanager
def _sqlite(kept: str | None) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield kept or str(Path(folder) / "hospital.db")


@contextmanager
def _postgres(kept: str | None) -> Iterator[str]:
    if kept:
        yield kept
        return
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from postgres import running_server

    with running_server() as server:
        yield server.url


if __name__ == "__main__":
    main()
