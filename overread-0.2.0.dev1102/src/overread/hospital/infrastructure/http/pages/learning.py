"""Learning points, actions and responses as pages show them, and what their forms come to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Final, TypeVar

from attrs import evolve, field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import InputError
from overread.hospital.application.learning import ConferenceCase, ConferencePoint, OwnPoint, OwnRow, PairLearning
from overread.hospital.domain.learning import ActionKind, ActionState, AuthorResponse, LearningKind, LearningPoint
from overread.hospital.domain.learning import PairAction as Action
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.infrastructure.views import wording

__all__ = [
    "ActionView",
    "CaseView",
    "LearningView",
    "OwnRowView",
    "PointView",
    "ResponseView",
    "action_view",
    "case_view",
    "day_of",
    "learning_view",
    "own_row_view",
    "point_view",
    "read_action",
    "read_choice",
    "read_point",
    "response_view",
]

_Choice = TypeVar("_Choice", ActionKind, ActionState, ErrorCategory, LearningKind)


@frozen(kw_only=True)
class PointView:
    """A learning point in words; ``who`` is "" where its writer is not told, and ``number`` 0."""

    number: int = 0
    kind: str
    about: str
    text: str = field(repr=False)
    when: str
    who: str = ""
    nominated: bool = False
    presented: str = ""


@frozen(kw_only=True)
class ActionView:
    """An action in words."""

    number: int
    pair: int
    kind: str
    state: str
    is_done: bool
    due: str
    changed: str


@frozen(kw_only=True)
class ResponseView:
    """A response of an author in words."""

    author: str
    when: str
    text: str = field(repr=False)


@frozen(kw_only=True)
class LearningView:
    """Everything learnt from a pair, in words."""

    points: tuple[PointView, ...] = field(converter=in_tuple)
    actions: tuple[ActionView, ...] = field(converter=in_tuple)
    responses: tuple[ResponseView, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class CaseView:
    """A pair of a conference in words."""

    pair: int
    heading: str
    kind: str
    candidate: str | None = field(repr=False)
    reference: str | None = field(repr=False)
    points: tuple[PointView, ...] = field(converter=in_tuple)
    presented: str


@frozen(kw_only=True)
class OwnRowView:
    """A pair in the list of one of its authors, in words."""

    pair: int
    examination: str
    accession: str
    kind: str
    arrived: str
    points: str
    is_new: bool


def learning_view(record: PairLearning, vocabulary: Vocabulary) -> LearningView:
    """Everything learnt from a pair, in words."""
    return LearningView(
        points=[point_view(point, vocabulary) for point in record.points],
        actions=[action_view(action) for action in record.actions],
        responses=[response_view(response) for response in record.responses],
    )


def point_view(point: LearningPoint | OwnPoint | ConferencePoint, vocabulary: Vocabulary) -> PointView:
    """A learning point in words, with as much as whoever looks may know."""
    about = [
        point.category.label if point.category else "",
        vocabulary.finding_name(point.finding) if point.finding else "",
    ]
    view = PointView(
        kind=words.LEARNING[point.kind],
        about=", ".join(part for part in about if part),
        text=wording.make_printable(point.text),
        when="" if isinstance(point, ConferencePoint) else words.moment(point.made),
    )
    if not isinstance(point, LearningPoint):
        return view
    return evolve(
        view,
        number=point.number,
        who=wording.one_line(point.made_by),
        nominated=point.nominated,
        presented=words.moment(point.presented) if point.presented else "",
    )


def action_view(action: Action) -> ActionView:
    """An action in words."""
    due = f"{action.due.astimezone(UTC):%d %b %Y}".lstrip("0") if action.due else ""
    return ActionView(
        number=action.number,
        pair=action.pair,
        kind=words.ACTIONS[action.kind],
        state=words.ACTION_STATES[action.state],
        is_done=action.state is ActionState.DONE,
        due=due,
        changed=f"{wording.one_line(action.changed_by)}, {words.moment(action.changed)}",
    )


def response_view(response: AuthorResponse) -> ResponseView:
    """A response of an author in words."""
    said = wording.make_printable(response.text) or "The text is no longer kept." if response.is_answer else ""
    return ResponseView(author=wording.one_line(response.author), when=words.moment(response.made), text=said)


def case_view(case: ConferenceCase, vocabulary: Vocabulary) -> CaseView:
    """A pair of a conference in words."""
    parts = [wording.one_line(part) for part in (case.modality, case.procedure) if part]
    return CaseView(
        pair=case.pair,
        heading=" ".join(parts) or "Examination not described",
        kind=words.KINDS[case.kind],
        candidate=None if case.candidate is None else wording.make_printable(case.candidate),
        reference=None if case.reference is None else wording.make_printable(case.reference),
        points=[point_view(point, vocabulary) for point in case.points],
        presented=words.moment(case.presented) if case.presented else "",
    )


def own_row_view(row: OwnRow) -> OwnRowView:
    """A pair in the list of one of its authors, in words."""
    return OwnRowView(
        pair=row.pair,
        examination=words.examination_words(row.examination),
        accession=wording.one_line(row.examination.accession),
        kind=words.KINDS[row.kind],
        arrived=words.moment(row.arrived),
        points=wording.format_count(row.points, "learning point") if row.points else "",
        is_new=row.is_new,
    )


def day_of(value: str) -> datetime | None:
    """The beginning in UTC of a day as a form gives it; None for none.

    Raises:
        InputError: for what is no day.
    """
    if not value:
        return None
    try:
        return datetime.combine(datetime.strptime(value, _DAY).replace(tzinfo=UTC).date(), time(), UTC)
    except ValueError:
        raise InputError("form", "a date must be a year, a month and a day, such as 2026-11-30") from None


def read_choice(kind: type[_Choice], value: str) -> _Choice:
    """A member of an enumeration as a form gives it.

    Raises:
        InputError: for a value that is none.
    """
    for member in kind:
        if member.value == value:
            return member
    raise InputError("form", "choose one of what the form offers")


def read_point(form: Mapping[str, str], vocabulary: Vocabulary) -> dict[str, object]:
    """The arguments of a learning point that a form comes to.

    Raises:
        InputError: for what a form cannot give.
    """
    name = form.get("finding", "").strip()
    finding = vocabulary.id_of(name) if name else ""
    if finding is None:
        raise InputError("learning", "the lexicon has no such finding")
    category = form.get("category", "")
    return {
        "kind": read_choice(LearningKind, form.get("kind", "")),
        "text": form.get("text", "").replace("\r\n", "\n").strip(),
        "category": read_choice(ErrorCategory, category) if category else None,
        "finding": finding,
        "nominated": form.get("nominated") == "yes",
    }


def read_action(form: Mapping[str, str]) -> tuple[ActionKind, ActionState, datetime | None]:
    """The kind, state and due date of an action that a form comes to.

    Raises:
        InputError: for what a form cannot give.
    """
    kind, state = read_choice(ActionKind, form.get("kind", "")), read_choice(ActionState, form.get("state", ""))
    return kind, state, day_of(form.get("due", ""))


_DAY: Final = "%Y-%m-%d"
