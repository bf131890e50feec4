"""Phrases: what the findings of the lexicon are called, from its surface terms, and sentences cut down to phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from overread.domain.findings.lexicon import Finding
from overread.domain.vocabulary.patterns import Element, expand, parse_term
from overread.studies.application.synthesis.draws import Draws

__all__ = ["COUNTED", "countable", "noun_phrases", "plural", "telegraphic"]

_MOST: Final = 6
"""Phrases of a finding: its name first, then its most typical terms."""

_TERMS: Final = 9
"""How many of a finding's terms are read; the lexicon lists the typical ones first."""

_LONGEST: Final = 4
"""Most words of a phrase."""

_SHORTEST: Final = 3
"""Fewest letters of its words."""

_SLOT_WORDS: Final = frozenset(
    "left right bilateral unilateral both upper lower middle mid basal basilar apical perihilar bibasilar biapical "  # noqa: SIM905
    "mild moderate severe small large massive tiny minimal slight trace marked extensive "
    "new stable unchanged increased decreased worsening improving persistent chronic acute old interval recurrent "
    "possible likely probable suspected questionable".split()
)
"""Words that fill a slot: a phrase that holds one would say it twice, or against the slot."""

_BARRED: Final = frozenset(
    "no not without or is are be appear remain show near again now still of in within with to from at on "  # noqa: SIM905
    "normal clear intact negative absent finding process abnormality pathology change disease status post".split()
)
_ADJECTIVE: Final = re.compile(r"(ed|ac|ic|al|ous|ive|ary|ar|ent|ant|ate|ing|ible|able)$")
_NOUNS: Final = frozenset(
    "thickening scarring widening swelling notching narrowing crowding trapping stenting kinking plugging stranding "  # noqa: SIM905
    "infarct implant ring sling bleeding clubbing blunting collapse distal fluid vessel sac segment stent angle line "
    "lordosis pedicle catheter enlargement fragment attachment displacement ligament replacement spur scar "
    "bronchogram scapula tubular ulcer air gas wedging bowing bulging cuffing mottling rupture remodeling graft tent "
    "opening flattening tear cannula lead wire fissure fistula variant coating edema calcification granulomata "
    "spurring lipping filling".split()
)
COUNTED: Final = tuple(
    "abnormality abscess aneurysm calcification consolidation band bleb bulla"  # noqa: SIM905
    " catheter cavity cyst deformity diverticulum effusion embolus "
    "fibroadenoma fistula fracture goiter granuloma hematoma hernia implant infarct infiltrate lesion "
    "lead line lucency mass metastasis nodule node opacity osteophyte pacemaker pneumatocele pneumothorax plaque "
    "polyp pseudoaneurysm scar shadow stent stone stricture tear thrombus tube tumor ulcer wire adenoma density "
    "calculus drain valve clip device prosthesis port graft hamartoma island spur".split()
)
_IRREGULAR: Final = {
    "pneumothorax": "pneumothoraces",
    "metastasis": "metastases",
    "embolus": "emboli",
    "thrombus": "thrombi",
    "bulla": "bullae",
    "diverticulum": "diverticula",
    "calculus": "calculi",
    "prosthesis": "prostheses",
    "mass": "masses",
    "abscess": "abscesses",
}

_OPENING: Final = re.compile(
    r"^(?:There (?:is|are)(?: an?)? (?=no |(?!no ))|Findings include |The radiograph shows |Presence of "
    r"|Appearances of |(?:An?|The) )"
)
_CLOSING: Final = re.compile(r" (?:is|are) (?:present|seen|noted|in place|identified|evident)\.$")
_COPULA: Final = re.compile(
    r" (?:is|are) (?=(?:normal|clear|unremarkable|intact|sharp|midline|central|within|well|normally|not|low|without"
    r"|free)\b)"
)


def noun_phrases(finding: Finding) -> tuple[str, ...]:
    """Up to six ways to name a finding, the most typical first; none where its terms are no plain nouns."""
    draws = Draws.from_parts("phrases", finding.id)
    phrases = [name for name in [_name(finding)] if name]
    for term in finding.terms[:_TERMS]:
        elements = parse_term(term, lambda word: (word.lower(),))
        phrases += [phrase for phrase in _typical(elements, draws) if _is_noun_phrase(phrase)]
    return tuple(dict.fromkeys(phrases))[:_MOST]


def countable(phrase: str) -> bool:
    """Returns whether a phrase takes "a": its last word is countable."""
    return phrase.rsplit(maxsplit=1)[-1] in COUNTED


def plural(phrase: str) -> str:
    """A phrase in the plural; "" where its last word is not one that is counted.

    >>> plural("rib fracture"), plural("opacity"), plural("edema")
    ('rib fractures', 'opacities', '')
    """
    *front, last = phrase.split()
    if last not in COUNTED:
        return ""
    regular = last[:-1] + "ies" if last.endswith("y") else last + "s"
    return " ".join([*front, _IRREGULAR.get(last, regular)])


def telegraphic(sentence: str) -> str:
    """A sentence without its verb and article.

    >>> telegraphic("There is a small left effusion."), telegraphic("The heart is not enlarged.")
    ('Small left effusion.', 'Heart not enlarged.')
    """
    short = _COPULA.sub(" ", _CLOSING.sub(".", _OPENING.sub("", sentence)), count=1)
    return short[:1].upper() + short[1:]


def _name(finding: Finding) -> str:
    name = re.split(r" or |:|,|\(|/", finding.name.lower())[0].strip()
    return name if _is_noun_phrase(name) else ""


def _typical(elements: tuple[Element, ...], draws: Draws) -> Iterator[str]:
    """The first alternatives of a term, and a random expansion of it."""
    if any(e.is_gap for e in elements):
        return
    yield " ".join(e.alternatives[0] for e in elements if not e.optional)
    if all(len(e.alternatives) == 1 and not e.optional for e in elements):
        return
    few = tuple(Element(e.alternatives[:4], e.optional) for e in elements)
    if phrases := expand(few):
        yield " ".join(draws.pick(phrases))


def _is_noun_phrase(phrase: str) -> bool:
    words = phrase.split()
    if not 1 <= len(words) <= _LONGEST or not all(len(w) >= _SHORTEST and w.isalpha() for w in words):
        return False
    if (_SLOT_WORDS | _BARRED) & set(words):
        return False
    return words[-1] in _NOUNS or not _ADJECTIVE.search(words[-1])
