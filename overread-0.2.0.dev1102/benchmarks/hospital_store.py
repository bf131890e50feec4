"""How long a search takes in a hospital's store of so many results, on SQLite and on PostgreSQL.

A store is filled with invented pairs of versions, each scored under both metrics: some thousand by the service's own
way, which gives how many a second come in, and the rest as copies of their rows under other numbers, times and values.
Each kind of search is asked many times over, its values drawn from those that are there. Prints p50 and p99 in
milliseconds, by the clock and of this process's processor time (SQLite works in it, PostgreSQL does not), and how many
pairs a search finds (counted to 10,000). Ends with 1 where a p99 is above the limit.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, select, text

from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Scale, Scored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.hospital.application.requests import Order, PairState, Search
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.domain.review import Radpeer, Review, ReviewState
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.infrastructure.store._hospital_tables import (
    COMPARED,
    COMPARED_EXAMINATIONS,
    EXAMINATIONS,
    FOUND,
    OUTLINES,
)

START: Final = datetime(2026, 1, 1, tzinfo=UTC)
SITES: Final = ("north", "south", "coast")
MODALITIES: Final = ("CR", "CT", "MR", "US", "MG")
READERS: Final = tuple(f"reader {n}" for n in range(40))
DEVICES: Final = tuple(f"scanner {n}" for n in range(25))
FINDINGS: Final = tuple(f"finding_{n}" for n in range(300))
SCALE: Final = Scale(0.0, 1.0, higher_is_better=False)
_PARTS: Final = (("extractor", "medspacy@1.0,lexicon=9c3f5211"), ("cost", "importance"), ("version", "0.3.0"))
NOW_RISK: Final = Signature("radot", _PARTS)
NOW_FOUND: Final = Signature("notation", _PARTS)
OLD_RISK: Final = Signature("radot", (*_PARTS[:2], ("version", "0.2.0")))
OLD_FOUND: Final = Signature("notation", (*_PARTS[:2], ("version", "0.2.0")))
PRESENT: Final = (str(NOW_RISK), str(NOW_FOUND))
AT_ONCE: Final = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000, help="pairs to store; each has two results or more")
    parser.add_argument("--made", type=int, default=2_000, help="of which so many come in by the service's own way")
    parser.add_argument("--repeats", type=int, default=40, help="searches of each kind")
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--limit-ms", type=float, default=200.0, help="of a p99")
    given = parser.parse_args()
    slow = False
    for kind, opened in (("sqlite", _sqlite), ("postgres", _postgres)):
        if given.only in (None, kind):
            with opened() as place:
                slow |= _measure(kind, place, given) > given.limit_ms
    sys.exit(slow)


def _measure(kind: str, place: str, given: argparse.Namespace) -> float:
    """Fills a store and asks; the slowest p99."""
    draw = random.Random(17)
    with open_hospital_store(place, texts="plain") as store:
        pairs, began = given.pairs, time.perf_counter()
        for first in range(0, given.made, AT_ONCE):
            with store.transaction() as unit:
                _fill(unit, draw, range(first, min(first + AT_ONCE, given.made)))
        took = time.perf_counter() - began
        for copy in range(1, pairs // given.made):
            with store.transaction() as unit:
                _copy(unit.session.connection(), draw, given.made, copy)
        if kind == "postgres":  # as its autovacuum does within a minute
            with store.transaction() as unit:
                unit.session.connection().execute(text("ANALYZE"))
        print(f"{kind}: {pairs:,} pairs stored; {given.made / took:.0f} a second came in")
        print(f"{'search':34}{'finds':>8}{'p50 ms':>9}{'p99 ms':>9}{'cpu p50':>9}{'cpu p99':>9}")
        slowest = 0.0
        for name, search in _searches(pairs).items():
            times, works, found = list[float](), list[float](), 0
            for _ in range(given.repeats):
                asked = search(draw)
                began, worked = time.perf_counter(), time.process_time()
                with store.reading() as unit:
                    page = unit.pairs.search(asked, PRESENT)
                times.append(1000 * (time.perf_counter() - began))
                works.append(1000 * (time.process_time() - worked))
                found = max(found, page.total)
            slowest = max(slowest, _share(times, 0.99))
            figures = (_share(times, 0.5), _share(times, 0.99), _share(works, 0.5), _share(works, 0.99))
            print(f"{name:34}{found:>8,}{''.join(f'{figure:>9.1f}' for figure in figures)}", flush=True)
    return slowest


def _share(times: list[float], share: float) -> float:
    """The time that this share of all does not exceed."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def _searches(pairs: int) -> Mapping[str, Callable[[random.Random], Search]]:
    """The kinds of search by name, each with values of its own each time."""

    def day(draw: random.Random) -> datetime:
        return START + timedelta(minutes=draw.randrange(pairs))

    kinds: dict[str, Callable[[random.Random], Search]] = {}
    for order in Order:
        kinds[f"first page by {order}"] = lambda _, order=order: Search(order=order)
        kinds[f"a deep page by {order}"] = lambda draw, order=order: Search(
            order=order, after=_place(order, day(draw), draw)
        )
        kinds[f"site and modality by {order}"] = lambda draw, order=order: Search(
            order=order, site=draw.choice(SITES), modality=draw.choice(MODALITIES)
        )
        kinds[f"a rare reader by {order}"] = lambda draw, order=order: Search(order=order, reader=draw.choice(READERS))
    kinds |= {
        "device": lambda draw: Search(device=draw.choice(DEVICES)),
        "model": lambda _: Search(model="drafter 2.1"),
        "accession": lambda draw: Search(accession=f"A{draw.randrange(2000)}-{draw.randrange(1, pairs // 2000)}"),
        "accession that is not there": lambda _: Search(accession="none"),
        "one day": lambda draw: Search(since=(at := day(draw)), until=at + timedelta(days=1)),
        "kind": lambda _: Search(kind=PairKind.DRAFT_FINAL),
        "urgent": lambda _: Search(importance=Importance.URGENT),
        "at least follow-up": lambda _: Search(importance=Importance.FOLLOW_UP),
        "risk between": lambda draw: Search(min_risk=(low := draw.random() * 0.8), max_risk=low + 0.02),
        "finding": lambda draw: Search(finding=draw.choice(FINDINGS)),
        "category": lambda draw: Search(category=draw.choice(list(ErrorCategory))),
        "severity": lambda _: Search(severity=Severity.SIGNIFICANT),
        "category, severity and finding": lambda draw: Search(
            category=draw.choice(list(ErrorCategory)), severity=Severity.SIGNIFICANT, finding=draw.choice(FINDINGS)
        ),
        "finding at a site, by risk": lambda draw: Search(
            finding=draw.choice(FINDINGS), site=draw.choice(SITES), order=Order.RISK
        ),
        "reviewed": lambda _: Search(review=ReviewState.REVIEWED),
        "not reviewed": lambda _: Search(review=ReviewState.OPEN),
        "RADPEER 3b": lambda _: Search(radpeer=Radpeer.EXPECTED_SIGNIFICANT),
        "scored": lambda _: Search(state=PairState.SCORED),
        "waiting": lambda _: Search(state=PairState.WAITING),
        "an earlier signature": lambda _: Search(signature=str(OLD_RISK)),
        "an earlier signature, by newest": lambda _: Search(signature=str(OLD_FOUND), order=Order.NEWEST),
        "everything at once": lambda draw: Search(
            site=draw.choice(SITES),
            modality=draw.choice(MODALITIES),
            importance=Importance.FOLLOW_UP,
            severity=Severity.SIGNIFICANT,
            category=draw.choice(list(ErrorCategory)),
            min_risk=0.1,
            state=PairState.SCORED,
            review=ReviewState.OPEN,
            since=START,
        ),
        "nothing found": lambda _: Search(site="nowhere", order=Order.RISK),
    }
    return kinds


def _place(order: Order, at: datetime, draw: random.Random) -> str:
    """A place in the middle of an order, as a page tells it."""
    ranks = {Order.IMPORTANCE: f"{draw.randrange(4)}, {draw.random()}, ", Order.RISK: f"{draw.random()}, "}
    return f'[{ranks.get(order, "")}"{at.isoformat()}", 1]'


def _fill(unit: Any, draw: random.Random, numbers: Sequence[int]) -> None:
    results: dict[int, dict[str, EvaluationResult]] = {}
    earlier: dict[int, dict[str, EvaluationResult]] = {}
    for number in numbers:
        at = START + timedelta(minutes=number)
        about = Examination(
            site=draw.choice(SITES),
            accession=f"A{number}",
            modality=draw.choice(MODALITIES),
            device=draw.choice(DEVICES),
        )
        is_draft = draw.random() < 0.2
        model = "drafter 2.1" if is_draft else ""
        status = ReportStatus.DRAFT if is_draft else ReportStatus.PRELIMINARY
        told = {"examinations": (about,), "source": "hl7", "filler": f"F{number}", "reader": draw.choice(READERS)}
        candidate = unit.versions.add(ReportVersion(status=status, text=f"Draft {number}.", model=model, **told), at)
        reference = unit.versions.add(ReportVersion(status=ReportStatus.FINAL, text=f"Final {number}.", **told), at)
        kind = PairKind.DRAFT_FINAL if is_draft else PairKind.PRELIMINARY_FINAL
        compared = VersionPair(kind=kind, candidate=(candidate.number,), reference=(reference.number,))
        texts = ReportPair(id=f"{number}", reference=f"Final {number}.", candidate=f"Draft {number}.")
        pair, _ = unit.pairs.add(compared, texts, made=at)
        if draw.random() < 0.98:
            results[pair] = _results(draw, (NOW_RISK, NOW_FOUND))
        if number % 10 == 0:
            earlier[pair] = _results(draw, (OLD_RISK, OLD_FOUND))
        if draw.random() < 0.3:
            radpeer = draw.choice(list(Radpeer))
            unit.reviews.add(pair, Review(reviewer="ruth", made=at, signature=PRESENT[1], radpeer=radpeer))
    unit.pairs.add_results(earlier)
    unit.pairs.add_results(results)


def _copy(connection: Connection, draw: random.Random, made: int, copy: int) -> None:
    """Rows of the pairs that were made, under other numbers, times and values."""
    shift, later = made * copy, timedelta(minutes=made * copy)
    for table in (EXAMINATIONS, COMPARED, COMPARED_EXAMINATIONS, OUTLINES, FOUND):
        number = table.c.id if "id" in table.c else table.c.pair
        rows = [dict(row) for row in connection.execute(select(table).where(number <= made)).mappings()]
        for row in rows:
            row |= {name: row[name] + shift for name in ("id", "pair", "examination") if name in row}
            if "accession" in row:
                row["accession"] = f"{row['accession']}-{copy}"
            if "made_of" in row:
                row |= {"made_of": None, "arrived": row["arrived"] + later, "reader": draw.choice(READERS)}
                row |= {"site": draw.choice(SITES), "modality": draw.choice(MODALITIES)}
            if "finding" in row:
                row["finding"] = draw.choice(FINDINGS)
        for first in range(0, len(rows), AT_ONCE):
            connection.execute(table.insert(), rows[first : first + AT_ONCE])


def _results(draw: random.Random, signatures: tuple[Signature, Signature]) -> dict[str, EvaluationResult]:
    found = tuple(_discrepancy(draw) for _ in range(draw.choice((0, 0, 0, 1, 1, 2, 4))))
    risk = draw.random() ** 3 if found else 0.0
    outcomes = (Scored(score=risk), Scored(score=1 - risk, discrepancies=found))
    return {
        signature.metric: EvaluationResult(
            pair_id="", metric=signature.metric, scale=SCALE, signature=signature, outcome=outcome
        )
        for signature, outcome in zip(signatures, outcomes, strict=True)
    }


def _discrepancy(draw: random.Random) -> Discrepancy:
    return Discrepancy(
        category=draw.choice(list(ErrorCategory)),
        aspect=ErrorAspect.NEGATION,
        type=ErrorType.OMISSION,
        severity=draw.choice(list(Severity)),
        reason="the reference states it and the candidate does not",
        finding=draw.choice(FINDINGS),
        importance=draw.choice(list(Importance)),
        extent=draw.random(),
    )


@contextmanager
def _sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "hospital.db")


@contextmanager
def _postgres() -> Iterator[str]:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from postgres import running_server

    with running_server() as server:
        yield server.url


if __name__ == "__main__":
    main()
