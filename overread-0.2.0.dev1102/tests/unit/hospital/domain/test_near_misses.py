"""Keys that may be one examination's, written in two ways."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.near_misses import KeyDifference, are_near, key_difference


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("north A12", "south A12", KeyDifference.SITE),
        ("north A 12", "north A12", KeyDifference.BLANKS),
        ("north a12", "north A12", KeyDifference.CASE),
        ("north A-12", "north A12", KeyDifference.HYPHEN),
        ("north 2026/12", "north 2026.12", KeyDifference.HYPHEN),
        ("north 0012", "north 12", KeyDifference.ZEROS),
        ("north A0012", "north A12", KeyDifference.ZEROS),
        ("north 00A12", "north A12", KeyDifference.ZEROS),
        ("north CT12", "north 12", KeyDifference.PREFIX),
        ("north CT12", "north XR0012", KeyDifference.PREFIX),
        ("south a-0012", "north A12", KeyDifference.ZEROS),
        ("north A12", "north A12", None),
        ("north A12", "north A13", None),
        ("north A12", "north A120", None),
        ("north A12B", "north A12", None),
        ("north 1-2", "north 12-", KeyDifference.HYPHEN),
        ("north RADIOLOGY12", "north 12", None),
        ("north ACC", "north CT", None),
    ],
)
def test_keys_differ_in_how_they_are_written(one: str, other: str, expected: KeyDifference | None) -> None:
    """By the last that has to be undone, whichever comes first; what else differs is another number."""
    keys = [ExaminationKey(*name.split(" ", 1)) for name in (one, other)]
    assert key_difference(*keys) is expected
    assert key_difference(*reversed(keys)) is expected


def test_a_day_apart_is_near() -> None:
    """And a minute more is not."""
    at = datetime(2026, 11, 2, tzinfo=UTC)
    assert are_near(at + timedelta(days=1), at)
    assert not are_near(at, at + timedelta(days=1, minutes=1))
