"""An examination in time: its versions as they arrived, and what each changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.domain.report_version import EARLY, FINISHED, KeptVersion, ReportStatus
from overread.hospital.domain.version_pairs import Doubt, DoubtReason
from overread.hospital.infrastructure.http.pages import words
from overread.infrastructure.views.wording import make_printable, one_line

__all__ = ["Change", "VersionView", "changes", "version_views"]

_TOKEN: Final = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_WORDS: Final = 6000
"""Words of two texts together up to which they are compared word by word, longer ones line by line up to so many lines:
the time it takes grows with the square."""

_MOST_ALIKE: Final = 50_000
"""Pairs of equal words up to which they are compared word by word, for the same reason. Reports of a thousand words
have a tenth of that."""


@frozen
class Change:
    """A stretch of a text: "same", "removed" or "added"."""

    kind: str
    text: str = field(repr=False)


@frozen(kw_only=True)
class VersionView:
    """A version in words.

    Attributes:
        changes: its text, with what it changed of the version before where there is one; empty where it is not kept.
        against: what it is compared with, "" for the first.
        notes: what is to be known of it.
    """

    number: int
    status: str
    who: str
    issued: str
    arrived: str
    arrived_iso: str
    source: str
    filler: str
    accessions: str
    changes: tuple[Change, ...] = field(converter=in_tuple, repr=False)
    against: str
    has_text: bool
    notes: tuple[str, ...] = field(converter=in_tuple)


def version_views(
    versions: Sequence[KeptVersion], doubts: Sequence[Doubt] = (), withdrawn: Collection[int] = ()
) -> list[VersionView]:
    """Versions as they arrived, each compared with the one before it that is still kept.

    An addendum stands beside its report, so it is compared with nothing; so is what is taken for one.
    """
    additions = {doubt.version for doubt in doubts if doubt.reason is DoubtReason.HOLDS_ADDITION_ALONE}
    views = []
    before: KeptVersion | None = None
    for entry in versions:
        own = entry.version
        alone = own.status in (ReportStatus.ADDENDUM, ReportStatus.CANCELLED) or entry.number in additions
        against = None if alone else before
        views.append(
            VersionView(
                number=entry.number,
                status=words.STATUSES[own.status],
                who=words.who(own.reader, own.model),
                issued=words.moment(own.issued),
                arrived=words.moment(entry.arrived),
                arrived_iso=entry.arrived.isoformat(),
                source=words.source_words(own.source),
                filler=one_line(own.filler),
                accessions=", ".join(one_line(key.accession) for key in own.keys),
                changes=changes(against.version.text.text if against else "", own.text.text) if entry.has_text else (),
                against=words.within(words.STATUSES[against.version.status]) if against else "",
                has_text=entry.has_text,
                notes=[
                    *_late(entry, versions),
                    *(["It was withdrawn."] if entry.number in withdrawn else []),
                    *(words.DOUBTS[doubt.reason] for doubt in doubts if doubt.version == entry.number),
                ],
            )
        )
        before = entry if entry.has_text and not alone else before
    return views


def changes(before: str, after: str) -> list[Change]:
    """The second text with what it adds to the first and what it leaves out; without the first, as it is.

    >>> [(change.kind, change.text) for change in changes("no effusion.", "small effusion.")]
    [('removed', 'no '), ('added', 'small '), ('same', 'effusion.')]
    """
    if not before:
        return [Change("same", make_printable(after))] if after else []
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if not _is_comparable(old, new):
        old, new = _LINE.findall(before), _LINE.findall(after)
    if not _is_comparable(old, new):
        old, new = [before], [after]
    return [Change(kind, make_printable(text)) for kind, text in _stretches(old, new) if text]


def _is_comparable(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether words, or lines, can be compared in a moment: also those of texts that repeat a few endlessly."""
    if len(old) + len(new) > _MOST_WORDS:
        return False
    counts = Counter(new)
    return sum(counts[word] for word in old) <= _MOST_ALIKE


def _stretches(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield "same", "".join(new[k:m])
            continue
        yield "removed", "".join(old[i:j])
        yield "added", "".join(new[k:m])


def _late(kept: KeptVersion, versions: Sequence[KeptVersion]) -> Iterator[str]:
    """A note where it was preliminary and came after a final one had arrived."""
    if kept.version.status in EARLY and any(
        other.version.status in FINISHED and other.number < kept.number for other in versions
    ):
        yield "It arrived after a final report and did not replace it."
