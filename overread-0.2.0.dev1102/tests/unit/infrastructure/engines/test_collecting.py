"""When a process looks for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from overread.infrastructure.engines.collecting import collect_later


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.enable()


def test_garbage_waits_while_something_is_loaded() -> None:
    """It is looked for again afterwards, also where the loading failed."""

    @collect_later()
    def load() -> None:
        raise ValueError(f"searched meanwhile: {gc.isenabled()}")

    with pytest.raises(ValueError, match="searched meanwhile: False"):
        load()
    assert gc.isenabled()


def test_what_a_host_has_switched_off_stays_off() -> None:
    """Nothing is switched on that was not on before."""
    gc.disable()
    with collect_later():
        pass
    assert not gc.isenabled()


def test_one_loading_within_another() -> None:
    """The inner one leaves the search off until the outer one ends."""
    with collect_later():
        with collect_later():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
