"""Signatures: everything that changes a score, in one line."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field, frozen

__all__ = ["Signature"]


def _parts(parts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in parts)


@frozen(eq=False)
class Signature:
    """Metric name and the identity of each part that produced a score; printed as ``name|part:value|...``.

    Two that are printed alike are the same: the line is what files and stores keep.

    >>> str(Signature("radot", [("aligner", "balanced,eps=0.2"), ("version", "0.1.0")]))
    'radot|aligner:balanced,eps=0.2|version:0.1.0'
    """

    metric: str
    parts: tuple[tuple[str, str], ...] = field(default=(), converter=_parts)

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Signature) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return "|".join([self.metric, *(f"{name}:{value}" for name, value in self.parts)])

    def with_parts(self, parts: Iterable[tuple[str, str]]) -> Signature:
        """This signature with more parts at its end."""
        return Signature(self.metric, (*self.parts, *parts))
