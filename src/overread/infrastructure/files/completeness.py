"""Records of completeness: what a whole file of results holds and how it was made, in a small file beside it.

A file of lines that was cut between two of them looks like a whole one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen
from cattrs import Converter

from overread.application.scoring.fingerprint import Fingerprint
from overread.domain.results.diversity import Diversity
from overread.exceptions import InputError
from overread.infrastructure.files.environment import Environment
from overread.tables.replacing import replacing, sync

__all__ = [
    "Completeness",
    "check_complete",
    "completeness_file",
    "partial_folder",
    "read_completeness",
    "write_completeness",
]

_SUFFIX: Final = ".complete.json"
_VERSION: Final = 1
_CONVERTER: Final = Converter()
_CONVERTER.register_unstructure_hook(
    Fingerprint, lambda each: {"references": hex(each.references), "texts": hex(each.texts)}
)
_CONVERTER.register_structure_hook(
    Fingerprint, lambda given, _: Fingerprint(int(given["references"], 16), int(given["texts"], 16))
)


@frozen(kw_only=True)
class Completeness:
    """The content of a whole file of results.

    Attributes:
        pairs: number of pairs, each with a result of every metric.
        metrics: by name.
        columns: of the file of pairs, by their meaning.
        fingerprint: of the pairs that could be read; None if part of them was scored before there were fingerprints.
        settings: that they were scored with, laid out as a settings file: metrics, choose and options.
        environment: that they were scored in; None of results that an earlier overread wrote.
        diversity: of the wording of a sample of the reports; None if it is not known, as of an earlier overread.
        version: of this record.
    """

    pairs: int
    metrics: tuple[str, ...]
    columns: Mapping[str, str]
    fingerprint: Fingerprint | None = None
    settings: Mapping[str, Any] = field(factory=dict)
    environment: Environment | None = None
    diversity: Diversity | None = None
    version: int = _VERSION


def completeness_file(results: Path) -> Path:
    """Path of the record of a file of results, which keeps it if it is gzipped later."""
    return results.parent / (results.name.removesuffix(".gz") + _SUFFIX)


def partial_folder(results: Path) -> Path:
    """The folder of the shards of a run that makes a file of results."""
    return results.parent / f"{results.name}.partial"


def write_completeness(results: Path, record: Completeness) -> None:
    """Writes the record of a file of results; it is on the disk when this returns.

    Raises:
        OSError: if the disk does not take it.
    """
    with replacing(completeness_file(results), durable=True) as partial, partial.open("w", encoding="ascii") as stream:
        json.dump(_CONVERTER.unstructure(record), stream, indent=1, default=str)
        stream.write("\n")
        sync(stream)


def read_completeness(results: Path) -> Completeness | None:
    """The record of a file of results, None if it has none.

    Raises:
        InputError: if there is one that cannot be read, or is of a newer overread.
    """
    path = completeness_file(results)
    try:
        record = _CONVERTER.structure(json.loads(path.read_text(encoding="utf-8")), Completeness)
    except FileNotFoundError:
        return None
    except Exception:  # noqa: BLE001 - whatever json and cattrs make of a damaged file
        remedy = f"copy it again, or remove it if {results.name} is known to be whole"
        raise InputError(str(path), "cannot be read", remedy=remedy) from None
    if record.version > _VERSION:
        raise InputError(str(path), "was written by a newer overread", remedy="upgrade overread, or remove it")
    return record


def check_complete(results: Path, found: Mapping[str, Iterable[object]]) -> None:
    """Makes sure that a file of results holds what its run made.

    Args:
        results: the file.
        found: the pairs of each metric in it, in their order.

    Raises:
        InputError: if a record says that there are more pairs or metrics, or other numbers of them; or, without one, if
            the last pair lacks a metric that those before it have, as where the file was cut.
    """
    counts = {metric: len(list(pairs)) for metric, pairs in found.items()}
    record = read_completeness(results)
    if record is None:
        _check_end(results, {metric: list(pairs) for metric, pairs in found.items()})
        return
    place = completeness_file(results).name
    remedy = f"copy it again or score again; if it was shortened on purpose, remove {place}"
    if lacking := [metric for metric in record.metrics if metric not in counts]:
        raise InputError(str(results), f"lacks the metric {', '.join(lacking)}, which {place} lists", remedy=remedy)
    for metric in record.metrics:
        if counts[metric] != record.pairs:
            problem = f"holds {counts[metric]:,} pairs of {metric} instead of the {record.pairs:,} that {place} lists"
            raise InputError(str(results), problem, remedy=remedy)


def _check_end(results: Path, found: Mapping[str, list[object]]) -> None:
    longest = max(found.values(), key=len, default=[])
    cut = [metric for metric, pairs in found.items() if len(pairs) < len(longest)]
    if cut and all(found[metric] == longest[:-1] for metric in cut):
        problem = f"its last pair has no result of {', '.join(cut)}, as where a file was cut"
        raise InputError(str(results), problem, remedy="copy it again, or score again")
