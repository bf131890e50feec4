"""Region of the body that a report is about, where a sentence does not say it: "moderate effusion" in a knee.

The title of the examination gives it, or else most of the report; if the title names several regions, it is that of the
last earlier sentence that names one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import field, frozen

from overread.adapters.lexicon.loader import Knowledge
from overread.adapters.lexicon.matching import RuleMatcher, Term
from overread.adapters.lexicon.words import Normaliser
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.vocabulary.patterns import expand, parse_term

__all__ = ["Regions"]

_NONE = frozenset[str]()


@frozen(eq=False)
class Regions:
    """Regions of places, of titles and of the sentences of a report.

    Attributes:
        homonyms: by region the findings that are another finding there.
    """

    _wordings: Mapping[str, frozenset[tuple[str, ...]]] = field(repr=False)
    _of_place: Mapping[str, frozenset[str]]
    _titles: RuleMatcher = field(repr=False)
    _normaliser: Normaliser = field(repr=False)
    homonyms: Mapping[str, frozenset[str]] = field(repr=False)
    _anywhere: frozenset[str] = field(init=False, repr=False)

    @_anywhere.default
    def _homonyms_of_any_region(self) -> frozenset[str]:
        return _NONE.union(*self.homonyms.values())

    @classmethod
    def of(cls, knowledge: Knowledge) -> Regions:
        """The regions of a lexicon."""
        of_place: defaultdict[str, set[str]] = defaultdict(set)
        for region in knowledge.regions:
            for place in region.places:
                of_place[place].add(region.label)
        terms = [
            Term(text, "PLACE", rule.labels)
            for rule in knowledge.attributes
            if rule.kind in {"zone", "organ", "ignored_anatomy"}
            for text in rule.terms
        ]
        terms += [Term(text, "REGION", (region.label,)) for region in knowledge.regions for text in region.terms]
        findings = knowledge.lexicon.findings.values()
        homonyms = {r.label: frozenset(f.id for f in findings if r.label in f.sited) for r in knowledge.regions}
        wordings = {f.id: frozenset(_wordings(f.homonyms, knowledge.normaliser)) for f in findings if f.homonyms}
        return cls(
            wordings,
            {place: frozenset(regions) for place, regions in of_place.items()},
            RuleMatcher.of(terms, knowledge.normaliser, knowledge.elements),
            knowledge.normaliser,
            homonyms,
        )

    def named(self, labels: Iterable[str]) -> frozenset[str]:
        """The regions that some places lie in."""
        return _NONE.union(*(self._of_place.get(label, _NONE) for label in labels))

    def decides(self, concept: str, words: Sequence[str]) -> bool:
        """Return whether words of a finding may be another finding in another region."""
        return concept in self._anywhere and tuple(words) in self._wordings.get(concept, (tuple(words),))

    def at(self, *places: Iterable[str], otherwise: str) -> str:
        """The one region of the first group of places that lie in any; "" where these lie in several."""
        regions = next(filter(None, map(self.named, places)), frozenset((otherwise,)))
        return next(iter(regions)) if len(regions) == 1 else ""

    def told(self, places: Iterable[str], units: Iterable[ClinicalUnit]) -> frozenset[str]:
        """The regions that a sentence names by its places, or by findings that no other region has."""
        implied = (unit.anatomy for unit in units if unit.canonical_finding not in self._anywhere)
        return self.named(places).union(*map(self.named, implied))

    def find_by_title(self, title: str) -> frozenset[str]:
        """The regions that a title of an examination names."""
        named: set[str] = set()
        for match in self._titles(self._normaliser.words(title).words):
            named |= {*match.term.meaning} if match.term.label == "REGION" else self.named(match.term.meaning)
        return frozenset(named)

    def around(self, titles: Iterable[str], named: Sequence[frozenset[str]]) -> Iterator[str]:
        """The region that each sentence is about for all that the others say, "" where they do not tell.

        Args:
            titles: what names the examination.
            named: the regions that each sentence names.
        """
        examined = _NONE.union(*map(self.find_by_title, titles))
        if len(examined) > 1:
            last = ""
            for regions in named:
                last = next(iter(regions)) if len(regions) == 1 else last
                yield last if last in examined else ""
            return
        region = next(iter(examined)) if examined else _most(named)
        yield from (region for _ in named)


def _wordings(terms: Iterable[str], normaliser: Normaliser) -> Iterator[tuple[str, ...]]:
    for term in terms:
        yield from map(normaliser.join, expand(parse_term(term, normaliser.phrase)) or ())


def _most(named: Iterable[frozenset[str]]) -> str:
    """The region that more than half of the sentences name, of those that name any."""
    votes = [regions for regions in named if regions]
    counted = Counter(region for regions in votes for region in regions)
    region, count = max(counted.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    return region if 2 * count > len(votes) else ""
