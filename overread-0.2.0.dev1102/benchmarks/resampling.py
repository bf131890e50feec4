"""Seconds that each measure takes for its interval and for a paired comparison, on one core.

    OMP_NUM_THREADS=1 python benchmarks/resampling.py
    OMP_NUM_THREADS=1 python benchmarks/resampling.py --rows 1000

Invented scores of 200 pairs, four a study, 10,000 draws. The last line is the difference of means of 200,000 pairs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from overread.application.statistics import Resampling, Standard, compare_means, compare_measures, estimate
from overread.application.statistics.measures import MEASURES

STANDARDS: dict[str, Standard] = {"pearson": "z", "mae": "raw", "rmse": "raw", "accuracy": "raw"}
COUNTS = ("kendall", "spearman", "pearson", "mae", "rmse", "accuracy")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--draws", type=int, default=10_000)
    arguments = parser.parse_args()
    pairs = arguments.rows
    random = np.random.default_rng(0)
    counts = random.poisson(3, pairs).astype(float)
    first, second = counts + random.normal(size=pairs), counts + 2 * random.normal(size=pairs)
    resampling = Resampling.by_study([str(pair // 4) for pair in range(pairs)], draws=arguments.draws)
    print(f"{pairs} pairs, {arguments.draws} draws")
    print(f"{'measure':<20} {'interval':>10} {'comparison':>10}")
    for name, measure in MEASURES.items():
        people = counts if name in COUNTS else (counts > 3).astype(float)
        interval = seconds(lambda: estimate(measure, first, people, resampling))  # noqa: B023
        standard = STANDARDS.get(name, "ranks")
        comparison = seconds(
            lambda: compare_measures(measure, first, second, people, resampling, standard=standard)  # noqa: B023
        )
        print(f"{name:<20} {interval:>9.3f}s {comparison:>9.3f}s")
    first, second = random.normal(size=200_000), random.normal(size=200_000)
    alone = Resampling.by_study([str(pair) for pair in range(200_000)], draws=arguments.draws)
    print(f"{'means of 200,000':<20} {'':>10} {seconds(lambda: compare_means(first, second, alone)):>9.3f}s")


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
