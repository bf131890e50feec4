"""RadPref as it is published: ratings, preferences and errors by what findings ask for. All reports are invented."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from overread.domain.results.annotation import HumanBenchmark
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets.radpref import read_radpref

Json = dict[str, Any]

DATA: list[Json] = [
    {
        "id": "7",
        "ground_truth_report": "Tension pneumothorax on the left. Old rib fractures.",
        "C1_report": "Small pneumothorax on the right.",
        "C2_report": "Tension pneumothorax on the left.",
        "C1_source": "model-x",
        "C2_source": "model-y",
        "PatientAge": "045Y",
        "PatientSex": "F",
        "Indication": "Fall from a ladder.",
        "ground_truth_findings": ["Tension pneumothorax on the left", "Old rib fractures"],
        "C1_findings": ["Small pneumothorax on the right"],
        "C2_findings": ["Tension pneumothorax on the left"],
    },
    {
        "id": "8",
        "ground_truth_report": "Tension pneumothorax on the left. Old rib  fractures.",
        "C1_report": "Lungs are clear.",
        "C2_report": "A stent is seen.",
        "C1_source": "model-y",
        "C2_source": "model-x",
        "PatientAge": "",
        "PatientSex": None,
        "Indication": "",
        "ground_truth_findings": [],
        "C1_findings": [],
        "C2_findings": [],
    },
    {
        "id": "9",
        "ground_truth_report": "Nodule of 4 mm.",
        "C1_report": "Nodule of 9 mm.",
        "C2_report": "Mass.",
        "C1_source": "model-x",
        "C2_source": "model-y",
        "PatientAge": "018M",
        "PatientSex": "M",
        "Indication": "___",
        "ground_truth_findings": [],
        "C1_findings": [],
        "C2_findings": [],
    },
]


def candidate(rating: object, wrong: Json | None = None, missing: Json | None = None) -> Json:
    return {"rating": rating, "finding_errors": wrong or {}, "missing_findings": missing or {}}


def attribute(significance: str | None, **attributes: str) -> Json:
    return {"error_type": "attribute", "clinical_significance": significance, "attributes": attributes}


FALSE = {"error_type": "false", "clinical_significance": "not_actionable_not_urgent", "attributes": {}}
MISSING = {"clinical_significance": "benign_expected"}
FIRST = candidate(
    2,
    {"0": attribute("urgent", location="significant", severity="significant", temporal="negligible"), "1": FALSE},
    {"1": MISSING},
)
USERS: list[Json] = [
    {
        "user_id": 1,
        "annotations": {
            "7": {"C1": FIRST, "C2": candidate(4, None, {"1": MISSING})},
            "8": {"C1": candidate(3), "C2": candidate(3)},
        },
    },
    {
        "user_id": 2,
        "annotations": {
            "7": {"C1": candidate(1, {"0": attribute("urgent", location="significant")}), "C2": candidate(5)},
            "404": {"C1": candidate(1), "C2": candidate(2)},
        },
    },
    {"user_id": 3, "annotations": {"8": {"C1": candidate(5), "C2": candidate(None)}}},
]


def published(folder: Path, data: Any = None, users: list[Any] | None = None) -> Path:
    """The folder as it is published."""
    place = folder / "RadPref"
    (place / "radiologist_annotations").mkdir(parents=True)
    (place / "preference_data.json").write_text(json.dumps(DATA if data is None else data), encoding="utf-8")
    for number, user in enumerate(USERS if users is None else users, start=1):
        text = user if isinstance(user, str) else json.dumps(user)
        (place / "radiologist_annotations" / f"user_{number}.json").write_text(text, encoding="utf-8")
    return folder


def read(folder: Path, data: Any = None, users: list[Any] | None = None, **options: Any) -> HumanBenchmark:
    return read_radpref(published(folder, data, users), **options)


def said(benchmark: HumanBenchmark, pair: str, target: str) -> list[float | None]:
    [found] = [each for each in benchmark.pairs if each.pair.id == pair]
    return [None if math.isnan(value) else value for value in found.ratings[target]]


def test_two_pairs_a_comparison_with_what_each_rater_said(tmp_path: Path) -> None:
    """Comparisons with one reference are one study; one that nobody annotated is left out."""
    benchmark = read(tmp_path)
    assert [(pair.pair.id, pair.study, pair.generator) for pair in benchmark.pairs] == [
        ("7:C1", "7", "model-x"), ("7:C2", "7", "model-y"), ("8:C1", "7", "model-y"), ("8:C2", "7", "model-x"),
    ]  # fmt: skip
    assert benchmark.raters == ("1", "2", "3")
    assert said(benchmark, "7:C1", "rating") == [2.0, 1.0, None]
    assert said(benchmark, "8:C2", "rating") == [3.0, None, None]
    assert benchmark.targets[0].higher_is_better
    assert not any(target.higher_is_better for target in benchmark.targets[1:])
    assert not read(tmp_path / "again", ratings="errors").targets[0].higher_is_better


def test_errors_are_counted_by_what_their_findings_ask_for(tmp_path: Path) -> None:
    """In 7:C1 rater 1 marks three attributes, one as negligible, a false and a missing finding: counted by hand."""
    benchmark = read(tmp_path)
    expected = {
        "total": 5, "significant": 2, "insignificant": 3,
        "urgent": 3, "actionable_not_urgent": 0, "not_actionable_not_urgent": 1, "benign_expected": 1,
        "total.A": 1, "total.B": 1, "total.C": 1, "total.D": 1,
        "significant.C": 1, "significant.D": 1, "significant.A": 0, "insignificant.A": 1, "insignificant.B": 1,
    }  # fmt: skip
    assert {name: said(benchmark, "7:C1", name)[0] for name in expected} == expected
    assert said(benchmark, "7:C1", "urgent") == [3.0, 1.0, None]
    assert said(benchmark, "7:C2", "total") == [1.0, 0.0, None]


def test_the_better_rated_candidate_is_preferred(tmp_path: Path) -> None:
    """Equal ratings are a tie; a rater who rated one candidate alone has no vote."""
    benchmark = read(tmp_path)
    votes = {each.id: [None if math.isnan(v) else v for v in each.votes] for each in benchmark.preferences}
    assert votes == {"7": [-1.0, -1.0, None], "8": [0.0, None, None]}
    turned = read(tmp_path / "again", ratings="errors")
    assert [each.votes[0] for each in turned.preferences] == [1.0, 0.0]
    assert not any("the ratings as errors" in note for note in benchmark.notes)
    assert turned.notes[-1] == (
        "the candidate that is rated better has more errors in 2 of 2 cases: if a higher rating is better here, read "
        "the ratings as grades"
    )


@pytest.mark.parametrize("context", ["with", "without"])
def test_the_patient_goes_to_metrics_or_not(tmp_path: Path, context: str) -> None:
    """DICOM's age in years, sex and indication; what is not given is not given."""
    first, _, third, _ = (pair.pair.context for pair in read(tmp_path, context=context).pairs)
    known = (45.0, "F", "Fall from a ladder.") if context == "with" else (None, None, None)
    assert (first.age, first.sex, first.indication) == known
    assert (third.age, third.sex, third.indication) == (None, None, None)


def test_what_was_understood_and_left_out_is_told(tmp_path: Path) -> None:
    """Columns, joins, counts of every kind, and what nobody annotated or nobody knows."""
    benchmark = read(tmp_path)
    assert benchmark.account == (
        (
            "preference_data.json, 3 comparisons: id, ground_truth_report, C1_report, C2_report, C1_source, C2_source, "
            "PatientAge, PatientSex, Indication; not read: ground_truth_findings, C1_findings, C2_findings"
        ),
        "radiologist_annotations/user_1.json, rater 1: 2 comparisons, joined by id",
        "radiologist_annotations/user_2.json, rater 2: 1 comparison, joined by id",
        "radiologist_annotations/user_3.json, rater 3: 1 comparison, joined by id",
        "errors: 1 false finding, 2 missing findings, 4 wrong attributes",
        "ratings from 1 to 5",
        (
            "errors by clinical_significance: urgent 4, actionable_not_urgent 0, not_actionable_not_urgent 1, "
            "benign_expected 2"
        ),
        (
            "1 study, 4 pairs, 2 preferences, 3 raters; targets: rating, total, significant, insignificant, urgent, "
            "actionable_not_urgent, not_actionable_not_urgent, benign_expected, and 12 by category"
        ),
    )
    assert benchmark.notes == (
        "1 annotation of 2 left out: preference_data.json has no such comparison",
        "1 comparison left out: nobody annotated it",
        "1 candidate annotated without a rating: no vote comes of it",
    )


def test_gaps_are_counted_and_do_not_stop_it(tmp_path: Path) -> None:
    """Counts by importance are unknown where one error's is; the total is known all the same."""
    users = deepcopy(USERS)
    errors = users[0]["annotations"]["7"]["C1"]["finding_errors"]
    errors["1"]["clinical_significance"] = None
    errors["2"] = {"error_type": None}
    errors["3"] = {"error_type": "attribute", "clinical_significance": "urgent"}
    users[0]["annotations"]["8"]["C2"] = None
    benchmark = read(tmp_path, None, users)
    assert said(benchmark, "7:C1", "total") == [6.0, 1.0, None]
    assert said(benchmark, "7:C1", "urgent") == [None, 1.0, None]
    assert said(benchmark, "7:C1", "total.A")[0] == 1.0
    assert said(benchmark, "7:C1", "significant.C")[0] is None
    assert benchmark.notes[2:] == (
        "1 candidate of which a radiologist said nothing: no rating, no counts, no vote",
        "1 candidate annotated without a rating: no vote comes of it",
        "1 error without a clinical_significance: counts by importance are unknown there",
        "1 finding listed without an error_type: no error",
        "1 finding with a wrong attribute that is not named: one error each",
    )


def test_keys_that_are_not_read_are_named(tmp_path: Path) -> None:
    """Not one that may be somebody's words; an empty list is no finding."""
    users = _set(USERS, "7", "C1", "comment", value="as in 2019")
    users = _set(users, "7", "C2", "finding_errors", value=[])
    users = _set(users, "7", "C1", "a stent is seen", value=1)
    assert "not read in radiologist_annotations: comment" in read(tmp_path, None, users).account


def _set(users: list[Json], *keys: str, value: Any) -> list[Json]:
    changed = deepcopy(users)
    inner: Any = changed[0]["annotations"]
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("keys", "value", "told"),
    [
        (
            ("7", "C1", "finding_errors", "1", "clinical_significance"),
            "grave",
            "annotations, 7, C1, finding_errors, 1: clinical_significance is not known (use urgent, ",
        ),
        (
            ("7", "C1", "missing_findings", "1", "clinical_significance"),
            4,
            "annotations, 7, C1, missing_findings, 1: clinical_significance is not known",
        ),
        (
            ("7", "C1", "finding_errors", "1", "error_type"),
            "odd",
            "finding_errors, 1: error_type is not known",
        ),
        (
            ("7", "C1", "finding_errors", "0", "attributes", "shape"),
            "significant",
            "finding_errors, 0, attributes, shape: is not a known attribute (use location, severity, ",
        ),
        (
            ("7", "C1", "finding_errors", "0", "attributes", "location"),
            "much",
            "attributes, location: says neither significant nor negligible",
        ),
        (
            ("7", "C1", "finding_errors", "Small pneumothorax on the right"),
            1,
            "finding_errors, entry 3: it is a number",
        ),
        (("7", "C1", "rating"), "good", "annotations, 7, C1: rating is not a number"),
        (("7", "C1"), [1], "annotations, 7: C1 is a list, not an object"),
        (("7",), {"A": {}}, "annotations, 7: has neither C1 nor C2 (use these names for the candidates)"),
    ],
)
def test_a_word_that_is_not_known_is_refused_with_its_place(
    tmp_path: Path, keys: tuple[str, ...], value: Any, told: str
) -> None:
    """File, keys and remedy; no report."""
    with pytest.raises(InputError) as caught:
        read(tmp_path, None, _set(USERS, *keys, value=value))
    message = str(caught.value)
    assert "user_1.json: " in message
    assert told in message
    assert "pneumothorax" not in message


@pytest.mark.parametrize("name", ["C2_report", "ground_truth_report"])
def test_a_missing_report_is_refused_with_its_row(tmp_path: Path, name: str) -> None:
    """Whether its key is missing or holds nothing; an empty text is a report."""
    gone = [DATA[0], {key: value for key, value in DATA[1].items() if key != name}]
    with pytest.raises(InputError, match=rf"preference_data\.json, row 2: {name} is missing \(a comparison has"):
        read(tmp_path, gone)
    with pytest.raises(InputError, match=rf"row 2: {name} is missing"):
        read(tmp_path / "null", [DATA[0], {**DATA[1], name: None}])
    assert read(tmp_path / "empty", [DATA[0], {**DATA[1], name: ""}]).pairs


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """Where JSON breaks off, which file is missing, which ids do not fit."""
    broken = '{"user_id": 1,\n "annotations": {"7": oops}}'
    with pytest.raises(InputError, match=r"user_2\.json: is not valid JSON at line 2, column 23 .export or copy"):
        read(tmp_path / "a", None, [USERS[0], broken])
    with pytest.raises(InputError, match=r"an object has a key twice .use each key only once"):
        read(tmp_path / "b", None, ['{"annotations": {"7": {}, "7": {}}}'])
    with pytest.raises(InputError, match=r"is not an object with an object annotations .write "):
        read(tmp_path / "c", None, [[]])
    with pytest.raises(InputError, match=r"user_2\.json: its user_id is also that of user_1\.json"):
        read(tmp_path / "d", None, [USERS[0], USERS[0]])
    with pytest.raises(InputError, match=r"none of the 1 id of annotated comparisons is in preference_data"):
        read(tmp_path / "e", None, [{"user_id": 1, "annotations": {"x": {"C1": {}, "C2": {}}}}])
    with pytest.raises(InputError, match=r"holds no user_1\.json or the like .keep the folder as it is published"):
        read(tmp_path / "f", None, [])
    with pytest.raises(InputError, match=r"holds no preference_data\.json .keep the folder"):
        read_radpref(tmp_path / "f" / "RadPref" / "radiologist_annotations")
    with pytest.raises(InputError, match="row 2: its id is also that of row 1"):
        read(tmp_path / "g", [DATA[0], DATA[0]])
    with pytest.raises(InputError, match="row 1: PatientAge is not an age in years"):
        read(tmp_path / "h", [{**DATA[0], "PatientAge": "old"}, *DATA[1:]])
