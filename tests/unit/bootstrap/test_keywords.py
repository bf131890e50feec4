"""What people guess first in Python: components by keyword, one metric by its name, mappings for small classes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, assert_type, cast

import datasets
import pandas as pd
import pyarrow as pa
import pytest

import overread
from overread.bootstrap import interface
from overread.bootstrap.services import build_service
from overread.domain.results.result import EvaluationResult
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.settings import Choices, choose_settings
from overread.plugins.specs import KINDS

REFERENCE, CANDIDATE = "Small left pleural effusion. No pneumothorax.", "Moderate right pleural effusion."
NOTATION: Any = {"reference": REFERENCE, "candidate": CANDIDATE, "metrics": "notation"}


def test_every_kind_of_component_is_a_keyword() -> None:
    """And the options; a kind that is added to the hooks must be added to the keywords."""
    assert {*Choices.__annotations__} == {*KINDS, "options"} - {"metric"}


def test_a_component_by_keyword_is_the_one_of_the_settings() -> None:
    """With the same signature, and before what the settings say."""
    by_settings = overread.score(**NOTATION, settings={"choose": {"second_reader": "none"}})
    by_keyword = overread.score(**NOTATION, second_reader="none")
    before = overread.score(**NOTATION, settings={"second_reader": "comparing"}, second_reader="none")
    assert by_keyword == by_settings == before
    assert "second_reader" not in str(by_keyword["notation"].signature).replace("second_reader=none", "")


def test_options_by_keyword_join_those_of_the_settings() -> None:
    """Table by table, setting by setting."""
    settings = {"options": {"aligner": {"epsilon": 0.1, "weights": "uniform"}}, "metrics": ["radot"]}
    chosen = choose_settings(settings, "rouge", {"options": {"aligner": {"epsilon": 0.2}}, "aligner": "partial"})
    assert chosen.options == {"aligner": {"epsilon": 0.2, "weights": "uniform"}}
    assert (chosen.metrics, chosen.choices) == (("rouge",), {"aligner": "partial"})


@pytest.mark.parametrize(
    ("keyword", "meant"), [("secondreader", "second_reader"), ("metric", "metrics"), ("zeal", "components: ")]
)
def test_an_unknown_keyword_is_named(keyword: str, meant: str) -> None:
    """As Python does, with what may have been meant."""
    with pytest.raises(TypeError, match=f"'{keyword}'.*{meant}"):
        overread.score(reference=REFERENCE, candidate=CANDIDATE, **cast("Any", {keyword: "none"}))


def test_a_component_that_there_is_not_is_named() -> None:
    """As from a settings file."""
    with pytest.raises(ConfigurationError, match="no second reader named 'nothing'"):
        overread.score(**NOTATION, second_reader="nothing")


def test_all_functions_that_take_settings_take_the_keywords() -> None:
    """Each that is exported, by its signature."""
    taking = [getattr(interface, name) for name in interface.__all__]
    taking = [function for function in taking if "settings" in inspect.signature(function).parameters]
    assert len(taking) >= 7
    assert all("choices" in inspect.signature(function).parameters for function in [*taking, overread.load])


def test_a_service_is_kept_for_like_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One pair after another builds no service anew, unless the settings differ."""
    built: list[overread.Settings] = []

    def build(settings: overread.Settings) -> overread.EvaluationService:
        built.append(settings)
        return build_service(settings)

    monkeypatch.setattr(interface, "build_service", build)
    interface._kept_service.cache_clear()
    monkeypatch.chdir(tmp_path)
    for metric in ("rouge", "rouge", "bleu", "rouge"):
        (tmp_path / f"{len(built)}.txt").touch()  # of no concern to a metric that reads no file
        overread.score(reference=REFERENCE, candidate=CANDIDATE, settings={"metrics": [metric]})
    assert [settings.metrics for settings in built] == [("rouge",), ("bleu",)]


def test_a_context_may_be_a_mapping() -> None:
    """It is that of the class; another thing is refused instead of making a pair unscored."""
    context = overread.ClinicalContext(age=67, indication="Fall.")
    given = {"age": "067Y", "indication": "Fall."}
    assert overread.score(**NOTATION, context=given) == overread.score(**NOTATION, context=context)
    wrong: Any
    for wrong in ({"aged": 67}, "67", {"age": "old"}):
        with pytest.raises(InputError, match="context"):
            overread.score(**NOTATION, context=wrong)


def test_columns_may_be_a_mapping() -> None:
    """From what is in a column to its name; the other way round is told."""
    table = pd.DataFrame({"ref": [REFERENCE], "gen": [CANDIDATE]})
    results = overread.score_many(table, columns={"reference": "ref", "candidate": "gen"}, metrics="rouge")
    assert results[0]["rouge"].is_scored
    with pytest.raises(InputError, match="first, then its name"):
        overread.score_many(table, columns={"ref": "reference", "gen": "candidate"}, metrics="rouge")
    with pytest.raises(InputError, match="choose from id, reference"):
        overread.score_many(table, columns={"hypothesis": "gen"}, metrics="rouge")


def test_a_file_is_told_how_to_be_scored() -> None:
    """Its name is not taken for pairs."""
    with pytest.raises(InputError, match="read_pairs reads a file"):
        overread.score_many("pairs.csv")


SYSTEMS = pd.DataFrame(
    {
        "study": ["s1", "s1", "s2"],
        "report": ["Small left effusion.", "Clear lungs.", "No mass."],
        "old": ["Small right effusion.", "Clear lungs.", "A mass."],
        "new": ["Small left effusion.", "Clear lungs.", "No mass."],
    },
    index=["a", "b", "c"],
)


def test_systems_stand_beside_one_reference() -> None:
    """Each column of candidates is scored as by itself, and progress counts all of them."""
    done: list[int] = []
    scored = overread.score_systems(
        SYSTEMS, ["old", "new"], columns={"reference": "report"}, metrics="rouge", on_progress=done.append
    )
    old = overread.score_many(SYSTEMS, columns={"reference": "report", "candidate": "old"}, metrics="rouge")
    assert ([*scored], scored["old"], done) == (["old", "new"], old, [1, 2, 3, 4, 5, 6])
    for wrong in ("old", [], ["old", "old"]):
        with pytest.raises(InputError, match="systems"):
            overread.score_systems(SYSTEMS, wrong)


@pytest.mark.parametrize("form", ["pandas", "arrow", "data set"])
def test_frames_of_results_are_compared_as_results_are(form: str) -> None:
    """And ranked; the discrepancies alone are not in a frame."""
    scored = overread.score_systems(SYSTEMS, ["old", "new"], columns={"reference": "report"}, metrics="rouge")
    forms: dict[str, Callable[[overread.Results], Any]] = {
        "pandas": lambda results: results.frame(),
        "arrow": lambda results: results.arrow(),
        "data set": lambda results: datasets.Dataset(results.arrow()),
    }
    frames = {name: forms[form](results) for name, results in scored.items()}
    by_results = overread.compare(*scored.values(), draws=200)
    by_frames = overread.compare(*frames.values(), draws=200)
    for name in ("differences", "tests"):
        assert by_frames.table(name).rows == by_results.table(name).rows
    ranks = overread.rank(scored, draws=200)
    assert overread.rank(frames, draws=200).table("leaderboard").rows == ranks.table("leaderboard").rows
    assert [row[2] for row in ranks.table("leaderboard").rows] == ["new", "old"]


def test_a_frame_that_holds_no_results_is_told() -> None:
    """Naming the argument, what is missing, and the row."""
    good = overread.score_systems(SYSTEMS, ["old"], columns={"reference": "report"}, metrics="rouge")["old"].frame()
    with pytest.raises(InputError, match="second: is a table without the columns metric"):
        overread.compare(good, good.drop(columns="metric"))
    with pytest.raises(InputError, match=r"first, row 4: its pair and metric stand above"):
        overread.compare(pd.concat([good, good]), good)
    with pytest.raises(InputError, match=r"first, row 1: its score is no number"):
        overread.compare(good.assign(score="high"), good)
    with pytest.raises(InputError, match="systems"):
        overread.rank([good, good])  # type: ignore[arg-type]


def test_figures_of_a_corpus_are_a_frame() -> None:
    """The mean first, each with the number of pairs that it rests on."""
    results = overread.score_many(
        references=[REFERENCE, REFERENCE, ""], candidates=[CANDIDATE, REFERENCE, ""], metrics=["notation", "rouge"]
    )
    figures = results.summary_frame()
    mean = figures[(figures.metric == "notation") & (figures.figure == "mean")].iloc[0]
    assert (mean.value, mean.scored, mean.unscored) == (results.summary()["notation"].mean, 2, 1)
    assert {*figures[figures.metric == "notation"].figure} == {"mean", *results.summary()["notation"].figures}
    assert [*overread.summary_frame([]).columns] == ["metric", "figure", "value", "scored", "unscored"]


def test_a_table_of_a_study_is_a_frame() -> None:
    """An estimate takes three columns; a whole tabulation is refused with the names of its tables."""
    scored = overread.score_systems(SYSTEMS, ["old", "new"], columns={"reference": "report"}, metrics="rouge")
    found = overread.compare(*scored.values(), draws=200)
    frame = overread.frame(found.table("differences"))
    assert {"metric", "difference", "difference_low", "difference_high"} <= {*frame.columns}
    assert len(frame) == len(found.table("differences").rows)
    with pytest.raises(InputError, match="differences"):
        overread.frame(found)


def test_an_arrow_table_has_the_frames_values() -> None:
    """With null in place of NaN."""
    results = overread.score_many(references=[REFERENCE, ""], candidates=[CANDIDATE, ""], metrics=["notation"])
    table = results.arrow()
    assert table.schema.field("score").type == pa.float64()
    assert table.column("score").to_pylist() == [results[0]["notation"].score, None]
    assert table.column("reason").to_pylist() == [None, "empty"]
    assert table.column_names == [*results.frame().columns]


def test_types_are_those_a_checker_sees() -> None:
    """Checked by mypy, which reads this file as a user's."""
    results = overread.score(reference=REFERENCE, candidate=CANDIDATE, metrics="rouge", second_reader="none")
    assert_type(results, overread.PairResults)
    assert_type(results["rouge"], EvaluationResult)
    assert_type(results["rouge"].score, float)
    many = overread.score_many([{"id": "1", "reference": "a", "candidate": "b"}], metrics=["rouge"])
    assert_type(many, overread.Results)
    assert_type(many[0], overread.PairResults)
    assert_type(overread.compare(many, many, draws=10), overread.Tabulation)
