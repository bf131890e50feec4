"""Measuring in a process of its own."""

from __future__ import annotations

import os

import pytest

from overread.studies.infrastructure.timing import BrokenOffError, in_process, peak_mib


def test_memory_is_that_of_the_other_process() -> None:
    """It has not grown by what this one holds."""
    assert 5 < in_process(peak_mib) < peak_mib() + 500


def test_a_process_that_breaks_off_is_told_of() -> None:
    """Instead of being waited for."""
    with pytest.raises(BrokenOffError):
        in_process(os._exit, 3)
