"""One sentence into clinical units, placed relative to the sentence's first character."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import evolve, frozen

from overread.adapters.lexicon.words import Words
from overread.adapters.medspacy._attachment import attach
from overread.adapters.medspacy._matching import AttributeMatch, SentenceMatches, TargetMatch
from overread.adapters.medspacy._scope import CHANGES
from overread.domain.lexicon import Lexicon
from overread.domain.unit import (
    FALLBACK_CONFIDENCE,
    Certainty,
    Change,
    ClinicalUnit,
    Experiencer,
    Measurement,
    Polarity,
    Temporality,
)

__all__ = ["measurements", "read_sentence"]

_SEVERITY_ORDER: Final = ("mild", "moderate", "severe")
_AGES: Final = frozenset({"acute", "subacute", "chronic", "old", "healed", "remote"})
_DEVICE_STATES: Final = frozenset(
    {"malpositioned", "displaced", "removed", "kinked", "fractured", "unchanged_position"}
)

_NUMBER = r"\d+(?:[.,]\d+)?"
_SIZE: Final = re.compile(
    rf"(?P<values>{_NUMBER}(?:\s*(?:x|by|×|-|–|to|and)\s*{_NUMBER}){{0,2}})[\s-]*"
    r"(?P<unit>mm|millimet(?:er|re)s?|cm|centimet(?:er|re)s?)\b",
    re.IGNORECASE,
)


def read_sentence(text: str, words: Words, matches: SentenceMatches, lexicon: Lexicon) -> tuple[ClinicalUnit, ...]:
    """The units of one sentence; a sentence without any finding is one unit with confidence 0.50."""
    matches = evolve(matches, attributes=tuple(_without_degrees_of_change(words.words, matches)))
    if not matches.targets:
        return (_unread(text, matches),)
    owned = attach(words.words, matches.targets, matches.attributes)
    sizes = _sizes_by_target(text, words, matches.targets)
    spans = _with_sizes([(words.starts[s], words.ends[e - 1]) for s, e in _hulls(matches.targets, owned)], sizes)
    return tuple(
        _unit(text, words, target, spans[index], owned[index], tuple(size.value for size in sizes[index]), lexicon)
        for index, target in enumerate(matches.targets)
    )


def measurements(text: str) -> list[tuple[Measurement, int]]:
    """Sizes in a text with their offsets; each value of "3 x 4 cm" is one measurement.

    >>> [(m.millimetres, at) for m, at in measurements("a 2.5 x 1 cm mass")]
    [(25.0, 2), (10.0, 2)]
    """
    return [(size.value, size.start) for size in _sizes(text)]


@frozen
class _Size:
    """A measurement and the characters of the expression it stands in."""

    value: Measurement
    start: int
    end: int


def _sizes(text: str) -> Iterator[_Size]:
    for match in _SIZE.finditer(text):
        unit = "cm" if match["unit"].lower().startswith("c") else "mm"
        for number in re.findall(_NUMBER, match["values"]):
            value = float(number.replace(",", "."))
            millimetres = value * (10.0 if unit == "cm" else 1.0)
            yield _Size(Measurement(value, unit, millimetres), match.start(), match.end())


def _without_degrees_of_change(words: Sequence[str], matches: SentenceMatches) -> Iterator[AttributeMatch]:
    """Attributes but for degrees of a change: "slightly larger" and "mild interval increase" are no mild findings."""
    named = {i for target in matches.targets for i in range(target.start, target.end)}
    changes = [c for c in matches.cues if c.category in CHANGES and named.isdisjoint(range(c.start, c.end))]
    for attribute in matches.attributes:
        inside = any(cue.start <= attribute.start and attribute.end <= cue.end for cue in changes)
        adverb = words[attribute.end - 1].endswith("ly") and any(cue.start == attribute.end for cue in changes)
        if attribute.kind != "severity" or not (inside or adverb):
            yield attribute


def _unread(text: str, matches: SentenceMatches) -> ClinicalUnit:
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
        confidence=FALLBACK_CONFIDENCE,
    )


def _unit(
    text: str,
    words: Words,
    target: TargetMatch,
    span: tuple[int, int],
    attributes: Sequence[AttributeMatch],
    sizes: tuple[Measurement, ...],
    lexicon: Lexicon,
) -> ClinicalUnit:
    cues = {cue.category for cue in target.cues}
    begin, finish = span
    normal = lexicon.normals.get(target.concept)
    finding = lexicon.findings.get(target.concept)
    # A modifier among the finding's own words is part of its name ("the heart is enlarged"), but for its age.
    named = _labels((a for a in attributes if target.start <= a.start < target.end), "modifier")
    others = _labels((a for a in attributes if not target.start <= a.start < target.end), "modifier")
    modifiers = others | (named & _AGES)
    is_device = finding is not None and finding.device
    return ClinicalUnit(
        span_text=text[begin:finish],
        start=begin,
        end=finish,
        canonical_finding=target.concept,
        surface_finding=text[words.starts[target.start] : words.ends[target.end - 1]],
        polarity=_polarity(cues, is_normal=normal is not None),
        certainty=_certainty(cues),
        change=_nearest_change(target),
        device=target.concept if is_device else None,
        device_status=next(iter(sorted(modifiers & _DEVICE_STATES)), None) if is_device else None,
        severity=_severity(attributes),
        anatomy=_labels(attributes, "side", "zone", "organ") | set((finding or normal or _NO_CONCEPT).anatomy),
        modifiers=modifiers,
        measurements=sizes,
        denies=frozenset(normal.denies) if normal is not None and "NEGATED" not in cues else frozenset(),
        temporality=_temporality(cues),
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
    cues = (cue for cue in target.cues if not (negated and cue.category == "POSSIBLE"))
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


def _temporality(cues: set[str]) -> Temporality:
    """A comparison speaks of this examination: "previously seen effusion has increased"."""
    if "HYPOTHETICAL" in cues:
        return Temporality.HYPOTHETICAL
    return Temporality.HISTORICAL if "HISTORICAL" in cues and CHANGES.isdisjoint(cues) else Temporality.CURRENT


def _severity(attributes: Iterable[AttributeMatch]) -> str | None:
    """The severest word: "small to moderate" is read as one term, so two words are two statements."""
    levels = [label for a in attributes if a.kind == "severity" for label in a.labels]
    return max(levels, key=_SEVERITY_ORDER.index, default=None)


def _labels(attributes: Iterable[AttributeMatch], *kinds: str) -> frozenset[str]:
    return frozenset(label for a in attributes if a.kind in kinds for label in a.labels)


def _sizes_by_target(text: str, words: Words, targets: Sequence[TargetMatch]) -> list[list[_Size]]:
    """Each size goes to the nearest target, measured in characters."""
    owned: list[list[_Size]] = [[] for _ in targets]
    for size in _sizes(text):
        owned[min(range(len(targets)), key=lambda i: _distance(words, targets[i], size.start))].append(size)
    return owned


def _with_sizes(spans: Sequence[tuple[int, int]], sizes: Sequence[Sequence[_Size]]) -> list[tuple[int, int]]:
    """Each unit's characters with its sizes, where no other unit stands between."""
    widened: list[tuple[int, int]] = []
    for index, (start, end) in enumerate(spans):
        floor = widened[-1][1] if widened else 0
        ceiling = spans[index + 1][0] if index + 1 < len(spans) else sys.maxsize
        inside = [size for size in sizes[index] if size.start >= floor and size.end <= ceiling]
        widened.append((min([start, *(s.start for s in inside)]), max([end, *(s.end for s in inside)])))
    return widened


def _distance(words: Words, target: TargetMatch, at: int) -> int:
    start, end = words.starts[target.start], words.ends[target.end - 1]
    return 0 if start <= at < end else min(abs(start - at), abs(at - end))
