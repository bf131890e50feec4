"""The fourteen observations of CheXpert, as labels of a report, and how well two reports agree in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import Certainty, ClinicalUnit, Polarity

__all__ = [
    "FIVE_LABELS",
    "LABELS",
    "NO_FINDING",
    "SUPPORT_DEVICES",
    "LabelReading",
    "LabelTable",
    "f1",
    "with_no_finding",
]

LABELS: Final = (
    "enlarged_cardiomediastinum",
    "cardiomegaly",
    "lung_opacity",
    "lung_lesion",
    "edema",
    "consolidation",
    "pneumonia",
    "atelectasis",
    "pneumothorax",
    "pleural_effusion",
    "pleural_other",
    "fracture",
    "support_devices",
    "no_finding",
)
"""In the order of CheXbert's heads (Smit et al. 2020)."""

FIVE_LABELS: Final = ("cardiomegaly", "edema", "consolidation", "atelectasis", "pleural_effusion")
"""The five that CheXpert's competition is about (Irvin et al. 2019, table 3), for which F1 is often given apart."""

NO_FINDING: Final = LABELS[-1]
SUPPORT_DEVICES: Final = LABELS[-2]

_STRENGTH: Final = (Polarity.ABSENT, Polarity.UNCERTAIN, Polarity.PRESENT)
"""A label has the strongest of what a report's statements make of it (Irvin et al. 2019, section 2)."""


@frozen
class LabelReading:
    """Reading of the observations in a report.

    Attributes:
        mentions: by label; one that is not mentioned is missing.
        vector: represents the report as a whole, of unit length; None where the labeller makes none.
        note: what a reader must know about this reading; "" for nothing.
        truncated: whether part of the report was not read.
    """

    mentions: Mapping[str, Polarity]
    vector: npt.NDArray[np.float64] | None = field(default=None, eq=False, repr=False)
    note: str = ""
    truncated: bool = False

    def positives(self, *, uncertain: bool) -> frozenset[str]:
        """Labels that the report asserts, those it leaves open among them where ``uncertain``."""
        counted = {Polarity.PRESENT, Polarity.UNCERTAIN} if uncertain else {Polarity.PRESENT}
        return frozenset(label for label, polarity in self.mentions.items() if polarity in counted)


@frozen
class LabelTable:
    """Mapping of a lexicon's findings to observations.

    A kind of a listed finding has its label, or the label of the nearest listed finding that it is a kind of: pneumonia
    is a lung opacity to the lexicon, and "pneumonia" alone as a label.

    Attributes:
        findings: by label; a finding may have several. `NO_FINDING` follows from the others and has none.
    """

    findings: Mapping[str, Sequence[str]]
    _labels: Mapping[str, Sequence[str]] = field(init=False, eq=False, repr=False)

    @_labels.default
    def _by_finding(self) -> dict[str, list[str]]:
        labels: dict[str, list[str]] = {}
        for label, findings in self.findings.items():
            for finding in findings:
                labels.setdefault(finding, []).append(label)
        return labels

    def read(self, units: Iterable[ClinicalUnit], lexicon: Lexicon) -> dict[str, Polarity]:
        """Polarity of each observation by a report's statements; one that they do not mention is missing.

        Statements about the past or about relatives do not count. `NO_FINDING` is given only to a report of which
        something was read, and which names nothing else that requires action: an embolism, which has no label, is a
        finding.
        """
        polarities: dict[str, Polarity] = {}
        known = [unit for unit in units if unit.canonical_finding and not unit.administrative]
        for unit in known:
            for label, polarity in self._read_unit(unit, lexicon):
                polarities[label] = max(polarities.get(label, polarity), polarity, key=_STRENGTH.index)
        other = any(u.asserts_finding and lexicon.importance(u.canonical_finding).is_actionable for u in known)
        return with_no_finding(polarities) if known and not other else polarities

    def _read_unit(self, unit: ClinicalUnit, lexicon: Lexicon) -> Iterable[tuple[str, Polarity]]:
        if unit.asserts_finding:
            polarity = Polarity.UNCERTAIN if _is_uncertain(unit) else Polarity.PRESENT
            return [(label, polarity) for label in self._labels_of(unit.canonical_finding, lexicon)]
        if unit.denies_finding:
            denied = unit.denies or {unit.canonical_finding}
            return [
                (label, Polarity.ABSENT)
                for label, listed in self.findings.items()
                if any(lexicon.denies(denied, finding) for finding in listed)
            ]
        return []

    def _labels_of(self, finding: str, lexicon: Lexicon) -> list[str]:
        there = [concept for concept in (finding, *lexicon.ancestors(finding)) if concept in self._labels]
        nearest = [
            concept
            for concept in there
            if not any(lexicon.is_kind_of(other, concept) for other in there if other != concept)
        ]
        return list(dict.fromkeys(label for concept in nearest for label in self._labels[concept]))


def _is_uncertain(unit: ClinicalUnit) -> bool:
    return unit.polarity is Polarity.UNCERTAIN or unit.certainty in {Certainty.POSSIBLE, Certainty.PROBABLE}


def with_no_finding(mentions: Mapping[str, Polarity]) -> dict[str, Polarity]:
    """The mentions with `NO_FINDING`, present where no other is present or uncertain, devices aside.

    The rule of CheXpert's labeller (Irvin et al. 2019, section 2).

    >>> with_no_finding({"edema": Polarity.ABSENT, "support_devices": Polarity.PRESENT})["no_finding"].value
    'present'
    """
    named = {label: polarity for label, polarity in mentions.items() if label != NO_FINDING}
    has_finding = any(p is not Polarity.ABSENT for label, p in named.items() if label != SUPPORT_DEVICES)
    return named if has_finding else {**named, NO_FINDING: Polarity.PRESENT}


def f1(hits: float, false: float, missed: float) -> float:
    """F1 from counts, 0 to 1: 2 hits / (2 hits + false + missed); 1 where there is nothing to hit and nothing false.

    >>> f1(2, 1, 1), f1(0, 0, 0)
    (0.6666666666666666, 1.0)
    """
    counted = 2 * hits + false + missed
    return 2 * hits / counted if counted else 1.0
