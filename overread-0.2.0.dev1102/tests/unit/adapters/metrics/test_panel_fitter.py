"""Fitting panels: curves that only rise or only fall, and weights that find who is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from overread.adapters.metrics.panel.fitter import fit_panel
from overread.adapters.metrics.panel.options import PanelOptions
from overread.adapters.metrics.panel.plugin import overread_metrics
from overread.adapters.metrics.panel.tables import load_panel, panel_record
from overread.exceptions import ConfigurationError
from overread.testing import FakeComponents, FakeMetric


def rated(count: int = 400) -> tuple[npt.NDArray[np.float64], dict[str, npt.NDArray[np.float64]]]:
    """Ratings 1 to 5, a metric that follows them closely and falls, one that does so loosely, and one of mere noise."""
    draw = np.random.default_rng(5)
    ratings = draw.integers(1, 6, count).astype(float)
    return ratings, {
        "close": 5 - ratings + draw.normal(0, 0.4, count),
        "loose": ratings / 5 + draw.normal(0, 0.3, count),
        "noise": draw.normal(0, 1, count),
    }


RISES = {"close": False, "loose": True, "noise": True}


def test_the_closest_member_weighs_most_and_noise_next_to_nothing() -> None:
    """Least squares over members' ratings: who tells nothing of the rating adds nothing to the panel."""
    ratings, scores = rated()
    table = fit_panel(scores, ratings, higher_is_better=RISES, name="try")
    weights = {name: member.weight for name, member in table.members.items()}
    assert weights["close"] > weights["loose"] >= weights["noise"] >= 0
    assert weights["noise"] < 0.1
    assert sum(weights.values()) == pytest.approx(1.0, abs=2e-3)


def test_a_curve_never_turns() -> None:
    """A better score never stands for a lower rating, whatever the pairs it was fitted on happen to say."""
    ratings, scores = rated()
    for name, member in fit_panel(scores, ratings, higher_is_better=RISES, name="try").members.items():
        steps = np.diff(member.ratings)
        assert (steps >= 0).all() if RISES[name] else (steps <= 0).all()


def test_the_panel_is_nearer_to_the_ratings_than_its_members() -> None:
    """On the pairs it was fitted on, at least; else there would be no use in joining them."""
    ratings, scores = rated()
    table = fit_panel(scores, ratings, higher_is_better=RISES, name="try")
    told = [table.verdict({name: column[i] for name, column in scores.items()}) for i in range(len(ratings))]
    joined = np.mean([(verdict.rating - rating) ** 2 for (verdict, _), rating in zip(told, ratings, strict=True)])
    alone = [
        np.mean([(opinions[name].rating - rating) ** 2 for (_, opinions), rating in zip(told, ratings, strict=True)])
        for name in scores
    ]
    assert joined <= min(alone) + 1e-6


def test_pairs_that_a_metric_cannot_score_are_passed_over() -> None:
    """NaN stands for no score; the curve is of the others, and the weights of pairs that all could score."""
    ratings, scores = rated()
    scores["close"][::3] = np.nan
    assert fit_panel(scores, ratings, higher_is_better=RISES, name="try").members["close"].weight > 0.5


def test_the_metric_asks_the_members_of_its_table(tmp_path: Path) -> None:
    """Or the ones that the options choose; a stranger is refused with the names, and so is a panel without a table."""
    [spec] = overread_metrics()
    ratings, scores = rated()
    table = tmp_path / "panel.json"
    record = panel_record(fit_panel(scores, ratings, higher_is_better=RISES, name="try"))
    table.write_text(json.dumps(record), encoding="utf-8")
    given = FakeComponents(given={name: FakeMetric() for name in scores})
    whole: Any = spec.factory(PanelOptions(table), given)
    one: Any = spec.factory(PanelOptions(table, ("close",)), given)
    assert (set(whole.members), tuple(one.members)) == (set(scores), ("close",))
    with pytest.raises(ConfigurationError, match=r"no member bleu .members: .*close"):
        spec.factory(PanelOptions(table, ("bleu",)), given)
    with pytest.raises(ConfigurationError, match="overread fit panel writes one"):
        spec.factory(PanelOptions(), given)


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    """With the command that writes one."""
    path = tmp_path / "panel.json"
    for text in (
        "{",
        "[]",
        '{"name": "x", "members": {}}',
        '{"name": "x", "members": {"a": {"weight": -1, "scores": [0, 1], "ratings": [1, 2]}}}',
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigurationError, match="overread fit panel writes one"):
            load_panel(path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"scores": "123"}, "members.close.scores must be a list"),
        ({"weight": "1"}, "members.close.weight must be a number, not the text '1'"),
        ({"rating": [1, 5]}, r"members.close.rating is not a setting; did you mean ratings\?"),
    ],
)
def test_a_table_is_read_as_it_is_typed(tmp_path: Path, change: dict[str, object], says: str) -> None:
    """A text where a list of numbers stands is not taken apart into its digits."""
    path = tmp_path / "panel.json"
    member = {"weight": 1.0, "scores": [1.0, 2.0, 3.0], "ratings": [1.0, 2.0, 5.0]}
    path.write_text(json.dumps({"name": "try", "members": {"close": member}}), encoding="utf-8")
    assert load_panel(path).members["close"].scores == (1.0, 2.0, 3.0)
    path.write_text(json.dumps({"name": "try", "members": {"close": member | change}}), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=says):
        load_panel(path)
