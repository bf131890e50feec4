"""The rebuilt baselines of Table III: what they count, how they are selected, and that they learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from attrs import define, evolve, field
from scipy.stats import spearmanr

from overread.application.metrics.pair_reader import PairUnits
from overread.application.statistics.tabulation import Forest
from overread.domain.differences.cost import TableTwoCost
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Polarity
from overread.exceptions import ConfigurationError
from overread.studies.adapters.rivals._monotone import FittedMonotone
from overread.studies.adapters.rivals._network import GraphNetwork
from overread.studies.adapters.rivals.learners import rivals
from overread.studies.application.reproduction.radot import radot_tables
from overread.studies.application.reproduction.radot.reading import ReadSet
from overread.studies.application.reproduction.radot.rivals.graphs import (
    NUMBER_NAMES,
    RATIO_NAMES,
    detailed_graph,
    graph_features,
)
from overread.studies.application.reproduction.radot.rivals.rival import select_rival
from overread.studies.application.reproduction.radot.rivals.structured import (
    COUNT_NAMES,
    SHARE_NAMES,
    structured_features,
)
from overread.studies.application.reproduction.radot.study import RadotStudy
from overread.studies.infrastructure.datasets.published import read_published

from .invented import benchmark, counted, rated, read, study, tried

Vector = npt.NDArray[np.float64]
TARGETS = ("total", "significant", "insignificant")
NAMES = tuple(rivals(7))
MONOTONE = ("Structured monotone", "Graph-derived monotone")


@pytest.fixture(scope="module")
def known() -> RadotStudy:
    """Forty pairs of twenty studies to fit to, thirty others to try."""
    return study(source=read(counted(20, 2, raters=3)), external=read(counted(30, 1, seed=1)), rivals=rivals(7))


def unit(finding: str, **others: Any) -> ClinicalUnit:
    return ClinicalUnit(span_text=finding, start=0, end=len(finding), canonical_finding=finding, **others)


def pair_of(reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit]) -> ReadSet:
    """A set of one pair with these units."""
    data = read(benchmark([rated("a", "1", "x", "x", {target: [0.0] for target in TARGETS})]))
    units = PairUnits(tuple(reference), tuple(candidate))
    return evolve(data, units=(units,), costs=(TableTwoCost().between(*units.ends),))


REFERENCE = (
    unit("effusion", anatomy=frozenset({"left", "pleura"}), severity="mild", change=Change.STABLE),
    unit("pneumothorax", polarity=Polarity.ABSENT),
    unit("nodule", certainty=Certainty.POSSIBLE),
)
CANDIDATE = (
    unit("effusion", anatomy=frozenset({"right", "pleura"}), severity="severe"),
    unit("pneumothorax", polarity=Polarity.PRESENT),
    unit("fracture", modifiers=frozenset({"acute"})),
)


def test_units_are_compared_as_sets() -> None:
    """By hand; attributes count between the findings that both name, so the nodule's doubt does not."""
    (row,) = structured_features(pair_of(REFERENCE, CANDIDATE))
    found = dict(zip((*COUNT_NAMES, *SHARE_NAMES), row.tolist(), strict=True))
    expected = dict.fromkeys(found, 0.0)
    expected |= {"finding_omitted": 1, "finding_added": 1, "finding_distance": 0.5}
    expected |= {"polarity_omitted": 1, "polarity_added": 1, "polarity_distance": 1 - 1 / 3}
    expected |= {"anatomy_omitted": 1, "anatomy_added": 1, "anatomy_distance": 1 - 1 / 3}
    expected |= {"comparison_omitted": 1, "comparison_distance": 1}
    expected |= {"severity_omitted": 1, "severity_added": 1, "severity_distance": 1}
    assert found == pytest.approx(expected)


def test_units_make_a_graph_of_entities_and_relations() -> None:
    """By hand: observations with their polarity, and what belongs to them."""
    graph = detailed_graph(REFERENCE)
    assert {(node.label, node.name) for node in graph.nodes} == {
        ("present", "effusion"),
        ("absent", "pneumothorax"),
        ("present", "nodule"),
        *(("anatomy", label) for label in ("left", "pleura")),
        ("modifier", "mild"),
        ("change", "stable"),
        ("certainty", "possible"),
    }
    assert {(each.kind, each.source.name, each.target.name) for each in graph.relations} == {
        *(("located_at", label, "effusion") for label in ("left", "pleura")),
        ("modifies", "mild", "effusion"),
        ("changes", "stable", "effusion"),
        ("qualifies", "possible", "nodule"),
    }
    (row,) = graph_features(pair_of(REFERENCE, CANDIDATE))
    found = dict(zip((*RATIO_NAMES, *NUMBER_NAMES), row.tolist(), strict=True))
    assert found["observation_recall_loss"] == found["observation_precision_loss"] == pytest.approx(2 / 3)
    assert (found["anatomy_missing"], found["anatomy_recall_loss"]) == (1, 0.5)
    assert (found["relations_missing"], found["relations_extra"]) == (4, 3)
    assert found["entities_recall_loss"] == pytest.approx(6 / 8)
    assert (found["changes_recall_loss"], found["changes_precision_loss"], found["is_device_extra"]) == (1, 0, 0)


@pytest.mark.parametrize("features", [structured_features, graph_features])
def test_a_report_against_itself_differs_in_nothing(features: Any) -> None:
    """In whatever order its units stand; a pair of reports without units does not either."""
    assert not features(pair_of(REFERENCE, REFERENCE[::-1])).any()
    assert not features(pair_of((), ())).any()


@pytest.mark.parametrize("row", NAMES)
def test_each_rival_learns_what_it_is_told_and_carries_it_over(known: RadotStudy, row: str) -> None:
    """Errors that were planted are ranked on studies never seen."""
    fit = known.rival(row)
    risks, data = fit.fitted.risks(tried(known)), tried(known)
    assert fit.macro > 0.6
    assert spearmanr(risks["total"], data.labels("total")).statistic > 0.7


@pytest.mark.parametrize("row", NAMES[:3])
def test_where_there_is_nothing_to_learn_nothing_is_learnt(known: RadotStudy, row: str) -> None:
    """Held-out correlations of labels that were shuffled are near 0, so no figure comes from the fit's own pairs."""
    nonsense = {target: np.random.default_rng(5).permutation(values) for target, values in known.labels.items()}
    assert abs(select_rival(known.rivals[row].learners()[:1], known.source, nonsense).macro) < 0.4


@pytest.mark.parametrize("row", MONOTONE)
def test_more_discrepancy_never_lowers_a_monotone_risk(known: RadotStudy, row: str) -> None:
    """Whichever feature rises; and as findings of a report are denied one after the other."""
    fitted: Any = known.rival(row).fitted
    assert isinstance(fitted, FittedMonotone)
    rng = np.random.default_rng(2)
    rows = rng.random((50, len(fitted.columns)))
    more = rows + rng.random(rows.shape) * (rng.random(rows.shape) < 0.3)
    for target, low in fitted.read(rows).items():
        assert (fitted.read(more)[target] >= low - 1e-12).all()
    units = [unit(name) for name in ("effusion", "edema", "nodule", "opacity")]
    denied = [evolve(each, polarity=Polarity.ABSENT) for each in units]
    candidates = [[*denied[:count], *units[count:]] for count in range(len(units) + 1)]
    risks = [float(fitted.risks(pair_of(units, candidate))["total"][0]) for candidate in candidates]
    assert risks == sorted(risks)
    assert risks[-1] > risks[0]


@pytest.fixture(scope="module")
def small(known: RadotStudy) -> ReadSet:
    return known.source.subset(range(12))


def fitted_risks(data: ReadSet, seed: int) -> Vector:
    labels = {target: data.labels(target) for target in TARGETS}
    return GraphNetwork(layers=1, seed=seed).fit(data, labels).risks(data)["total"]


def test_a_seed_makes_the_network_again_and_leaves_the_hosts_chance_alone(small: ReadSet) -> None:
    """Another seed makes another; torch's own random numbers and threads are as before."""
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    first = fitted_risks(small, 3)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == threads
    assert (first >= 0).all()
    assert fitted_risks(small, 3) == pytest.approx(first, rel=1e-4)
    assert fitted_risks(small, 4) != pytest.approx(first, rel=1e-3)


def test_the_order_of_units_and_the_size_of_the_batch_do_not_matter_to_the_network(small: ReadSet) -> None:
    """A risk is of two sets of units; what other pairs need of padding changes nothing."""
    labels = {target: small.labels(target) for target in TARGETS}
    fitted = GraphNetwork(layers=2, seed=3).fit(small, labels)
    turned = tuple(PairUnits(pair.reference[::-1], pair.candidate[::-1]) for pair in small.units)
    costs = tuple(TableTwoCost().between(*pair.ends) for pair in turned)
    before = fitted.risks(small)["total"]
    assert fitted.risks(evolve(small, units=turned, costs=costs))["total"] == pytest.approx(before, rel=1e-4)
    alone = [float(fitted.risks(small.subset([place]))["total"][0]) for place in range(len(small))]
    assert alone == pytest.approx(before, rel=1e-4)
    assert np.ptp(before) > 0.1


@define
class _Spy:
    """A learner that gives the first label of its fold, or the truth; it notes what it was fitted to."""

    setting: str
    truth: Mapping[str, float] | None = None
    seen: list[set[str]] = field(factory=list)
    asked: list[set[str]] = field(factory=list)

    def fit(self, data: ReadSet, labels: Mapping[str, Vector]) -> _Spy:
        assert all(len(values) == len(data) for values in labels.values())
        self.seen.append(set(data.studies))
        return self

    def risks(self, data: ReadSet) -> Mapping[str, Vector]:
        self.asked.append(set(data.studies))
        truth = self.truth or {}
        return dict.fromkeys(TARGETS, np.array([truth.get(pair_id, 1.0) for pair_id in data.ids]))


def test_a_rival_is_selected_on_studies_that_it_was_not_fitted_to() -> None:
    """The best setting wins, the first of equals; then it is fitted to all."""
    data = read(counted(6, 2))
    labels = {target: data.labels(target) for target in TARGETS}
    truth = dict(zip(data.ids, labels["total"].tolist(), strict=True))
    flat, right = _Spy("flat"), _Spy("right", truth)
    fit = select_rival([flat, right, _Spy("again", truth)], data, labels)
    assert (fit.setting, fit.fitted) == ("right", right)
    expected = np.mean([spearmanr(labels["total"], values).statistic for values in labels.values()])
    assert fit.macro == pytest.approx(float(expected))
    *folds, last = right.seen
    assert last == set(data.studies)
    assert len(folds) == 5
    for fitted_to, tried_on in zip(folds, right.asked, strict=True):
        assert not fitted_to & tried_on
        assert fitted_to | tried_on == set(data.studies)
    with pytest.raises(ConfigurationError, match="at least 5 studies; there are 4"):
        select_rival([flat], read(counted(4, 1)), labels)


def test_table_iii_marks_what_was_rebuilt_beside_the_papers_figures(known: RadotStudy) -> None:
    """In the row, below the table, in a note for each with the setting selected, and in the plot."""
    (section,) = radot_tables(read_published("radot")).sections(known, ["III"])
    table = section.tables[0]
    rows = {cells[0]: dict(zip((c.name for c in table.columns), cells, strict=True)) for cells in table.rows}
    data = tried(known)
    for row in NAMES:
        assert row not in rows
        figures = rows[f"{row} (our reconstruction)"]
        for target in TARGETS:
            risks = known.rival(row).fitted.risks(data)[target]
            assert figures[target] == pytest.approx(spearmanr(risks, data.labels(target)).statistic)
    assert rows["GNN discrepancy model (our reconstruction)"]["significant_paper"] == 0.398
    assert "Rows marked (our reconstruction) are systems of which the paper gives the name alone" in table.note
    assert [note.partition(" (our reconstruction): ")[0] for note in section.notes] == list(NAMES)
    assert all("selected on ReXVal" in note for note in section.notes)
    forest = section.plots[0]
    assert isinstance(forest, Forest)
    assert {f"{row} (our reconstruction)" for row in NAMES} <= {each.label for each in forest.rows}
