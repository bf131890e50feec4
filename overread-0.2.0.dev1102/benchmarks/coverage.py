"""How often 95 % intervals hold the truth at the shape of a set such as ReXVal: 50 studies of four candidates.

    OMP_NUM_THREADS=1 python benchmarks/coverage.py
    OMP_NUM_THREADS=1 python benchmarks/coverage.py --sets 2000 --studies 100 --candidates 1

Invented sets, drawn anew from a population whose figures are known from 80,000 pairs: what is wrong with a pair depends
on its study and on itself, six raters count errors of it, and two metrics see it through noise, some of which is the
study's. Counts are skewed and full of ties; one population has a skewed metric too, two have ratings instead of counts.

Intervals over the same draws of studies:

    percentile  percentiles 2.5 and 97.5
    expanded    as overread has them, wider by what few studies ask for
    bca         bias-corrected and accelerated (Efron, 1987), the acceleration from leaving out each study in turn
    bca+        the same, expanded
    jackknife   Student's t with the standard error of leaving out each study in turn, on Fisher's z of correlations

The error of a share of 1,000 sets is 0.7 points.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtrit  # noqa: TID253 - nothing imports a benchmark

from overread.application.statistics import Resampling, interval
from overread.application.statistics.measures import MEASURES

Vector = npt.NDArray[np.float64]
Figures = dict[str, tuple[float, Vector, Vector]]

POPULATIONS: Mapping[str, tuple[float, bool, bool]] = {
    "counts": (0.4, True, False),
    "counts, alike in a study": (0.7, True, False),
    "counts, skewed metric": (0.4, True, True),
    "ratings": (0.4, False, False),
    "ratings, alike in a study": (0.7, False, False),
}
"""What a study's candidates have in common of what is wrong; whether people count, and whether the metric is skewed."""

CORRELATIONS = ("kendall", "spearman", "pearson")
METHODS = ("percentile", "expanded", "bca", "bca+", "jackknife")
RATERS = 6
TRUTH = 20_000
NORMAL = 1.959964


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--studies", type=int, default=50)
    parser.add_argument("--candidates", type=int, default=4)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=1)
    told = parser.parse_args()
    print(f"{told.sets} sets of {told.studies} studies x {told.candidates}, {told.draws} draws")
    print(f"{'':<42}" + "".join(f"{method:>17}" for method in METHODS))
    with ProcessPoolExecutor(told.workers) as pool:
        for name, population in POPULATIONS.items():
            known = {key: value for key, (value, _, _) in figures(population, TRUTH, told.candidates, 0, 0)}
            one = partial(ends, population, told.studies, told.candidates, told.draws)
            found = list(pool.map(one, range(1, told.sets + 1), chunksize=20))
            for figure, truth in known.items():
                cells = (share(truth, [each[figure, method] for each in found]) for method in METHODS)
                print(f"{name:<28}{figure:<14}" + "".join(cells), flush=True)


def share(truth: float, intervals: list[tuple[float, float]]) -> str:
    """How many of a hundred intervals hold the truth, and their mean width."""
    held = np.mean([low <= truth <= high for low, high in intervals])
    width = np.mean([high - low for low, high in intervals])
    return f"{100 * held:>9.1f} ({width:.3f})"


def drawn_set(
    population: tuple[float, bool, bool], studies: int, candidates: int, seed: int
) -> tuple[Vector, Vector, Vector]:
    """People's mean figure, a metric and a lesser one; a row a pair, study by study."""
    alike, counts, skewed = population
    random = np.random.default_rng((round(10 * alike), counts, skewed, seed))
    shape = (studies, candidates)
    wrong = np.sqrt(alike) * random.normal(size=(studies, 1)) + np.sqrt(1 - alike) * random.normal(size=shape)
    if counts:
        mean = np.exp(0.7 + 0.6 * wrong)
        people = np.mean([random.poisson(mean * random.gamma(4, 0.25, size=shape)) for _ in range(RATERS)], axis=0)
    else:
        people = wrong + 0.5 * random.normal(size=shape)
    of_study = 0.35 * random.normal(size=(studies, 1))
    metric = 0.6 * wrong + of_study + 0.7 * random.normal(size=shape)
    lesser = 0.45 * wrong + of_study + 0.8 * random.normal(size=shape)
    return people.ravel(), (np.exp(metric) if skewed else metric).ravel(), lesser.ravel()


def figures(
    population: tuple[float, bool, bool], studies: int, candidates: int, draws: int, seed: int
) -> Iterator[tuple[str, tuple[float, Vector, Vector]]]:
    """Each correlation, and how much less the lesser metric has: of the set, of its draws, and without each study."""
    people, metric, lesser = drawn_set(population, studies, candidates, seed)
    nothing = np.empty((0, len(people)), dtype=np.float32)
    names = [f"{place // candidates:05}" for place in range(len(people))]
    resampling = Resampling.by_study(names, draws=max(1, draws), seed=seed)
    taken = np.concatenate(list(resampling.weights())) if draws else nothing
    without = (1 - np.eye(studies, dtype=np.float32)).repeat(candidates, axis=1) if draws else nothing
    for name in CORRELATIONS:
        measure = MEASURES[name]
        one, other = (
            (measure.value(x, people), measure.resample(x, people, taken), measure.resample(x, people, without))
            for x in (metric, lesser)
        )
        yield name, one
        yield f"{name} less", (one[0] - other[0], one[1] - other[1], one[2] - other[2])


def ends(
    population: tuple[float, bool, bool], studies: int, candidates: int, draws: int, seed: int
) -> dict[tuple[str, str], tuple[float, float]]:
    """The intervals of one set, by figure and method."""
    found = {}
    for figure, (value, drawn, without) in figures(population, studies, candidates, draws, seed):
        known = drawn[np.isfinite(drawn)]
        wide = float(np.sqrt(studies / (studies - 1)) * stdtrit(studies - 1, 0.975))
        found[figure, "percentile"] = tuple(np.percentile(known, (2.5, 97.5)))
        found[figure, "expanded"] = interval(known, studies)
        found[figure, "bca"] = accelerated(value, known, without, NORMAL)
        found[figure, "bca+"] = accelerated(value, known, without, wide)
        found[figure, "jackknife"] = jackknife(value, without, scaled="less" not in figure)
    return found


def accelerated(value: float, drawn: Vector, without: Vector, width: float) -> tuple[float, float]:
    """The BCa interval whose ends are ``width`` standard errors away before it is corrected."""
    below = (np.count_nonzero(drawn < value) + np.count_nonzero(drawn == value) / 2) / len(drawn)
    bias = ndtri(np.clip(below, 1e-6, 1 - 1e-6))
    apart = without.mean() - without
    acceleration = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    at = bias + np.array([-width, width])
    low, high = np.percentile(drawn, 100 * ndtr(bias + at / (1 - acceleration * at)))
    return low, high


def jackknife(value: float, without: Vector, *, scaled: bool) -> tuple[float, float]:
    """Student's t interval; of a correlation on Fisher's scale."""
    values = np.arctanh(without) if scaled else without
    middle = np.arctanh(value) if scaled else value
    count = len(values)
    error = np.sqrt((count - 1) / count * ((values - values.mean()) ** 2).sum())
    both = middle + np.array([-1, 1]) * stdtrit(count - 1, 0.975) * error
    low, high = np.tanh(both) if scaled else both
    return low, high


if __name__ == "__main__":
    main()
