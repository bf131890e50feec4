"""The review form: what was filled in, what of it is amiss, and the verdicts that it comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeVar

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.domain.review import Radpeer, Verdict, VerdictKind
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary

__all__ = [
    "ANOTHER",
    "ENTRIES",
    "LONGEST",
    "NEXT",
    "EntryDraft",
    "Given",
    "Problem",
    "ReviewDraft",
    "draft_of",
    "given_of",
    "too_long",
]

ANOTHER: Final = "another"
"""Value of the button that asks for room for one more discrepancy."""

NEXT: Final = "next"
"""Value of the button that confirms and opens the next pair."""

ENTRIES: Final = 20
"""Discrepancies that one review can add."""

LONGEST: Final = 4000
"""Characters of what somebody says in their words."""

_BARE: Final = (VerdictKind.AGREE, VerdictKind.DISAGREE)
"""Verdicts that change nothing of a discrepancy."""

_Choice = TypeVar("_Choice", VerdictKind, ErrorCategory, Severity, Radpeer)


@frozen(kw_only=True)
class EntryDraft:
    """Values of the fields about one discrepancy; the fields' names begin with ``key``."""

    key: str
    kind: str = ""
    category: str = ""
    severity: str = ""
    finding: str = ""
    reason: str = field(default="", repr=False)

    @property
    def is_blank(self) -> bool:
        """True if nothing was filled in."""
        return not (self.kind or self.category or self.severity or self.finding or self.reason)


@frozen(kw_only=True)
class ReviewDraft:
    """A review form as it was filled in.

    Attributes:
        listed: about the discrepancies of the result, in its order.
        added: discrepancies that the reviewer adds; the form has a field for each.
    """

    listed: tuple[EntryDraft, ...] = field(default=(), converter=in_tuple)
    added: tuple[EntryDraft, ...] = field(default=(), converter=in_tuple)
    radpeer: str = ""
    comment: str = field(default="", repr=False)

    @property
    def is_blank(self) -> bool:
        """True if nothing was filled in."""
        return not (self.radpeer or self.comment) and all(entry.is_blank for entry in (*self.listed, *self.added))


@frozen
class Problem:
    """A problem with a field, and the id of the field."""

    field: str
    words: str


@frozen(kw_only=True)
class Given:
    """Outcome of a review form."""

    verdicts: tuple[Verdict, ...] = field(converter=in_tuple)
    radpeer: Radpeer | None
    comment: str = field(repr=False)
    problems: tuple[Problem, ...] = field(converter=in_tuple)


def draft_of(form: Mapping[str, str], discrepancies: int) -> ReviewDraft:
    """The form as it was filled in.

    Args:
        form: its fields; an empty one for a form that nobody has touched.
        discrepancies: that the result lists.
    """
    asked = 1 + (form.get("action") == ANOTHER)
    added = [_entry(form, f"added-{index}") for index in range(ENTRIES)]
    filled = max((index + 1 for index, entry in enumerate(added) if not entry.is_blank), default=0)
    room = max(filled + asked - 1, 1)
    return ReviewDraft(
        listed=[_entry(form, f"listed-{index}") for index in range(discrepancies)],
        added=added[: min(room, ENTRIES)],
        radpeer=form.get("radpeer", ""),
        comment=_words(form, "comment"),
    )


def given_of(draft: ReviewDraft, vocabulary: Vocabulary, *, asks_radpeer: bool = True) -> Given:
    """The verdicts of a form, and everything that keeps it from being one; without a score where it asks for none."""
    problems: list[Problem] = []
    verdicts = [
        _verdict(entry, index, vocabulary, problems) for index, entry in enumerate(draft.listed) if not entry.is_blank
    ]
    verdicts += [_verdict(entry, None, vocabulary, problems) for entry in draft.added if not entry.is_blank]
    problems += too_long(draft)
    radpeer = _choice(Radpeer, draft.radpeer) if asks_radpeer else None
    if not (verdicts or radpeer or draft.comment):
        place, other = ("radpeer", "give a RADPEER score") if asks_radpeer else ("comment", "write a comment")
        problems.append(Problem(place, f"There is nothing to confirm: judge a discrepancy, or {other}."))
    return Given(verdicts=verdicts, radpeer=radpeer, comment=draft.comment, problems=problems)


def too_long(draft: ReviewDraft) -> Iterator[Problem]:
    """Yields problems of texts that are too long; a person's words must not be cut."""
    entries = (*draft.listed, *draft.added)
    written = [("comment", draft.comment), *((f"{entry.key}-reason", entry.reason) for entry in entries)]
    return (Problem(name, f"Write {LONGEST:,} characters at most.") for name, words in written if len(words) > LONGEST)


def _entry(form: Mapping[str, str], key: str) -> EntryDraft:
    return EntryDraft(
        key=key,
        kind=form.get(f"{key}-kind", ""),
        category=form.get(f"{key}-category", ""),
        severity=form.get(f"{key}-severity", ""),
        finding=_words(form, f"{key}-finding"),
        reason=_words(form, f"{key}-reason"),
    )


def _words(form: Mapping[str, str], name: str) -> str:
    """The text of a field; browsers send two characters for the end of a line, and count it as one.

    Of a text that is too long, just enough is kept to show that it is.
    """
    return form.get(name, "").replace("\r\n", "\n").strip()[: LONGEST + 1]


def _verdict(entry: EntryDraft, index: int | None, vocabulary: Vocabulary, problems: list[Problem]) -> Verdict:
    """The verdict of the fields about one discrepancy; ``index`` is None for one that is added."""
    kind = VerdictKind.AMEND if index is None else _choice(VerdictKind, entry.kind)
    amends = kind is VerdictKind.AMEND
    category = _choice(ErrorCategory, entry.category) if amends else None
    severity = _choice(Severity, entry.severity) if amends else None
    finding = vocabulary.id_of(entry.finding) if amends and entry.finding else ""
    if kind is None:
        problems.append(Problem(f"{entry.key}-kind", "Say whether you agree, disagree or amend."))
    if kind is not VerdictKind.AGREE and not entry.reason:
        problems.append(Problem(f"{entry.key}-reason", "Give a reason."))
    if kind in _BARE and (entry.category or entry.severity or entry.finding):
        message = "Category, severity and finding belong to an amendment: choose Amend, or clear them."
        problems.append(Problem(f"{entry.key}-category", message))
    if finding is None:
        near = ", ".join(vocabulary.near(entry.finding, 3))
        message = f"The lexicon has no such finding{f'; did you mean {near}?' if near else '.'}"
        problems.append(Problem(f"{entry.key}-finding", message))
    if index is None and not category:
        problems.append(Problem(f"{entry.key}-category", "Say what is wrong."))
    if index is None and not severity:
        problems.append(Problem(f"{entry.key}-severity", "Say how grave it is."))
    if index is not None and amends and not (category or severity or entry.finding):
        problems.append(Problem(f"{entry.key}-category", "Say what it should be: category, severity or finding."))
    return Verdict(
        discrepancy=index,
        kind=kind or VerdictKind.DISAGREE,
        category=category,
        severity=severity,
        finding=finding or "",
        reason=entry.reason,
    )


def _choice(kind: type[_Choice], value: str) -> _Choice | None:
    return kind(value) if value in {choice.value for choice in kind} else None
