"""The worklist as a page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import evolve, field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.requests import Search, WorklistPage, WorklistRow
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages.filters import FILTERS, Asked, Chip, Filter, chips, query_of, values_of
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.infrastructure.views.wording import one_line

__all__ = ["WORKLIST", "Neighbours", "RowView", "WorklistView", "neighbours", "row_views", "worklist_view"]

WORKLIST: Final = "/worklist"

_DIGITS: Final = 2


@frozen(kw_only=True)
class RowView:
    """One pair of the list in words.

    Attributes:
        address: of its page, which knows the list that it was reached from.
        differs: how many discrepancies, or why there is no score; ``findings`` what the first are about.
        risk: "" without one.
        weight: how many pairs it stands for; "" outside a sample.
    """

    pair: int
    address: str
    badge: words.Badge
    accession: str
    site: str
    examination: str
    kind: str
    arrived: str
    arrived_iso: str
    who: str
    differs: str
    findings: str
    risk: str
    review: str
    radpeer: str
    weight: str


@frozen(kw_only=True)
class WorklistView:
    """A page of the worklist.

    Attributes:
        values: of the form, by the names of its filters.
        chips: filters that are set.
        told: how many pairs there are and which of them are shown, in words.
        following, first: addresses of the next rows and of the first ones, "" where there are none, or they are shown.
        is_sample: whether a drawn sample is shown, whose pairs stand for others.
        suggestions: values that occur in the rows, by the filter that takes them.
    """

    rows: tuple[RowView, ...] = field(converter=in_tuple)
    filters: tuple[Filter, ...] = FILTERS
    values: dict[str, str]
    chips: tuple[Chip, ...] = field(converter=in_tuple)
    problems: tuple[str, ...] = field(converter=in_tuple)
    told: str
    following: str
    first: str
    query: str
    is_sample: bool
    suggestions: dict[str, list[str]]

    @property
    def more_set(self) -> int:
        """Filters that are set and do not stand in the first row."""
        return sum(
            criterion.name in self.values
            for criterion in self.filters
            if not criterion.first and criterion.input != "hidden"
        )


def worklist_view(page: WorklistPage, asked: Asked, vocabulary: Vocabulary) -> WorklistView:
    """A page of the worklist in words, with the addresses that lead on from it."""
    search = asked.search
    plain = evolve(search, after=None)
    values = values_of(plain, vocabulary)
    query = query_of(plain, vocabulary)
    return WorklistView(
        rows=row_views(page.rows, search, vocabulary),
        values=values,
        chips=chips(plain, vocabulary, WORKLIST),
        problems=asked.problems,
        told=_describe_page(page, search),
        following=_address(WORKLIST, query_of(evolve(search, after=page.next), vocabulary)) if page.next else "",
        first=_address(WORKLIST, query) if search.after else "",
        query=query,
        is_sample=search.sample is not None,
        suggestions=_suggestions(page.rows),
    )


def row_views(rows: Sequence[WorklistRow], search: Search, vocabulary: Vocabulary) -> list[RowView]:
    """Rows in words; each leads to its pair and tells it the list that it stands in."""
    return [
        RowView(
            pair=row.pair,
            address=f"/pairs/{row.pair}?{query_of(search, vocabulary, at=at)}",
            badge=words.badge_of(row),
            accession=one_line(row.examination.accession) or f"pair {row.pair}",
            site=one_line(row.examination.site),
            examination=words.examination_words(row.examination),
            kind=words.KINDS[row.kind],
            arrived=words.moment(row.arrived),
            arrived_iso=row.arrived.isoformat(),
            who=words.who(row.reader, row.model),
            differs=words.differs(row),
            findings=words.first_of([vocabulary.finding_name(finding) for finding in row.findings]),
            risk="" if row.risk is None else f"{row.risk:.{_DIGITS}f}",
            review=words.REVIEWS[row.review],
            radpeer=f"RADPEER {row.radpeer.value}" if row.radpeer is not None else "",
            weight=f"{row.weight:.3g}" if search.sample is not None else "",
        )
        for at, row in enumerate(rows)
    ]


@frozen
class Neighbours:
    """Addresses of the pairs before and after one in its list; "" at an end."""

    before: str
    following: str


def neighbours(page: WorklistPage, search: Search, number: int, at: int, vocabulary: Vocabulary) -> Neighbours:
    """Neighbours of a pair in the page of the list that it was reached from.

    Args:
        page: of the list, as it is now.
        search: that found it.
        number: of the pair.
        at: where in the page the pair was; it may have left the list since, as unreviewed ones do once reviewed.
        vocabulary: of the lexicon.
    """
    numbers = [row.pair for row in page.rows]
    addresses = [view.address for view in row_views(page.rows, search, vocabulary)]
    if number in numbers:
        before, after = numbers.index(number) - 1, numbers.index(number) + 1
    elif at <= len(numbers):
        before, after = at - 1, at
    else:
        return Neighbours("", "")
    following = addresses[after] if after < len(addresses) else ""
    if not following and page.next:
        following = _address(WORKLIST, query_of(evolve(search, after=page.next), vocabulary))
    return Neighbours(addresses[before] if before >= 0 else "", following)


def _describe_page(page: WorklistPage, search: Search) -> str:
    total = words.pairs_words(page.total)
    if not page.rows:
        return "No pairs."
    if len(page.rows) == page.total:
        return f"{total}."
    return f"{total}, {'the next' if search.after else 'the first'} {len(page.rows)} of them here."


def _suggestions(rows: Sequence[WorklistRow]) -> dict[str, list[str]]:
    examinations = [row.examination for row in rows]
    columns = {
        "site": [examination.site for examination in examinations],
        "modality": [examination.modality for examination in examinations],
        "device": [examination.device for examination in examinations],
        "reader": [row.reader for row in rows],
        "model": [row.model for row in rows],
    }
    return {name: sorted({one_line(value) for value in values if value}) for name, values in columns.items()}


def _address(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path
