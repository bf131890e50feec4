"""What the metrics make of real reports with errors injected, whose number is known.

    python benchmarks/injection.py --reports NLMCXR_reports.tgz --counter small

Reads the Open-i reports, which users bring themselves; nothing is trained on them. Three sets are drawn from them:
reports against candidates with none to four errors of the categories A to F, reports against candidates in which one
finding is denied or one denial asserted, and reports against themselves. ``--write`` keeps the first set as a file that
``overread fit crepe --test`` takes, ``--write-negations`` the second.

Every edit is read again by the default reader and dropped unless it came out as meant. Metrics that rest on that reader
(radot, notation, ratescore with its embedded recognizer) are thus spared what it cannot read; crepe is not.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from _injection import Injector
from attrs import evolve

from overread.application.studies.tabulation import Estimate
from overread.domain.annotation import AnnotatedPair
from overread.domain.report import ReportPair

Array = npt.NDArray[np.float64]
Reports = Sequence[tuple[str, str]]
Scorer = Callable[[Sequence[ReportPair]], Array]
"""Scores pairs so that higher is worse."""

_ERRORS = {0: 15, 1: 30, 2: 25, 3: 15, 4: 15}
"""How often a candidate is to get so many errors, in per cent."""
_ONLY_FALSE = 0.2
"""Share kept of the candidates whose errors are all false findings, which every report allows."""
_LEAST_ERRORS = 0.3
_RESAMPLES = 1000
_NOISE = 1e-6
"""Differences below are of rounding in single precision."""


def injected(injector: Injector, reports: Reports, count: int, seed: int) -> Iterator[AnnotatedPair]:
    """Pairs with none to four errors."""
    rng = random.Random(seed)
    for name, text in rng.sample(reports, len(reports)):
        if count <= 0:
            return
        errors = rng.choices(list(_ERRORS), list(_ERRORS.values()))[0]
        pair = injector.pair(name, text, errors, rng)
        if pair is None or (errors and _is_only_false(pair) and rng.random() > _ONLY_FALSE):
            continue
        count -= 1
        yield pair


def _total(pair: AnnotatedPair) -> float:
    return sum(pair.mean(category) for category in pair.ratings)


def _is_only_false(pair: AnnotatedPair) -> bool:
    return _total(pair) == pair.mean("A")


def negated(injector: Injector, reports: Reports, count: int, seed: int) -> Iterator[AnnotatedPair]:
    """Pairs with one negation each, by turns a finding denied and a denial asserted."""
    rng = random.Random(seed)
    made = 0
    for name, text in rng.sample(reports, len(reports)):
        if made == count:
            return
        pair = injector.negation(name, text, ("denied", "affirmed")[made % 2], rng)
        if pair is not None:
            made += 1
            yield pair


def write(path: Path, pairs: Sequence[AnnotatedPair]) -> None:
    with path.open("w", encoding="utf-8") as out:
        for pair in pairs:
            texts = {"reference": pair.pair.reference.text, "candidate": pair.pair.candidate.text}
            counts = {category: int(pair.mean(category)) for category in pair.ratings}
            out.write(json.dumps({"id": pair.pair.id, "study": pair.study, **texts, **counts}) + "\n")


def share(hits: npt.NDArray[np.bool_]) -> str:
    """A share with Wilson's 95 % interval."""
    n, p, z = len(hits), float(hits.mean()), 1.96
    middle, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = (abs(middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f"{p:.3f} ({low:.3f} to {high:.3f}) of {n}"


def correlation(scores: Array, errors: Array) -> str:
    """Kendall's tau-b with a bootstrap interval; every pair is of a study of its own."""
    from overread.application.statistics.correlations import Kendall

    kendall, rng = Kendall().value, np.random.default_rng(0)
    rows = [rng.integers(len(scores), size=len(scores)) for _ in range(_RESAMPLES)]
    low, high = np.nanquantile([kendall(scores[row], errors[row]) for row in rows], (0.025, 0.975))
    return f"{kendall(scores, errors):.3f} ({low:.3f} to {high:.3f})"


def figure(measured: Estimate) -> str:
    if measured.value is None:
        return "not defined"
    return f"{measured.value:.3f} ({measured.low:.3f} to {measured.high:.3f})"


def themselves(pairs: Sequence[ReportPair]) -> list[ReportPair]:
    return [evolve(pair, candidate=pair.reference) for pair in pairs]


def tell(
    name: str, scorer: Scorer, pairs: Sequence[AnnotatedPair], flips: Sequence[AnnotatedPair], own: Reports
) -> None:
    """Prints what a metric makes of the three sets; unscored pairs are left out and counted."""
    errors = np.array([_total(pair) for pair in pairs])
    scores = scorer([pair.pair for pair in pairs])
    known = np.isfinite(scores)
    print(f"{name}")
    print(f"  tau with the number of errors  {correlation(scores[known], errors[known])}, {(~known).sum()} unscored")
    harmless = scores[known & (errors == 0)]
    print(f"  harmless pairs                 mean {harmless.mean():.3f}, 95 % below {np.quantile(harmless, 0.95):.3f}")
    flipped = [pair.pair for pair in flips]
    rise = scorer(flipped) - scorer(themselves(flipped))
    for title, rows in (
        ("one negation, worse than self", np.ones(len(flips), dtype=bool)),
        ("  a finding denied", np.array([pair.mean("B") > 0 for pair in flips])),
        ("  a denial asserted", np.array([pair.mean("A") > 0 for pair in flips])),
    ):
        print(f"  {title:<30} {share(rise[rows] > _NOISE)}")
    self_scores = scorer([ReportPair(id=name, reference=text, candidate=text) for name, text in own])
    self_scores = self_scores[np.isfinite(self_scores)]
    print(
        f"  {len(own)} reports against themselves  mean {self_scores.mean():.4f},"
        f" 95 % below {np.quantile(self_scores, 0.95):.4f}, worst {self_scores.max():.4f}"
    )
    if name.startswith("crepe"):
        print(f"  of them below {_LEAST_ERRORS} errors         {share(self_scores < _LEAST_ERRORS)}")


def scorers(names: Sequence[str]) -> Mapping[str, Scorer]:
    """Scorers of overread's metrics, higher is worse: 1 - ratescore, risk as it is."""
    from overread.bootstrap import open_service

    service = open_service(metrics=list(names))

    def scorer(name: str) -> Scorer:
        def scores(pairs: Sequence[ReportPair]) -> Array:
            results = [results[name] for results in service.evaluate(pairs)]
            values = np.array([r.score if r.is_scored else np.nan for r in results])
            return results[0].scale.high - values if results[0].scale.higher_is_better else values

        return scores

    return {name: scorer(name) for name in names}


def crepe_scorer(counter: Any) -> Scorer:
    from overread.domain.error_counts import ErrorCounts

    def scores(pairs: Sequence[ReportPair]) -> Array:
        return np.array([c.total if isinstance(c, ErrorCounts) else np.nan for c in counter.count(pairs)])

    return scores


def tell_counts(counter: Any, pairs: Sequence[AnnotatedPair]) -> None:
    """Prints how near a counter comes to the known errors of each category."""
    from overread.application.training.counting import try_counter

    report = try_counter(counter, pairs)
    print(f"counter {counter.identity}")
    for head, error in report.errors.items():
        print(f"  mean absolute error {head:<10} {figure(error)}")
    print(f"  mean absolute error of the sum {figure(report.total_error)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=Path, required=True, help="NLMCXR_reports.tgz or its folder")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--negations", type=int, default=500)
    parser.add_argument("--self-pairs", type=int, default=590)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--counter", nargs="*", default=["small"], help="small, or bert:FOLDER")
    parser.add_argument("--metric", nargs="*", default=["ratescore", "radot", "notation"])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--write-negations", type=Path)
    arguments = parser.parse_args()

    from overread.adapters.lexicon import load_knowledge
    from overread.infrastructure.datasets.reader_labels.openi import read_coded_reports
    from overread.plugins.assembly import Assembly
    from overread.plugins.catalogue import Catalogue

    catalogue = Catalogue.discover()
    injector = Injector(Assembly(catalogue).get("extractor"), load_knowledge().lexicon)
    reports = [(r.id, r.report.text) for r in read_coded_reports(arguments.reports) if not r.report.is_blank]
    flips = list(negated(injector, reports, arguments.negations, arguments.seed))
    if arguments.write_negations:
        write(arguments.write_negations, flips)
    pairs = list(injected(injector, reports, arguments.pairs, arguments.seed))
    if arguments.write:
        write(arguments.write, pairs)
    own = random.Random(arguments.seed).sample(reports, min(arguments.self_pairs, len(reports)))
    kinds = Counter({head: int(sum(pair.mean(head) for pair in pairs)) for head in "ABCDEF"})
    numbers = Counter(int(_total(pair)) for pair in pairs)
    print(f"{len(pairs)} pairs, errors {dict(kinds)}, pairs by number of errors {dict(sorted(numbers.items()))}")
    print(f"edits dropped because they were not read as meant: {dict(injector.refused)}")
    sys.stdout.flush()
    for choice in arguments.counter:
        counter = Assembly(catalogue, choices={"error_counter": choice}).get("error_counter")
        tell_counts(counter, pairs)
        tell(f"crepe ({choice})", crepe_scorer(counter), pairs, flips, own)
    if arguments.metric:
        for name, scorer in scorers(arguments.metric).items():
            tell(name, scorer, pairs, flips, own)


if __name__ == "__main__":
    main()
