"""Reading protocols: they are made, followed and closed by whoever leads the readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.protocols import (
    ProtocolPair,
    ProtocolPlan,
    ProtocolRecord,
    ReaderLoad,
    ShortPair,
    plan_problems,
)
from overread.hospital.application.sampling import MOST_PAIRS
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase, is_storable
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.use_cases.searching import describe_search
from overread.hospital.domain.allotting import allot
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.reading import (
    AssignmentState,
    PairProgress,
    ReadingMode,
    ReadingProtocol,
    ReadingTask,
    is_author,
)

__all__ = ["Planning"]

_WITHDRAWN = "a report of it was withdrawn"
_TEXT_GONE = "the text of a report is no longer kept"
_FIRST = 0
"""Number of a protocol that has none yet."""


class Planning(UseCase):
    """Makes reading protocols and tells how far they are."""

    @operation
    @again_if_busy
    def create_protocol(self, plan: ProtocolPlan, *, by: Actor) -> ProtocolRecord:
        """Choose pairs to be read, and share them out among readers. Lead.

        Each pair gets as many readers as the plan wants, in equal shares. Nobody reads a pair who is an author of
        either side, nor, blinded, one that they have reviewed before. A pair with fewer readers left is read by these,
        and listed with the reason; so is one that cannot be read.

        Args:
            plan: of the protocol.
            by: on whose behalf.

        Raises:
            InputError: if the plan is not sound, or chooses no pair or more than 10,000.
            NotFoundError: if the sample or a pair does not exist.
        """
        problems = list(plan_problems(plan))
        names = [
            plan.name,
            *(name for each in (*plan.readers, *plan.adjudicators) for name in (each.name, *each.known_as)),
        ]
        if not all(map(is_storable, names)):
            problems.append("a name contains a NUL or half a surrogate pair")
        if problems:
            raise InputError("plan", "; ".join(problems))
        now = self._context.now()
        with self._context.store.transaction() as unit:
            numbers, chosen = self._choose(unit, plan, by)
            pairs = self._protocol_pairs(unit, plan, numbers)
            protocol = ReadingProtocol(
                number=_FIRST,
                name=plan.name.strip(),
                mode=plan.mode,
                readers=plan.readers,
                per_pair=plan.per_pair,
                adjudicators=plan.adjudicators,
                chosen=chosen,
                due=plan.due,
                asks_radpeer=plan.asks_radpeer,
                claim_minutes=plan.claim_minutes,
                made=now,
                made_by=by.name,
            )
            number = unit.protocols.add(protocol, [pair for pair, _ in pairs])
            slots = [(pair.pair, reader) for pair, readers in pairs for reader in readers]
            unit.assignments.add(number, slots, task=ReadingTask.READING, due=plan.due)
            details: dict[str, str | int] = {
                "mode": plan.mode.value,
                "pairs": len(pairs),
                "assignments": len(slots),
                "readers": ", ".join(reader.name for reader in plan.readers),
                "adjudicators": ", ".join(reader.name for reader in plan.adjudicators),
                "chosen": chosen,
            }
            self._context.note(unit, by, "protocol", f"protocol:{number}", details)
            return self._protocol_record(unit, number)

    @operation
    def protocols(self, *, by: Actor, after: int = 0, limit: int = 50) -> Sequence[ReadingProtocol]:
        """Reading protocols, oldest first, from the one after a number. Lead."""
        if after < 0 or limit < 1:
            raise InputError("protocols", "after must be 0 or more, and limit 1 or more")
        with self._context.store.reading() as unit:
            found = unit.protocols.page(after, limit)
        self._context.tell(by, "protocols", details={"protocols": len(found)})
        return found

    @operation
    def protocol(self, number: int, *, by: Actor) -> ProtocolRecord:
        """A reading protocol, how far its pairs are, and the load of each reader. Lead."""
        with self._context.store.reading() as unit:
            record = self._protocol_record(unit, number)
        self._context.tell(by, "read", f"protocol:{number}")
        return record

    @operation
    @again_if_busy
    def close_protocol(self, number: int, *, by: Actor) -> ReadingProtocol:
        """End a reading protocol: what is not done is dropped, and nobody is blinded by it any more. Lead."""
        with self._context.store.transaction() as unit:
            unit.protocols.close(number, self._context.now())
            self._context.note(unit, by, "close protocol", f"protocol:{number}")
            return unit.protocols.get(number)

    def _choose(self, unit: UnitOfWork, plan: ProtocolPlan, by: Actor) -> tuple[list[int], str]:
        """The numbers of the pairs that a plan chooses, and how it does, in words without report text."""
        if plan.sample is not None:
            numbers = [drawn.pair for drawn in unit.samples.get(plan.sample)]
            chosen = f"sample {plan.sample}"
        elif plan.search is not None:
            numbers = list(unit.pairs.numbers(plan.search, self._context.signature_lines, hidden_from=by.name))
            asked = ", ".join(f"{name} {value}" for name, value in describe_search(plan.search).items())
            chosen = f"search: {asked or 'all pairs'}"
        else:
            numbers = sorted(plan.pairs)
            chosen = "by number"
        if not numbers:
            raise NotFoundError("there are no pairs to be read")
        if len(numbers) > MOST_PAIRS:
            raise InputError("plan", f"{len(numbers):,} pairs are more than {MOST_PAIRS:,}", remedy="draw a sample")
        return numbers, chosen

    def _protocol_pairs(
        self, unit: UnitOfWork, plan: ProtocolPlan, numbers: Sequence[int]
    ) -> list[tuple[ProtocolPair, tuple[str, ...]]]:
        """The pairs of a protocol with their readers, in the order in which they are read."""
        people = (*plan.readers, *plan.adjudicators)
        kept = unit.pairs.get(numbers)
        rows = unit.pairs.rows(numbers, self._context.signature_lines)
        barred: dict[int, tuple[str, ...]] = {}
        unreadable: dict[int, str] = {}
        compared = {entry.number: (*entry.pair.candidate, *entry.pair.reference) for entry in kept}
        versions = sorted({version for several in compared.values() for version in several})
        author = {version.number: version.version.reader for version in unit.versions.get(versions)}
        for entry, row, reviews in zip(kept, rows, unit.reviews.of(numbers), strict=True):
            authors = [author[version] for version in compared[entry.number]]
            known = {review.reviewer for review in reviews} if plan.mode is ReadingMode.BLINDED else set()
            barred[entry.number] = tuple(
                person.name for person in people if person.name in known or is_author(person, authors)
            )
            if row.withdrawn or entry.report_pair is None:
                unreadable[entry.number] = _WITHDRAWN if row.withdrawn else _TEXT_GONE
        readers = [reader.name for reader in plan.readers]
        readable = [number for number in numbers if number not in unreadable]
        allotted = allot(readable, readers, plan.per_pair, barred=barred, seed=plan.seed)
        allotted |= dict.fromkeys(unreadable, ())
        return [
            (
                ProtocolPair(
                    pair=number,
                    barred=barred[number],
                    reason=unreadable.get(number) or _shortage(len(names), plan.per_pair, plan.mode),
                ),
                names,
            )
            for number, names in allotted.items()
        ]

    def _protocol_record(self, unit: UnitOfWork, number: int) -> ProtocolRecord:
        protocol = unit.protocols.get(number)
        pairs = unit.protocols.pairs(number)
        progress = Counter(pair.progress for pair in pairs)
        return ProtocolRecord(
            protocol=protocol,
            pairs=len(pairs),
            reading=progress[PairProgress.READING],
            agreed=progress[PairProgress.AGREED],
            different=progress[PairProgress.DIFFERENT],
            adjudicated=progress[PairProgress.ADJUDICATED],
            loads=self._loads(unit, protocol),
            short=[ShortPair(pair=pair.pair, reason=pair.reason) for pair in pairs if pair.reason],
        )

    def _loads(self, unit: UnitOfWork, protocol: ReadingProtocol) -> list[ReaderLoad]:
        now = self._context.now()
        states: dict[tuple[ReadingTask, str], Counter[AssignmentState]] = {
            (task, person.name): Counter() for task in ReadingTask for person in protocol.people(task)
        }
        for assignment in unit.assignments.of(protocol.number):
            whose = (assignment.task, assignment.reader or assignment.holder(now))
            states.setdefault(whose, Counter())[assignment.state(now)] += 1
        return [_load(name, task, counts) for (task, name), counts in states.items()]


def _load(reader: str, task: ReadingTask, counts: Mapping[AssignmentState, int]) -> ReaderLoad:
    return ReaderLoad(
        reader=reader,
        task=task,
        assigned=sum(counts.values()),
        open=counts[AssignmentState.OPEN],
        claimed=counts[AssignmentState.CLAIMED],
        overdue=counts[AssignmentState.OVERDUE],
        done=counts[AssignmentState.DONE],
    )


def _shortage(readers: int, wanted: int, mode: ReadingMode) -> str:
    if readers >= wanted:
        return ""
    why = "are authors of its versions"
    why += " or have reviewed it before" if mode is ReadingMode.BLINDED else ""
    return f"it has {readers} of {wanted} readers: the others {why}"
