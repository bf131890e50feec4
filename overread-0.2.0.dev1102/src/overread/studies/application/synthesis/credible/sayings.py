"""Sayings: a finding in words, as a phrase and as a whole sentence, with articles and verbs that agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from overread.studies.application.synthesis.credible.examinations import Visible
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits.edit import article

__all__ = ["Saying", "say"]

_COURSES: Final = {
    "size": ("new", "unchanged", "increased", "decreased"),
    "degree": ("new", "unchanged", "worsening", "improving"),
    "growth": ("unchanged", "increased"),
    "slow": ("unchanged", "worsening"),
    "stable": ("unchanged", "stable"),
}
_ALWAYS_TAIL: Final = frozenset({"increased", "decreased"})
_TAILS: Final = {
    "unchanged": (", unchanged", ", unchanged from the prior study"),
    "stable": (", stable", ", stable since the prior study"),
    "new": (", new since the prior study", ", new from the prior study"),
    "increased": (", increased since the prior study", ", which has increased"),
    "decreased": (", decreased since the prior study", ", which has decreased"),
    "worsening": (", worsened since the prior study", ", which has worsened"),
    "improving": (", improved since the prior study", ", which has improved"),
}
_DOUBTS: Final = ("possible", "probable", "likely")
_PLAIN: Final = frozenset({"moderate", "large", "severe", "extensive", "large-volume"})
_COMPARED: Final = 0.6
"""How often a finding is compared, where the report has something to compare with."""
_DOUBTED: Final = 0.35
_SIDED: Final = 0.9
_GRADED: Final = 0.75
_AS_TAIL: Final = 0.45
_THERE: Final = "There {be} {np}."
_CENTIMETRE: Final = 10
_LONG: Final = 30
"""Millimetres from which a size is told in centimetres."""


@frozen(kw_only=True)
class Saying:
    """A finding as one report tells it.

    Attributes:
        phrase: without article and verb.
        tail: how it compares, behind a comma; "" where that is in the phrase, or not told.
        several: whether it takes a verb in the plural.
        counted: whether it takes an article.
        whole: a sentence in place of all that.
        short: the phrase as an impression repeats it; "" for none.
        doubtful: whether it may not be there: of that nobody says that it is seen.
    """

    phrase: str = ""
    tail: str = ""
    several: bool = False
    counted: bool = False
    whole: str = ""
    short: str = ""
    doubtful: bool = False

    def sentence(self, frame: str) -> str:
        """The saying in a frame that holds {np} and may hold {be}, or alone where the frame is empty."""
        if self.whole:
            return self.whole
        if self.doubtful and frame:
            frame = _THERE
        if not frame:
            return _capitalise(f"{self.phrase}{self.tail}.")
        be, have = ("are", "have") if self.several else ("is", "has")
        noun_phrase = f"{article(self.phrase)} {self.phrase}" if self.counted else self.phrase
        tail = self.tail.replace("has ", f"{have} ")
        return _capitalise(frame.format(np=noun_phrase, be=be).removesuffix(".") + f"{tail}.")


def say(finding: Visible, draws: Draws, *, compared: bool) -> Saying:
    """A finding with a random place, degree, size, course and doubt, of those that it may have.

    Args:
        finding: what is seen.
        draws: the choices.
        compared: whether the report has an earlier examination to compare with.
    """
    if finding.text:
        return Saying(whole=_whole_sentence(finding, draws))
    words = _draw_words(finding, draws, compared=compared)
    several = finding.number == "plural" or (words.side == "bilateral" and bool(finding.plural))
    noun = finding.plural if several and finding.plural else finding.noun
    tail = _draw_tail(words.course, draws)
    front = words.doubt if tail else _join_words(words.doubt, words.course)
    return Saying(
        phrase=_join_words(front, words.degree, words.size, words.look, words.side, words.zone, noun, words.place),
        tail=tail,
        several=several,
        counted=bool(finding.plural) and not several,
        doubtful=bool(words.doubt),
        short=_join_words(*words.essential, words.side, noun, words.place),
    )


@frozen(kw_only=True)
class _Words:
    """Choices that describe a finding in one report, each "" where it says nothing of the kind."""

    place: str
    side: str
    zone: str
    size: str
    look: str
    course: str
    doubt: str
    degree: str

    @property
    def essential(self) -> tuple[str, str, str]:
        """Words before the noun that an impression repeats."""
        return (
            self.doubt,
            self.course if self.course == "new" else "",
            self.look if "acute" in self.look else "",
        )


def _draw_words(finding: Visible, draws: Draws, *, compared: bool) -> _Words:
    place = _pick_any(finding.places, draws)
    side = _draw_side(finding, draws)
    zone = _pick_any(finding.zones, draws) if side or not finding.sides else ""
    size = _size(draws.pick(finding.sizes)) if finding.sizes else ""
    look = _pick_any(finding.looks, draws)
    course = _draw_course(finding, draws) if compared else ""
    doubt = "" if course else _draw_doubt(finding, draws)
    degree = "" if size else _draw_degree(finding, draws, doubt=doubt)
    return _Words(place=place, side=side, zone=zone, size=size, look=look, course=course, doubt=doubt, degree=degree)


def _whole_sentence(finding: Visible, draws: Draws) -> str:
    text = draws.pick(finding.text)
    return text.format(cm=draws.pick(finding.centimetres)) if finding.centimetres else text


def _pick_any(options: Sequence[str], draws: Draws) -> str:
    """One of the options; "" where there are none, which draws nothing."""
    return draws.pick(options) if options else ""


def _draw_side(finding: Visible, draws: Draws) -> str:
    return draws.pick(finding.sides) if finding.sides and (finding.plural or draws.chance(_SIDED)) else ""


def _draw_course(finding: Visible, draws: Draws) -> str:
    return draws.pick(_COURSES[finding.courses]) if finding.courses and draws.chance(_COMPARED) else ""


def _draw_doubt(finding: Visible, draws: Draws) -> str:
    return draws.pick(_DOUBTS) if finding.doubts and draws.chance(_DOUBTED) else ""


def _draw_degree(finding: Visible, draws: Draws, *, doubt: str) -> str:
    # What is large or severe is plain to see.
    degrees = [option for option in finding.degrees if not (doubt and option in _PLAIN)]
    return draws.pick(degrees) if degrees and draws.chance(_GRADED) else ""


def _draw_tail(course: str, draws: Draws) -> str:
    return draws.pick(_TAILS[course]) if course and (course in _ALWAYS_TAIL or draws.chance(_AS_TAIL)) else ""


def _size(millimetres: int) -> str:
    return f"{millimetres / _CENTIMETRE:g} cm" if millimetres >= _LONG else f"{millimetres} mm"


def _join_words(*words: str) -> str:
    return " ".join(filter(None, words))


def _capitalise(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
