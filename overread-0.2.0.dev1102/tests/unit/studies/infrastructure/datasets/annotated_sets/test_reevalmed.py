"""ReEvalMed: which changes matter, told by a column or by the name of the file. All reports are invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from overread.domain.results.annotation import HumanBenchmark
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets.reevalmed import read_reevalmed

from .tables import written

ROWS: list[dict[str, Any]] = [
    {
        "id": "p1",
        "reference": "Left rib fractures.",
        "candidate": "Right rib fractures.",
        "subset": "D",
        "aspect": "Location",
        "type": "Inaccuracy",
    },
    {
        "id": "p2",
        "reference": "Left rib fractures.",
        "candidate": "Rib fractures on the left.",
        "subset": "R",
        "aspect": "Stylistic Var.",
        "type": "S",
    },
    {
        "id": "p3",
        "reference": "Edema has improved.",
        "candidate": "Edema has worsened.",
        "subset": "D",
        "aspect": "Comp./Prog.",
        "type": "E",
    },
]
INJECTED = {
    "id": "r1-location_omission-d",
    "study": "r1",
    "reference": "Small left effusion.",
    "candidate": "Small effusion.",
    "subset": "discrimination",
    "aspect": "Location",
    "type": "omission",
    "severity": "significant",
    "spans": [{"span": "left", "aspect": "Location", "type": "omission", "severity": "significant"}],
    "explanation": "The side is left out.",
    "total": 1,
    "significant": 1,
    "insignificant": 0,
}


def changed(**cells: Any) -> list[dict[str, Any]]:
    return [{**ROWS[0], **cells}, *ROWS[1:]]


def read(tmp_path: Path, rows: list[dict[str, Any]], name: str = "test.json") -> HumanBenchmark:
    return read_reevalmed(written(tmp_path / name, rows))


@pytest.mark.parametrize("name", ["test.json", "test.jsonl", "test.csv"])
def test_changes_that_matter_have_one_significant_error_and_others_none(tmp_path: Path, name: str) -> None:
    """A change that matters counts as one error, so that the set has a target like others."""
    benchmark = read(tmp_path, ROWS, name)
    assert [pair.ratings for pair in benchmark.pairs] == [{"significant": (value,)} for value in (1.0, 0.0, 1.0)]
    [target] = benchmark.targets
    assert (target.name, target.higher_is_better, benchmark.raters) == ("significant", False, ("label",))
    assert [pair.strata for pair in benchmark.pairs] == [
        {"subset": "discrimination", "aspect": "Location", "type": "inaccuracy"},
        {"subset": "robustness", "aspect": "Stylistic Variation"},
        {"subset": "discrimination", "aspect": "Comparison/Progression", "type": "inaccuracy"},
    ]


def test_pairs_with_one_reference_are_one_study_where_none_is_named(tmp_path: Path) -> None:
    """Pairs that share a reference are resampled together."""
    studies = [pair.study for pair in read(tmp_path, ROWS).pairs]
    assert studies[0] == studies[1] != studies[2]
    named = read(tmp_path, [{**row, "study": f"s{number}"} for number, row in enumerate(ROWS)])
    assert [pair.study for pair in named.pairs] == ["s0", "s1", "s2"]


@pytest.mark.parametrize(
    ("subset", "value"),
    [
        ("discrimination", 1),
        ("Significant", 1),
        ("1", 1),
        (1, 1),
        (True, 1),
        ("robustness", 0),
        ("not significant", 0),
        ("insignificant", 0),
        (0, 0),
        (0.0, 0),
    ],
)
def test_subsets_are_understood_in_several_words(tmp_path: Path, subset: Any, value: int) -> None:
    """Published files and people name the two subsets in several ways."""
    assert read(tmp_path, changed(subset=subset)).pairs[0].ratings["significant"] == (float(value),)


def test_the_names_of_two_files_tell_the_subset_and_ids_stay_distinct(tmp_path: Path) -> None:
    """Rows without ids are numbered within their file."""
    plain = [{"reference": row["reference"], "candidate": row["candidate"]} for row in ROWS]
    written(tmp_path / "test_discrimination.json", plain[:2])
    written(tmp_path / "test_insignificant.json", plain[:2])
    benchmark = read_reevalmed(tmp_path)
    assert {pair.pair.id: pair.ratings["significant"] for pair in benchmark.pairs} == {
        "test_discrimination-1": (1.0,),
        "test_discrimination-2": (1.0,),
        "test_insignificant-1": (0.0,),
        "test_insignificant-2": (0.0,),
    }


def test_output_of_inject_is_read(tmp_path: Path) -> None:
    """What the package injects can be benchmarked like the published set."""
    other = {**INJECTED, "id": "r1-noise-r", "subset": "robustness", "severity": "insignificant", "type": None}
    critical = {**INJECTED, "severity": "critical"}
    benchmark = read(tmp_path, [critical, {**other, "aspect": "Noise"}], "injected.jsonl")
    assert [(pair.pair.id, pair.study, pair.ratings["significant"]) for pair in benchmark.pairs] == [
        ("r1-location_omission-d", "r1", (1.0,)),
        ("r1-noise-r", "r1", (0.0,)),
    ]
    assert benchmark.pairs[0].strata == {"subset": "discrimination", "aspect": "Location", "type": "omission"}
    assert benchmark.pairs[1].strata == {"subset": "robustness", "aspect": "Noise"}


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"subset": ""}, "row 1: it is not given whether the change matters .add a column subset"),
        ({"subset": "Left"}, "row 1: subset is not known"),
        ({"severity": "insignificant"}, "row 1: subset and severity contradict each other"),
        ({"aspect": "Left rib"}, "row 1: aspect is not one of the twelve .use Location, Severity"),
        ({"type": "Left rib"}, "row 1: type is not known .use omission, fabrication"),
        ({"id": "p2"}, "row 2: its id is also that of row 1"),
        ({"candidate": None}, "row 1: candidate is null"),
    ],
)
def test_what_cannot_be_used_is_refused_by_row_without_its_text(
    tmp_path: Path, cells: dict[str, Any], problem: str
) -> None:
    """The message names the row and the known values, and quotes no report."""
    with pytest.raises(InputError, match=problem) as error:
        read(tmp_path, changed(**cells))
    assert "rib" not in str(error.value)
    assert "test.json" in str(error.value)


def test_a_folder_needs_a_table_of_pairs_and_none_that_is_broken(tmp_path: Path) -> None:
    """A broken table may hold half of the set and is not passed over."""
    written(tmp_path / "a.jsonl", [{"text": "x"}])
    with pytest.raises(InputError, match=r"no table has the columns reference, candidate; a\.jsonl has text"):
        read_reevalmed(tmp_path)
    written(tmp_path / "pairs.jsonl", ROWS)
    (tmp_path / "z.json").write_text(json.dumps(ROWS)[:-5])
    with pytest.raises(InputError, match=r"z\.json: .*take it out of the folder"):
        read_reevalmed(tmp_path)
