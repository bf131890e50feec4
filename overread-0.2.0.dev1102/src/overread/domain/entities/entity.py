"""Entities: RaTEScore's view of a report, named things of five types (Zhao et al. 2024, section 2.2)."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from overread.domain.findings.meaning import Meaning
from overread.domain.reports.report import Span

__all__ = ["Entity", "EntityType"]


class EntityType(StrEnum):
    """The five types, spelled as in the labels of RaTE-NER."""

    ABNORMALITY = "ABNORMALITY"
    ANATOMY = "ANATOMY"
    DISEASE = "DISEASE"
    NON_ABNORMALITY = "NON-ABNORMALITY"
    NON_DISEASE = "NON-DISEASE"

    @property
    def polarity(self) -> int:
        """1 for what is there, -1 for what is denied, 0 for anatomy, which is neither."""
        return _POLARITIES[self]


_POLARITIES = {
    EntityType.ABNORMALITY: 1,
    EntityType.ANATOMY: 0,
    EntityType.DISEASE: 1,
    EntityType.NON_ABNORMALITY: -1,
    EntityType.NON_DISEASE: -1,
}


@frozen
class Entity:
    """A typed span of a report.

    Attributes:
        text: the entity's name; the report's own words, or what a recognizer makes of them.
        start, end: character offsets into the report as given.
        meaning: what the entity was read as, where its recognizer knows.
    """

    text: str = field(repr=False)
    start: int
    end: int
    type: EntityType
    meaning: Meaning | None = field(default=None, eq=False, repr=False)

    @property
    def span(self) -> Span:
        """Place of the entity in its report."""
        return Span(self.start, self.end)

    @property
    def embedded(self) -> str:
        """The text that is embedded: the name, without what its meaning tells apart by itself."""
        return self.text if self.meaning is None else self.meaning.name
