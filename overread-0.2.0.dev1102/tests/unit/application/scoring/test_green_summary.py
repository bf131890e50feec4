"""GREEN's summary of a corpus over fakes that group as they are told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from attrs import frozen

from overread.application.scoring.green_summary import CategorySummary, GreenSummary, Grouping, summarise_green
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.green import GREEN_ASPECTS
from overread.domain.results.result import Outcome, Scored, Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorCategory
from overread.exceptions import ConfigurationError
from overread.testing import FakeEncoder


@frozen
class InOrder:
    """Four vectors in the first cluster, the others in the second; the later one comes, the farther off it is."""

    identity: str = "in order"

    def group(self, vectors: npt.NDArray[np.float32]) -> Grouping:
        order = np.arange(len(vectors), dtype=np.float64)
        return Grouping((order > 3).astype(np.int64), order, 0.5)

    def lay_out(self, vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        return np.full((len(vectors), 2), 0.25)


def outcome(score: float = 0.5, notes: tuple[str, ...] = (), **errors: tuple[str, ...]) -> Scored:
    """A scored pair with significant errors, by category, and their explanations."""
    discrepancies = [
        Discrepancy(
            category=ErrorCategory(letter),
            aspect=GREEN_ASPECTS[ErrorCategory(letter)][0],
            type=GREEN_ASPECTS[ErrorCategory(letter)][1],
            severity=Severity.SIGNIFICANT,
            reason="",
            finding="",
            explanation=explanation,
        )
        for letter, explanations in errors.items()
        for explanation in explanations
    ]
    counts = {category.value: float(len(errors.get(category.value, ()))) for category in REXVAL_SIX}
    return Scored(score=score, subscores=counts, discrepancies=tuple(discrepancies), notes=notes)


@frozen
class Broken:
    """An encoder that gives the same array for any texts."""

    rows: npt.NDArray[np.float32]
    identity: str = "broken"
    note: str = ""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:  # noqa: ARG002 - it does not read them
        return self.rows


@pytest.mark.parametrize("rows", [np.full((1, 4), np.nan), np.full((1, 4), np.inf), np.zeros((2, 4)), np.zeros(4)])
def test_an_encoder_without_a_finite_vector_for_each_text_is_refused(rows: npt.NDArray[np.float32]) -> None:
    """The message quotes no explanation."""
    with pytest.raises(ConfigurationError) as refused:
        summarise_green([outcome(A=("SECRET",))], Broken(rows), InOrder())
    assert "SECRET" not in str(refused.value)


def summary(*outcomes: Outcome, plot: bool = True) -> GreenSummary:
    return summarise_green(outcomes, FakeEncoder(), InOrder(), plot=plot)


def category(letter: str, *outcomes: Outcome) -> CategorySummary:
    [found] = [c for c in summary(*outcomes).categories if c.category.value == letter]
    return found


def test_every_figure_covers_the_scored_pairs_and_no_others() -> None:
    """A refusal is no pair without errors."""
    found = summary(outcome(0.0, A=("x",)), outcome(1.0), Unscored("refusal"), Unscored("refusal"), Unscored("cut off"))
    assert (found.pairs, found.scored, dict(found.unscored)) == (5, 2, {"refusal": 2, "cut off": 1})
    assert found.mean == 0.5
    assert found.deviation == pytest.approx(0.5**0.5)
    assert [c.free for c in found.categories] == [0.5, 1.0, 1.0, 1.0, 1.0, 1.0]


def test_without_a_scored_pair_there_is_no_figure() -> None:
    """Nothing is made up for an empty corpus."""
    found = summary(Unscored("refusal"))
    assert (found.mean, found.deviation) == (None, None)
    assert {c.free for c in found.categories} == {None}
    assert summary().pairs == 0


def test_one_scored_pair_has_a_mean_and_no_deviation() -> None:
    """A deviation takes two."""
    assert (summary(outcome(0.25)).mean, summary(outcome(0.25)).deviation) == (0.25, None)


def test_errors_are_counted_whether_they_are_explained_or_not() -> None:
    """Only explained ones can be grouped."""
    found = category("B", outcome(B=("left", "", "")), outcome(B=("left",)), outcome())
    assert (found.errors, found.explained, found.free) == (4, 2, 1 / 3)
    assert [(sentence.text, sentence.times) for sentence in found.sentences] == [("left", 2)]


def test_insignificant_errors_are_not_summarised() -> None:
    """The paper's summary is of the significant ones."""
    scored = outcome(A=("x",))
    insignificant = Discrepancy(
        category=ErrorCategory.FALSE_FINDING,
        aspect=scored.discrepancies[0].aspect,
        type=scored.discrepancies[0].type,
        severity=Severity.INSIGNIFICANT,
        reason="",
        finding="",
        explanation="y",
    )
    both = Scored(score=0.5, subscores=scored.subscores, discrepancies=(*scored.discrepancies, insignificant))
    assert [sentence.text for sentence in category("A", both).sentences] == ["x"]


def test_what_stands_for_a_category_are_the_three_of_its_largest_cluster_nearest_to_the_centre() -> None:
    """The typical error, not the first one."""
    found = category("C", outcome(C=("one", "two", "three", "four", "five")))
    assert [sentence.text for sentence in found.representatives] == ["one", "two", "three"]
    assert [sentence.cluster for sentence in found.sentences] == [0, 0, 0, 0, 1]
    assert (found.clusters, found.silhouette) == (2, 0.5)


def test_a_category_without_explanations_has_no_cluster() -> None:
    """Its errors are counted all the same."""
    found = category("D", outcome(D=("",)))
    assert (found.errors, found.explained, found.clusters, found.sentences) == (1, 0, 0, ())


def test_places_are_given_only_where_a_plot_is_wanted() -> None:
    """Laying out sentences takes time."""
    scored = outcome(E=("x",))
    assert summary(scored).categories[4].sentences[0].place == (0.25, 0.25)
    assert summary(scored, plot=False).categories[4].sentences[0].place is None


def test_only_what_is_said_of_every_pair_is_said_of_the_corpus() -> None:
    """A note on one pair would mislead about the others."""
    found = summary(outcome(notes=("all", "one")), outcome(notes=("two", "all")), Unscored("refusal"))
    assert found.notes == ("all",)


def test_the_method_is_named_and_explanations_are_not_in_a_repr() -> None:
    """Explanations quote reports."""
    found = summary(outcome(A=("SECRET",)))
    assert found.method == f"{FakeEncoder().identity}; in order"
    assert "SECRET" not in repr(found)
