"""The published schema of a result record."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from overread.domain.results.record import SCHEMA_VERSION

__all__ = ["result_schema"]


def result_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a result record, as `result_record` makes it and result files hold it.

    A record says its version under ``schema_version``. From one version to the next keys are only added: none is taken
    away, renamed, or given another type or meaning. Who ignores keys that they do not know can read every later
    version; `result_from_record` reads every earlier one, those without a number included, and refuses a later one.

    >>> result_schema()["properties"]["schema_version"]
    {'const': 1}
    """
    text = files(__package__).joinpath(f"result-{SCHEMA_VERSION}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
