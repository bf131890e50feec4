"""Summaries of a corpus as records and in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import asdict

from overread.application.scoring.green_summary import CategorySummary, GreenSummary, Sentence
from overread.domain.results.corpus_figures import BLEU, LABEL_FIGURES, RATIOS
from overread.domain.results.diversity import Diversity, Wording
from overread.infrastructure.views.wording import format_count

__all__ = [
    "coverage_words",
    "diversity_record",
    "diversity_words",
    "figure_words",
    "mean_words",
    "share_words",
    "summary_record",
]


def summary_record(summary: GreenSummary) -> dict[str, Any]:
    """A summary as JSON has it; its sentences quote reports."""
    return {
        "metric": "green",
        "pairs": summary.pairs,
        "scored": summary.scored,
        "unscored": dict(sorted(summary.unscored.items())),
        "truncated": summary.truncated,
        "mean": summary.mean,
        "standard_deviation": summary.deviation,
        "diversity": diversity_record(summary.diversity),
        "categories": [_category_record(category) for category in summary.categories],
        "method": summary.method,
        "notes": list(summary.notes),
        "signature": summary.signature,
    }


def _category_record(category: CategorySummary) -> dict[str, Any]:
    return {
        "category": category.category.value,
        "label": category.category.label,
        "share_without": category.free,
        "errors": category.errors,
        "explained": category.explained,
        "clusters": category.clusters,
        "silhouette": category.silhouette,
        "representatives": [sentence.text for sentence in category.representatives],
        "sentences": [_sentence_record(sentence) for sentence in category.sentences],
    }


def _sentence_record(sentence: Sentence) -> dict[str, Any]:
    place = None if sentence.place is None else list(sentence.place)
    return {"text": sentence.text, "times": sentence.times, "cluster": sentence.cluster, "place": place}


def mean_words(summary: GreenSummary) -> str:
    """Mean and standard deviation."""
    if summary.mean is None:
        return "no pair is scored"
    spread = "" if summary.deviation is None else f", standard deviation {summary.deviation:.3f}"
    return f"mean {summary.mean:.3f}{spread} (0 to 1, higher is better)"


def coverage_words(summary: GreenSummary) -> str:
    """Words on how many pairs the figures cover, and what became of the others."""
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(summary.unscored.items()))
    others = f"; {sum(summary.unscored.values())} unscored ({reasons})" if reasons else ""
    cut = f"; {summary.truncated} of them not read to the end" if summary.truncated else ""
    return f"over {summary.scored} scored of {format_count(summary.pairs, 'pair')}{cut}{others}"


def share_words(share: float | None) -> str:
    """The share of pairs without an error of some kind.

    >>> share_words(0.9), share_words(None)
    ('90.0 % without', 'no figure')
    """
    return "no figure" if share is None else f"{100 * share:.1f} % without"


def figure_words(figures: Mapping[str, float]) -> str:
    """Figures of a corpus in one line, "" for none; shares in per cent.

    >>> figure_words({"actionable_errors": 0.25, "actionable_recall": 0.8})
    '0.25 actionable errors a report; 80.0 % of actionable findings stated'
    """
    words = [
        _ratio_words(ratio.title, figures[ratio.name], share=ratio.is_share)
        for ratio in RATIOS
        if ratio.name in figures
    ]
    if BLEU in figures:
        words.append(f"corpus-level BLEU {figures[BLEU]:.4f}")
    words += [f"{figure.title} {figures[figure.name]:.4f}" for figure in LABEL_FIGURES if figure.name in figures]
    return "; ".join(words)


def diversity_record(diversity: Diversity | None) -> dict[str, Any] | None:
    """Diversity of the wording as JSON has it; None where it is not known."""
    if diversity is None:
        return None
    return {**asdict(diversity), "is_collapsed": diversity.is_collapsed}


def diversity_words(diversity: Diversity) -> str:
    """Diversity of the wording in one line.

    >>> texts = Wording(texts=2, distinct=1.0, distinct_2=1.0, compression=0.59)
    >>> diversity_words(Diversity(pairs=2, of=3, candidates=texts, references=Wording(texts=0)))
    'candidates 100.0 % distinct, distinct-2 1.000, compression 0.59; references none; of 2 of 3 pairs'
    """
    sides = (("candidates", diversity.candidates), ("references", diversity.references))
    words = (f"{side} {_wording_words(wording)}" for side, wording in sides)
    return f"{'; '.join(words)}; of {diversity.pairs:,} of {diversity.of:,} pairs"


def _wording_words(wording: Wording) -> str:
    parts = []
    if wording.distinct is not None:
        parts.append(f"{100 * wording.distinct:.1f} % distinct")
    if wording.distinct_2 is not None:
        parts.append(f"distinct-2 {wording.distinct_2:.3f}")
    if wording.compression is not None:
        parts.append(f"compression {wording.compression:.2f}")
    return ", ".join(parts) or "none"


def _ratio_words(title: str, value: float, *, share: bool) -> str:
    return f"{100 * value:.1f} % of {title}" if share else f"{value:.2f} {title}"
