"""The configuration of the service: checked as a whole, and sent to other processes as it is."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from overread.domain.vocabulary.severity import Importance
from overread.exceptions import ConfigurationError
from overread.hospital.application.configuration import HospitalConfiguration, TextMode
from overread.hospital.application.service import HospitalService
from overread.hospital.testing import MemoryHospitalStore

from .hospital import Words, scorer

_MARCH: Final = datetime(2026, 3, 1, tzinfo=UTC)


def test_it_can_be_pickled() -> None:
    """A host hands it to the processes that it starts."""
    configuration = HospitalConfiguration(
        texts=TextMode.NONE, key_file=Path("keys"), keep_data=timedelta(days=30), deliver_to=["ris"]
    )
    assert pickle.loads(pickle.dumps(configuration)) == configuration  # noqa: S301 - our own


def test_every_problem_is_told_at_once() -> None:
    """Whoever sets it up mends all of it, and does not meet the problems one by one."""
    with pytest.raises(ConfigurationError) as caught:
        HospitalConfiguration(
            store=" ",
            texts="rot13",  # type: ignore[arg-type]
            lease=timedelta(0),
            attempts=0,
            retry_after=timedelta(minutes=9),
            keep_texts=timedelta(days=9),
            keep_data=timedelta(days=1),
            largest_batch=True,
            deliver_to=["ok", ""],
            deliver_from="urgent-ish",  # type: ignore[arg-type]
        )
    told = " ".join(caught.value.problems)
    assert len(caught.value.problems) == 9
    for name in ("store", "texts", "lease", "attempts", "retry_after", "keep_texts", "largest_batch", "deliver_from"):
        assert name in told


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"zone": "Berlin"}, "zone must be a time zone"),
        ({"site_zones": {"north": "Europe/Nowhere"}}, "site_zones.north must be a time zone"),
        ({"author_groups": {"a": "residents", "b": "residents"}}, "3 readers or more in each group: 'residents' has 2"),
        ({"author_groups": {"a": ""}}, "author_groups must name a group"),
        ({"reference_since": _MARCH, "reference_until": _MARCH}, "reference_since must be before"),
        ({"chart_odds": 1.0}, "chart_odds must be above 1"),
        ({"chart_run_length": 5.0}, "chart_run_length must be 10 to 10,000,000 pairs"),
    ],
)
def test_how_pairs_are_counted_is_checked(given: dict[str, Any], words: str) -> None:
    """A month needs a zone that exists, a group more readers than one could tell apart, and a chart a rise."""
    with pytest.raises(ConfigurationError, match=words):
        HospitalConfiguration(**given)


def test_a_text_is_no_list_of_targets() -> None:
    """Its letters would be taken for the names of targets."""
    with pytest.raises(ConfigurationError, match=r'deliver_to must be a list, such as \["ris"\]'):
        HospitalConfiguration(deliver_to="ris")


def test_the_address_of_the_store_is_not_printed() -> None:
    """It may hold a password."""
    assert "hunter2" not in repr(HospitalConfiguration(store="postgresql://me:hunter2@db/overread"))


def test_a_step_of_importance_is_usual() -> None:
    """Only what asks for action at once is sent on, unless told otherwise."""
    assert HospitalConfiguration().deliver_from is Importance.URGENT


def test_a_scorer_without_the_metrics_that_are_needed_is_refused() -> None:
    """The worklist is made of radot's score and notation's discrepancies; the error says so."""
    with pytest.raises(ConfigurationError, match=r"lack radot: .*risk is radot's score.*add them"):
        HospitalService(MemoryHospitalStore(), scorer(Words("notation")))
