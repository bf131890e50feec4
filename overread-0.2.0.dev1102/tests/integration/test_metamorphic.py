"""What a change to a report must do to its score, whatever the report: over the references of the gold corpus.

An ordinary run takes a sample, `make slow` all of them. Nothing here knows what a score should be, only which of two is
the better one. Exceptions are named with their reasons; the lists may only shrink.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest
from attrs import frozen

import overread
from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.segments import SectionSplitter
from overread.domain.findings.extents import importance_of
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult, Scored, TransportEvidence
from overread.domain.vocabulary.severity import Importance
from overread.studies.infrastructure.datasets.annotated_sets.gold import read_gold

_GOLD: Final = Path(overread.__file__).parent / "studies" / "infrastructure" / "datasets" / "gold"
_PARTS: Final = ("open", "select")
"""Those that may be looked at."""

_SAMPLE: Final = 24
"""References in an ordinary run."""

_FALSE: Final = (
    "There is a large right tension pneumothorax.",
    "There is free air under the diaphragm.",
    "There is an acute aortic dissection.",
    "The endotracheal tube ends in the right main bronchus.",
    "There is an acute subdural hematoma.",
    "There is a ruptured spleen.",
)
"""Each is urgent; one is added only where neither report has its finding, or a kind of it."""

_NUMBER: Final = re.compile(r"(?<![\w.,/:-])(?<!\d )\d{1,2}(?=[ -]?(?:mm|cm)\b)")
_WORDS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_OVERLOOKED: Final = {
    "g160/135": "the tumor of 46 mm is carried onto one that another sentence names without a size, at no cost",
    "g243/348": "the anterolisthesis of 4 mm is carried onto the conclusion's, which has no size, at no cost",
    "g193/124": "how far a catheter is to be withdrawn: advice is not compared by distance",
    "g198/125": "the same",
    "g328/87": "the thickness of the sections, in the technique",
}
"""Measurements whose change is no discrepancy, by study and first character, each with the reason."""

_OTHER_SIDE: Final = {"left": "right", "l": "r", "lt": "rt", "lll": "rll", "lul": "rul", "luq": "ruq", "llq": "rlq"}
_SIDE: Final = re.compile(
    rf"(?i)(?<![\w/])(?:{'|'.join([*_OTHER_SIDE, *_OTHER_SIDE.values()])})(?![\w/]|\.\d)|(?:left|right)(?=wards?\b)"
)
_SIDE_WORD: Final = re.compile(r"(?i)\b(?:left|right)\b")


@functools.cache
def _pairs() -> tuple[ReportPair, ...]:
    return tuple(rated.pair for part in _PARTS for rated in read_gold(_GOLD, part=part).pairs)


@functools.cache
def _references() -> Mapping[str, str]:
    """Each reference by the id of its study."""
    return {re.sub(r"\D+$", "", pair.id): pair.reference.text for pair in _pairs()}


def _sample() -> Mapping[str, str]:
    names = random.Random(11).sample(sorted(_references()), _SAMPLE)  # noqa: S311 - no secret
    return {name: _references()[name] for name in names}


@frozen
class _Case:
    """A candidate to be scored against a reference."""

    id: str
    reference: str
    candidate: str


def _scores(cases: Sequence[_Case]) -> list[EvaluationResult]:
    rows = [{"id": case.id, "reference": case.reference, "candidate": case.candidate} for case in cases]
    return [result["notation"] for result in overread.score_many(rows, metrics=["notation:fast"])]


def _score(result: EvaluationResult) -> float | None:
    return result.outcome.score if isinstance(result.outcome, Scored) else None


def _units(texts: Iterable[str]) -> dict[str, tuple[ClinicalUnit, ...]]:
    """What is read of each text, where it can be."""
    distinct = list(dict.fromkeys(texts))
    found = _scores([_Case(str(number), text, text) for number, text in enumerate(distinct)])
    evidence = [result.outcome.evidence if isinstance(result.outcome, Scored) else None for result in found]
    return {t: e.reference_units for t, e in zip(distinct, evidence, strict=True) if isinstance(e, TransportEvidence)}


def _asserted(units: Iterable[ClinicalUnit]) -> set[str]:
    return {unit.canonical_finding for unit in units if unit.asserts_finding}


# A false finding


def _with_false_findings(references: Mapping[str, str]) -> Iterator[tuple[_Case, _Case]]:
    """Copies and candidates of the references, each without and with an urgent sentence that is false of it."""
    candidates = [(f"{name}=", text, text) for name, text in references.items()]
    candidates += [
        (pair.id, pair.reference.text, pair.candidate.text)
        for pair in _pairs()
        if re.sub(r"\D+$", "", pair.id) in references
    ]
    units = _units([*_FALSE, *(text for _, *texts in candidates for text in texts)])
    lexicon = load_knowledge().lexicon
    for number, (name, reference, candidate) in enumerate(candidates):
        if reference not in units or candidate not in units:
            continue
        held = _asserted((*units[reference], *units[candidate]))
        for sentence in _FALSE[number % 2 :: 2]:
            added = _asserted(units[sentence])
            if any(lexicon.is_kind_of(a, b) or lexicon.is_kind_of(b, a) for a in held for b in added):
                continue
            one = _Case(f"{name}/{_FALSE.index(sentence)}", reference, candidate)
            yield one, _Case(one.id, reference, f"{candidate.rstrip()}\n{sentence}")


def _bettered(references: Mapping[str, str]) -> set[str]:
    """Ids of the candidates that a false finding makes no worse, or better where something else was wrong already."""
    both = list(_with_false_findings(references))
    before, after = (_scores([pair[at] for pair in both]) for at in (0, 1))
    scored = [(one.pair_id, _score(one), _score(two)) for one, two in zip(before, after, strict=True)]
    assert len(scored) > 2 * len(references)
    return {
        name
        for name, one, two in scored
        if one is not None and two is not None and (two > one + 1e-9 or (one > 1 - 1e-9 and two > one - 1e-9))
    }


def test_a_false_finding_never_makes_a_report_better() -> None:
    """An urgent one makes a copy worse, and a candidate that is wrong already no better."""
    assert _bettered(_sample()) == set()


@pytest.mark.slow
def test_a_false_finding_never_makes_any_report_better() -> None:
    """All references, and all candidates."""
    assert _bettered(_references()) == set()


# A sentence left out


def _without_sentences(references: Mapping[str, str]) -> Iterator[tuple[str, _Case]]:
    """References without a statement that calls something normal, or without all that names an urgent finding.

    What names it are the finding itself, its kinds and broader terms, and its signs or causes, wherever they are told.
    """
    units = _units(references.values())
    lexicon, splitter = load_knowledge().lexicon, SectionSplitter(load_knowledge())

    def is_kin(one: str, other: str) -> bool:
        return any(
            of(*pair) for of in (lexicon.is_kind_of, lexicon.is_sign_of) for pair in ((one, other), (other, one))
        )

    for name, text in references.items():
        outline = splitter.outline(text)
        spans = [outline.given(span) for _, span in outline.sentences]
        said = [(s, [u for u in units.get(text, ()) if s.start <= u.start and u.end <= s.end]) for s in spans]
        for span, own in said:
            if own and all(unit.denies_finding for unit in own):
                yield "normal", _Case(f"{name}/{span.start}", text, text[: span.start] + text[span.end :])
        for finding in sorted(_asserted(u for u in units.get(text, ()) if _is_urgent(u, lexicon))):
            rest = text
            for span, own in reversed(said):
                if any(is_kin(named, finding) for named in _asserted(own)):
                    rest = rest[: span.start] + rest[span.end :]
            yield "urgent", _Case(f"{name}/{finding}", text, rest)


def _is_urgent(unit: ClinicalUnit, lexicon: Lexicon) -> bool:
    return unit.asserts_finding and importance_of(unit, lexicon) is Importance.URGENT


def _preferred(references: Mapping[str, str]) -> set[str]:
    """Ids of the studies in which leaving out an urgent finding scores better than leaving out a normal statement."""
    cases = list(_without_sentences(references))
    worst: dict[str, float] = {}
    best: dict[str, float] = {}
    for (kind, case), result in zip(cases, _scores([case for _, case in cases]), strict=True):
        name, score = case.id.split("/")[0], _score(result)
        if score is not None and kind == "normal":
            worst[name] = min(worst.get(name, score), score)
        elif score is not None:
            best[name] = max(best.get(name, score), score)
    assert best
    return {name for name in best.keys() & worst.keys() if best[name] > worst[name] + 1e-9}


def test_an_urgent_finding_left_out_is_no_better_than_a_normal_statement_left_out() -> None:
    """However short the one sentence and long the other."""
    assert _preferred(_sample()) == set()


@pytest.mark.slow
def test_no_urgent_finding_left_out_is_better_than_a_normal_statement_left_out() -> None:
    """All references."""
    assert _preferred(_references()) == set()


# Sides


def _turned(text: str) -> str:
    """A report with every side flipped."""
    other = _OTHER_SIDE | {there: here for here, there in _OTHER_SIDE.items()}

    def side(match: re.Match[str]) -> str:
        word = other[match.group().lower()]
        return word.upper() if match.group().isupper() else word.title() if match.group().istitle() else word

    return _SIDE.sub(side, text)


def _perfect_on_the_other_side(references: Mapping[str, str]) -> set[str]:
    cases = [_Case(name, text, _turned(text)) for name, text in references.items() if _SIDE_WORD.search(text)]
    assert cases
    results = [result for result in _scores(cases) if isinstance(result.outcome, Scored)]
    return {result.pair_id for result in results if not result.discrepancies or (_score(result) or 0.0) >= 1}


def test_a_report_on_the_other_side_is_not_perfect() -> None:
    """A discrepancy is listed wherever left and right change places, title and denials included."""
    assert _perfect_on_the_other_side(_sample()) == set()


@pytest.mark.slow
def test_no_report_on_the_other_side_is_perfect() -> None:
    """All references that name a side."""
    assert _perfect_on_the_other_side(_references()) == set()


# Numbers in words


def _in_words(number: int) -> str:
    if number < len(_WORDS):
        return _WORDS[number]
    return _TENS[number // 10] + (f"-{_WORDS[number % 10]}" if number % 10 else "")


def _spelled(text: str) -> str:
    return _NUMBER.sub(lambda match: _in_words(int(match.group())), text)


def _with_other_numbers(references: Mapping[str, str]) -> Iterator[_Case]:
    """References with one of their measurements as another number in words, well apart from it."""
    for name, text in references.items():
        for match in _NUMBER.finditer(text):
            number = int(match.group())
            other = _in_words(7 * number if 7 * number < 100 else number // 5)
            yield _Case(f"{name}/{match.start()}", text, text[: match.start()] + other + text[match.end() :])


def _moved_by_spelling(references: Mapping[str, str]) -> set[str]:
    cases = [_Case(name, text, _spelled(text)) for name, text in references.items() if _NUMBER.search(text)]
    assert cases
    return {result.pair_id for result in _scores(cases) if result.discrepancies or _score(result) != 1}


def _other_numbers_overlooked(references: Mapping[str, str]) -> set[str]:
    cases = list(_with_other_numbers(references))
    assert cases
    return {result.pair_id for result in _scores(cases) if not result.discrepancies}


def test_a_number_in_words_is_the_number() -> None:
    """Before a unit: the copy stays perfect, and another number in words is a discrepancy."""
    assert _moved_by_spelling(_sample()) == set()
    assert _other_numbers_overlooked(_sample()) <= set(_OVERLOOKED)


@pytest.mark.slow
def test_every_number_in_words_is_the_number() -> None:
    """All references."""
    assert _moved_by_spelling(_references()) == set()
    assert _other_numbers_overlooked(_references()) == set(_OVERLOOKED)
