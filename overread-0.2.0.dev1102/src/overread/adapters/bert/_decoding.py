"""Entities from token labels, as the released RaTEScore reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from overread.domain.entities.entity import EntityType

__all__ = ["LABELS", "decode_spans", "iob_labels"]

LABELS: Final = ("O", *(f"{mark}-{kind}" for kind in EntityType for mark in "BI"))
"""The labels of RaTE-NER: O, and B- and I- of the five types."""


def iob_labels(id2label: Mapping[int, str]) -> tuple[str, ...]:
    """A classifier's labels by index, in capitals.

    Raises:
        ValueError: saying what is wrong with its labels.
    """
    if sorted(id2label) != list(range(len(id2label))):
        raise ValueError("its labels are not numbered from 0")
    labels = tuple(str(id2label[index]).upper() for index in sorted(id2label))
    if strange := [label for label in labels if label not in LABELS]:
        raise ValueError(f"its labels {', '.join(strange[:3])}{', ...' if len(strange) > 3 else ''} are unknown")  # noqa: PLR2004
    if not any(label.startswith("B-") for label in labels):
        raise ValueError("none of its labels begins an entity")
    return labels


def decode_spans(
    text: str, labels: Sequence[str], offsets: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int, EntityType], ...]:
    """The typed spans of a text's tokens, in order, as start, end and type.

    B- begins a span and gives its type, I- continues it whatever its type, O or the next B- ends it, and so does the
    last token. An I- that follows no open span begins nothing. White space at either end, which the tokens of some
    tokenizers hold, is not part of a span.

    Args:
        text: what the offsets point into.
        labels: one of `LABELS` for each token, special tokens left out.
        offsets: first and last (exclusive) character of each token.

    >>> decode_spans("left effusion", ["B-ANATOMY", "B-ABNORMALITY"], [(0, 4), (4, 13)])
    ((0, 4, <EntityType.ANATOMY: 'ANATOMY'>), (5, 13, <EntityType.ABNORMALITY: 'ABNORMALITY'>))
    """
    spans: list[tuple[int, int, EntityType]] = []
    is_open = False
    for label, (start, end) in zip(labels, offsets, strict=True):
        if label.startswith("B-"):
            spans.append((start, end, EntityType(label[2:])))
            is_open = True
        elif label.startswith("I-") and is_open:
            spans[-1] = (spans[-1][0], end, spans[-1][2])
        else:
            is_open = False
    trimmed = ((*_trim_span(text, start, end), kind) for start, end, kind in spans)
    return tuple((start, end, kind) for start, end, kind in trimmed if start < end)


def _trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    held = text[start:end]
    return start + len(held) - len(held.lstrip()), end - (len(held) - len(held.rstrip()))
