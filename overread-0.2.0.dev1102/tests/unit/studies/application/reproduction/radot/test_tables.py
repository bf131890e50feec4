"""Tables of RadOT-Eval's protocol on invented sets, each against a computation of its own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from attrs import evolve
from scipy.stats import rankdata, spearmanr
from sklearn.metrics import average_precision_score, roc_auc_score

from overread.application.statistics import Estimate, Resampling
from overread.application.statistics.tabulation import Table
from overread.domain.differences.features import FEATURE_NAMES
from overread.domain.results.annotation import Preference
from overread.studies.application.reproduction.radot import radot_tables
from overread.studies.application.reproduction.radot.ablations import LEARNED, MEAN, SIDE, TOP, learned_plans
from overread.studies.application.reproduction.radot.shortcuts import fifths
from overread.studies.application.reproduction.radot.study import GRID, RadotStudy
from overread.studies.infrastructure.datasets.published import read_published

from .invented import corrupted, counted, read, study, tried

TABLES = radot_tables(read_published("radot"))
TARGETS = ("total", "significant", "insignificant")
NEED_EXTERNAL = ("III", "IV", "V", "VII", "VIII", "fifths", "XI")


@pytest.fixture(scope="module")
def known() -> RadotStudy:
    external = read(counted(24, 1, seed=1))
    rng = np.random.default_rng(3)
    labels = external.labels("total")
    others = {
        "BLEU-4": dict(zip(external.ids, (labels + rng.normal(0, 1, len(labels))).tolist(), strict=True)),
        "GREEN risk": dict(zip(external.ids[:-2], labels[:-2].tolist(), strict=True)),
    }
    return study(external=external, others=others, provided=("BLEU-4",))


def made(known: RadotStudy, number: str, name: str = "") -> Table:
    (section,) = TABLES.sections(known, [number])
    return section.tables[0] if not name else next(table for table in section.tables if table.name == name)


def row(table: Table, name: str) -> dict[str, Any]:
    cells = next(cells for cells in table.rows if cells[0] == name)
    return dict(zip((column.name for column in table.columns), cells, strict=True))


def test_table_i_counts_pairs_units_and_fallbacks(known: RadotStudy) -> None:
    """The two sets that the paper counts together are counted together here too."""
    table = made(known, "I")
    units = sum(
        len(report)
        for data in (known.source, tried(known))
        for pair in data.units
        for report in (pair.reference, pair.candidate)
    )
    assert row(table, "ReXVal and RadEvalX") == {
        "row": "ReXVal and RadEvalX",
        "pairs": 40,
        "pairs_paper": 300,
        "units": units,
        "units_paper": 1960,
        "fallbacks": 0,
        "fallbacks_paper": 7,
    }
    assert row(table, "ReXErr-v1")["pairs"] == 8


def test_table_iii_has_each_systems_correlations_beside_the_papers(known: RadotStudy) -> None:
    """A system that lacks scores has its figures over the others, and that is told."""
    (section,) = TABLES.sections(known, ["III"])
    table, intervals = section.tables
    data = tried(known)
    for target in TARGETS:
        people = data.labels(target)
        assert row(table, "BLEU-4")[target] == pytest.approx(spearmanr(known.other("BLEU-4", data), people).statistic)
        counts = spearmanr(data.reference_counts, people).statistic
        assert row(table, "Reference count only")[target] == pytest.approx(counts)
    assert row(table, "GREEN risk")["total"] == pytest.approx(1.0)
    assert row(table, "RadOT-Eval")["total_paper"] == 0.715
    assert row(table, "Text-only ridge")["total"] is None
    assert "GREEN native count: no results of green were given" in table.note
    assert section.notes == ("GREEN risk: 2 of RadEvalX's 24 pairs have no score; its figures are over the others",)
    total = row(intervals, "Total")["spearman"]
    assert total.low < row(table, "RadOT-Eval")["total"] == total.value < total.high
    assert row(intervals, "Total")["spearman_paper"] == Estimate(0.715, 0.594, 0.803)


def test_table_iv_screens_by_significant_risk_and_corruption_by_total_risk(known: RadotStudy) -> None:
    """AUROC and AUPRC are scikit-learn's. Labels are exchanged, so that the risks for the targets part."""
    told = counted(24, 1, seed=1)
    exchanged = tuple(
        evolve(pair, ratings={**pair.ratings, "significant": pair.ratings["insignificant"]}) for pair in told.pairs
    )
    one = study(source=known.source, external=read(evolve(told, pairs=exchanged)), stress=known.stress)
    (section,) = TABLES.sections(one, ["IV"])
    upper, lower = section.tables
    data, stress = tried(one), known.stress
    assert stress is not None
    truth = data.labels("significant") > 0
    risks = one.risks(one.main, data)
    assert row(upper, "RadOT-Eval")["auroc"] == pytest.approx(roc_auc_score(truth, risks["significant"]))
    assert row(upper, "RadOT-Eval")["auprc"] == pytest.approx(average_precision_score(truth, risks["significant"]))
    assert roc_auc_score(truth, risks["significant"]) != pytest.approx(roc_auc_score(truth, risks["total"]))
    assert f"{truth.sum()} of 24" in upper.note
    risk = one.risks(one.main, stress)["total"]
    assert row(lower, "RadOT-Eval")["auroc"] == pytest.approx(roc_auc_score(stress.labels("corrupted"), risk))
    assert row(lower, "RadOT-Eval")["win_rate"] == 1.0
    assert row(lower, "Reference count only")["auroc"] == 0.5


def test_equal_risks_are_no_win_and_the_order_of_a_preference_does_not_matter(known: RadotStudy) -> None:
    """Four comparisons: one won, one named the other way round and won, one with itself, one lost."""
    told = corrupted(2)
    clean, wrong = "0:clean", "0:corrupted"
    kinds = ((clean, wrong, 1.0), (wrong, clean, -1.0), (clean, clean, 1.0), (wrong, clean, 1.0))
    preferences = tuple(
        Preference(id=str(i), study="s0", first=first, second=second, votes=(vote,))
        for i, (first, second, vote) in enumerate(kinds)
    )
    stress = read(evolve(told, preferences=preferences))
    one = study(source=known.source, stress=stress)
    table = made(one, "IV", "table-iv-rexerr")
    assert row(table, "RadOT-Eval")["win_rate"] == 0.5
    assert "there are 1 of 4" in table.note


def test_table_v_adds_features_step_by_step(known: RadotStudy) -> None:
    """Each step keeps what the one before had; learned weights compete with all of the grid."""
    assert set(MEAN) < set(SIDE) < set(TOP) < set(FEATURE_NAMES)
    assert len(learned_plans(0.2, 7)) == len(GRID) + LEARNED
    assert all(abs(sum(plan.cost_weights.as_tuple()) - 1) < 1e-9 for plan in learned_plans(0.2, 7))
    table = made(known, "V")
    full = known.transfer(known.main.variant, tried(known))
    assert row(table, "Full RadOT-Eval")["macro"] == full["macro"]
    assert all(row(table, name)["total"] > 0 for name in read_published("radot").tables["V"].rows)


def test_table_vi_counts_the_features_as_the_paper(known: RadotStudy) -> None:
    """66, 61 without severity, 49 without the diffuse family; the selected row is the selected system."""
    table = made(known, "VI")
    for name in read_published("radot").tables["VI"].rows:
        assert row(table, name)["features"] == row(table, name)["features_paper"]
    assert row(table, "Selected full model")["rexval"] == known.main.selected_row.macro
    assert row(table, "Epsilon = 0.05")["epsilon"] == 0.05


def test_table_vii_takes_out_what_the_count_explains(known: RadotStudy) -> None:
    """The partial correlation is that of residuals of ranks; without fallbacks nothing is left out."""
    table = made(known, "VII")
    data = tried(known)
    risk, people = known.risks(known.main, data)["total"], data.labels("total")
    counts = rankdata(data.reference_counts)
    left = [ranks - np.polyval(np.polyfit(counts, ranks, 1), counts) for ranks in (rankdata(risk), rankdata(people))]
    partial = row(table, "Partial corr. controlling ref count")["total"]
    assert partial == pytest.approx(np.corrcoef(left[0], left[1])[0, 1])
    full = row(table, "Full RadOT-Eval")
    assert row(table, "Without fallback pairs")["total"] == full["total"]
    assert row(table, "25% unit dropout")["total"] < row(table, "10% unit dropout")["total"] < full["total"]


def test_table_viii_names_the_best_feature_of_each_kind_that_occurs(known: RadotStudy) -> None:
    """Kinds that never occur and are not printed are left out; those that are printed keep their row."""
    table = made(known, "VIII")
    data = tried(known)
    people = data.labels("significant.A")
    features = known.features(data, known.main.plan)
    varied = [i for i in range(66) if np.ptp(features[:, i])]
    correlations = {FEATURE_NAMES[i]: spearmanr(features[:, i], people).statistic for i in varied}
    found = row(table, "Sig. false finding")
    assert found["nonzero"] == int((people > 0).sum())
    assert found["best_spearman"] == pytest.approx(max(correlations.values()))
    assert correlations[found["best_feature"]] == pytest.approx(found["best_spearman"])
    assert row(table, "Sig. omitted finding")["nonzero_paper"] == 56
    assert not any(cells[0] == "Sig. wrong location" for cells in table.rows)


def test_fifths_rise_and_hold_every_pair(known: RadotStudy) -> None:
    """The mean of the lowest fifth is below that of the highest."""
    table = made(known, "fifths")
    assert row(table, "Total")["first"] < row(table, "Total")["fifth"]
    assert row(table, "Total")["fifth_paper"] == 5.05


def test_a_fifth_that_holds_none_is_a_dash_in_its_own_place() -> None:
    """Seven of ten risks are equal: they are the second fifth, so that the first and the third are empty."""
    risks, people = np.array([0.0] * 7 + [1, 2, 3]), np.arange(10.0)
    study = SimpleNamespace(
        external=SimpleNamespace(labels=lambda _: people),
        main=None,
        risks=lambda *_: dict.fromkeys(TARGETS, risks),
        resampling=lambda _: Resampling.by_study([str(row) for row in range(10)], draws=10),
    )
    (table,) = fifths(cast("RadotStudy", study), read_published("radot")).tables
    told = row(table, "Total")
    assert [told[name] for name in ("first", "second", "third", "fourth", "fifth")] == [None, 3, None, 7, 8.5]


def test_table_x_shows_the_papers_settings_and_our_best(known: RadotStudy) -> None:
    """The best here leads its own table; errors on RadEvalX are those of the risks as they are."""
    (section,) = TABLES.sections(known, ["X"])
    printed, best, measures = section.tables
    assert [cells[0] for cells in printed.rows] == list(read_published("radot").tables["X"].rows)
    assert best.rows[0][1] == known.main.selected_row.macro
    data = tried(known)
    errors = np.abs(known.risks(known.main, data)["total"] - data.labels("total"))
    assert row(measures, "Total")["mae"] == pytest.approx(errors.mean())


def test_table_xi_is_the_difference_of_two_correlations(known: RadotStudy) -> None:
    """Over the same pairs, and with an interval around it."""
    third, eleventh = made(known, "III"), made(known, "XI")
    found = row(eleventh, "Total: BLEU-4")
    difference = row(third, "RadOT-Eval")["total"] - row(third, "BLEU-4")["total"]
    assert found["difference"].value == pytest.approx(difference)
    assert found["difference"].low <= difference <= found["difference"].high
    assert found["comparator"] == row(third, "BLEU-4")["total"]
    assert row(eleventh, "Total: CheXbert")["difference"] is None


@pytest.mark.parametrize("number", NEED_EXTERNAL)
def test_without_radevalx_there_are_dashes_and_the_remedy(number: str) -> None:
    """The paper's figures stand there all the same."""
    for section in TABLES.sections(study(external=None, stress=None), [number]):
        for table in section.tables:
            ours = [column.name for column in table.columns[1:] if not column.name.startswith("paper_")]
            ours = [name for name in ours if not name.endswith("_paper")]
            assert all(row(table, str(cells[0]))[name] is None for cells in table.rows for name in ours)
            assert "not given" in table.note
            assert any(cell is not None for cells in table.rows for cell in cells[1:])
