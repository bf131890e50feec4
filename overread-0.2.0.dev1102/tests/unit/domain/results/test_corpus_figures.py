"""Figures of a corpus from sums, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from overread.domain.results.corpus_figures import (
    bleu_order,
    corpus_bleu,
    counts_for_corpora,
    figures_of_sums,
    terms_of,
)


def test_figures_are_quotients_of_sums() -> None:
    """Two reports, of which one has a significant error: 3 errors, 4 of 5 findings stated, 2 of 4 borne out."""
    first = {"A": 0.0, "significant": 0.0, "actionable": 0.0, "reference_actionable": 2.0, "reference_stated": 2.0}
    second = {"A": 2.0, "significant": 4.0, "actionable": 3.0, "reference_actionable": 3.0, "reference_stated": 2.0}
    found = [
        terms_of({**first, "candidate_actionable": 0.0, "candidate_borne_out": 0.0}),
        terms_of({**second, "candidate_actionable": 4.0, "candidate_borne_out": 2.0}),
    ]
    sums = {name: found[0][name] + found[1][name] for name in found[0]}
    assert figures_of_sums(sums) == {
        "actionable_errors": 1.5,
        "actionable_recall": 0.8,
        "actionable_precision": 0.5,
        "without_significant_error": 0.5,
    }


def test_what_would_be_divided_by_nothing_is_left_out() -> None:
    """No finding of either report asks for action: there is nothing to state and nothing to bear out."""
    none = dict.fromkeys(("actionable", "reference_actionable", "reference_stated", "A", "significant"), 0.0)
    terms = terms_of({**none, "candidate_actionable": 0.0, "candidate_borne_out": 0.0})
    assert figures_of_sums(terms) == {"actionable_errors": 0.0, "without_significant_error": 1.0}
    assert figures_of_sums({}) == {}


def test_a_name_alone_makes_no_count() -> None:
    """A metric's own subscore is shown and not summed, though BLEU or a label has one of its name."""
    own = {"candidate_words": 40.0, "matches_2": 3.0, "reference_edema": 0.5}
    assert counts_for_corpora(own) == frozenset()
    assert terms_of(own) == {}
    counts = {"matches_1": 1.0, "ngrams_1": 2.0, "candidate_words": 2.0, "reference_words": 3.0}
    assert counts_for_corpora({**counts, "matches_2": 3.0}) == counts.keys()
    assert terms_of({**counts, "matches_2": 3.0}) == counts
    assert counts_for_corpora({"reference_edema": 1.0, "candidate_edema": 0.0, "reference_pneumonia": 1.0}) == {
        "reference_edema",
        "candidate_edema",
    }


def test_a_risk_is_no_count() -> None:
    """Of a metric without categories, significant is a risk, and no figure is made of it."""
    assert terms_of({"total": 0.4, "significant": 0.3, "insignificant": 0.1}) == {}


def test_bleu_of_counts_by_hand() -> None:
    """Precisions 6/8 and 2/4, twelve words for sixteen: (3/4 x 1/2) ^ 1/2 x exp(1 - 16/12); no match at all is 0."""
    counts = np.array([[6.0, 2.0, 8.0, 4.0, 12.0, 16.0], [0.0, 0.0, 8.0, 4.0, 12.0, 16.0]])
    assert corpus_bleu(counts) == pytest.approx([(3 / 8) ** 0.5 * np.exp(-1 / 3), 0.0])


def test_counts_that_are_not_all_there_are_none_of_bleu() -> None:
    """Another metric may have subscores of some of the names."""
    assert bleu_order({"ngrams_1": 1.0, "matches_1": 1.0}) == 0
    assert bleu_order(["ngrams_1", "matches_1", "candidate_words", "reference_words"]) == 1
