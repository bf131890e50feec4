"""Rivals and their selection, which uses ReXVal alone as for RadOT-Eval itself (section V-A)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.statistics.correlations import Spearman, zero_where_undefined
from overread.exceptions import ConfigurationError
from overread.extras import require
from overread.studies.application.reproduction.radot.reading import ReadSet

__all__ = ["FOLDS", "FittedRival", "Rival", "RivalFit", "RivalLearner", "select_rival"]

Vector = npt.NDArray[np.float64]

FOLDS: Final = 5
"""Folds by study, as for the system itself (section V-A)."""


class FittedRival(Protocol):
    """Gives pairs their risk."""

    def risks(self, data: ReadSet) -> Mapping[str, Vector]:
        """Risk of each pair by target, higher is worse."""
        ...


class RivalLearner(Protocol):
    """Learns a risk from the errors that people counted, under one setting."""

    @property
    def setting(self) -> str:
        """The setting in a few words, for example "alpha 10"."""
        ...

    def fit(self, data: ReadSet, labels: Mapping[str, Vector]) -> FittedRival:
        """Fit to some pairs and nothing else.

        Args:
            data: the pairs, read.
            labels: errors of each pair, by target.
        """
        ...


@frozen(kw_only=True)
class Rival:
    """A baseline of Table III as it is rebuilt here.

    Attributes:
        idea: what it is, in one line, since the paper gives its name alone.
        learners: the settings that compete; called where the table is wanted, since what they import is slow.
    """

    idea: str
    learners: Callable[[], Sequence[RivalLearner]] = field(repr=False)


@frozen(kw_only=True)
class RivalFit:
    """A rival selected and fitted.

    Attributes:
        setting: the one chosen.
        macro: mean over the targets of its held-out Spearman correlations.
        fitted: the rival, fitted to all pairs.
    """

    setting: str
    macro: float
    fitted: FittedRival = field(repr=False)


def select_rival(learners: Sequence[RivalLearner], data: ReadSet, labels: Mapping[str, Vector]) -> RivalFit:
    """Choose the setting of highest macro correlation over held-out studies, and fit it to all pairs; ties go first.

    Raises:
        ConfigurationError: if there are fewer studies than folds.
    """
    require("fitting a rival", "statistics", "sklearn")
    from sklearn.model_selection import GroupKFold

    studies = data.studies
    if len(set(studies)) < FOLDS:
        raise ConfigurationError([f"fitting needs at least {FOLDS} studies; there are {len(set(studies))}"])
    folds = list(GroupKFold(n_splits=FOLDS).split(np.zeros((len(data), 1)), groups=studies))
    macros = [_macro(learner, data, labels, folds) for learner in learners]
    best = int(np.argmax(macros))
    return RivalFit(setting=learners[best].setting, macro=macros[best], fitted=learners[best].fit(data, labels))


def _macro(
    learner: RivalLearner, data: ReadSet, labels: Mapping[str, Vector], folds: Sequence[tuple[Vector, Vector]]
) -> float:
    held_out = {target: np.zeros(len(data)) for target in labels}
    for train, test in folds:
        fitted = learner.fit(data.subset(train), {target: values[train] for target, values in labels.items()})
        for target, risks in fitted.risks(data.subset(test)).items():
            held_out[target][test] = risks
    return float(np.mean([zero_where_undefined(Spearman(), held_out[t], values) for t, values in labels.items()]))
