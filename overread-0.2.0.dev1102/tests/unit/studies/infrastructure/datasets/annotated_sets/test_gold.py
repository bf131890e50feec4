"""The gold corpus: what its reader makes of it, and that what is shipped holds together."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from overread.exceptions import ConfigurationError
from overread.studies.infrastructure.datasets.annotated_sets import BENCHMARKS, read_benchmark
from overread.studies.infrastructure.datasets.annotated_sets.gold import PARTS, SETTINGS, read_gold

from .layouts import refused

FOLDER = BENCHMARKS["gold"].place
PRIVATE = "Cavitating lesion of Mr Sample"


def error(**fields: Any) -> dict[str, Any]:
    given = {"category": "B", "finding": "effusion", "importance": "actionable", "extent": 1.0, "denied": False}
    return given | {"reference_span": "effusion", "candidate_span": ""} | fields


def labels(rating: int, *errors: dict[str, Any]) -> dict[str, Any]:
    return {"rating": rating, "different_care": rating < 3, "errors": list(errors)}


def study(**fields: Any) -> dict[str, Any]:
    """A study with three candidates: a rewording, one with a significant error, one with three of every sort."""
    spoilt = [error(), error(category="R", extent=0.5), error(category="D", importance="follow-up", extent=0.5)]
    candidates = [
        {"id": "g001a", "kind": "rewording", "candidate": "A left effusion.", "labels": labels(5)},
        {"id": "g001b", "kind": "single", "candidate": "No effusion.", "labels": labels(2, error(denied=True))},
        {"id": "g001c", "kind": "multi", "candidate": "Lungs clear.", "labels": labels(1, *spoilt)},
    ]
    told = {"study": "g001", "setting": "study", "voice": "ward", "modality": "CT abdomen", "age": "63", "sex": "F"}
    return told | {"indication": "", "reference": "Left effusion.", "candidates": candidates} | fields


def write_gold(folder: Path, *studies: dict[str, Any]) -> Path:
    """The three files of the corpus, the studies in the first."""
    for part in PARTS:
        lines = [json.dumps(each) for each in (studies or (study(),)) if part == "open"]
        (folder / f"{part}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


def file_of(name: str, setting: str) -> Path:
    assert FOLDER is not None
    return FOLDER / (f"{name}.jsonl" if setting == "reports" else f"{setting}-{name}.jsonl")


def shipped(setting: str = "reports") -> list[dict[str, Any]]:
    texts = (file_of(part, setting).read_text(encoding="utf-8") for part in PARTS)
    return [json.loads(line) for text in texts for line in text.split("\n") if line]


def test_labels_become_ratings_counts_and_strata(tmp_path: Path) -> None:
    """An error is significant by importance times extent; advice is counted, in no category of its own."""
    first, second, third = read_gold(write_gold(tmp_path)).pairs
    assert first.ratings["rating"] == (5.0,)
    assert first.ratings["total"] == first.ratings["different_care"] == (0.0,)
    assert second.ratings["significant.B"] == second.ratings["different_care"] == (1.0,)
    counts = {name: third.ratings[name] for name in ("total", "significant", "insignificant", "insignificant.D")}
    assert counts == {"total": (3.0,), "significant": (2.0,), "insignificant": (1.0,), "insignificant.D": (1.0,)}
    assert third.strata == {
        "subset": "discrimination",
        "modality": "CT",
        "voice": "ward",
        "kind": "multi",
        "setting": "study",
    }
    assert first.strata["subset"] == "robustness"
    assert (first.study, first.pair.context.age, first.pair.context.indication) == ("g001", 63, None)


def test_two_candidates_rated_differently_are_a_preference(tmp_path: Path) -> None:
    """Equal ratings say nothing."""
    given = study()
    given["candidates"][2]["labels"]["rating"] = 2
    found = read_gold(write_gold(tmp_path, given)).preferences
    assert [(each.first, each.second, each.votes) for each in found] == [
        ("g001a", "g001b", (1.0,)),
        ("g001a", "g001c", (1.0,)),
    ]


def test_a_line_that_is_no_study_is_named(tmp_path: Path) -> None:
    """By file and line, without its text; so is a file that is not there."""
    folder = write_gold(tmp_path, study(), study(candidates=[{"id": "g002a", "candidate": PRIVATE}]))
    message = refused(lambda: read_gold(folder))
    assert "open.jsonl" in message
    assert "2" in message
    assert PRIVATE not in message
    (folder / "select.jsonl").unlink()
    assert "select.jsonl" in refused(lambda: read_gold(folder, part="select"))


def test_it_comes_with_overread() -> None:
    """Other sets have to be brought."""
    assert len(read_benchmark("gold").pairs) == 535
    assert len(read_benchmark("gold", options={"part": "all"}).pairs) == 1074
    with pytest.raises(ConfigurationError, match="does not come with overread"):
        read_benchmark("rexval")


@pytest.mark.parametrize(("setting", "opened", "whole"), [("generators", 935, 2040), ("drafts", 748, 1632)])
def test_settings_are_read_by_name(setting: str, opened: int, whole: int) -> None:
    """Candidates in the manner of generators, and drafts; all settings together are theirs and the reports'."""
    assert len(read_benchmark("gold", options={"setting": setting}).pairs) == opened
    read = read_benchmark("gold", options={"setting": setting, "part": "all"})
    assert len(read.pairs) == whole
    assert {each.strata["setting"] for each in read.pairs} == {setting}


def test_all_settings_are_read_together() -> None:
    """Ids stay distinct."""
    pairs = read_benchmark("gold", options={"setting": "all", "part": "all"}).pairs
    assert len({each.pair.id for each in pairs}) == len(pairs) == 1074 + 2040 + 1632


def test_a_ranking_tells_apart_what_is_rated_alike(tmp_path: Path) -> None:
    """Of two candidates with one rating the one further ahead in the study's ranking is better."""
    given = study(ranking=[["g001a"], ["g001c"], ["g001b"]])
    given["candidates"][2]["labels"]["rating"] = 2
    found = read_gold(write_gold(tmp_path, given)).preferences
    assert [(each.first, each.second, each.votes) for each in found] == [
        ("g001a", "g001b", (1.0,)),
        ("g001a", "g001c", (1.0,)),
        ("g001b", "g001c", (-1.0,)),
    ]


@pytest.mark.parametrize("setting", SETTINGS)
def test_spans_are_words_of_the_reports(setting: str) -> None:
    """Every error shows where it is, in one report at least."""
    for each in shipped(setting):
        for candidate in each["candidates"]:
            for found in candidate["labels"]["errors"]:
                assert found["reference_span"] or found["candidate_span"], candidate["id"]
                assert found["reference_span"] in each["reference"], candidate["id"]
                assert found["candidate_span"] in candidate["candidate"], candidate["id"]


def test_parts_share_no_reference_and_ids_are_distinct() -> None:
    """Else what is learnt of one part would tell of the other."""
    studies = [each for setting in SETTINGS for each in shipped(setting)]
    assert len({each["study"] for each in studies}) == len(studies) == 416 + 408 + 408
    assert len({" ".join(each["reference"].lower().split()) for each in studies}) == len(studies)
    ids = [candidate["id"] for each in studies for candidate in each["candidates"]]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("setting", SETTINGS)
def test_both_labellers_spoke_of_every_pair(setting: str) -> None:
    """In the order of the ids."""
    lines = file_of("labellers", setting).read_text(encoding="utf-8").split("\n")
    said = {(record := json.loads(line))["id"]: record["labels"] for line in lines if line}
    assert said.keys() == {candidate["id"] for each in shipped(setting) for candidate in each["candidates"]}
    assert {len(both) for both in said.values()} == {2}


@pytest.mark.parametrize("setting", ["generators", "drafts"])
def test_the_datasheet_counts_the_settings(setting: str) -> None:
    """The parts, the ratings and the pairs of different care."""
    assert FOLDER is not None
    sheet = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
    for part in PARTS:
        studies = [json.loads(line) for line in file_of(part, setting).read_text(encoding="utf-8").split("\n") if line]
        pairs = sum(len(each["candidates"]) for each in studies)
        assert f"| `{setting}-{part}.jsonl` | {len(studies)} | {pairs:,} |" in sheet
    labels = [candidate["labels"] for each in shipped(setting) for candidate in each["candidates"]]
    ratings = Counter(each["rating"] for each in labels)
    assert ", ".join(f"{ratings[rating]} are rated {rating}" for rating in (5, 4, 3, 2, 1)) in sheet
    assert f"{sum(each['different_care'] for each in labels)} would lead to different care" in sheet


def test_the_datasheet_counts_what_is_there() -> None:
    """The figures that a reader would quote."""
    assert FOLDER is not None
    sheet = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
    pairs = [candidate for each in shipped() for candidate in each["candidates"]]
    kinds = Counter(candidate["kind"] for candidate in pairs)
    ratings = Counter(candidate["labels"]["rating"] for candidate in pairs)
    assert f"{kinds['rewording']} free rewordings" in sheet
    assert f"{kinds['single']} `single`" in sheet
    assert f"5 the same ({ratings[5]} pairs)" in sheet
    assert f"different care ({sum(c['labels']['different_care'] for c in pairs)} pairs)" in sheet
    assert f"{sum(each['modality'] == 'CR chest' for each in shipped())} are of chest radiographs" in sheet
