"""Versions and pairs held against the events of the audit trail that tell of them, and lists against results."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from typing import Final

from attrs import define, evolve, field

from overread.hospital.application.paging import AT_ONCE, every
from overread.hospital.application.ports import Stated, UnitOfWork
from overread.hospital.domain.audit_trail import AuditEvent, TrailCheck

__all__ = ["PAIRS", "VERSIONS", "RowCheck", "told_of"]

VERSIONS: Final = "kept"
PAIRS: Final = "made"
"""Details of an event, which tell of versions and pairs that were added: "12=DIGEST,13=DIGEST"."""

_KINDS: Final = ((VERSIONS, "versions", "version"), (PAIRS, "pairs", "pair"))
"""Of each detail: what events of deletion call its rows, and what one is called."""

_DELETING: Final = frozenset({"erase", "retain"})
_DIGITS: Final = 32

_Stating = Callable[[int, int], Sequence[Stated]]


def told_of(stating: _Stating, numbers: Collection[int]) -> str:
    """Digests that an event tells of rows that were just added; "" without rows."""
    if not numbers:
        return ""
    before, wanted = min(numbers) - 1, set(numbers)
    rows = [row for row in stating(before, max(numbers) - before) if row.number in wanted]
    return ",".join(f"{row.number}={_digest(row.said[0])}" for row in rows)


@define
class RowCheck:
    """Notes what events tell of versions and pairs, then looks whether those of a store are these.

    Rows that were there before events told of them, under an earlier overread, are not held against any.
    """

    _told: dict[str, dict[int, tuple[str, int]]] = field(factory=lambda: {kind: {} for kind, *_ in _KINDS}, init=False)
    _deleted: dict[str, int] = field(factory=lambda: {kind: 0 for kind, *_ in _KINDS}, init=False)

    def note(self, event: AuditEvent) -> AuditEvent:
        """Takes an event of the trail, in its order, and gives it back."""
        details = dict(event.details)
        for kind, called, _ in _KINDS:
            for entry in filter(None, details.get(kind, "").split(",")):
                number, _, digest = entry.partition("=")
                self._told[kind][int(number)] = (digest, event.number)
            if event.action in _DELETING:
                self._deleted[kind] += int(details.get(called, "0"))
        return event

    def against(self, unit: UnitOfWork, check: TrailCheck) -> TrailCheck:
        """A check of the whole trail with what comes of versions and pairs, and the first problem.

        Args:
            unit: of the moment in which the trail was read.
            check: that came of it.
        """
        held = 0
        for (kind, _, name), stating in zip(_KINDS, (unit.versions.stated, unit.pairs.stated), strict=True):
            remaining = dict(self._told[kind])
            first = min(remaining, default=None)
            for row in every(stating):
                if problem := _problem(row, remaining.pop(row.number, None), first, name):
                    return evolve(check, rows=held, problem=problem)
                held += 1
            if len(remaining) > self._deleted[kind]:
                number, (_, event) = min(remaining.items())
                return evolve(check, rows=held, problem=f"{name} {number} that event {event} records is missing")
        return evolve(check, rows=held, problem=_misshown(unit))


def _problem(row: Stated, told: tuple[str, int] | None, first: int | None, name: str) -> str:
    """Describes the problem with a row; "" if an event tells of it, or the row is older than such events."""
    if told is None:
        is_new = first is not None and row.number > first
        return f"{name} {row.number} is in no event: it was added outside the service" if is_new else ""
    digest, event = told
    is_told = any(_digest(statement) == digest for statement in row.said)
    return "" if is_told else f"{name} {row.number} differs from event {event}"


def _misshown(unit: UnitOfWork) -> str:
    after: int | None = 0
    while after is not None:
        after, wrong = unit.pairs.misshown(after, AT_ONCE)
        if wrong:
            return f"pair {min(wrong)} is shown with values that differ from its results"
    return ""


def _digest(said: str) -> str:
    return hashlib.sha256(said.encode()).hexdigest()[:_DIGITS]
