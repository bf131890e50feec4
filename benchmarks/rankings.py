"""How often each variant orders two candidates of one reference as two people who knew no rule did.

    python benchmarks/rankings.py             the half that was looked at while the rules were made
    python benchmarks/rankings.py --half even the half that was not

The cases come with overread (`overread.studies.infrastructure.datasets.ranked`). A pair of candidates counts where both
people order it alike; a tie and a candidate without a score are not right.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

from overread.bootstrap.services import build_service
from overread.infrastructure.settings import load_settings
from overread.studies.application.cards.ranked import CANDIDATE_KINDS as KINDS
from overread.studies.application.cards.ranked import RankedCase
from overread.studies.infrastructure.datasets.ranked import read_rankings

VARIANTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("radot", ()),
    ("notation", ()),
    ("radot", ("aligner.epsilon=0.05",)),
    ("radot", ("aligner.epsilon=0.2",)),
    ("radot", ("aligner=balanced",)),
    ("radot", ("aligner=partial",)),
    ("radot:relaxed", ()),
    ("radot:debiased", ()),
    ("radot:paper", ()),
    ("ratescore", ()),
    ("crepe", ()),
    ("rouge", ()),
    ("bleu", ()),
)
TIE = 1e-9


def verdicts(found: Sequence[RankedCase], metric: str, settings: Sequence[str]) -> dict[tuple[str, str], Counter[str]]:
    """How often a metric is right, wrong, tied or without a score, by the pair of kinds."""
    service = build_service(load_settings(overrides=[f"metrics={metric}", *settings], environment={}))
    pairs = [pair for case in found for pair in case.pairs()]
    results = {
        pair.id: result[metric.partition(":")[0]] for pair, result in zip(pairs, service.evaluate(pairs), strict=True)
    }
    counted: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in found:
        for better, worse in case.agreed():
            one, other = results[case.pair_id(better)], results[case.pair_id(worse)]
            key = (better, worse) if KINDS.index(better) < KINDS.index(worse) else (worse, better)
            if not (one.is_scored and other.is_scored):
                counted[key]["unscored"] += 1
                continue
            lead = (one.score - other.score) * (1 if one.scale.higher_is_better else -1)
            counted[key]["tie" if abs(lead) < TIE else "right" if lead > 0 else "wrong"] += 1
    return counted


def share(counted: Mapping[tuple[str, str], Counter[str]], what: str) -> float:
    """Share of all pairs that came out so."""
    total = sum(counted.values(), Counter())
    return total[what] / total.total()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("odd", "even", "both"), default="odd")
    found = read_rankings(parser.parse_args().half)
    keys = list(combinations(KINDS, 2))
    print(f"{len(found)} references\n\n{'variant':<32} {'right':>6} {'ties':>6} ", end="")
    print(" ".join(f"{one[:2]}/{other[:2]}" for one, other in keys))
    for metric, settings in VARIANTS:
        counted = verdicts(found, metric, settings)
        print(
            f"{' '.join((metric, *settings)):<32} {share(counted, 'right'):6.3f} {share(counted, 'tie'):6.3f} ", end=""
        )
        print(" ".join(f"{counted[key]['right'] / max(counted[key].total(), 1):5.2f}" for key in keys), flush=True)


if __name__ == "__main__":
    main()
