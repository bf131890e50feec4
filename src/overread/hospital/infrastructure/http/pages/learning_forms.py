"""The forms that note what a pair teaches and what was done about it: what was filled in, and what of it is amiss."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.domain.learning import ActionKind, ActionState, LearningKind
from overread.hospital.infrastructure.http.pages.reviewing import LONGEST, Problem
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary

__all__ = ["ActionDraft", "LearningForms", "PointDraft", "date_of"]

_DAY: Final = "%Y-%m-%d"
_Choice = TypeVar("_Choice", ActionKind, ActionState, ErrorCategory, LearningKind)


@frozen(kw_only=True)
class PointDraft:
    """The form of a learning point as it was filled in."""

    kind: str = LearningKind.LEARNING_POINT.value
    category: str = ""
    finding: str = ""
    text: str = field(default="", repr=False)
    nominated: bool = False

    @classmethod
    def of(cls, form: Mapping[str, str]) -> PointDraft:
        """Read the fields; of a text that is too long, just enough to show that it is."""
        return cls(
            kind=form.get("kind", ""),
            category=form.get("category", ""),
            finding=form.get("finding", "").strip(),
            text=form.get("text", "").replace("\r\n", "\n").strip()[: LONGEST + 1],
            nominated=form.get("nominated") == "yes",
        )

    def read(self, vocabulary: Vocabulary) -> tuple[dict[str, Any], list[Problem]]:
        """The arguments that it comes to, and everything that keeps it from being a learning point."""
        problems: list[Problem] = []
        kind = _member(LearningKind, self.kind, "point-kind", problems)
        category = _member(ErrorCategory, self.category, "point-category", problems) if self.category else None
        finding = vocabulary.id_of(self.finding) if self.finding else ""
        if finding is None:
            near = ", ".join(vocabulary.near(self.finding, 3))
            hint = f" Did you mean {near}?" if near else " You can leave it empty, and name it in your words."
            problems.append(Problem("point-finding", f"The lexicon has no such finding.{hint}"))
        if not self.text:
            problems.append(Problem("point-text", "Say in your words what there is to learn, or what was seen well."))
        if len(self.text) > LONGEST:
            problems.append(Problem("point-text", f"Write {LONGEST:,} characters at most."))
        given = {"kind": kind, "category": category, "finding": finding, "text": self.text, "nominated": self.nominated}
        return given, problems


@frozen(kw_only=True)
class ActionDraft:
    """The form of an action as it was filled in."""

    kind: str = ActionKind.CLINICIAN_TOLD.value
    state: str = ActionState.OPEN.value
    due: str = ""

    @classmethod
    def of(cls, form: Mapping[str, str]) -> ActionDraft:
        """Read the fields."""
        return cls(kind=form.get("kind", ""), state=form.get("state", ""), due=form.get("due", "").strip())

    def read(self) -> tuple[dict[str, Any], list[Problem]]:
        """The arguments that it comes to, and everything that keeps it from being an action."""
        problems: list[Problem] = []
        kind = _member(ActionKind, self.kind, "action-kind", problems)
        state = _member(ActionState, self.state, "action-state", problems)
        due = date_of(self.due)
        if self.due and due is None:
            problems.append(Problem("action-due", "Give a year, a month and a day, such as 2026-11-30."))
        return {"kind": kind, "state": state, "due": due}, problems


@frozen(kw_only=True)
class LearningForms:
    """The two forms below a pair, with what is amiss with one of them."""

    point: PointDraft = field(factory=PointDraft)
    action: ActionDraft = field(factory=ActionDraft)
    problems: tuple[Problem, ...] = field(default=(), converter=in_tuple)

    @property
    def amiss(self) -> dict[str, str]:
        """Problems by field, in words."""
        return {problem.field: problem.words for problem in self.problems}

    def concerns(self, form: str) -> bool:
        """Return whether something is amiss with one of the forms: "point" or "action"."""
        return any(problem.field.startswith(f"{form}-") for problem in self.problems)


def date_of(value: str) -> datetime | None:
    """The beginning in UTC of a day as a form gives it; None for none, and for what is no day.

    >>> date_of("2026-11-30")
    datetime.datetime(2026, 11, 30, 0, 0, tzinfo=datetime.timezone.utc)
    >>> date_of("30 November") is None
    True
    """
    try:
        return datetime.strptime(value, _DAY).replace(tzinfo=UTC)
    except ValueError:
        return None


def _member(kind: type[_Choice], value: str, name: str, problems: list[Problem]) -> _Choice | None:
    for member in kind:
        if member.value == value:
            return member
    problems.append(Problem(name, "Choose one of what the form offers."))
    return None
