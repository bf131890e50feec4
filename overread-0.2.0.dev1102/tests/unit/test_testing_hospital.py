"""The promises of the hospital service: kept on a store in memory, and seen to be broken where they are."""

from __future__ import annotations

from typing import Any

import pytest

from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.testing import MemoryHospitalStore, check_hospital_service

from .hospital.application.hospital import hospital, scorer


def test_the_service_keeps_its_promises_on_a_store_in_memory() -> None:
    """Which is what hosts use in their own tests."""
    check_hospital_service(hospital)


class _Open(HospitalService):
    """Lets a submitter search."""

    def search(self, search: Any, *, by: Actor) -> Any:
        return super().search(search, by=Actor(name=by.name, roles=frozenset({Role.ADMIN})))


class _Crashing(HospitalService):
    """Cannot review."""

    def review(self, *_: Any, **__: Any) -> Any:
        raise ValueError("Secret text")


@pytest.mark.parametrize(
    ("kind", "problem"),
    [(_Open, "a submitter searches"), (_Crashing, "a review is a persons word: it raised ValueError")],
)
def test_a_broken_promise_is_told(kind: type[HospitalService], problem: str) -> None:
    """By what went wrong, without what foreign code said."""
    with pytest.raises(AssertionError, match=problem) as caught:
        check_hospital_service(lambda: kind(MemoryHospitalStore(), scorer()))
    assert "Secret" not in str(caught.value)
