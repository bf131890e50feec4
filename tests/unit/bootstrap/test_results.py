"""What scoring gives back: a list of dicts to code, something to look at for people."""

from __future__ import annotations

import copy
import json
import pickle
import re
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
        "Results of 3 pairs: rouge 0.400 over 1 of 3 (unscored: 1 empty, 1 bad input); "
        f"bleu {results[0]['bleu'].score:.3f} over 1 of 3 (unscored: 1 empty, 1 bad input)"
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
        "figures": {},
        "unscored": {"empty": 1, "bad input": 1},
    }
    assert (told["diversity"]["of"], told["diversity"]["is_collapsed"]) == (3, False)
    assert told["results"] == [overread.result_record(result) for pair in results for result in pair.values()]
    assert results[0].to_dict() == {name: overread.result_record(result) for name, result in results[0].items()}
    assert results[0]["rouge"].to_dict() == told["results"][0]
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


# --- shown ---


def _text(html: str) -> str:
    """What a reader sees of it: no tags, no style sheet."""
    return re.sub(r"<style>.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL)


def test_a_pair_shows_itself_as_its_page() -> None:
    """As an element with the words of both reports, styled by itself and without a script; the page is the same."""
    results = overread.score(
        reference="Small left effusion.", candidate="Small right <b>effusion.", metrics=["notation"]
    )
    html = results._repr_html_()
    assert results.pair is not None
    assert html == overread.render_fragment(results.pair, results)
    assert {"left", "right", "&lt;b&gt;effusion"} <= set(re.findall(r"[^\s.]+", _text(html)))
    assert "<script" not in html
    assert "<html" not in html
    assert results.to_html() == overread.render_page(results.pair, results)


def test_the_style_of_what_is_shown_touches_nothing_else(results: Results) -> None:
    """Each rule begins with the element's own class or id, so that a notebook keeps its looks."""
    for html in (results._repr_html_(), results[0]._repr_html_()):
        css = "".join(re.findall(r"<style>(.*?)</style>", html, re.DOTALL))
        css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
        selectors = [
            part.strip() for rule in re.findall(r"([^{}]+)\{", css) for part in re.split(r",(?![^()]*\))", rule)
        ]
        plain = [selector for selector in selectors if selector and not selector.startswith("@")]
        assert plain
        assert [selector for selector in plain if not re.search(r"\.orp\b|^#", selector)] == []


def test_many_pairs_show_themselves_as_a_table(results: Results) -> None:
    """The first twenty with their scores and reasons, and no word of a report."""
    many = overread.score_many(
        references=["No qzxmass."] * 23,
        candidates=["A qzxmass."] * 23,
        ids=[f"case-{n}" for n in range(23)],
        metrics=["rouge"],
    )
    html = _text(many._repr_html_())
    assert "qzx" not in html
    assert ("case-19" in html, "case-20" in html) == (True, False)
    assert "and 3 pairs more" in html
    assert "1 empty, 1 bad input" in " ".join(_text(results._repr_html_()).split())
    assert _text(Results()._repr_html_()).split()[-2:] == ["0", "pairs"]


def test_a_page_of_many_pairs_holds_the_reports_that_are_asked_for(results: Results) -> None:
    """None unless asked, and of those there are; every row of the table."""
    assert results.to_html().startswith("<!DOCTYPE html>")
    assert "qzx" not in results.to_html()
    some = results.to_html(pairs=3)
    assert ("qzxleft" in some, "qzxlungs" in some) == (True, False)
    assert len(re.findall(r'id="pair\d+"', some)) == 2


def test_without_the_pair_the_results_are_shown(results: Results) -> None:
    """As after a pickle, and of a bad row."""
    bare = pickle.loads(pickle.dumps(results))[0]  # noqa: S301 - our own
    assert "0.4" in _text(bare._repr_html_())
    assert bare.to_html().startswith("<!DOCTYPE html>")
    assert "bad input" in _text(results[2]._repr_html_())


def test_a_result_shows_where_and_no_words() -> None:
    """Score, scale, and each discrepancy with its reason and offsets; marks of HTML in an id are written out."""
    pair = {"id": "<i>", "reference": "Small qzx left effusion.", "candidate": "Small qzx right effusion."}
    [results] = overread.score_many([pair], metrics=["notation", "rouge"])
    html = results["notation"]._repr_html_()
    [found, *_] = results["notation"].discrepancies
    assert "qzx" not in html
    assert "&lt;i&gt;" in html
    assert "0 to 1, higher is better" in html
    assert f"{found.reference_spans[0].start} to {found.reference_spans[0].end}" in html
    assert repr(results["rouge"]) == "EvaluationResult('<i>': rouge 0.75 on 0 to 1, higher is better)"
    unscored = overread.score(reference="", candidate="", metrics=["rouge"])["rouge"]
    assert repr(unscored) == "EvaluationResult('pair': rouge unscored: empty)"
    assert "both reports are empty" in unscored.to_html()
