"""Counts of what asks for action, on short reports; what each finding asks for stands in the lexicon."""

from __future__ import annotations

import pytest

import overread

_NAMES = ("actionable", "reference_actionable", "reference_stated", "candidate_actionable", "candidate_borne_out")


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        # Both urgent or actionable, in other words and another order.
        (
            "Large right pneumothorax. Cardiomegaly.",
            "The heart is enlarged. Large right pneumothorax.",
            (0, 2, 2, 2, 2),
        ),
        # Left out, and made up.
        ("Cardiomegaly. Pulmonary edema.", "Cardiomegaly.", (1, 2, 1, 1, 1)),
        ("Cardiomegaly.", "Cardiomegaly. Pulmonary edema.", (1, 1, 1, 2, 1)),
        # Denied by the other report.
        ("Large right pneumothorax.", "No pneumothorax.", (1, 1, 0, 0, 0)),
        ("No pneumothorax.", "Large right pneumothorax.", (1, 0, 0, 1, 0)),
        # On the wrong side: one error, neither stated nor borne out.
        ("Large right pneumothorax.", "Large left pneumothorax.", (1, 1, 0, 1, 0)),
        # A difference that is not significant leaves it stated.
        ("Moderate cardiomegaly.", "Mild cardiomegaly.", (0, 1, 1, 1, 1)),
        # Mentioned twice, it is one finding.
        ("Cardiomegaly. The heart is enlarged.", "Cardiomegaly.", (0, 1, 1, 1, 1)),
        # Asserted and denied at once: an error, and not borne out, though it is stated.
        ("Cardiomegaly.", "Cardiomegaly. The heart is not enlarged.", (1, 1, 1, 1, 0)),
        # What asks for nothing now is not counted, left out or not; nor is a report without a finding.
        ("Old healed rib fracture.", "Calcified granuloma.", (0, 0, 0, 0, 0)),
        ("No pneumothorax.", "No pleural effusion.", (0, 0, 0, 0, 0)),
        ("Pulmonary edema.", "", (1, 1, 0, 0, 0)),
    ],
)
def test_counts_of_a_pair(reference: str, candidate: str, expected: tuple[int, ...]) -> None:
    """Errors, then of each report the findings that ask for action and those that the other report has, too."""
    subscores = overread.score(reference=reference, candidate=candidate, metrics=["notation:fast"])[
        "notation"
    ].subscores
    assert tuple(int(subscores[name]) for name in _NAMES) == expected
