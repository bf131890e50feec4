"""Edits of one sentence of a report that each make one error, in plain grammar.

An edit gets a sentence with the units read in it, which start at the sentence, and gives the sentences to put in its
place, or None where it does not apply. Whether the error came out as meant is for `_injection` to check.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from overread.domain.unit import ClinicalUnit

__all__ = ["EDITS", "Edit", "with_article"]

Edit = Callable[[str, Sequence[ClinicalUnit], random.Random], list[str] | None]

_LONGEST: Final = 16
"""Words of a sentence that is dropped or denied as a whole: a longer one says more than its one finding."""

_SINGULAR: Final = frozenset(
    [
        "adenopathy",
        "blunting",
        "calcification",
        "catheter",
        "clip",
        "collapse",
        "congestion",
        "consolidation",
        "crowding",
        "density",
        "effusion",
        "elevation",
        "emphysema",
        "enlargement",
        "eventration",
        "fluid",
        "fracture",
        "granuloma",
        "hernia",
        "hyperexpansion",
        "hyperinflation",
        "infiltrate",
        "lymphadenopathy",
        "mass",
        "nodule",
        "opacification",
        "opacity",
        "osteopenia",
        "osteophyte",
        "pacemaker",
        "plaque",
        "pneumonia",
        "pneumothorax",
        "process",
        "prominence",
        "scar",
        "scarring",
        "thickening",
        "tortuosity",
        "edema",
        "cardiomegaly",
        "disease",
        "atelectasis",
        "scoliosis",
        "dextroscoliosis",
        "levoscoliosis",
        "fibrosis",
        "spondylosis",
        "kyphosis",
        "ectasia",
        "deformity",
        "infection",
    ]
)
_PLURAL: Final = frozenset(
    [
        "calcifications",
        "changes",
        "clips",
        "densities",
        "effusions",
        "fractures",
        "granulomas",
        "infiltrates",
        "nodules",
        "opacities",
        "osteophytes",
        "plaques",
        "masses",
        "pneumothoraces",
        "consolidations",
        "volumes",
        "deformities",
    ]
)
_UNCOUNTED: Final = frozenset(
    [
        "adenopathy",
        "air",
        "atelectasis",
        "blunting",
        "cardiomegaly",
        "collapse",
        "congestion",
        "consolidation",
        "crowding",
        "disease",
        "edema",
        "emphysema",
        "failure",
        "fibrosis",
        "fluid",
        "infection",
        "lymphadenopathy",
        "osteopenia",
        "pneumonia",
        "scarring",
        "thickening",
        "tortuosity",
        "tuberculosis",
        "widening",
        "pneumomediastinum",
    ]
)
_VERB: Final = re.compile(r"\b(?:is|are|was|were|has|have)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]+", re.IGNORECASE)


def with_article(phrase: str) -> str:
    """A noun phrase as it stands behind "there is".

    >>> with_article("acute fracture"), with_article("pleural effusion"), with_article("pulmonary edema")
    ('an acute fracture', 'a pleural effusion', 'pulmonary edema')
    """
    if phrase.rsplit(maxsplit=1)[-1].lower() in _UNCOUNTED | _PLURAL or phrase.endswith("s"):
        return phrase
    return f"{'an' if phrase[0].lower() in 'aeiou' else 'a'} {phrase}"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _small(phrase: str) -> str:
    return phrase if phrase[1:2].isupper() else phrase[:1].lower() + phrase[1:]


def _head(surface: str) -> str | None:
    """The noun of a phrase that names a finding; None for a clause."""
    if _VERB.search(surface):
        return None
    nouns = [word for word in map(str.lower, _WORD.findall(surface)) if word in _SINGULAR | _PLURAL]
    return nouns[0] if nouns else None


_PREDICATE: Final = re.compile(
    r"\b(is|are)\s+(?:(?:again|also|mildly|slightly|moderately|markedly|severely|minimally|somewhat)\s+)*"
    r"(enlarged|hyperexpanded|hyperinflated|hypoinflated|tortuous|atherosclerotic|calcified|elevated|flattened"
    r"|prominent|ectatic|low|osteopenic|demineralized)\b",
    re.IGNORECASE,
)


def deny(sentence: str, units: Sequence[ClinicalUnit], rng: random.Random) -> list[str] | None:
    """Denies the finding that a sentence asserts: "Small left effusion." becomes "No effusion is seen."."""
    if len(units) != 1 or not units[0].asserts_finding or len(sentence.split()) > _LONGEST:
        return None
    if (predicate := _PREDICATE.search(sentence)) and not sentence.startswith("There"):
        return [f"{sentence[: predicate.start()]}{predicate[1]} not {predicate[2]}."]
    surface = _small(units[0].surface_finding)
    head = _head(surface)
    if head is None:
        return None
    verb = "are" if head in _PLURAL else "is"
    forms = (f"There {verb} no {surface}.", f"No {surface}.", f"No {surface} {verb} seen.")
    return [rng.choice(forms)]


_DENIAL: Final = re.compile(
    r"(?P<lead>(?:There\s+(?:is|are)\s+no|No|Negative\s+for)(?:\s+(?:evidence\s+(?:of|for)|definite|convincing))*)\s+"
    r"(?P<list>.+?)(?P<tail>\s+(?:is|are)\s+(?:\w+ly\s+)?(?:seen|identified|noted|present|evident|visualized|demonstrated"
    r"|appreciated|detected|observed))?\s*[.]?",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(r"\s*,\s*(?:(?:and|or|nor)\s+)?(?:no\s+)?|\s+(?:or|and|nor)\s+(?:no\s+)?", re.IGNORECASE)
_LONGEST_ITEM: Final = 4
_SIZED: Final = frozenset({"pleural_effusion", "pneumothorax"})


def affirm(sentence: str, units: Sequence[ClinicalUnit], rng: random.Random) -> list[str] | None:
    """Asserts one finding of a list of denials, and denies the others still."""
    match = _DENIAL.fullmatch(sentence)
    if match is None or not units or not all(unit.denies_finding and not unit.denies for unit in units):
        return None
    items = _BETWEEN.split(match["list"])
    if len(items) != len(units) or not all(0 < len(item.split()) <= _LONGEST_ITEM for item in items):
        return None
    chosen = rng.randrange(len(items))
    item = _small(items.pop(chosen))
    if units[chosen].surface_finding.lower() not in item.lower() or _head(item) is None:
        return None
    verb = "are" if _head(item) in _PLURAL else "is"
    if units[chosen].canonical_finding in _SIZED and verb == "is" and len(item.split()) <= 2 and rng.random() < 0.5:
        item = f"{rng.choice(('small', 'moderate', 'large'))} {rng.choice(('left', 'right'))} {item}"
    made = [rng.choice((f"There {verb} {with_article(item)}.", f"{_capital(item)} {verb} seen.", f"{_capital(item)}."))]
    if items:
        made.append(f"{match['lead']} {_listed(items)}{match['tail'] or ''}.")
    return made


def _listed(items: Sequence[str]) -> str:
    if len(items) <= 2:
        return " or ".join(items)
    return f"{', '.join(items[:-1])}, or {items[-1]}"


def drop(sentence: str, units: Sequence[ClinicalUnit], _: random.Random) -> list[str] | None:
    """A sentence whose only content is one asserted finding goes."""
    return [] if len(units) == 1 and units[0].asserts_finding and len(sentence.split()) <= _LONGEST else None


_SIDES: Final = {"left": "right", "right": "left"}
_SIDE: Final = re.compile(r"\b(left|right)\b", re.IGNORECASE)
_LEVELS: Final = {
    "upper": "lower",
    "lower": "upper",
    "apex": "base",
    "base": "apex",
    "apical": "basilar",
    "basilar": "apical",
    "biapical": "bibasilar",
    "bibasilar": "biapical",
}
_LEVEL: Final = re.compile(
    r"\b(?:(upper|lower)(?=\s+(?:lobe|lung|zone))|(apex|base|apical|basilar|biapical|bibasilar))\b", re.IGNORECASE
)


def relocate(sentence: str, _units: Sequence[ClinicalUnit], rng: random.Random) -> list[str] | None:
    """Left becomes right, upper becomes lower."""
    rules = [(_SIDE, _SIDES), (_LEVEL, _LEVELS)]
    rng.shuffle(rules)
    for pattern, others in rules:
        if len(pattern.findall(sentence)) == 1:
            return [_swapped(pattern, others, sentence)]
    return None


def _swapped(pattern: re.Pattern[str], others: Mapping[str, str], sentence: str) -> str:
    """The sentence with other words for some, in capitals where they were."""

    def other(match: re.Match[str]) -> str:
        word = others[match[0].lower()]
        return word.capitalize() if match[0][0].isupper() else word

    return pattern.sub(other, sentence)


_GRADES: Final = {
    "mild": "severe",
    "minimal": "severe",
    "slight": "marked",
    "small": "large",
    "tiny": "large",
    "mildly": "severely",
    "minimally": "severely",
    "slightly": "markedly",
    "severe": "mild",
    "marked": "mild",
    "large": "small",
    "severely": "mildly",
    "markedly": "mildly",
}
_GRADE: Final = re.compile(rf"\b(?:{'|'.join(_GRADES)})\b", re.IGNORECASE)
_SIZE: Final = re.compile(r"(?:\b(an?)\s+)?(?<![\d.])(\d+(?:\.\d+)?)(?=\s*-?(?:mm|cm)\b)", re.IGNORECASE)
_OPENING: Final = re.compile(r"(?:^|\b(?:is|are|has|have|with|of)\s+(?:an?\s+|the\s+)?)$", re.IGNORECASE)
_LARGE: Final = frozenset(
    ["effusion", "effusions", "pneumothorax", "nodule", "nodules", "mass", "masses", "hernia", "granuloma", "opacity"]
)


def regrade(sentence: str, units: Sequence[ClinicalUnit], rng: random.Random) -> list[str] | None:
    """Mild becomes severe, a size three times as large, or a finding without a grade gets the severest."""
    if len(sizes := _SIZE.findall(sentence)) == 1:
        larger = f"{float(sizes[0][1]) * 3:g}"
        article = f"{'an' if larger.startswith('8') or larger in ('11', '18') else 'a'} " if sizes[0][0] else ""
        return [_SIZE.sub(article + larger, sentence)]
    if len(_GRADE.findall(sentence)) == 1:
        return [_swapped(_GRADE, _GRADES, sentence)]
    return _graded(sentence, units, rng)


def _graded(sentence: str, units: Sequence[ClinicalUnit], rng: random.Random) -> list[str] | None:
    ungraded = [unit for unit in units if unit.asserts_finding and unit.severity is None and not unit.measurements]
    if not ungraded:
        return None
    surface = rng.choice(ungraded).surface_finding
    start = sentence.find(surface)
    before = sentence[:start]
    if _head(surface) is None or surface.lower().startswith("low") or not _OPENING.search(before):
        return None
    word = "large" if _head(surface) in _LARGE else rng.choice(("severe", "marked"))
    before = re.sub(r"\ban (?=$)", "a ", before)
    return [_capital(f"{before}{word} {_small(surface)}{sentence[start + len(surface) :]}")]


_COMPARISONS: Final = (
    ", unchanged from the prior study",
    ", unchanged since the previous examination",
    ", stable since the prior examination",
    ", increased since the prior study",
    ", which has increased since the previous examination",
    ", which has worsened since the prior examination",
    ", which has decreased since the prior study",
    ", which is new since the prior study",
    ", new since the previous examination",
)
_STABLE: Final = 3
"""So many of them say that nothing has changed: of an old operation nothing else can be said."""
_CHANGE_WORDS: Final = ("stable", "unchanged", "new", "increased", "worsening", "improved", "decreased")


def compare(sentence: str, units: Sequence[ClinicalUnit], rng: random.Random) -> list[str] | None:
    """A comparison that the sentence does not make."""
    if len(units) != 1 or not units[0].asserts_finding or units[0].change is not None:
        return None
    if _head(units[0].surface_finding) is None:
        return [f"{sentence.rstrip(' .')}{rng.choice(_COMPARISONS[:_STABLE])}."]
    if rng.random() < 0.3 and units[0].start == 0 and units[0].severity is None:
        return [f"{rng.choice(_CHANGE_WORDS).capitalize()} {_small(sentence)}"]
    return [f"{sentence.rstrip(' .')}{rng.choice(_COMPARISONS)}."]


_CUE: Final = r"(?:unchanged|stable|not\s+significantly\s+changed|similar)"
_SINCE: Final = r"(?:\s+(?:from|since|compared\s+(?:to|with)|in\s+comparison)\b[^.,]*|\s+in\s+the\s+interval)?"
_END: Final = r"(?=\s*\.?$)"
_ADJECTIVES: Final = (
    r"(?:interval\s+)?(?:stable|unchanged|new|persistent|continued|worsening|worsened|improving|improved|increasing"
    r"|residual),?\s+"
)
_REMOVALS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in (
        (rf",?\s+(?:which|and|that)\s+(?:is|are|appears?|remains?)\s+{_CUE}{_SINCE}{_END}", ""),
        (rf",\s+(?:grossly\s+)?(?:{_CUE}|new|increased|decreased|improved){_SINCE}{_END}", ""),
        (rf"\s+(is|are)\s+(?:again\s+)?(?:{_CUE}|new){_SINCE}{_END}", r" \1 seen"),
        (rf"\s+(?:appears|remains)\s+{_CUE}{_SINCE}{_END}", " is seen"),
        (rf"\s+has\s+(?:increased|decreased|improved|worsened)\b[^,]*?{_END}", " is seen"),
        (rf"\ban?\s+{_ADJECTIVES}(?=[aeiou])", "an "),
        (rf"\ban?\s+{_ADJECTIVES}", "a "),
        (rf"\b{_ADJECTIVES}(?=\w)", ""),
        (r"\bremains\b", "is"),
        (r"\bremain\b", "are"),
        (r"\bagain\s+", ""),
    )
)
_SUBJECTS: Final = r"(?:This|These|It|They|(?:The\s+)?findings?)"
_COMPARED_WITH: Final = re.compile(r"\b(?:prior|previous|comparison|compared|interval)\b", re.IGNORECASE)
_ONLY_COMPARES: Final = re.compile(rf"{_SUBJECTS}\s+(?:is|are|appears?|remains?)\s+{_CUE}{_SINCE}\s*\.?", re.IGNORECASE)


def forget(sentence: str, units: Sequence[ClinicalUnit], _: random.Random) -> list[str] | None:
    """A comparison that the sentence makes goes."""
    if _ONLY_COMPARES.fullmatch(sentence):
        return []
    if not any(unit.change is not None for unit in units):
        return None
    for pattern, instead in _REMOVALS:
        made, times = pattern.subn(instead, sentence, count=1)
        if times:
            return None if _COMPARED_WITH.search(made) else [_capital(made)]
    return None


EDITS: Final[dict[str, tuple[str, Edit]]] = {
    "denied": ("B", deny),
    "affirmed": ("A", affirm),
    "dropped": ("B", drop),
    "relocated": ("C", relocate),
    "regraded": ("D", regrade),
    "compared": ("E", compare),
    "comparison dropped": ("F", forget),
}
"""Each edit with the category of the error it makes."""
