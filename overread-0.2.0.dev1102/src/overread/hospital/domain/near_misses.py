"""Near misses of keys: two accession numbers that may be one examination's, written in two ways."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from overread.hospital.domain.examination import ExaminationKey

__all__ = ["NEAR", "KeyDifference", "are_near", "key_difference"]

NEAR: Final = timedelta(days=1)
"""Most that the times of two examinations may be apart; ours."""

_ZEROS: Final = re.compile(r"(?<!\d)0+(?=[1-9])|^0+(?=[a-z])")
_MARKS: Final = re.compile(r"[-_./]")
_PREFIX: Final = re.compile(r"[a-z]{1,6}(?=\d)")


class KeyDifference(StrEnum):
    """Way in which two keys differ that else are the same: the first of these that, undone, makes them equal."""

    SITE = "site"
    """Another site, or assigner, of the same number."""

    BLANKS = "blanks"
    CASE = "case"
    HYPHEN = "hyphen"
    """A hyphen, a dot, a slash or an underscore."""

    ZEROS = "zeros"
    """Leading zeros, of the whole or of a number in it."""

    PREFIX = "prefix"
    """Letters in front of the number, up to six, in one of them or different ones."""


def key_difference(one: ExaminationKey, other: ExaminationKey) -> KeyDifference | None:
    """Difference between two keys; None where they are equal, or differ in more than how they are written.

    What is undone stays undone: "a-0012" and "A12" differ in the zeros, the last that has to be undone.

    >>> key_difference(ExaminationKey("north", "0012"), ExaminationKey("north", "12"))
    <KeyDifference.ZEROS: 'zeros'>
    >>> key_difference(ExaminationKey("north", "CT12"), ExaminationKey("north", "CT13")) is None
    True
    """
    if one == other:
        return None
    names = [key.accession for key in (one, other)]
    if names[0] == names[1]:
        return KeyDifference.SITE
    for difference, undone in (
        (KeyDifference.BLANKS, lambda name: "".join(name.split())),
        (KeyDifference.CASE, str.casefold),
        (KeyDifference.HYPHEN, lambda name: _MARKS.sub("", name)),
        (KeyDifference.ZEROS, lambda name: _ZEROS.sub("", name)),
        (KeyDifference.PREFIX, lambda name: _ZEROS.sub("", _PREFIX.sub("", name, count=1))),
    ):
        names = [undone(name) for name in names]
        if names[0] == names[1]:
            return difference
    return None


def are_near(one: datetime, other: datetime) -> bool:
    """Return whether two examinations were close enough in time to be one."""
    return abs(one - other) <= NEAR
