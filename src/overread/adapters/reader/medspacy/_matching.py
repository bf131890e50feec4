"""Matchers built from the lexicon: one for findings, one for attributes, one for statements, and the cues."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from attrs import evolve, frozen

from overread.adapters.lexicon.grammar import ClauseWords, EllipsisWords
from overread.adapters.lexicon.loader import Knowledge
from overread.adapters.lexicon.matching import Match, RuleMatcher, Term
from overread.adapters.lexicon.targets import target_matcher
from overread.adapters.reader.medspacy._composing import Composer
from overread.adapters.reader.medspacy._cues import Cues
from overread.adapters.reader.medspacy._levels import LevelReader
from overread.adapters.reader.medspacy._references import references
from overread.adapters.reader.medspacy._scope import CHANGES, Sentence
from overread.adapters.reader.medspacy._verdicts import ContextMatch, settle
from overread.domain.vocabulary.anatomy import Place

_MUTE: Final = frozenset({"TERMINATE", "PSEUDO"})

_AUXILIARIES: Final = frozenset({"is", "has", "have", "had", "do", "does", "did"})

_OF_SENTENCES: Final = frozenset({"NEGATED", "LIMITATION"})
"""Categories of cues that say nothing of a finding in whose own name they stand."""

_LEADING: Final = frozenset({"FORWARD", "BIDIRECTIONAL"})

FOCUS: Final = "\ue000focus"
"""Concept of the target at a marked phrase; no finding has such an id."""

_TITLE_MARKS: Final = frozenset({".", ",", ":", ";"})

MEANINGS: Final = {"NEVER": ("NEGATED", "HISTORICAL")}
"""Categories of cues that say two things: "no history of" denies, and speaks of the past."""

__all__ = [
    "FOCUS",
    "MEANINGS",
    "AttributeMatch",
    "ContextMatch",
    "Matchers",
    "SentenceMatches",
    "StatementMatch",
    "TargetMatch",
]


@frozen
class TargetMatch:
    """A finding or normal statement at words ``[start, end)``.

    Attributes:
        cues: the ConText cues that bear on it.
        administrative: kind of a finding about the examination, not the patient; "" for any other.
    """

    concept: str
    start: int
    end: int
    cues: tuple[ContextMatch, ...]
    administrative: str = ""


@frozen
class AttributeMatch:
    """An attribute at words ``[start, end)``; ``kind`` is side, zone, organ, severity or modifier."""

    kind: str
    labels: tuple[str, ...]
    start: int
    end: int

    @property
    def side(self) -> str:
        """The side it names: "left", "right" or "both", or "" for none."""
        return Place.of(frozenset(self.labels)).side


@frozen
class StatementMatch:
    """An administrative statement at words ``[start, end)``; of several kinds that of the lowest ``rank`` counts."""

    kind: str
    rank: int
    start: int
    end: int


@frozen
class SentenceMatches:
    """All that was found in one sentence, each list in reading order; ``pictures`` are the places of ``modalities``.

    Attributes:
        side: the side that the sentence names last, "" where it names none or both at once.
        refers: whether it means a side by one that it does not name.
    """

    targets: tuple[TargetMatch, ...]
    attributes: tuple[AttributeMatch, ...]
    cues: tuple[ContextMatch, ...]
    statements: tuple[StatementMatch, ...] = ()
    modalities: frozenset[str] = frozenset()
    pictures: tuple[AttributeMatch, ...] = ()
    side: str = ""
    refers: bool = False


class Matchers:
    """Finds findings, attributes and context cues in a sentence's normalised words."""

    def __init__(self, knowledge: Knowledge, *, own_scopes: bool = False) -> None:
        self._grammar = knowledge.grammar
        self._targets = target_matcher(knowledge)
        self._attributes = RuleMatcher.of(_attribute_terms(knowledge), knowledge.normaliser, knowledge.elements)
        self._statements = RuleMatcher.of(_statement_terms(knowledge), knowledge.normaliser, knowledge.elements)
        self._ranks = {rule.kind: rank for rank, rule in enumerate(knowledge.statements)}
        self._technical = knowledge.technical
        self._titles, self._title_kind = knowledge.titles, knowledge.title_kind
        self._composer = Composer(knowledge)
        self._levels = LevelReader.of(knowledge)
        self._cues = Cues(knowledge, own_scopes=own_scopes)

    def match(self, words: tuple[str, ...], focus: tuple[int, int] | None = None, side: str = "") -> SentenceMatches:
        """Match the words of one sentence.

        Args:
            words: of the sentence.
            focus: a range of words that is a target whatever they are.
            side: the side that the text before named last, "" for none.
        """
        limit, words = len(words), _with_full_stop(words)
        statements = tuple(self._administrative(words, limit))
        named = self._without_titles(self._find_targets(words, limit), statements)
        all_attributes = self._with_levels(words, list(_attribute_matches(self._attributes(words, limit))))
        all_attributes, refers = self._with_references(words, all_attributes, side)
        places = [(attribute.labels, attribute.start, attribute.end) for attribute in all_attributes]
        targets = _with_focus(self._composer.compose(words, limit, named, places), focus)
        pictures = tuple(attribute for attribute in all_attributes if attribute.kind == "modality")
        attributes = (
            *(attribute for attribute in all_attributes if attribute.kind != "modality"),
            *_shared_lobes(self._grammar.ellipsis, words, all_attributes),
        )
        modals = self._grammar.clauses.modals
        verdicts = [v for v in self._cues.verdicts(words) if words[max(v.start - 1, 0)] not in modals]
        met = _without_asides(words, self._cues.among(words), verdicts)
        targets = self._without_parts_of_limitations(targets, met)
        graph = self._cues.graph(words, met, targets)
        cues = self._bearing(words, limit, targets, attributes, graph)
        decisions = [ContextMatch(v.term.label, v.start, min(v.end, limit)) for v in verdicts]
        settle(targets, cues, decisions)
        return SentenceMatches(
            targets=tuple(
                TargetMatch(
                    concept := t.term.meaning[0],
                    t.start,
                    t.end,
                    tuple(cues.get((t.start, t.end), ())),
                    self._technical.get(concept, ""),
                )
                for t in targets
            ),
            attributes=attributes,
            cues=tuple(sorted(_cues_of(graph), key=lambda cue: cue.start)),
            statements=statements,
            modalities=frozenset(label for picture in pictures for label in picture.labels),
            pictures=pictures,
            side=_last_side(all_attributes),
            refers=refers,
        )

    def _with_levels(self, words: Sequence[str], attributes: list[AttributeMatch]) -> list[AttributeMatch]:
        """The attributes with the levels that lists and ranges name in place of those of their ends."""
        sites = [(a.labels, a.start, a.end) for a in attributes if a.kind == "organ"]
        for labels, start, end in self._levels.read(words, sites):
            within = [a for a in attributes if a.kind == "organ" and start <= a.start and a.end <= end]
            attributes = [a for a in attributes if a not in within]
            known = (label for a in within for label in a.labels)
            attributes.append(AttributeMatch("organ", tuple(dict.fromkeys([*labels, *known])), start, end))
        return sorted(attributes, key=lambda attribute: attribute.start)

    def _with_references(
        self, words: Sequence[str], found: list[AttributeMatch], before: str
    ) -> tuple[list[AttributeMatch], bool]:
        """The attributes with the sides that are named by others, and whether any such side stays unknown."""
        side_references = list(references(self._grammar.references, words))
        if not side_references:
            return found, False
        taken = {i for reference in side_references for i in range(reference.start, reference.end)}
        result = [a for a in found if taken.isdisjoint(range(a.start, a.end))]
        refers = False
        for reference in side_references:
            named = [(a.side, a.start) for a in sorted(result, key=lambda a: a.start) if a.side]
            side = reference.side(named, before)
            refers = refers or not any(at < reference.start for _, at in named)
            if side:
                result.append(AttributeMatch("side", (side,), reference.start, reference.end))
        return sorted(result, key=lambda attribute: attribute.start), refers

    def _bearing(
        self,
        words: tuple[str, ...],
        limit: int,
        targets: Sequence[Match],
        attributes: Iterable[AttributeMatch],
        graph: Any,
    ) -> dict[tuple[int, int], list[ContextMatch]]:
        """The cues that bear on each target, by its place.

        A cue inside a target is that target's alone, and never denies it: the finding's own name holds it.
        """
        sentence = _sentence(self._grammar.clauses, words, targets, attributes, graph.modifiers)
        places = {(target.start, target.end): index for index, target in enumerate(targets)}
        cues: defaultdict[tuple[int, int], list[ContextMatch]] = defaultdict(list)
        denials = self._grammar.clauses.denials
        for target, modifier in graph.edges:
            cue, place = _cue(modifier), (target.start, target.end)
            if not _owner(cue, targets) and sentence.bears_on(cue.category, cue, places[place]):
                cues[place].extend(_meanings(cue, limit))
        for cue in _cues_of(graph):
            if cue.category not in _OF_SENTENCES and (owner := _owner(cue, targets)):
                cues[owner].append(cue)
        for modifier in graph.modifiers:
            cue = _cue(modifier)
            if modifier.direction in _LEADING and (headed := _target_sharing_start(cue, words, targets, denials)):
                cues[headed].extend(_meanings(cue, limit))
            elif cue.category in CHANGES and (compared := _target_sharing_end(cue, words, targets)):
                cues[compared].extend(_meanings(cue, limit))
        return cues

    def _find_targets(self, words: Sequence[str], limit: int) -> list[Match]:
        """The targets of a sentence, named or taken up again by their side alone."""
        rules = self._grammar.ellipsis
        targets = self._targets(words, limit)
        if len(targets) > 1:
            targets = [target for target in targets if not _denies_what_follows(rules, words, target)]
        if len(targets) > 1 and _is_heading(rules, words, targets[0]):
            targets = targets[1:]
        if not targets or rules.sides.isdisjoint(words):
            return targets
        again = [*_ellipses(rules, words, targets), *_contrasts(rules, words, targets)]
        return sorted([*targets, *again], key=lambda match: match.start)

    def _without_parts_of_limitations(self, targets: list[Match], cues: Iterable[Match]) -> list[Match]:
        """The targets but for those that a limitation begins with, or whose normal statements it takes up.

        "A normal radiograph does not exclude" says nothing of the chest.
        """
        limits = [cue for cue in cues if cue.term.label == "LIMITATION"]
        return [t for t in targets if not any(self._is_part(t, cue) for cue in limits)]

    def _is_part(self, target: Match, cue: Match) -> bool:
        if target.term.label == "NORMAL":
            return target.start < cue.end and cue.start < target.end
        is_technical = target.term.meaning[0] in self._technical
        return not is_technical and cue.start == target.start and target.end <= cue.end

    def _without_titles(self, targets: list[Match], statements: Sequence[StatementMatch]) -> list[Match]:
        """The targets but for those that only name the examination: "lung cancer screening CT"."""
        titles = [s for s in statements if s.kind == self._title_kind]
        if not titles:
            return targets
        return [
            target
            for target in targets
            if target.term.meaning[0] in self._technical
            or target.term.label != "FINDING"
            or not any(s.start <= target.start and target.end < s.end for s in titles)
        ]

    def _administrative(self, words: Sequence[str], limit: int) -> Iterator[StatementMatch]:
        if all(word in self._titles or word in _TITLE_MARKS or word.isdecimal() for word in words):
            yield StatementMatch(self._title_kind, self._ranks.get(self._title_kind, 0), 0, len(words) - 1)
            return
        for match in self._statements(words, limit):
            kind = match.term.meaning[0]
            yield StatementMatch(kind, self._ranks[kind], match.start, match.end)


def _denies_what_follows(rules: EllipsisWords, words: Sequence[str], target: Match) -> bool:
    """Return whether a normal statement only begins a cue: "the study is negative for pneumothorax"."""
    return words[target.end] == "for" and words[target.end - 1] in rules.negative and target.term.label != "FINDING"


def _is_heading(rules: EllipsisWords, words: Sequence[str], target: Match) -> bool:
    """Return whether a target is a heading over others: "Lines and tubes: ..."."""
    return words[target.end] in {":", "is"} and target.start == 0 and rules.devices.issuperset(words[: target.end])


def _ellipses(rules: EllipsisWords, words: Sequence[str], targets: Sequence[Match]) -> Iterator[Match]:
    """A side that stands for the finding before it: "right effusion is larger while the left is unchanged"."""
    for at in range(1, len(words) - 1):
        if words[at] not in rules.sides or words[at - 1] not in rules.next_clause or words[at + 1] not in rules.says:
            continue
        before = [target for target in targets if target.end < at]
        if before and before[-1].term.label == "FINDING" and not any(at < target.start for target in targets):
            yield evolve(before[-1], start=at, end=at + 1)


def _contrasts(rules: EllipsisWords, words: Sequence[str], targets: Sequence[Match]) -> Iterator[Match]:
    """A finding that is elsewhere after all: "effusion is not seen on the left but is present on the right"."""
    for at in range(2, len(words) - 2):
        if words[at] not in rules.seen or words[at + 1] not in {"on", "in"} or words[at + 2] not in rules.sides:
            continue
        lead = at - 1 if words[at - 1] != "is" else at - 2
        before = [target for target in targets if target.end <= lead]
        is_contrast = words[lead] == "but" and bool(before) and before[-1].term.label == "FINDING"
        if is_contrast and not any(at < target.start for target in targets):
            yield evolve(before[-1], start=at, end=at + 1)


def _shared_lobes(
    rules: EllipsisWords, words: Sequence[str], found: Sequence[AttributeMatch]
) -> Iterator[AttributeMatch]:
    """The first of two lobes on different sides: "left upper and right lower lobe"."""
    covered = {i for attribute in found if attribute.kind == "zone" for i in range(attribute.start, attribute.end)}
    for at in range(1, len(words) - 4):
        is_pair = words[at] in rules.lobes and words[at + 1] == "and" and words[at + 2] in rules.sides
        if is_pair and at not in covered and words[at + 3] in rules.lobes and words[at + 4] == "lobe":
            yield AttributeMatch("zone", (f"{words[at]}_lobe",), at, at + 1)


def _last_side(found: Iterable[AttributeMatch]) -> str:
    """The side named last, "" where none is or where that names both."""
    side = next((a.side for a in sorted(found, key=lambda a: -a.start) if a.side), "")
    return "" if side == "both" else side


def _with_full_stop(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words with a full stop at their end, which some cues ask for and lists leave out."""
    if words[-1] in {".", "?"}:
        return words
    return (*words[:-1], ".") if words[-1] in {";", ","} else (*words, ".")


def _with_focus(targets: list[Match], focus: tuple[int, int] | None) -> list[Match]:
    if focus is None:
        return targets
    start, end = focus
    others = [target for target in targets if target.end <= start or end <= target.start]
    return sorted([*others, Match(Term("", "FINDING", (FOCUS,)), start, end, -1)], key=lambda match: match.start)


def _attribute_matches(matches: Iterable[Match]) -> Iterator[AttributeMatch]:
    for match in matches:
        kind, *labels = match.term.meaning
        if not kind.startswith("ignored"):
            yield AttributeMatch(kind, tuple(labels), match.start, match.end)


def _owner(cue: ContextMatch, targets: Iterable[Match]) -> tuple[int, int] | None:
    """The target whose own words hold the cue: "heart remains enlarged" is stable, and says nothing of others."""
    spans = ((target.start, target.end) for target in targets)
    return next(((start, end) for start, end in spans if start <= cue.start and cue.end <= end), None)


def _without_asides(words: Sequence[str], cues: list[Match], verdicts: Iterable[Match]) -> list[Match]:
    """The cues but for ends of scopes that open an aside: "effusion, though suspected, is not seen".

    Behind the comma that closes it the sentence goes on with what is said of the finding before.
    """
    judging = [*(cue for cue in cues if cue.term.label in _OF_SENTENCES), *verdicts]
    going_on = {_comma_before(words, cue.start) for cue in judging} - {-1}
    if not going_on:
        return cues
    return [
        cue
        for cue in cues
        if cue.term.label != "TERMINATE"
        or words[cue.start - 1] != ","
        or next((i for i in range(cue.end, len(words)) if words[i] == ","), -1) not in going_on
    ]


def _comma_before(words: Sequence[str], at: int) -> int:
    """Place of a comma that no more than an auxiliary parts from a word, -1 where there is none."""
    start = at - 1
    while start > 0 and words[start] in _AUXILIARIES:
        start -= 1
    return start if start > 0 and words[start] == "," else -1


def _target_sharing_start(
    cue: ContextMatch, words: Sequence[str], targets: Iterable[Match], denials: AbstractSet[str]
) -> tuple[int, int] | None:
    """The target whose first words a cue in front shares: "no ongoing" and "ongoing bleeding".

    Where the words they share hold the denial, it is the target's own: "is not" and "not yet united".
    """
    spans = ((target.start, target.end) for target in targets)
    return next(
        (
            (start, end)
            for start, end in spans
            if cue.start < start < cue.end < end and denials.isdisjoint(words[start : cue.end])
        ),
        None,
    )


def _target_sharing_end(cue: ContextMatch, words: Sequence[str], targets: Iterable[Match]) -> tuple[int, int] | None:
    """The target that ends with a state in comparison that a cue shares: ventricles that are "clearly bigger"."""
    spans = ((target.start, target.end) for target in targets)
    return next(
        (
            (start, end)
            for start, end in spans
            if cue.start < end <= cue.end and (cue.end > end or cue.start < start) and words[end - 1].endswith("er")
        ),
        None,
    )


def _meanings(cue: ContextMatch, limit: int) -> Iterator[ContextMatch]:
    """Yield the meanings of a cue, category by category, over words that the sentence itself has."""
    for category in MEANINGS.get(cue.category, (cue.category,)):
        yield ContextMatch(category, cue.start, min(cue.end, limit))


def _sentence(
    rules: ClauseWords,
    words: tuple[str, ...],
    targets: Sequence[Match],
    attributes: Iterable[AttributeMatch],
    modifiers: Sequence[Any],
) -> Sentence:
    return Sentence(
        rules,
        words=words,
        targets=targets,
        normals=frozenset(index for index, target in enumerate(targets) if target.term.label == "NORMAL"),
        degrees=_places(attributes, "mild", "moderate"),
        strong_degrees=_places(attributes, "severe"),
        sides=frozenset(a.start for a in attributes if a.side),
        covered=frozenset(i for a in attributes for i in range(a.start, a.end)),
        changes=frozenset(cue.start for cue in map(_cue, modifiers) if cue.category in CHANGES),
        stops=tuple(_cue(modifier) for modifier in modifiers if modifier.direction == "TERMINATE"),
        breaks=tuple(cue for cue in map(_cue, modifiers) if cue.category == "STATUS_POST"),
    )


def _places(attributes: Iterable[AttributeMatch], *labels: str) -> frozenset[int]:
    return frozenset(a.start for a in attributes if not set(labels).isdisjoint(a.labels))


def _cues_of(graph: Any) -> Iterator[ContextMatch]:
    return (_cue(modifier) for modifier in graph.modifiers if modifier.direction not in _MUTE)


def _cue(modifier: Any) -> ContextMatch:
    start, end = modifier.modifier_span
    return ContextMatch(modifier.category, start, end)


def _statement_terms(knowledge: Knowledge) -> Iterator[Term]:
    for rule in knowledge.statements:
        for text in rule.terms:
            yield Term(text, "STATEMENT", (rule.kind,))


def _attribute_terms(knowledge: Knowledge) -> Iterator[Term]:
    for rule in knowledge.attributes:
        for text in rule.terms:
            yield Term(text, "ATTRIBUTE", (rule.kind, *rule.labels))
