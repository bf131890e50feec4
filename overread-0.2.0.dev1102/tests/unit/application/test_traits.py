"""Traits of components, and the marks of the last release that stated them."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from attrs import frozen

from overread.application import ports
from overread.application.marks import MARKS
from overread.application.traits import (
    AlignerTraits,
    ComponentTraits,
    ExtractorTraits,
    MetricTraits,
    ModelTraits,
    ReadoutTraits,
    RecognizerTraits,
    name_of,
    traits_of,
)
from overread.domain.findings.lexicon import Lexicon
from overread.domain.results.result import Scale

SCALE = Scale(0.0, 5.0, higher_is_better=True)
LEXICON = Lexicon.of([], [])

KINDS: tuple[type[ComponentTraits], ...] = (
    AlignerTraits,
    ComponentTraits,
    ExtractorTraits,
    MetricTraits,
    ModelTraits,
    ReadoutTraits,
    RecognizerTraits,
)


class Marked:
    """A component of the last release, with the attributes that it is given."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


@frozen
class Carrying:
    """A component of today."""

    traits: Any
    identity: str = "carrying@1.0"


def test_a_component_is_asked_for_the_traits_it_carries() -> None:
    """Attributes of the same names are its own affair then, and nothing warns."""
    traits = ReadoutTraits(name="mine", uses_plan=False)
    assert traits_of(Carrying(traits), ReadoutTraits) is traits
    assert traits_of(Marked(traits=traits, needs_weighing=True), ReadoutTraits) is traits


@pytest.mark.parametrize("kind", KINDS)
def test_a_component_without_traits_has_the_defaults(kind: type[ComponentTraits]) -> None:
    """Also one whose `traits` are something else, or those of another kind of component."""
    assert traits_of(object(), kind) == kind()
    assert traits_of(Carrying("tall"), kind) == kind()
    assert traits_of(Carrying(ComponentTraits(name="mine")), AlignerTraits) == AlignerTraits()


@pytest.mark.parametrize(
    ("attributes", "traits"),
    [
        ({"scale": SCALE}, MetricTraits(scale=SCALE)),
        ({"note": "sent away"}, ExtractorTraits(note="sent away")),
        ({"lexicon_folder": "mine"}, ExtractorTraits(lexicon_folder="mine")),
        ({"plans": "partial"}, AlignerTraits(plans="partial")),
        ({"takes_masses": True}, AlignerTraits(takes_masses=True)),
        ({"factors": {"text": 0.5}}, AlignerTraits(factors={"text": 0.5})),
        ({"uses_plan": False}, ReadoutTraits(uses_plan=False)),
        ({"needs_weighing": True}, ReadoutTraits(needs_weighing=True)),
        ({"aligner": {"prior": "uniform"}}, ReadoutTraits(fitted_on={"prior": "uniform"})),
        ({"affinity": "mine.json"}, RecognizerTraits(affinity="mine.json")),
        ({"meaning_lexicon": LEXICON}, RecognizerTraits(meaning_lexicon=LEXICON)),
        (
            {"destination": "there:80", "price_in": 2.0, "price_out": None},
            ModelTraits(destination="there:80", price_in=2.0),
        ),
    ],
)
def test_marks_of_the_last_release_are_understood_with_a_warning(
    attributes: dict[str, Any], traits: ComponentTraits
) -> None:
    """A plugin that has not moved goes on as it was; asked as another kind of component it states nothing."""
    component = Marked(**attributes)
    with pytest.warns(DeprecationWarning, match=r"Marked states .* as attributes of its own: give it traits"):
        assert traits_of(component, type(traits)) == traits
    others = set(KINDS) - {type(traits)}
    assert all(traits_of(component, kind) == kind() for kind in others)


def test_a_model_is_served_only_if_it_tells_all_of_a_server() -> None:
    """As before: a destination without prices was no mark."""
    assert traits_of(Marked(destination="there:80"), ModelTraits) == ModelTraits()


def test_a_component_has_the_name_it_carries_else_that_of_its_identity() -> None:
    """So presets know readouts of the last release."""
    assert name_of(Carrying(ReadoutTraits(name="mine"))) == "mine"
    assert name_of(Carrying(ReadoutTraits())) == "carrying"
    assert name_of(Marked(identity="paper")) == "paper"


@pytest.mark.parametrize("name", sorted(MARKS))
def test_a_mark_can_be_imported_from_where_it_stood(name: str) -> None:
    """With a warning; it is none of the names that the module offers."""
    with pytest.warns(DeprecationWarning, match=f"{name} is stated and asked for with overread.application.traits"):
        assert getattr(ports, name) is MARKS[name]
    assert name not in ports.__all__


def test_what_was_never_there_is_not_there() -> None:
    """The old names hide no misspelt one."""
    with warnings.catch_warnings(), pytest.raises(AttributeError, match="has no attribute 'Aligners'"):
        ports.Aligners  # type: ignore[attr-defined]  # noqa: B018
