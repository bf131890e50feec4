"""Sets read into units."""

from __future__ import annotations

import math

import numpy as np
import pytest

from overread.domain.differences.cost import TableTwoCost
from overread.exceptions import ConfigurationError
from overread.studies.application.reproduction.radot.reading import read_set
from overread.studies.application.reproduction.radot.study import PAPER_PLAN

from .invented import FakeLineExtractor, aligner, benchmark, counted, rated, read


def test_each_report_is_read_once() -> None:
    """The reference of a study's pairs is the same report."""
    extractor = FakeLineExtractor()
    read_set(counted(3, 4), extractor, TableTwoCost())
    assert len(extractor.seen) == len(set(extractor.seen))


def test_pairs_that_cannot_be_read_are_named_with_the_reason() -> None:
    """They are in no figure."""
    pairs = [
        rated("good", "1", "edema", "no edema", {"total": [1]}),
        rated("foreign", "2", "edema", "?", {"total": [1]}),
        rated("nothing", "3", "", "", {"total": [0]}),
        rated("long", "4", "edema\n" * 301, "edema", {"total": [0]}),
    ]
    found = read(benchmark(pairs))
    assert found.ids == ("good",)
    assert found.skipped == {"foreign": "language", "nothing": "empty", "long": "too long"}


def test_a_set_of_which_nothing_can_be_read_is_refused() -> None:
    """There is nothing to compute."""
    with pytest.raises(ConfigurationError, match="none of the pairs of set can be read"):
        read(benchmark([rated("a", "1", "?", "?", {"total": [0]})]))


def test_labels_are_the_mean_of_the_raters_that_said_something() -> None:
    """NaN where nobody did."""
    pairs = [
        rated("a", "1", "edema", "edema", {"total": [1, 2, math.nan]}),
        rated("b", "2", "edema", "edema", {"total": [math.nan] * 3}),
    ]
    labels = read(benchmark(pairs)).labels("total")
    assert labels[0] == 1.5
    assert math.isnan(labels[1])


def test_a_report_of_whole_sentences_alone_is_a_fallback() -> None:
    """One sentence that was read is enough not to be one."""
    pairs = [
        rated("a", "1", "unread", "unread\nedema", {"total": [0]}),
        rated("b", "2", "edema", "unread\nunread", {"total": [0]}),
    ]
    assert read(benchmark(pairs)).fallbacks.tolist() == [[True, False], [False, True]]


def test_thinning_leaves_out_the_share_of_units_and_survives_losing_all() -> None:
    """Without loss nothing changes; without a unit left there are still 66 finite features a pair."""
    found, cost = read(counted(40, 1)), TableTwoCost()
    same = found.thin(0.0, cost, np.random.default_rng(1))
    assert same.units == found.units
    half = found.thin(0.5, cost, np.random.default_rng(1))
    before, after = (
        sum(len(report) for pair in s.units for report in (pair.reference, pair.candidate)) for s in (found, half)
    )
    assert after / before == pytest.approx(0.5, abs=0.1)
    none = found.thin(1.0, cost, np.random.default_rng(1))
    features = none.features(aligner(PAPER_PLAN))
    assert features.shape == (40, 66)
    assert np.isfinite(features).all()
