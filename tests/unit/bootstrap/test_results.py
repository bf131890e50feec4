"""What scoring gives back: a list of dicts to code, something to look at for people."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Final

import pandas as pd
import pytest

import overread
from overread import PairResults, Results

PAIRS: Final = [
    {"id": "a", "reference": "Small qzxleft effusion.", "candidate": "No effusion."},
    {"id": "b", "reference": "", "candidate": " "},
    {"id": "c", "reference": "Clear qzxlungs.", "candidate": None},
]


@pytest.fixture(scope="module")
def results() -> Results:
    return overread.score_many(PAIRS, metrics=["rouge", "bleu"], on_error="skip")


def test_results_are_the_list_that_the_service_gives(results: Results) -> None:
    """Equal to it, in whole and in part, and made of dicts."""
    pairs = [overread.ReportPair(**pair) for pair in PAIRS[:2]]  # type: ignore[arg-type]
    plain = overread.open_service(metrics=["rouge", "bleu"]).evaluate(pairs)
    assert results[:2] == plain
    assert plain == results[:2]
    assert isinstance(results, list)
    assert [list(pair) for pair in results] == [["rouge", "bleu"]] * 3
    assert isinstance(results[:2], Results)
    assert isinstance(results[0], dict)


def test_reprs_are_short_and_hold_no_report(results: Results) -> None:
    """Scores and reasons, whatever the collections hold."""
    assert repr(results) == (
        "Results of 3 pairs: rouge 0.400 over 1 (unscored: 1 empty, 1 bad input); "
        f"bleu {results[0]['bleu'].score:.3f} over 1 (unscored: 1 empty, 1 bad input)"
    )
    assert repr(results[1]) == "PairResults('b': rouge unscored (empty), bleu unscored (empty))"
    assert repr(results[:0]) == "Results of 0 pairs"
    assert "qzx" not in repr([results, *results, results[0]["rouge"]])


def test_the_pair_is_at_hand_and_goes_nowhere(results: Results) -> None:
    """It is there to show the pair; a pickle, a copy and a dict of the results are without."""
    assert results[0].pair == overread.ReportPair(**PAIRS[0])  # type: ignore[arg-type]
    assert results[2].pair is None
    assert b"qzx" not in pickle.dumps(results)
    for sent in (pickle.loads(pickle.dumps(results)), copy.deepcopy(results)):  # noqa: S301 - our own
        assert sent == results
        assert isinstance(sent, Results)
        assert [pair.pair for pair in sent] == [None] * 3
    assert "qzx" not in json.dumps([results.to_dict(), results[0].to_dict()])


def test_results_become_plain_values(results: Results) -> None:
    """Strict JSON: a summary by metric, and the records that result files hold."""
    told = results.to_dict()
    assert told["pairs"] == 3
    assert told["summary"]["rouge"] == {
        "mean": 0.4,
        "scored": 1,
        "truncated": 0,
        "unscored": {"empty": 1, "bad input": 1},
    }
    assert told["results"] == [overread.result_record(result) for pair in results for result in pair.values()]
    assert results[0].to_dict() == {name: overread.result_record(result) for name, result in results[0].items()}
    json.dumps(told, allow_nan=False)


def test_a_frame_keeps_the_labels_of_the_frame_that_was_scored() -> None:
    """So that scores join the columns they were made of, numbers as numbers; also of a part, in another order."""
    table = pd.DataFrame(
        {
            "reference": ["No mass.", "Clear.", None],
            "candidate": ["No mass.", "Clear lungs.", "Clear."],
            "site": [1, 2, 3],
        },
        index=[30, 10, 20],
    )
    results = overread.score_many(table, metrics=["rouge"], on_error="skip")
    joined = table.join(results.frame(wide=True))
    assert joined["rouge"].round(3).tolist()[:2] == [1.0, 0.667]
    assert joined["rouge"].isna().tolist() == [False, False, True]
    assert overread.frame(results).loc[:, ["id", "reason"]].fillna("").to_numpy().tolist() == [
        [30, ""],
        [10, ""],
        [20, "bad input"],
    ]
    backwards = overread.frame([pair for pair in reversed(results) if pair["rouge"].is_scored], wide=True)
    assert backwards.index.tolist() == [10, 30]


def test_one_pair_is_a_frame_too() -> None:
    """A row a metric."""
    results = overread.score(reference="No mass.", candidate="A mass.", metrics=["rouge", "bleu"])
    assert isinstance(results, PairResults)
    assert results.frame()["metric"].tolist() == ["rouge", "bleu"]
    assert results.frame(wide=True).shape == (1, 2)
