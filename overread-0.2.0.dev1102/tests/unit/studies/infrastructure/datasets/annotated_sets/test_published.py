"""Each set is read from files that are named and headed exactly as they are published; what is in them is invented."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest

from overread.domain.results.annotation import HumanBenchmark
from overread.studies.infrastructure.datasets.annotated_sets import BENCHMARKS

from ......benchmarks_data import write_radevalx, write_rexerr, write_rexval

REXVAL_REPORTS: Final = "50_samples_gt_and_candidates.csv"
REXVAL_ERRORS: Final = "6_valid_raters_per_rater_error_categories.csv"
HEADERS: Final = {
    "rexval": {
        REXVAL_REPORTS: "study_id,gt_report,radgraph,bertscore,s_emb,bleu",
        REXVAL_ERRORS: "study_number,candidate_type,error_category,clinically_significant,num_errors,rater_index",
    },
    "radevalx": {
        "RadEval_clinically_significant_errors.csv": "report_id,ground_truth,M2Tr-Generation,1,2,3,4,5,6,7,8",
        "RadEval-clinically_insignificant_errors.csv": "report_id,ground_truth,M2Tr-Generation,1,2,3,4,5,6,7,8",
        "metrcis_scores_m2tr.csv": "report_id,id,bleu4,bleu_2,bertscore,CheXbert,radgraph_f1,radcliq",
    },
    "rexerr": {
        "ReXErr-report-level/ReXErr-report-level_test.csv": (
            "dicom_id,study_id,subject_id,original_report,error_report,errors_sampled"
        ),
    },
}
"""Headers by file and set, as PhysioNet's pages and the papers that use the sets give them."""

WRITERS: Final[Mapping[str, Callable[[Path], Path]]] = {
    "rexval": write_rexval,
    "radevalx": write_radevalx,
    "rexerr": write_rexerr,
}
SIZES: Final = {
    "rexval": "50 studies, 200 pairs, 6 raters",
    "radevalx": "100 studies, 100 pairs, 1 rater",
    "rexerr": "40 studies, 80 pairs, 40 preferences, 1 rater",
}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: write(tmp_path_factory.mktemp(name)) for name, write in WRITERS.items()}


def _read(name: str, folder: Path) -> HumanBenchmark:
    return BENCHMARKS[name].read(folder)


@pytest.mark.parametrize("name", HEADERS)
def test_fixtures_have_the_published_files_and_headers(name: str, published: dict[str, Path]) -> None:
    """To the letter, misspelt names and all, so that a reader that is tried on them is tried on the real layout."""
    for file, header in HEADERS[name].items():
        assert (published[name] / file).read_text(encoding="utf-8").partition("\n")[0].strip() == header


@pytest.mark.parametrize("name", HEADERS)
def test_published_layouts_are_read_whole(name: str, published: dict[str, Path]) -> None:
    """As many studies, pairs and raters as there are; each file is told with its rows, none passed over."""
    benchmark = _read(name, published[name])
    assert benchmark.account[-1].startswith(SIZES[name])
    for file in HEADERS[name]:
        assert any(line.startswith(f"{file}, ") for line in benchmark.understood)


def test_rexvals_numbers_are_rows_of_its_reports(published: dict[str, Path]) -> None:
    """The errors of number n are those of the n-th report, which is known by its study_id; the account says so."""
    folder = published["rexval"]
    with (folder / REXVAL_REPORTS).open(encoding="utf-8", newline="") as stream:
        studies = [row["study_id"] for row in csv.DictReader(stream)]
    sums: dict[tuple[str, str, str], float] = {}
    with (folder / REXVAL_ERRORS).open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            key = studies[int(row["study_number"])], row["candidate_type"], row["rater_index"]
            sums[key] = sums.get(key, 0.0) + float(row["num_errors"])
    benchmark = _read("rexval", folder)
    for pair in benchmark.pairs:
        assert pair.ratings["total"] == tuple(sums[pair.study, pair.generator, str(rater)] for rater in range(6))
    assert any("joined by row order" in line for line in benchmark.understood)
    assert benchmark.notes == ()


def test_rexerrs_neighbours_are_passed_over(published: dict[str, Path]) -> None:
    """The folder of sentences and the clinician's review, though the latter has every column that is needed."""
    benchmark = _read("rexerr", published["rexerr"])
    assert benchmark.understood[-1] == (
        "passed over, as sentences or a review by their name: ReXErr-sentence-level/ReXErr-sentence-level_test.csv, "
        "clinician-review.csv"
    )
    assert any("10 reports are of several images" in line for line in benchmark.understood)
