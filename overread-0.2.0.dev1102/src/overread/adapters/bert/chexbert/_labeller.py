"""CheXbert as a labeller of reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import define, field

from overread.adapters.bert.chexbert._checkpoint import load_chexbert
from overread.adapters.bert.chexbert.options import CheXbertOptions
from overread.adapters.checkpoints.loading import Model
from overread.adapters.checkpoints.memory import Memory
from overread.domain.findings.chest_labels import LABELS, LabelReading
from overread.domain.findings.unit import Polarity
from overread.domain.reports.report import Report
from overread.domain.results.result import Fault, Unscored

__all__ = ["CheXbertLabeller"]

_POLARITY: Final = {1: Polarity.PRESENT, 2: Polarity.ABSENT, 3: Polarity.UNCERTAIN}
"""Of each class but blank, 0."""

_UNKNOWN: Final = Unscored("nothing to read", "the model knows none of its tokens", fault=Fault.REPORT)


@define(eq=False)
class CheXbertLabeller:
    """Labels by the likeliest class of each head, and [CLS]'s state as what stands for the report.

    White space is collapsed and reports are cut to 512 tokens, as released.
    """

    options: CheXbertOptions
    _model: Model
    _read: Memory[LabelReading | Unscored] = field(repr=False)

    @classmethod
    def create(cls, options: CheXbertOptions, path: str) -> CheXbertLabeller:
        """Loads the checkpoint. Raises `ConfigurationError` if it is not CheXbert's or not whole."""
        return cls(options, load_chexbert(path, device=options.device, dtype=options.dtype), Memory(options.cache))

    @property
    def identity(self) -> str:
        """Checkpoint, number format and what becomes of long reports."""
        return f"chexbert,model={self._model.name},dtype={self._model.dtype_name},long={self.options.long}"

    @property
    def note(self) -> str:
        """Nothing: it is the published model."""
        return ""

    def label(self, reports: Sequence[Report]) -> list[LabelReading | Unscored]:
        """The labels of each report."""
        return self._read.answers([" ".join(report.text.split()) for report in reports], self._label_texts)

    def _label_texts(self, texts: list[str]) -> list[LabelReading | Unscored]:
        pieces = self._model.rows(texts, whole=True)
        count = np.bincount([piece.text for piece in pieces], minlength=len(texts))
        firsts = list({piece.text: piece for piece in reversed(pieces)}.values())
        readings: dict[int, LabelReading | Unscored] = {}
        for batch, output, _ in self._model.batches(firsts, self.options.batch_size):
            states = output.states.float().cpu().numpy().astype(np.float64)
            for place, classes, state in zip(batch, output.classes.tolist(), states, strict=True):
                text = firsts[place].text
                unknown = bool(texts[text]) and not self._model.knows(firsts[place])
                readings[text] = _UNKNOWN if unknown else self._reading(classes, state, cut=bool(count[text] > 1))
        return [readings[index] for index in range(len(texts))]

    def _reading(self, classes: Sequence[int], state: npt.NDArray[np.float64], *, cut: bool) -> LabelReading | Unscored:
        limit = f"the {self._model.max_length} tokens that the model reads"
        if cut and self.options.long == "refuse":
            return Unscored("too long", f"more than {limit}", fault=Fault.REPORT)
        mentions = {label: _POLARITY[number] for label, number in zip(LABELS, classes, strict=True) if number}
        length = float(np.linalg.norm(state))
        return LabelReading(
            mentions=mentions,
            vector=state / length if length else None,
            note=f"cut after {limit}" if cut else "",
            truncated=cut,
        )
