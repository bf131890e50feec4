"""The second reader in a process that may not run memory which it wrote."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest

import overread

from .....hardened import HARDENED, can_harden

_REFERENCE: Final = "Small left pneumothorax. No effusion."
_CANDIDATE: Final = "No pneumothorax. No effusion."
_SETTINGS: Final = {"choose": {"second_reader": "comparing"}}
_PROGRAM: Final = f"""
import overread
results = overread.score(reference={_REFERENCE!r}, candidate={_CANDIDATE!r}, settings={_SETTINGS})
print(*(result.outcome.score for result in results.values()))
"""


@pytest.mark.skipif(not can_harden(), reason="this kernel cannot refuse a process such memory (PR_SET_MDWE, Linux 6.3)")
def test_it_reads_without_code_made_on_the_way() -> None:
    """Libraries may make code while they run, which the service's unit forbids; scores are the same without it."""
    free = overread.score(reference=_REFERENCE, candidate=_CANDIDATE, settings=_SETTINGS)
    command = [*HARDENED, sys.executable, "-c", _PROGRAM]
    hardened = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert [float(score) for score in hardened.split()] == pytest.approx([each.score for each in free.values()])
