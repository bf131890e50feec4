"""Identity of a corpus run: whether it can go on with what another one scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import field, frozen

__all__ = ["RunIdentity", "differences"]

_VERSION: Final = 1


@frozen(kw_only=True)
class RunIdentity:
    """Properties that must be the same for a run to go on where another stopped.

    Attributes:
        input: name of the file or folder, for messages only: what counts is its content, shard by shard.
        columns: of the input, by their meaning.
        split: of a data set that has several.
        signatures: by metric, in order.
        shard_rows: pairs in each shard but the last.
        threads: of a process, 0 where that is left to libraries. Learned metrics batch by shards and
            add in the order of threads, so either may change the last bit of a score.
        format: of the results.
        stamp: size and time of the input when it was first read, for messages only.
        version: of the file that keeps this.
    """

    input: str
    columns: Mapping[str, str]
    split: str
    signatures: Mapping[str, str]
    shard_rows: int
    threads: int
    format: str
    stamp: str = ""
    version: int = field(default=_VERSION)


def differences(then: RunIdentity, now: RunIdentity) -> list[str]:
    """Differences between two runs, in words; none if one can go on with what the other did."""
    changes = [
        f"{_WORDS[name]} (then {before}, now {after})"
        for name in ("version", "format", "shard_rows", "threads", "split")
        for before, after in [(getattr(then, name) or "none", getattr(now, name) or "none")]
        if before != after
    ]
    changes += [
        f"the column of the {name} (then {then.columns.get(name)}, now {column})"
        for name, column in now.columns.items()
        if then.columns.get(name) != column
    ]
    before, after = list(then.signatures), list(now.signatures)
    if before != after:
        changes.append(f"the metrics (then {', '.join(before)}, now {', '.join(after)})")
    changes += [
        f"the signature of {name} (then {_parts(then.signatures[name], now.signatures[name])}, "
        f"now {_parts(now.signatures[name], then.signatures[name])})"
        for name in after
        if name in then.signatures and then.signatures[name] != now.signatures[name]
    ]
    return changes


_WORDS: Final = {
    "version": "the version of the manifest",
    "format": "the format of the output",
    "shard_rows": "`shard_rows`",
    "threads": "the number of threads, OMP_NUM_THREADS",
    "split": "`split`",
}


def _parts(signature: str, other: str) -> str:
    """The parts of a signature that another lacks."""
    known = other.split("|")
    return "|".join(part for part in signature.split("|") if part not in known) or "less"
