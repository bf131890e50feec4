"""Marks: how components stated their traits in the last release. They are understood for one release, with a warning.

Each was an attribute or a few, asked for with a Protocol of `overread.application.ports`. This module goes with the
next release.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol, runtime_checkable

from overread.domain.findings.lexicon import Lexicon
from overread.domain.results.result import Scale

__all__ = ["MARKS", "read_marks", "read_name"]


@runtime_checkable
class Scaled(Protocol):
    """Knows a scale of its own. See `MetricTraits.scale`."""

    @property
    def scale(self) -> Scale:
        """Range of the score, and which end is good."""
        ...


@runtime_checkable
class LexiconReader(Protocol):
    """Names findings by a lexicon. See `ExtractorTraits.lexicon_folder`."""

    @property
    def lexicon_folder(self) -> str | None:
        """Folder of the lexicon, None for the shipped one."""
        ...


@runtime_checkable
class NamedPlans(Protocol):
    """Names the plans it makes. See `AlignerTraits.plans`."""

    @property
    def plans(self) -> str:
        """Kind, prior and epsilon."""
        ...


@runtime_checkable
class TakesMasses(Protocol):
    """Makes plans between the masses that the costs name. See `AlignerTraits.takes_masses`."""

    @property
    def takes_masses(self) -> bool:
        """True if the costs' masses are used."""
        ...


@runtime_checkable
class Factored(Protocol):
    """Multiplies the channels of a cost. See `AlignerTraits.factors`."""

    @property
    def factors(self) -> Mapping[str, float]:
        """Factor by channel."""
        ...


@runtime_checkable
class UsesPlan(Protocol):
    """Says whether the plan enters its risks. See `ReadoutTraits.uses_plan`."""

    @property
    def uses_plan(self) -> bool:
        """True if the plan enters its risks."""
        ...


@runtime_checkable
class NeedsWeighing(Protocol):
    """Reads weighed pairs. See `ReadoutTraits.needs_weighing`."""

    @property
    def needs_weighing(self) -> bool:
        """True if `AlignedPair` must hold the weighing."""
        ...


@runtime_checkable
class FittedReadout(Protocol):
    """Knows what it was fitted on. See `ReadoutTraits.fitted_on`."""

    @property
    def aligner(self) -> Mapping[str, Any]:
        """Prior and epsilon of the plans that it was fitted on, and the cost where that is known."""
        ...


@runtime_checkable
class AffinityRecognizer(Protocol):
    """Types entities as a table of affinities of its own expects. See `RecognizerTraits.affinity`."""

    @property
    def affinity(self) -> str:
        """The table that ratescore uses with it where none is chosen."""
        ...


@runtime_checkable
class MeaningRecognizer(Protocol):
    """Knows what its entities mean, by a lexicon. See `RecognizerTraits.meaning_lexicon`."""

    @property
    def meaning_lexicon(self) -> Lexicon:
        """Lexicon that relates the findings its entities mean."""
        ...


@runtime_checkable
class ServedModel(Protocol):
    """Sends requests somewhere, perhaps for money. See `ModelTraits`."""

    @property
    def destination(self) -> str:
        """HOST:PORT that report text is sent to; "" where it is sent nowhere."""
        ...

    @property
    def price_in(self) -> float | None:
        """Price of a million prompt tokens; None if unknown."""
        ...

    @property
    def price_out(self) -> float | None:
        """Price of a million answer tokens; None if unknown."""
        ...


MARKS: Final[Mapping[str, type[Any]]] = {
    mark.__name__: mark
    for mark in (
        AffinityRecognizer,
        Factored,
        FittedReadout,
        LexiconReader,
        MeaningRecognizer,
        NamedPlans,
        NeedsWeighing,
        Scaled,
        ServedModel,
        TakesMasses,
        UsesPlan,
    )
}
"""The Protocols by their names in `overread.application.ports`."""

_ATTRIBUTES: Final[tuple[Mapping[str, str], ...]] = (
    {"affinity": "affinity"},
    {"factors": "factors"},
    {"fitted_on": "aligner"},
    {"lexicon_folder": "lexicon_folder"},
    {"meaning_lexicon": "meaning_lexicon"},
    {"note": "note"},
    {"plans": "plans"},
    {"needs_weighing": "needs_weighing"},
    {"scale": "scale"},
    {"destination": "destination", "price_in": "price_in", "price_out": "price_out"},
    {"takes_masses": "takes_masses"},
    {"uses_plan": "uses_plan"},
)
"""Attributes of each mark by the trait that each states; a component has the mark if it has all of them."""


def read_marks(component: object, traits: Iterable[str]) -> dict[str, Any]:
    """Traits that a component states by marks, by name; warns if there are any.

    Args:
        component: any.
        traits: names of those that are asked for.
    """
    wanted = set(traits)
    stated = {
        trait: getattr(component, attribute)
        for mark in _ATTRIBUTES
        if wanted >= mark.keys() and all(hasattr(component, attribute) for attribute in mark.values())
        for trait, attribute in mark.items()
    }
    if stated:
        warnings.warn(
            f"{type(component).__name__} states {', '.join(stated)} as attributes of its own: give it traits, as in "
            "overread.application.traits; the old way goes with the next release",
            DeprecationWarning,
            stacklevel=3,
        )
    return stated


def read_name(identity: str) -> str:
    """Name at the beginning of an identity, by which components were told apart."""
    return identity.partition("@")[0]
