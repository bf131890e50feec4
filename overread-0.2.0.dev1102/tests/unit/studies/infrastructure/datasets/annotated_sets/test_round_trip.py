"""Every set that can be read can be written as overread's own format and read back, nothing lost."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from overread.domain.results.annotation import HumanBenchmark
from overread.studies.infrastructure.datasets.annotated_sets import BENCHMARKS
from overread.studies.infrastructure.datasets.annotated_sets.generic import read_generic, write_benchmark

from ......benchmarks_data import write_radevalx, write_rexerr, write_rexval
from .tables import written
from .test_gold import write_gold
from .test_preferences import rows as comparisons
from .test_radpref import published
from .test_rate_eval import PARAGRAPHS, SENTENCES, TRIADS
from .test_reevalmed import ROWS as CHANGES
from .test_refisco import rows as lines


def _rexval(folder: Path) -> Path:
    write_rexval(folder, studies=3)
    return folder


def _radevalx(folder: Path) -> Path:
    write_radevalx(folder, pairs=6)
    return folder


def _rexerr(folder: Path) -> Path:
    write_rexerr(folder, pairs=4)
    return folder


def _refisco(folder: Path) -> Path:
    return written(folder / "lines.csv", lines())


def _rate_eval(folder: Path) -> Path:
    written(folder / "sentence.json", SENTENCES)
    written(folder / "paragraph.json", PARAGRAPHS)
    written(folder / "triads.json", TRIADS)
    return folder


def _reevalmed(folder: Path) -> Path:
    return written(folder / "test.json", CHANGES)


def _preferences(folder: Path) -> Path:
    first = {"choice_1": "A", "choice_2": "tie", "confidence_1": 3, "rating_a_1": 4, "rating_b_1": 2}
    return written(folder / "pref.jsonl", comparisons(first, {"choice_2": "B", "rating_a_2": 1}))


def _radpref(folder: Path) -> Path:
    return published(folder)


def _pairs(folder: Path) -> Path:
    row = {"id": "a", "study": "s", "reference": "Clear.", "candidate": "A mass.", "generator": "X"}
    return written(folder / "own.jsonl", [{**row, "ratings": {"rating": [3, None]}, "strata": {"site": "north"}}])


DATA: dict[str, Callable[[Path], Path]] = {
    "gold": write_gold,
    "rexval": _rexval,
    "radevalx": _radevalx,
    "rexerr": _rexerr,
    "refisco": _refisco,
    "rate-eval": _rate_eval,
    "reevalmed": _reevalmed,
    "preferences": _preferences,
    "radpref": _radpref,
    "pairs": _pairs,
}
OPTIONS: dict[str, dict[str, Any]] = {"pairs": {"higher_is_better": ["rating"]}}


def comparable(benchmark: HumanBenchmark) -> Any:
    """The set as plain values, "none" for NaN, which equals nothing."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(entry) for key, entry in value.items()}
        if isinstance(value, np.ndarray):
            return plain(value.tolist())
        if isinstance(value, list | tuple):
            return [plain(entry) for entry in value]
        return "none" if isinstance(value, float) and math.isnan(value) else value

    return plain(attrs.asdict(attrs.evolve(benchmark, understood=())))


def test_there_is_an_example_of_every_set() -> None:
    """A set that is added without an example here would not be tested below."""
    assert DATA.keys() == BENCHMARKS.keys()


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_set_is_the_same_after_it_was_written_and_read(tmp_path: Path, name: str) -> None:
    """The package's own format holds all that any set has to say."""
    folder = tmp_path / "data"
    folder.mkdir()
    benchmark = BENCHMARKS[name].read(DATA[name](folder), **OPTIONS.get(name, {}))
    assert benchmark.pairs
    write_benchmark(benchmark, tmp_path / "own.jsonl")
    assert comparable(read_generic(tmp_path / "own.jsonl")) == comparable(benchmark)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_set_is_sound(tmp_path: Path, name: str) -> None:
    """Ids are unique, every pair has every target, and every rater has a value, if only NaN."""
    folder = tmp_path / "data"
    folder.mkdir()
    benchmark = BENCHMARKS[name].read(DATA[name](folder), **OPTIONS.get(name, {}))
    names = [pair.pair.id for pair in benchmark.pairs]
    targets = {target.name for target in benchmark.targets}
    assert len(set(names)) == len(names)
    for pair in benchmark.pairs:
        assert set(pair.ratings) == targets
        assert all(len(ratings) == len(benchmark.raters) for ratings in pair.ratings.values())
    for preference in benchmark.preferences:
        assert {preference.first, preference.second} <= set(names)
        assert len(preference.votes) == len(benchmark.raters)
        assert len(preference.confidence) in (0, len(benchmark.raters))
