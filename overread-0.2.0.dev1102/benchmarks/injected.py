"""Whether `notation` finds again what error injection put in: a blind check of either.

    overread synthesise --purpose judge --studies 1000 -o made.jsonl
    python benchmarks/injected.py made.jsonl --per-category 30

Errors are injected into the references of a file of reports or pairs. A pair counts as recovered where `notation`
names a discrepancy of the injected aspect in a sentence that the label touches, and its side as recovered where it
calls the pair clinically significant, or not, as the label does. For the aspects that notation does not have (noise,
style) and for harmless edits of which nothing should be noted, only the side tells.

Injection drops edits that its reader cannot read as meant, and asks the same rules of significance as `notation` what
matters; only alignment, merging and the list of discrepancies are seen blind. ``--unread`` injects without reading
edits again: the labels are then less sure, and nothing is spared what it cannot read.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from overread.bootstrap.interface import open_service
from overread.bootstrap.services import open_component
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import Unscored
from overread.domain.vocabulary.severity import is_clinically_significant
from overread.studies.application.synthesis.edits.categories import CATEGORIES, Subset
from overread.studies.application.synthesis.edits.reading import sentence_spans
from overread.studies.application.synthesis.injected.by_rules import by_rules
from overread.studies.application.synthesis.injected.material import Material
from overread.studies.application.synthesis.injected.pairs import InjectedPair


def sentence_of(text: str, span: Span) -> Span:
    """The sentences that a span touches, as one stretch."""
    touched = [s for s in sentence_spans(text) if s.start < span.end and span.start < s.end]
    return Span(min([span.start, *(s.start for s in touched)]), max([span.end, *(s.end for s in touched)]))


def names_aspect(pair: InjectedPair, discrepancies: Iterable[Discrepancy]) -> bool:
    """Whether a discrepancy of the injected aspect stands in a sentence that the label touches."""
    for label in pair.spans:
        for text, span, side in (
            (pair.reference, label.reference, "reference_spans"),
            (pair.candidate, label.candidate, "candidate_spans"),
        ):
            if span is None:
                continue
            sentence = sentence_of(text, span)
            for found in discrepancies:
                if found.aspect is pair.category.aspect and any(
                    s.start < sentence.end and sentence.start < s.end for s in getattr(found, side)
                ):
                    return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", type=Path, help="JSONL with id and report, or with study and reference.")
    parser.add_argument("--per-category", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--unread", action="store_true", help="Do not read edits again before they are taken.")
    arguments = parser.parse_args()
    from overread.adapters.lexicon import knowledge_of
    from overread.infrastructure.files.reports import read_reports
    from overread.infrastructure.settings import Settings

    extractor = open_component(Settings(), "extractor")
    material = Material.read(read_reports(arguments.reports), extractor, knowledge_of(extractor).lexicon)
    made = by_rules(
        material, extractor, per_category=arguments.per_category, seed=arguments.seed, rereads=not arguments.unread
    )
    print_table(made.pairs, recovered(made.pairs))


def recovered(pairs: Iterable[InjectedPair]) -> list[tuple[bool, bool]]:
    """Whether aspect and side of each pair are recovered."""
    pairs = list(pairs)
    service = open_service(metrics=("notation",))
    results: list[tuple[bool, bool]] = []
    given = [ReportPair(id=pair.id, reference=pair.reference, candidate=pair.candidate) for pair in pairs]
    for pair, found in zip(pairs, service.stream(given), strict=True):
        outcome = found["notation"].outcome
        if isinstance(outcome, Unscored):
            results.append((False, False))
            continue
        verdict = is_clinically_significant(d.severity for d in outcome.discrepancies)
        side = verdict == pair.severity.counts_as_significant
        results.append((names_aspect(pair, outcome.discrepancies), side))
    return results


def print_table(pairs: Iterable[InjectedPair], results: Iterable[tuple[bool, bool]]) -> None:
    cells: dict[Any, list[tuple[bool, bool]]] = defaultdict(list)
    for pair, result in zip(pairs, results, strict=True):
        for key in ((pair.category.name, pair.subset), ("all", pair.subset)):
            cells[key].append(result)
    print(f"{'category':<36} {'D pairs':>8} {'aspect':>7} {'side':>6}   {'R pairs':>8} {'side':>6} {'noted':>6}")
    for name in (*(category.name for category in CATEGORIES), "all"):
        harmful, harmless = (cells[name, subset] for subset in Subset)
        print(
            f"{name:<36} {len(harmful):>8} {percent(harmful, 0):>7} {percent(harmful, 1):>6}   "
            f"{len(harmless):>8} {percent(harmless, 1):>6} {percent(harmless, 0):>6}"
        )


def percent(results: list[tuple[bool, bool]], index: int) -> str:
    return f"{100 * sum(result[index] for result in results) / len(results):.0f} %" if results else "-"


if __name__ == "__main__":
    main()
