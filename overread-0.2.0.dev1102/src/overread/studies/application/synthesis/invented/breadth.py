"""Breadth: a grammar of hundreds of findings, of which each study speaks a few dozen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final

from attrs import evolve, frozen

from overread.domain.findings.lexicon import Lexicon
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.invented.grammar import Grammar, NormalForms, load_grammar
from overread.studies.application.synthesis.invented.rewording import load_rewording
from overread.studies.application.synthesis.invented.templates import (
    WHOLE_STUDY,
    Material,
    invented_findings,
    known_findings,
    load_material,
    widen_forms,
)

__all__ = ["Breadth"]

_CORE: Final = 30
_FROM_LEXICON: Final = 14
_FROM_INVENTED: Final = 2
"""How many findings of each source one study draws from."""

_CHEST: Final = frozenset(
    {"lung", "pleura", "heart", "mediastinum", "airway", "bone", "vessel", "device", "diaphragm", "spine"}
    | {"post_operative", "soft_tissue"}
)
_ORGAN: Final = "organ_"
_ORGANS: Final = 8
_ELSEWHERE: Final = 0.2
"""Weight of a finding outside the chest, one within it having 1."""


@frozen
class Breadth:
    """All material, and the part of it that one study speaks.

    Attributes:
        grammar: every finding.
        core, lexical, invented: ids of findings of the grammar, by where they come from.
        sums: running sums of the weights of the lexical.
        ruled_out: the normal statements that rule out a finding.
        organs: normal statements about single organs, of which a study has a few.
    """

    grammar: Grammar
    core: tuple[str, ...]
    lexical: tuple[str, ...]
    invented: tuple[str, ...]
    sums: tuple[float, ...]
    ruled_out: Mapping[str, tuple[str, ...]]
    organs: tuple[str, ...]

    @classmethod
    def of(cls, lexicon: Lexicon, *, reworded: bool = False) -> Breadth:
        """The breadth of a lexicon, told in more words where ``reworded``."""
        base, material = load_grammar(), load_material()
        more = load_rewording() if reworded else None
        material = more.material(material) if more else material
        lexical = {forms.id: forms for forms in known_findings(lexicon, base, material)}
        invented = {forms.id: forms for forms in invented_findings(material)}
        core = {f: widen_forms(forms, material) for f, forms in base.findings.items()}
        findings = {**core, **lexical, **invented, WHOLE_STUDY.id: WHOLE_STUDY}
        normals = dict(_normals(base, material))
        if more:
            core = {f: more.finding(forms) for f, forms in core.items()}
            findings.update(core)
            normals = {n: more.normally(forms) for n, forms in normals.items()}
        fillers = {**base.fillers, **{filler.id: filler for filler in material.filler}}
        chest = [lexicon.findings[f].category in _CHEST for f in lexical]
        return cls(
            Grammar(findings, normals, fillers, material.lists),
            tuple(core),
            tuple(lexical),
            tuple(invented),
            tuple(accumulate(1.0 if here else _ELSEWHERE for here in chest)),
            {
                f: tuple(_ruling_out(f, normals, material, lexicon, significant=forms.is_significant))
                for f, forms in findings.items()
                if not forms.comparison
            },
            tuple(n for n in normals if n.startswith(_ORGAN)),
        )

    def draw_grammar(self, draws: Draws) -> Grammar:
        """The grammar of one study: all normal statements, and a few dozen of the findings."""
        chosen = [
            *draws.shuffled(self.core)[:_CORE],
            *(draws.placed(self.lexical, self.sums) for _ in range(_FROM_LEXICON)),
            *(draws.pick(self.invented) for _ in range(_FROM_INVENTED)),
            WHOLE_STUDY.id,
        ]
        denies: dict[str, list[str]] = {}
        for finding in dict.fromkeys(chosen):
            for normal in self.ruled_out.get(finding, ()):
                denies.setdefault(normal, []).append(finding)
        silent = set(draws.shuffled(self.organs)[_ORGANS:])
        return evolve(
            self.grammar,
            findings={f: self.grammar.findings[f] for f in chosen},
            normals={
                n: NormalForms(id=n, weight=forms.weight, denies=tuple(denies.get(n, ())), sentences=forms.sentences)
                for n, forms in self.grammar.normals.items()
                if n not in silent
            },
        )


def _normals(base: Grammar, material: Material) -> Iterator[tuple[str, NormalForms]]:
    added = {forms.id: forms for forms in material.normal}
    yield from ((_ORGAN + name, _organ(name, material)) for name in material.organs)
    for name in dict.fromkeys((*base.normals, *added)):
        parts = [forms for forms in (base.normals.get(name), added.get(name)) if forms is not None]
        yield (
            name,
            evolve(
                parts[-1],
                denies=tuple(dict.fromkeys(d for forms in parts for d in forms.denies)),
                sentences=tuple(dict.fromkeys(s for forms in parts for s in forms.sentences)),
            ),
        )


def _organ(name: str, material: Material) -> NormalForms:
    spaced = name.replace("_", " ")
    sentences = tuple(template.replace("ORGAN", spaced) for template in material.organ)
    return NormalForms(id=_ORGAN + name, weight=2.0, denies=(), sentences=sentences)


def _ruling_out(
    finding: str, normals: Mapping[str, NormalForms], material: Material, lexicon: Lexicon, *, significant: bool
) -> Iterator[str]:
    """Normal statements that cannot stand beside a finding; an invented one is of the lungs."""
    known = lexicon.findings.get(finding)
    category = known.category if known else "lung"
    for name, forms in normals.items():
        categories = material.organs.get(name.removeprefix(_ORGAN), ()) or material.rules_out.get(name, ())
        if name in material.acute and not significant:
            categories = ()
        if category in categories or lexicon.denies(forms.denies, finding):
            yield name
