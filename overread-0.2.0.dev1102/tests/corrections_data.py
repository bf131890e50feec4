"""Invented folders as ReFiSco-v0 and RadPref are published, at full size.

The reports are synthetic; radiologists mend, grade and rate them by chance, the same for the same seed.
`python tests/corrections_data.py FOLDER` writes both.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from overread.studies.bootstrap.synthesis import synthetic_pairs

__all__ = ["HEADER", "REPORTS", "SEVERAL", "write_radpref", "write_refisco"]

HEADER: Final = (
    "id", "annotator", "source", "impression_original", "impression_edited", "score", "indication", "notes",
)  # fmt: skip
"""Columns of ReFiSco-v0, in their order."""

REPORTS: Final = 138
SEVERAL: Final = 76
"""Reports of ReFiSco-v0, and those of them with two to five correctors."""

_SOURCES: Final = ("X-REM", "CXR-RePaiR")
_ANNOTATORS: Final = ("ann", "bob", "cat", "dan")
_GRADES: Final = ("Not actionable error", "Actionable nonurgent error", "Urgent error", "Emergent error")
_IMPORTANCES: Final = ("urgent", "actionable_not_urgent", "not_actionable_not_urgent", "benign_expected")


def write_refisco(folder: Path, *, seed: int = 17) -> Path:
    """A folder like ReFiSco-v0: 60 studies by two generators, 18 of them also by an expert; one table."""
    folder.mkdir(parents=True, exist_ok=True)
    random = Random(seed)  # noqa: S311 - invented data
    pairs = list(synthetic_pairs(seed=seed, studies=60, candidates_per_study=len(_SOURCES)))
    reports = [(place // 2, _SOURCES[place % 2], _lines(pair.candidate)) for place, pair in enumerate(pairs)]
    reports += [(place, "Expert", _lines(pairs[2 * place].reference)) for place in range(REPORTS - len(reports))]
    with (folder / "refisco-v0.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(HEADER)
        for place, (study, source, lines) in enumerate(reports):
            who = random.sample(_ANNOTATORS, 2 + place % 3 if place < SEVERAL else 1)
            # Four annotators and five correctors: one of them came back to the report.
            for annotator in (*who, who[0]) if place == 2 else who:
                for original, edited, score in _read(lines, random):
                    table.writerow((study, annotator, source, original, edited, score, "Cough.", ""))
    return folder


def _lines(report: str) -> list[str]:
    return [f"{line.strip(' .')}." for line in report.split(". ") if line.strip(" .")][:2]


def _read(lines: Sequence[str], random: Random) -> Iterator[tuple[str, str, str]]:
    """A reading: most lines are left, some mended or struck out, now and then one is added."""
    for line in lines:
        action = random.choices(("keep", "mend", "delete"), (0.7, 0.2, 0.1))[0]
        if action == "keep":
            yield line, "[no edit]", "No error"
        else:
            edited = "[delete]" if action == "delete" else f"{line.rstrip('.')}, unchanged."
            yield line, edited, random.choice(_GRADES)
        if random.random() < 0.15:
            yield "", "A nodule is missing here.", random.choice(_GRADES)


def write_radpref(folder: Path, *, comparisons: int = 100, seed: int = 19) -> Path:
    """A folder like RadPref: comparisons with the patient, and what three radiologists said of both candidates."""
    (folder / "radiologist_annotations").mkdir(parents=True, exist_ok=True)
    random = Random(seed)  # noqa: S311 - invented data
    pairs = list(synthetic_pairs(seed=seed, studies=comparisons, candidates_per_study=2))
    drawn = list(zip(pairs[::2], pairs[1::2], strict=True))
    data = [
        {
            "id": str(place),
            "ground_truth_report": first.reference,
            "C1_report": first.candidate,
            "C2_report": second.candidate,
            "C1_source": "model-x",
            "C2_source": "model-y",
            "PatientAge": f"{random.randint(18, 99):03d}Y",
            "PatientSex": random.choice("MF"),
            "Indication": "Shortness of breath.",
            "ground_truth_findings": _lines(first.reference),
            "C1_findings": _lines(first.candidate),
            "C2_findings": _lines(second.candidate),
        }
        for place, (first, second) in enumerate(drawn)
    ]
    (folder / "preference_data.json").write_text(json.dumps(data), encoding="utf-8")
    for user in (1, 2, 3):
        annotations = {
            str(place): {side: _said(pair.total, random) for side, pair in zip(("C1", "C2"), both, strict=True)}
            for place, both in enumerate(drawn)
        }
        said = {"user_id": user, "annotations": annotations}
        (folder / "radiologist_annotations" / f"user_{user}.json").write_text(json.dumps(said), encoding="utf-8")
    return folder


def _said(errors: int, random: Random) -> dict[str, Any]:
    """What one radiologist says of a candidate with so many errors."""
    wrong, missing = {}, {}
    for place in range(max(0, errors + random.choice((-1, 0, 0, 1)))):
        importance = {"clinical_significance": random.choice(_IMPORTANCES)}
        kind = random.choice(("false", "attribute", "missing"))
        if kind == "missing":
            missing[str(place)] = importance
        else:
            marked = {random.choice(("location", "severity", "temporal")): random.choice(("significant", "negligible"))}
            wrong[str(place)] = {"error_type": kind, **importance, "attributes": marked if kind == "attribute" else {}}
    rating = min(5, max(1, 5 - errors + random.choice((-1, 0, 0, 1))))
    return {"rating": rating, "finding_errors": wrong, "missing_findings": missing}


if __name__ == "__main__":
    for written in (
        write_refisco(Path(sys.argv[1]) / "refisco"),
        write_radpref(Path(sys.argv[1]) / "radpref"),
    ):
        sys.stdout.write(f"{written}\n")
