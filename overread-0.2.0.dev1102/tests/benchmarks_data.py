"""Invented folders with the files and headers of published sets, at full size: ReXVal, RadEvalX and ReXErr.

The reports are synthetic, their errors known; raters count them with noise, the same for the same seed.
`python tests/benchmarks_data.py FOLDER` writes all three.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorCategory
from overread.studies.application.synthesis.invented import SyntheticPair, SyntheticPairs
from overread.studies.bootstrap.synthesis import synthetic_pairs

__all__ = [
    "ERROR_TYPES",
    "INSIGNIFICANT",
    "SCORES",
    "SIGNIFICANT",
    "write_radevalx",
    "write_rexerr",
    "write_rexval",
]

GENERATORS: Final = ("radgraph", "bertscore", "s_emb", "bleu")
RATERS: Final = 6
IDENTICAL: Final = 26
"""Pairs of ReXVal whose candidate equals the reference (CREPE, Table 2), of 200."""

SIGNIFICANT: Final = "RadEval_clinically_significant_errors.csv"
INSIGNIFICANT: Final = "RadEval-clinically_insignificant_errors.csv"
SCORES: Final = "metrcis_scores_m2tr.csv"
PROVIDED: Final = ("bleu4", "bleu_2", "bertscore", "CheXbert", "radgraph_f1", "radcliq")
ERROR_TYPES: Final = {
    ErrorCategory.FALSE_FINDING: "Add False Finding",
    ErrorCategory.OMITTED_FINDING: "Omit Finding",
    ErrorCategory.LOCATION: "Change Location",
    ErrorCategory.SEVERITY: "Change Severity",
}

_Counts = Mapping[ErrorCategory, tuple[int, int]]
"""Significant and insignificant errors by category."""


def write_rexval(folder: Path, *, studies: int = 50, raters: int = RATERS, seed: int = 7) -> Path:
    """A folder like ReXVal 1.0.0: four candidates a study, six raters; 13 % of the pairs are identical.

    A report is known by its study_id, an error by the place of its report's row, as published.
    """
    folder.mkdir(parents=True, exist_ok=True)
    random = Random(seed)  # noqa: S311 - invented data
    pairs = list(synthetic_pairs(seed=seed, studies=studies, candidates_per_study=len(GENERATORS)))
    same = {place for place, pair in enumerate(pairs) if pair.reference.split() == pair.candidate.split()}
    others = [place for place in range(len(pairs)) if place not in same]
    same.update(random.sample(others, max(0, round(len(pairs) * IDENTICAL / 200) - len(same))))
    reports: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    for study in range(studies):
        first = study * len(GENERATORS)
        places = random.sample(range(first, first + len(GENERATORS)), len(GENERATORS))
        row: dict[str, Any] = {"study_id": 50_000_000 + 7 * study, "gt_report": pairs[first].reference}
        for generator, place in zip(GENERATORS, places, strict=True):
            pair, identical = pairs[place], place in same
            row[generator] = pair.reference if identical else pair.candidate
            for rater, category, significant, number in _counted(pair, raters, random, identical=identical):
                errors.append(
                    {
                        "study_number": study,
                        "candidate_type": generator,
                        "error_category": REXVAL_SIX.index(category) + 1,
                        "clinically_significant": str(significant).upper(),
                        "num_errors": number,
                        "rater_index": rater,
                    }
                )
        reports.append(row)
    _write(folder / "50_samples_gt_and_candidates.csv", reports)
    _write(folder / "6_valid_raters_per_rater_error_categories.csv", errors)
    return folder


def write_radevalx(folder: Path, *, pairs: int = 100, seed: int = 11) -> Path:
    """A folder like RadEvalX 1.0.0: one candidate a study, eight categories, six metrics' scores."""
    folder.mkdir(parents=True, exist_ok=True)
    random = Random(seed)  # noqa: S311 - invented data
    significant: list[dict[str, Any]] = []
    insignificant: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    drawn = synthetic_pairs(seed=seed, studies=pairs, candidates_per_study=3)
    for number, pair in enumerate(random.choice(list(group)) for group in _grouped(drawn, 3)):
        texts = {"report_id": number, "ground_truth": pair.reference, "M2Tr-Generation": pair.candidate}
        counts = [[_noisy(each, random) for each in pair.counts.get(category, (0, 0))] for category in ErrorCategory]
        for table, kind in ((significant, 0), (insignificant, 1)):
            table.append({**texts, **{str(place): count[kind] for place, count in enumerate(counts, start=1)}})
        scores.append({"report_id": number, "id": f"CXR{number}", **_scores(sum(map(sum, counts)), random)})
    _write(folder / SIGNIFICANT, significant)
    _write(folder / INSIGNIFICANT, insignificant)
    _write(folder / SCORES, scores)
    return folder


def write_rexerr(folder: Path, *, pairs: int = 40, seed: int = 13) -> Path:
    """A folder like ReXErr-v1: report-level file of the test split, and beside it sentences and a clinician's review.

    Every fourth report is of two images.
    """
    folder.mkdir(parents=True, exist_ok=True)
    random = Random(seed)  # noqa: S311 - invented data
    rows: list[dict[str, Any]] = []
    for group in _grouped(synthetic_pairs(seed=seed, studies=2 * pairs, candidates_per_study=4), 4):
        corrupted = [pair for pair in group if pair.total and pair.reference != pair.candidate]
        if not corrupted:
            continue
        pair = random.choice(corrupted)
        types = [name for category, name in ERROR_TYPES.items() if sum(pair.counts.get(category, (0, 0)))]
        rows.append(
            {
                "dicom_id": _images(random, 2 if len(rows) % 4 == 3 else 1),
                "study_id": 60_000_000 + len(rows),
                "subject_id": 10_000_000 + len(rows),
                "original_report": pair.reference,
                "error_report": pair.candidate,
                "errors_sampled": str(types or ["Other"]),
            }
        )
    _write(folder / "ReXErr-report-level" / "ReXErr-report-level_test.csv", rows[:pairs])
    sentences = [_sentence(row) for row in rows[:pairs]]
    _write(folder / "ReXErr-sentence-level" / "ReXErr-sentence-level_test.csv", sentences)
    _write(folder / "clinician-review.csv", [{**row, "acceptable": "yes"} for row in rows[:pairs]])
    return folder


def _counted(
    pair: SyntheticPair, raters: int, random: Random, *, identical: bool
) -> Iterator[tuple[int, ErrorCategory, bool, int]]:
    """What each rater says of each category, zeros too."""
    for rater in range(raters):
        for category in REXVAL_SIX:
            for significant, true in zip((True, False), pair.counts.get(category, (0, 0)), strict=True):
                yield rater, category, significant, 0 if identical else _noisy(true, random)


def _images(random: Random, number: int) -> str:
    """One id as it is, several as a list that is written out."""
    names = [f"{random.getrandbits(64):016x}" for _ in range(number)]
    return names[0] if number == 1 else str(names)


def _sentence(row: Mapping[str, Any]) -> dict[str, Any]:
    """The first sentences of a report, as a table of sentences has them."""
    first = {name: str(row[f"{name}_report"]).partition(".")[0] for name in ("original", "error")}
    kept = {name: row[name] for name in ("dicom_id", "study_id", "subject_id")}
    return {**kept, "original_sentence": first["original"], "error_sentence": first["error"], "error_present": 1}


def _noisy(true: int, random: Random) -> int:
    """A count near the true one: mostly it, now and then one more or less."""
    if true == 0:
        return int(random.random() < 0.04)
    return max(0, true + random.choices((-1, 0, 1), (0.2, 0.65, 0.15))[0])


def _scores(total: int, random: Random) -> dict[str, float]:
    """Scores of six metrics that fall, RadCliQ's rise, with the errors, each with noise of its own."""
    scores = {}
    for spread, name in enumerate(PROVIDED, start=2):
        noisy = total + random.gauss(0.0, 0.5 * spread)
        scores[name] = round(noisy / 4, 4) if name == "radcliq" else round(1 / (1 + 2 ** (noisy / 3)), 4)
    return scores


def _grouped(pairs: SyntheticPairs, size: int) -> Iterator[Sequence[SyntheticPair]]:
    group: list[SyntheticPair] = []
    for pair in pairs:
        group.append(pair)
        if len(group) == size:
            yield group
            group = []


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    for written in (
        write_rexval(target / "rexval"),
        write_radevalx(target / "radevalx"),
        write_rexerr(target / "rexerr"),
    ):
        sys.stdout.write(f"{written}\n")
