"""Reading protocols and their assignments in a store in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve, frozen

from overread.exceptions import NotFoundError
from overread.hospital.application.protocols import AssignmentQuery, ProtocolPair
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.reading import Assignment, PairProgress, ReadingMode, ReadingProtocol, ReadingTask
from overread.hospital.testing._state import State

__all__ = ["Assignments", "ReadingProtocols", "hidden_pairs", "withheld_pairs"]


@frozen
class ReadingProtocols:
    """The protocols by which pairs are read."""

    tables: State

    def add(self, protocol: ReadingProtocol, pairs: Sequence[ProtocolPair]) -> int:
        """Keep a protocol and its pairs."""
        number = self.tables.next("protocol")
        self.tables.protocols[number] = evolve(protocol, number=number)
        self.tables.protocol_pairs[number] = {pair.pair: pair for pair in pairs}
        return number

    def get(self, number: int) -> ReadingProtocol:
        """A protocol."""
        if number not in self.tables.protocols:
            raise NotFoundError(f"there is no protocol {number}")
        return self.tables.protocols[number]

    def page(self, after: int = 0, limit: int = 50) -> Sequence[ReadingProtocol]:
        """Protocols, oldest first."""
        return [protocol for number, protocol in sorted(self.tables.protocols.items()) if number > after][:limit]

    def pairs(self, number: int, pair: int | None = None) -> Sequence[ProtocolPair]:
        """The pairs of a protocol by their numbers, or the one that is named."""
        pairs = self.tables.protocol_pairs.get(number, {})
        return [entry for key, entry in sorted(pairs.items()) if pair in {None, key} and key in self.tables.pairs]

    def settle(self, number: int, pair: int, progress: PairProgress, reason: str = "") -> None:
        """Note the progress of a pair."""
        pairs = self.tables.protocol_pairs[number]
        entry = evolve(pairs[pair], progress=progress, reason=reason or pairs[pair].reason)
        self.tables.protocol_pairs[number] = {**pairs, pair: entry}

    def close(self, number: int, at: datetime) -> None:
        """Let a protocol end."""
        protocol = self.get(number)
        self.tables.protocols[number] = evolve(protocol, closed=protocol.closed or at)

    def blinded(self, name: str, pairs: Sequence[int]) -> frozenset[int]:
        """Those of these pairs that are blinded to somebody."""
        return hidden_pairs(self.tables, name) & frozenset(pairs)

    def withheld(self, pairs: Sequence[int]) -> frozenset[int]:
        """Those of these pairs that anybody may be blinded to."""
        return withheld_pairs(self.tables) & frozenset(pairs)


@frozen
class Assignments:
    """The tasks of reading protocols."""

    tables: State

    def add(
        self, protocol: int, slots: Sequence[tuple[int, str]], *, task: ReadingTask, due: datetime | None
    ) -> Sequence[int]:
        """Keep assignments; their numbers."""
        numbers = []
        for pair, reader in slots:
            number = self.tables.next("assignment")
            self.tables.assignments[number] = Assignment(
                number=number, protocol=protocol, pair=pair, task=task, reader=reader, due=due
            )
            numbers.append(number)
        return numbers

    def get(self, number: int) -> Assignment:
        """An assignment."""
        if number not in self.tables.assignments:
            raise NotFoundError(f"there is no assignment {number}")
        return self.tables.assignments[number]

    def of(self, protocol: int, pair: int | None = None) -> Sequence[Assignment]:
        """Assignments of a protocol, or of one of its pairs."""
        every = sorted(self.tables.assignments.items())
        return [each for _, each in every if each.protocol == protocol and pair in {None, each.pair}]

    def page(self, query: AssignmentQuery) -> Sequence[Assignment]:
        """Assignments by a query."""
        rows = [each for number, each in sorted(self.tables.assignments.items()) if number > query.after]
        return [each for each in rows if self._fits(each, query)][: query.limit]

    def awaited(self, reader: str, pair: int) -> Sequence[Assignment]:
        """Somebody's own readings of a pair that are not done, in active protocols."""
        return [
            each
            for _, each in sorted(self.tables.assignments.items())
            if each.pair == pair and each.reader == reader != "" and each.task is ReadingTask.READING
            if each.done is None and self.tables.protocols[each.protocol].closed is None
        ]

    def claim(self, number: int, name: str, *, now: datetime, until: datetime) -> bool:
        """Keep others away until a moment."""
        known = self.tables.assignments[number]
        if known.done is not None or known.holder(now) not in {"", name}:
            return False
        self.tables.assignments[number] = evolve(known, claimant=name, claimed_until=until)
        return True

    def free(self, number: int, *, reader: str = "") -> bool:
        """Take an assignment from its reader and its claimant, and give it to another."""
        known = self.tables.assignments[number]
        if known.done is not None:
            return False
        self.tables.assignments[number] = evolve(known, reader=reader, claimant="", claimed_until=None)
        return True

    def finish(self, number: int, name: str, at: datetime) -> bool:
        """Mark an assignment as done by somebody."""
        if not self.free(number, reader=name):
            return False
        self.tables.assignments[number] = evolve(self.tables.assignments[number], done=at)
        return True

    def _fits(self, assignment: Assignment, query: AssignmentQuery) -> bool:
        is_closed = self.tables.protocols[assignment.protocol].closed is not None
        return (
            not (is_closed and assignment.done is None)
            and query.protocol in {None, assignment.protocol}
            and query.state in {None, assignment.state(query.now)}
            and (query.reader in {None, assignment.reader} or self._may_claim(assignment, query))
        )

    def _may_claim(self, assignment: Assignment, query: AssignmentQuery) -> bool:
        if assignment.reader or assignment.holder(query.now) not in {"", query.reader}:
            return False
        people = self.tables.protocols[assignment.protocol].people(assignment.task)
        barred = self.tables.protocol_pairs[assignment.protocol][assignment.pair].barred
        others = self.of(assignment.protocol, assignment.pair)
        has_another = any(each.reader == query.reader and each.task is assignment.task for each in others)
        return query.reader in {person.name for person in people} - set(barred) and not has_another


def hidden_pairs(state: State, name: str) -> frozenset[int]:
    """Numbers of the pairs that are blinded to somebody."""
    own = {
        pair
        for number, protocol in state.protocols.items()
        if protocol.mode is ReadingMode.BLINDED and protocol.closed is None
        for pair in _unread(state, protocol, name)
    }
    return _with_examined(state, own)


def withheld_pairs(state: State) -> frozenset[int]:
    """Numbers of the pairs of active blinded protocols, and of those that share an examination with them."""
    chosen = {
        pair
        for number, protocol in state.protocols.items()
        if protocol.mode is ReadingMode.BLINDED and protocol.closed is None
        for pair in state.protocol_pairs[number]
    }
    return _with_examined(state, chosen)


def _with_examined(state: State, chosen: set[int]) -> frozenset[int]:
    keys = {pair: _keys(state, pair) for pair in state.pairs}
    about = {key for pair in chosen for key in keys.get(pair, ())}
    return frozenset(chosen) | {pair for pair, examined in keys.items() if about & examined}


def _unread(state: State, protocol: ReadingProtocol, name: str) -> set[int]:
    pairs = state.protocol_pairs[protocol.number]
    unread: set[int] = set()
    if name in {person.name for person in protocol.readers}:
        done = {
            each.pair
            for each in state.assignments.values()
            if each.protocol == protocol.number and each.reader == name and each.done is not None
            if each.task is ReadingTask.READING
        }
        unread |= pairs.keys() - done
    if name in {person.name for person in protocol.adjudicators}:
        unread |= {number for number, pair in pairs.items() if not pair.progress.is_settled}
    return unread


def _keys(state: State, pair: int) -> set[ExaminationKey]:
    compared = state.pairs[pair].pair
    versions = (*compared.candidate, *compared.reference)
    return {key for number in versions for key in state.versions[number].kept.version.keys}
