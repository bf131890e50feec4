"""Rates of concordance: how often both versions of a report say the same, as far as it matters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from attrs import define, field, frozen

from overread.application.statistics.estimating import Estimate
from overread.application.statistics.proportions import Share
from overread.application.statistics.tabulation import Cell, Column, Forest, ForestRow, Table, Tabulation
from overread.domain.differences.edits import EditType
from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.grouping import Grouping, GroupNames, Tally, tallies_of
from overread.hospital.application.ports import EditTally
from overread.hospital.application.requests import PairState, WorklistRow
from overread.hospital.domain.audit_signal import SIGNAL
from overread.hospital.domain.review import Radpeer

__all__ = [
    "UNTOLD",
    "EditRate",
    "GroupRates",
    "RadpeerCounts",
    "Rates",
    "radpeer_counts_of",
    "rates_of",
    "rates_of_tallies",
]

UNTOLD: Final = "not given"
"""Title of a group whose name the source does not give."""

_NOTHING: Final = Estimate(None)
_NAMES: Final = 10_000
"""Names of groups that are kept while tallies are added up."""

_WARNING: Final = (
    f"A {SIGNAL}: what is counted as read is what the program found, and what is confirmed is what reviewers said."
)
_MISSING: Final = (
    "Pairs without a score are in no rate as read, and reviews without a RADPEER score in no confirmed rate. "
    "Differences between groups are also differences between the cases that they read."
)
_READ: Final = (
    "A pair of which little was read counts as concordant as read if nothing was found in that little: rows "
    "of the worklist and of exports show how much of each was read."
)
_CHOSEN: Final = (
    "The confirmed rates are of pairs that somebody chose to review, not of a drawn sample: they say nothing "
    "about the others."
)
_WEIGHTED: Final = "Each pair of the sample stands for as many as it was drawn from; intervals take that into account."


@frozen(kw_only=True)
class GroupRates:
    """The rates of one group of pairs.

    Attributes:
        name: of the group; "" where the source did not tell.
        pairs: in the group, or in the sample of it.
        stands_for: how many pairs those stand for; equal to ``pairs`` without a sample.
        scored, unscored, waiting: of the pairs; they sum to ``pairs``.
        concordant: share of the scored pairs in which the program found no significant discrepancy, on [0, 1], higher
            is better, with its 95 % interval.
        reviewed: pairs with a RADPEER score that a person confirmed.
        confirmed: share of these that are concordant (`Radpeer.is_concordant`), on [0, 1], higher is better, with its
            95 % interval.
        major: share of the scored pairs whose gravest significant discrepancy is urgent or actionable, on [0, 1], lower
            is better, with its 95 % interval.
        major_confirmed: share of the reviewed pairs with a score that is major (`Radpeer.is_major`), likewise.
        radpeer: reviewed pairs by their score.
    """

    name: str
    pairs: int
    stands_for: float
    scored: int
    unscored: int
    waiting: int
    concordant: Estimate
    reviewed: int
    confirmed: Estimate
    major: Estimate = _NOTHING
    major_confirmed: Estimate = _NOTHING
    radpeer: Mapping[str, int] = field(factory=dict)

    @property
    def title(self) -> str:
        """Name of the group for people."""
        return self.name or UNTOLD


@frozen(kw_only=True)
class EditRate:
    """Edits of one type in near copies: pairs whose reference was made of their candidate.

    Attributes:
        type: of the edits.
        edits: number of them; of a sample, the number that they stand for, as is every number here.
        pairs: near copies with one or more.
        near_copies: in which edits were looked for; pairs that were scored before edits were counted are none.
    """

    type: EditType
    edits: float
    pairs: float
    near_copies: float

    @property
    def share(self) -> float:
        """Share of the near copies that have such an edit, on [0, 1]."""
        return self.pairs / self.near_copies


@frozen(kw_only=True)
class Rates:
    """Rates of concordance of everything and by groups.

    Attributes:
        overall: of all pairs.
        groups: by what they were asked for, in order of the groups' names; one group less where a pair has none.
        sample: number of the drawn sample that the pairs are of; None for all pairs that were found.
        edits: by type, of the pairs that are near copies; none where none is.
    """

    overall: GroupRates
    groups: tuple[tuple[Grouping, tuple[GroupRates, ...]], ...] = field(converter=in_tuple)
    sample: int | None = None
    edits: tuple[EditRate, ...] = field(default=(), converter=in_tuple)

    def by(self, grouping: Grouping) -> tuple[GroupRates, ...]:
        """The groups of one kind. Raises `KeyError` where it was not asked for."""
        return dict(self.groups)[grouping]

    def tabulation(self) -> Tabulation:
        """Tables and forest plots that every view can show; no text of a report is in them."""
        every = (("all", "All pairs", (self.overall,)), *((by.value, f"By {by.words}", of) for by, of in self.groups))
        return Tabulation(
            name="concordance",
            title="Rates of concordance",
            tables=(
                *(
                    table
                    for name, title, groups in every
                    for table in (
                        _table(name, title, groups, is_sample=self.sample is not None),
                        _major_table(name, title, groups),
                    )
                ),
                *([_edit_table(self.edits)] if self.edits else []),
            ),
            plots=tuple(_forest(name, title, groups) for name, title, groups in every[1:] if groups),
            facts={"pairs": self.overall.pairs} | ({} if self.sample is None else {"sample": str(self.sample)}),
            notes=(_WARNING, _MISSING, _READ, _CHOSEN if self.sample is None else _WEIGHTED),
        )


@frozen(kw_only=True)
class RadpeerCounts:
    """Reviewed pairs by RADPEER score, in one month of examinations at one site, by one modality.

    Attributes:
        month: of the examinations, in the site's time zone; "" where it is not known.
        site, modality: of the examinations.
        pairs: that there are, withdrawn ones left out.
        reviewed: of these with a confirmed score.
        radpeer: of these by score.
    """

    month: str
    site: str
    modality: str
    pairs: int
    reviewed: int
    radpeer: Mapping[str, int]


def radpeer_counts_of(tallies: Iterable[Tally], names: GroupNames) -> list[RadpeerCounts]:
    """Counts by month, site and modality, in that order.

    Args:
        tallies: by `Grouping.EXAMINATION_MONTH`, `Grouping.SITE` and `Grouping.MODALITY`.
        names: of groups.
    """
    sums: dict[tuple[str, str, str], _Sums] = {}
    for tally in tallies:
        month, site, modality = tally.names
        group = (names.name(Grouping.EXAMINATION_MONTH, month), site, modality)
        sums.setdefault(group, _Sums()).count(tally)
    return [
        RadpeerCounts(
            month=group[0],
            site=group[1],
            modality=group[2],
            pairs=sum(of.states.values()),
            reviewed=of.confirmed.rows,
            radpeer=dict(of.radpeer),
        )
        for group, of in sorted(sums.items())
    ]


def rates_of(
    rows: Iterable[WorklistRow],
    *,
    by: Sequence[Grouping] = (),
    sample: int | None = None,
    names: GroupNames | None = None,
) -> Rates:
    """Rates over rows of a worklist, each with the number of pairs that it stands for; else as `rates_of_tallies`."""
    return rates_of_tallies(tallies_of(rows, by), by=by, sample=sample, names=names)


def rates_of_tallies(
    tallies: Iterable[Tally],
    *,
    by: Sequence[Grouping] = (),
    sample: int | None = None,
    names: GroupNames | None = None,
    edits: Iterable[EditTally] = (),
) -> Rates:
    """Rates over pairs that were counted by what is alike in them, which are gone through once.

    Args:
        tallies: named by those groupings, in that order.
        by: what to group by, besides everything together.
        sample: number of the drawn sample that the pairs are of.
        names: of groups; in UTC, and without groups of authors, where omitted.
        edits: of the same pairs.
    """
    overall = _Sums()
    groups: list[defaultdict[str, _Sums]] = [defaultdict(_Sums) for _ in by]
    for tally in _named(tallies, by, names or GroupNames()):
        overall.count(tally)
        for sums, name in zip(groups, tally.names, strict=True):
            sums[name].count(tally)
    return Rates(
        overall=overall.rates("all"),
        groups=tuple(
            (grouping, tuple(sums[name].rates(name) for name in sorted(sums)))
            for grouping, sums in zip(by, groups, strict=True)
        ),
        sample=sample,
        edits=[
            EditRate(type=tally.type, edits=tally.edits, pairs=tally.pairs, near_copies=tally.near_copies)
            for tally in edits
        ],
    )


def _named(tallies: Iterable[Tally], by: Sequence[Grouping], names: GroupNames) -> Iterator[Tally]:
    """Tallies by the names of their groups: of many keys of a month, each with few pairs, few tallies are left."""
    name_of = lru_cache(maxsize=_NAMES)(names.name)
    sums: dict[tuple[Any, ...], int] = {}
    for tally in tallies:
        named = tuple(map(name_of, by, tally.names))
        alike = (named, tally.state, tally.concordant, tally.major, tally.radpeer, tally.weight)
        sums[alike] = sums.get(alike, 0) + tally.pairs
    for (named, state, concordant, major, radpeer, weight), pairs in sums.items():
        yield Tally(
            names=named,
            state=state,
            concordant=concordant,
            major=major,
            radpeer=radpeer,
            weight=weight,
            pairs=pairs,
        )


@define
class _Sums:
    """Counts of a group."""

    weight: float = 0.0
    states: dict[PairState, int] = field(factory=lambda: dict.fromkeys(PairState, 0))
    concordant: Share = field(factory=Share)
    confirmed: Share = field(factory=Share)
    major: Share = field(factory=Share)
    major_confirmed: Share = field(factory=Share)
    radpeer: dict[str, int] = field(factory=lambda: {score.value: 0 for score in Radpeer})

    def count(self, tally: Tally) -> None:
        self.weight += tally.weight * tally.pairs
        self.states[tally.state] += tally.pairs
        if tally.state is PairState.SCORED:
            self.concordant.count(tally.concordant, tally.weight, rows=tally.pairs)
            self.major.count(tally.major, tally.weight, rows=tally.pairs)
        if tally.radpeer is not None:
            self.confirmed.count(tally.radpeer.is_concordant, tally.weight, rows=tally.pairs)
            self.major_confirmed.count(tally.radpeer.is_major, tally.weight, rows=tally.pairs)
            self.radpeer[tally.radpeer.value] += tally.pairs

    def rates(self, name: str) -> GroupRates:
        return GroupRates(
            name=name,
            pairs=sum(self.states.values()),
            stands_for=self.weight,
            scored=self.states[PairState.SCORED],
            unscored=self.states[PairState.UNSCORED],
            waiting=self.states[PairState.WAITING],
            concordant=self.concordant.estimate,
            reviewed=self.confirmed.rows,
            confirmed=self.confirmed.estimate,
            major=self.major.estimate,
            major_confirmed=self.major_confirmed.estimate,
            radpeer=dict(self.radpeer),
        )


def _table(name: str, title: str, groups: Sequence[GroupRates], *, is_sample: bool) -> Table:
    cells: dict[Column, Callable[[GroupRates], Cell]] = {
        Column(name="group", title="Group"): lambda group: group.title,
        Column(name="pairs", title="Pairs"): lambda group: group.pairs,
        Column(name="stands_for", title="Stand for", digits=0): lambda group: group.stands_for,
        Column(name="scored", title="Scored"): lambda group: group.scored,
        Column(name="unscored", title="Unscored"): lambda group: group.unscored,
        Column(name="waiting", title="Waiting"): lambda group: group.waiting,
        Column(name="concordant", title="As read", digits=1, percent=True): lambda group: group.concordant,
        Column(name="reviewed", title="With RADPEER"): lambda group: group.reviewed,
        Column(name="confirmed", title="Confirmed", digits=1, percent=True): lambda group: group.confirmed,
    }
    shown = {column: cell for column, cell in cells.items() if is_sample or column.name != "stands_for"}
    return Table(
        name=name,
        title=title,
        columns=tuple(shown),
        rows=tuple(tuple(cell(group) for cell in shown.values()) for group in groups),
        note="Concordance with 95 % intervals, higher is better. As read: share of the scored pairs without a"
        " significant discrepancy. Confirmed: share of the pairs with RADPEER, a score that a"
        " person confirmed, that have 1 or 2a.",
    )


def _major_table(name: str, title: str, groups: Sequence[GroupRates]) -> Table:
    return Table(
        name=f"{name}-major",
        title=f"{title}: major discordance",
        columns=(
            Column(name="group", title="Group"),
            Column(name="major", title="As read", digits=1, percent=True),
            Column(name="major_confirmed", title="Confirmed", digits=1, percent=True),
            *(Column(name=f"radpeer_{score.value}", title=score.value) for score in Radpeer),
        ),
        rows=tuple(
            (group.title, group.major, group.major_confirmed, *(group.radpeer.get(score.value, 0) for score in Radpeer))
            for group in groups
        ),
        note="Major discordance with 95 % intervals, lower is better. As read: share of the scored pairs whose gravest"
        " significant discrepancy is urgent or actionable. Confirmed: share of the pairs with RADPEER that have"
        " 2b or 3b. Then pairs by RADPEER score.",
    )


def _edit_table(edits: Sequence[EditRate]) -> Table:
    columns = (
        Column(name="edit", title="Edit"),
        Column(name="edits", title="Edits", digits=0),
        Column(name="pairs", title="Near copies with one", digits=0),
        Column(name="near_copies", title="Near copies", digits=0),
        Column(name="share", title="Share", digits=1, percent=True),
    )
    return Table(
        name="edits",
        title="By type of edit",
        columns=columns,
        rows=tuple((rate.type.value, rate.edits, rate.pairs, rate.near_copies, rate.share) for rate in edits),
        note="Of pairs whose reference was made of the candidate. Style: sentences changed without a discrepancy.",
    )


def _forest(name: str, title: str, groups: Sequence[GroupRates]) -> Forest:
    kinds = (("as read", [group.concordant for group in groups]), ("confirmed", [group.confirmed for group in groups]))
    return Forest(
        name=f"{name}-forest",
        title=title,
        x_title="share concordant",
        percent=True,
        rows=tuple(
            ForestRow(group.title, estimate, group=kind)
            for kind, estimates in kinds
            for group, estimate in zip(groups, estimates, strict=True)
            if estimate.value is not None
        ),
    )
