"""Selection on one set and frozen transfer to another."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from overread.domain.differences.cost import PRIORS, CostWeights
from overread.domain.differences.features import FEATURE_NAMES
from overread.studies.application.reproduction.radot.study import GRID, PAPER_PLAN, Plan, Variant

from .invented import benchmark, counted, rated, read, study, tried


def test_all_priors_and_epsilons_compete_for_the_main_system() -> None:
    """The plan chosen is the first of the selection's table."""
    one = study()
    assert len(GRID) == 4 * len(PRIORS) == len(one.main.selection.table)
    assert one.main.plan == Plan(one.main.selected_row.prior, one.main.selected_row.epsilon)
    assert one.main.selection.readout.feature_names == FEATURE_NAMES


def test_it_is_fitted_to_the_sum_over_raters_and_transfers_by_rank() -> None:
    """Three raters who agree make three times the count; the order is found on studies never seen."""
    one = study()
    assert one.labels["total"] == pytest.approx(3 * one.source.labels("total"))
    risk = one.risks(one.main, tried(one))["total"]
    assert one.transfer(Variant(), tried(one))["total"] == pytest.approx(
        spearmanr(risk, tried(one).labels("total")).statistic
    )
    assert spearmanr(risk, tried(one).labels("total")).statistic > 0.8


def test_macro_is_the_mean_over_the_targets_and_unknown_where_one_is() -> None:
    """A target that never varies has no correlation."""
    one = study()
    ranks = one.transfer(Variant((PAPER_PLAN,)), tried(one))
    assert ranks["macro"] == pytest.approx(
        sum(ranks[target] or 0.0 for target in ("total", "significant", "insignificant")) / 3
    )
    ratings = {"total": [1], "significant": [1], "insignificant": [0]}
    flat = read(benchmark([rated(str(i), str(i), "edema", "no edema", ratings) for i in range(4)]))
    assert one.transfer(Variant((PAPER_PLAN,)), flat)["macro"] is None


def test_what_is_made_anew_is_the_same() -> None:
    """Nothing in selection, fit or features is left to chance (section VI-B)."""
    one = study()
    assert one.refit_difference(tried(one)) <= 1e-14


def test_labels_of_the_other_set_change_nothing() -> None:
    """The frozen system is the same whatever RadEvalX says."""
    one, other = study(), study(external=read(counted(12, 1, seed=2)))
    assert one.main.selection.table == other.main.selection.table
    for target, coefficients in one.main.selection.readout.coefficients.items():
        assert coefficients.tolist() == other.main.selection.readout.coefficients[target].tolist()


def test_weights_of_their_own_are_used() -> None:
    """A plan that names no prior brings its weights."""
    one = study()
    drawn = Plan("mine", 0.2, weights=PRIORS["no-text"])
    assert one.features(one.source, drawn).tolist() == one.features(one.source, Plan("no-text", 0.2)).tolist()
    assert Plan("mine", 0.2, weights=CostWeights(1, 0, 0, 0)).cost_weights.as_tuple() == (1, 0, 0, 0)


def test_a_system_without_a_score_has_none() -> None:
    """It is neither 0 nor the mean."""
    one = study(others={"BLEU": {"0-0": 0.5}})
    scores = one.other("BLEU", tried(one))
    assert scores[0] == 0.5
    assert np.isnan(scores[1:]).all()
