"""Assignments as pages show them: lists with progress, both texts of a blinded pair, and what its readers said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.protocols import AssignmentRow, PeerReading
from overread.hospital.application.requests import PairRecord
from overread.hospital.domain.reading import AssignmentState, ReadingMode, ReadingTask
from overread.hospital.domain.review import Verdict
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages.pairs import sides_of
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.infrastructure.views import wording

__all__ = [
    "ASSIGNMENTS",
    "MODES",
    "STATES",
    "TASKS",
    "AssignmentLine",
    "PairText",
    "PeerView",
    "Progress",
    "StateTab",
    "lines",
    "pair_text",
    "peer_views",
    "progress_of",
    "state_tabs",
]

ASSIGNMENTS: Final = "/assignments"

STATES: Final = {
    AssignmentState.OPEN: "open",
    AssignmentState.CLAIMED: "claimed",
    AssignmentState.OVERDUE: "overdue",
    AssignmentState.DONE: "done",
}
TASKS: Final = {ReadingTask.READING: "reading", ReadingTask.ADJUDICATION: "adjudication"}
MODES: Final = {ReadingMode.BLINDED: "blinded", ReadingMode.OPEN: "open"}

_TONES: Final = {
    AssignmentState.OVERDUE: "critical",
    AssignmentState.CLAIMED: "significant",
    AssignmentState.DONE: "none",
    AssignmentState.OPEN: "insignificant",
}


@frozen(kw_only=True)
class AssignmentLine:
    """An assignment in a list.

    Attributes:
        tone: how its state looks.
        whose: its reader, or whoever claimed it; "" for nobody.
        until: when a claim ends; "" without one.
        is_free: whether it is anybody's who may do it.
    """

    number: int
    pair: int
    accession: str
    site: str
    examination: str
    kind: str
    task: ReadingTask
    protocol: int
    name: str
    state: AssignmentState
    tone: str
    whose: str
    until: str
    due: str
    due_iso: str
    done: str
    is_free: bool
    withdrawn: bool

    @property
    def address(self) -> str:
        """Address of its page."""
        return f"{ASSIGNMENTS}/{self.number}"


@frozen(kw_only=True)
class StateTab:
    """A state that a list can be narrowed to, with the number of its assignments."""

    value: str
    words: str
    count: str
    is_chosen: bool


@frozen(kw_only=True)
class Progress:
    """Progress of somebody's own assignments in a protocol."""

    name: str
    task: ReadingTask
    done: int
    total: int

    @property
    def share(self) -> float:
        """Share that is done, in percent."""
        return 100 * self.done / self.total if self.total else 0.0


@frozen(kw_only=True)
class PairText:
    """Both texts of a pair, and of what; nothing of what anybody made of them.

    Attributes:
        sides: heading and text of each report, the reference first, as on every page of a pair; none once gone.
    """

    title: str
    eyebrow: str
    about: str
    sides: tuple[tuple[str, str], ...] = field(converter=in_tuple, repr=False)
    has_text: bool


@frozen(kw_only=True)
class PeerView:
    """A reader's review in words, under a label instead of a name.

    Attributes:
        said: of each discrepancy: what it is, how grave, and in the reader's words.
    """

    label: str
    said: tuple[tuple[str, str, str], ...] = field(converter=in_tuple, repr=False)
    states_none: bool
    radpeer: str
    comment: str = field(repr=False)


def lines(rows: Iterable[AssignmentRow]) -> list[AssignmentLine]:
    """Assignments as a list shows them, in their order."""
    return [_line(row) for row in rows]


def state_tabs(rows: Mapping[AssignmentState, Sequence[AssignmentRow]], most: int, chosen: str) -> list[StateTab]:
    """The states that a list can be narrowed to.

    Args:
        rows: assignments by state, of each as many as were read.
        most: number of assignments of a state that were read at most.
        chosen: the state that the list shows; "" for all that is to be done.
    """
    numbers = {state: len(rows[state]) for state in AssignmentState}
    undone = sum(count for state, count in numbers.items() if state is not AssignmentState.DONE)
    whole = all(count < most for state, count in numbers.items() if state is not AssignmentState.DONE)
    first = StateTab(value="", words="to do", count=_count(undone, is_whole=whole), is_chosen=not chosen)
    return [
        first,
        *(
            StateTab(
                value=state.value,
                words=STATES[state],
                count=_count(count, is_whole=count < most),
                is_chosen=chosen == state,
            )
            for state, count in numbers.items()
        ),
    ]


def progress_of(rows: Iterable[AssignmentRow], reader: str) -> list[Progress]:
    """Progress of a reader by protocol and task, of the assignments that are theirs; only where something is to do."""
    done: Counter[tuple[int, ReadingTask]] = Counter()
    total: Counter[tuple[int, ReadingTask]] = Counter()
    names = {}
    for row in rows:
        if reader not in {row.reader, row.claimant}:
            continue
        key = row.protocol, row.task
        names[key] = row.name
        total[key] += 1
        done[key] += row.state is AssignmentState.DONE
    return [
        Progress(name=wording.one_line(name), task=key[1], done=done[key], total=total[key])
        for key, name in sorted(names.items())
        if done[key] < total[key]
    ]


def pair_text(record: PairRecord, row: AssignmentRow) -> PairText:
    """Both texts of the pair of an assignment."""
    candidate, reference = sides_of(row.kind)
    both = record.report_pair
    accession = wording.one_line(row.examination.accession)
    return PairText(
        title=f"{words.examination_words(row.examination)}, {accession}",
        eyebrow=f"{candidate} read against the {words.within(reference)}",
        about=wording.pair_words(both) if both else "",
        sides=[
            (name, wording.make_printable(report.text))
            for name, report in ([(reference, both.reference), (candidate, both.candidate)] if both else [])
        ],
        has_text=both is not None,
    )


def peer_views(readings: Sequence[PeerReading], record: PairRecord, vocabulary: Vocabulary) -> list[PeerView]:
    """Readings in words, for whoever adjudicates."""
    return [
        PeerView(
            label=reading.label.capitalize(),
            said=list(_said(reading.verdicts, record, vocabulary)),
            states_none=reading.no_discrepancy,
            radpeer=words.radpeer_words(reading.radpeer),
            comment=wording.make_printable(reading.comment),
        )
        for reading in readings
    ]


def _said(verdicts: Sequence[Verdict], record: PairRecord, vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
    numbers = {item.index: item.number for item in wording.numbered_discrepancies(record.current)}
    for verdict in verdicts:
        finding = vocabulary.finding_name(verdict.finding) if verdict.finding else ""
        category = verdict.category.label if verdict.category else ""
        title = ": ".join(part for part in (category, finding) if part) or "discrepancy"
        if verdict.discrepancy is not None:
            number = numbers.get(verdict.discrepancy, verdict.discrepancy + 1)
            title = f"number {number}: {words.VERDICTS[verdict.kind].lower()}" + (f", {title}" if category else "")
        severity = verdict.severity.value if verdict.severity else ""
        reason = wording.make_printable(verdict.reason)
        yield title[:1].upper() + title[1:], severity, "" if reason.casefold() == finding.casefold() else reason


def _line(row: AssignmentRow) -> AssignmentLine:
    return AssignmentLine(
        number=row.number,
        pair=row.pair,
        accession=wording.one_line(row.examination.accession),
        site=wording.one_line(row.examination.site) if row.kind is not PairKind.GIVEN else "",
        examination=words.examination_words(row.examination),
        kind=words.KINDS[row.kind],
        task=row.task,
        protocol=row.protocol,
        name=wording.one_line(row.name),
        state=row.state,
        tone=_TONES[row.state],
        whose=wording.one_line(row.reader or row.claimant),
        until=words.moment(row.claimed_until) if row.claimed_until else "",
        due=words.moment(row.due) if row.due else "",
        due_iso=row.due.isoformat() if row.due else "",
        done=words.moment(row.done) if row.done else "",
        is_free=not row.reader,
        withdrawn=row.withdrawn,
    )


def _count(number: int, *, is_whole: bool) -> str:
    return str(number) if is_whole else f"{number} or more"
