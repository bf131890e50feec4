"""Learning points, actions and responses as pages show them, and what their forms come to."""

from __future__ import annotations

from datetime import UTC, datetime

from attrs import evolve, field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.learning import ConferenceCase, ConferencePoint, OwnPoint, OwnRow, PairLearning
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.learning import ActionState, AuthorResponse, LearningPoint
from overread.hospital.domain.learning import PairAction as Action
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages.pairs import sides_of
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
    "learning_view",
    "own_row_view",
    "point_view",
    "response_view",
]


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
    is_overdue: bool
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
    first: str
    second: str
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
    badge: words.Badge
    differs: str
    findings: str
    points: str
    is_new: bool


def learning_view(record: PairLearning, vocabulary: Vocabulary, now: datetime) -> LearningView:
    """Everything learnt from a pair, in words, as of a moment."""
    return LearningView(
        points=[point_view(point, vocabulary) for point in record.points],
        actions=[action_view(action, now) for action in record.actions],
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


def action_view(action: Action, now: datetime) -> ActionView:
    """An action in words, as of a moment."""
    due = f"{action.due.astimezone(UTC):%d %b %Y}".lstrip("0") if action.due else ""
    return ActionView(
        number=action.number,
        pair=action.pair,
        kind=words.ACTIONS[action.kind],
        state=words.ACTION_STATES[action.state],
        is_done=action.state is ActionState.DONE,
        due=due,
        is_overdue=action.due is not None and action.state is not ActionState.DONE and action.due.date() < now.date(),
        changed=f"{wording.one_line(action.changed_by)}, {words.moment(action.changed)}",
    )


def response_view(response: AuthorResponse) -> ResponseView:
    """A response of an author in words."""
    said = wording.make_printable(response.text) or "The text is no longer kept." if response.is_answer else ""
    return ResponseView(author=wording.one_line(response.author), when=words.moment(response.made), text=said)


def case_view(case: ConferenceCase, vocabulary: Vocabulary) -> CaseView:
    """A pair of a conference in words."""
    about = Examination(site="", accession="", modality=case.modality, procedure=case.procedure)
    heading = words.examination_words(about)
    return CaseView(
        pair=case.pair,
        heading=heading[:1].upper() + heading[1:],
        kind=words.KINDS[case.kind],
        first=sides_of(case.kind)[0],
        second=sides_of(case.kind)[1],
        candidate=None if case.candidate is None else wording.make_printable(case.candidate),
        reference=None if case.reference is None else wording.make_printable(case.reference),
        points=[point_view(point, vocabulary) for point in case.points],
        presented=words.moment(case.presented) if case.presented else "",
    )


def own_row_view(row: OwnRow, vocabulary: Vocabulary) -> OwnRowView:
    """A pair in the list of one of its authors, in words."""
    return OwnRowView(
        pair=row.pair,
        examination=words.examination_words(row.examination),
        accession=wording.one_line(row.examination.accession),
        kind=words.KINDS[row.kind],
        arrived=words.moment(row.arrived),
        badge=words.badge_of(row),
        differs=words.differs(row),
        findings=words.first_of([vocabulary.finding_name(finding) for finding in row.findings]),
        points=wording.format_count(row.points, "learning point") if row.points else "",
        is_new=row.is_new,
    )
