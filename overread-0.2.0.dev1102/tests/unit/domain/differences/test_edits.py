"""Types of edits between a preliminary report and the final one, by pairs written by hand."""

from __future__ import annotations

import pytest

import overread
from overread.domain.differences.edits import Edits, EditType, edits_of
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType

_REST = "The heart is of normal size. The mediastinum is unremarkable. No acute osseous abnormality. "
"""Sentences that both reports share word for word."""

C, A, R, L = (EditType.CORRECTION, EditType.ADDITION, EditType.REMOVAL, EditType.CLARIFICATION)

# fmt: off
_PAIRS = [
    # Asserted in one and denied in the other.
    ("No pneumothorax.", "Small left pneumothorax.", [C], 0),
    ("No fracture of the left wrist is seen.", "There is a fracture of the left wrist.", [C], 0),
    ("Right rib fracture.", "No right rib fracture.", [C], 0),
    ("Lungs are clear.", "Right lower lobe consolidation.", [C], 0),
    ("No effusion.", "No effusion. Fracture of the left seventh rib.", [C], 0),  # the shared text denies any
    # Exchanged: a side, a degree, a size, a course.
    ("Small left pleural effusion.", "Small right pleural effusion.", [C], 0),
    ("Left rib fracture.", "Right rib fracture.", [C], 0),
    ("Mild cardiomegaly.", "Severe cardiomegaly.", [C], 0),
    ("5 mm nodule in the right upper lobe.", "8 mm nodule in the right upper lobe.", [C], 0),
    ("Pleural effusion has increased.", "Pleural effusion has decreased.", [C], 0),
    # Another finding in the very place of one.
    ("Left pneumothorax.", "Left pleural effusion.", [C, C], 0),
    ("The right lower lobe shows a consolidation.", "The right lower lobe shows a mass.", [C, C], 0),
    # New in the final report.
    ("", "Small left pneumothorax.", [A], 0),
    ("", "There is a 9 mm nodule in the left upper lobe.", [A], 0),
    ("", "Right lower lobe consolidation.", [A], 0),
    ("No pneumothorax.", "No pneumothorax. Large left pleural effusion.", [A], 0),
    ("Small left pleural effusion.", "Small left pleural effusion. Pulmonary edema.", [A], 0),
    # No longer there.
    ("Small left pneumothorax.", "", [R], 0),
    ("Right lower lobe consolidation.", "", [R], 0),
    ("There is a 9 mm nodule in the left upper lobe.", "", [R], 0),
    ("8 mm nodule in the right upper lobe.", "Nodule in the right upper lobe.", [R], 0),
    ("Left pleural effusion, increased.", "Left pleural effusion.", [R], 0),
    # Said in more detail: side, degree, size, course, place.
    ("Pleural effusion.", "Left pleural effusion.", [L], 0),
    ("Rib fracture.", "Left rib fracture.", [L], 0),
    ("Pleural effusion.", "Small pleural effusion.", [L], 0),
    ("Nodule in the right upper lobe.", "8 mm nodule in the right upper lobe.", [L], 0),
    ("Left pleural effusion.", "Left pleural effusion, increased.", [L], 0),
    # With another certainty, or by another term.
    ("Possible pneumonia in the right lower lobe.", "Pneumonia in the right lower lobe.", [L], 0),
    ("Pneumonia in the right lower lobe.", "Possible pneumonia in the right lower lobe.", [L], 0),
    ("Right lower lobe opacity.", "Right lower lobe pneumonia.", [L, L], 0),
    # Wording, order within the sentence, typing; a denial more or less.
    ("Lungs show no consolidation.", "There is no consolidation in the lungs.", [], 1),
    ("Left pleural effusion is small.", "There is a small left pleural effusion.", [], 1),
    ("small left pleural effusion", "Small left pleural effusion.", [], 1),
    ("Small left pleural effusion.", "Small  left\npleural effusion.", [], 0),  # layout is not even typing
    ("", "The trachea is midline.", [], 1),
]
# fmt: on


@pytest.fixture(scope="module")
def found() -> list[tuple[Discrepancy, ...]]:
    """Discrepancies of each pair as it is read by default."""
    pairs = [_pair(before, after) for before, after, _, _ in _PAIRS]
    with overread.open_service({"metrics": ["notation"]}) as service:
        return [results["notation"].discrepancies for results in service.evaluate(pairs)]


@pytest.mark.parametrize("number", range(len(_PAIRS)), ids=[f"{b} -> {a}"[:60] for b, a, _, _ in _PAIRS])
def test_each_edit_of_a_near_copy_has_its_type(found: list[tuple[Discrepancy, ...]], number: int) -> None:
    """As a person names what was done to the preliminary report, in pairs that are otherwise alike."""
    before, after, types, style = _PAIRS[number]
    edits = edits_of(_pair(before, after), found[number])
    assert edits is not None
    assert sorted(map(str, edits.types)) == sorted(map(str, types))
    assert edits.style == style


def test_a_moved_sentence_is_an_edit_of_style() -> None:
    """Where nothing was said differently."""
    moved = "No acute osseous abnormality. The heart is of normal size. The mediastinum is unremarkable. "
    assert edits_of(ReportPair(id="1", candidate=_REST, reference=moved), ()) == Edits(types=(), style=1)


def test_reports_dictated_independently_have_no_edits() -> None:
    """Nothing was edited where most sentences differ: half of them shared is not enough."""
    pair = ReportPair(id="1", candidate="No effusion. Left rib fracture.", reference="No effusion. Enlarged heart.")
    assert edits_of(pair, ()) is None
    assert edits_of(ReportPair(id="1", candidate="No effusion.", reference="Small effusion."), ()) is None
    assert edits_of(ReportPair(id="1", candidate="", reference=""), ()) is None


def test_a_discrepancy_without_a_changed_word_is_no_edit() -> None:
    """The reader differs there, not the text."""
    pair = ReportPair(id="1", candidate=_REST, reference=f"{_REST}Small left pneumothorax.")
    edits = edits_of(pair, [_discrepancy(candidate=(Span(0, 9),), reference=(Span(0, 9),))])
    assert edits == Edits(types=(None,), style=1)


@pytest.mark.parametrize(
    ("before", "after", "aspect", "kind", "expected"),
    [
        ("Nodule.", "8 mm nodule.", ErrorAspect.SIZE, None, L),
        ("8 mm nodule.", "Nodule.", ErrorAspect.SIZE, None, R),
        ("8 mm nodule.", "9 mm nodule.", ErrorAspect.SIZE, None, C),
        ("Left nodule seen.", "Nodule seen.", ErrorAspect.LOCATION, ErrorType.FABRICATION, R),
        ("Nodule stable.", "Nodule grown.", ErrorAspect.COMPARISON, ErrorType.INACCURACY, C),
        ("Nodule seen.", "Nodule, as dictated.", ErrorAspect.STYLE, None, EditType.STYLE),
        ("Nodule seen.", "Nodule and no nodule seen.", ErrorAspect.CONTRADICTION, None, C),
    ],
)
def test_an_aspect_without_a_direction_goes_by_the_words(
    before: str, after: str, aspect: ErrorAspect, kind: ErrorType | None, expected: EditType
) -> None:
    """Words put in make it clearer, words taken out are a removal, words exchanged correct."""
    pair = _pair(before, after)
    here, there = (Span(len(_REST), len(report.text)) for report in (pair.candidate, pair.reference))
    edits = edits_of(pair, [_discrepancy(candidate=(here,), reference=(there,), aspect=aspect, kind=kind)])
    assert edits is not None
    assert edits.types == (expected,)


def test_edits_are_counted_by_type() -> None:
    """A discrepancy of style counts with the sentences of style; what is no edit counts nowhere."""
    edits = Edits(types=(C, None, C, EditType.STYLE), style=2)
    assert edits.counts == {C: 2, A: 0, R: 0, L: 0, EditType.STYLE: 3}


def _pair(before: str, after: str) -> ReportPair:
    return ReportPair(id="1", candidate=_REST + before, reference=_REST + after)


def _discrepancy(
    *,
    candidate: tuple[Span, ...],
    reference: tuple[Span, ...],
    aspect: ErrorAspect = ErrorAspect.DESCRIPTION,
    kind: ErrorType | None = None,
) -> Discrepancy:
    return Discrepancy(
        category=ErrorCategory.SEVERITY,
        aspect=aspect,
        type=kind,
        severity=Severity.INSIGNIFICANT,
        reason="",
        finding="lung_nodule",
        candidate_spans=candidate,
        reference_spans=reference,
    )
