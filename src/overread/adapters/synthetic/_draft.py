"""Drafts: reports as statements whose meaning is known, and the text they are written as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeVar

from attrs import asdict, evolve, field, frozen

from overread.adapters.synthetic._grammar import Grammar, fill
from overread.domain.lexicon import Lexicon

__all__ = ["SLOTS", "WORDINGS", "Assertion", "Coherence", "Denial", "Draft", "Mention", "Normality", "Statement"]

T = TypeVar("T")

SLOTS: Final = ("side", "zone", "grade", "change", "hedge")

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
class Mention:
    """The impression's repetition of a finding asserted in the body; it takes its slots from there."""

    finding: str
    wording: int = 0


Statement = Assertion | Denial | Normality


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

    def asserting(self, assertion: Assertion) -> Draft:
        """The draft with another assertion of a finding it asserts."""
        old = self.findings[assertion.finding]
        return evolve(self, body=tuple(assertion if s is old else s for s in self.body))

    def text(self, grammar: Grammar) -> str:
        """The report as text."""
        opening = [grammar.fillers[i].sentence for i in self.fillers if grammar.fillers[i].place == "start"]
        closing = [grammar.fillers[i].sentence for i in self.fillers if grammar.fillers[i].place == "end"]
        body = [_sentence(statement, grammar) for statement in self.body]
        if not self.sectioned:
            return " ".join([*opening, *body, *closing])
        impression = [self._impression_sentence(item, grammar) for item in self.impression]
        if not impression:
            return "FINDINGS: " + " ".join([*opening, *body, *closing])
        return "\n\n".join(
            ["FINDINGS: " + " ".join([*opening, *body]), "IMPRESSION: " + " ".join([*impression, *closing])]
        )

    def _impression_sentence(self, item: Mention | Normality, grammar: Grammar) -> str:
        if isinstance(item, Normality):
            return _sentence(item, grammar)
        return _sentence(evolve(self.findings[item.finding], wording=item.wording), grammar)


def _sentence(statement: Statement, grammar: Grammar) -> str:
    if isinstance(statement, Normality):
        return _nth(grammar.normals[statement.normal].sentences, statement.wording)
    if isinstance(statement, Denial):
        return _nth(grammar.findings[statement.finding].absent, statement.wording)
    return fill(_nth(grammar.findings[statement.finding].present, statement.wording), asdict(statement))


def _nth(sentences: Sequence[str], wording: int) -> str:
    return sentences[wording % len(sentences)]


@frozen
class Coherence:
    """What may stand in one report: no statement denies a finding of the report, or a broader kind of it.

    Attributes:
        grammar: says what a normal statement rules out.
        lexicon: says what is a kind of what, and adds what it knows that a normal statement rules out.
    """

    grammar: Grammar
    lexicon: Lexicon = field(repr=False)

    def related(self, a: str, b: str) -> bool:
        """Whether one finding is the other or a kind of it."""
        return self.lexicon.is_kind_of(a, b) or self.lexicon.is_kind_of(b, a)

    def denies(self, statement: Statement | Mention, finding: str) -> bool:
        """Whether a statement says that a finding is absent."""
        if isinstance(statement, Denial):
            return self.lexicon.denies((statement.finding,), finding)
        return isinstance(statement, Normality) and self.lexicon.denies(self._denied(statement.normal), finding)

    def allows(self, statement: Statement | Mention, findings: Iterable[str]) -> bool:
        """Whether a statement denies none of the findings."""
        return not any(self.denies(statement, finding) for finding in findings)

    def admits(self, finding: str, findings: Iterable[str]) -> bool:
        """Whether a finding can be asserted beside others: unrelated to them and not opposed."""
        return not any(self.related(finding, f) or frozenset({finding, f}) in _OPPOSED for f in findings)

    def without_denials(self, statements: Iterable[T], finding: str) -> Iterator[T]:
        """The statements that do not deny the finding."""
        return (s for s in statements if not (isinstance(s, Denial | Normality) and self.denies(s, finding)))

    def broadest_normals(self, findings: Iterable[str]) -> list[str]:
        """Normal statements that deny none of the findings, those that rule out most first."""
        found = [n for n in self.grammar.normals if self.allows(Normality(n), findings)]
        return sorted(found, key=lambda n: -len(self.grammar.normals[n].denies))

    def _denied(self, normal: str) -> tuple[str, ...]:
        known = self.lexicon.normals.get(normal)
        return self.grammar.normals[normal].denies + (known.denies if known else ())
