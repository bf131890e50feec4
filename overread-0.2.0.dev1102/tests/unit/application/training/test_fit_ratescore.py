"""Learning W and p from rated pairs: the arithmetic is that of the score, the split leaks nothing, a table is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from attrs import define, evolve, field

from overread.adapters.metrics.ratescore.search import TpeSearch
from overread.application.metrics.entity_reader import EntityReader
from overread.application.metrics.ratescore import RateScoreMetric
from overread.application.statistics.correlations import Kendall
from overread.application.training.fit_ratescore import FitAffinity, FittedAffinity
from overread.domain.entities.affinity import DEFAULT_TABLE, TABLES, AffinityTable, Orientation, PenaltyRule
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.result import Scored
from overread.exceptions import ConfigurationError

from ..entity_fakes import LetterEncoder, MarkRecognizer

Array = npt.NDArray[np.float64]

WORDS = ("mass", "edema", "lung", "heart", "fluid", "apex", "node", "cyst", "rib", "hilum")
MARKS = ("+", "-", "!", "~", "")


@define
class ListSearch:
    """Tries the starts, then points drawn at random; keeps what it was asked and what each point was worth."""

    identity: str = "list"
    starts: list[Array] = field(factory=list)
    values: list[float] = field(factory=list)
    asked: dict[str, int] = field(factory=dict)

    def maximise(
        self,
        objective: Callable[[Array], float],
        starts: Sequence[Array],
        *,
        trials: int,
        seed: int,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Array:
        self.starts, self.asked = list(starts), {"trials": trials, "seed": seed}
        draws = np.random.default_rng(seed).random((trials, len(starts[0])))
        points: list[Array] = [*starts, *draws][:trials]
        for done, point in enumerate(points, start=1):
            self.values.append(objective(point))
            if on_progress is not None:
                on_progress(done, trials)
        return points[int(np.argmax(self.values))]


def reader(**parts: Any) -> EntityReader:
    return EntityReader(parts.get("recognizer", MarkRecognizer()), parts.get("encoder", LetterEncoder()))


def fit(pairs: Sequence[AnnotatedPair], search: Any = None, **options: Any) -> FittedAffinity:
    use_case = FitAffinity(reader=reader(), search=search or ListSearch())
    return use_case(pairs, **{"trials": 8, **options})


def drawn(count: int, seed: int = 0) -> list[ReportPair]:
    """Pairs of marked words, four candidates to a reference; a candidate changes, drops and adds some."""
    rng = np.random.default_rng(seed)

    def words(number: int) -> list[str]:
        return [str(rng.choice(MARKS)) + str(rng.choice(WORDS)) for _ in range(number)]

    pairs = []
    for study in range(count // 4):
        reference = words(6)
        for copy in range(4):
            kept = [word for word in reference if rng.random() < 0.6]
            candidate = " ".join(kept + words(3))
            pairs.append(ReportPair(id=f"{study}-{copy}", reference=" ".join(reference), candidate=candidate))
    return pairs


def scores(pairs: Sequence[ReportPair], table: AffinityTable) -> list[float]:
    outcomes = RateScoreMetric(reader=reader(), table=table).evaluate(pairs)
    return [outcome.score for outcome in outcomes if isinstance(outcome, Scored)]


def rated(pairs: Sequence[ReportPair], ratings: Iterable[float], studies: Sequence[str] = ()) -> list[AnnotatedPair]:
    names = studies or [""] * len(pairs)
    return [
        AnnotatedPair(pair=p, ratings={"rating": (r,)}, study=s) for p, r, s in zip(pairs, ratings, names, strict=True)
    ]


def hidden_table(seed: int) -> AffinityTable:
    rng = np.random.default_rng(seed)
    return AffinityTable(name="hidden", weights=rng.random((5, 5)).tolist(), p=0.1)


def test_a_planted_table_is_recovered() -> None:
    """Ratings made from a hidden table and a little noise: what is learned ranks pairs it never saw far better."""
    pairs = drawn(400)
    hidden = AffinityTable(
        name="hidden",
        weights=np.array([0.9, 0.05, 0.9, 0.9, 0.9])[:, np.newaxis] * np.array([1.0, 0.05, 0.2, 1.0, 0.9]),
        p=0.05,
    )
    noise = np.random.default_rng(1).normal(0, 0.02, len(pairs))
    result = fit(rated(pairs, scores(pairs, hidden) + noise), TpeSearch(), trials=150, seed=3)
    assert result.start.table == DEFAULT_TABLE
    assert result.held_out_pairs == 80
    assert result.fitted.held_out["kendall"] > result.start.held_out["kendall"] + 0.3
    assert result.fitted.held_out["kendall"] > 0.7
    assert result.table.p < 0.3


def test_the_search_sees_the_very_score_of_the_metric() -> None:
    """Whatever the table: scores and ratings are those of the metric, in the order of the pairs."""
    pairs = drawn(80)
    seen: list[Array] = []

    class Spy(Kendall):
        def value(self, scores: Array, people: Array) -> float:
            seen.append(scores)
            return float(len(people))

    use_case = FitAffinity(reader=reader(), search=ListSearch(), correlations={"kendall": Spy()})
    result = use_case(rated(pairs, range(80), [f"s{n // 4}" for n in range(80)]), trials=6, seed=4)
    of_metric = np.array(scores(pairs, result.table))
    # The last two measured are those of the published table, before them those of the learned one.
    learned = np.concatenate(seen[-4:-2])
    assert len(learned) == len(pairs)
    assert np.sort(learned) == pytest.approx(np.sort(of_metric))
    published = np.concatenate(seen[-2:])
    assert np.sort(published) == pytest.approx(np.sort(scores(pairs, TABLES[DEFAULT_TABLE])))
    # In the training part they keep the order of the pairs: every one of them is found again further on.
    places = iter(of_metric.tolist())
    assert all(any(abs(value - found) < 1e-9 for found in places) for value in seen[-4].tolist())


@pytest.mark.parametrize("name", TABLES)
def test_the_published_tables_are_tried_first(name: str) -> None:
    """With ratings that one of them made, the search ends there, and agreement is perfect."""
    pairs = drawn(80)
    result = fit(rated(pairs, scores(pairs, TABLES[name])), trials=len(TABLES))
    for agreement in (result.fitted.train, result.fitted.held_out):
        assert agreement == pytest.approx({"kendall": 1.0, "pearson": 1.0, "spearman": 1.0})
    assert result.table.weights == TABLES[name].weights
    assert result.table.p == TABLES[name].p


def test_pairs_of_a_study_stay_on_one_side() -> None:
    """Each side then has only whole studies: with 10 of 8 pairs each, 2 are held out."""
    pairs = drawn(80)
    studies = [f"s{number // 8}" for number in range(80)]
    result = fit(rated(pairs, list(range(80)), studies))
    assert (result.train_pairs, result.held_out_pairs) == (64, 16)


def test_without_studies_the_pairs_of_a_reference_stay_together() -> None:
    """Four candidates to a reference: what is held out is a multiple of four, a fifth of the references."""
    result = fit(rated(drawn(80), list(range(80))))
    assert (result.train_pairs, result.held_out_pairs) == (64, 16)


def test_the_seed_decides_the_split() -> None:
    """A published fit can be made again."""
    pairs = rated(drawn(80), list(range(80)))
    assert fit(pairs, seed=1) == fit(pairs, seed=1)
    assert fit(pairs, seed=1).start.held_out != fit(pairs, seed=2).start.held_out


def test_ratings_that_count_errors_agree_where_better_pairs_score_higher() -> None:
    """The direction of the ratings is turned and nothing else."""
    pairs = drawn(80)
    good = np.array(scores(pairs, TABLES[DEFAULT_TABLE]))
    as_grades, as_errors = fit(rated(pairs, good)), fit(rated(pairs, 9 - good), lower_is_better=True)
    assert as_errors.start.train == pytest.approx(as_grades.start.train)
    assert as_errors.start.held_out["kendall"] == pytest.approx(1.0)


def test_orientation_is_only_how_the_table_is_written() -> None:
    """W as the paper writes it is the transpose, and scores the same."""
    pairs = rated(drawn(80), scores(drawn(80), hidden_table(2)))
    release, paper = (fit(pairs, orientation=orientation) for orientation in (Orientation.RELEASE, Orientation.PAPER))
    assert np.array_equal(np.array(paper.table.weights), np.array(release.table.weights).T)
    assert paper.table.orientation is Orientation.PAPER
    assert evolve(paper.fitted, table="") == evolve(release.fitted, table="")


def test_the_penalty_rule_is_part_of_what_is_learned() -> None:
    """A table fitted under one rule is not scored under the other."""
    pairs = rated(drawn(80), scores(drawn(80), hidden_table(2)))
    polarity, mismatch = (fit(pairs, penalty=rule) for rule in (PenaltyRule.POLARITY, PenaltyRule.ANY_MISMATCH))
    assert mismatch.table.penalty is PenaltyRule.ANY_MISMATCH
    assert mismatch.fitted.train != polarity.fitted.train
    assert mismatch.start == polarity.start


@pytest.mark.parametrize("correlation", ["kendall", "pearson", "spearman"])
def test_the_correlation_asked_for_is_the_one_maximised(correlation: str) -> None:
    """The report names it."""
    search = ListSearch()
    result = fit(rated(drawn(80), scores(drawn(80), hidden_table(4))), search, correlation=correlation, trials=30)
    assert result.fitted.train[correlation] == pytest.approx(max(search.values))
    assert result.correlation == correlation


def test_the_search_is_told_trials_seed_and_progress() -> None:
    """A long search can be watched and made again."""
    search, told = ListSearch(), []
    result = fit(
        rated(drawn(80), list(range(80))),
        search,
        trials=6,
        seed=11,
        on_progress=lambda done, trials: told.append((done, trials)),
    )
    assert search.asked == {"trials": 6, "seed": 11}
    assert told == [(number, 6) for number in range(1, 7)]
    assert (result.trials, result.seed, result.search) == (6, 11, "list")


def test_what_cannot_be_scored_is_left_out_and_named() -> None:
    """A pair with entities on one side only is scored, 0, and so it counts."""
    pairs = drawn(80)
    odd = [
        ReportPair(id="empty", reference=" ", candidate=""),
        ReportPair(id="none", reference="1", candidate="2"),
        ReportPair(id="refused", reference="unreadable", candidate="+mass"),
        ReportPair(id="one-sided", reference="+mass", candidate="3"),
    ]
    labelled = rated([*odd, *pairs], [1.0] * len(odd) + list(range(80)))
    recognizer = MarkRecognizer(refused={"unreadable": "language"})
    use_case = FitAffinity(reader=reader(recognizer=recognizer), search=ListSearch())
    result = use_case(labelled, trials=4)
    assert result.skipped == (("empty", "empty"), ("none", "no entities"), ("refused", "language"))
    assert result.train_pairs + result.held_out_pairs == 81


def test_reports_are_recognised_and_names_embedded_once_and_not_once_a_trial() -> None:
    """A trial costs arithmetic alone."""
    recognizer, encoder = MarkRecognizer(), LetterEncoder()
    use_case = FitAffinity(reader=reader(recognizer=recognizer, encoder=encoder), search=ListSearch())
    use_case(rated(drawn(80), list(range(80))), trials=20)
    assert (len(recognizer.batches), len(encoder.batches)) == (1, 1)


@pytest.mark.parametrize(
    ("pairs", "options", "message"),
    [
        (rated(drawn(80), range(80)), {"correlation": "cosine", "trials": 0}, "must be one of .*'cosine'; trials must"),
        (rated(drawn(16), range(16)), {}, "at least 5 studies .* there are 4"),
        ([], {}, "there are 0"),
        (rated(drawn(80), [3.0] * 80), {}, "all pairs fitted on have the same rating"),
        (
            rated(drawn(20), range(20), [f"s{n // 4}" for n in range(20)]),
            {"name": "a|b"},
            "name must be a line",
        ),
    ],
)
def test_what_cannot_be_fitted_is_told(pairs: Any, options: dict[str, Any], message: str) -> None:
    """All problems are told before a report is read."""
    with pytest.raises(ConfigurationError, match=message):
        fit(pairs, **options)
