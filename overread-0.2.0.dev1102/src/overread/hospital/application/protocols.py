"""Requests and answers about reading protocols and their assignments."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.members import member_of
from overread.hospital.application.requests import PairRecord, Search
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.reading import (
    Assignment,
    AssignmentState,
    PairProgress,
    ProtocolReader,
    ReadingMode,
    ReadingProtocol,
    ReadingTask,
)
from overread.hospital.domain.review import Radpeer, Verdict
from overread.hospital.domain.version_pairs import PairKind

__all__ = [
    "AssignmentPage",
    "AssignmentQuery",
    "AssignmentRecord",
    "AssignmentRow",
    "PeerReading",
    "ProtocolPair",
    "ProtocolPlan",
    "ProtocolRecord",
    "ReaderLoad",
    "ShortPair",
    "plan_problems",
    "row_of",
]

_LONGEST_NAME = 200
_MOST_PEOPLE = 100
_LONGEST_CLAIM = 7 * 24 * 60


@frozen(kw_only=True)
class ProtocolPlan:
    """Plan of a reading protocol. Its pairs are chosen in one of three ways, once: later pairs do not come in.

    Attributes:
        name: of the protocol; readers see it.
        mode: what readers know before they have kept their review.
        readers: who read, each once.
        per_pair: readers of each pair, 1 to all.
        adjudicators: who decide where readers differ; none of them may read.
        sample: number of a drawn sample, whose pairs are read.
        search: finds the pairs that are read; its order and limit do not count.
        pairs: numbers of the pairs that are read.
        due: when readings are to be done.
        asks_radpeer: whether readers give a RADPEER score; without it, scores are refused, as peer learning wants.
        claim_minutes: time for which a claim keeps others away, up to 7 days.
        seed: decides who reads what, and in what order; the same seed shares the same pairs out in the same way.
    """

    name: str
    mode: ReadingMode = field(default=ReadingMode.BLINDED, validator=member_of(ReadingMode))
    readers: tuple[ProtocolReader, ...] = field(converter=in_tuple)
    per_pair: int = 2
    adjudicators: tuple[ProtocolReader, ...] = field(default=(), converter=in_tuple)
    sample: int | None = None
    search: Search | None = None
    pairs: tuple[int, ...] = field(default=(), converter=in_tuple)
    due: datetime | None = None
    asks_radpeer: bool = False
    claim_minutes: int = 120
    seed: int = 0


def plan_problems(plan: ProtocolPlan) -> Iterator[str]:
    """Yield what is wrong with a plan; no word of it is repeated."""
    people = [person.name for person in (*plan.readers, *plan.adjudicators)]
    if not 1 <= len(plan.name.strip()) <= _LONGEST_NAME:
        yield f"a name of 1 to {_LONGEST_NAME} characters is needed"
    if not plan.readers or len(people) > _MOST_PEOPLE:
        yield f"1 reader is needed, and {_MOST_PEOPLE} people at most"
    if any(not name.strip() or len(name) > _LONGEST_NAME for name in people):
        yield f"people are named by 1 to {_LONGEST_NAME} characters"
    if len(set(people)) < len(people):
        yield "somebody is named twice: each reads or adjudicates, once"
    if plan.readers and not 1 <= plan.per_pair <= len(plan.readers):
        yield f"each pair can have 1 to {len(plan.readers)} of the readers"
    if sum((plan.sample is not None, plan.search is not None, bool(plan.pairs))) != 1:
        yield "give a sample, a search or numbers of pairs, and one of these alone"
    if len(set(plan.pairs)) < len(plan.pairs):
        yield "a pair is named twice"
    if plan.due is not None and plan.due.tzinfo is None:
        yield "due must be a time with a time zone"
    if not 1 <= plan.claim_minutes <= _LONGEST_CLAIM:
        yield f"claims last 1 to {_LONGEST_CLAIM:,} minutes"


@frozen(kw_only=True)
class ProtocolPair:
    """A pair of a protocol.

    Attributes:
        pair: its number.
        progress: how far it is.
        reason: why it has fewer readers than wanted, or nobody to adjudicate it; "" where it has all.
        barred: people of the protocol who are authors of one of its versions.
    """

    pair: int
    progress: PairProgress = PairProgress.READING
    reason: str = ""
    barred: tuple[str, ...] = field(default=(), converter=in_tuple)


@frozen(kw_only=True)
class ReaderLoad:
    """Load of one person in a protocol.

    Attributes:
        reader: name; "" for what is nobody's yet.
        task: what they do.
        assigned: assignments in all; what follows sums to it.
        open, claimed, overdue, done: of these, by state.
    """

    reader: str
    task: ReadingTask
    assigned: int
    open: int = 0
    claimed: int = 0
    overdue: int = 0
    done: int = 0


@frozen(kw_only=True)
class ShortPair:
    """A pair with fewer readers than wanted, or with nobody to adjudicate it, and why."""

    pair: int
    reason: str


@frozen(kw_only=True)
class ProtocolRecord:
    """A protocol and its progress.

    Attributes:
        protocol: as it was made.
        pairs: that it has; what follows sums to it.
        reading, agreed, different, adjudicated: of these, by progress.
        loads: of each of its people.
        short: pairs with fewer readers than wanted, or with nobody to adjudicate them.
    """

    protocol: ReadingProtocol
    pairs: int
    reading: int = 0
    agreed: int = 0
    different: int = 0
    adjudicated: int = 0
    loads: tuple[ReaderLoad, ...] = field(default=(), converter=in_tuple)
    short: tuple[ShortPair, ...] = field(default=(), converter=in_tuple)


@frozen(kw_only=True)
class AssignmentQuery:
    """Criteria of a list of assignments; one that is None does not apply.

    Attributes:
        reader: whose they are. What is nobody's yet is also that of each of a protocol's people who may do it.
        protocol: number of a protocol.
        state: at ``now``.
        now: the time.
        after: number of the assignment after which the list goes on.
        limit: rows of a page.
    """

    reader: str | None = None
    protocol: int | None = None
    state: AssignmentState | None = None
    now: datetime
    after: int = 0
    limit: int = 50


@frozen(kw_only=True)
class AssignmentRow:
    """An assignment in a list; without text, and without what a blinded reader must not know.

    Attributes:
        number: of the assignment.
        protocol, name, mode: number, name and mode of its protocol.
        pair: number of the pair.
        examination: the first that the pair reports on; for a pair that was given, its id stands for the accession
            number.
        kind: what is compared.
        task: what is to be done.
        state: as of now.
        reader: whose it is; "" for anybody of the protocol who may do it.
        claimant: who claimed it; "" for nobody, or where the claim has ended.
        claimed_until: when the claim ends.
        due: when it is to be done; None for no date.
        done: when it was; None while it is not.
        withdrawn: whether a report of the pair was withdrawn.
    """

    number: int
    protocol: int
    name: str
    mode: ReadingMode
    pair: int
    examination: Examination
    kind: PairKind
    task: ReadingTask
    state: AssignmentState
    reader: str = ""
    claimant: str = ""
    claimed_until: datetime | None = None
    due: datetime | None = None
    done: datetime | None = None
    withdrawn: bool = False


@frozen(kw_only=True)
class AssignmentPage:
    """A bounded part of a list of assignments.

    Attributes:
        rows: in order of their numbers, which tells nothing of the pairs.
        next: what to give as ``after`` for the rows that follow; None at the end.
    """

    rows: tuple[AssignmentRow, ...] = field(converter=in_tuple)
    next: int | None = None


@frozen(kw_only=True)
class PeerReading:
    """A reader's review as an adjudicator sees it, without its reader's name and moment.

    Attributes:
        label: "reader 1", "reader 2" and so on; who is which changes from pair to pair.
        verdicts, no_discrepancy, radpeer, comment: as in `Review`.
    """

    label: str
    verdicts: tuple[Verdict, ...] = field(default=(), converter=in_tuple)
    no_discrepancy: bool = False
    radpeer: Radpeer | None = None
    comment: str = field(default="", repr=False)


@frozen(kw_only=True)
class AssignmentRecord:
    """An assignment with all that whoever does it may know.

    Attributes:
        assignment: as in a list.
        asks_radpeer: whether a RADPEER score is to be given.
        record: of the pair; blinded where they are.
        readings: of its readers, for whoever adjudicates; none for readers.
    """

    assignment: AssignmentRow
    asks_radpeer: bool
    record: PairRecord
    readings: tuple[PeerReading, ...] = field(default=(), converter=in_tuple)


def row_of(
    assignment: Assignment,
    protocol: ReadingProtocol,
    *,
    examination: Examination,
    kind: PairKind,
    withdrawn: bool,
    now: datetime,
) -> AssignmentRow:
    """An assignment as a row of a list, at a moment."""
    holder = assignment.holder(now)
    return AssignmentRow(
        number=assignment.number,
        protocol=assignment.protocol,
        name=protocol.name,
        mode=protocol.mode,
        pair=assignment.pair,
        examination=examination,
        kind=kind,
        task=assignment.task,
        state=assignment.state(now),
        reader=assignment.reader,
        claimant=holder,
        claimed_until=assignment.claimed_until if holder else None,
        due=assignment.due,
        done=assignment.done,
        withdrawn=withdrawn,
    )
