"""Search of the unit cube by optuna's tree-structured Parzen estimator (Bergstra et al. 2011)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.extras import require

require("the search by TPE", "fit", "optuna")

import optuna  # noqa: E402 - what is missing is told first

__all__ = ["TpeSearch"]

Array = npt.NDArray[np.float64]


@frozen
class TpeSearch:
    """A seeded search; the same seed under the same version of optuna finds the same point."""

    @property
    def identity(self) -> str:
        """TPE and the version of optuna."""
        return f"tpe,optuna={optuna.__version__}"

    def maximise(
        self,
        objective: Callable[[Array], float],
        starts: Sequence[Array],
        *,
        trials: int,
        seed: int,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Array:
        """The best of the points tried, the first among equals; see `Search`."""
        names = [f"x{index}" for index in range(len(starts[0]))]

        def run(trial: optuna.Trial) -> float:
            return objective(np.array([trial.suggest_float(name, 0.0, 1.0) for name in names]))

        def report_trial(_: optuna.Study, trial: optuna.trial.FrozenTrial) -> None:
            if on_progress is not None:
                on_progress(trial.number + 1, trials)

        with _quiet():
            study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
            for start in starts:
                study.enqueue_trial(dict(zip(names, map(float, start), strict=True)))
            study.optimize(run, n_trials=trials, callbacks=[report_trial])
        return np.array([study.best_params[name] for name in names])


@contextmanager
def _quiet() -> Iterator[None]:
    """No line a trial on standard error; the level is the host's again afterwards."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
