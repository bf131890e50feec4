"""Cutting what is worked on into batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

__all__ = ["batches"]

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of ``size``, the last one shorter; one list is held at a time."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
