"""Filters of the worklist: parameters of an address, a search, and the form that shows both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlencode

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.requests import Order, PairState, Search, Withdrawn
from overread.hospital.domain.review import Radpeer, ReviewState
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.infrastructure.views.wording import one_line

__all__ = ["FILTERS", "Asked", "Chip", "Filter", "chips", "query_of", "read_search", "values_of"]

_LONGEST: Final = 200


@frozen(kw_only=True)
class Filter:
    """One thing that can be asked for.

    Attributes:
        name: parameter of the address, and attribute of `Search`.
        label: heading in the form.
        input: "select", "text", "date", "number" or "hidden".
        choices: values and their words.
        first: whether it stands in the first row of the form.
        hint: what stands beside the label.
    """

    name: str
    label: str
    input: str = "text"
    choices: Mapping[str, str] = field(factory=dict)
    first: bool = False
    hint: str = ""
    read: Callable[[str, Vocabulary], Any]
    write: Callable[[Any, Vocabulary], str]


@frozen(kw_only=True)
class Asked:
    """A search as far as it can be understood, and what of it cannot."""

    search: Search
    problems: tuple[str, ...] = field(default=(), converter=in_tuple)


@frozen(kw_only=True)
class Chip:
    """One filter that is set: what it says, and the address without it."""

    label: str
    words: str
    address: str


def read_search(parameters: Mapping[str, str], vocabulary: Vocabulary) -> Asked:
    """The search that the parameters of an address ask for; what cannot be understood is left out and told."""
    values: dict[str, Any] = {}
    problems = []
    for criterion in FILTERS:
        value = parameters.get(criterion.name, "").strip()
        try:
            values |= {criterion.name: criterion.read(value[:_LONGEST], vocabulary)} if value else {}
        except ValueError as error:
            problems.append(f"\u201c{criterion.label}\u201d {error}; it is ignored.")
    if (low := values.get("min_risk", 0.0)) > values.get("max_risk", 1.0):
        problems.append(
            f"No risk is both {low:g} or more and {values.pop('max_risk'):g} or less; the upper limit is ignored."
        )
    if "since" in values and "until" in values and values["since"] >= values["until"]:
        problems.append("The first day is after the last one, which is ignored.")
        del values["until"]
    after = parameters.get("after", "") or None
    return Asked(search=Search(**values, after=after), problems=problems)


def query_of(search: Search, vocabulary: Vocabulary, **more: object) -> str:
    """The parameters that ask for a search, as an address has them after its question mark; ``more`` come last."""
    written = values_of(search, vocabulary)
    written |= {"after": search.after} if search.after else {}
    return urlencode(written | {name: str(value) for name, value in more.items()})


def values_of(search: Search, vocabulary: Vocabulary) -> dict[str, str]:
    """Values in the form, by name; filters that are not set are left out, and so is the usual order."""
    given = ((criterion, getattr(search, criterion.name)) for criterion in FILTERS)
    return {
        criterion.name: criterion.write(value, vocabulary)
        for criterion, value in given
        if value not in (None, Order.IMPORTANCE)
    }


def chips(search: Search, vocabulary: Vocabulary, path: str) -> list[Chip]:
    """The filters that are set, each with a way to be rid of it. The order is none."""
    given = values_of(search, vocabulary)
    return [
        Chip(
            label=criterion.label,
            words=one_line(criterion.choices.get(given[criterion.name], given[criterion.name])),
            address=f"{path}?{urlencode({name: value for name, value in given.items() if name != criterion.name})}",
        )
        for criterion in FILTERS
        if criterion.name in given and criterion.name != "order"
    ]


def _choice(name: str, label: str, kind: type[StrEnum], named: Iterable[tuple[StrEnum, str]], **how: Any) -> Filter:
    def read(value: str, _: Vocabulary) -> StrEnum:
        try:
            return kind(value)
        except ValueError:
            raise ValueError("is not one of the choices") from None

    choices = {choice.value: text for choice, text in named}
    return Filter(name=name, label=label, input="select", choices=choices, read=read, write=_plain, **how)


def _text(name: str, label: str, **how: Any) -> Filter:
    return Filter(name=name, label=label, read=lambda value, _: value, write=_plain, **how)


def _number(name: str, label: str) -> Filter:
    return Filter(name=name, label=label, input="number", read=_risk, write=lambda value, _: f"{value:g}")


def _day(name: str, label: str, days: int) -> Filter:
    """A day as people mean it; ``days`` later is where the search's half-open interval has its bound."""
    later = timedelta(days=days)

    def read(value: str, _: Vocabulary) -> datetime:
        try:
            return datetime.combine(date.fromisoformat(value), time.min, UTC) + later
        except (ValueError, OverflowError):
            raise ValueError("is not a date such as 2026-03-31") from None

    return Filter(
        name=name, label=label, input="date", read=read, write=lambda at, _: (at - later).date().isoformat(), hint="UTC"
    )


def _hidden_filter(name: str, label: str) -> Filter:
    return Filter(name=name, label=label, input="hidden", read=_whole, write=_plain)


def _plain(value: object, _: Vocabulary) -> str:
    return str(value)


def _risk(value: str, _: Vocabulary) -> float:
    try:
        risk = float(value)
    except ValueError:
        risk = math.nan
    if not 0.0 <= risk <= 1.0:
        raise ValueError("is not a number from 0 to 1")
    return risk


def _whole(value: str, _: Vocabulary) -> int:
    if not (value.isascii() and value.isdigit()) or len(value) > 18:  # noqa: PLR2004 - what a store's integer holds
        raise ValueError("is not a number")
    return int(value)


def _finding(words_: str, vocabulary: Vocabulary) -> str:
    identity = vocabulary.id_of(words_)
    if identity is None:
        near = vocabulary.near(words_, 3)
        raise ValueError("is not in the lexicon" + (f" (did you mean {', '.join(near)}?)" if near else ""))
    return identity


FILTERS: Final = (
    _choice(
        "importance",
        "Importance",
        Importance,
        [(step, f"{step.words} or graver" if step is not Importance.URGENT else step.words) for step in Importance],
        first=True,
    ),
    _choice("review", "Review", ReviewState, words.REVIEWS.items(), first=True),
    _choice("kind", "Compared", PairKind, words.KINDS.items(), first=True),
    _text("accession", "Accession number", first=True),
    _choice("order", "Sorted by", Order, words.ORDERS.items(), first=True),
    _text("site", "Site"),
    _text("modality", "Modality", hint="CT, MR, ..."),
    _text("reader", "Reader"),
    _text("model", "Model"),
    _text("device", "Device"),
    _day("since", "From", 0),
    _day("until", "To", 1),
    _choice("category", "Category", ErrorCategory, words.CATEGORIES.items()),
    Filter(name="finding", label="Finding", read=_finding, write=lambda value, v: v.names.get(value, value)),
    _choice("severity", "Severity", Severity, words.SEVERITIES.items()),
    _number("min_risk", "Risk at least"),
    _number("max_risk", "Risk at most"),
    _choice("state", "State", PairState, words.STATES.items()),
    _choice("radpeer", "RADPEER", Radpeer, [(each, words.radpeer_words(each)) for each in Radpeer]),
    _choice("withdrawn", "Withdrawn pairs", Withdrawn, words.WITHDRAWN.items()),
    _hidden_filter("sample", "Sample"),
    _hidden_filter("batch", "Batch"),
)
"""What can be asked for, in the order of the form."""
