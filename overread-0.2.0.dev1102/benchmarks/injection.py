"""What the metrics make of real reports with errors injected, whose number is known.

    python benchmarks/injection.py --reports NLMCXR_reports.tgz --counter small

Reads the Open-i reports, which users bring themselves; nothing is trained on them. Three sets are drawn from them:
reports against candidates with none to four errors of the categories A to F, reports against candidates in which one
finding is denied or one denial asserted, and reports against themselves. ``--write`` keeps the first set as a file that
``overread fit crepe --test`` takes, ``--write-negations`` the second.

The edits are those of `overread inject`, several to a candidate, each in sentences of its own. Every one is read again
by the default reader and dropped unless it came out as meant. Metrics that rest on that reader (radot, notation,
ratescore with its embedded recognizer) are thus spared what it cannot read; crepe is not.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve

from overread.application.statistics import Estimate
from overread.application.statistics.correlations import Kendall
from overread.application.statistics.estimating import estimate
from overread.application.statistics.resampling import Resampling
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorAspect, ErrorCategory, ErrorType
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits.categories import CATEGORIES, Category, Subset
from overread.studies.application.synthesis.edits.denials import ASSERTED
from overread.studies.application.synthesis.edits.edit import Edit
from overread.studies.application.synthesis.edits.rules import RuleInjector
from overread.studies.application.synthesis.injected.material import Material

Array = npt.NDArray[np.float64]
Reports = Sequence[tuple[str, str]]
Scorer = Callable[[Sequence[ReportPair]], Array]
"""Scores pairs so that higher is worse."""

_ERRORS = {0: 15, 1: 30, 2: 25, 3: 15, 4: 15}
"""How often a candidate is to get so many errors, in per cent."""
_ONLY_FALSE = 0.2
"""Share kept of the candidates whose errors are all false findings, which every report allows."""
_HARMLESS = 0.4
"""Share of the candidates with errors that differ harmlessly besides; those without any all do where they can."""
_MOST_HARMLESS = 3
_NEGATION = Category(ErrorAspect.NEGATION)
_COUNTED = {
    Category(ErrorAspect.DESCRIPTION, ErrorType.FABRICATION): ErrorCategory.FALSE_FINDING,
    Category(ErrorAspect.DESCRIPTION, ErrorType.OMISSION): ErrorCategory.OMITTED_FINDING,
    **{Category(ErrorAspect.LOCATION, kind): ErrorCategory.LOCATION for kind in ErrorType},
    **{Category(ErrorAspect.SEVERITY, kind): ErrorCategory.SEVERITY for kind in ErrorType},
    Category(ErrorAspect.SIZE): ErrorCategory.SEVERITY,
    Category(ErrorAspect.COMPARISON, ErrorType.FABRICATION): ErrorCategory.COMPARISON_NOT_IN_REFERENCE,
    Category(ErrorAspect.COMPARISON, ErrorType.OMISSION): ErrorCategory.OMITTED_COMPARISON,
}
"""What an edit that matters counts as; a negation turned round is a false or an omitted finding."""
_ERRONEOUS = {
    **dict.fromkeys(((category, Subset.DISCRIMINATION) for category in (*_COUNTED, _NEGATION)), 1.0),
    (Category(ErrorAspect.DESCRIPTION, ErrorType.FABRICATION), Subset.DISCRIMINATION): 0.1,
    (_NEGATION, Subset.DISCRIMINATION): 0.5,
}
"""How often each error is tried first: what every report allows, last."""
_UNCOUNTED = (
    ErrorAspect.DESCRIPTION,
    ErrorAspect.NEGATION,
    ErrorAspect.TERMINOLOGY,
    ErrorAspect.NOISE,
    ErrorAspect.STYLE,
)
_INNOCENT = tuple((category, Subset.ROBUSTNESS) for category in CATEGORIES if category.aspect in _UNCOUNTED)
"""Harmless edits that are no errors at all, as a slight degree left out would be."""
_LEAST_ERRORS = 0.3
_NOISE = 1e-6
"""Differences below are of rounding in single precision."""


def injected(injector: RuleInjector, material: Material, count: int, seed: int) -> Iterator[AnnotatedPair]:
    """Pairs with none to four errors, each in sentences of its own, or as many as the report allows."""
    made = 0
    for report in Draws.from_parts(seed, "pairs").shuffled(range(len(material.readings))):
        if made == count:
            return
        draws = Draws.from_parts(seed, material.studies[report])
        reading, wanted = material.readings[report], draws.weighted(tuple(_ERRORS), tuple(_ERRORS.values()))
        errors = injector.several(reading, draws.rank(_ERRONEOUS), wanted, draws)
        edits = [edit for _, _, edit in errors]
        if not errors or draws.chance(_HARMLESS):
            innocent, most = draws.shuffled(_INNOCENT), draws.between(1, _MOST_HARMLESS)
            edits += [edit for _, _, edit in injector.several(reading, innocent, most, draws, beside=edits)]
        counts = Counter(_head(category, edit) for category, _, edit in errors)
        only_false = set(counts) == {ErrorCategory.FALSE_FINDING} and not draws.chance(_ONLY_FALSE)
        if bool(errors) == bool(wanted) and not only_false:
            made += 1
            yield _pair(material, report, edits, counts)


def negated(injector: RuleInjector, material: Material, count: int, seed: int) -> Iterator[AnnotatedPair]:
    """Pairs with one negation each: a finding denied, or a denial asserted."""
    made = 0
    for report in Draws.from_parts(seed, "negations").shuffled(range(len(material.readings))):
        if made == count:
            return
        draws = Draws.from_parts(seed, material.studies[report], "negation")
        edit = injector.edit(material.readings[report], _NEGATION, Subset.DISCRIMINATION, draws)
        if edit is not None:
            made += 1
            yield _pair(material, report, [edit], Counter([_head(_NEGATION, edit)]))


def _head(category: Category, edit: Edit) -> ErrorCategory:
    if category == _NEGATION:
        return ErrorCategory.FALSE_FINDING if edit.explanation == ASSERTED else ErrorCategory.OMITTED_FINDING
    return _COUNTED[category]


def _pair(material: Material, report: int, edits: Sequence[Edit], counts: Mapping[ErrorCategory, int]) -> AnnotatedPair:
    name, text = material.studies[report], material.readings[report].text
    return AnnotatedPair(
        pair=ReportPair(id=name, reference=text, candidate=Edit.merged(edits).apply(text)),
        study=name,
        ratings={category.value: (float(counts.get(category, 0)),) for category in REXVAL_SIX},
    )


def _total(pair: AnnotatedPair) -> float:
    return sum(pair.mean(category) for category in pair.ratings)


def row(pair: AnnotatedPair) -> dict[str, Any]:
    """A pair as `overread fit crepe --test` reads it."""
    texts = {"reference": pair.pair.reference.text, "candidate": pair.pair.candidate.text}
    return {"id": pair.pair.id, "study": pair.study, **texts, **{head: int(pair.mean(head)) for head in pair.ratings}}


def share(hits: npt.NDArray[np.bool_]) -> str:
    """A share with Wilson's 95 % interval."""
    n, p, z = len(hits), float(hits.mean()), 1.96
    middle, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = (abs(middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f"{p:.3f} ({low:.3f} to {high:.3f}) of {n}"


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
    tau = estimate(Kendall(), scores, errors, Resampling.by_row(len(pairs)))
    print(f"  tau with the number of errors  {figure(tau)}, {(~known).sum()} unscored")
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
    from overread.bootstrap.interface import open_service

    service = open_service(metrics=list(names))

    def scorer(name: str) -> Scorer:
        def scores(pairs: Sequence[ReportPair]) -> Array:
            results = [results[name] for results in service.evaluate(pairs)]
            values = np.array([r.score if r.is_scored else np.nan for r in results])
            return results[0].scale.high - values if results[0].scale.higher_is_better else values

        return scores

    return {name: scorer(name) for name in names}


def crepe_scorer(counter: Any) -> Scorer:
    from overread.domain.results.error_counts import ErrorCounts

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
    from overread.infrastructure.files.whole_files import write_rows
    from overread.plugins.assembly import Assembly
    from overread.plugins.catalogue import Catalogue
    from overread.studies.infrastructure.datasets.reader_labels.openi import read_coded_reports

    catalogue = Catalogue.discover()
    extractor = Assembly(catalogue).get("extractor")
    reports = [(r.id, r.report.text) for r in read_coded_reports(arguments.reports) if not r.report.is_blank]
    material, injector = (
        Material.read(reports, extractor, load_knowledge().lexicon),
        RuleInjector(extractor, matters=False),
    )
    flips = list(negated(injector, material, arguments.negations, arguments.seed))
    if arguments.write_negations:
        write_rows(arguments.write_negations, map(row, flips))
    pairs = list(injected(injector, material, arguments.pairs, arguments.seed))
    if arguments.write:
        write_rows(arguments.write, map(row, pairs))
    own = random.Random(arguments.seed).sample(reports, min(arguments.self_pairs, len(reports)))
    kinds = Counter({head: int(sum(pair.mean(head) for pair in pairs)) for head in "ABCDEF"})
    numbers = Counter(int(_total(pair)) for pair in pairs)
    print(f"{len(pairs)} pairs, errors {dict(kinds)}, pairs by number of errors {dict(sorted(numbers.items()))}")
    print(f"edits dropped, by the check that they failed: {dict(injector.faults)}")
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
