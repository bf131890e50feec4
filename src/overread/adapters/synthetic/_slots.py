"""Phrases for slots: what a side and zone, a change, a doubt or a size become in other places of a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from overread.adapters.synthetic._grammar import CHANGES, HEDGES

__all__ = ["Slots"]

_Phrases = Mapping[str, tuple[str, ...]]

_SEEN: Final[tuple[str, ...]] = (
    "seen",
    "noted",
    "present",
    "identified",
    "visualized",
    "demonstrated",
    "evident",
    "visible",
)
_LEADS: Final[_Phrases] = {
    "": ("There is", "Findings include", "The image shows", "Presence of"),
    "open": ("There may be", "Cannot exclude", "Question of", "It is uncertain whether there is"),
    "leaning": ("There is likely", "Findings suggest", "There is probably", "This most likely represents"),
}
_TRENDS: Final[_Phrases] = {
    "": ("is noted", "is present", "is seen", "can be seen"),
    "new": ("is new", "has developed in the interval", "was not present on the prior study", "is new from prior"),
    "stable": ("is unchanged", "has not changed", "is again seen without change", "is similar to the prior study"),
    "worsened": ("has increased", "has worsened", "is worse than before", "has progressed since the prior study"),
    "improved": (
        "has decreased",
        "has improved",
        "is smaller than before",
        "has partly resolved since the prior study",
    ),
}
_INTERVALS: Final[_Phrases] = {
    "": ("", "", "Evidence of", "Noted is"),
    "new": ("New", "Interval development of", "Interval appearance of", "Newly developed"),
    "stable": ("Stable", "Unchanged", "Again seen is", "No change in"),
    "worsened": ("Interval increase in", "Interval worsening of", "Increasing", "Progression of"),
    "improved": ("Interval decrease in", "Interval improvement of", "Decreasing", "Partial resolution of"),
}
_OVERALL: Final[_Phrases] = {
    "": ("No comparison of the study is stated",),
    "new": ("There are new findings since the prior study", "Changes have developed since the prior examination"),
    "stable": (
        "No significant interval change",
        "No change from prior",
        "Stable appearance of the chest",
        "Stable chest",
        "There is no significant change since the prior study",
        "Unchanged from the previous examination",
        "Appearance is similar to the prior study",
        "Overall no relevant change as compared to the previous radiograph",
    ),
    "worsened": (
        "Overall worsening since the prior study",
        "Interval worsening",
        "The appearance has deteriorated since prior",
        "The findings have progressed in the interval",
    ),
    "improved": (
        "Overall improvement since the prior study",
        "Interval improvement",
        "The appearance has improved since prior",
        "Improved aeration as compared to the previous radiograph",
    ),
}
_OF_CHANGE: Final = {"trend": _TRENDS, "interval": _INTERVALS, "overall": _OVERALL}
_ONE_SIDED: Final = {"left": "on the left", "right": "on the right", "bilateral": "bilaterally", "": ""}
_PATTERNS: Final = ("interstitial", "alveolar", "diffuse")
_BASES: Final = {"left": "at the left base", "right": "at the right base"}


class Slots(dict[str, str]):
    """Slots of an assertion, and the phrases that say the same; ``wording`` chooses among these."""

    def __init__(self, slots: Mapping[str, str], wording: int) -> None:
        super().__init__(slots)
        self._wording = wording

    def __missing__(self, name: str) -> str:
        """The phrase of that name."""
        if name == "place":
            return _place(self["side"], self["zone"])
        if name == "measure":
            return f"measuring {self['size']}" if self["size"] else ""
        change, hedge = CHANGES.get(self["change"], ""), HEDGES.get(self["hedge"], "")
        choices = _SEEN if name == "seen" else _LEADS[hedge] if name == "lead" else _OF_CHANGE[name][change]
        return choices[self._wording % len(choices)]


def _place(side: str, zone: str) -> str:
    """Where a finding lies, as a phrase.

    >>> _place("left", "upper lobe"), _place("bilateral", "basal"), _place("right", "")
    ('in the left upper lobe', 'at both bases', 'on the right')
    """
    if not zone or zone.startswith(("with ", "coiled ", "to the ", "in ", "at ")):
        return f"{_ONE_SIDED[side]} {zone}".strip()
    if zone in _PATTERNS:
        return f"{_ONE_SIDED[side]} in a {zone} pattern".strip()
    both = side == "bilateral"
    if zone in ("basal", "basilar"):
        return "at both bases" if both else _BASES.get(side, "at the lung base")
    if zone == "apical":
        return "at both apices" if both else f"at the {side} apex"
    if zone.endswith((" lobe", " lung")):
        return f"in both {zone}s" if both else f"in the {side} {zone}"
    return f"in the {side} {zone} region"
