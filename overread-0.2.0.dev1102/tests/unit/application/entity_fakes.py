"""A recognizer and an encoder that need no model, and keep what they were asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from attrs import define, field

from overread.domain.entities.entity import Entity, EntityType
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored

_MARKS = {
    "+": EntityType.ABNORMALITY,
    "-": EntityType.NON_ABNORMALITY,
    "!": EntityType.DISEASE,
    "~": EntityType.NON_DISEASE,
}


@define
class MarkRecognizer:
    """Reads every word that has a letter as an entity, typed by the mark before it; anatomy has none.

    >>> [(e.text, e.type.value) for e in MarkRecognizer().recognize([Report("lung +mass, ~pneumonia")])[0]]
    [('lung', 'ANATOMY'), ('mass', 'ABNORMALITY'), ('pneumonia', 'NON-DISEASE')]
    """

    identity: str = "marks"
    note: str = ""
    refused: Mapping[str, str] = field(factory=dict)
    batches: list[list[str]] = field(factory=list)

    def recognize(self, reports: Sequence[Report]) -> list[tuple[Entity, ...] | Unscored]:
        self.batches.append([report.text for report in reports])
        return [self._read(report.text) for report in reports]

    def _read(self, text: str) -> tuple[Entity, ...] | Unscored:
        if text in self.refused:
            return Unscored(self.refused[text], "the fake refuses it")
        return tuple(
            Entity(found[2], found.start(2), found.end(2), _MARKS.get(found[1], EntityType.ANATOMY))
            for found in re.finditer(r"([-+!~]?)([^\W\d_]+)", text)
        )


@define
class LetterEncoder:
    """Embeds a text by its letters; or as it is told."""

    identity: str = "letters"
    note: str = ""
    told: Mapping[str, Sequence[float]] = field(factory=dict)
    batches: list[list[str]] = field(factory=list)

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.batches.append(list(texts))
        rows = np.array([self._row(text) for text in texts], dtype=np.float64)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def _row(self, text: str) -> list[float]:
        if text in self.told:
            return [*self.told[text], *[0.0] * (27 - len(self.told[text]))]
        counts = [float(text.lower().count(chr(letter))) for letter in range(ord("a"), ord("z") + 1)]
        return [*counts, 0.1]
