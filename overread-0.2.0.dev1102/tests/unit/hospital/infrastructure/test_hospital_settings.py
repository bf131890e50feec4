"""The table [hospital] of the settings file."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from overread.domain.vocabulary.severity import Importance
from overread.exceptions import ConfigurationError
from overread.hospital.application.configuration import HospitalConfiguration, TextMode
from overread.hospital.infrastructure.hospital_settings import hospital_configuration
from overread.infrastructure.settings import load_settings


def test_a_table_becomes_a_configuration(tmp_path: Path) -> None:
    """From the file, the environment and --set, the later winning, each as it is written there."""
    path = tmp_path / "overread.toml"
    path.write_text(
        '[hospital]\nstore = "a.db"\nlease = 90\nkeep_texts = "90 d"\ndeliver_to = ["ris"]\n'
        'deliver_from = "actionable"\nattempts = 2\n',
        encoding="utf-8",
    )
    environment = {"OVERREAD_HOSPITAL_STORE": "postgresql://db/x", "OVERREAD_HOSPITAL_TEXTS": "none"}
    settings = load_settings(path, ["hospital.attempts=7"], environment)
    assert hospital_configuration(settings.hospital) == HospitalConfiguration(
        store="postgresql://db/x",
        texts=TextMode.NONE,
        lease=timedelta(seconds=90),
        attempts=7,
        keep_texts=timedelta(days=90),
        deliver_to=("ris",),
        deliver_from=Importance.ACTIONABLE,
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (5, timedelta(seconds=5)),
        ("5", timedelta(seconds=5)),
        (0.5, timedelta(seconds=0.5)),
        ("1.5 s", timedelta(seconds=1.5)),
        ("5min", timedelta(minutes=5)),
        ("12 h", timedelta(hours=12)),
        ("30 d", timedelta(days=30)),
    ],
)
def test_durations_are_written_with_their_unit(written: object, meant: timedelta) -> None:
    """A bare number is seconds."""
    assert hospital_configuration({"hold": written}).hold == meant


@pytest.mark.parametrize("name", ["keep_texts", "keep_data"])
@pytest.mark.parametrize("written", [730, "90", "59 min", 0.5])
def test_a_retention_of_minutes_is_days_without_their_unit(name: str, written: object) -> None:
    """It would delete all that the hospital has, a quarter of an hour after it came."""
    with pytest.raises(ConfigurationError, match=rf"hospital\.{name} is .* seconds, after which all is deleted"):
        hospital_configuration({name: written})
    assert hospital_configuration({name: "1 h"}) == hospital_configuration({name: 3600})


@pytest.mark.parametrize("written", ["5 weeks", True, -1, "inf", "9" * 30 + " d", [5]])
def test_what_is_no_duration_is_refused(written: object) -> None:
    """With what would be one."""
    with pytest.raises(ConfigurationError, match="keep_data"):
        hospital_configuration({"keep_data": written})


def test_all_problems_are_told_together() -> None:
    """Unknown names with the nearest that is known, wrong kinds, and values that cannot be."""
    table = {"stores": "x", "attempts": "2", "retry_after": "1 h", "texts": "rot13", "lease": 0, "deliver_to": "ris"}
    with pytest.raises(ConfigurationError) as caught:
        hospital_configuration(table)
    unknown, *others = caught.value.problems
    assert unknown.startswith(
        "hospital.stores is not a setting; did you mean store? (known: store, allow_plain, texts, key_file,"
    )
    assert others == [
        "hospital.attempts must be a whole number, not the text '2'",
        "hospital.texts must be one of plain, sealed, none, not the text 'rot13'",
        "hospital.deliver_to must be a list, such as [\"ris\"], not the text 'ris'",
        "hospital.lease must be a duration above 0",
        "hospital.retry_after must not be longer than retry_at_most",
    ]


def test_what_was_written_on_a_command_line_is_read_as_its_setting_is() -> None:
    """Everything is text there, numbers and lists, too."""
    settings = load_settings(None, ["hospital.attempts=2", "hospital.deliver_to=ris, pacs", "hospital.lease=5 min"], {})
    configuration = hospital_configuration(settings.hospital)
    assert (configuration.attempts, configuration.deliver_to) == (2, ("ris", "pacs"))
    assert configuration.lease == timedelta(minutes=5)


def test_a_hospital_that_is_no_table_is_refused() -> None:
    """As every other setting of the wrong kind."""
    with pytest.raises(ConfigurationError, match="hospital must be a table, not '5'"):
        load_settings(None, ["hospital=5"], {})
