"""Which report gets which error."""

from __future__ import annotations

from collections import Counter

import pytest

from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits.categories import CATEGORIES, Category, Subset
from overread.studies.application.synthesis.injected.allocation import allocate, shares

Made = list[tuple[Category, Subset, int]]
BOTH = {"short": list(range(40)), "long": list(range(40, 60))}


def given(reports: dict[str, list[int]], wanted: int, categories: int = 2) -> Made:
    chosen = CATEGORIES[:categories]
    return list(allocate(reports, chosen, wanted, lambda report, c, s: (c, s, report), Draws.from_parts(1)))


def test_each_report_serves_one_category_with_both_subsets_while_there_are_enough() -> None:
    """A harmful edit is compared with a harmless one of the same report."""
    made = given(BOTH, 20)
    assert Counter((c, s) for c, s, _ in made) == {(c, s): 20 for c in CATEGORIES[:2] for s in Subset}
    uses = Counter(report for _, _, report in made)
    assert set(uses.values()) == {2}


def test_lengths_are_as_even_as_the_reports_allow() -> None:
    """Long reports must not make up one subset."""
    long = Counter(report >= 40 for _, subset, report in given(BOTH, 20) if subset is Subset.ROBUSTNESS)
    assert long == {True: 20, False: 20}


def test_a_report_serves_again_where_there_are_too_few() -> None:
    """No edit is made twice for all that."""
    made = given({"short": [1, 2, 3]}, 3)
    assert len(made) == len(set(made)) == 12


def test_a_report_that_gives_one_subset_only_comes_last() -> None:
    """Those that give both make pairs of twins."""

    def attempt(report: int, category: Category, subset: Subset) -> tuple[Category, Subset, int] | None:
        return (category, subset, report) if report == 7 or subset is Subset.ROBUSTNESS else None

    made = list(allocate({"short": [1, 2, 7]}, CATEGORIES[:1], 2, attempt, Draws.from_parts(1)))
    assert [(subset, report) for _, subset, report in made][:2] == [(subset, 7) for subset in Subset]
    assert Counter(subset for _, subset, _ in made) == {Subset.DISCRIMINATION: 1, Subset.ROBUSTNESS: 2}


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [({"a": 5, "b": 5}, {"a": 5, "b": 5}), ({"a": 1, "b": 50}, {"a": 1, "b": 9}), ({"a": 1, "b": 1}, {"a": 5, "b": 5})],
)
def test_ten_are_shared_out_evenly_as_far_as_sizes_go(sizes: dict[str, float], expected: dict[str, float]) -> None:
    """What a small stratum cannot give the others do."""
    assert shares(10, sizes) == expected
