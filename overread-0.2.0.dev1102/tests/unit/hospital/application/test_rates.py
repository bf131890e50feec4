"""Rates of concordance: what they count, what they leave out, and how they are shown."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from overread.application.statistics.estimating import Estimate
from overread.application.statistics.proportions import wilson
from overread.domain.vocabulary.severity import Importance
from overread.hospital.application.grouping import Grouping, GroupNames
from overread.hospital.application.rates import rates_of
from overread.hospital.application.requests import PairState
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.review import Radpeer
from overread.hospital.domain.version_pairs import PairKind
from overread.infrastructure.views.tabulations import tabulation_record
from overread.infrastructure.views.terminal.tabulation import show_tabulation

from .rows import row


def test_what_is_missing_is_told_and_never_counted_as_concordant() -> None:
    """Of six pairs four are scored, three without a significant discrepancy: 3 of 4, not 5 of 6."""
    rows = [
        row(1),
        row(2),
        row(3, insignificant=2),
        row(4, significant=1),
        row(5, state=PairState.UNSCORED, reason="empty"),
        row(6, state=PairState.WAITING),
    ]
    overall = rates_of(rows).overall
    assert (overall.pairs, overall.scored, overall.unscored, overall.waiting) == (6, 4, 1, 1)
    assert overall.concordant == Estimate(0.75, *wilson(0.75, 4))
    assert overall.confirmed == Estimate(None)


def test_confirmed_concordance_is_radpeer_1_and_2a() -> None:
    """Of those that a person gave a score; a pair that the program could not score counts too, once it has one."""
    scores = [Radpeer.CONCUR, Radpeer.UNDERSTANDABLE_INSIGNIFICANT, *list(Radpeer)[2:]]
    rows = [row(number, radpeer=score) for number, score in enumerate(scores)]
    rows += [row(9, radpeer=Radpeer.CONCUR, state=PairState.UNSCORED), row(10)]
    overall = rates_of(rows).overall
    assert (overall.reviewed, overall.pairs) == (6, 7)
    assert overall.confirmed.value == pytest.approx(3 / 6)


def test_groups_of_every_kind() -> None:
    """Each pair is in one group of each kind; one whose source did not tell is in the group without a name."""
    rows = [
        row(1, site="north", modality="CT", model="m1", arrived=datetime(2026, 2, 28, 23, 59, tzinfo=UTC)),
        row(2, site="south", modality="", reader="r", kind=PairKind.DRAFT_FINAL, significant=1),
    ]
    rates = rates_of(rows, by=list(Grouping))
    names = {grouping: [(group.name, group.pairs) for group in rates.by(grouping)] for grouping in Grouping}
    assert names == {
        Grouping.SITE: [("north", 1), ("south", 1)],
        Grouping.MODALITY: [("", 1), ("CT", 1)],
        Grouping.KIND: [("draft-final", 1), ("preliminary-final", 1)],
        Grouping.MODEL: [("", 1), ("m1", 1)],
        Grouping.READER: [("", 1), ("r", 1)],
        Grouping.MONTH: [("2026-02", 1), ("2026-03", 1)],
        Grouping.EXAMINATION_MONTH: [("", 2)],
        Grouping.AUTHOR_GROUP: [("", 2)],
    }
    assert [group.concordant.value for group in rates.by(Grouping.SITE)] == [1.0, 0.0]


def test_a_month_is_that_of_the_examination_in_its_sites_time_zone() -> None:
    """Half past ten in the evening in UTC is the next day in Berlin, and the same day in New York."""
    evening = datetime(2026, 3, 31, 22, 30, tzinfo=UTC)
    rows = [
        row(1, examination=Examination(site="north", accession="1", performed=evening)),
        row(2, examination=Examination(site="west", accession="2", performed=evening)),
        row(3, examination=Examination(site="north", accession="3", performed=datetime(2026, 3, 15, tzinfo=UTC))),
        row(4, examination=Examination(site="north", accession="4")),
    ]
    names = GroupNames(zone="Europe/Berlin", site_zones={"west": "America/New_York"})
    rates = rates_of(rows, by=[Grouping.EXAMINATION_MONTH], names=names)
    groups = [(group.name, group.pairs) for group in rates.by(Grouping.EXAMINATION_MONTH)]
    assert groups == [("", 1), ("2026-03", 2), ("2026-04", 1)]


def test_authors_are_told_by_their_group() -> None:
    """Never by name: who is in no group is counted with all such."""
    rows = [row(1, reader="a"), row(2, reader="b", significant=1), row(3, reader="c"), row(4, reader="x")]
    names = GroupNames(author_groups=dict.fromkeys("abc", "residents"))
    [others, residents] = rates_of(rows, by=[Grouping.AUTHOR_GROUP], names=names).by(Grouping.AUTHOR_GROUP)
    assert (others.name, others.pairs, residents.name, residents.pairs) == ("", 1, "residents", 3)


def test_major_discordance_stands_beside_concordance() -> None:
    """As read: the gravest is urgent or actionable. Confirmed: RADPEER 2b or 3b; each score is counted as well."""
    rows = [
        row(1, significant=1, importance=Importance.URGENT, radpeer=Radpeer.EXPECTED_SIGNIFICANT),
        row(2, significant=1, importance=Importance.ACTIONABLE, radpeer=Radpeer.UNDERSTANDABLE_SIGNIFICANT),
        row(3, significant=1, importance=Importance.FOLLOW_UP, radpeer=Radpeer.EXPECTED_INSIGNIFICANT),
        row(4, radpeer=Radpeer.CONCUR),
        row(5, state=PairState.UNSCORED),
    ]
    overall = rates_of(rows).overall
    assert (overall.concordant.value, overall.major.value, overall.major_confirmed.value) == (0.25, 0.5, 0.5)
    assert overall.radpeer == {"1": 1, "2a": 0, "2b": 1, "3a": 1, "3b": 1}


def test_a_pair_of_a_sample_counts_for_those_it_stands_for() -> None:
    """One discordant pair of weight 1 and one concordant of weight 9: nine tenths are concordant."""
    rates = rates_of([row(1, significant=1, weight=1.0), row(2, weight=9.0)], sample=3)
    assert (rates.overall.pairs, rates.overall.stands_for) == (2, 10.0)
    assert rates.overall.concordant.value == pytest.approx(0.9)


def test_no_pair_at_all() -> None:
    """An empty answer has no rate and no group, and can be shown."""
    rates = rates_of([], by=[Grouping.SITE])
    assert (rates.overall.pairs, rates.by(Grouping.SITE)) == (0, ())
    assert rates.tabulation().plots == ()


def test_rates_are_shown_as_any_study_is() -> None:
    """In JSON with all ends of the intervals, and on a terminal of 80 characters without a line that is wider."""
    rates = rates_of(
        [row(1), row(2, site="south", significant=1, radpeer=Radpeer.EXPECTED_SIGNIFICANT)], by=[Grouping.SITE]
    )
    record = tabulation_record(rates.tabulation())
    [north, south] = record["tables"]["site"]["rows"]
    low, high = wilson(1.0, 1)
    assert north["concordant"] == {"value": 1.0, "low": pytest.approx(low), "high": pytest.approx(high)}
    assert (south["group"], south["reviewed"], south["confirmed"]["value"]) == ("south", 1, 0.0)
    assert any("not an autonomous clinical decision tool" in note for note in record["notes"])
    console = Console(width=80, record=True, file=io.StringIO())
    show_tabulation(console, rates.tabulation())
    printed = console.export_text()
    assert "By site" in printed
    assert max(len(line) for line in printed.splitlines()) <= 80


def test_only_a_sample_tells_what_its_pairs_stand_for() -> None:
    """A column of weights stands where there are some; elsewhere a note says that reviewed pairs were chosen."""
    plain, drawn = rates_of([row(1)]).tabulation(), rates_of([row(1, weight=4.0)], sample=7).tabulation()
    names = [[column.name for column in tabulation.tables[0].columns] for tabulation in (plain, drawn)]
    assert ("stands_for" in names[0], "stands_for" in names[1]) == (False, True)
    assert drawn.facts["sample"] == "7"
    assert any("somebody chose to review" in note for note in plain.notes)
    assert all(any("little was read" in note for note in told.notes) for told in (plain, drawn))
    assert not any("somebody chose to review" in note for note in drawn.notes)
