"""Traits: what a component states of itself beyond its port, as one value that whoever uses it can read.

A component carries its traits as the attribute `traits`. It is asked for them by `traits_of` alone, which answers for
one that carries none, too. What a component can do beyond its port, methods that are called, is a Protocol of
`overread.application.ports` instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import field, fields, frozen

from overread.application.marks import read_marks, read_name
from overread.domain.findings.lexicon import Lexicon
from overread.domain.results.result import Scale

__all__ = [
    "AlignerTraits",
    "ComponentTraits",
    "ExtractorTraits",
    "MetricTraits",
    "ModelTraits",
    "ReadoutTraits",
    "RecognizerTraits",
    "name_of",
    "traits_of",
]


@frozen(kw_only=True)
class ComponentTraits:
    """Traits of any component.

    Attributes:
        name: of the component, as presets and messages call it.
    """

    name: str = ""


@frozen(kw_only=True)
class MetricTraits(ComponentTraits):
    """Traits of a `Metric`.

    Attributes:
        scale: of its score, where options decide it; None for the scale of its spec.
    """

    scale: Scale | None = None


@frozen(kw_only=True)
class ExtractorTraits(ComponentTraits):
    """Traits of a `UnitExtractor`.

    Attributes:
        note: for a reader of its units, for example that a report was sent elsewhere; "" for none.
        lexicon_folder: of the lexicon that it names findings by, None for the shipped one.
    """

    note: str = ""
    lexicon_folder: str | None = None


@frozen(kw_only=True)
class AlignerTraits(ComponentTraits):
    """Traits of an `Aligner`.

    Attributes:
        plans: kind, prior and epsilon, for example "balanced,prior=uniform,eps=0.2", which a readout is fitted on; ""
            where they have no name.
        takes_masses: True if its plans are between the masses that the costs name; others spread mass evenly.
        factors: of a cost, by channel; 1 for a channel that is not named.
    """

    plans: str = ""
    takes_masses: bool = False
    factors: Mapping[str, float] = field(factory=dict)


@frozen(kw_only=True)
class ReadoutTraits(ComponentTraits):
    """Traits of a `Readout`.

    Attributes:
        uses_plan: True if the plan enters its risks.
        needs_weighing: True if `AlignedPair` must hold the weighing.
        fitted_on: prior and epsilon of the balanced plans that it was fitted on, and the cost where that is known;
            empty for one that was not fitted.
    """

    uses_plan: bool = True
    needs_weighing: bool = False
    fitted_on: Mapping[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class RecognizerTraits(ComponentTraits):
    """Traits of an `EntityRecognizer`.

    Attributes:
        affinity: table that ratescore uses with it where none is chosen, the name of a shipped one or a file; "" for
            the usual one.
        meaning_lexicon: relates the findings that its entities mean; None where they have no meaning.
    """

    affinity: str = ""
    meaning_lexicon: Lexicon | None = field(default=None, repr=False)


@frozen(kw_only=True)
class ModelTraits(ComponentTraits):
    """Traits of a `LanguageModel`.

    Attributes:
        destination: HOST:PORT that report text is sent to, and the proxy on the way; "" where it is sent nowhere.
        price_in, price_out: of a million prompt tokens and of a million answer tokens; None if unknown.
    """

    destination: str = ""
    price_in: float | None = None
    price_out: float | None = None


Traits = TypeVar("Traits", bound=ComponentTraits)


def traits_of(component: object, kind: type[Traits]) -> Traits:
    """Traits of a component: those it carries, else those its marks of the last release state, else the defaults.

    Args:
        component: any.
        kind: of traits that a component of its kind carries.
    """
    carried = getattr(component, "traits", None)
    if isinstance(carried, kind):
        return carried
    return kind(**read_marks(component, [field.name for field in fields(kind)]))


def name_of(component: Any) -> str:
    """Name of a component with an identity: the one it carries among its traits, else what its identity begins with."""
    return traits_of(component, ComponentTraits).name or read_name(component.identity)
