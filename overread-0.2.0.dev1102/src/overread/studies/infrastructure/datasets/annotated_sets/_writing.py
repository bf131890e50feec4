"""Writing a set in overread's own format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference
from overread.exceptions import InputError
from overread.infrastructure.files.tables import Columns
from overread.infrastructure.files.whole_files import write_rows
from overread.studies.infrastructure.datasets.annotated_sets._header import HEADER, PREFERENCE

__all__ = ["write_benchmark", "write_pairs"]

_SUFFIXES: Final = (".jsonl", ".ndjson")
_CONTEXT: Final = Columns().optional


def write_benchmark(benchmark: HumanBenchmark, path: Path | str) -> None:
    """Writes a set as JSON lines that `read_generic` reads as the same set.

    The file takes its place when it is whole; after an error, the one that was there before is untouched.

    Raises:
        InputError: if the suffix is neither .jsonl nor .ndjson, or the file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() not in _SUFFIXES:
        raise InputError(str(path), "its suffix is not that of JSON lines", remedy=f"use {' or '.join(_SUFFIXES)}")
    write_rows(path, _records(benchmark))


def write_pairs(benchmark: HumanBenchmark, path: Path) -> None:
    """Writes the pairs of a set as JSON lines, to be scored by `overread corpus` or anything else under the same ids.

    Raises:
        InputError: if the file cannot be written.
    """
    records = map(_pair_fields, benchmark.pairs)
    write_rows(path, ({key: value for key, value in record.items() if value is not None} for record in records))


def _records(benchmark: HumanBenchmark) -> Iterator[dict[str, Any]]:
    yield {HEADER: _header(benchmark)}
    provided = {scored.metric: scored.score_by_id() for scored in benchmark.provided}
    for annotated in benchmark.pairs:
        name = annotated.pair.id
        scores = {metric: scores[name] for metric, scores in provided.items() if name in scores}
        yield _pair(annotated, scores)
    for preference in benchmark.preferences:
        yield {PREFERENCE: _preference(preference)}


def _header(benchmark: HumanBenchmark) -> dict[str, Any]:
    targets = [
        {"name": target.name, "higher_is_better": target.higher_is_better, "label": target.label}
        for target in benchmark.targets
    ]
    provided = [{"metric": scores.metric, "higher_is_better": scores.higher_is_better} for scores in benchmark.provided]
    return {
        "name": benchmark.name,
        "targets": targets,
        "raters": list(benchmark.raters),
        "provided": provided,
        "notes": list(benchmark.notes),
        "by_people": benchmark.by_people,
    }


def _pair(annotated: AnnotatedPair, scores: dict[str, float]) -> dict[str, Any]:
    record = {
        **_pair_fields(annotated),
        "ratings": {name: _null_for_nan(numbers) for name, numbers in annotated.ratings.items()},
        "strata": dict(annotated.strata),
        "rated": annotated.rated,
        "scores": scores,
    }
    required = ("id", "study", "reference", "candidate", "ratings")
    return {key: value for key, value in record.items() if key in required or value not in (None, "", {})}


def _pair_fields(annotated: AnnotatedPair) -> dict[str, Any]:
    """A pair without what people said of it."""
    pair = annotated.pair
    return {
        "id": pair.id,
        "study": annotated.study,
        "generator": annotated.generator,
        "reference": pair.reference.text,
        "candidate": pair.candidate.text,
        **{name: getattr(pair.context, name) for name in _CONTEXT},
    }


def _preference(preference: Preference) -> dict[str, Any]:
    record = {
        "id": preference.id,
        "study": preference.study,
        "first": preference.first,
        "second": preference.second,
        "votes": _null_for_nan(preference.votes),
        "confidence": _null_for_nan(preference.confidence),
        "strata": dict(preference.strata),
    }
    return {key: value for key, value in record.items() if key not in ("confidence", "strata") or value}


def _null_for_nan(numbers: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(number) else number for number in numbers]
