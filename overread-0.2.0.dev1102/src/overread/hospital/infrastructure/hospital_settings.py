"""The table [hospital] of the settings file as the configuration of the service."""

from __future__ import annotations

from collections.abc import Mapping

from overread.hospital.application.configuration import HospitalConfiguration
from overread.structuring import structure

__all__ = ["hospital_configuration"]


def hospital_configuration(table: Mapping[str, object]) -> HospitalConfiguration:
    """The configuration that a table of settings makes; what it does not name is as usual.

    Args:
        table: names and values as `HospitalConfiguration` has them. A duration is a number of seconds, or a text such
            as "90 s", "5 min", "12 h" or "30 d".

    Raises:
        ConfigurationError: naming every problem found.

    >>> hospital_configuration({"lease": "5 min", "keep_texts": "90 d"}).keep_texts.days
    90
    """
    return structure(HospitalConfiguration, table, "hospital")
