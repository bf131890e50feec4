"""What the reader knows about findings: their kinds, what they ask for, and what a normal statement denies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from attrs import define, field, frozen

from overread.domain.severity import Actionability

__all__ = ["Finding", "Lexicon", "NormalStatement"]


@frozen(kw_only=True)
class Finding:
    """A canonical finding or device.

    Attributes:
        parent: the broader finding it is a kind of, "" for none.
        anatomy: labels the finding itself implies.
        terms: surface forms in the lexicon's small pattern language.
    """

    id: str
    name: str
    category: str
    parent: str = ""
    actionability: Actionability
    anatomy: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    device: bool = False


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

    Raises:
        ValueError: if ids repeat, a parent or denied finding is unknown, or parents form a circle.
    """

    findings: Mapping[str, Finding]
    normals: Mapping[str, NormalStatement]
    version: str = field(default="")

    @classmethod
    def of(cls, findings: Iterable[Finding], normals: Iterable[NormalStatement], version: str = "") -> Lexicon:
        """A checked lexicon."""
        findings, normals = list(findings), list(normals)
        ids = [f.id for f in findings] + [n.id for n in normals]
        problems = [f"{repeated!r} is defined twice" for repeated in sorted({i for i in ids if ids.count(i) > 1})]
        lexicon = cls({f.id: f for f in findings}, {n.id: n for n in normals}, version)
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
        return narrow == broad or broad in self.ancestors(narrow)

    def actionability(self, finding: str) -> Actionability:
        """What the finding asks for; an unknown finding counts as actionable, the cautious reading."""
        found = self.findings.get(finding)
        return found.actionability if found else Actionability.ACTIONABLE

    def denies(self, denied: Iterable[str], finding: str) -> bool:
        """Whether denying each of ``denied`` denies ``finding``: one of them is it or is broader."""
        return any(self.is_kind_of(finding, broad) for broad in denied)

    @cached_property
    def _ancestors(self) -> dict[str, tuple[str, ...]]:
        return {finding: tuple(self._climb(finding)) for finding in self.findings}

    def _climb(self, finding: str) -> Iterator[str]:
        seen = {finding}
        while (parent := self.findings[finding].parent) and parent not in seen:
            seen.add(parent)
            yield parent
            finding = parent

    def _dangling(self) -> list[str]:
        known = self.findings
        parents = [
            f"{f.id!r} has unknown parent {f.parent!r}" for f in known.values() if f.parent and f.parent not in known
        ]
        denied = [f"{n.id!r} denies unknown {d!r}" for n in self.normals.values() for d in n.denies if d not in known]
        return parents + denied

    def _circles(self) -> list[str]:
        return [
            f"{finding!r} is its own ancestor"
            for finding in self.findings
            if any(self.findings[below].parent == finding for below in (finding, *self.ancestors(finding)))
        ]
