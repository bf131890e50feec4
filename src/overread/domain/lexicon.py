"""What the reader knows about findings: their kinds, what they ask for, and what a normal statement denies."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from attrs import define, field, frozen

from overread.domain.qualities import Qualities
from overread.domain.report import ClinicalContext
from overread.domain.severity import Importance

__all__ = ["Finding", "ImportanceRule", "Lexicon", "NormalStatement"]

_NONE = frozenset[str]()
_WORD = re.compile(r"[a-z]+")


@frozen(kw_only=True)
class ImportanceRule:
    """What a finding asks for in some patients: aortic calcification is expected at 82, not at 25.

    The rule fits a patient who meets every condition stated; what is not known of the patient meets none.

    Attributes:
        age_from, age_below: years, from the one and below the other; None for no bound.
        sex: "F" or "M", "" for either.
        indication: words of which the indication must hold one; empty for any indication.
    """

    importance: Importance
    age_from: float | None = None
    age_below: float | None = None
    sex: str = ""
    indication: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        if self.age_from is None and self.age_below is None and not self.sex and not self.indication:
            raise ValueError("a rule of importance without a condition")

    def fits(self, patient: ClinicalContext) -> bool:
        """Whether the patient is known to meet every condition."""
        return (
            (self.age_from is None or (patient.age is not None and patient.age >= self.age_from))
            and (self.age_below is None or (patient.age is not None and patient.age < self.age_below))
            and (not self.sex or (patient.sex or "").strip().upper()[:1] == self.sex)
            and (not self.indication or bool(_words(patient.indication) & set(self.indication)))
        )


def _words(text: str | None) -> set[str]:
    return set(_WORD.findall((text or "").lower()))


@frozen(kw_only=True)
class Finding:
    """A canonical finding or device.

    Attributes:
        parents: the broader findings it is a kind of.
        confused_with: findings that readers take it for, related to it by no parent.
        signs: findings that it accounts for: heart failure has vascular congestion among its signs.
        importance: what it asks for; the first rule of ``when`` that fits the patient overrides it.
        anatomy: labels the finding itself implies.
        terms: surface forms in the lexicon's small pattern language.
        graver: whether it is so much graver than what it is a kind of that the broader term hides it.
        sited: what it is where a report puts it at another place or describes it so, by label: a mass in the
            mediastinum, a calcified nodule.
        sized: what it is from a size on, in millimetres: a lymph node of 10 mm is enlarged.
    """

    id: str
    name: str
    category: str
    parents: tuple[str, ...] = ()
    confused_with: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    importance: Importance
    when: tuple[ImportanceRule, ...] = ()
    anatomy: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    device: bool = False
    graver: bool = False
    sited: Mapping[str, str] = field(factory=dict)
    sized: tuple[tuple[float, str], ...] = ()


@frozen(kw_only=True)
class NormalStatement:
    """A statement that asserts the absence of a group of findings, for example "the lungs are clear"."""

    id: str
    name: str
    denies: tuple[str, ...]
    anatomy: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()


@define(eq=False, slots=False)
class Lexicon:
    """Findings and normal statements by id.

    Attributes:
        findings: by id.
        normals: by id.
        version: digest of what it was read from.
        qualities: what labels mean to the rules.
        patient: whose findings `importance` is about.
        memory: what was worked out of two findings, or two sets of them; patients' lexicons share it.

    Raises:
        ValueError: if ids repeat, a finding that another names is unknown, or parents form a circle.
    """

    findings: Mapping[str, Finding]
    normals: Mapping[str, NormalStatement]
    version: str = field(default="")
    qualities: Qualities = field(factory=Qualities, repr=False)
    patient: ClinicalContext = field(factory=ClinicalContext, repr=False)
    memory: dict[tuple[object, object], object] = field(factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        findings: Iterable[Finding],
        normals: Iterable[NormalStatement],
        version: str = "",
        qualities: Qualities | None = None,
    ) -> Lexicon:
        """A checked lexicon."""
        findings, normals = list(findings), list(normals)
        ids = [f.id for f in findings] + [n.id for n in normals]
        problems = [f"{repeated!r} is defined twice" for repeated in sorted({i for i in ids if ids.count(i) > 1})]
        lexicon = cls({f.id: f for f in findings}, {n.id: n for n in normals}, version, qualities or Qualities())
        problems += lexicon._dangling() or lexicon._circles()
        if problems:
            msg = "lexicon: " + "; ".join(problems)
            raise ValueError(msg)
        return lexicon

    def name(self, concept: str) -> str:
        """Display name of a finding or normal statement; the id itself where it is unknown."""
        found = self.findings.get(concept) or self.normals.get(concept)
        return found.name if found else concept.replace("_", " ")

    def ancestors(self, finding: str) -> tuple[str, ...]:
        """The broader findings, nearest first; empty for an unknown finding."""
        return self._ancestors.get(finding, ())

    def is_kind_of(self, narrow: str, broad: str) -> bool:
        """Whether ``narrow`` is ``broad`` or a kind of it."""
        return narrow == broad or broad in self._broader.get(narrow, _NONE)

    def described(self, concept: str, labels: Iterable[str], size: float = 0.0) -> str:
        """What a finding is at its size, and then at the places and with the words a report gives it.

        Args:
            concept: the finding named.
            labels: places and words of appearance.
            size: the largest in millimetres, 0 for none.
        """
        found = self.findings.get(concept)
        if found is not None and (large := [other for least, other in found.sized if size >= least]):
            concept = large[-1]
            found = self.findings.get(concept)
        if found is None or not found.sited:
            return concept
        return next((found.sited[label] for label in sorted(labels) if label in found.sited), concept)

    def for_patient(self, patient: ClinicalContext) -> Lexicon:
        """The same lexicon, whose `importance` is what the findings ask for in this patient."""
        if patient == self.patient:
            return self
        own = copy.copy(self)
        own.patient = patient
        return own

    def importance(self, finding: str) -> Importance:
        """What the finding asks for in the patient; an unknown one counts as actionable, the cautious reading."""
        found = self.findings.get(finding)
        if found is None:
            return Importance.ACTIONABLE
        return next((rule.importance for rule in found.when if rule.fits(self.patient)), found.importance)

    def are_confusable(self, a: str, b: str) -> bool:
        """Whether readers take one finding for the other."""
        found_a, found_b = self.findings.get(a), self.findings.get(b)
        return bool(found_a and b in found_a.confused_with) or bool(found_b and a in found_b.confused_with)

    def denies(self, denied: Iterable[str], finding: str) -> bool:
        """Whether denying each of ``denied`` denies ``finding``: one of them is it or is broader."""
        return not self._broader.get(finding, frozenset((finding,))).isdisjoint(denied)

    def is_sign_of(self, sign: str, finding: str) -> bool:
        """Whether a finding is among the signs of the other, or of what the other is a kind of."""
        return sign in self._signs.get(finding, _NONE)

    @cached_property
    def _signs(self) -> dict[str, frozenset[str]]:
        return {
            finding: frozenset(
                sign for kind in (finding, *self.ancestors(finding)) for sign in self.findings[kind].signs
            )
            for finding in self.findings
        }

    @cached_property
    def _ancestors(self) -> dict[str, tuple[str, ...]]:
        return {finding: tuple(self._climb(finding)) for finding in self.findings}

    @cached_property
    def _broader(self) -> dict[str, frozenset[str]]:
        """Each finding with its ancestors."""
        return {finding: frozenset((finding, *self.ancestors(finding))) for finding in self.findings}

    def _climb(self, finding: str) -> Iterator[str]:
        seen, level = {finding}, [finding]
        while level := [
            parent
            for parent in dict.fromkeys(parent for below in level for parent in self.findings[below].parents)
            if parent not in seen
        ]:
            seen.update(level)
            yield from level

    def _dangling(self) -> list[str]:
        known = self.findings
        parents = [
            f"{f.id!r} has unknown parent {parent!r}"
            for f in known.values()
            for parent in f.parents
            if parent not in known
        ]
        confused = [
            f"{f.id!r} is confused with unknown {other!r}"
            for f in known.values()
            for other in f.confused_with
            if other not in known
        ]
        signs = [f"{f.id!r} has unknown sign {sign!r}" for f in known.values() for sign in f.signs if sign not in known]
        sited = [
            f"{f.id!r} is unknown {other!r} at {place!r}"
            for f in known.values()
            for place, other in (*f.sited.items(), *f.sized)
            if other not in known
        ]
        denied = [f"{n.id!r} denies unknown {d!r}" for n in self.normals.values() for d in n.denies if d not in known]
        return parents + confused + signs + sited + denied

    def _circles(self) -> list[str]:
        return [
            f"{finding!r} is its own ancestor"
            for finding in self.findings
            if any(finding in self.findings[below].parents for below in (finding, *self.ancestors(finding)))
        ]
