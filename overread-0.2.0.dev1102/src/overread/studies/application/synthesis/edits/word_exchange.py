"""The words that rules exchange, and how they are put into a text: in its case, and as whole words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from attrs import frozen

from overread.domain.reports.report import Span
from overread.studies.application.synthesis.edits.edit import Change
from overread.studies.application.synthesis.vocabulary import any_of, load_table, match_case

__all__ = ["AddedFinding", "Harmless", "Table", "Wording", "exchanges", "load_wording", "places_of", "region_of"]

Table = Mapping[str, Sequence[str]]
"""Words in lower case, and what may stand in their place."""

_LEAST_WORDS: Final = 2
"""Words of a region that a report must have, and more than of any other."""


@frozen
class AddedFinding:
    """Sentences that assert one finding, the region in which it is seen, and statements it cannot stand beside."""

    finding: str
    region: str
    text: tuple[str, ...]
    not_beside: tuple[str, ...] = ()


@frozen
class Harmless:
    """Sentences that say nothing of note of one region, and beside what they stand."""

    region: str
    near: tuple[str, ...]
    text: tuple[str, ...]


@frozen
class Doubt:
    """Words of doubt: those that are dropped, those that are put in, and what drops or raises one in their place."""

    adjectives: tuple[str, ...]
    added: tuple[str, ...]
    removed: Table
    raised: Table


@frozen
class Wording:
    """Contents of ``wording.toml``; see there."""

    opposite: Mapping[str, Table]
    wrong: Mapping[str, Table]
    same: Mapping[str, Table]
    added: Mapping[str, Table]
    degree: Table
    course: Table
    doubt: Doubt
    idle: Table
    regions: Table
    finding: tuple[AddedFinding, ...]
    harmless: tuple[Harmless, ...]


@cache
def load_wording() -> Wording:
    """The shipped words."""
    return load_table("wording", Wording)


def places_of(words: Iterable[str], text: str, span: Span) -> Iterator[re.Match[str]]:
    """Yields matches of the words in a part of a text: whole words only, longer entries first."""
    yield from any_of(tuple(words), wrapped=True).finditer(text, span.start, span.end)


def exchanges(table: Table, text: str, span: Span) -> Iterator[Change]:
    """Every exchange of one entry of the table in a part of a text, each alternative for itself."""
    for match in places_of(table, text, span):
        for other in table[" ".join(match[0].lower().split())]:
            yield Change(match.start(), match.end(), match_case(other, text, match.start(), match[0]))


def region_of(text: str) -> str:
    """The region of the body that a report is about; "" where that is not plain.

    >>> region_of("The lungs are clear. No pleural effusion."), region_of("No change.")
    ('chest', '')
    """
    whole = Span(0, len(text))
    word_counts = Counter(
        {
            region: len({match[0].lower() for match in places_of(words, text, whole)})
            for region, words in load_wording().regions.items()
        }
    )
    (first, most), (_, next_most) = word_counts.most_common(2)
    return first if most >= _LEAST_WORDS and most > next_most else ""
