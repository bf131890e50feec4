"""Figures of a corpus that are no mean of scores: quotients of sums, corpus-level BLEU, F1 of labels.

Each is made of counts that stand beside the score of every pair, as subscores, so that it follows from a file of
results without its reports, and from the sums of shards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.domain.findings.chest_labels import FIVE_LABELS, LABELS

__all__ = [
    "BLEU",
    "BLEU_TITLE",
    "LABEL_FIGURES",
    "RATIOS",
    "UNREAD",
    "LabelFigure",
    "Ratio",
    "bleu_order",
    "bleu_terms",
    "corpus_bleu",
    "counts_for_corpora",
    "figures_of_sums",
    "label_terms",
    "terms_of",
    "unread_terms",
]

Floats = npt.NDArray[np.float64]

BLEU: Final = "corpus_bleu"
"""Name of corpus-level BLEU among the figures."""

BLEU_TITLE: Final = "corpus-level BLEU"
"""Its title for people."""

_LABEL_SIDES: Final = tuple((label, f"reference_{label}", f"candidate_{label}") for label in LABELS)
_SIDES: Final = ("candidate", "reference")
_REPORTS: Final = "reports"
_FLAWLESS: Final = "reports_without_significant_error"


@frozen(kw_only=True)
class Ratio:
    """A sum over the pairs divided by another.

    Attributes:
        name: in files.
        title: for people.
        above, below: terms whose sums are divided, as `terms_of` names them.
        higher_is_better: which end is good.
        is_share: whether it is on [0, 1]; else it has no upper end.
        meaning: what is counted, in a sentence.
        is_count: whether what is above is a number of things; else it is a sum of shares.
    """

    name: str
    title: str
    above: str
    below: str
    higher_is_better: bool
    is_share: bool
    meaning: str
    is_count: bool = True


UNREAD: Final = tuple(
    Ratio(
        name=f"{side}_unread",
        title=f"{side}s' words unread",
        above=f"{side}_unread",
        below=f"{side}s_read",
        higher_is_better=False,
        is_share=True,
        meaning=f"mean share of a {side}'s content words that no unit accounts for",
        is_count=False,
    )
    for side in _SIDES
)
"""Shares of text that the reader of a metric passed over."""

RATIOS: Final = (
    Ratio(
        name="actionable_errors",
        title="actionable errors a report",
        above="actionable",
        below=_REPORTS,
        higher_is_better=False,
        is_share=False,
        meaning="significant discrepancies about what is urgent or actionable",
    ),
    Ratio(
        name="actionable_recall",
        title="actionable findings stated",
        above="reference_stated",
        below="reference_actionable",
        higher_is_better=True,
        is_share=True,
        meaning="of the reference's urgent or actionable findings, those that the candidate states",
    ),
    Ratio(
        name="actionable_precision",
        title="actionable findings borne out",
        above="candidate_borne_out",
        below="candidate_actionable",
        higher_is_better=True,
        is_share=True,
        meaning="of the candidate's urgent or actionable findings, those that the reference bears out",
    ),
    Ratio(
        name="without_significant_error",
        title="reports without a significant error",
        above=_FLAWLESS,
        below=_REPORTS,
        higher_is_better=True,
        is_share=True,
        meaning="reports of which no discrepancy is significant or critical",
    ),
    *UNREAD,
)


@frozen(kw_only=True)
class LabelFigure:
    """F1 of labels over a corpus, 0 to 1, higher is better.

    Attributes:
        name: in files.
        title: for people.
        labels: that are counted.
        macro: whether it is the mean of each label's F1; else all are counted together.
        meaning: what is counted, in a sentence.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    macro: bool
    meaning: str

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms whose sums it is made of: hits, false ones and missed ones of each label."""
        return tuple(f"{kind}_{label}" for kind in ("hit", "false", "missed") for label in self.labels)

    def of(self, sums: Floats) -> Floats:
        """The figure for sums of `terms` in the last axis; a label that nobody names has 0, as with scikit-learn."""
        hit, false, missed = np.moveaxis(sums.reshape(*sums.shape[:-1], 3, len(self.labels)), -2, 0)
        if not self.macro:
            hit, false, missed = (per_label.sum(axis=-1, keepdims=True) for per_label in (hit, false, missed))
        counted = 2 * hit + false + missed
        per_label: Floats = np.divide(2 * hit, counted, out=np.zeros_like(counted), where=counted > 0)
        return np.asarray(per_label.mean(axis=-1))


def _of_labels(labels: tuple[str, ...]) -> str:
    if labels == LABELS:
        return f"all {len(LABELS)} observations"
    return f"the {len(labels)} of CheXpert's competition"


LABEL_FIGURES: Final = tuple(
    LabelFigure(
        name=f"{'macro' if macro else 'micro'}_f1_{len(labels)}",
        title=f"{'macro' if macro else 'micro'} F1-{len(labels)}",
        labels=labels,
        macro=macro,
        meaning=(
            f"mean of the F1 of each of {_of_labels(labels)}, 0 for one that nobody names"
            if macro
            else f"F1 over the counts of {_of_labels(labels)} together"
        ),
    )
    for labels in (LABELS, FIVE_LABELS)
    for macro in (False, True)
)


def counts_for_corpora(subscores: Iterable[str]) -> frozenset[str]:
    """Names of subscores that serve only the figures of a corpus, and say little about one pair.

    BLEU's counts, and those of a label, are known by being there together: a metric may give one such name to a
    subscore of its own. Results from a file have no metric that could be asked.

    >>> sorted(counts_for_corpora(["matches_1", "ngrams_1", "candidate_words", "reference_words", "brevity"]))
    ['candidate_words', 'matches_1', 'ngrams_1', 'reference_words']
    >>> counts_for_corpora(["matches_1", "candidate_words"])
    frozenset()
    """
    names = frozenset(subscores)
    sides = (pair for _, *pair in _LABEL_SIDES if names.issuperset(pair))
    return names & _COUNTS.union(_bleu_counts(names), *sides)


def _bleu_counts(names: frozenset[str]) -> frozenset[str]:
    order = bleu_order(names)
    return frozenset(bleu_terms(order) if order else ())


_COUNTS: Final = frozenset({"reference_actionable", "reference_stated", "candidate_actionable", "candidate_borne_out"})
_SUMMED: Final = _COUNTS | {"actionable"}
_COUNTING: Final = frozenset({"significant", "A"})


def terms_of(subscores: Mapping[str, float]) -> dict[str, float]:
    """Terms that a pair adds to the sums that figures are made of; empty for a metric that has no figures.

    A metric that has ``significant`` beside the categories counts errors by it; in others it may be a risk.

    >>> terms_of({"A": 1.0, "significant": 0.0, "risk": 0.1})
    {'reports': 1.0, 'reports_without_significant_error': 1.0}
    """
    summed = _SUMMED | _bleu_counts(frozenset(subscores))
    terms = {name: value for name, value in subscores.items() if name in summed}
    if subscores.keys() >= _COUNTING:
        terms |= {_REPORTS: 1.0, _FLAWLESS: float(subscores["significant"] == 0)}
    for side in _SIDES:
        if f"{side}_coverage" in subscores:
            terms |= unread_terms(side, subscores[f"{side}_coverage"], 1.0)
    for label, reference, candidate in _LABEL_SIDES:
        if reference in subscores and candidate in subscores:
            terms |= label_terms(label, subscores[reference], subscores[candidate])
    return terms


def unread_terms(side: str, coverage: Any, one: Any) -> dict[str, Any]:
    """The terms of what was not read of a report, from the share that was; numbers, or arrays and an array of ones.

    >>> unread_terms("candidate", 0.75, 1.0)
    {'candidate_unread': 0.25, 'candidates_read': 1.0}
    """
    return {f"{side}_unread": one - coverage, f"{side}s_read": one}


def label_terms(label: str, reference: Any, candidate: Any) -> dict[str, Any]:
    """Return whether a label is hit, false or missed, 0 or 1, from whether each report asserts it; numbers or arrays.

    >>> label_terms("edema", 1.0, 0.0)
    {'hit_edema': 0.0, 'false_edema': 0.0, 'missed_edema': 1.0}
    """
    hit = reference * candidate
    return {f"hit_{label}": hit, f"false_{label}": candidate - hit, f"missed_{label}": reference - hit}


def figures_of_sums(sums: Mapping[str, float]) -> dict[str, float]:
    """The figures that follow from sums of `terms_of`, by name; without one that would be divided by 0."""
    figures = {
        ratio.name: sums[ratio.above] / sums[ratio.below]
        for ratio in RATIOS
        if ratio.above in sums and sums.get(ratio.below, 0.0) > 0
    }
    if order := bleu_order(sums):
        figures[BLEU] = float(corpus_bleu(np.array([sums[name] for name in bleu_terms(order)])))
    for figure in LABEL_FIGURES:
        if sums.keys() >= set(figure.terms):
            figures[figure.name] = float(figure.of(np.array([sums[name] for name in figure.terms])))
    return figures


def bleu_order(names: Iterable[str]) -> int:
    """The longest n-gram that is counted among these terms, 0 where BLEU's counts are not there."""
    there = frozenset(names)
    order = 0
    while f"ngrams_{order + 1}" in there:
        order += 1
    return order if there.issuperset(bleu_terms(order)) else 0


def bleu_terms(order: int) -> tuple[str, ...]:
    """The terms of corpus-level BLEU: matches and the candidates' n-grams by n, words of candidates and references."""
    numbers = range(1, order + 1)
    words = ("candidate_words", "reference_words")
    return (*(f"matches_{n}" for n in numbers), *(f"ngrams_{n}" for n in numbers), *words)


def corpus_bleu(sums: Floats) -> Floats:
    """BLEU of whole corpora from summed counts (Papineni et al. 2002, section 2.3), 0 to 1, higher is better.

    It is no mean of sentence BLEU: precisions and lengths are summed over the corpus before they are divided. As
    sacrebleu's ``corpus_score`` gives it, with its smoothing of an n of which nothing matches: half, a quarter ... of
    a match.

    Args:
        sums: of `bleu_terms`, in the last axis.

    Returns:
        One figure for all that the other axes hold; 0 where nothing matches, or no candidate has n words.
    """
    order = (sums.shape[-1] - 2) // 2
    matches, ngrams = sums[..., :order], sums[..., order : 2 * order]
    candidate, reference = sums[..., -2], sums[..., -1]
    nothing = (matches.sum(axis=-1) == 0) | (ngrams == 0).any(axis=-1)
    smoothed = np.where(matches == 0, 0.5 ** np.cumsum(matches == 0, axis=-1), matches)
    precision = np.exp(np.log(smoothed / np.maximum(ngrams, 1.0)).mean(axis=-1))
    brevity = np.exp(np.minimum(1.0 - reference / np.maximum(candidate, 1.0), 0.0))
    return np.where(nothing, 0.0, np.minimum(precision * brevity, 1.0))
