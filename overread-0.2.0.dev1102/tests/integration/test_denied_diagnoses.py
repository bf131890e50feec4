"""A diagnosis behind its sign: denied, dropped, or concluded from a denial."""

from __future__ import annotations

import pytest

import overread
from overread.domain.results.result import EvaluationResult, Scored
from overread.domain.vocabulary.severity import Severity


def told(reference: str, candidate: str) -> EvaluationResult:
    return overread.score(reference=reference, candidate=candidate, metrics=["notation"])["notation"]


@pytest.mark.parametrize(
    ("reference", "candidate", "finding"),
    [
        ("Opacity consistent with pneumonia.", "Opacity. No pneumonia.", "pneumonia"),
        ("Right lower lobe pneumonia.", "Right lower lobe opacity. No pneumonia.", "pneumonia"),
        ("Nodule consistent with metastasis.", "Nodule. No metastasis.", "pulmonary_metastases"),
        ("Right lower lobe opacity, no pneumonia.", "Right lower lobe opacity, likely pneumonia.", "pneumonia"),
    ],
)
def test_a_diagnosis_that_one_report_denies_beside_its_sign_is_significant(
    reference: str, candidate: str, finding: str
) -> None:
    """That both name the sign excuses nothing."""
    found = told(reference, candidate).discrepancies
    assert [(d.severity, d.finding) for d in found if "denied by the" in d.reason] == [(Severity.SIGNIFICANT, finding)]


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Right lower lobe opacity consistent with pneumonia.", "Right lower lobe opacity."),
        ("Right lower lobe opacity, concerning for lung cancer.", "Right lower lobe opacity."),
        ("Right lower lobe opacity.", "Right lower lobe opacity consistent with pneumonia."),
    ],
)
def test_a_diagnosis_that_only_one_report_draws_from_its_sign_is_told(reference: str, candidate: str) -> None:
    """The sign alone is the broader term, also where the other report has both."""
    assert [d.reason.split("; ")[1] for d in told(reference, candidate).discrepancies]


@pytest.mark.parametrize(
    "joint",
    [
        ", concerning for",
        ", suspicious for",
        ", worrisome for",
        ", consistent with",
        ", in keeping with",
        ", suggesting",
        ", likely",
        ", raising concern for",
        ", findings concerning for",
        " - concerning for",
    ],
)
def test_what_is_concluded_from_a_denial_is_not_denied(joint: str) -> None:
    """No flow, and so torsion: a candidate without it misses what is urgent."""
    result = told(f"Left testis without flow{joint} torsion.", "Left testis without flow, no torsion.")
    assert [d.severity for d in result.discrepancies if d.finding == "testicular_torsion"] == [Severity.SIGNIFICANT]


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("No opacity suspicious for pneumonia.", "No pneumonia."),
        ("No pneumothorax, suspicious nodule or mass.", "No pneumothorax. No suspicious nodule. No mass."),
        ("No consolidation, effusion, or findings concerning for edema.", "No consolidation, effusion or edema."),
    ],
)
def test_a_denial_goes_on_where_nothing_is_concluded(reference: str, candidate: str) -> None:
    """Without a mark before it, or as an item of a list, what is suspected is denied with the rest."""
    outcome = told(reference, candidate).outcome
    assert isinstance(outcome, Scored)
    assert outcome.score == 1.0
