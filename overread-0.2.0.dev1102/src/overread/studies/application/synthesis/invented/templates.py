"""Templates: sentences for every finding of the lexicon, and for findings that nobody knows.

A model trained on a few dozen findings learns these; one trained on hundreds, and on invented words besides, learns
to compare. The sentences are templates; the nouns are the lexicon's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Final, Literal

from attrs import evolve, frozen

from overread.domain.findings.lexicon import Finding, Lexicon
from overread.domain.vocabulary.severity import Importance
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.invented.grammar import Filler, FindingForms, Grammar, NormalForms
from overread.studies.application.synthesis.phrases import countable, noun_phrases
from overread.studies.application.synthesis.vocabulary import load_table

__all__ = ["WHOLE_STUDY", "Material", "invented_findings", "known_findings", "load_material", "widen_forms"]

_WORDED: Final = 60
"""Most sentences of a finding."""

_STEM: Final = 5
"""Letters by which two words count as alike."""

_NAMED: Final = 4
"""Most names of a finding."""

_INVENTED: Final = 3000
_PLAIN: Final = 0.15
"""How many invented findings there are, and how many of them have no slot but the side, as devices have."""

_WEIGHT: Final = {"lexicon": 8.0, "invented": 8.0}

_LUNG_ZONES: Final = ("upper lobe", "lower lobe", "mid lung", "basilar", "apical", "perihilar")
_ZONES: Final = {
    "lung": _LUNG_ZONES,
    "pleura": ("apical", "basilar"),
    "rib": ("anterior", "posterior", "lateral"),
    "spine": ("upper thoracic", "lower thoracic", "cervical", "lumbar"),
    "brain": ("frontal", "parietal", "temporal", "occipital"),
    "breast": ("upper outer", "lower inner", "subareolar"),
}
_PAIRED: Final = frozenset(
    "lung pleura rib clavicle shoulder breast kidney axilla hip knee diaphragm hilum adrenal ovary thigh leg ankle "  # noqa: SIM905
    "foot hand elbow wrist ureter".split()
)
_SIZED: Final = re.compile(r"nodule|mass|cyst|tumor|abscess|hematoma|aneurysm|lesion")
_COLLECTION: Final = re.compile(
    r"effusion|thorax|hemat|hernia|mass|nodule|lesion|cyst|collection|abscess|fluid|empyema"
)
_UNGRADED: Final = re.compile(r"fracture|anomaly|variant|foreign|surg|clip|valve|stent|prosthesis|hardware|situs")
_UNUSABLE: Final = re.compile(
    r"unchanged|measurement|birads|lungrads|small_lymph|contrast|skin_fold|obesity|breast_shadow|coverage|projection|_fat$"
    r"|density|marker|bowel_gas|nodal|incomplete"
)
_SIZES: Final = (4, 7, 10, 13, 16, 20, 24, 33, 38, 45, 60)
_MILD: Final = ("mild", "moderate", "severe")
_SMALL: Final = ("small", "moderate", "large")


WHOLE_STUDY: Final = FindingForms(
    id="interval_change",
    weight=1.0,
    significance="insignificant",
    sides=False,
    zones=(),
    grades=(),
    change=True,
    hedge=False,
    present=("{overall}.",),
    absent=("No comparison is made.",),
    comparison=True,
)
"""How the whole study compares with an earlier one."""


@frozen
class Material:
    """Contents of ``breadth.toml``; see its head.

    Attributes:
        apart: names of findings that are not said.
    """

    present: tuple[str, ...]
    bare: tuple[str, ...]
    absent: tuple[str, ...]
    syllables: tuple[str, ...]
    rules_out: Mapping[str, tuple[str, ...]]
    acute: tuple[str, ...]
    organs: Mapping[str, tuple[str, ...]]
    organ: tuple[str, ...]
    nouns: Mapping[str, tuple[str, ...]]
    denied: Mapping[str, tuple[str, ...]]
    lists: tuple[str, ...]
    normal: tuple[NormalForms, ...]
    filler: tuple[Filler, ...]
    apart: tuple[str, ...] = ()


@cache
def load_material() -> Material:
    """The shipped templates."""
    return load_table("breadth", Material)


def widen_forms(forms: FindingForms, material: Material) -> FindingForms:
    """A finding of the grammar with the templates' sentences besides its own."""
    nouns = material.nouns.get(forms.id, (forms.noun,) if forms.noun else ())
    if not nouns:
        return forms
    draws = Draws.from_parts("sentences", forms.id)
    added = _sentences(material.present, nouns, draws)
    if not forms.change or not forms.hedge:
        added = []
    absent = _sentences(material.absent, nouns, draws) if forms.change else []
    denied = material.denied.get(forms.id, nouns) if forms.change else ()
    absent += [f"No {noun}." for noun in denied]
    return evolve(forms, present=_most([*forms.present, *added]), absent=_most([*forms.absent, *absent]), nouns=denied)


def known_findings(lexicon: Lexicon, base: Grammar, material: Material) -> Iterator[FindingForms]:
    """The findings of the lexicon that can be said; no two share a name."""
    taken = {noun for nouns in (*material.nouns.values(), *material.denied.values()) for noun in nouns}
    taken.update(material.apart)
    for finding in lexicon.findings.values():
        forms = _forms(finding, taken, lexicon, base, material)
        if forms is not None:
            taken.update(forms.nouns)
            yield forms


def _forms(
    finding: Finding, taken: Collection[str], lexicon: Lexicon, base: Grammar, material: Material
) -> FindingForms | None:
    if finding.id in base.findings or finding.category == "general" or _UNUSABLE.search(finding.id):
        return None
    phrases = tuple(phrase for phrase in noun_phrases(finding) if phrase not in taken)
    kinds = any(finding.id in other.parents for other in lexicon.findings.values())
    vague = finding.id.endswith(("abnormality", "_disease", "_surgery", "_anomaly", "_variant", "_lesion")) or kinds
    phrases = _alike(phrases)[: 1 if vague else _NAMED]
    if not phrases or (finding.id.endswith("_abnormality") and kinds):
        return None
    plain = finding.device or finding.category == "post_operative"
    sides = not plain and bool(_PAIRED & set(finding.anatomy))
    zones = next((z for a, z in _ZONES.items() if a in finding.anatomy), ()) if not plain else ()
    return _build_forms(
        finding.id,
        phrases,
        material,
        significance=_significance(lexicon.importance(finding.id)),
        plain=plain,
        sides=sides,
        zones=zones,
        weight=_WEIGHT["lexicon"],
    )


def _alike(phrases: Sequence[str]) -> tuple[str, ...]:
    """The first phrase, and the others that are one word or share a stem with it.

    A lexicon's entry may gather what no reader would call the same: an edema and a sclerosis of the mesentery.

    >>> _alike(["hepatocellular carcinoma", "hepatoma", "liver cell tumor", "hepatocellular cancer"])
    ('hepatocellular carcinoma', 'hepatoma', 'hepatocellular cancer')
    """
    stems = {word[:_STEM] for phrase in phrases[:1] for word in phrase.split()}
    return tuple(p for p in phrases if " " not in p or stems & {word[:_STEM] for word in p.split()})


def _build_forms(
    name: str,
    phrases: Sequence[str],
    material: Material,
    *,
    significance: Literal["urgent", "significant", "insignificant"],
    plain: bool,
    sides: bool,
    zones: tuple[str, ...],
    weight: float,
) -> FindingForms:
    draws = Draws.from_parts("sentences", name)
    graded = not plain and not _UNGRADED.search(name)
    phrase_text = " ".join(phrases)
    return FindingForms(
        id=name,
        weight=weight,
        significance=significance,
        sides=sides,
        zones=zones,
        grades=(_SMALL if _COLLECTION.search(phrase_text) else _MILD) if graded else (),
        sizes=_SIZES if graded and _SIZED.search(phrase_text) else (),
        change=not plain,
        hedge=not plain,
        present=_most(_sentences(material.bare if plain else material.present, phrases, draws)),
        absent=_most(_sentences(material.absent, phrases, draws)),
        nouns=tuple(phrases),
    )


def _significance(asks: Importance) -> Literal["urgent", "significant", "insignificant"]:
    if asks is Importance.URGENT:
        return "urgent"
    return "significant" if asks is Importance.ACTIONABLE else "insignificant"


def _sentences(templates: Iterable[str], phrases: Iterable[str], draws: Draws) -> list[str]:
    """Every template with every phrase, in random order, the first template with the first phrase leading."""
    first, *rest = product(templates, phrases)
    sentences = (_fill_template(*pair) for pair in (first, *draws.shuffled(rest)))
    return [sentence[:1].upper() + sentence[1:] for sentence in sentences]


def _fill_template(template: str, phrase: str) -> str:
    return template.replace("{a} ", "a " if countable(phrase) else "").replace("TERM", phrase)


def _most(sentences: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentences))[:_WORDED]


def invented_findings(material: Material) -> Iterator[FindingForms]:
    """Findings whose names are no words, alone or before a word that says roughly what they are."""
    for number in range(_INVENTED):
        draws = Draws.from_parts("invented", number)
        word = "".join(draws.pick(material.syllables) for _ in range(draws.between(2, 4)))
        head = draws.pick(("", "", "", " opacity", " lesion", " sign", " nodule", " fracture", " change", " disease"))
        plain = draws.chance(_PLAIN)
        yield _build_forms(
            f"invented_{number:04d}",
            [word + head],
            material,
            significance=draws.pick(("significant", "insignificant")),
            plain=plain,
            sides=draws.chance(0.6),
            zones=() if plain else draws.pick((_LUNG_ZONES, _LUNG_ZONES, _ZONES["rib"], ())),
            weight=_WEIGHT["invented"],
        )
