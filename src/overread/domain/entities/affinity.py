"""RaTEScore's learned parameters: the affinity matrix W between entity types and the penalty p, as named tables.

Paper (Zhao et al. 2024, equations 4 and 5) and released package read them differently, in two ways: which type chooses
W's row (`Orientation`), and which types are at odds (`PenaltyRule`). A table says which reading it was learned under.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.domain.entities.entity import EntityType

__all__ = ["DEFAULT_TABLE", "TABLES", "TYPES", "Affinity", "AffinityTable", "Orientation", "PenaltyRule"]

Matrix = npt.NDArray[np.float64]
Rows = tuple[tuple[float, ...], ...]

TYPES: Final = tuple(EntityType)
"""Order of the rows and columns of W."""


class Orientation(StrEnum):
    """Choice of which type selects the row of W, and which the column."""

    PAPER = "paper"
    """Row: the match. Column: the entity that is scored (equation 4, example A.1)."""

    RELEASE = "release"
    """Row: the entity that is scored. Column: its match (the released package)."""


class PenaltyRule(StrEnum):
    """Pairs of types whose similarity is multiplied by p."""

    ANY_MISMATCH = "any-mismatch"
    """Any two that differ (equation 5)."""

    POLARITY = "polarity"
    """One that says a thing is there and one that denies it (the released package)."""


@frozen(eq=False)
class Affinity:
    """A table as it is applied: both matrices 5 x 5, type of the scored entity x type of its match."""

    weights: Matrix
    penalties: Matrix


def _rows(rows: Rows) -> Rows:
    return tuple(tuple(float(weight) for weight in row) for row in rows)


@frozen(kw_only=True)
class AffinityTable:
    """W and p under a name, with the reading they were learned under.

    Attributes:
        name: of the table; one line without a bar, for it goes into signatures.
        weights: W, 5 x 5 in the order of `TYPES`; 0 or more each, and not all 0. Not symmetric in general.
        p: factor on the similarity of types at odds, 0 to 1.
        orientation: what the rows of W stand for.
        penalty: the rule that p was learned for.

    Raises:
        ValueError: naming the first value that cannot be used.
    """

    name: str
    weights: Rows = field(converter=_rows, repr=False)
    p: float = field(converter=float)
    orientation: Orientation = Orientation.RELEASE
    penalty: PenaltyRule = PenaltyRule.POLARITY

    def __attrs_post_init__(self) -> None:
        if not self.name.strip() or not self.name.isprintable() or "|" in self.name:
            raise ValueError("name must be a line of text without a bar")
        if len(self.weights) != len(TYPES) or any(len(row) != len(TYPES) for row in self.weights):
            raise ValueError(f"weights must be {len(TYPES)} x {len(TYPES)}")
        for row, weights in zip(TYPES, self.weights, strict=True):
            for column, weight in zip(TYPES, weights, strict=True):
                if not (math.isfinite(weight) and weight >= 0):
                    raise ValueError(f"the weight in row {row}, column {column} must be 0 or more, not {weight:g}")
        if not any(map(any, self.weights)):
            raise ValueError("the weights are all 0: nothing would be scored")
        if not 0 <= self.p <= 1:
            raise ValueError(f"p must lie on 0 to 1, not {self.p:g}")

    @property
    def identity(self) -> str:
        """The name; of a table that overread does not ship, also the start of a digest of its numbers."""
        if TABLES.get(self.name) == self:
            return self.name
        numbers = repr((self.weights, self.p, self.orientation.value, self.penalty.value))
        return f"{self.name}#{hashlib.sha256(numbers.encode()).hexdigest()[:8]}"

    @property
    def by_type(self) -> dict[EntityType, Mapping[EntityType, float]]:
        """W as rows of columns."""
        return {row: dict(zip(TYPES, weights, strict=True)) for row, weights in zip(TYPES, self.weights, strict=True)}

    def read_as(self, orientation: Orientation | None = None, penalty: PenaltyRule | None = None) -> Affinity:
        """The table read one way or the other, by default as it was learned."""
        weights = np.array(self.weights)
        if (orientation or self.orientation) is Orientation.PAPER:
            weights = weights.T
        return Affinity(weights, np.where(_at_odds(penalty or self.penalty), self.p, 1.0))


def _at_odds(rule: PenaltyRule) -> npt.NDArray[np.bool_]:
    """Mask of the types that are at odds with each other, 5 x 5 and symmetric."""
    if rule is PenaltyRule.ANY_MISMATCH:
        return ~np.eye(len(TYPES), dtype=bool)
    polarity = np.array([kind.polarity for kind in TYPES])
    return np.asarray(np.multiply.outer(polarity, polarity) < 0)


_LONG: Final = (
    (0.4276119164393705, 0.6240929990607657, 0.0034478181112993847, 0.5431049700217344, 0.27005425386213877),
    (0.7487824274337533, 0.2856134859160784, 0.4592143222158069, 0.02097055139911715, 0.00013736314126696204),
    (0.8396510075734789, 0.9950209388542061, 0.8460555030578727, 0.9820689020512646, 0.3789136708096537),
    (0.16546764653692908, 0.018670610691852826, 0.719397354576018, 0.0009357166071730684, 0.0927333564267591),
    (0.7759420231214385, 0.1839139293714062, 0.10073046076318157, 0.03860183811876373, 0.34065681486566446),
)
_SHORT: Final = (
    (0.4070293318365468, 0.6952639610605605, 0.28342529466226446, 0.9479148658006686, 0.23875064111146294),
    (0.5829759950441763, 0.7709590751917746, 0.0006059634829551632, 0.794672584951181, 0.27982942400798977),
    (0.8840397619834857, 0.9637659445696822, 0.19018958438059513, 0.6962283914800402, 0.943727057946997),
    (0.1712744286898638, 0.4485149671497294, 0.00045065329822896076, 0.0007887930317199857, 0.8555432840895761),
    (0.9555801066212176, 0.13122106162635216, 0.6072996585919443, 0.05650711141169969, 0.3214769399791204),
)
_SHORT_2024_11: Final = (
    (0.38333811268900353, 0.524104047030107, 0.923737018237504, 0.52192782632639, 0.09090975714641883),
    (0.5455639078951555, 0.626496536178074, 0.6437623942176629, 0.8479489992919492, 0.11194478418886475),
    (0.8598321916682581, 0.37507211703215715, 0.5462324461459105, 0.8552179351076601, 0.6815724040730634),
    (0.6456808357648485, 0.3722718146905089, 0.23592975602491242, 0.02307311214300464, 0.2791242506609838),
    (0.14219022374586918, 0.5458139289243846, 0.0845070074347237, 0.9484343180305856, 0.9387816097414258),
)

_GENERATED: Final = (
    (0.9983, 0.7958, 0.9014, 0.9987, 0.1444),
    (0.8317, 0.1948, 0.0839, 0.1112, 0.3092),
    (0.9777, 0.9287, 0.7945, 0.3849, 0.8935),
    (0.0864, 0.0012, 0.0230, 0.6562, 0.7887),
    (0.9669, 0.2187, 0.3213, 0.6833, 0.6638),
)

DEFAULT_TABLE: Final = "release-0.6-long"
"""Table where none is chosen and the recognizer has none of its own: the released package's default."""

TABLES: Final[Mapping[str, AffinityTable]] = {
    table.name: table
    for table in (
        AffinityTable(name="release-0.6-long", weights=_LONG, p=0.8716553966489615),
        AffinityTable(name="release-0.6-short", weights=_SHORT, p=0.3611577852354489),
        AffinityTable(name="release-0.5-long", weights=_LONG, p=0.3612),
        # The file of this matrix says p = 0.786728804814, but the code of its time computed with 0.3612.
        AffinityTable(name="repo-2024-11-short", weights=_SHORT_2024_11, p=0.3612),
        AffinityTable(name="generated-2026.11", weights=_GENERATED, p=0.0160),
    )
}
"""The published tables, for paragraphs ("long") and sentences ("short"), by release of the package; and overread's own,
learned for the embedded recognizer and encoder from the error counts of generated pairs
(docs/metrics/ratescore-training.md)."""
