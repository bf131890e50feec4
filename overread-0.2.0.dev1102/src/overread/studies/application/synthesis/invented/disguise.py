"""The disguise: what real reports show besides their words: slips, removed names, other headings. None is an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.phrases import COUNTED, plural
from overread.studies.application.synthesis.vocabulary import load_table

__all__ = ["disguise_report"]

_PLURAL: Final = 0.2
_RUN_ON: Final = 0.2
_REMOVED: Final = 0.3
_MISTYPED: Final = 0.2
_NAMED: Final = 0.5
"""How many reports deny in the plural, join sentences, have words removed or mistyped, and name a person or day."""

# Unlike `article`, it leaves "a upper lobe" be: the shipped models were trained on texts that have it.
_ARTICLE: Final = re.compile(r"\b([Aa]) (?=[aeio]|umb|ulc|un[^i]|8|11 |18)|\b(A) (?=[AEIO]|UMB|ULC|UN[^I])")
_BOTH_SIDES: Final = re.compile(
    r"(\b[Tt]here is )?(\b[Aa]n? )?\b((?:[a-z]+ ){0,3}[Bb]ilateral (?:[a-z]+ ){0,4}?)("
    + "|".join(COUNTED)
    + r")\b( is\b)?"
)
_PLACEHOLDER: Final = re.compile(r"\{(?:number|time|day|name|reason|patient|view)\}", re.IGNORECASE)
_SAYINGS: Final = {
    "bilateral basilar": ("bibasilar",),
    "bilateral basal": ("bibasilar",),
    "bilateral apical": ("biapical",),
    "left pleural": ("left-sided pleural",),
    "right pleural": ("right-sided pleural",),
    "Left pleural": ("Left-sided pleural",),
    "Right pleural": ("Right-sided pleural",),
    "mid lung": ("midlung", "mid lung zone"),
    "cardiomediastinal": ("cardio mediastinal", "cardiac and mediastinal"),
    "the prior study": ("the previous exam", "the previous films", "prior"),
    "follow-up": ("followup",),
}
_DENIED: Final = re.compile(
    r"(\b[Nn]o (?:evidence of )?(?:[a-z]+ ){0,2})(" + "|".join(COUNTED) + r")\b(?! (?:is|has)\b)"
)
_STOP: Final = re.compile(r"(?<=[a-z])\. (The|There|Both|No|Normal) (?=[a-z])")
_MARK: Final = re.compile(r"\b(?:XXXX|___)(?![\w-])")
_MARKS: Final = ("XXXX", "___", "[**]", "<unk>")
_REMOVABLE: Final = re.compile(
    r"\b(?:silhouette|structures?|contours?|evidence|angles?|x-ray|radiograph|film|fields|spaces|visualized|osseous"
    r"|bony|thorax|limits|vasculature|study|examination|image|patient|images|approximately|sulci|parenchyma)\b",
    re.IGNORECASE,
)
_LONG_WORD: Final = re.compile(r"\b[a-z]{6,}\b")
_SPARED: Final = frozenset(
    "without absent bilateral moderate severe minimal unchanged stable increased decreased improved worsened "  # noqa: SIM905
    "resolved excluded negative cannot possible probable likely improving worsening persistent".split()
)
_HEADINGS: Final = {
    "FINDINGS: ": ("FINDINGS: ", "Findings: ", "FINDINGS:\n", "FINDINGS\n", "CHEST: ", "REPORT: ", ""),
    "IMPRESSION: ": ("IMPRESSION: ", "Impression: ", "IMPRESSION:\n", "CONCLUSION: ", "IMPRESSION\n", "OPINION: "),
}


@cache
def load_circumstances() -> Mapping[str, tuple[str, ...]]:
    """Loads the texts that placeholders of fillers stand for, by name."""
    return load_table("circumstances", dict[str, tuple[str, ...]])


def disguise_report(text: str, draws: Draws) -> str:
    """A report with its grammar mended, and with the marks of dictation, typing and de-identification.

    Args:
        text: the report as written.
        draws: the choices.
    """
    text = _many(text)
    for words, others in _SAYINGS.items():
        if words in text and draws.chance(0.5):
            text = text.replace(words, draws.pick(others))
    if draws.chance(_PLURAL):
        text = _DENIED.sub(lambda match: match[1] + plural(match[2]), text)
    if draws.chance(_RUN_ON):
        text = _STOP.sub(lambda match: _link_sentence(match[1], draws), text)
    for heading, others in _HEADINGS.items():
        if heading in text:
            text = text.replace(heading, draws.pick(others))
    small = text.islower()
    text = _PLACEHOLDER.sub(lambda match: _circumstance(match[0], draws), text)
    text = text.lower() if small else text
    if draws.chance(_NAMED):
        others = (*load_circumstances()["day"], *load_circumstances()["name"])
        text = _MARK.sub(lambda match: draws.pick((match[0], *_MARKS, *others)), text)
    share = draws.pick((0.2, 0.5)) if draws.chance(_REMOVED) else 0.0
    mark = draws.pick(_MARKS[:2])
    text = _REMOVABLE.sub(lambda match: mark if share and draws.chance(share) else match[0], text)
    if draws.chance(_MISTYPED):
        text = _LONG_WORD.sub(lambda match: _mistype_word(match[0], draws) if draws.chance(0.06) else match[0], text)
    return _ARTICLE.sub(lambda match: f"{match[1]}n " if match[1] else "AN ", text)


def _circumstance(placeholder: str, draws: Draws) -> str:
    """Text for a placeholder of a filler, in its case; it is about the patient or the day, not the image."""
    name = placeholder.strip("{}").lower()
    if name == "number":
        return str(draws.between(2, 95))
    if name == "time":
        return f"{draws.between(1, 12)}:{draws.between(0, 59):02d} {draws.pick(('am', 'PM', 'p.m.', 'hours'))}"
    text = draws.pick(load_circumstances()[name])
    return text.upper() if placeholder.isupper() else text


def _many(text: str) -> str:
    """Both sides have more than one.

    >>> _many("There is a small bilateral effusion.")
    'There are small bilateral effusions.'
    """

    def several(match: re.Match[str]) -> str:
        there, article, before, noun, verb = match.groups()
        start = "There are " if there else ""
        front = before[:1].upper() + before[1:] if article and article[0] == "A" and not there else before
        return f"{start}{front}{plural(noun)}{' are' if verb else ''}"

    return _BOTH_SIDES.sub(several, text)


def _link_sentence(word: str, draws: Draws) -> str:
    """The start of a sentence, mostly; else of a further part of the sentence before."""
    link = draws.pick((". ", ". ", ". ", " and ", "; ", ", "))
    return f"{link}{word if link == '. ' else word.lower()} "


def _mistype_word(word: str, draws: Draws) -> str:
    """A letter doubled, dropped, or exchanged with the next; a word that decides the meaning is spared."""
    if word in _SPARED:
        return word
    at = draws.between(1, len(word) - 3)
    return draws.pick(
        (
            word[:at] + word[at] + word[at:],
            word[:at] + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        )
    )
