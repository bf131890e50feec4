"""overread's own gold corpus: invented reports with candidates that two labelled and a third adjudicated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference, Target, told_count
from overread.domain.vocabulary.severity import Importance, severity_of
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.studies.infrastructure.datasets.annotated_sets._counts import count_targets
from overread.studies.infrastructure.datasets.gold_files import PARTS, SETTINGS, gold_file
from overread.studies.infrastructure.datasets.json_lines import read_json_lines

__all__ = ["PARTS", "SETTINGS", "read_gold"]

_REMEDY: Final = "use the files as they come with overread"
_CATEGORIES: Final = tuple(ErrorCategory)
_LETTERS: Final = frozenset(category.value for category in _CATEGORIES)
_RATING: Final = Target("rating", higher_is_better=True, label="rating, 1 (dangerous) to 5 (the same)")
_CARE: Final = Target("different_care", higher_is_better=False, label="1 where care would differ")
_KINDS_OF_IMAGE: Final = (("CR chest", "chest radiograph"), ("CT", "CT"))


def read_gold(path: Path, *, part: str = "open", setting: str = "reports") -> HumanBenchmark:
    """Read the gold corpus, or one part of it in one setting.

    An error counts as significant where the weight of its labels, importance times extent, is one of a significant
    discrepancy (`severity_of`). Two candidates of one reference that are rated differently are a preference, and so are
    two that the ranking of a study tells apart.

    Args:
        path: folder with open.jsonl, select.jsonl and sealed.jsonl, those of other settings as generators-open.jsonl.
        part: one of `PARTS`, or "all".
        setting: one of `SETTINGS`, or "all".

    Returns:
        Targets rating (adjudicated, 1 to 5, higher is better), the counts of errors in total, significant and
        insignificant, overall and by category, and different_care (0 or 1); strata subset, modality, voice, kind and
        setting.

    Raises:
        InputError: if a file is missing, or naming the line that cannot be used.
    """
    parts = PARTS if part == "all" else (part,)
    settings = SETTINGS if setting == "all" else (setting,)
    files = {
        name: list(read_json_lines(path / name, _study, problem="is not a study of the corpus", remedy=_REMEDY))
        for choice in settings
        for name in (gold_file(choice, part) for part in parts)
    }
    studies = [study for part in files.values() for study in part]
    return HumanBenchmark(
        name="gold",
        targets=(_RATING, *count_targets(_CATEGORIES), _CARE),
        raters=("adjudicated",),
        pairs=tuple(pair for pairs, _ in studies for pair in pairs),
        preferences=tuple(preference for _, preferences in studies for preference in preferences),
        understood=tuple(
            f"{file}, {told_count(len(part), 'study')} with their candidates" for file, part in files.items()
        ),
        notes=("Reports and labels of the gold corpus are invented; the labels are not a radiologist's.",),
        by_people=False,
    )


def _study(study: Mapping[str, Any]) -> tuple[list[AnnotatedPair], list[Preference]]:
    return list(_pairs(study)), list(_preferences(study))


def _pairs(study: Mapping[str, Any]) -> Iterator[AnnotatedPair]:
    context = ClinicalContext(
        age=study["age"] or None, sex=study["sex"] or None, indication=study["indication"] or None
    )
    for candidate in study["candidates"]:
        labels = candidate["labels"]
        counts = _counts(labels["errors"])
        yield AnnotatedPair(
            pair=ReportPair(
                id=candidate["id"], reference=study["reference"], candidate=candidate["candidate"], context=context
            ),
            study=study["study"],
            ratings={
                _RATING.name: (float(labels["rating"]),),
                _CARE.name: (float(labels["different_care"]),),
                **{name: (float(count),) for name, count in counts.items()},
            },
            strata={
                "subset": "discrimination" if counts["significant"] else "robustness",
                "modality": _modality(study["modality"]),
                "voice": study["voice"],
                "kind": candidate["kind"],
                "setting": study["setting"],
            },
        )


def _modality(told: str) -> str:
    return next((name for kind, name in _KINDS_OF_IMAGE if told.startswith(kind)), "other")


def _counts(errors: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Errors in total, significant and insignificant, each overall and by category; those of no category overall."""
    counts: Counter[str] = Counter()
    for error in errors:
        weight = Importance(error["importance"].replace("-", "_")).weight * error["extent"]
        for burden in ("total", "significant" if severity_of(weight).counts_as_significant else "insignificant"):
            counts[burden] += 1
            if error["category"] in _LETTERS:
                counts[f"{burden}.{error['category']}"] += 1
    return {target.name: counts[target.name] for target in count_targets(_CATEGORIES)}


def _preferences(study: Mapping[str, Any]) -> Iterator[Preference]:
    ranks = {name: rank for rank, names in enumerate(study.get("ranking", ())) for name in names}
    for one, other in combinations(study["candidates"], 2):
        lead = one["labels"]["rating"] - other["labels"]["rating"]
        lead = lead or ranks.get(other["id"], 0) - ranks.get(one["id"], 0)
        if lead:
            yield Preference(
                id=f"{one['id']}/{other['id']}",
                study=study["study"],
                first=one["id"],
                second=other["id"],
                votes=(1.0 if lead > 0 else -1.0,),
            )
