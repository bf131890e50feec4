"""Whole pairs through the shipped reader: what a radiologist would say is wrong with the candidate."""

from __future__ import annotations

from collections import Counter

import pytest

import overread
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.samples import SamplePair, sample_pairs


def _significant(reference: str, candidate: str) -> list[str]:
    result = overread.score(reference=reference, candidate=candidate, metrics=["notation:fast"])["notation"]
    return sorted(
        d.category.value if d.category else d.aspect.value
        for d in result.discrepancies
        if d.severity.counts_as_significant
    )


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ("No pneumothorax.", "Pneumothorax.", ["A"]),
        ("Right pneumothorax.", "Right pleural effusion.", ["A", "B"]),
        ("Small left pleural effusion.", "Small right pleural effusion.", ["C"]),
        ("Mild pulmonary edema.", "Severe pulmonary edema.", ["D"]),
        ("Healed right rib fracture.", "Acute right rib fracture.", ["Description"]),
        ("Left basilar opacity, likely atelectasis.", "Left lower lobe pneumonia.", ["A"]),
        ("3 cm mass in the right upper lobe.", "5 cm mass in the right upper lobe.", ["D"]),
        ("8 mm nodule in the right upper lobe.", "14 mm nodule in the right upper lobe.", ["D"]),
        ("Left pneumothorax.", "Pneumothorax.", ["C"]),
        ("Left pleural effusion.", "Pleural effusion.", []),
        ("The lungs are clear.", "No focal consolidation. No pulmonary edema.", []),
        ("Mild cardiomegaly.", "The cardiac silhouette is mildly enlarged.", []),
        ("No acute cardiopulmonary abnormality.", "Heart size is normal. The lungs are clear.", []),
        ("The lungs are clear.", "The lungs are clear. Right lower lobe consolidation.", ["A"]),
        ("The rounded density at the left base is a nipple shadow. No nodule.", "9 mm left lower lobe nodule.", ["A"]),
        ("Acute interstitial pancreatitis.", "Necrotizing pancreatitis.", ["Terminology"]),
        ("Necrosis of the pancreatic body.", "Acute pancreatitis.", ["Terminology"]),
    ],
)
def test_significant_discrepancies(reference: str, candidate: str, expected: list[str]) -> None:
    """Categories, or the aspect where there is none, of what could change the patient's care."""
    assert _significant(reference, candidate) == expected


def test_a_size_discrepancy_shows_both_sizes() -> None:
    """The spans of a size discrepancy hold the sizes, so that a reader sees what differs."""
    reference, candidate = "There is an 8 mm nodule in the right apex.", "There is a 14 mm nodule in the right apex."
    result = overread.score(reference=reference, candidate=candidate, metrics=["notation:fast"])["notation"]
    (size,) = (d for d in result.discrepancies if d.aspect.value == "Size/Distance")
    assert "8 mm" in size.reference_spans[0].of(reference)
    assert "14 mm" in size.candidate_spans[0].of(candidate)


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("No pleural effusion.", "Pleural effusion."),
        ("Right pneumothorax.", "Right pleural effusion."),
        ("Small left effusion.", "Small right effusion."),
        ("Mild edema.", "Severe edema."),
        ("Possible pneumonia.", "Pneumonia."),
        ("Stable effusion.", "Worsening effusion."),
    ],
)
def test_no_error_is_free(reference: str, candidate: str) -> None:
    """Each kind of error has a risk of its own, even in a report of one sentence, in both directions."""
    for pair in ((reference, candidate), (candidate, reference)):
        risk = overread.score(reference=pair[0], candidate=pair[1], metrics=["radot:fast"])["radot"]
        assert risk.score > 0.1
        assert risk.subscores["significant"] >= 0.15


def test_the_samples_are_read_as_their_author_meant() -> None:
    """Of the significant errors written into the samples most are found in their category, and few others."""
    samples = sample_pairs()
    results = overread.score_many([sample.pair for sample in samples], metrics=["notation:fast"])
    found, missed, false = 0, 0, 0
    for sample, result in zip(samples, results, strict=True):
        expected = Counter(e["category"] for e in sample.expected if e["significance"] != "insignificant")
        noted = Counter(
            d.category.value
            for d in result["notation"].discrepancies
            if d.category is not None and d.severity.counts_as_significant
        )
        found += (noted & expected).total()
        missed += (expected - noted).total()
        false += (noted - expected).total()
    assert found / (found + missed) >= 0.70
    assert found / (found + false) >= 0.85


@pytest.mark.parametrize("sample", sample_pairs(), ids=lambda sample: sample.pair.id)
def test_a_sample_against_itself_is_perfect(sample: SamplePair) -> None:
    """Each report against itself has no risk and no discrepancy."""
    for report in (sample.pair.reference, sample.pair.candidate):
        if report.is_blank:
            continue
        results = overread.score(reference=report, candidate=report)
        assert results["radot"].score == 0
        assert results["notation"].score == 1
        assert results["notation"].discrepancies == ()


def test_wrong_arguments_are_explained() -> None:
    """A text for a list of metrics, or a mapping where a pair is due, gives an error that names the remedy."""
    with pytest.raises(ConfigurationError, match="must be a list"):
        overread.score(reference="a", candidate="b", metrics="radot")
    with pytest.raises(ConfigurationError, match="must be a list"):
        overread.Settings(metrics="radot")
    with pytest.raises(InputError, match="score_many"):
        overread.open_service(metrics=["rouge"]).evaluate([{"id": "1"}])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "reference",
    [
        "No effusion.",
        "The lungs are clear.",
        "Small left effusion.",
        "CT of the chest is recommended.",
        "History of pneumonia.",
        "Quantum flux sprocket noted.",
    ],
)
@pytest.mark.parametrize("candidate", ["", " ", "\n"])
def test_nothing_said_is_not_perfect(reference: str, candidate: str) -> None:
    """Whatever there was to say, silence is not the best answer."""
    results = overread.score(reference=reference, candidate=candidate)
    assert results["notation"].score < 1
    assert results["radot"].score > 0


def test_a_denied_sentence_is_not_its_assertion() -> None:
    """Two sentences that no rule covers do not match where one denies what the other says."""
    sentence = "Quantum flux sprocket noted."
    results = [
        overread.score(reference=sentence, candidate=candidate, metrics=["notation:fast"])["notation"]
        for candidate in (sentence, f"No {sentence.lower()}")
    ]
    assert [result.subscores["matched"] for result in results] == [1, 0]
    significant = [[d.severity.counts_as_significant for d in result.discrepancies] for result in results]
    assert [each.count(True) for each in significant] == [0, 1]
    assert results[0].score > results[1].score


@pytest.mark.parametrize(
    ("reference", "candidates"),
    [
        (
            "Large right pleural effusion.",
            [
                "There is a large right-sided pleural effusion.",
                "Moderate right pleural effusion.",
                "Large left pleural effusion.",
                "The heart is normal in size.",
                "No pleural effusion.",
            ],
        ),
        (
            "Severe pulmonary edema.",
            [
                "Pulmonary edema, severe.",
                "Moderate pulmonary edema.",
                "Mild pulmonary edema.",
                "The heart is normal in size.",
                "No pulmonary edema.",
            ],
        ),
        (
            "Small left apical pneumothorax.",
            [
                "Small pneumothorax at the left apex.",
                "Small right apical pneumothorax.",
                "The heart is normal in size.",
                "No pneumothorax.",
            ],
        ),
    ],
)
def test_partial_credit_is_real(reference: str, candidates: list[str]) -> None:
    """Perfect, then a wrong degree, a wrong side, silence about it, and the opposite."""
    results = [
        overread.score(reference=reference, candidate=candidate, metrics=["notation:fast", "radot:fast"])
        for candidate in candidates
    ]
    scores, risks = ([result[metric].score for result in results] for metric in ("notation", "radot"))
    assert scores == sorted(set(scores), reverse=True)
    assert risks == sorted(set(risks))
    assert scores[0] == 1


def test_marks_and_line_ends_of_other_systems_change_nothing() -> None:
    """A byte order mark and bare carriage returns leave the reading as it is."""
    plain = "FINDINGS: Small left effusion.\nIMPRESSION: Small left effusion. No pneumothorax."
    for other in ("\ufeff" + plain, plain.replace("\n", "\r"), plain.replace("\n", "\r\n")):
        results = overread.score(reference=plain, candidate=other)
        assert results["radot"].score == 0
        assert results["notation"].discrepancies == ()


def test_a_very_long_sentence_is_read_in_pieces() -> None:
    """A thousand findings in one sentence are too many units, and are found to be so without delay."""
    report = "No " + "effusion, " * 1_000 + "."
    outcome = overread.score(reference=report, candidate="No effusion.", metrics=["notation:fast"])["notation"].outcome
    assert isinstance(outcome, overread.Unscored)
    assert outcome.reason == "too long"


def test_short_text_in_another_script_is_refused() -> None:
    """A few characters suffice to see that a report is not written in Latin script."""
    outcome = overread.score(reference="正常胸部。", candidate="右肺有大量气胸。", metrics=["notation:fast"])[
        "notation"
    ].outcome
    assert isinstance(outcome, overread.Unscored)
    assert outcome.reason == "language"
