"""Importance of a finding given the patient and the question: rules of importance, and what an indication says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from attrs import field, frozen

from overread.domain.reports.report import ClinicalContext
from overread.domain.vocabulary.severity import Importance

__all__ = ["NOTHING_KNOWN", "ImportanceRule", "Indication", "Setting", "Weighed", "nothing_read"]

_WORD: Final = re.compile(r"[a-z]+")
_SEXES: Final = {
    **dict.fromkeys(("f", "female", "w", "woman", "girl", "femme", "frau"), "F"),
    **dict.fromkeys(("m", "male", "man", "boy"), "M"),
}


@frozen(kw_only=True)
class Indication:
    """Content of the reason for an examination.

    Attributes:
        asked: findings that it asks about, by id.
        told: findings, devices and procedures that it names as present or possible, by id, and circumstances such as
            ``trauma``, by label; what it denies is left out.
    """

    asked: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()


NOTHING_ASKED: Final = Indication()


def nothing_read(text: str) -> Indication:  # noqa: ARG001 - a reader that knows no words
    """The reading of a lexicon that knows no words: nothing is asked."""
    return NOTHING_ASKED


@frozen(kw_only=True)
class Setting:
    """Circumstances known around a finding.

    Attributes:
        age: years.
        sex: "F", "M", or "" if it is neither or unknown.
        asked: findings that the indication asks about.
        told: what the indication names, and all that is broader.
        beside: findings and devices that the reference asserts, and all that is broader.
    """

    age: float | None = None
    sex: str = ""
    asked: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        patient: ClinicalContext,
        indication: Indication,
        beside: frozenset[str],
        broader: Callable[[frozenset[str]], frozenset[str]],
    ) -> Setting:
        """Circumstances known of a patient.

        Args:
            patient: age and sex.
            indication: what the indication says.
            beside: what the reference asserts.
            broader: maps findings to themselves and all that they are kinds of.
        """
        word = next(iter(_WORD.findall((patient.sex or "").lower())), "")
        return cls(
            age=patient.age,
            sex=_SEXES.get(word, ""),
            asked=indication.asked,
            told=broader(indication.told),
            beside=broader(beside),
        )


NOTHING_KNOWN: Final = Setting()


@frozen(kw_only=True)
class ImportanceRule:
    """Rule that moves the importance of a finding in some patients: free gas is usual after laparotomy.

    The rule fits a patient who meets every condition stated; what is unknown about the patient meets none.

    Attributes:
        step: 1 for a step graver, -1 for a step less grave; 0 where ``to`` is set.
        to: the importance it then has, whatever its own: only for what is urgent, or can change care, in such patients.
        reason: why, in the field's words.
        source: reference for the reason, or that it is overread's choice.
        age_from, age_below: years, inclusive lower and exclusive upper bound; None for no bound.
        sex: "F" or "M", "" for either.
        indication: findings and circumstances of which the indication must name one; empty for any indication.
        beside: findings and devices of which the reference must assert one; empty for any.
        kinds: whether it holds for the kinds of the finding, too.
        but_not: kinds for which, with their own kinds, it does not hold.
    """

    step: int = 0
    to: Importance | None = None
    reason: str
    source: str = ""
    age_from: float | None = None
    age_below: float | None = None
    sex: str = ""
    indication: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    kinds: bool = False
    but_not: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        if (self.to is None) == (self.step == 0) or self.step not in (-1, 0, 1):
            raise ValueError("a rule of importance must have a step of 1 or -1, or the importance that it leads to")
        if self.to is not None and not self.to.is_actionable:
            raise ValueError(
                "a rule of importance may lead only to urgent or actionable; use a step to make less of it"
            )
        if not self.reason:
            raise ValueError("a rule of importance must have a reason")
        bounded = self.age_from is not None or self.age_below is not None
        if not (bounded or self.sex or self.indication or self.beside):
            raise ValueError("a rule of importance must have a condition")

    def fits(self, known: Setting) -> bool:
        """Return whether the patient is known to meet every condition."""
        return (
            (self.age_from is None or (known.age is not None and known.age >= self.age_from))
            and (self.age_below is None or (known.age is not None and known.age < self.age_below))
            and (not self.sex or known.sex == self.sex)
            and (not self.indication or not known.told.isdisjoint(self.indication))
            and (not self.beside or not known.beside.isdisjoint(self.beside))
        )


@frozen
class Weighed:
    """Importance of a finding in a patient, and what about the patient moved it.

    Attributes:
        importance: the step.
        reason: why it is not the finding's own, in the field's words; "" where it is.
    """

    importance: Importance
    reason: str = field(default="")

    @property
    def words(self) -> str:
        """Both.

        >>> Weighed(Importance.ACTIONABLE, "the indication asks about it").words
        'actionable; the indication asks about it'
        """
        return f"{self.importance.words}; {self.reason}" if self.reason else self.importance.words
