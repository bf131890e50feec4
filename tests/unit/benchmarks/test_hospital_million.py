"""The benchmark of a hospital's store of a million pairs, of a few hundred; its scripts are no package."""

import importlib
import random
from pathlib import Path
from types import ModuleType

import pytest

from overread.hospital.application.grouping import Grouping
from overread.hospital.application.ports import NOBODY
from overread.hospital.application.requests import Search
from overread.hospital.infrastructure.store import open_hospital_store

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def million(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("hospital_million")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_small_store_is_filled_and_every_operation_is_timed(
    request: pytest.FixtureRequest, tmp_path: Path, million: ModuleType, kind: str
) -> None:
    """Copied pairs are found and counted as those that came in, and each operation answers."""
    place = request.getfixturevalue("postgres_url") if kind == "postgres" else str(tmp_path / "hospital.db")
    size = million.Size(pairs=300, made=60, protocol=20)
    timings = million.measure(place, size, repeats=1)
    assert len({timing.name for timing in timings}) == len(timings)
    assert all(timing.share(0.95) >= timing.share(0.5) > 0 for timing in timings)
    with open_hospital_store(place, texts="plain") as store, store.reading() as unit:
        lines = million.lines_of(million.service_of(store, size))
        tallies = unit.pairs.tallies(Search(), lines, (Grouping.EXAMINATION_MONTH, Grouping.READER), hidden_from=NOBODY)
        numbers = unit.pairs.numbers(Search(), lines, hidden_from=NOBODY)
        assert sum(tally.pairs for tally in tallies) == len(numbers) == 300 + 60
        drawn = random.Random(3).choice(numbers)  # noqa: S311 - an example
        assert unit.pairs.results([drawn])
        assert not unit.pairs.misshown(0, 500)[1]
