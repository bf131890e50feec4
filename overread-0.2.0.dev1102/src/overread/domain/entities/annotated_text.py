"""Texts whose entities people marked: what a recogniser of entities learns from and is tried on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import field, frozen

from overread.domain.entities.entity import Entity, EntityType

__all__ = ["AnnotatedText", "entities_of_labels"]

_MARKS: Final = ("B", "I")


@frozen(kw_only=True)
class AnnotatedText:
    """A sentence or report with its entities.

    Attributes:
        id: of the text.
        study: texts of one study stay together when some are held out.
        text: as the entities' offsets point into it.
        entities: in reading order; some may lie in others.
        source: where the text is from, such as "MIMIC-IV"; "" where it is not told.
    """

    id: str
    study: str
    text: str = field(repr=False)
    entities: tuple[Entity, ...] = field(repr=False)
    source: str = ""

    @entities.validator
    def _within(self, _: object, entities: tuple[Entity, ...]) -> None:
        if not all(0 <= entity.start < entity.end <= len(self.text) for entity in entities):
            raise ValueError("an entity lies outside its text")


def entities_of_labels(tokens: Sequence[str], labels: Sequence[str]) -> tuple[str, tuple[Entity, ...]]:
    """Tokens joined by spaces, and the entities that labels of the IOB scheme mark among them.

    B- begins an entity, I- goes on, and begins one where none is open or that has another type.

    Args:
        tokens: of a text, in order.
        labels: one for each: O, or B- or I- of a type.

    Raises:
        ValueError: if there are not as many labels as tokens, or one is none, or a token is blank.

    >>> text, [entity] = entities_of_labels(["No", "pleural", "effusion"], ["O", "B-DISEASE", "I-DISEASE"])
    >>> text, entity.text, entity.start
    ('No pleural effusion', 'pleural effusion', 3)
    """
    text, spans, end = " ".join(tokens), list[tuple[int, int, EntityType]](), -1
    if not all(token.strip() for token in tokens):
        raise ValueError("a token is blank")
    is_open = False
    for token, label in zip(tokens, labels, strict=True):
        start, end = end + 1, end + 1 + len(token)
        mark, _, kind = label.upper().replace("_", "-").partition("-")
        if mark == "O" and not kind:
            is_open = False
            continue
        if mark not in _MARKS:
            raise ValueError("a label is neither O nor B- or I- of a type")
        goes_on = mark == "I" and is_open and spans[-1][2] == kind
        spans = (
            [*spans[:-1], (spans[-1][0], end, spans[-1][2])] if goes_on else [*spans, (start, end, EntityType(kind))]
        )
        is_open = True
    return text, tuple(Entity(text[start:end], start, end, kind) for start, end, kind in spans)
