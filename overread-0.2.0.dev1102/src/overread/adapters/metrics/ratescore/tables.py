"""Files of affinity tables: JSON or TOML with a name, p, how W is read, and W by type."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import asdict

from overread.application.ports import EntityRecognizer
from overread.application.traits import RecognizerTraits, traits_of
from overread.domain.entities.affinity import DEFAULT_TABLE, TABLES, TYPES, AffinityTable, Orientation, PenaltyRule
from overread.domain.vocabulary.json_text import RepeatedKeyError, parse_json
from overread.exceptions import ConfigurationError

if TYPE_CHECKING:
    from overread.application.metrics.entity_reader import EntityReader
    from overread.application.training.fit_ratescore import FittedAffinity

__all__ = ["learned_record", "load_table", "own_table", "table_record"]

_SUFFIXES: Final = (".json", ".toml")
_KEYS: Final = ("name", "p", "orientation", "penalty", "weights", "provenance")


def load_table(choice: str) -> AffinityTable:
    """The shipped table of a name, or the one in a ``.json`` or ``.toml`` file.

    Raises:
        ConfigurationError: if there is no such table, or naming the file and everything wrong with it.
    """
    if choice in TABLES:
        return TABLES[choice]
    path = Path(choice)
    if path.suffix.lower() not in _SUFFIXES:
        remedy = "a table of your own must be in a .json or .toml file"
        if path.exists():
            raise ConfigurationError([f"affinity table {path} must end in .json or .toml"])
        raise ConfigurationError([f"unknown affinity table {choice!r}; choose from {', '.join(TABLES)}; {remedy}"])
    record = _parse_table(path)
    if problems := _problems(record):
        raise ConfigurationError([f"affinity table {path}: {problem}" for problem in problems])
    weights = tuple(tuple(record["weights"][row][column] for column in TYPES) for row in TYPES)
    try:
        return AffinityTable(
            name=record["name"],
            weights=weights,
            p=record["p"],
            orientation=Orientation(record["orientation"]),
            penalty=PenaltyRule(record["penalty"]),
        )
    except (ValueError, OverflowError) as error:
        raise ConfigurationError([f"affinity table {path}: {error}"]) from error


def own_table(recognizer: EntityRecognizer) -> str:
    """The table that a recognizer names for itself, else the released package's."""
    return traits_of(recognizer, RecognizerTraits).affinity or DEFAULT_TABLE


def table_record(table: AffinityTable, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A table as the object that its JSON file holds and `load_table` reads."""
    return {
        "name": table.name,
        "p": table.p,
        "orientation": table.orientation.value,
        "penalty": table.penalty.value,
        "weights": {row.value: {c.value: weight for c, weight in of.items()} for row, of in table.by_type.items()},
        "provenance": dict(provenance or {}),
    }


def learned_record(report: FittedAffinity, reader: EntityReader, *, note: str, lower_is_better: bool) -> dict[str, Any]:
    """The table that a fit came to, as `table_record`, with how it came about.

    Args:
        report: of the fit.
        reader: that the table was learned with.
        note: how the ratings came about.
        lower_is_better: whether ratings count errors.
    """
    provenance = {
        "note": note,
        "recognizer": reader.recognizer.identity,
        "encoder": reader.encoder.identity,
        "ratings": "lower is better" if lower_is_better else "higher is better",
        "correlation": report.correlation,
        "fitted": asdict(report.fitted),
        "start": asdict(report.start),
        "train_pairs": report.train_pairs,
        "held_out_pairs": report.held_out_pairs,
        "skipped": len(report.skipped),
        "search": report.search,
        "trials": report.trials,
        "seed": report.seed,
    }
    return table_record(report.table, provenance)


def _parse_table(path: Path) -> Mapping[str, Any]:
    kind = path.suffix.lower().removeprefix(".").upper()
    try:
        text = path.read_bytes().decode("utf-8-sig")
        record = parse_json(text) if kind == "JSON" else tomllib.loads(text)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigurationError([f"affinity table {path} cannot be read: {reason}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError([f"affinity table {path} is not UTF-8 text"]) from error
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError([f"affinity table {path} is not {kind}: {error}"]) from error
    except RepeatedKeyError as error:
        raise ConfigurationError([f"affinity table {path}: {error}"]) from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError([f"affinity table {path} is not {kind}"]) from error
    if not isinstance(record, dict):
        raise ConfigurationError([f"affinity table {path} must hold an object with {', '.join(_KEYS[:-1])}"])
    return record


def _problems(record: Mapping[str, Any]) -> list[str]:
    problems = [f"unknown key {key!r} (known: {', '.join(_KEYS)})" for key in record if key not in _KEYS]
    if not isinstance(record.get("name"), str):
        problems.append("'name' must be text")
    if not _is_number(record.get("p")):
        problems.append("'p' must be a number from 0 to 1")
    problems += _member_problems("orientation", record.get("orientation"), Orientation)
    problems += _member_problems("penalty", record.get("penalty"), PenaltyRule)
    return problems + _weight_problems(record.get("weights"))


def _member_problems(key: str, value: object, members: type[StrEnum]) -> list[str]:
    known = [member.value for member in members]
    return [] if value in known else [f"{key!r} must be {' or '.join(known)}"]


def _weight_problems(weights: object) -> list[str]:
    if not isinstance(weights, Mapping):
        return [f"'weights' must hold a row for each of {', '.join(TYPES)}"]
    problems = [f"'weights' has a row {row!r}, which is not an entity type" for row in weights if row not in set(TYPES)]
    for row in TYPES:
        columns = weights.get(row)
        if not isinstance(columns, Mapping):
            problems.append(f"row {row} is missing from 'weights'; it holds a number for each of {', '.join(TYPES)}")
            continue
        problems += [
            f"row {row} has a column {c!r}, which is not an entity type" for c in columns if c not in set(TYPES)
        ]
        problems += [f"row {row} lacks column {column}" for column in TYPES if column not in columns]
        problems += [
            f"the weight in row {row}, column {column} must be a number"
            for column in TYPES
            if column in columns and not _is_number(columns[column])
        ]
    return problems


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
