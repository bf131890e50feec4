"""Labels are read as models write them, and others are not."""

from __future__ import annotations

import pytest

from overread.adapters.llm.judge.labels import LABELS, Label, read_label, read_severity
from overread.application.asking.inquiry import UnreadableAnswerError
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType

OMITTED_LOCATION = Label(ErrorAspect.LOCATION, ErrorType.OMISSION)


def test_there_are_twenty_labels() -> None:
    """Four aspects with three types and eight without (parameters, training)."""
    assert len(LABELS) == len(set(map(str, LABELS))) == 20
    assert {str(label) for label in LABELS} >= {"Comparison/Progression - Fabrication", "Size/Distance", "Negation"}


@pytest.mark.parametrize("label", LABELS, ids=str)
@pytest.mark.parametrize("write", [str, str.upper, str.lower, lambda text: f" **{text}**. "])
def test_every_label_is_read_as_it_is_printed(label: Label, write: object) -> None:
    """Case, emphasis and a full stop change nothing."""
    assert callable(write)
    assert read_label(write(str(label))) == label


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("Location-Omission", OMITTED_LOCATION),
        ("location (omission)", OMITTED_LOCATION),
        ("Location – Omission", OMITTED_LOCATION),
        ("Location: omitted", OMITTED_LOCATION),
        ("Omission - Location", OMITTED_LOCATION),
        ("Error aspect: Location, error type: Omission", OMITTED_LOCATION),
        ("Location Omission Error", OMITTED_LOCATION),
        ("Comparison - Fabrication", Label(ErrorAspect.COMPARISON, ErrorType.FABRICATION)),
        ("progression_inaccuracy", Label(ErrorAspect.COMPARISON, ErrorType.INACCURACY)),
        ("Comp./Prog. - Inaccurate", Label(ErrorAspect.COMPARISON, ErrorType.INACCURACY)),
        ("Size", Label(ErrorAspect.SIZE)),
        ("distance", Label(ErrorAspect.SIZE)),
        ("Size / Distance", Label(ErrorAspect.SIZE)),
        ("Stylistic Var.", Label(ErrorAspect.STYLE)),
        ("Style", Label(ErrorAspect.STYLE)),
        ("Negation - Omission", Label(ErrorAspect.NEGATION)),
        ("Noise (inaccuracy)", Label(ErrorAspect.NOISE)),
    ],
)
def test_other_spellings_are_read(written: str, label: Label) -> None:
    """Models swap, abbreviate and inflect the two words of a label."""
    assert read_label(written) == label


def test_a_type_may_stand_apart() -> None:
    """The two-pass schema has a field for it."""
    assert read_label("Location", "omission") == OMITTED_LOCATION
    assert read_label("Location - Omission", "Omission") == OMITTED_LOCATION


@pytest.mark.parametrize(
    "written",
    [
        "",
        "None",
        "A",
        "Wrong location - Omission",
        "Location/Severity - Omission",
        "Locations",
        "Laterality - Inaccuracy",
        "Omission",
        "Location",
        "Description - Omission/Fabrication",
        "Location - Omission, Severity - Inaccuracy",
        "\u4e0d Noise",
    ],
)
def test_an_unknown_aspect_or_a_missing_type_is_refused_with_the_labels_as_a_remedy(written: str) -> None:
    """No label is guessed at; the model is told which there are."""
    with pytest.raises(UnreadableAnswerError) as caught:
        read_label(written)
    assert caught.value.reason == "unknown label"
    assert all(str(label) in caught.value.remedy for label in LABELS)


def test_types_that_differ_are_refused() -> None:
    """Of two types neither is taken."""
    with pytest.raises(UnreadableAnswerError, match="unknown label"):
        read_label("Location - Omission", "Fabrication")


@pytest.mark.parametrize(
    ("written", "severity"),
    [
        ("Critical", Severity.CRITICAL),
        ("**SIGNIFICANT**", Severity.SIGNIFICANT),
        ("clinically significant.", Severity.SIGNIFICANT),
        ("Severity: insignificant", Severity.INSIGNIFICANT),
        ("not significant", Severity.INSIGNIFICANT),
        ("Clinically-Insignificant", Severity.INSIGNIFICANT),
        ("- “Critical!”", Severity.CRITICAL),
        ("[severity: `significant`]", Severity.SIGNIFICANT),
        ("minor", None),
        ("critical?", None),
        ("!significant", None),
        ("\u00acsignificant", None),
        ("\u4e0dsignificant", None),
        ("significant \u2260", None),
        ("~~significant~~", None),
        ("significant 0", None),
        ("0 significant", None),
        ("in significant", None),
        ("(in)significant", None),
        ("", None),
        ("significant or insignificant", None),
        ("It is significant", None),
    ],
)
def test_severities(written: str, severity: Severity | None) -> None:
    """A negation in any sign or tongue must never pass for its opposite."""
    assert read_severity(written) is severity
