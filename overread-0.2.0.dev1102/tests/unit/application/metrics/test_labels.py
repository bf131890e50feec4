"""Label F1 over a labeller that says what it is told, and figures of corpora beside scikit-learn's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from sklearn.metrics import classification_report

from overread.application.metrics.labels import LabelMetric
from overread.application.statistics import Estimate
from overread.domain.findings.chest_labels import FIVE_LABELS, LABELS, LabelReading
from overread.domain.findings.unit import Polarity
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.corpus_figures import figures_of_sums, terms_of
from overread.domain.results.result import EMPTY_PAIR, Fault, Outcome, Scored, Unscored
from overread.domain.results.scores import MetricScores
from overread.exceptions import ComponentError
from overread.studies.application.comparison import PairFacts, Source
from overread.studies.application.corpus_summary import summarise_results

PRESENT, ABSENT, UNCERTAIN = Polarity.PRESENT, Polarity.ABSENT, Polarity.UNCERTAIN


@frozen
class Says:
    """Reads each report as it is told to."""

    readings: Mapping[str, LabelReading | Unscored]
    identity: str = "told"
    note: str = ""

    def label(self, reports: Sequence[Report]) -> list[LabelReading | Unscored]:
        return [self.readings[report.text] for report in reports]


def reading(vector: Sequence[float] | None = None, **mentions: Polarity) -> LabelReading:
    return LabelReading(mentions, None if vector is None else np.array(vector))


def evaluated(readings: Mapping[str, LabelReading | Unscored], *texts: tuple[str, str], **more: Any) -> list[Outcome]:
    pairs = [ReportPair(id=str(n), reference=r, candidate=c) for n, (r, c) in enumerate(texts)]
    return LabelMetric(labeller=Says(readings), **more).evaluate(pairs)


def test_f1_of_two_readings() -> None:
    """Of three labels and two, one is shared; doubt counts as asserted unless it is told not to."""
    readings = {
        "r": reading(edema=PRESENT, pneumonia=UNCERTAIN, fracture=PRESENT, atelectasis=ABSENT),
        "c": reading(edema=PRESENT, atelectasis=PRESENT),
    }
    [found] = evaluated(readings, ("r", "c"))
    assert isinstance(found, Scored)
    assert found.score == pytest.approx(2 / 5)
    assert found.subscores["precision"] == pytest.approx(1 / 2)
    assert found.subscores["recall"] == pytest.approx(1 / 3)
    assert (found.subscores["reference_pneumonia"], found.subscores["candidate_pneumonia"]) == (1.0, 0.0)
    assert found.notes == ("in the reference alone: pneumonia, fracture", "in the candidate alone: atelectasis")
    [strict] = evaluated(readings, ("r", "c"), uncertain=False)
    assert isinstance(strict, Scored)
    assert strict.score == pytest.approx(2 / 4)


def test_similarity_is_the_cosine() -> None:
    """Where the labeller makes a vector of each report."""
    [found] = evaluated({"r": reading([1.0, 0.0]), "c": reading([0.6, 0.8])}, ("r", "c"))
    assert isinstance(found, Scored)
    assert found.subscores["similarity"] == pytest.approx(0.6)
    assert found.score == 1.0  # neither asserts anything


def test_a_failure_is_told_of_its_side() -> None:
    """An unread report unscores its pair alone; a pair of blanks is not asked about."""
    readings: dict[str, LabelReading | Unscored] = {
        "r": reading(),
        "c": Unscored("too long", "so long", fault=Fault.REPORT),
    }
    empty, failed, fine = evaluated(readings, ("", " "), ("r", "c"), ("r", "r"))
    assert empty == EMPTY_PAIR
    assert isinstance(failed, Unscored)
    assert (failed.reason, failed.fault) == ("too long", Fault.CANDIDATE)
    assert isinstance(fine, Scored)


@pytest.mark.parametrize("odd", [LabelReading({"goitre": PRESENT}), reading([3.0, 4.0]), None])
def test_a_labeller_is_held_to_its_port(odd: Any) -> None:
    """A label that CheXpert does not have, or a vector of another length, is no answer."""
    with pytest.raises(ComponentError, match="labeller"):
        evaluated({"r": odd, "c": reading()}, ("r", "c"))


def corpus(seed: int, size: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], list[Scored]]:
    """Drawn labels of references and candidates, and what the metric makes of them."""
    draw = np.random.default_rng(seed)
    sides = draw.random((2, size, len(LABELS))) < draw.random(len(LABELS)) * 0.6
    readings = {
        f"{side}{row}": LabelReading({label: PRESENT for label, there in zip(LABELS, labels, strict=True) if there})
        for side, rows in zip("rc", sides, strict=True)
        for row, labels in enumerate(rows)
    }
    outcomes = evaluated(readings, *((f"r{row}", f"c{row}") for row in range(size)))
    return sides[0], sides[1], [each for each in outcomes if isinstance(each, Scored)]


def test_figures_of_a_corpus_are_scikit_learns() -> None:
    """Micro and macro F1 over all labels and over five, as classification_report gives them; F1CheXbert reports it."""
    reference, candidate, scored = corpus(3, 40)
    sums: dict[str, float] = {}
    for outcome in scored:
        for name, value in terms_of(outcome.subscores).items():
            sums[name] = sums.get(name, 0.0) + value
    found = figures_of_sums(sums)
    for labels in (LABELS, FIVE_LABELS):
        columns = [LABELS.index(label) for label in labels]
        expected = classification_report(
            reference[:, columns], candidate[:, columns], output_dict=True, zero_division=0.0
        )
        for kind in ("micro", "macro"):
            assert found[f"{kind}_f1_{len(labels)}"] == pytest.approx(expected[f"{kind} avg"]["f1-score"])


def test_the_summary_has_them_with_intervals() -> None:
    """The figures of kept results are those of the sums, and lie within their intervals; no score is made of them."""
    _, _, scored = corpus(4, 30)
    names = scored[0].subscores.keys() - {"precision", "recall"}
    scores = MetricScores(
        metric="labels",
        higher_is_better=True,
        ids=tuple(f"p{n}" for n in range(len(scored))),
        scores=np.array([outcome.score for outcome in scored]),
        signature="labels|version:1",
        subscores={name: np.array([outcome.subscores[name] for outcome in scored]) for name in names},
        reasons={},
    )
    found = summarise_results(Source(name="mine", metrics={"labels": scores}), PairFacts(), draws=200)
    sums = {
        name: sum(terms_of(outcome.subscores)[name] for outcome in scored) for name in terms_of(scored[0].subscores)
    }
    table = {row[1]: row[2] for row in found.table("figures").rows}
    assert list(table) == ["micro F1-14", "macro F1-14", "micro F1-5", "macro F1-5"]
    for (title, cell), value in zip(table.items(), figures_of_sums(sums).values(), strict=True):
        assert isinstance(cell, Estimate)
        assert cell.value == pytest.approx(value), title
        assert cell.low is not None
        assert cell.high is not None
        assert cell.low <= value <= cell.high
