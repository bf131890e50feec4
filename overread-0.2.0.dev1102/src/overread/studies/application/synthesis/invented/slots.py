"""Phrases for slots: what a side and zone, a change, a doubt or a size become in other places of a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from overread.studies.application.synthesis.invented.grammar import CHANGES, HEDGES

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
_SINCE: Final = {
    "": "",
    "new": ", new since the prior study",
    "stable": ", unchanged",
    "worsened": ", increased since the prior study",
    "improved": ", decreased since the prior study",
}
_MAYBE: Final = {"": "", "open": "possibly", "leaning": "probably"}
_GRADELY: Final = {"mild": "mildly", "moderate": "moderately", "severe": "severely", "marked": "markedly"}
_TIP: Final = "with its tip "
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
        if name in _FORMS:
            return _FORMS[name](self)
        change, hedge = CHANGES.get(self["change"], ""), HEDGES.get(self["hedge"], "")
        choices = _SEEN if name == "seen" else _LEADS[hedge] if name == "lead" else _OF_CHANGE[name][change]
        return choices[self._wording % len(choices)]


def _place(side: str, zone: str) -> str:
    """Location of a finding, as a phrase.

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


def _region(slots: Mapping[str, str]) -> str:
    """Location of a finding in the lungs, as a noun.

    >>> _region({"side": "left", "zone": "upper lobe"}), _region({"side": "", "zone": ""})
    ('the left upper lobe', 'the lungs')
    """
    side, zone = slots["side"], slots["zone"]
    if not zone:
        return "both lungs" if side == "bilateral" else f"the {side} lung" if side else "the lungs"
    noun = "base" if zone in ("basal", "basilar") else "apex" if zone == "apical" else zone
    noun = noun if noun.endswith(("base", "apex", " lobe", " lung")) else f"{noun} region"
    if side == "bilateral":
        return f"both {'apices' if noun == 'apex' else noun + 's'}"
    return f"the {side} {noun}".replace("  ", " ")


def _ends(slots: Mapping[str, str]) -> str:
    """Predicate for where a device ends.

    >>> _ends({"zone": "with its tip in the stomach"}), _ends({"zone": "coiled in the pharynx"}), _ends({"zone": ""})
    ('terminates in the stomach', 'is coiled in the pharynx', 'is in place')
    """
    zone = slots["zone"]
    if zone.startswith(_TIP):
        return "terminates " + zone.removeprefix(_TIP)
    if zone.startswith("with "):
        return zone.replace("with its", "has its").replace("with leads", "has leads")
    return f"is {zone or 'in place'}"


def _at(slots: Mapping[str, str]) -> str:
    zone = slots["zone"]
    return zone.replace("with its ", "").replace("with leads", "leads") or "in place"


_FORMS: Final[Mapping[str, Callable[[Mapping[str, str]], str]]] = {
    "sided": lambda slots: f"{slots['side']}-sided" if slots["side"] in ("left", "right") else slots["side"],
    "region": _region,
    "gradely": lambda slots: _GRADELY.get(slots["grade"], slots["grade"]),
    "maybe": lambda slots: _MAYBE[HEDGES.get(slots["hedge"], "")],
    "since": lambda slots: _SINCE[CHANGES.get(slots["change"], "")],
    "ends": _ends,
    "at": _at,
    "on": lambda slots: _ONE_SIDED[slots["side"]],
}
"""Forms of slots that reworded pairs have besides."""
