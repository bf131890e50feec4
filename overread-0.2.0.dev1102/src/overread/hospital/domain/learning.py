"""Peer learning: what a pair teaches, what was done about it, and what the author of a report says to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import field, frozen, validators

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.members import member_of
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.domain.reading import ProtocolReader, is_author
from overread.hospital.domain.review import finding_problems

__all__ = [
    "ActionKind",
    "ActionState",
    "Author",
    "AuthorResponse",
    "LearningKind",
    "LearningPoint",
    "PairAction",
    "learning_problems",
    "without_names",
]

_SHORTEST_NAME: Final = 4
"""Letters of a name that is looked for in a text; shorter ones occur in words and figures of reports. Ours."""

_REMOVED: Final = "[removed]"


class LearningKind(StrEnum):
    """Kind of what a pair teaches."""

    LEARNING_POINT = "learning point"
    GOOD_CALL = "good call"
    """Something that was seen well."""


@frozen(kw_only=True)
class LearningPoint:
    """A lesson of one pair.

    Attributes:
        number: of the point.
        pair: number of the pair.
        kind: whether something can be learnt, or was seen well.
        category, finding: what it is about; None and "" where that is not said. A finding is named by its id in the
            lexicon, and kept plain.
        text: in the reviewer's own words, stored as report text is; "" once it is no longer kept.
        nominated: whether it is to be shown at a conference.
        presented: when it was; None while it was not.
        made, made_by: when and by whom it was written.
    """

    number: int
    pair: int
    kind: LearningKind = field(validator=member_of(LearningKind))
    category: ErrorCategory | None = field(default=None, validator=validators.optional(member_of(ErrorCategory)))
    finding: str = ""
    text: str = field(default="", repr=False)
    nominated: bool = False
    presented: datetime | None = None
    made: datetime
    made_by: str


class ActionKind(StrEnum):
    """Kind of what was done about a pair."""

    CLINICIAN_TOLD = "clinician told"
    ADDENDUM_MADE = "addendum made"
    FOLLOW_UP_BOOKED = "follow-up booked"
    NO_ACTION_NEEDED = "no action needed"


class ActionState(StrEnum):
    """State of an action."""

    PROPOSED = "proposed"
    OPEN = "open"
    """Somebody is to do it."""

    DONE = "done"


@frozen(kw_only=True)
class PairAction:
    """An action about one pair. The audit trail has its earlier states.

    Attributes:
        number: of the action.
        pair: number of the pair.
        kind: what is done.
        state: how far it is.
        due: when it is to be done; None for no date.
        made, made_by: when and by whom it was noted.
        changed, changed_by: when and by whom it was last changed.
    """

    number: int
    pair: int
    kind: ActionKind = field(validator=member_of(ActionKind))
    state: ActionState = field(validator=member_of(ActionState))
    due: datetime | None = None
    made: datetime
    made_by: str
    changed: datetime
    changed_by: str


@frozen(kw_only=True)
class AuthorResponse:
    """A response of an author of a pair: that they have seen it or, with a text, what they say to it.

    Attributes:
        number: of the response.
        pair: number of the pair.
        author: by the name that they sign in with.
        made: when.
        is_answer: whether they wrote something.
        text: in their own words, stored as report text is; "" for none, and once it is no longer kept.
    """

    number: int
    pair: int
    author: str
    made: datetime
    is_answer: bool = False
    text: str = field(default="", repr=False)


@frozen(kw_only=True)
class Author:
    """An author of reports.

    Attributes:
        name: by which they sign in.
        known_as: names by which reports name them. Their own name is none of these unless it stands here too: a report
            opens to whom an administrator says, not to whoever is called the same.
    """

    name: str
    known_as: tuple[str, ...] = field(default=(), converter=in_tuple)

    def wrote(self, readers: Iterable[str]) -> bool:
        """Return whether any of the readers that versions name is this author, however it is capitalised.

        >>> Author(name="a.kim", known_as=("4711",)).wrote(["9001; 4711"]), Author(name="4711").wrote(["4711"])
        (True, False)
        """
        names = [name for name in self.known_as if name.strip()]
        return bool(names) and is_author(ProtocolReader(name=names[0], known_as=names), readers)


def learning_problems(text: str, finding: str) -> Iterator[str]:
    """Yield what is wrong with a learning point; no word of it is repeated."""
    if not text.strip():
        yield "it needs a text"
    yield from finding_problems(finding)


def without_names(text: str, names: Iterable[str]) -> str:
    """A text in which names that are known are replaced. Names that nobody told the service stay.

    >>> without_names("Told Dr. Miller of accession A1007.", ["Miller", "A1007", "CT"])
    'Told Dr. [removed] of accession [removed].'
    """
    known = sorted({name.strip() for name in names if len(name.strip()) >= _SHORTEST_NAME}, key=lambda name: -len(name))
    if not known:
        return text
    alternatives = "|".join(map(re.escape, known))
    return re.sub(rf"(?<!\w)(?:{alternatives})(?!\w)", _REMOVED, text, flags=re.IGNORECASE)
