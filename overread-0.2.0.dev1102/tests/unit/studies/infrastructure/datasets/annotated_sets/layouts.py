"""Small sets in published layouts, made by hand: invented reports whose counts are known."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from overread.exceptions import InputError

GENERATORS: Final = ("radgraph", "bertscore", "s_emb", "bleu")
PRIVATE: Final = "Cavitating lesion of Mr Sample"
REFERENCES: Final = ("No effusion.\nThe heart is normal.", PRIVATE, "Right, small pneumothorax.")

Rows = list[dict[str, Any]]


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]], *, encoding: str = "utf-8", delimiter: str = ",") -> Path:
    """A table with the columns of its first row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding=encoding, newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def refused(read: Callable[[], object]) -> str:
    """The message of a set that cannot be read; no report stands in it."""
    with pytest.raises(InputError) as caught:
        read()
    message = str(caught.value)
    assert PRIVATE not in message
    assert not any(reference in message for reference in REFERENCES)
    return message


def rexval_reports() -> Rows:
    """Three studies. Study 0 has a bleu candidate that equals its reference but for a line break."""
    rows: Rows = []
    for study, reference in enumerate(REFERENCES):
        candidates = {name: f"Candidate of {name}." for name in GENERATORS}
        rows.append({"study_number": study, "study_id": 9000 + study, "gt_report": reference, **candidates})
    rows[0]["bleu"] = " No effusion. The heart is normal."
    return rows


def rexval_count(study: int, generator: str, category: int, rater: int, *, significant: bool) -> int:
    """What a rater counted, by a rule that makes every sum different."""
    if generator == "bleu" and study == 0:
        return 0
    return (study + GENERATORS.index(generator) + category * (2 if significant else 1) + rater) % 3


def rexval_errors(raters: Iterable[int] = range(6)) -> Rows:
    """The counts of every rater in every candidate."""
    return [
        {
            "study_number": study,
            "candidate_type": generator,
            "error_category": category,
            "clinically_significant": str(significant).upper(),
            "num_errors": rexval_count(study, generator, category, rater, significant=significant),
            "rater_index": rater,
        }
        for study, generator, rater, category, significant in product(
            range(3), GENERATORS, raters, range(1, 7), (True, False)
        )
    ]


def write_rexval(folder: Path, reports: Rows | None = None, errors: Rows | None = None) -> Path:
    """The folder of ReXVal 1.0.0."""
    write_csv(folder / "50_samples_gt_and_candidates.csv", rexval_reports() if reports is None else reports)
    counts = rexval_errors() if errors is None else errors
    write_csv(folder / "6_valid_raters_per_rater_error_categories.csv", counts)
    (folder / "LICENSE.txt").write_text("a licence", encoding="utf-8")
    return folder


def radevalx_errors(factor: int) -> Rows:
    """Twelve reports; report r has factor x r errors of category c where r + c is even, else none."""
    return [
        {
            "report_id": report,
            "ground_truth": f"{PRIVATE} {report}",
            "M2Tr-Generation": "The lungs are clear.",
            **{str(category): factor * report * ((report + category) % 2 == 0) for category in range(1, 9)},
        }
        for report in range(12)
    ]


def radevalx_scores() -> Rows:
    """The six metrics' scores of the twelve reports."""
    names = ("bleu4", "bleu_2", "bertscore", "CheXbert", "radgraph_f1", "radcliq")
    return [
        {
            "report_id": report,
            "id": f"CXR{report}",
            **{name: round(place / 10 + report / 100, 3) for place, name in enumerate(names)},
        }
        for report in range(12)
    ]


def write_radevalx(folder: Path, significant: Rows | None = None, insignificant: Rows | None = None) -> Path:
    """The folder of RadEvalX 1.0.0."""
    first = radevalx_errors(2) if significant is None else significant
    second = radevalx_errors(1) if insignificant is None else insignificant
    write_csv(folder / "clinically_significant_annotations.csv", first)
    write_csv(folder / "clinically_insignificant_annotations.csv", second)
    write_csv(folder / "metrics.csv", radevalx_scores())
    return folder


def rexerr_rows() -> Rows:
    """Three studies, the third with two images."""
    kinds = ("['Change Location', 'False Negation']", "['Change Location']", "", "['Add Device']")
    return [
        {
            "dicom_id": f"image-{number}",
            "study_id": min(number, 2) + 500,
            "subject_id": 7,
            "original_report": REFERENCES[min(number, 2)],
            "error_report": f"Corrupted {number}.",
            "errors_sampled": sampled,
        }
        for number, sampled in enumerate(kinds)
    ]
