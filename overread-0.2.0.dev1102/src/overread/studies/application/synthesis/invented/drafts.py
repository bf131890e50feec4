"""Drafts: reports as statements whose meaning is known, and the plain sentences that say it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeVar

from attrs import asdict, evolve, field, frozen

from overread.domain.findings.lexicon import Lexicon
from overread.studies.application.synthesis.invented.grammar import Grammar, fill
from overread.studies.application.synthesis.invented.profiles import READOUT, Profile
from overread.studies.application.synthesis.invented.slots import Slots

__all__ = [
    "SLOTS",
    "WORDINGS",
    "Assertion",
    "Coherence",
    "Contradiction",
    "Denial",
    "Draft",
    "Mention",
    "Normality",
    "Statement",
]

T = TypeVar("T")

SLOTS: Final = ("side", "zone", "grade", "change", "hedge", "size")

WORDINGS: Final = 60
"""Bound of ``wording``: 1 to 6 divide it, so every sentence of a statement is chosen as often."""

_OPPOSED: Final = (frozenset({"low_lung_volumes", "hyperinflation"}),)
"""Findings that no patient has together, though neither denies the other."""


@frozen(kw_only=True)
class Assertion:
    """A finding with its slots ("" where unstated); ``wording`` chooses among its sentences."""

    finding: str
    side: str = ""
    zone: str = ""
    grade: str = ""
    change: str = ""
    hedge: str = ""
    size: str = ""
    wording: int = 0


@frozen
class Denial:
    """A finding said to be absent."""

    finding: str
    wording: int = 0


@frozen
class Normality:
    """A statement of normality."""

    normal: str
    wording: int = 0


@frozen
class Contradiction:
    """A denial of a finding that the same report asserts."""

    finding: str
    wording: int = 0


@frozen
class Mention:
    """The impression's repetition of a finding asserted in the body; it takes its slots from there.

    Attributes:
        side: another side than the body's, where the two contradict each other.
    """

    finding: str
    wording: int = 0
    side: str = ""


Statement = Assertion | Denial | Normality | Contradiction


@frozen(kw_only=True, slots=False)
class Draft:
    """A report before it is written.

    Attributes:
        body: statements in order; no finding is asserted twice.
        impression: what a sectioned report repeats under its own heading.
        sectioned: whether the report has headings.
        fillers: ids of fillers; each knows its place.
    """

    body: tuple[Statement, ...]
    impression: tuple[Mention | Normality, ...] = ()
    sectioned: bool = False
    fillers: tuple[str, ...] = ()

    @cached_property
    def findings(self) -> Mapping[str, Assertion]:
        """The assertions, by finding."""
        return {s.finding: s for s in self.body if isinstance(s, Assertion)}

    @cached_property
    def contradicted(self) -> frozenset[str]:
        """Findings about which the report contradicts itself."""
        denied = {s.finding for s in self.body if isinstance(s, Contradiction)}
        return frozenset(denied | {s.finding for s in self.impression if isinstance(s, Mention) and s.side})

    def asserting(self, assertion: Assertion) -> Draft:
        """The draft with another assertion of a finding it asserts."""
        old = self.findings[assertion.finding]
        return evolve(self, body=tuple(assertion if s is old else s for s in self.body))

    def fillers_at(self, place: str, grammar: Grammar) -> list[str]:
        """Sentences of the fillers that stand at a place."""
        return [grammar.fillers[i].sentence for i in self.fillers if grammar.fillers[i].place == place]

    def sentence(self, item: Statement | Mention, grammar: Grammar) -> str:
        """A statement as a sentence; a mention says again what the body says."""
        if isinstance(item, Normality):
            return _nth(grammar.normals[item.normal].sentences, item.wording)
        if isinstance(item, Denial | Contradiction):
            return _nth(grammar.findings[item.finding].absent, item.wording)
        if isinstance(item, Mention):
            assertion = self.findings[item.finding]
            item = evolve(assertion, wording=item.wording, side=item.side or assertion.side)
        return fill(_nth(grammar.findings[item.finding].present, item.wording), Slots(asdict(item), item.wording))


def _nth(sentences: Sequence[str], wording: int) -> str:
    return sentences[wording % len(sentences)]


@frozen
class Coherence:
    """Rules for what one report may say: no statement denies a finding of the report, or a broader kind of it.

    A `Contradiction` is the exception: it is an error made on purpose.

    Attributes:
        grammar: says what a normal statement rules out.
        lexicon: says which findings are kinds of others, and adds what else a normal statement rules out.
        profile: how often everything happens.
    """

    grammar: Grammar
    lexicon: Lexicon = field(repr=False)
    profile: Profile = field(default=READOUT, repr=False)

    def related(self, a: str, b: str) -> bool:
        """Returns whether one finding is the other or a kind of it."""
        return self.lexicon.is_kind_of(a, b) or self.lexicon.is_kind_of(b, a)

    def matters(self, said: Assertion) -> bool:
        """Returns whether missing or inventing an assertion is significant."""
        return self.grammar.findings[said.finding].matters_in(said.zone)

    def denies(self, statement: Statement | Mention, finding: str) -> bool:
        """Returns whether a statement says that a finding is absent."""
        if isinstance(statement, Denial):
            return self.lexicon.denies((statement.finding,), finding)
        return isinstance(statement, Normality) and self.lexicon.denies(self._denied_by(statement.normal), finding)

    def allows(self, statement: Statement | Mention, findings: Iterable[str]) -> bool:
        """Returns whether a statement denies none of the findings."""
        return not any(self.denies(statement, finding) for finding in findings)

    def admits(self, finding: str, findings: Iterable[str]) -> bool:
        """Returns whether a finding can be asserted beside others: unrelated and not opposed to them."""
        return not any(self.related(finding, f) or frozenset({finding, f}) in _OPPOSED for f in findings)

    def without_denials(self, statements: Iterable[T], finding: str) -> Iterator[T]:
        """The statements that do not deny the finding."""
        return (s for s in statements if not (isinstance(s, Denial | Normality) and self.denies(s, finding)))

    def broadest_normals(self, findings: Iterable[str]) -> list[str]:
        """Normal statements that deny none of the findings, those that rule out most first."""
        allowed = [n for n in self.grammar.normals if self.allows(Normality(n), findings)]
        return sorted(allowed, key=lambda n: -len(self.grammar.normals[n].denies))

    def _denied_by(self, normal: str) -> tuple[str, ...]:
        known = self.lexicon.normals.get(normal)
        return self.grammar.normals[normal].denies + (known.denies if known else ())
