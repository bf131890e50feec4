"""The panel metric over members that say what they are told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import field, frozen

from overread.application.metrics.panel import PanelMetric
from overread.domain.reports.report import ReportPair
from overread.domain.results.panel import PanelMember, PanelTable
from overread.domain.results.result import Outcome, Scored, Unscored

from ..fakes import pair


@frozen
class Says:
    """Gives each pair the outcome that stands under its id."""

    outcomes: dict[str, Outcome]
    signature_parts: Sequence[tuple[str, str]] = field(default=(("version", "1"),))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [self.outcomes[each.id] for each in pairs]


TABLE = PanelTable(
    name="two",
    members={
        "good": PanelMember(weight=0.75, scores=(0.0, 1.0), ratings=(1.0, 5.0)),
        "bad": PanelMember(weight=0.25, scores=(0.0, 8.0), ratings=(5.0, 1.0)),
    },
)


def panel(good: dict[str, Outcome], bad: dict[str, Outcome]) -> PanelMetric:
    return PanelMetric({"good": Says(good), "bad": Says(bad)}, TABLE)


def test_scores_become_one_rating_with_its_spread() -> None:
    """0.5 of the first stands for 3, 2 errors of the second for 4: 0.75 x 3 + 0.25 x 4."""
    [outcome] = panel({"a": Scored(score=0.5)}, {"a": Scored(score=2.0)}).evaluate([pair("a", "x", "y")])
    assert isinstance(outcome, Scored)
    assert outcome.score == pytest.approx(3.25)
    assert outcome.subscores == pytest.approx({"good": 3.0, "bad": 4.0, "spread": (0.75 * 0.25) ** 0.5})
    assert outcome.notes == ()


def test_a_pair_that_members_see_differently_is_flagged() -> None:
    """One calls it perfect, the other as bad as can be: a person should look, and the note says so."""
    [outcome] = panel({"a": Scored(score=1.0)}, {"a": Scored(score=8.0)}).evaluate([pair("a", "x", "y")])
    assert isinstance(outcome, Scored)
    assert any("a person should look" in note for note in outcome.notes)


def test_a_member_that_cannot_score_is_left_out_and_named() -> None:
    """A failure is no score: the others speak, and the note tells who is missing and why."""
    [outcome] = panel({"a": Unscored("too long")}, {"a": Scored(score=0.0)}).evaluate([pair("a", "x", "y")])
    assert isinstance(outcome, Scored)
    assert outcome.score == 5.0
    assert outcome.notes == ("without good: too long",)


def test_a_pair_that_nobody_can_score_is_unscored_in_its_place() -> None:
    """Same length out as in, same order, whoever fails."""
    good: dict[str, Outcome] = {"a": Scored(score=1.0), "b": Unscored("unread"), "c": Scored(score=0.0)}
    bad: dict[str, Outcome] = {"a": Scored(score=0.0), "b": Unscored("too long"), "c": Scored(score=8.0)}
    outcomes = panel(good, bad).evaluate([pair(name, "x", "y") for name in "abc"])
    assert [getattr(outcome, "score", None) for outcome in outcomes] == [5.0, None, 1.0]
    assert outcomes[1] == Unscored("unread")


def test_what_members_have_to_say_of_their_answers_goes_with_the_panels() -> None:
    """That a stand-in answered is known of the panel, too."""
    good: dict[str, Outcome] = {"a": Scored(score=1.0, notes=("a small model stands in",))}
    [outcome] = panel(good, {"a": Scored(score=0.0)}).evaluate([pair("a", "x", "y")])
    assert isinstance(outcome, Scored)
    assert outcome.notes == ("good: a small model stands in",)


def test_the_signature_names_the_table_and_every_part_of_every_member() -> None:
    """Whatever changes a member's score changes the panel's."""
    assert panel({}, {}).signature_parts == (("panel", "two"), ("good.version", "1"), ("bad.version", "1"))
