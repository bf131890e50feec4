"""The disc level that sentences are about which name none: "L4-L5: Disc bulge. Severe canal stenosis."."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from attrs import define, evolve, field

from overread.adapters.reader.medspacy._reading import SentenceReading
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit

__all__ = ["Levels"]

_ELSEWHERE: Final = re.compile(
    r"(?i)\b(?:remaining|remainder|rest|other|elsewhere|otherwise|all|any|each|every|multilevel|multi-level|levels?)\b"
    r"|^[A-Z][A-Za-z ,/&]+:"
)
"""A sentence about more than one level, or about what its own lead names."""


@define
class Levels:
    """Follows a report sentence by sentence, and gives findings that lie at a disc the level they are told under.

    Attributes:
        level: labels of the level told of, none for none.
        section: where it was named.
    """

    _lexicon: Lexicon
    level: frozenset[str] = field(default=frozenset(), init=False)
    section: str = field(default="", init=False)

    def carried(self, reading: SentenceReading, sentence: str, section: str) -> Iterator[ClinicalUnit]:
        """The units of the next sentence with the level that it is about."""
        if section != self.section or reading.level:
            self.level, self.section = reading.level, section
        elif _ELSEWHERE.search(sentence):
            self.level = frozenset()
        names_any = any(unit.place.levels for unit in reading.units)
        for unit in reading.units:
            is_under = self.level and not names_any and not reading.level and self._lies_at_a_disc(unit)
            yield evolve(unit, anatomy=unit.anatomy | self.level) if is_under else unit

    def _lies_at_a_disc(self, unit: ClinicalUnit) -> bool:
        kinds = self._lexicon.qualities.of_levels
        findings = unit.denies or frozenset((unit.canonical_finding,))
        return bool(unit.canonical_finding) and all(
            any(self._lexicon.is_kind_of(finding, kind) for kind in kinds) for finding in findings
        )
