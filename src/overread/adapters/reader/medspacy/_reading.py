"""One sentence into clinical units, placed relative to the sentence's first character."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import evolve

from overread.adapters.lexicon.words import Words
from overread.adapters.reader.medspacy._administrative import administrative_kind, with_administrative_clause
from overread.adapters.reader.medspacy._attachment import attach
from overread.adapters.reader.medspacy._matching import AttributeMatch, SentenceMatches, TargetMatch
from overread.adapters.reader.medspacy._scope import CHANGES
from overread.adapters.reader.medspacy._sharing import share
from overread.adapters.reader.medspacy.sizes import Size, change_of, measurements, present, sizes_by_target
from overread.domain.lexicon import Lexicon
from overread.domain.unit import (
    FALLBACK_CONFIDENCE,
    Certainty,
    Change,
    ClinicalUnit,
    Experiencer,
    Polarity,
    Temporality,
    largest,
)

__all__ = ["read_sentence"]

_NAMES: Final = frozenset({("big",), ("large",)})
_SEVERITY_ORDER: Final = ("mild", "moderate", "severe")
_AGES: Final = frozenset({"acute", "subacute", "chronic", "old", "healed", "remote"})
_RESIDUES: Final = frozenset({"calcified", "healed", "old", "granulomatous"})
_MARKED: Final = frozenset({"post_operative", "device"})
"""Categories of what an operation leaves: to be "status post" it is to show it."""

_DEVICE_STATES: Final = frozenset(
    {"malpositioned", "displaced", "removed", "kinked", "fractured", "unchanged_position"}
)


def read_sentence(text: str, words: Words, matches: SentenceMatches, lexicon: Lexicon) -> tuple[ClinicalUnit, ...]:
    """The units of one sentence; a sentence without any finding is one unit with confidence 0.50."""
    matches = evolve(matches, attributes=tuple(_without_degrees_of_change(words.words, matches)))
    matches = share(words.words, matches)
    if not matches.targets:
        return (_whole(text, words.words, matches),)
    owned = attach(words.words, matches.targets, matches.attributes)
    sizes = sizes_by_target(text, words, matches.targets, _devices(matches.targets, lexicon))
    spans = _with_sizes([(words.starts[s], words.ends[e - 1]) for s, e in _hulls(matches.targets, owned)], sizes)
    units = tuple(
        _unit(text, words, target, spans[index], owned[index], sizes[index], lexicon, matches.modalities)
        for index, target in enumerate(matches.targets)
    )
    return with_administrative_clause(text, words, matches, units)


def _devices(targets: Sequence[TargetMatch], lexicon: Lexicon) -> list[int]:
    concepts = [lexicon.findings.get(target.concept) for target in targets]
    return [index for index, finding in enumerate(concepts) if finding is not None and finding.device]


def _without_degrees_of_change(words: Sequence[str], matches: SentenceMatches) -> Iterator[AttributeMatch]:
    """Attributes but for degrees of a change: "slightly larger" and "mild interval increase" are no mild findings."""
    named = {i for target in matches.targets for i in range(target.start, target.end)}
    changes = [c for c in matches.cues if c.category in CHANGES and named.isdisjoint(range(c.start, c.end))]
    for attribute in matches.attributes:
        inside = any(cue.start <= attribute.start and attribute.end <= cue.end for cue in changes)
        adverb = words[attribute.end - 1].endswith("ly") and any(cue.start == attribute.end for cue in changes)
        if attribute.kind != "severity" or not (inside or adverb):
            yield attribute


def _whole(text: str, words: Sequence[str], matches: SentenceMatches) -> ClinicalUnit:
    """The one unit of a sentence without a finding: administrative, or unread."""
    if kind := administrative_kind(words, matches):
        return ClinicalUnit(span_text=text, start=0, end=len(text), administrative=kind, modalities=matches.modalities)
    cues = {cue.category for cue in matches.cues}
    return ClinicalUnit(
        span_text=text,
        start=0,
        end=len(text),
        polarity=Polarity.ABSENT if "NEGATED" in cues else Polarity.PRESENT,
        certainty=_certainty(cues),
        change=_change(cues),
        temporality=_temporality(cues),
        experiencer=Experiencer.FAMILY if "FAMILY" in cues else Experiencer.PATIENT,
        severity=_severity(matches.attributes),
        anatomy=_labels(matches.attributes, "side", "zone", "organ"),
        modifiers=_labels(matches.attributes, "modifier"),
        measurements=tuple(measurement for measurement, _ in measurements(text)),
        modalities=matches.modalities,
        confidence=FALLBACK_CONFIDENCE,
    )


def _unit(
    text: str,
    words: Words,
    target: TargetMatch,
    span: tuple[int, int],
    attributes: Sequence[AttributeMatch],
    sizes: Sequence[Size],
    lexicon: Lexicon,
    modalities: frozenset[str],
) -> ClinicalUnit:
    change = _nearest_change(target)
    cues = {cue.category for cue in target.cues} - ({"RESOLVED"} if change is not Change.RESOLVED else set())
    begin, finish = span
    labels = _labels(attributes, "zone", "organ") | _labels(
        (a for a in attributes if not target.start <= a.start < target.end), "modifier"
    )
    biggest = largest(present(sizes))
    concept = lexicon.described(target.concept, labels, 0.0 if biggest is None else biggest.millimetres)
    normal = lexicon.normals.get(concept)
    finding = lexicon.findings.get(concept)
    # A modifier among the finding's own words is part of its name ("the heart is enlarged"), but for its age.
    named = _labels((a for a in attributes if target.start <= a.start < target.end), "modifier")
    others = _labels((a for a in attributes if not target.start <= a.start < target.end), "modifier")
    modifiers = others | (named & _AGES)
    is_device = finding is not None and finding.device
    return ClinicalUnit(
        span_text=text[begin:finish],
        start=begin,
        end=finish,
        canonical_finding=concept,
        surface_finding=text[words.starts[target.start] : words.ends[target.end - 1]],
        polarity=_polarity(cues, is_normal=normal is not None),
        certainty=_certainty(cues),
        change=change or change_of(sizes),
        device=concept if is_device else None,
        device_status=next(iter(sorted(modifiers & _DEVICE_STATES)), None) if is_device else None,
        severity=_severity(a for a in attributes if not _names_size(words, target, attributes, a)),
        anatomy=_labels(attributes, "side", "zone", "organ") | set((finding or normal or _NO_CONCEPT).anatomy),
        modifiers=modifiers,
        measurements=present(sizes),
        denies=frozenset(normal.denies) if normal is not None and "NEGATED" not in cues else frozenset(),
        administrative=target.administrative,
        modalities=modalities,
        temporality=_temporality(
            cues - ({"HISTORICAL"} if _is_sign_of_the_past(target, attributes) else set()),
            leaves_a_mark=finding is not None and finding.category in _MARKED,
        ),
        experiencer=Experiencer.FAMILY if "FAMILY" in cues else Experiencer.PATIENT,
    )


class _NO_CONCEPT:  # noqa: N801
    anatomy: tuple[str, ...] = ()


def _hulls(targets: Sequence[TargetMatch], owned: Sequence[Sequence[AttributeMatch]]) -> list[tuple[int, int]]:
    """The words of each unit; a word that bears on two ("atelectasis or pneumonia") goes to the first."""
    hulls: list[tuple[int, int]] = []
    for index, attributes in enumerate(owned):
        start, end = _hull(targets, index, attributes)
        hulls.append((max(start, hulls[-1][1]) if hulls else start, end))
    return hulls


def _hull(targets: Sequence[TargetMatch], index: int, attributes: Iterable[AttributeMatch]) -> tuple[int, int]:
    """Words from the first to the last that bear on a target, without reaching over another target."""
    target = targets[index]
    floor = targets[index - 1].end if index else 0
    ceiling = targets[index + 1].start if index + 1 < len(targets) else 10**9
    negated = any(cue.category == "NEGATED" for cue in target.cues)
    apart = {"HYPOTHETICAL", "POSSIBLE"} if negated else {"HYPOTHETICAL"}
    cues = (cue for cue in target.cues if cue.category not in apart)
    parts = [(a.start, a.end) for a in attributes] + [(c.start, c.end) for c in cues]
    inside = [(s, e) for s, e in parts if s >= floor and e <= ceiling]
    return (
        min([target.start, *(s for s, _ in inside)]),
        max([target.end, *(e for _, e in inside)]),
    )


def _polarity(cues: set[str], *, is_normal: bool) -> Polarity:
    if is_normal:
        return Polarity.PRESENT if "NEGATED" in cues else Polarity.ABSENT
    if "NEGATED" in cues or "RESOLVED" in cues:
        return Polarity.ABSENT
    return Polarity.UNCERTAIN if "POSSIBLE" in cues else Polarity.PRESENT


def _certainty(cues: set[str]) -> Certainty | None:
    if "NEGATED" in cues:
        return None
    if "POSSIBLE" in cues:
        return Certainty.POSSIBLE
    if "PROBABLE" in cues:
        return Certainty.PROBABLE
    return Certainty.DEFINITE if "DEFINITE" in cues else None


def _nearest_change(target: TargetMatch) -> Change | None:
    """The change word nearest to the target: "stable cardiomegaly with new effusion" has one for each."""
    cues = [cue for cue in target.cues if cue.category in CHANGES]
    if not cues:
        return None
    nearest = min(cues, key=lambda cue: max(cue.start - target.end, target.start - cue.end))
    return Change(nearest.category.lower())


def _change(cues: set[str]) -> Change | None:
    if {"IMPROVED", "WORSENED"} <= cues:
        return None
    return next((Change(c.lower()) for c in ("RESOLVED", "WORSENED", "IMPROVED", "NEW", "STABLE") if c in cues), None)


def _temporality(cues: set[str], *, leaves_a_mark: bool = False) -> Temporality:
    """A comparison speaks of this examination: "previously seen effusion has increased".

    So does an operation the patient is "status post": its mark is on the picture.
    """
    if "HYPOTHETICAL" in cues:
        return Temporality.HYPOTHETICAL
    past = "HISTORICAL" in cues or ("STATUS_POST" in cues and not leaves_a_mark)
    return Temporality.HISTORICAL if past and CHANGES.isdisjoint(cues) else Temporality.CURRENT


def _is_sign_of_the_past(target: TargetMatch, attributes: Iterable[AttributeMatch]) -> bool:
    """Whether a finding said to be "prior" is what the past left: "consistent with prior infection", "calcified"."""
    if any(cue.category == "HISTORICAL" and cue.end - cue.start > 1 for cue in target.cues):
        return False
    is_inferred = any(cue.category in {"PROBABLE", "POSSIBLE", "DEFINITE"} for cue in target.cues)
    return is_inferred or not _RESIDUES.isdisjoint(_labels(attributes, "modifier"))


def _names_size(
    words: Words, target: TargetMatch, attributes: Sequence[AttributeMatch], attribute: AttributeMatch
) -> bool:
    """Whether a size word is the finding's own name: "the heart is big" says no more than that it is enlarged.

    A target of nothing but attributes takes an earlier finding up: "effusions, small left and large right".
    """
    own = range(target.start, target.end)
    described = {i for a in attributes for i in range(a.start, a.end)}
    described |= {i for i in own if words.words[i] in {"on", "in", "at", "one"}}
    inside = attribute.start in own and attribute.end - 1 in own and not described.issuperset(own)
    return inside and words.words[attribute.start : attribute.end] in _NAMES


def _severity(attributes: Iterable[AttributeMatch]) -> str | None:
    """The severest word: "small to moderate" is read as one term, so two words are two statements."""
    levels = [label for a in attributes if a.kind == "severity" for label in a.labels]
    return max(levels, key=_SEVERITY_ORDER.index, default=None)


def _labels(attributes: Iterable[AttributeMatch], *kinds: str) -> frozenset[str]:
    return frozenset(label for a in attributes if a.kind in kinds for label in a.labels)


def _with_sizes(spans: Sequence[tuple[int, int]], sizes: Sequence[Sequence[Size]]) -> list[tuple[int, int]]:
    """Each unit's characters with its sizes, where no other unit stands between."""
    widened: list[tuple[int, int]] = []
    for index, (start, end) in enumerate(spans):
        floor = widened[-1][1] if widened else 0
        ceiling = spans[index + 1][0] if index + 1 < len(spans) else sys.maxsize
        inside = [size for size in sizes[index] if size.start >= floor and size.end <= ceiling]
        widened.append((min([start, *(s.start for s in inside)]), max([end, *(s.end for s in inside)])))
    return widened
