"""How recommendations and messages of two reports differ."""

from __future__ import annotations

import pytest

from overread.domain.findings.advice import ADVICE, COMMUNICATION, AdviceKind, advice_differences
from overread.domain.findings.unit import ClinicalUnit


def _advice(
    *actions: str,
    by: tuple[str, ...] = (),
    days: tuple[float, float] | None = None,
    about: tuple[str, ...] = (),
    at: tuple[str, ...] = (),
) -> ClinicalUnit:
    return ClinicalUnit(
        span_text="",
        start=0,
        end=0,
        administrative=ADVICE,
        actions=frozenset(actions) | (frozenset({"imaging"}) if by else frozenset()),
        modalities=frozenset(by),
        interval_days=days,
        about=frozenset(about),
        anatomy=frozenset(at),
    )


_TOLD = ClinicalUnit(span_text="", start=0, end=0, administrative=COMMUNICATION)
_OTHER = ClinicalUnit(span_text="", start=0, end=0, administrative="technique")


def test_the_same_advice_is_no_difference() -> None:
    """A report against itself, a repetition, other administrative units."""
    advice = _advice("follow_up", by=("ct",), days=(182.0, 182.0), about=("lung_nodule",))
    assert advice_differences([advice, _TOLD], [advice, _TOLD]) == []
    assert advice_differences([advice, advice], [advice]) == []
    assert advice_differences([advice], [advice, advice, _OTHER]) == []
    assert advice_differences([], []) == []


@pytest.mark.parametrize(
    ("advice", "extent"),
    [
        (_advice("biopsy"), 1.0),
        (_advice("follow_up", by=("ct",)), 1.0),
        (_advice("correlation"), 0.4),
        (_advice("correlation", "biopsy"), 1.0),
        (_advice(), 0.3),
    ],
)
def test_lost_and_added(advice: ClinicalUnit, extent: float) -> None:
    """Either report alone recommends something; advice that does nothing to the patient is worth less."""
    (lost,) = advice_differences([advice], [])
    assert (lost.kind, lost.reference, lost.candidate, lost.extent) == (AdviceKind.LOST, advice, None, extent)
    (added,) = advice_differences([], [advice])
    assert (added.kind, added.reference, added.candidate, added.extent) == (AdviceKind.ADDED, None, advice, extent)


def test_reasons_are_in_the_words_of_the_field() -> None:
    """What is asked for is named, and silence does not read as advice against it."""
    (lost,) = advice_differences([_advice("follow_up", by=("ct",))], [])
    assert lost.reason == "advice is left out: CT and follow-up"
    (added,) = advice_differences([], [_advice("follow_up", by=("ct",))])
    assert added.reason == "advice is added: CT and follow-up"


@pytest.mark.parametrize(
    ("reference", "candidate", "apart", "extent"),
    [
        ((91.0, 91.0), (182.0, 182.0), 91.0, 0.5),
        ((182.0, 365.0), (91.0, 91.0), 91.0, 0.5),
        ((91.0, 91.0), (364.0, 364.0), 273.0, 1.0),
        ((182.0, 365.0), (200.0, 200.0), None, 0.0),
        ((0.0, 1.0), (42.0, 42.0), 41.0, 1.0),
        ((0.17, 0.25), (0.5, 0.5), None, 0.0),
        ((91.0, 91.0), None, None, 0.3),
        (None, (91.0, 91.0), None, 0.3),
    ],
)
def test_intervals(
    reference: tuple[float, float] | None, candidate: tuple[float, float] | None, apart: float | None, extent: float
) -> None:
    """Intervals that do not meet differ by the doublings between them; one doubling is half."""
    found = advice_differences([_advice(by=("ct",), days=reference)], [_advice(by=("ct",), days=candidate)])
    assert [(d.kind, d.days_apart) for d in found] == ([(AdviceKind.INTERVAL, apart)] if extent else [])
    assert sum(d.extent for d in found) == pytest.approx(extent)


@pytest.mark.parametrize(
    ("reference", "candidate", "extent"),
    [
        (("ct",), ("mri",), 0.5),
        (("ct",), ("ct", "pet"), 0.0),
        (("ct",), (), 0.2),
        (("ct", "with_contrast"), ("ct", "without_contrast"), 0.3),
    ],
)
def test_modalities(reference: tuple[str, ...], candidate: tuple[str, ...], extent: float) -> None:
    """Another examination, one that is no longer named, and contrast."""
    found = advice_differences([_advice("imaging", by=reference)], [_advice("imaging", by=candidate)])
    assert [(d.kind, d.extent) for d in found] == ([(AdviceKind.MODALITY, extent)] if extent else [])


def test_opposed() -> None:
    """Follow-up of a nodule in one report, none needed in the other."""
    reference, candidate = _advice("follow_up", about=("lung_nodule",)), _advice("none", about=("lung_nodule",))
    (difference,) = advice_differences([reference], [candidate])
    assert (difference.kind, difference.extent) == (AdviceKind.OPPOSED, 1.0)


def test_another_action() -> None:
    """Biopsy in the place of a scan of the same thing."""
    reference, candidate = _advice(by=("ct",), about=("lung_mass",)), _advice("biopsy", about=("lung_mass",))
    kinds = [d.kind for d in advice_differences([reference], [candidate])]
    assert AdviceKind.ACTION in kinds


def test_advice_about_different_things_is_no_pair() -> None:
    """A scan of the thyroid does not stand for a scan of the lung."""
    lung = _advice(by=("ct",), about=("lung_nodule",), at=("lung",))
    thyroid = _advice(by=("ct",), about=("thyroid_nodule",), at=("thyroid",))
    kinds = [d.kind for d in advice_differences([lung], [thyroid])]
    assert kinds == [AdviceKind.LOST, AdviceKind.ADDED]


def test_the_likest_take_each_other() -> None:
    """Order does not matter."""
    lung = _advice(by=("ct",), days=(91.0, 91.0), about=("lung_nodule",), at=("lung",))
    liver = _advice(by=("mri",), about=("liver_lesion",), at=("liver",))
    assert advice_differences([lung, liver], [liver, lung]) == []


def test_communication() -> None:
    """That somebody was told is lost or added once."""
    assert [d.kind for d in advice_differences([_TOLD, _TOLD], [])] == [AdviceKind.COMMUNICATION_LOST]
    assert [d.kind for d in advice_differences([], [_TOLD])] == [AdviceKind.COMMUNICATION_ADDED]
