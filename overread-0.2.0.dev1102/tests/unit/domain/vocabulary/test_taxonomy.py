"""The taxonomies, and the crosswalk between them as the papers state it."""

from __future__ import annotations

from itertools import product

import pytest

from overread.domain.vocabulary.taxonomy import (
    ASPECTS_WITH_TYPE,
    REXVAL_SIX,
    ErrorAspect,
    ErrorCategory,
    ErrorTaxonomy,
    ErrorType,
)

OMISSION, FABRICATION, INACCURACY = ErrorType


def test_the_categories_are_rexvals_six_and_radevalxs_two() -> None:
    """A to F are ReXVal's, G and H come on top, in the columns 1 to 8 of RadEvalX."""
    assert "".join(REXVAL_SIX) == "ABCDEF"
    assert [category.radevalx_column for category in ErrorCategory] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert "".join(ErrorCategory) == "ABCDEFGH"


@pytest.mark.parametrize(
    ("letter", "label"),
    [
        ("A", "false finding"),
        ("B", "omitted finding"),
        ("C", "wrong location"),
        ("D", "wrong severity"),
        ("E", "comparison not in reference"),
        ("F", "omitted comparison"),
        ("G", "unsupported uncertainty"),
        ("H", "omitted uncertainty"),
    ],
)
def test_each_category_has_a_name_in_words(letter: str, label: str) -> None:
    """A letter stands for the error that ReXVal or RadEvalX gives it to."""
    assert ErrorCategory(letter).label == label


@pytest.mark.parametrize(
    ("aspect", "omission", "fabrication", "inaccuracy"),
    [
        (ErrorAspect.DESCRIPTION, "B", "A", "A"),
        (ErrorAspect.LOCATION, "C", "C", "C"),
        (ErrorAspect.SEVERITY, "D", "D", "D"),
        (ErrorAspect.COMPARISON, "F", "E", "E"),
        (ErrorAspect.NEGATION, "B", "A", None),
        (ErrorAspect.SIZE, "D", "D", "D"),
        (ErrorAspect.CONTRADICTION, "A", "A", "A"),
        (ErrorAspect.UNCERTAINTY, "H", "G", None),
        (ErrorAspect.MODALITY, None, None, None),
        (ErrorAspect.TERMINOLOGY, None, None, None),
        (ErrorAspect.NOISE, None, None, None),
        (ErrorAspect.STYLE, None, None, None),
    ],
)
def test_every_aspect_and_type_leads_to_its_category(
    aspect: ErrorAspect, omission: str | None, fabrication: str | None, inaccuracy: str | None
) -> None:
    """Each of the twelve aspects times three types has one category or, knowingly, none."""
    crosswalk = ErrorTaxonomy()
    assert [crosswalk.category(aspect, kind) for kind in ErrorType] == [omission, fabrication, inaccuracy]


def test_every_category_can_be_reached() -> None:
    """No category stands outside the crosswalk."""
    reached = {ErrorTaxonomy().category(aspect, kind) for aspect, kind in product(ErrorAspect, ErrorType)}
    assert reached == {*ErrorCategory, None}


def test_reevalmed_prints_a_type_for_four_aspects_and_none_for_eight() -> None:
    """Location, severity, description and comparison carry a type; for the rest it is left out."""
    assert len(ErrorAspect) == 12
    assert {"Location", "Severity", "Description", "Comparison/Progression"} == ASPECTS_WITH_TYPE
    for aspect, kind in product(ErrorAspect, ErrorType):
        assert ErrorTaxonomy().printed_type(aspect, kind) is (kind if aspect in ASPECTS_WITH_TYPE else None)


def test_an_aspect_without_a_type_stays_open_where_the_direction_decides() -> None:
    """A flipped negation alone is neither a false finding nor an omission; a wrong size is always category D."""
    assert ErrorTaxonomy().category(ErrorAspect.NEGATION) is None
    assert ErrorTaxonomy().category(ErrorAspect.SIZE) is ErrorCategory.SEVERITY
