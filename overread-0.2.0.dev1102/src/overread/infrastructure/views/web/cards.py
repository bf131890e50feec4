"""Cards of the list beside both reports: discrepancies, or what a metric compared where none names any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from overread.domain.entities.entity import Entity
from overread.domain.results.result import EntityEvidence, EntityMatch, EvaluationResult
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import evidence_of
from overread.infrastructure.views.passages import Passage, Passages
from overread.infrastructure.views.web.marking import COMPARED, Ground

__all__ = ["Card", "Entry", "discrepancy_cards", "entity_cards", "entity_grounds"]

_CLOSE: Final = 0.5
"""Similarity times penalty from which an entity has a close counterpart on display; the score knows no threshold."""


@frozen(kw_only=True)
class Entry:
    """One thing that is wrong.

    Attributes:
        number: its number in the list, raised in both reports.
        metric, index: that lists it, and its place among the metric's own; "" where no metric lists discrepancies.
        tone: how it is coloured, see `marking.TONES`.
        badge: its grade in a word; ``grade`` is what stands beside it.
        title: what is wrong.
        why, said: why it is graded so, and a judge's own words.
    """

    number: int
    metric: str = ""
    index: int = 0
    tone: str
    badge: str
    grade: str = ""
    title: str
    why: str = ""
    said: str = field(default="", repr=False)


@frozen(kw_only=True)
class Card:
    """One place of the list: what is wrong there, the gravest first, and the words that it is about.

    Attributes:
        entries: one or more.
        reference, candidate: the words of each report.
        silence: what stands for a report that has no words here.
    """

    entries: tuple[Entry, ...]
    reference: tuple[Passage, ...] = ()
    candidate: tuple[Passage, ...] = ()
    silence: str = ""

    @property
    def tone(self) -> str:
        """Tone of the gravest entry."""
        return self.entries[0].tone

    @property
    def letter(self) -> str:
        """The report that its titles lead to, "r" or "c", or "d" for the card itself."""
        if self.reference:
            return "r"
        return "c" if self.candidate else "d"

    @property
    def sides(self) -> tuple[Sequence[Passage], Sequence[Passage]]:
        """The words of the reference and of the candidate."""
        return self.reference, self.candidate


def discrepancy_cards(
    results: Mapping[str, EvaluationResult], passages: Passages | None, finding_name: wording.FindingName
) -> list[Card]:
    """A card for each place where discrepancies are, the gravest first; without passages none quotes a report."""
    cards = []
    for group in wording.placed_discrepancies(results):
        reference, candidate = passages.about(group[0].discrepancy) if passages else ((), ())
        cards.append(
            Card(
                entries=tuple(_entry(item, passages, finding_name) for item in group),
                reference=reference,
                candidate=candidate,
                silence=wording.silence_words(group[0]),
            )
        )
    return cards


def _entry(item: wording.NumberedDiscrepancy, passages: Passages | None, finding_name: wording.FindingName) -> Entry:
    d = item.discrepancy
    why = (wording.why_words(item, finding_name), wording.doubt_words(d))
    return Entry(
        number=item.number,
        metric=item.metric,
        index=item.index,
        tone=d.severity.value,
        badge=d.severity.value,
        grade=d.importance.words if d.importance else "",
        title=wording.title_words(item, finding_name),
        why="; ".join(part for part in why if part),
        said=wording.explanation_words(item, passages.pair) if passages else "",
    )


def entity_cards(results: Mapping[str, EvaluationResult], passages: Passages) -> list[Card]:
    """A card for each entity without a close counterpart, or at odds with it, the costliest first."""
    lost = [item for evidence in evidence_of(results, EntityEvidence).values() for item in _lost(evidence)]
    lost.sort(key=lambda item: -item.cost)
    return [_entity_card(number, item, passages) for number, item in enumerate(lost, start=1)]


def entity_grounds(results: Mapping[str, EvaluationResult]) -> tuple[list[Ground], list[Ground]]:
    """The entities of the reference, and of the candidate, that have a close counterpart."""
    sides: tuple[list[Ground], list[Ground]] = ([], [])
    for metric, evidence in evidence_of(results, EntityEvidence).items():
        own = (evidence.reference_entities, evidence.reference_matches, evidence.candidate_entities)
        other = (evidence.candidate_entities, evidence.candidate_matches, evidence.reference_entities)
        for grounds, (entities, matches, others) in zip(sides, (own, other), strict=True):
            for match in matches:
                entity = entities[match.entity]
                if _value(match) >= _CLOSE:
                    words = f"{metric}: like {wording.one_line(others[match.match].text)}, {match.similarity:.2f}"
                    grounds.append(Ground(entity.start, entity.end, "matched", words))
    return sides


@frozen(kw_only=True)
class _Lost:
    """Two entities of which at least one has nothing closer in the other report."""

    reference: Entity
    candidate: Entity
    match: EntityMatch
    whose: str

    @property
    def cost(self) -> float:
        """The amount that it takes from the sum that the score is made of."""
        return self.match.weight * (1 - _value(self.match))

    @property
    def is_at_odds(self) -> bool:
        return self.match.similarity >= _CLOSE and self.match.penalty < 1


def _value(match: EntityMatch) -> float:
    return match.penalty * match.similarity


def _lost(evidence: EntityEvidence) -> Iterator[_Lost]:
    """Each pair once, though it may be lost on both sides."""
    references, candidates = evidence.reference_entities, evidence.candidate_entities
    seen = set()
    for match in evidence.candidate_matches:
        if _value(match) < _CLOSE:
            seen.add((match.match, match.entity))
            yield _Lost(
                reference=references[match.match], candidate=candidates[match.entity], match=match, whose="candidate"
            )
    for match in evidence.reference_matches:
        if _value(match) < _CLOSE and (match.entity, match.match) not in seen:
            yield _Lost(
                reference=references[match.entity], candidate=candidates[match.match], match=match, whose="reference"
            )


def _entity_card(number: int, item: _Lost, passages: Passages) -> Card:
    is_new = item.whose == "candidate"
    entity, other = (item.candidate, item.reference) if is_new else (item.reference, item.candidate)
    opposite = "reference" if is_new else "candidate"
    nearest = wording.one_line(other.text)
    kinds = f"alike {item.match.similarity:.2f}, {entity.type.value.lower()} here, {other.type.value.lower()} there"
    entry = Entry(
        number=number,
        tone=COMPARED,
        badge="at odds" if item.is_at_odds else "no close counterpart",
        grade=f"with the {opposite}" if item.is_at_odds else f"in the {opposite}",
        title=f"{item.whose.capitalize()}: {wording.one_line(entity.text)}",
        why=kinds if item.is_at_odds else f"nearest {nearest}, {kinds}",
    )
    return Card(
        entries=(entry,),
        reference=passages.reference.passages([item.reference.span], ""),
        candidate=passages.candidate.passages([item.candidate.span], ""),
    )
