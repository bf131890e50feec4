"""Old names of modules that moved."""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import overread
from overread.hospital.application.use_cases import context, notification
from overread.moved import MOVED


@pytest.mark.parametrize("old", sorted(MOVED))
def test_a_module_that_moved_answers_to_its_old_name(old: str) -> None:
    """Whoever imports it by the old name gets the same objects, and is told the new name."""
    sys.modules.pop(old, None)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        alias = import_module(old)
    assert f"{old} is now {MOVED[old]}; the old name goes with the next release" in {str(one.message) for one in shown}
    moved = import_module(MOVED[old])
    assert all(getattr(alias, name) is getattr(moved, name) for name in getattr(moved, "__all__", ()))
    sys.modules.pop(old)


def test_no_old_name_is_a_module_of_today() -> None:
    """An alias would hide the module."""
    source = Path(overread.__file__).parents[1]
    places = [source.joinpath(*old.split(".")) for old in MOVED]
    assert [str(p) for p in places if p.with_suffix(".py").exists() or (p / "__init__.py").exists()] == []
    assert all(find_spec(new) is not None for new in MOVED.values())


def test_an_old_name_can_be_imported_in_every_way() -> None:
    """From the package, with its names, and under another name, in a process that met none of them before."""
    code = (
        "from overread.domain import report; from overread.domain.taxonomy import ErrorCategory; "
        "import overread.domain.result as result; "
        "from overread.domain.reports.report import Report; "
        "from overread.infrastructure.datasets.training_pairs.edits import EDITS; "
        "assert report.Report is Report; assert result.Scored and ErrorCategory and EDITS.is_file()"
    )
    subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", code], check=True)


def test_what_was_renamed_in_a_module_that_moved_answers_to_its_old_name() -> None:
    """By the old name of the module, which warns."""
    use_cases = "overread.hospital.application.use_cases"
    for old in ("means", "bell"):
        sys.modules.pop(f"{use_cases}.{old}", None)
    with pytest.warns(DeprecationWarning, match=r"means is now .*\.context"):
        means = import_module(f"{use_cases}.means")
    with pytest.warns(DeprecationWarning, match=r"bell is now .*\.notification"):
        bell = import_module(f"{use_cases}.bell")
    assert means.Means is context.ServiceContext
    assert bell.Bell is notification.Notification
