"""Reading protocols: who reads which pairs, whether blinded, and how far they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.members import member_of

__all__ = [
    "Assignment",
    "AssignmentState",
    "PairProgress",
    "ProtocolReader",
    "ReadingMode",
    "ReadingProtocol",
    "ReadingTask",
    "is_author",
]

_SEPARATORS: Final = re.compile(r"[;&|~]")
"""Characters between several authors in one field; a comma stands within names."""


class ReadingMode(StrEnum):
    """Knowledge that readers have of a pair before they have kept their review of it."""

    BLINDED = "blinded"
    """The reports alone: no author, result or other review."""

    OPEN = "open"
    """All that any reviewer sees."""


class ReadingTask(StrEnum):
    """Task of an assignment."""

    READING = "reading"
    ADJUDICATION = "adjudication"
    """Decides where readers differ."""


class PairProgress(StrEnum):
    """Progress of a pair within a protocol."""

    READING = "reading"
    """Not all of its readings are done."""

    AGREED = "agreed"
    """All are, and they do not differ."""

    DIFFERENT = "different"
    """All are, and they differ: it is to be adjudicated."""

    ADJUDICATED = "adjudicated"

    @property
    def is_settled(self) -> bool:
        """True if nothing is left to be done."""
        return self in {PairProgress.AGREED, PairProgress.ADJUDICATED}


class AssignmentState(StrEnum):
    """State of an assignment; the first that holds, from the last one here to the first."""

    OPEN = "open"
    CLAIMED = "claimed"
    """Somebody is at it, until their claim ends."""

    OVERDUE = "overdue"
    """Not done, and past its due date."""

    DONE = "done"


@frozen(kw_only=True)
class ProtocolReader:
    """A person of a protocol.

    Attributes:
        name: by which they sign in.
        known_as: names by which reports name them as an author, if these are others.
    """

    name: str
    known_as: tuple[str, ...] = field(default=(), converter=in_tuple)


@frozen(kw_only=True)
class ReadingProtocol:
    """A protocol by which pairs are read.

    Attributes:
        number: of the protocol.
        name: of the protocol.
        mode: what readers know before they have kept their review.
        readers: who read.
        per_pair: readers of each pair.
        adjudicators: who decide where readers differ; none of them reads.
        chosen: how its pairs were chosen, in words.
        due: when readings are to be done; None for no date.
        asks_radpeer: whether readers give a RADPEER score; else none.
        claim_minutes: time for which a claim keeps others away.
        made, made_by: when and by whom it was made.
        closed: when it ended; None while it is active.
    """

    number: int
    name: str
    mode: ReadingMode = field(validator=member_of(ReadingMode))
    readers: tuple[ProtocolReader, ...] = field(converter=in_tuple)
    per_pair: int
    adjudicators: tuple[ProtocolReader, ...] = field(default=(), converter=in_tuple)
    chosen: str = ""
    due: datetime | None = None
    asks_radpeer: bool = False
    claim_minutes: int = 120
    made: datetime
    made_by: str
    closed: datetime | None = None

    def people(self, task: ReadingTask) -> tuple[ProtocolReader, ...]:
        """The people who may do a task."""
        return self.readers if task is ReadingTask.READING else self.adjudicators


@frozen(kw_only=True)
class Assignment:
    """A task on a pair, for somebody or for whoever of the protocol claims it.

    Attributes:
        number: of the assignment.
        protocol: number of the protocol.
        pair: number of the pair.
        task: what is to be done.
        reader: whose it is; "" for anybody of the protocol who may do it.
        claimant: who claimed it; "" for nobody.
        claimed_until: when the claim ends.
        due: when it is to be done; None for no date.
        done: when it was; None while it is not.
    """

    number: int
    protocol: int
    pair: int
    task: ReadingTask = field(validator=member_of(ReadingTask))
    reader: str = ""
    claimant: str = ""
    claimed_until: datetime | None = None
    due: datetime | None = None
    done: datetime | None = None

    def state(self, now: datetime) -> AssignmentState:
        """The state at a moment."""
        if self.done is not None:
            return AssignmentState.DONE
        if self.due is not None and self.due <= now:
            return AssignmentState.OVERDUE
        return AssignmentState.CLAIMED if self.holder(now) else AssignmentState.OPEN

    def holder(self, now: datetime) -> str:
        """Name of whoever has a claim that has not ended; "" for nobody."""
        running = self.claimed_until is not None and self.claimed_until > now
        return self.claimant if running else ""


def is_author(person: ProtocolReader, authors: Iterable[str]) -> bool:
    """Return whether any of the authors that reports name is a person, by any name, however it is capitalised.

    >>> is_author(ProtocolReader(name="a.kim", known_as=("4711",)), ["9001; 4711"])
    True
    """
    own = {_plain(name) for name in (person.name, *person.known_as)} - {""}
    named = {_plain(part) for author in authors for part in (author, *_SEPARATORS.split(author))}
    return bool(own & named)


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())
