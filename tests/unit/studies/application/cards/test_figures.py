"""Figures of cards, of metrics whose figures are known without computing."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import overread
from overread.application.statistics.proportions import wilson
from overread.domain.reports.report import ReportPair
from overread.studies.application.cards.figures import region_of
from overread.studies.application.cards.layouts import LAYOUT_GROUPS, LAYOUTS
from overread.studies.infrastructure.datasets.json_lines import read_json_lines

from .drawn import figures_of, quick_material

_GOLD = Path(overread.__file__).parent / "studies" / "infrastructure" / "datasets" / "gold"


def test_a_metric_that_sees_nothing_but_change() -> None:
    """Copies are best and any change costs alike: nothing that matters is told from what is harmless."""
    figures = figures_of(_sees_copies)
    assert figures.best_copies.value == 1.0
    assert figures.unbeaten_copies.value == 1.0
    assert figures.falls("size", "matters").value == 1.0
    assert figures.falls("size", "harmless").value == 1.0
    assert figures.harmful_told_from("harmless").value == 0.5
    assert figures.harmful_told_from("rewording").value == 0.5
    assert figures.further_errors.value == 0.25
    assert figures.four_errors.value == 0.0
    assert figures.ranking("tie").value == 1.0
    assert figures.tricks_beating().value == 1.0  # as good as an honest attempt


def _sees_copies(pair: ReportPair) -> float:
    # One labelled pair must differ from the others, or there is no spread to measure in.
    if pair.candidate == pair.reference:
        return 1.0
    return 0.4 if pair.id == quick_material().annotated[0].pair.id else 0.5


def test_the_labels_themselves_agree_with_the_labels() -> None:
    """A metric that knows the ratings has tau-b 1 in each setting, whichever way it runs."""
    ratings = {annotated.pair.id: annotated.mean("rating") for annotated in quick_material().annotated}
    up = figures_of(lambda pair: ratings.get(pair.id, 3.0))
    down = figures_of(lambda pair: -ratings.get(pair.id, 3.0), higher_is_better=False)
    for setting in ("reports", "generators", "drafts"):
        assert up.agreement(setting).value == pytest.approx(1.0)
        assert down.agreement(setting) == up.agreement(setting)
        assert up.care(setting).value == down.care(setting).value
        assert up.care_shuffled(setting).value == 0.5


def test_pairs_without_a_score_are_told_of_and_enter_nothing() -> None:
    """No figure is 0 for want of scores; in the order of candidates they are not right."""
    figures = figures_of(lambda _: math.nan)
    assert figures.unscored().value == 1.0
    assert figures.unscored("modality", "CT").value == 1.0
    assert figures.best_copies.value is None
    assert figures.layout_unchanged().value is None
    assert figures.layout_largest() is None
    assert figures.falls("size", "matters").value is None
    assert figures.agreement("drafts").value is None
    assert figures.ranking("unscored").value == 1.0
    assert figures.ranking("right").value == 0.0


def test_a_share_of_all_pairs_has_an_interval_none_the_less() -> None:
    """Every draw is the same there; that is no certainty."""
    share = figures_of(_sees_copies).falls("size", "matters")
    assert share.low is not None
    assert 0.5 < share.low < 1.0


def test_few_references_have_no_narrow_intervals() -> None:
    """Draws of four references tell too little: a share has Wilson's interval over them, another figure has none."""
    figures = figures_of(lambda pair: len(pair.candidate.text))
    assert len({trick.reference for trick in quick_material().tricks if trick.has_findings}) == 2
    tricks = figures.tricks_beating()
    assert tricks.value is not None
    assert (tricks.low, tricks.high) == wilson(tricks.value, 2)
    assert figures.agreement("reports").value is not None
    assert figures.agreement("reports").low is None
    assert figures.mean_fall("size", "matters").low is not None


def test_a_metric_in_another_unit_is_known_to_be_the_same() -> None:
    """As radot is 1 minus notation; one that differs in a single pair is another."""
    some = quick_material().annotated[0].pair.id
    risk = figures_of(lambda pair: len(pair.candidate.text) / 1000, higher_is_better=False)
    score = figures_of(lambda pair: 7 - len(pair.candidate.text))
    other = figures_of(lambda pair: 7 - len(pair.candidate.text) - 50 * (pair.id == some))
    assert score.orders_like(risk)
    assert not other.orders_like(risk)
    assert not score.orders_like(figures_of(lambda pair: math.nan if pair.id == some else 7 - len(pair.candidate.text)))


def test_scores_that_follow_layout_are_seen_to_do_so() -> None:
    """A metric of upper case letters changes where case does, and not where blanks are added."""
    figures = figures_of(lambda pair: sum(map(str.isupper, pair.candidate.text)) / len(pair.candidate.text or " "))
    changes, studies = figures.layout_changes("letters and marks")
    assert changes.max() > 0.001
    assert len(studies) == len(changes)


def test_every_layout_is_in_one_group() -> None:
    """So that "all layouts" is all of them."""
    grouped = [layout for layouts in LAYOUT_GROUPS.values() for layout in layouts]
    assert sorted(grouped) == sorted(LAYOUTS)


def test_only_the_part_to_choose_by_is_looked_at() -> None:
    """Neither sealed studies, nor those that the second reader learned from."""
    material = quick_material()
    studies = {annotated.study for benchmark in material.whole.values() for annotated in benchmark.pairs}
    for setting in ("", "generators-", "drafts-"):
        for part in ("open", "sealed"):
            path = _GOLD / f"{setting}{part}.jsonl"
            others = {row["study"] for row in read_json_lines(path, dict, problem="", remedy="")}
            assert others
            assert studies.isdisjoint(others)


def test_pairs_have_ids_of_their_own() -> None:
    """A pair that is scored twice would weigh twice; the material is the same each time."""
    pairs = quick_material().pairs()
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert {case.copy for case in quick_material().injected} <= {pair.id for pair in pairs}


def test_voices_write_of_regions() -> None:
    """Those that write of one alone; the others of the chest or of all."""
    assert region_of("msk") == "bones and joints"
    assert region_of("icu-us") == "chest and mixed"
