"""CRIMSON's scoring: its published values, pairs worked out by hand, and the check that every metric passes."""

import pytest
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Scored, Unscored
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue
from overread.testing import check_metric

from overread_crimson.arithmetic import MatchedFinding, crimson_score
from overread_crimson.plugin import CRIMSON


@pytest.mark.parametrize(
    ("matched", "missed", "false", "score"),
    [
        ([], [], [], 1.0),  # nothing to find, nothing found
        ([], [], [0.5], -0.5 / 1.5),  # a normal reference, one actionable false finding
        ([MatchedFinding(1.0, (0.5,))], [], [], 1 / 1.5),  # urgent, one significant error about it
        ([MatchedFinding(0.5, (0.5,))], [], [], 0.5),  # actionable, the same
        ([MatchedFinding(0.5)], [], [1.0] * 3, -2.5 / 3.5),  # one matched, three urgent false ones
        ([MatchedFinding(0.5), MatchedFinding(0.25, (0.0,))], [1.0], [0.25], 0.5 / 1.75),
        ([], [0.0], [], 0.0),  # only what is expected is missed: no deficit
        ([], [0.5], [], 0.0),  # missed: nothing correct of 0.5
    ],
)
def test_the_arithmetic(matched: list[MatchedFinding], missed: list[float], false: list[float], score: float) -> None:
    """The first five are values measured of the release; the others follow from the formula."""
    assert crimson_score(matched, missed, false) == pytest.approx(score)


@pytest.fixture(scope="module")
def assembly() -> Assembly:
    """The default components; nobody reads again, so that the numbers can be worked out."""
    return Assembly(Catalogue.discover(), choices={"second_reader": "none"})


@pytest.mark.parametrize(
    ("reference", "candidate", "score"),
    [
        # Effusion is actionable (0.5); the wrong side is a significant error: 0.5 * 0.5 / (0.5 + 0.5) of 0.5.
        ("Small left pleural effusion.", "Small right pleural effusion.", 0.5),
        # A pneumothorax is urgent (1): nothing to find, 1 false: d = 1, so -1 / 2.
        ("No pneumothorax.", "Left pneumothorax.", -0.5),
        # 1 of 1 + 0.5 is matched.
        ("Left pneumothorax. Right lower lobe pneumonia.", "Left pneumothorax.", 1 / 1.5),
        ("Left pneumothorax.", "Left pneumothorax.", 1.0),
        ("Heart size is normal.", "The heart is not enlarged.", 1.0),
    ],
)
def test_pairs_worked_out_by_hand(reference: str, candidate: str, score: float, assembly: Assembly) -> None:
    """Matched, missed and false findings with the weights of what they ask for."""
    metric = assembly.metric("crimson")
    (outcome,) = metric.evaluate([ReportPair(id="a", reference=reference, candidate=candidate)])
    assert isinstance(outcome, Scored)
    assert outcome.score == pytest.approx(score)


def test_blank_reports_are_unscored(assembly: Assembly) -> None:
    """For notation's reason."""
    (outcome,) = assembly.metric("crimson").evaluate([ReportPair(id="a", reference="", candidate=" ")])
    assert isinstance(outcome, Unscored)
    assert outcome.reason == "empty"


def test_it_conforms(assembly: Assembly) -> None:
    """One outcome a pair whatever the batch, on its scale, the same every time."""
    check_metric(CRIMSON, components=assembly)
