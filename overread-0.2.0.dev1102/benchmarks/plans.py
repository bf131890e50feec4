"""Exact plans by shortest paths, the default, beside POT's network simplex: seconds for the same problems.

python benchmarks/plans.py [--studies 100] [--repeats 5]
"""

from __future__ import annotations

import argparse
import time

from overread import ReportPair, open_service
from overread.adapters.transport.importance._solvers import ExactSolver, Problem
from overread.domain.results.result import Scored, TransportEvidence
from overread.studies.bootstrap.synthesis import synthetic_pairs


def problems(studies: int) -> list[Problem]:
    """Problems of generated pairs, and of each reference against another study's candidate."""
    service = open_service(metrics=["notation"])
    rows = [pair.as_row() for pair in synthetic_pairs(seed=3, studies=studies)]
    crossed = zip(rows, rows[4:] + rows[:4], strict=True)
    pairs = [ReportPair(id="own", reference=r["reference"], candidate=r["candidate"]) for r in rows]
    pairs += [ReportPair(id="other", reference=r["reference"], candidate=c["candidate"]) for r, c in crossed]
    found = []
    for results in service.evaluate(pairs):
        outcome = results["notation"].outcome
        if isinstance(outcome, Scored) and isinstance(outcome.evidence, TransportEvidence):
            a = outcome.evidence.alignment
            if a.row_null is not None and a.column_null is not None:
                found.append(Problem(a.ground + a.side_total, a.row_mass, a.column_mass, a.row_null, a.column_null))
    return found


def seconds(solver: ExactSolver, given: list[Problem], repeats: int) -> float:
    """The fastest of several runs over all problems."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        solver.solve(given)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Prints both times and their ratio; POT's import, which takes seconds, is not counted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    posed = problems(given.studies)
    ExactSolver(pot=True).solve(posed[:1])
    paths, simplex = (seconds(ExactSolver(pot=pot), posed, given.repeats) for pot in (False, True))
    print(f"{len(posed)} problems: shortest paths {paths:.3f} s, POT {simplex:.3f} s, ratio {simplex / paths:.2f}")


if __name__ == "__main__":
    main()
