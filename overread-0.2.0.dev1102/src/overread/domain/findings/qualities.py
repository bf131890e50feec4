"""Meaning of labels to the rules: which words of appearance count, exclude each other, or narrow a denial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

__all__ = ["Kinds", "Limit", "Parts", "Qualities"]


def _labels() -> Any:
    def as_set(labels: Iterable[str]) -> frozenset[str]:
        return frozenset(labels)

    return field(default=(), converter=as_set, repr=False)


@frozen
class Limit:
    """Values of an angle or an attenuation at which care of a finding changes.

    Attributes:
        unit: "degree" or "hu".
        at: the values, rising.
        margin: by which two measurements of one thing differ.
    """

    unit: str
    at: tuple[float, ...]
    margin: float


@frozen
class Kinds:
    """Kinds of one disease that are treated differently, by the words that tell them.

    Attributes:
        of: findings that come in these kinds; what is a kind of them does, too.
        graver: words of the graver kind.
        milder: words of the other; a word of the graver kind that is denied tells it as well.
        telling: whether a word of the graver kind matters where the other report has none for either.
        told_by: findings that tell the graver kind wherever the report names them.
    """

    of: frozenset[str]
    graver: frozenset[str]
    milder: frozenset[str]
    telling: bool = False
    told_by: frozenset[str] = frozenset()


@frozen
class Parts:
    """Places of which a finding lies at one or at another: the bones of a limb, the lobes of the brain.

    Attributes:
        places: labels of anatomy, those that mean the same place together.
        ordered: whether they stand in the order of the body, so that neighbours are taken for one another.
        within: whether all are parts of one organ, so that who looks at it sees them all.
    """

    places: tuple[frozenset[str], ...]
    ordered: bool = False
    within: bool = False

    def are_apart(self, here: frozenset[str], there: frozenset[str]) -> bool:
        """Return whether both name some of these places, none in common and no neighbours.

        >>> pancreas = Parts((frozenset({"head"}), frozenset({"body"}), frozenset({"tail"})), ordered=True)
        >>> [pancreas.are_apart(frozenset({"head"}), frozenset({part})) for part in ("head", "body", "tail")]
        [False, False, True]
        """
        own, other = ([i for i, place in enumerate(self.places) if place & labels] for labels in (here, there))
        if not own or not other:
            return False
        return min(abs(i - j) for i in own for j in other) > int(self.ordered)


@frozen(kw_only=True)
class Qualities:
    """Labels by what they mean; ``qualities.toml`` of the lexicon tells what each list is for.

    Attributes:
        opposed: words of appearance of which one excludes the other.
        parts: places of which a finding lies at one or at another.
        kinds: kinds of a disease, by the words that tell them.
        leaves_open: words of a denial, each with the words of what it leaves open.
        thresholds: kinds of finding, each with the sizes in millimetres at which their care changes.
        margins: kinds of finding, each with the millimetres by which two measurements of it differ at no change.
        limits: kinds of finding, each with the units other than lengths in which they are measured.
    """

    recent: frozenset[str] = _labels()
    lasting: frozenset[str] = _labels()
    past: frozenset[str] = _labels()
    residual: frozenset[str] = _labels()
    borderline: frozenset[str] = _labels()
    telling: frozenset[str] = _labels()
    narrowing: frozenset[str] = _labels()
    partial: frozenset[str] = _labels()
    rest: frozenset[str] = _labels()
    device_states: frozenset[str] = _labels()
    amiss: frozenset[str] = _labels()
    wrong_sites: frozenset[str] = _labels()
    watched: frozenset[str] = _labels()
    malpositions: frozenset[str] = _labels()
    marks_of_operation: frozenset[str] = _labels()
    of_levels: frozenset[str] = _labels()
    opposed: tuple[tuple[frozenset[str], frozenset[str]], ...] = field(default=(), repr=False)
    parts: tuple[Parts, ...] = field(default=(), repr=False)
    kinds: tuple[Kinds, ...] = field(default=(), repr=False)
    leaves_open: Mapping[str, frozenset[str]] = field(factory=dict, repr=False)
    thresholds: Mapping[str, tuple[float, ...]] = field(factory=dict, repr=False)
    margins: Mapping[str, float] = field(factory=dict, repr=False)
    limits: Mapping[str, Limit] = field(factory=dict, repr=False)

    def device_state(self, words: frozenset[str]) -> str | None:
        """The state of a device among words that describe it."""
        return min(words & self.device_states, default=None)
