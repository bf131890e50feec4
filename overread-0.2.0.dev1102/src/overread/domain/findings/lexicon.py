"""The reader's knowledge of findings: their kinds, what they require, and what a normal statement denies."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from attrs import define, field, frozen

from overread.domain.findings.qualities import Kinds, Limit, Qualities
from overread.domain.reports.patient import NOTHING_KNOWN, ImportanceRule, Indication, Setting, Weighed, nothing_read
from overread.domain.reports.report import ClinicalContext
from overread.domain.vocabulary.recent import Recent
from overread.domain.vocabulary.severity import Importance

__all__ = ["Finding", "Lexicon", "NormalStatement"]

_NONE = frozenset[str]()
_DERIVED: Final = ("_narrower", "_signs", "_kinds", "_asked_beside")
"""What is made of the findings once, before the copies for patients, which share it."""
_ASKED: Final = "the indication asks about it"
_UNKNOWN: Final = Weighed(Importance.ACTIONABLE)

_REMEMBERED: Final = 100_000
"""Relations of two findings that are remembered; reports of a kind ask for some thousands."""


@frozen(kw_only=True)
class Finding:
    """A canonical finding or device.

    Attributes:
        parents: the broader findings it is a kind of.
        confused_with: findings that readers take it for, related to it by no parent.
        signs: findings that it accounts for: heart failure has vascular congestion among its signs.
        importance: what it asks for in a patient of whom nothing is known.
        when: what moves it in others: the first rule that fits.
        anatomy: labels the finding itself implies.
        terms: surface forms in the lexicon's small pattern language.
        graver: whether it is so much graver than what it is a kind of that the broader term hides it.
        sited: what it is where a report puts it at another place or describes it so, by label, the first that fits: a
            mass in the mediastinum, a calcified nodule. A region of the body is a label too: an effusion in a limb.
        homonyms: the wordings that a region makes another finding, any that names no place where none are listed.
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
    homonyms: tuple[str, ...] = ()
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
        indications: reads what an indication asks about and names.
        beside: what the reference asserts and some rule asks for.
        setting: what is known of the patient, as rules see it.
        kept_weights: what was worked out of the patient's findings.
        memory: what was worked out of two findings, or two sets of them; patients' lexicons share it.

    Raises:
        ValueError: if ids repeat, a finding that another names is unknown, or parents form a circle.
    """

    findings: Mapping[str, Finding]
    normals: Mapping[str, NormalStatement]
    version: str = field(default="")
    qualities: Qualities = field(factory=Qualities, repr=False)
    patient: ClinicalContext = field(factory=ClinicalContext, repr=False)
    indications: Callable[[str], Indication] = field(default=nothing_read, repr=False)
    beside: frozenset[str] = field(default=_NONE, init=False, repr=False)
    setting: Setting = field(default=NOTHING_KNOWN, init=False, repr=False)
    kept_weights: dict[str, Weighed] = field(factory=dict, init=False, repr=False)
    memory: Recent[tuple[object, object], object] = field(factory=lambda: Recent(_REMEMBERED), init=False, repr=False)

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
        entry = self.findings.get(concept) or self.normals.get(concept)
        return entry.name if entry else concept.replace("_", " ")

    def ancestors(self, finding: str) -> tuple[str, ...]:
        """The broader findings, nearest first; empty for an unknown finding."""
        return self._ancestors.get(finding, ())

    def is_kind_of(self, narrow: str, broad: str) -> bool:
        """Return whether ``narrow`` is ``broad`` or a kind of it."""
        return narrow == broad or broad in self._broader.get(narrow, _NONE)

    def described(self, concept: str, labels: Iterable[str], size: float = 0.0, region: str = "") -> str:
        """Resolve a finding by its size, and then by the places and words a report gives it.

        Args:
            concept: the finding named.
            labels: places and words of appearance.
            size: the largest in millimetres, 0 for none.
            region: the body region that the report is about there, "" for none; it counts where no label does.
        """
        entry = self.findings.get(concept)
        if entry is not None and (large := [other for least, other in entry.sized if size >= least]):
            concept = large[-1]
            entry = self.findings.get(concept)
        if entry is None or not entry.sited:
            return concept
        named = frozenset(labels)
        return next((other for label, other in entry.sited.items() if label in named), entry.sited.get(region, concept))

    def for_patient(self, patient: ClinicalContext, beside: Iterable[str] = ()) -> Lexicon:
        """The same lexicon, whose `importance` is what the findings ask for in this patient.

        Args:
            patient: age, sex and indication.
            beside: findings and devices that the reference asserts; some rules ask for one.
        """
        beside = self._with_broader(frozenset(beside)) & self._asked_beside
        if patient == self.patient and beside == self.beside:
            return self
        for derived in _DERIVED:
            getattr(self, derived)
        own = copy.copy(self)
        own.patient, own.beside, own.kept_weights = patient, beside, {}
        read = self.indications(patient.indication) if patient.indication else Indication()
        own.setting = Setting.of(patient, read, beside, self._with_broader)
        return own

    def importance(self, finding: str) -> Importance:
        """Importance of the finding in the patient; an unknown one counts as actionable, the cautious reading."""
        return self.weighed(finding).importance

    def weighed(self, finding: str) -> Weighed:
        """Importance of the finding in the patient, and what about the patient moved it.

        A rule and the question move it by a step each and by one in all: free gas that is usual after laparotomy, and
        asked about, keeps the importance it has anyway. A rule that sets an importance decides alone.
        """
        known = self.kept_weights.get(finding)
        if known is None:
            entry = self.findings.get(finding)
            if entry is None:  # anything may be unknown, so it is not kept
                return _UNKNOWN
            known = self.kept_weights[finding] = self._weigh_finding(finding, entry)
        return known

    def _weigh_finding(self, finding: str, found: Finding) -> Weighed:
        if self.setting is NOTHING_KNOWN:
            return Weighed(found.importance)
        rule = next((rule for rule in self._rules(finding) if rule.fits(self.setting)), None)
        if rule is not None and rule.to is not None:
            return Weighed(rule.to, rule.reason if rule.to is not found.importance else "")
        asked = self.answers_the_question(finding)
        step = min(max((rule.step if rule else 0) + asked, -1), 1)
        moved = found.importance.moved(step)
        if moved is found.importance:
            return Weighed(moved)
        reasons = [_ASKED] if asked and step > 0 else []
        reasons += [rule.reason] if rule and rule.step == step else []
        return Weighed(moved, "; ".join(reasons))

    def answers_the_question(self, finding: str) -> bool:
        """Return whether stating that the finding is or is not there answers what the indication asks about.

        It is a kind of what is asked about, broader than that, or a sign of it.
        """
        asked = self.setting.asked
        if not asked:
            return False
        return any(
            self.is_kind_of(finding, question)
            or self.is_kind_of(question, finding)
            or self.is_sign_of(finding, question)
            for question in asked
        )

    def _rules(self, finding: str) -> Iterator[ImportanceRule]:
        """The finding's own rules, then those for kinds of what is broader, the nearest first."""
        yield from self.findings[finding].when
        for broader in self.ancestors(finding):
            for rule in self.findings[broader].when:
                if rule.kinds and not self.denies(rule.but_not, finding):
                    yield rule

    def _with_broader(self, named: frozenset[str]) -> frozenset[str]:
        return named.union(*(self._broader.get(finding, _NONE) for finding in named))

    def thresholds(self, finding: str) -> tuple[float, ...]:
        """Sizes in millimetres at which care of the finding changes, rising; of the narrowest kind that has some."""
        known = self.qualities.thresholds
        return next((known[kind] for kind in (finding, *self.ancestors(finding)) if kind in known), ())

    def margin(self, finding: str) -> float:
        """Millimetres by which two measurements of the finding differ at no change; 0 where it has none of its own."""
        known = self.qualities.margins
        return next((known[kind] for kind in (finding, *self.ancestors(finding)) if kind in known), 0.0)

    def limit(self, finding: str) -> Limit | None:
        """The angles or attenuations at which care of the finding changes; of the narrowest kind that has some."""
        known = self.qualities.limits
        return next((known[kind] for kind in (finding, *self.ancestors(finding)) if kind in known), None)

    def kinds(self, finding: str) -> tuple[Kinds, ...]:
        """The kinds that the finding comes in."""
        return self._kinds.get(finding, ())

    def parts(self, findings: frozenset[str]) -> frozenset[str]:
        """Parts of the body that findings belong to: their categories."""
        return frozenset(self.findings[finding].category for finding in findings if finding in self.findings)

    def main_parts(self, findings: frozenset[str]) -> frozenset[str]:
        """The parts that most findings belong to, without those that few of them are of."""
        counted = Counter(self.findings[finding].category for finding in findings if finding in self.findings)
        most = max(counted.values(), default=0)
        return frozenset(part for part, count in counted.items() if 2 * count >= most)

    def are_confusable(self, a: str, b: str) -> bool:
        """Return whether readers take one finding for the other."""
        found_a, found_b = self.findings.get(a), self.findings.get(b)
        return bool(found_a and b in found_a.confused_with) or bool(found_b and a in found_b.confused_with)

    def denies(self, denied: Iterable[str], finding: str) -> bool:
        """Return whether denying each of ``denied`` denies ``finding``: one of them is it or is broader."""
        return not self._broader.get(finding, frozenset((finding,))).isdisjoint(denied)

    def breadth(self, denied: Iterable[str]) -> int:
        """Number of findings that denying each of ``denied`` denies."""
        return len(_NONE.union(*(self._narrower.get(finding, _NONE) for finding in denied)))

    def is_sign_of(self, sign: str, finding: str) -> bool:
        """Return whether a finding is among the signs of the other, or of what the other is a kind of."""
        return sign in self._signs.get(finding, _NONE)

    @cached_property
    def _narrower(self) -> dict[str, frozenset[str]]:
        """Findings that denying each finding denies."""
        denied: defaultdict[str, set[str]] = defaultdict(set)
        for finding, line in self._broader.items():
            for broader in line:
                denied[broader].add(finding)
        return {finding: frozenset(narrower) for finding, narrower in denied.items()}

    @cached_property
    def _asked_beside(self) -> frozenset[str]:
        """Findings and devices that some rule of importance asks for beside its own."""
        return frozenset(other for entry in self.findings.values() for rule in entry.when for other in rule.beside)

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
    def _kinds(self) -> dict[str, tuple[Kinds, ...]]:
        kinds = self.qualities.kinds
        return {
            finding: tuple(group for group in kinds if names & group.of) for finding, names in self._broader.items()
        }

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
        ruled = [
            f"{f.id!r} has a rule of unknown {other!r}"
            for f in known.values()
            for rule in f.when
            for other in (*rule.beside, *rule.but_not)
            if other not in known
        ]
        denied = [f"{n.id!r} denies unknown {d!r}" for n in self.normals.values() for d in n.denies if d not in known]
        return parents + confused + signs + sited + ruled + denied

    def _circles(self) -> list[str]:
        return [
            f"{finding!r} is its own ancestor"
            for finding in self.findings
            if any(finding in self.findings[below].parents for below in (finding, *self.ancestors(finding)))
        ]
