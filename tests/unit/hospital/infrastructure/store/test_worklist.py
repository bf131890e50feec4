"""The worklist of a database finds what that in memory finds, in the same order, whatever is asked."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, timedelta, timezone
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve

from overread.domain.differences.edits import Edits, EditType
from overread.domain.results.result import Unscored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import InputError
from overread.hospital.application.grouping import Grouping, MonthSpan, Tally
from overread.hospital.application.ports import NOBODY, HospitalStore, Sampled, UnitOfWork
from overread.hospital.application.protocols import ProtocolPair
from overread.hospital.application.requests import Order, PairState, Search, Withdrawn, WorklistRow
from overread.hospital.domain.reading import ProtocolReader, ReadingMode, ReadingProtocol
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer, Review, ReviewState
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.infrastructure.store._counts import settle_counts
from overread.hospital.testing import MemoryHospitalStore

from .....postgres import in_schema
from .hospital_data import (
    HOUR,
    NOW,
    PRESENT,
    discrepancy,
    examination,
    report_pair,
    results,
    version,
)

_LATER: Final = (Signature("radot", (("version", "2"),)), Signature("notation", (("version", "2"),)))
_LATER_LINES: Final = tuple(map(str, _LATER))
_PAIRS: Final = 40
_ZONES: Final = (UTC, timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8)))


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HospitalStore]:
    """A store in a database, filled; tests only read it."""
    with ExitStack() as stack:
        place: Path | str = tmp_path_factory.mktemp("worklist") / "hospital.db"
        if request.param == "postgres":
            place = stack.enter_context(in_schema(request.getfixturevalue("postgres")))
        store = stack.enter_context(open_hospital_store(place, texts="plain"))
        with store.transaction() as unit:
            fill(unit)
        with store._database.transaction(write=True) as session:
            assert settle_counts(session.connection())
        with store.transaction() as unit:
            change(unit)
        yield store


@pytest.fixture(scope="module")
def memory() -> MemoryHospitalStore:
    """One in memory, filled alike."""
    store = MemoryHospitalStore()
    with store.transaction() as unit:
        fill(unit)
    with store.transaction() as unit:
        change(unit)
    return store


def fill(unit: UnitOfWork) -> None:
    """Pairs of all kinds: scored under one signature, another or both, unscored, waiting, reviewed, given."""
    draw = random.Random(7)  # noqa: S311 - it draws examples
    pairs = [_pair(unit, draw, number) for number in range(_PAIRS)]
    batch, _ = unit.batches.add("night", owner="pacs", key="", made=NOW)
    given = unit.pairs.add_given([report_pair(f"G{n}") for n in range(5)], owner="pacs", batch=batch, made=NOW)
    for place, pair in enumerate((*pairs, *given)):
        if place % 7 == 0:
            continue
        risk = Unscored("too long", "it is") if place % 11 == 0 else draw.choice((0.0, 0.25, 0.5, draw.random()))
        found = [_discrepancy(draw) for _ in range(draw.choice((0, 1, 3)))]
        if place % 5 == 0:
            unit.pairs.add_results({pair: results(str(pair), Unscored("gave up", "it did"))})
        for signatures in ([_PRESENT], [_LATER], [_PRESENT, _LATER], [_LATER, _PRESENT])[draw.randrange(4)]:
            unit.pairs.add_results({pair: results(str(pair), risk, found, signatures=signatures)})
        if place % 3 == 0:
            radpeer = draw.choice([None, *Radpeer])
            unit.reviews.add(pair, Review(reviewer="r", made=NOW, signature="s", radpeer=radpeer))
    unit.pairs.withdraw(draw.sample(pairs, 8))
    drawn = [Sampled(pair=pair, weight=1 + draw.random()) for pair in draw.sample(pairs, 20)]
    unit.samples.add(drawn, description="", by="ruth", made=NOW)


def change(unit: UnitOfWork) -> None:
    """What is counted changes once it was: reviews, results, edits, other times, and a blinded protocol."""
    draw = random.Random(5)  # noqa: S311 - as above
    unit.pairs.add_edits({pair: _edits(draw) for pair in range(1, 21)})
    unit.pairs.add_edits({pair: _edits(draw) if pair % 2 else None for pair in range(8, 15)})
    unit.pairs.withdraw([3, 4, 9, 16])
    unit.pairs.withdraw([4, 16], withdrawn=False)
    unit.pairs.add_results({pair: results(str(pair), 0.5, [_discrepancy(draw)]) for pair in (5, 11, 12, 20)})
    unit.reviews.add(12, Review(reviewer="s", made=NOW, signature="s", radpeer=Radpeer.CONCUR))
    later = (NOW + 40 * 24 * HOUR).astimezone(_ZONES[1])
    for number in (2, 6):
        about = examination(f"A{number}", site=unit.pairs.rows([number + 1], PRESENT)[0].examination.site)
        unit.versions.add(version(text="a later word", examinations=(evolve(about, performed=later),)), NOW)
    protocol = ReadingProtocol(
        number=0,
        name="study",
        mode=ReadingMode.BLINDED,
        readers=[ProtocolReader(name=_BLINDED)],
        per_pair=1,
        made=NOW,
        made_by="lead",
    )
    unit.protocols.add(protocol, [ProtocolPair(pair=pair) for pair in (1, 5, 12, 20, 33)])


_BLINDED: Final = "ruth"


def _edits(draw: random.Random) -> Edits:
    return Edits(types=[draw.choice(list(EditType)) for _ in range(draw.randrange(4))], style=draw.randrange(2))


_PRESENT: Final = (Signature("radot", (("version", "1"),)), Signature("notation", (("version", "1"),)))


def _pair(unit: UnitOfWork, draw: random.Random, number: int) -> int:
    about = examination(
        f"A{number}",
        site=draw.choice(("north", "south")),
        modality=draw.choice(("CT", "MR", "")),
        device=draw.choice(("scanner 1", "scanner 2")),
        performed=(NOW + number * 29 * HOUR).astimezone(_ZONES[number % 3]) if number % 5 else None,
    )
    others = (examination(f"B{number}", site=about.site),) if number % 9 == 0 else ()
    kind = draw.choice((PairKind.DRAFT_FINAL, PairKind.PRELIMINARY_FINAL))
    at = NOW + draw.randrange(20) * HOUR
    told: dict[str, Any] = {"examinations": (about, *others), "reader": draw.choice(("r1", "r2"))}
    model = "m 1" if kind is PairKind.DRAFT_FINAL else ""
    candidate = unit.versions.add(version(status=ReportStatus.DRAFT, text=f"c{number}", model=model, **told), at)
    reference = unit.versions.add(version(text=f"r{number}", **told), at)
    sides = {"candidate": (candidate.number,), "reference": (reference.number,)}
    name = f"{kind.value}:{candidate.number}:{reference.number}"
    pair, _ = unit.pairs.add(VersionPair(kind=kind, **sides), report_pair(name), made=at)
    return pair


def _discrepancy(draw: random.Random) -> Any:
    return discrepancy(
        finding=draw.choice(("pneumothorax", "rib fracture", "")),
        importance=draw.choice(list(Importance)),
        category=draw.choice((ErrorCategory.OMITTED_FINDING, ErrorCategory.LOCATION)),
        severity=draw.choice(list(Severity)),
    )


ASKED: Final[dict[str, list[Any]]] = {
    "kind": list(PairKind),
    "site": ["north", "none"],
    "modality": ["CT", ""],
    "reader": ["r1"],
    "model": ["m 1", ""],
    "device": ["scanner 2"],
    "accession": ["A3", "A9", "B9", "G1", "none"],
    "since": [NOW + 5 * HOUR, NOW + 30 * HOUR, NOW - 50 * 24 * HOUR],
    "until": [NOW + 10 * HOUR, NOW + 40 * 24 * HOUR],
    "importance": list(Importance),
    "severity": list(Severity),
    "category": [ErrorCategory.LOCATION, ErrorCategory.OMITTED_COMPARISON],
    "finding": ["pneumothorax"],
    "min_risk": [0.0, 0.25, 0.9],
    "max_risk": [0.25, 1.0],
    "state": list(PairState),
    "review": list(ReviewState),
    "radpeer": list(Radpeer),
    "signature": [*PRESENT, *_LATER_LINES, "radot|version:none"],
    "batch": [1, 99],
    "sample": [1],
    "withdrawn": list(Withdrawn),
}


def searches() -> Iterator[Search]:
    """Each value alone in each order, and many of several at once."""
    draw = random.Random(3)  # noqa: S311 - as above
    yield from (Search(order=order, limit=500) for order in Order)
    for name, values in ASKED.items():
        yield from (Search(**{name: value}, order=draw.choice(list(Order)), limit=500) for value in values)
    for _ in range(60):
        names = draw.sample(list(ASKED), draw.choice((2, 2, 3, 4)))
        asked = {name: draw.choice(ASKED[name]) for name in names}
        yield Search(**asked, order=draw.choice(list(Order)), limit=500)


@pytest.mark.parametrize("present", [PRESENT, (PRESENT[0], _LATER_LINES[1]), ("radot|none", "notation|none")])
def test_any_search_finds_what_memory_finds(
    store: HospitalStore, memory: MemoryHospitalStore, present: tuple[str, ...]
) -> None:
    """The same rows in the same order, whichever signatures are present."""
    with store.reading() as ours, memory.reading() as theirs:
        for search in searches():
            page, expected = (
                ours.pairs.search(search, present, hidden_from=NOBODY),
                theirs.pairs.search(search, present, hidden_from=NOBODY),
            )
            assert page.rows == expected.rows, search
            assert page.total == expected.total
            assert list(ours.pairs.numbers(search, present, hidden_from=NOBODY)) == list(
                theirs.pairs.numbers(search, present, hidden_from=NOBODY)
            )


def test_what_is_alike_is_counted_as_memory_counts_it(store: HospitalStore, memory: MemoryHospitalStore) -> None:
    """Whatever is searched for, by every grouping at once, samples with their weights, and each pair once."""
    with store.reading() as ours, memory.reading() as theirs:
        for search in searches():
            both = Counter[Tally](), Counter[Tally]()
            for counted, unit in zip(both, (ours, theirs), strict=True):
                for tally in unit.pairs.tallies(search, PRESENT, tuple(Grouping), hidden_from=NOBODY):
                    counted[evolve(tally, pairs=1)] += tally.pairs
            assert both[0] == both[1], search
            assert both[0].total() == len(theirs.pairs.numbers(search, PRESENT, hidden_from=NOBODY))


@pytest.mark.parametrize(
    ("hidden_from", "months"),
    [("", None), (_BLINDED, None), ("", MonthSpan.to("2026-11", 1)), (_BLINDED, MonthSpan.to("2026-12", 3))],
)
def test_counts_that_the_database_keeps_are_of_what_is_there(
    store: HospitalStore, memory: MemoryHospitalStore, hidden_from: str, months: MonthSpan | None
) -> None:
    """After every change, for each grouping alone, without the pairs that are hidden, and of some months alone."""
    asked = [
        Search(),
        Search(site="north"),
        Search(reader="r1"),
        Search(since=NOW - 50 * 24 * HOUR, until=NOW + 40 * 24 * HOUR, kind=PairKind.DRAFT_FINAL),
        Search(importance=Importance.ACTIONABLE, withdrawn=Withdrawn.ALSO),
        Search(accession="A3"),
    ]
    with store.reading() as ours, memory.reading() as theirs:
        for search in asked:
            for by in (tuple(Grouping), (Grouping.EXAMINATION_MONTH,)):
                both = Counter[Tally](), Counter[Tally]()
                for counted, unit in zip(both, (ours, theirs), strict=True):
                    for tally in unit.pairs.tallies(search, PRESENT, by, hidden_from=hidden_from, months=months):
                        counted[evolve(tally, pairs=1)] += tally.pairs
                assert both[0] == both[1], (search, by)
            edits = [list(unit.pairs.edit_tallies(search, PRESENT, hidden_from=hidden_from)) for unit in (ours, theirs)]
            assert edits[0] == edits[1], search


def test_what_is_charted_to_a_moment_was_examined_before(store: HospitalStore, memory: MemoryHospitalStore) -> None:
    """Or arrived, where it is not known when it was examined."""
    with store.reading() as ours, memory.reading() as theirs:
        for moment in (NOW - HOUR, NOW + 200 * HOUR, NOW + 90 * 24 * HOUR):
            found = list(ours.pairs.observations(Search(), PRESENT, hidden_from=NOBODY, before=moment))
            assert found == list(theirs.pairs.observations(Search(), PRESENT, hidden_from=NOBODY, before=moment))
            assert all(each.at < moment for each in found)


def test_what_is_charted_is_what_memory_has(store: HospitalStore, memory: MemoryHospitalStore) -> None:
    """Each pair that is found with all that charts need, in number order, samples with their weights."""
    with store.reading() as ours, memory.reading() as theirs:
        for search in searches():
            found = list(ours.pairs.observations(search, PRESENT, hidden_from=NOBODY))
            assert found == list(theirs.pairs.observations(search, PRESENT, hidden_from=NOBODY)), search
            assert [each.pair for each in found] == list(theirs.pairs.numbers(search, PRESENT, hidden_from=NOBODY))
        assert len({each.performed for each in ours.pairs.observations(Search(), PRESENT, hidden_from=NOBODY)}) > 1


def test_what_can_be_drawn_is_what_memory_has(store: HospitalStore, memory: MemoryHospitalStore) -> None:
    """Group, risk and weight of each pair that is found, in number order, so that a seed draws the same."""
    with store.reading() as ours, memory.reading() as theirs:
        for search, by in zip(searches(), cycle(Grouping)):
            found = list(ours.pairs.drawables(search, PRESENT, by, hidden_from=NOBODY))
            assert found == list(theirs.pairs.drawables(search, PRESENT, by, hidden_from=NOBODY)), search
            assert [each.pair for each in found] == list(theirs.pairs.numbers(search, PRESENT, hidden_from=NOBODY))


@pytest.mark.parametrize("order", list(Order))
def test_pages_joined_are_the_whole(store: HospitalStore, order: Order) -> None:
    """Each row once, whatever the size of a page; the last says that it is the last."""
    with store.reading() as unit:
        whole = unit.pairs.search(Search(order=order, limit=500), PRESENT, hidden_from=NOBODY)
        assert whole.next is None
        for limit in (1, 7, 45):
            assert list(paged(unit, Search(order=order, limit=limit, state=None))) == list(whole.rows)


def paged(unit: UnitOfWork, search: Search) -> Iterator[WorklistRow]:
    """All rows of a search, page by page."""
    while True:
        page = unit.pairs.search(search, PRESENT, hidden_from=NOBODY)
        yield from page.rows
        if page.next is None:
            return
        search = evolve(search, after=page.next)


@pytest.mark.parametrize(
    "after",
    [
        "",
        "x",
        "[]",
        "[1]",
        "[1, 2, 3, 4]",
        '["a", "b", "c", "d"]',
        '[1.0, "2026-11-23T09:00:00", 1]',
        '[Infinity, 0.5, "2026-11-23T09:00:00+00:00", 1]',
        '[NaN, 0.5, "2026-11-23T09:00:00+00:00", 1]',
        '[1.0, NaN, "2026-11-23T09:00:00+00:00", 1]',
        '[1e300, 0.5, "2026-11-23T09:00:00+00:00", 1]',
        '[1.0, 0.5, "0001-01-01T00:00:00+14:00", 1]',
        f'[1.0, 0.5, "2026-11-23T09:00:00+00:00", {2**63}]',
        "null",
        "[" * 1000,
    ],
)
def test_a_place_that_is_none_is_refused(store: HospitalStore, after: str) -> None:
    """Also one of another order."""
    with store.reading() as unit, pytest.raises(InputError, match="after"):
        unit.pairs.search(Search(after=after), PRESENT, hidden_from=NOBODY)


def test_rows_come_in_the_order_asked(store: HospitalStore, memory: MemoryHospitalStore) -> None:
    """And are those of the page."""
    numbers = [9, 3, 41, 4]
    with store.reading() as ours, memory.reading() as theirs:
        assert ours.pairs.rows(numbers, PRESENT) == theirs.pairs.rows(numbers, PRESENT)


def test_a_cursor_holds_no_more_than_a_place(store: HospitalStore) -> None:
    """Numbers and a moment."""
    with store.reading() as unit:
        place = unit.pairs.search(Search(limit=1), PRESENT, hidden_from=NOBODY).next
    assert place is not None
    assert [type(each) for each in json.loads(place)] == [int, float, str, int]
