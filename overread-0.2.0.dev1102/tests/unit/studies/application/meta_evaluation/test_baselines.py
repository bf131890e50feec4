"""Baselines that read nothing: shuffled references, candidates alone, new words, and pairs of like overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from overread.application.statistics import Resampling
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Target
from overread.domain.results.scores import MetricScores
from overread.studies.application.meta_evaluation.baselines import (
    baselines,
    like_for_like,
    needs_shuffling,
    shuffled_pairs,
    word_overlap,
)
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation

from .invented import benchmark, by_row, column, scores

CARE = Target("different_care", higher_is_better=False)
RATING = Target("rating", higher_is_better=True)


def annotated(number: int, reference: str, candidate: str, *, care: bool, modality: str = "CT") -> AnnotatedPair:
    return AnnotatedPair(
        pair=ReportPair(id=f"p{number}", reference=reference, candidate=candidate),
        study=f"s{number // 2}",
        ratings={"rating": (1.0 if care else 5.0,), "different_care": (float(care),)},
        strata={"modality": modality},
    )


def leaky(count: int = 24) -> HumanBenchmark:
    """A set in which each wrong candidate holds a word that no right one holds, two candidates to a study."""
    texts = [
        ("Lungs clear.", "Lungs clear, alas." if n % 2 else "Clear lungs seen.", bool(n % 2)) for n in range(count)
    ]
    return benchmark([annotated(n, r, c, care=care) for n, (r, c, care) in enumerate(texts)], RATING, CARE)


def judged(made: HumanBenchmark, real: Sequence[float], shuffled: Sequence[float]) -> MetaEvaluation:
    made_scores: list[MetricScores] = [scores("reader", *real), scores("reader", *shuffled)]
    return MetaEvaluation(benchmark=made, scores=made_scores[:1], draws=50, seed=1, shuffled=made_scores[1:])


def test_a_candidate_gets_the_reference_of_the_next_study_of_its_modality() -> None:
    """The last study borrows from the first; a modality of one study borrows from any other."""
    rows = [("a", "CT"), ("b", "CT"), ("c", "CT"), ("d", "US")]
    pairs = [
        annotated(2 * n, f"Report {letter}.", "Nil.", care=False, modality=m) for n, (letter, m) in enumerate(rows)
    ]
    found = [pair.reference.text for pair in shuffled_pairs(benchmark(pairs, CARE))]
    assert found == ["Report b.", "Report c.", "Report a.", "Report a."]


def test_ids_and_candidates_stay_in_their_places() -> None:
    """Only the reference is another's."""
    made = leaky()
    shuffled = shuffled_pairs(made)
    assert [pair.id for pair in shuffled] == [each.pair.id for each in made.pairs]
    assert [pair.candidate for pair in shuffled] == [each.pair.candidate for each in made.pairs]


@pytest.mark.parametrize(
    ("reference", "candidate", "overlap"),
    [("No effusion.", "no EFFUSION", 1.0), ("No effusion.", "Small effusion.", 0.5), ("Clear.", "Mass.", 0.0)],
)
def test_overlap_is_dices_coefficient_of_word_counts(reference: str, candidate: str, overlap: float) -> None:
    """Worked by hand: twice the words in common over the words of both."""
    assert word_overlap(ReportPair(id="p", reference=reference, candidate=candidate)) == overlap


def test_like_overlap_compares_within_strata_alone() -> None:
    """A score that is the overlap itself finds everything overall, and nothing among pairs of like overlap."""
    overlap = np.repeat([0.1, 0.3, 0.5, 0.7, 0.9], 20)
    people = np.concatenate([np.arange(20) < share for share in (2, 6, 10, 14, 18)]).astype(float)
    resampling = Resampling.by_study([f"s{n}" for n in range(100)], draws=50, seed=1)
    assert like_for_like(overlap, people, overlap, resampling).value == 0.5
    assert like_for_like(overlap + people, people, overlap, resampling).value == 1.0


def test_a_leaky_set_is_told_by_its_candidates_alone() -> None:
    """Where wrong candidates have a word of their own, no reference is needed, and the table says so."""
    made = leaky()
    care = [each.ratings["different_care"][0] for each in made.pairs]
    [table] = baselines(judged(made, care, care[::-1])).tables
    auroc = by_row(table, "auroc")
    assert auroc["reader"] == auroc["candidate alone"] == 1.0
    assert by_row(table, "shuffled") == {"reader": 0.0, "candidate alone": None, "new words": None}
    assert by_row(table, "kendall")["reader"] == pytest.approx(1.0)


def test_nothing_is_shown_without_marks_of_care_or_shuffled_scores() -> None:
    """Sets that do not tell whether care differs, and results from files, have no such table."""
    made = leaky()
    assert baselines(MetaEvaluation(benchmark=made, scores=[scores("reader", *range(24))], draws=5)).tables == ()
    plain = HumanBenchmark(name="made", targets=(RATING,), raters=("one",), pairs=made.pairs)
    assert baselines(judged(plain, range(24), range(24))).tables == ()
    assert (needs_shuffling(made), needs_shuffling(plain)) == (True, False)


def test_pairs_without_a_score_are_left_out() -> None:
    """Of a metric that scores nothing every figure is a dash."""
    made = leaky()
    meta = MetaEvaluation(
        benchmark=made,
        scores=[scores("reader", *[None] * 24)],
        draws=5,
        shuffled=[MetricScores(metric="other", higher_is_better=True, ids=("p0",), scores=column(0.1))],
    )
    [table] = baselines(meta).tables
    assert by_row(table, "like_overlap")["reader"] is None
