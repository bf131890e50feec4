"""Pairs whose errors are marked in the reports: the gold corpus, and studies told alike in five voices."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from overread.domain.reports.report import ClinicalContext, ReportPair, Span
from overread.domain.results.annotation import STRANGERS, MarkedError, MarkedPair
from overread.domain.vocabulary.severity import Importance
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.studies.infrastructure.datasets.gold_files import SETTINGS, gold_file
from overread.studies.infrastructure.datasets.json_lines import LineFaultError, read_json_lines

__all__ = [
    "GOLD",
    "LABELLED",
    "REMEDY",
    "RETOLD",
    "gold_files",
    "marked_error",
    "pairs_of_studies",
    "patient_of",
    "place_of",
    "read_marked_gold",
    "read_retold",
]

_CORPUS: Final = Path(__file__).parents[1] / "gold"


def gold_files(part: str) -> tuple[Path, ...]:
    """Files of a part of the gold corpus: "open", "select" or "sealed", of all settings."""
    return tuple(_CORPUS / gold_file(setting, part) for setting in SETTINGS)


GOLD: Final = _CORPUS / "open.jsonl"
LABELLED: Final = (
    *gold_files("open"),
    *(Path(__file__).parents[1] / "learning" / f"{name}.jsonl" for name in ("generators", "drafts")),
)
"""The open parts of the gold corpus's settings, and studies of its form that are for learning alone."""

RETOLD: Final = Path(__file__).parents[1] / "retold" / "studies.jsonl"

REMEDY: Final = "use the file as it comes with overread, or one of the same form"
_NONE, _OTHER = "-", "O"
"""How retold studies write that an error has none of the categories, and what stands for it in a `MarkedError`."""
_CATEGORIES: Final = (*ErrorCategory, "R", "X", _OTHER, _NONE)
_IMPORTANCES: Final = {importance.words: importance for importance in Importance}
_TELLINGS: Final = 9
"""Pairs of two tellings that are taken of a study, one of them of a telling with itself."""
_ALTERED: Final = 2
"""Times that errors are put into the candidate of each."""
_ERRORS: Final = (1, 1, 2, 3)
"""How many errors, each as likely as it stands here."""


def read_marked_gold(path: Path = GOLD) -> list[MarkedPair]:
    """The pairs of a part of the gold corpus with their errors' places.

    Raises:
        InputError: naming the line that cannot be used.
    """
    return pairs_of_studies(path, _gold_study, problem="is not a study of the gold corpus")


def pairs_of_studies(
    path: Path, made: Callable[[Mapping[str, Any]], Iterable[MarkedPair]], *, problem: str
) -> list[MarkedPair]:
    """The pairs that are made of each study of a file, one study a line.

    Raises:
        InputError: naming the line that cannot be used, with the problem.
    """
    studies = read_json_lines(path, lambda study: list(made(study)), problem=problem, remedy=REMEDY)
    return [pair for pairs in studies for pair in pairs]


def _gold_study(study: Mapping[str, Any]) -> list[MarkedPair]:
    reference = study["reference"]
    return [
        MarkedPair(
            pair=ReportPair(
                id=candidate["id"], reference=reference, candidate=candidate["candidate"], context=patient_of(study)
            ),
            study=study["study"],
            source=study.get("setting", "reports"),
            errors=tuple(
                marked_error(
                    error,
                    _find_span(error["reference_span"], reference, "reference"),
                    _find_span(error["candidate_span"], candidate["candidate"], "candidate"),
                )
                for error in candidate["labels"]["errors"]
            ),
        )
        for candidate in study["candidates"]
    ]


def marked_error(
    labels: Mapping[str, Any], reference_spans: tuple[Span, ...], candidate_spans: tuple[Span, ...]
) -> MarkedError:
    """An error at its places, with the category, importance and extent that its labels give.

    Raises:
        LineFaultError: if one of these is none.
    """
    category, extent = labels["category"], labels["extent"]
    importance = labels["importance"].replace("_", "-")
    if category not in _CATEGORIES:
        raise LineFaultError(f"the category of an error is none of {', '.join(_CATEGORIES)}")
    if importance not in _IMPORTANCES:
        raise LineFaultError(f"the importance of an error is none of {', '.join(_IMPORTANCES)}")
    if isinstance(extent, bool) or not isinstance(extent, int | float) or not 0 <= extent <= 1:
        raise LineFaultError("the extent of an error is no number from 0 to 1")
    weight = _IMPORTANCES[importance].weight * extent
    return MarkedError(reference_spans, candidate_spans, _OTHER if category == _NONE else category, weight)


def place_of(words: str, text: str) -> Span:
    """First occurrence of words in a text. Raises ValueError if there is none."""
    start = text.index(words)
    return Span(start, start + len(words))


def _find_span(words: str, text: str, side: str) -> tuple[Span, ...]:
    if words and words not in text:
        raise LineFaultError(f"the {side} does not hold the words of an error")
    return (place_of(words, text),) if words else ()


def patient_of(study: Mapping[str, Any]) -> ClinicalContext:
    """Known facts about a study's patient besides the report."""
    return ClinicalContext(
        age=study.get("age") or None, sex=study.get("sex") or None, indication=study.get("indication") or None
    )


def read_retold(path: Path = RETOLD, *, seed: int = 7) -> list[MarkedPair]:
    """Pairs of two tellings of a study, as they are and with errors put into the second, and reports of two studies.

    The tellings agree in all that matters, so nothing that a reader finds between two of them is an error; what it
    finds only once an error has been put in is one.

    Args:
        path: studies, each with its ``versions`` as sentences with the facts they tell, and ``edits`` of them.
        seed: of what is drawn.

    Raises:
        InputError: naming the line that cannot be used.
    """
    draw = random.Random(seed)  # noqa: S311 - which pairs are taken is no secret
    retold = list(
        read_json_lines(path, lambda s: (s, list(_retold(s, draw))), problem="is not a retold study", remedy=REMEDY)
    )
    return [pair for _, pairs in retold for pair in pairs] + list(_strangers([study for study, _ in retold], draw))


def _retold(study: Mapping[str, Any], draw: random.Random) -> Iterator[MarkedPair]:
    versions, name, patient = study["versions"], study["study"], patient_of(study)
    others = [(i, j) for i in range(len(versions)) for j in range(len(versions)) if i != j]
    same = draw.randrange(len(versions))
    for i, j in [*draw.sample(others, min(_TELLINGS - 1, len(others))), (same, same)]:
        reference, facts, _ = _tell_version(versions[i], ())
        plain = ReportPair(
            id=f"{name}-{i}{j}", reference=reference, candidate=_tell_version(versions[j], ())[0], context=patient
        )
        yield MarkedPair(pair=plain, study=name, source="retold", errors=())
        for number in range(_ALTERED):
            edits = _draw_edits([edit for edit in study["edits"] if edit["version"] == j], draw)
            candidate, _, places = _tell_version(versions[j], edits)
            yield MarkedPair(
                pair=ReportPair(id=f"{plain.id}-{number}", reference=reference, candidate=candidate, context=patient),
                study=name,
                source="retold",
                errors=tuple(
                    marked_error(
                        edit, tuple(span for span, numbers in facts if edit["old"] and edit["fact"] in numbers), place
                    )
                    for edit, place in zip(edits, places, strict=True)
                ),
            )


def _strangers(studies: Sequence[Mapping[str, Any]], draw: random.Random) -> Iterator[MarkedPair]:
    """Each study beside another of the same kind of examination: the wrong patient's report, wrong throughout."""
    for study in studies:
        alike = [other for other in studies if other is not study and _modality(other) == _modality(study)]
        if alike:
            other = draw.choice(alike)
            reference, candidate = (_tell_version(draw.choice(either["versions"]), ())[0] for either in (study, other))
            yield MarkedPair(
                pair=ReportPair(
                    id=f"{study['study']}-{other['study']}",
                    reference=reference,
                    candidate=candidate,
                    context=patient_of(study),
                ),
                study=study["study"],
                source=STRANGERS,
                errors=(MarkedError((Span(0, len(reference)),), (Span(0, len(candidate)),)),),
            )


def _modality(study: Mapping[str, Any]) -> str:
    return str(study["modality"]).partition(" ")[0]


def _draw_edits(edits: Sequence[Mapping[str, Any]], draw: random.Random) -> list[Mapping[str, Any]]:
    """A few edits, no two of them of one sentence."""
    chosen: dict[str, Mapping[str, Any]] = {}
    for edit in draw.sample(edits, min(draw.choice(_ERRORS), len(edits))):
        chosen.setdefault(edit["old"] or edit["new"], edit)
    return list(chosen.values())


_Told = tuple[str, list[tuple[Span, Sequence[int]]], list[tuple[Span, ...]]]
"""A text, its sentences with the facts they tell, and where each edit stands in it."""


def _tell_version(version: Mapping[str, Any], edits: Sequence[Mapping[str, Any]]) -> _Told:
    altered = {edit["old"]: number for number, edit in enumerate(edits) if edit["old"]}
    added = [(edit["new"], (), number) for number, edit in enumerate(edits) if not edit["old"]]
    sentences = [
        (edits[altered[s]]["new"] if s in altered else s, facts, altered.get(s)) for s, facts in version["sentences"]
    ]
    text = ""
    facts_at: list[tuple[Span, Sequence[int]]] = []
    places: list[tuple[Span, ...]] = [()] * len(edits)
    for sentence, facts, number in [*sentences, *added]:
        if sentence:
            span = Span(len(text), len(text) + len(sentence))
            facts_at.append((span, facts))
            text += f"{sentence} "
            if number is not None:
                places[number] = (span,)
    return text.rstrip(), facts_at, places
