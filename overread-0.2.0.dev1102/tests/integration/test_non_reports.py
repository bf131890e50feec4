"""Texts that stand in a report's place and are none, and reports that say nothing of the patient."""

from __future__ import annotations

from typing import Final

import pytest

import overread
from overread.domain.reports.report import Span
from overread.domain.results.result import EvaluationResult, Scored
from overread.domain.vocabulary.severity import Severity

_FOUND: Final = "Heart normal. Small left pleural effusion. 8 mm nodule in the right upper lobe."
_NORMAL: Final = "Heart size normal. Lungs are clear. No pneumothorax or effusion."
_MESSAGE: Final = (
    "MSH|^~\\&|RIS|NORTH|PACS|NORTH|20260101||ORU^R01|1|P|2.3\n"
    "PID|1||12345^^^MRN||DOE^JANE||19600101|F\nOBR|1||A100|CXR^Chest radiograph"
)


def _score(reference: str, candidate: str) -> EvaluationResult:
    return overread.score(reference=reference, candidate=candidate, metrics=["notation:fast"])["notation"]


@pytest.mark.parametrize("reference", [_FOUND, _NORMAL])
@pytest.mark.parametrize(
    "text",
    [
        "lungs heart bones",
        "The lungs are ___. The heart is ___.",
        "Lungs: [ ]\nHeart: [ ]\nBones: [ ]",
        "Lungs: {lungs}. Heart: {heart}.",
        "Report to follow.",
        "I'm sorry, but I can't analyze medical images.",
        "PID|1||12345^^^MRN||DOE^JANE||19600101|F",
        _MESSAGE,
    ],
)
def test_what_is_no_report_is_unscored_or_worst(reference: str, text: str) -> None:
    """Forms that nobody filled in, messages of programs, and segments of HL7 without a report."""
    outcome = _score(reference, text).outcome
    assert not isinstance(outcome, Scored) or outcome.score == 0.0


def test_the_report_in_a_message_is_read() -> None:
    """Of segments of HL7 the words of results count, and evidence points at them."""
    lines = [f"OBX|{n}|TX|1^FINDINGS||{line}||||||F" for n, line in enumerate(_FOUND.split(". "), start=1)]
    message = "\r".join([*_MESSAGE.split("\n"), *lines])
    assert _score(_FOUND, message).discrepancies == ()
    (found,) = _score(_FOUND, message.replace("left", "right")).discrepancies
    assert message.replace("left", "right")[slice(*_bounds(found.candidate_spans[0]))] == "Small right pleural effusion"


def _bounds(span: Span) -> tuple[int, int]:
    return span.start, span.end


def test_a_candidate_that_speaks_of_the_examination_alone_leaves_out_what_was_found() -> None:
    """It is told as omissions; against a reference without a finding there is nothing to tell, and no score."""
    vague = "The radiograph was reviewed. Age-related changes. Assessment is limited. Please correlate clinically."
    found = _score(_FOUND, vague).discrepancies
    assert sum(d.severity is Severity.SIGNIFICANT for d in found) == 2
    assert not isinstance(_score(_NORMAL, vague).outcome, Scored)


@pytest.mark.parametrize("reference", ["Report to follow.", "Images reviewed. Report pending.", _MESSAGE])
def test_a_reference_that_says_nothing_of_the_patient_judges_no_candidate(reference: str) -> None:
    """What it does not say is no error of the candidate."""
    assert not isinstance(_score(reference, _FOUND).outcome, Scored)
