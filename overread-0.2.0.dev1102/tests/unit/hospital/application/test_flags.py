"""Value of flags, from samples whose figures are known beforehand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from attrs import evolve

from overread.application.statistics.proportions import wilson
from overread.domain.vocabulary.severity import Importance
from overread.exceptions import InputError
from overread.hospital.application.flags import FlagTarget, predictive_value, worth_of_flags
from overread.hospital.application.observations import Observation
from overread.hospital.application.requests import PairState
from overread.hospital.domain.review import Radpeer
from overread.infrastructure.views.tabulations import tabulation_record

_NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _pair(number: int, **more: Any) -> Observation:
    facts: dict[str, Any] = {
        "site": "north",
        "modality": "CT",
        "reader": "",
        "model": "",
        "performed": _NOON + timedelta(days=number % 10),
        "arrived": _NOON,
        "state": PairState.SCORED,
        "concordant": True,
        "risk": 0.1,
        "radpeer": Radpeer.CONCUR,
    }
    return Observation(pair=number, **(facts | more))


def _rare() -> list[Observation]:
    """13 critical pairs of 1,000, of which 10 stand for them; 80 % are flagged, as are 5 % of the others."""
    major: dict[str, Any] = {"radpeer": Radpeer.EXPECTED_SIGNIFICANT, "weight": 1.3}
    flagged: dict[str, Any] = {"importance": Importance.URGENT, "risk": 0.7, "concordant": False}
    return [
        *(_pair(number, **major, **(flagged if number < 8 else {})) for number in range(10)),
        *(_pair(number, weight=9.87, **(flagged if number < 105 else {})) for number in range(100, 200)),
    ]


def test_a_sensitive_and_specific_flag_is_mostly_wrong_where_errors_are_rare() -> None:
    """80 % of 1.3 % are 10.4 pairs of 1,000; 5 % of the other 987 are 49.35: 10.4 / 59.75 = 17 %."""
    assert predictive_value(0.80, 0.95, 0.013) == pytest.approx(10.4 / 59.75)
    worth = worth_of_flags(_rare(), sample=4)
    assert worth.prevalence.value == pytest.approx(0.013)
    assert (worth.reviewed, worth.positive) == (110, 10)
    assert worth.pairs_a_day == pytest.approx(100.0)
    for flag in (worth.flags[0], worth.flags[-2]):
        assert flag.sensitivity.value == pytest.approx(0.8)
        assert (flag.sensitivity.low, flag.sensitivity.high) == pytest.approx(wilson(0.8, 10))
        assert flag.specificity.value == pytest.approx(0.95)
        assert flag.ppv.value == pytest.approx(0.174, abs=0.001)
        assert flag.npv.value == pytest.approx(1 - 2.6 / (2.6 + 937.65))
        assert flag.load.value == pytest.approx(5.975)
    assert (worth.flags[0].flag, worth.flags[-2].flag) == ("importance urgent", "risk 0.2 or more")
    assert worth.flags[4].ppv.value is None


def test_a_budget_is_spent_from_the_top_of_the_worklist() -> None:
    """Of 100 pairs a day 5.975 are flagged, 1.04 of them discordant; what is below is taken in part."""
    worth = worth_of_flags(sorted(_rare(), key=lambda each: each.radpeer is Radpeer.CONCUR), sample=4)
    five, ten = worth.budgets[:2]
    assert five.found.value == pytest.approx(1.04)
    assert ten.found.value == pytest.approx(1.04 + 0.26)
    assert ten.sensitivity.value == pytest.approx(1.0)
    assert worth.budgets[-1].found.value == pytest.approx(1.3)
    few = worth_of_flags(_rare(), sample=4, pairs_a_day=20.0)
    assert [each.reviewed for each in few.budgets] == [5.0, 10.0, 20.0, 20.0, 20.0]


def test_only_what_people_gave_b_is_major() -> None:
    """3a is discordant, and 2b is major."""
    rows = [
        *(_pair(number, radpeer=Radpeer.EXPECTED_INSIGNIFICANT, risk=0.9) for number in range(10)),
        *(_pair(number, radpeer=Radpeer.UNDERSTANDABLE_SIGNIFICANT) for number in range(10, 20)),
        *(_pair(number, radpeer=Radpeer.UNDERSTANDABLE_INSIGNIFICANT) for number in range(20, 40)),
    ]
    assert worth_of_flags(rows, sample=1).positive == 20
    assert worth_of_flags(rows, sample=1, target=FlagTarget.MAJOR).positive == 10


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({3: {"radpeer": None}}, "1 of its 110 scored pairs have no confirmed"),
        ({3: {"radpeer": Radpeer.CONCUR}}, "9 of its 110 reviewed pairs are discordant"),
        ({key: {"state": PairState.UNSCORED} for key in range(200)}, "none of its pairs has a score"),
    ],
)
def test_what_cannot_be_estimated_is_refused_with_the_reason(change: dict[int, Any], words: str) -> None:
    """A sample that was reviewed in part, or that has too few discordant pairs, tells nothing of all."""
    rows = [evolve(each, **change.get(each.pair, {})) for each in _rare()]
    with pytest.raises(InputError, match=words):
        worth_of_flags(rows, sample=4)


def test_pairs_without_a_score_are_left_out_and_told() -> None:
    """No flag can be on them; they need no review."""
    worth = worth_of_flags([*_rare(), _pair(300, state=PairState.UNSCORED, radpeer=None)], sample=4)
    assert (worth.reviewed, worth.unscored) == (110, 1)
    record = tabulation_record(worth.tabulation())
    assert record["tables"]["flags"]["rows"][0]["ppv"]["value"] == pytest.approx(0.174, abs=0.001)
    assert any("every scored pair was reviewed" in note for note in record["notes"])
