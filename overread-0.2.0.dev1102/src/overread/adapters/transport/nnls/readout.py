"""Readouts over shipped or user-fitted coefficients, and the file that holds them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
from attrs import field, frozen

from overread.application.traits import ReadoutTraits
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.features import FEATURE_SETS
from overread.domain.results.readout import TARGETS, MonotoneReadout, Risk
from overread.domain.vocabulary.json_text import RepeatedKeyError, parse_json
from overread.exceptions import ConfigurationError

__all__ = ["KINDS", "NnlsReadout", "load_readout", "readout_record"]

KINDS: Final = tuple(FEATURE_SETS)

_LISTS: Final = ("features", "scale")
_OBJECTS: Final = ("coefficients", "intercepts", "aligner", "provenance")


@frozen(kw_only=True)
class NnlsReadout:
    """Reads risk out of alignments with a monotone readout.

    Attributes:
        identity: kind and provenance; for a user's file also the start of its SHA-256 digest.
        kind: one of `overread.domain.differences.features.FEATURE_SETS`.
        readout: the coefficients.
        aligner: prior and epsilon of the plans that the coefficients were fitted on.
        provenance: how the coefficients came about.
    """

    identity: str
    kind: str
    readout: MonotoneReadout = field(repr=False)
    aligner: Mapping[str, Any]
    provenance: Mapping[str, Any] = field(repr=False)

    @property
    def uses_self_alignments(self) -> bool:
        """True if each report's alignment with itself is needed."""
        return FEATURE_SETS[self.kind].uses_self_alignments

    @property
    def traits(self) -> ReadoutTraits:
        """Kind, what it was fitted on, and whether its features depend on the plan."""
        return ReadoutTraits(name=self.kind, uses_plan=FEATURE_SETS[self.kind].uses_plan, fitted_on=self.aligner)

    def read_out(self, pairs: Sequence[AlignedPair]) -> list[Risk]:
        """Risk for each aligned pair."""
        known = FEATURE_SETS[self.kind]
        columns = [known.names.index(name) for name in self.readout.feature_names]
        return [self.readout.read(known.vector(pair)[columns]) for pair in pairs]


def load_readout(kind: str, path: str | None = None) -> NnlsReadout:
    """Load the shipped readout of a kind, or the one in ``path``.

    Raises:
        ConfigurationError: if the file cannot be read or does not hold a readout of that kind.
    """
    source = f"the shipped {kind} readout" if path is None else f"readout file {path}"
    content = _read(kind, path, source)
    record = _parse(content, source)
    problems = _problems(record, kind)
    if problems:
        raise ConfigurationError([f"{source}: {problem}" for problem in problems])
    try:
        readout = MonotoneReadout(
            feature_names=tuple(record["features"]),
            scale=np.array(record["scale"], dtype=np.float64),
            coefficients={t: np.array(c, dtype=np.float64) for t, c in record["coefficients"].items()},
            intercepts={t: float(value) for t, value in record["intercepts"].items()},
        )
    except ValueError as error:
        raise ConfigurationError([f"{source}: {error}"]) from error
    digest = "" if path is None else f"#{hashlib.sha256(content).hexdigest()[:8]}"
    return NnlsReadout(
        identity=f"{kind}@{record['provenance']['name']}{digest}",
        kind=kind,
        readout=readout,
        aligner=record["aligner"],
        provenance=record["provenance"],
    )


def readout_record(
    readout: MonotoneReadout, *, kind: str, aligner: Mapping[str, Any], provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """A readout as the JSON object that `load_readout` reads; ``provenance`` needs a ``name``."""
    return {
        "kind": kind,
        "features": list(readout.feature_names),
        "scale": readout.scale.tolist(),
        "coefficients": {target: values.tolist() for target, values in readout.coefficients.items()},
        "intercepts": dict(readout.intercepts),
        "aligner": dict(aligner),
        "provenance": dict(provenance),
    }


def _read(kind: str, path: str | None, source: str) -> bytes:
    place = (
        resources.files("overread.adapters.transport.nnls") / "data" / f"{kind}.json" if path is None else Path(path)
    )
    try:
        return place.read_bytes()
    except OSError as error:
        raise ConfigurationError([f"{source} cannot be read: {error.strerror or type(error).__name__}"]) from error


def _parse(content: bytes, source: str) -> dict[str, Any]:
    try:
        record = parse_json(content)
    except RepeatedKeyError as error:
        raise ConfigurationError([f"{source}: {error}"]) from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ConfigurationError([f"{source} is not JSON"]) from error
    if not isinstance(record, dict):
        raise ConfigurationError([f"{source} must hold a JSON object"])
    return record


def _problems(record: Mapping[str, Any], kind: str) -> list[str]:
    wrong = [f"{key!r} must be a list" for key in _LISTS if not isinstance(record.get(key), list)]
    wrong += [f"{key!r} must be an object" for key in _OBJECTS if not isinstance(record.get(key), dict)]
    if record.get("kind") != kind:
        wrong.append(f"its kind is {record.get('kind')!r}, not {kind!r}")
    return wrong or [
        *_feature_problems(record["features"], kind),
        *_number_problems(record),
        *_target_problems(record),
        *([] if isinstance(record["provenance"].get("name"), str) else ["its provenance has no name"]),
    ]


def _feature_problems(names: Sequence[Any], kind: str) -> list[str]:
    known = FEATURE_SETS[kind].names
    unknown = [name for name in names if name not in known]
    if unknown:
        return [f"unknown features: {', '.join(map(str, unknown))}"]
    return [] if len(set(names)) == len(names) else ["a feature is named twice"]


def _number_problems(record: Mapping[str, Any]) -> list[str]:
    rows = {f"coefficients of {target}": row for target, row in record["coefficients"].items()}
    rows |= {"scale": record["scale"], "intercepts": list(record["intercepts"].values())}
    return [f"{name} must be numbers" for name, row in rows.items() if not _numbers(row)]


def _target_problems(record: Mapping[str, Any]) -> list[str]:
    return [
        f"{key} must be given for {', '.join(TARGETS)}"
        for key in ("coefficients", "intercepts")
        if set(record[key]) != set(TARGETS)
    ]


def _numbers(row: object) -> bool:
    return isinstance(row, list) and all(isinstance(x, int | float) and not isinstance(x, bool) for x in row)
