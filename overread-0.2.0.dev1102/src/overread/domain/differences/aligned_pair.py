"""Input of a readout: the alignment of a pair, and what else was derived from it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.domain.differences.notation import Notation, notate
from overread.domain.differences.weighing import Weighing
from overread.domain.results.alignment import Alignment

__all__ = ["AlignedPair"]

Matrix = npt.NDArray[np.float64]


@frozen(eq=False, kw_only=True, slots=False)
class AlignedPair:
    """The alignment of a pair and, where the readout removes its bias with them, of each report with itself.

    Attributes:
        reference_burden, candidate_burden: weight of each unit, n x 2 and m x 2: as a finding that asks for action,
            and as one that does not.
        weighing: both reports' lesions, where the cost weighs them.
        read_again: the notation as a second reader sees it, where one was asked.
    """

    cross: Alignment
    reference_self: Alignment | None = None
    candidate_self: Alignment | None = None
    reference_burden: Matrix | None = field(default=None, repr=False)
    candidate_burden: Matrix | None = field(default=None, repr=False)
    weighing: Weighing | None = field(default=None, repr=False)
    read_again: Notation | None = field(default=None, repr=False)

    @cached_property
    def notation(self) -> Notation | None:
        """Notation that the plan is evidence for, computed once for all callers; None if nothing was weighed."""
        if self.read_again is not None:
            return self.read_again
        return None if self.weighing is None else notate(self.weighing, self.cross)
