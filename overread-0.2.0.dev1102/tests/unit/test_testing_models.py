"""The checks of recognizers, encoders and error counters: the sound passes, each fault is found and named."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Final

import numpy as np
import pytest
from attrs import evolve, frozen

from overread.domain.entities.entity import EntityType
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.error_counts import CATEGORY_HEADS, ErrorCounts
from overread.domain.results.result import Unscored
from overread.testing import (
    SAMPLE_PAIRS,
    SAMPLE_REPORTS,
    SAMPLE_TEXTS,
    FakeEncoder,
    FakeErrorCounter,
    FakeRecognizer,
    check_encoder,
    check_error_counter,
    check_recognizer,
)

from .tried import Check, problems_of, spec_of


@frozen
class ChangedRecognizer:
    """The fake recognizer with its answers, identity or note changed."""

    change: Callable[[Sequence[Report], list[Any]], Any] = lambda _reports, answers: answers
    identity: Any = "changed"
    note: Any = ""

    def recognize(self, reports: Sequence[Report]) -> Any:
        return self.change(reports, FakeRecognizer().recognize(reports))


@frozen
class ChangedEncoder:
    """The fake encoder with its rows, identity or note changed."""

    change: Callable[[Any], Any] = lambda rows: rows
    identity: Any = "changed"
    note: Any = ""

    def encode(self, texts: Sequence[str]) -> Any:
        return self.change(FakeEncoder().encode(texts))


@frozen
class ChangedCounter:
    """The fake error counter with its answers, identity or note changed."""

    change: Callable[[Sequence[ReportPair], list[Any]], Any] = lambda _pairs, answers: answers
    identity: Any = "changed"
    note: Any = ""

    def count(self, pairs: Sequence[ReportPair]) -> Any:
        return self.change(pairs, FakeErrorCounter().count(pairs))


KINDS: Final = [
    pytest.param(check_recognizer, ChangedRecognizer, id="recognizer"),
    pytest.param(check_encoder, ChangedEncoder, id="encoder"),
    pytest.param(check_error_counter, ChangedCounter, id="error counter"),
]


@pytest.mark.parametrize(
    ("check", "factory"),
    [
        (check_recognizer, FakeRecognizer),
        (check_recognizer, lambda: FakeRecognizer({SAMPLE_REPORTS[0].text: "too odd"}, note="stands in")),
        (check_encoder, FakeEncoder),
        (check_encoder, lambda: FakeEncoder(note="stands in")),
        (check_error_counter, FakeErrorCounter),
        (check_error_counter, lambda: FakeErrorCounter({"sample-2": {"C": 2.5}}, note="stands in")),
    ],
)
def test_sound_components_pass(check: Check, factory: Callable[[], Any]) -> None:
    """With and without a note; a report that is not blank may be refused."""
    check(spec_of(factory))


@pytest.mark.parametrize(("check", "changed"), KINDS)
def test_identity_and_note_must_be_text(check: Check, changed: Callable[..., Any]) -> None:
    """The identity goes into a signature, the note before a reader; two that are built alike are called alike."""
    numbers = map(str, count())
    assert problems_of(check, lambda: changed(identity="a|b")) == ["identity must hold no bar and no line break"]
    assert problems_of(check, lambda: changed(identity=" ")) == ["identity must be text that is not empty"]
    assert problems_of(check, lambda: changed(identity=next(numbers))) == [
        "identity differs between two that are built alike"
    ]
    assert problems_of(check, lambda: changed(note=None)) == ["note must be text, empty where there is nothing to say"]


def _of_first(change: Callable[[tuple[Any, ...]], Any]) -> Callable[[], ChangedRecognizer]:
    """A recognizer that changes the entities of the first sample report."""

    def changed(reports: Sequence[Report], answers: list[Any]) -> list[Any]:
        return [change(a) if report == SAMPLE_REPORTS[0] else a for report, a in zip(reports, answers, strict=True)]

    return lambda: ChangedRecognizer(changed)


_INSIDE: Final = "each entity must stand inside the report, from start to end"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda found: found[::-1], "entities must stand in reading order"),
        (lambda found: (*found[:-1], evolve(found[-1], end=10_000)), _INSIDE),
        (lambda found: (evolve(found[0], start=-1), *found[1:]), _INSIDE),
        (lambda found: (evolve(found[0], start=0, end=0), *found[1:]), _INSIDE),
        (lambda found: (evolve(found[0], type="DISEASE"), *found[1:]), "the type of each entity must be an EntityType"),
        (lambda found: (evolve(found[0], text=" "), *found[1:]), "the text of each entity must not be empty"),
        (list, "must be a tuple of Entity, or Unscored"),
        (lambda _: ("effusion",), "must be a tuple of Entity, or Unscored"),
        (lambda _: None, "must be a tuple of Entity, or Unscored"),
        (lambda _: Unscored(""), "Unscored must give a reason"),
    ],
)
def test_a_faulty_recognition_is_named_with_its_report(change: Callable[[Any], Any], problem: str) -> None:
    """Nothing else is wrong with it."""
    assert problems_of(check_recognizer, _of_first(change)) == [f"report 1: {problem}"]


def test_blank_reports_have_no_entities() -> None:
    """They are neither refused nor read into something; reports 3 and 5 of the samples are blank."""
    blank = {SAMPLE_REPORTS[index].text: "blank" for index in (2, 4)}
    refused = problems_of(check_recognizer, lambda: FakeRecognizer(blank))
    assert refused == [f"report {number}: a blank report must be read, into no entities" for number in (3, 5)]
    (first,) = FakeRecognizer().recognize(SAMPLE_REPORTS[:1])
    assert isinstance(first, tuple)
    padded = problems_of(check_recognizer, lambda: ChangedRecognizer(lambda _, found: [a or first for a in found]))
    assert "report 3: a blank report must be read into no entities" in padded


_ORDER: Final = "answers do not follow the order of the batch"
_ALONE: Final = "an item alone has another answer than in a batch"


@pytest.mark.parametrize(
    ("check", "factory", "problems"),
    [
        (check_recognizer, lambda: ChangedRecognizer(lambda _, a: a[1:]), ["8 items give 7 answers"]),
        (check_encoder, lambda: ChangedEncoder(lambda rows: rows[1:]), ["8 items give 7 answers"]),
        (check_error_counter, lambda: ChangedCounter(lambda _, a: a[1:]), ["10 items give 9 answers"]),
        (check_encoder, lambda: ChangedEncoder(lambda rows: rows[np.argsort(rows[:, 0])]), [_ORDER, _ALONE]),
        (check_encoder, lambda: ChangedEncoder(lambda rows: np.roll(rows, len(rows) - 1, axis=1)), [_ALONE]),
    ],
)
def test_a_faulty_batch_is_told(check: Check, factory: Callable[[], Any], problems: list[str]) -> None:
    """One answer an item, in order, whatever the company."""
    assert problems_of(check, factory) == problems


def test_an_error_counter_that_sorts_and_does_not_sort_back_is_told() -> None:
    """Sorting by length is common, and so is this mistake."""

    def by_length(_: Sequence[ReportPair], answers: list[Any]) -> list[Any]:
        return sorted(answers, key=lambda answer: getattr(answer, "tokens", 0))

    problems = problems_of(check_error_counter, lambda: ChangedCounter(by_length))
    assert {_ORDER, _ALONE} <= set(problems)


def test_rounding_by_the_batch_is_allowed_to_networks() -> None:
    """In single precision, padding moves the fifth decimal; the third is another answer."""

    def moved(by: float) -> Callable[[], ChangedEncoder]:
        return lambda: ChangedEncoder(lambda rows: rows + np.float32(by) * len(rows))

    def counted(by: float) -> Callable[[], ChangedCounter]:
        def change(pairs: Sequence[ReportPair], answers: list[Any]) -> list[Any]:
            more = by * len(pairs)
            return [
                evolve(a, counts={head: value + more for head, value in a.counts.items()})
                if isinstance(a, ErrorCounts)
                else a
                for a in answers
            ]

        return lambda: ChangedCounter(change)

    check_encoder(spec_of(moved(1e-6)))
    check_error_counter(spec_of(counted(1e-6)))
    assert _ALONE in problems_of(check_encoder, moved(1e-3))
    assert problems_of(check_error_counter, counted(1e-3)) == [_ALONE]


_MATRIX: Final = "must return an array of float32 with one row a text"


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        (lambda rows: rows.tolist(), [_MATRIX]),
        (lambda rows: rows.astype(np.float64), [_MATRIX]),
        (lambda rows: rows.ravel(), [_MATRIX]),
        (lambda rows: 2 * rows, [f"text {n}: the row must have length 1" for n in range(1, len(SAMPLE_TEXTS) + 1)]),
        (lambda rows: rows * np.nan, [f"text {n}: every number must be finite" for n in range(1, 9)]),
    ],
)
def test_faulty_rows_are_told(change: Callable[[Any], Any], problems: list[str]) -> None:
    """A dot product of rows must be a cosine."""
    assert problems_of(check_encoder, lambda: ChangedEncoder(change)) == problems


def _of_sample_two(change: Callable[[ReportPair, ErrorCounts], Any]) -> Callable[[], ChangedCounter]:
    """An error counter that changes the counts of sample-2."""

    def changed(pairs: Sequence[ReportPair], answers: list[Any]) -> list[Any]:
        return [change(p, a) if p.id == "sample-2" else a for p, a in zip(pairs, answers, strict=True)]

    return lambda: ChangedCounter(changed)


_NUMBER: Final = "every count must be a finite number, 0 or more"
_UNSEEN: Final = "unseen must be 0 or more, and no more than tokens"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda _, a: evolve(a, counts={**a.counts, "A": -0.1}), _NUMBER),
        (lambda _, a: evolve(a, counts={**a.counts, "A": math.nan}), _NUMBER),
        (lambda _, a: evolve(a, counts={**a.counts, "A": "1"}), _NUMBER),
        (lambda _, a: evolve(a, presence={"A": 1.5}), "every presence must lie on 0 to 1"),
        (lambda _, a: evolve(a, presence={"Z": 0.5}), "presence is given for a head without a count"),
        (lambda _, a: evolve(a, unseen=10_000), _UNSEEN),
        (lambda _, a: evolve(a, unseen=-1), _UNSEEN),
        (lambda _, a: evolve(a, windows=0), "windows must be 1 or more"),
        (lambda _p, _a: Unscored(""), "Unscored must give a reason"),
        (lambda p, _: Unscored("odd", f"cannot read {p.candidate.text}"), "the reason quotes a report"),
        (lambda _p, _a: 2.0, "must be ErrorCounts or Unscored, not float"),
    ],
)
def test_a_faulty_count_is_named_with_its_pair(change: Callable[[ReportPair, Any], Any], problem: str) -> None:
    """Nothing else is wrong with it."""
    assert problems_of(check_error_counter, _of_sample_two(change)) == [f"pair sample-2: {problem}"]


def test_every_pair_must_have_the_same_heads() -> None:
    """A sum over other heads is another score."""
    fewer = _of_sample_two(lambda _, a: evolve(a, counts={"A": 1.0}, presence={}))
    assert problems_of(check_error_counter, fewer) == ["every pair must have the same heads in the same order"]
    none = _of_sample_two(lambda _, a: evolve(a, counts={}, presence={}))
    assert "pair sample-2: there must be a count for one head or more" in problems_of(check_error_counter, none)


def test_fake_recognizer_takes_the_last_word_of_each_sentence() -> None:
    """Offsets quote the report; "no" denies; a refused report is refused with its reason."""
    report = Report("Left effusion.  No pneumothorax ")
    found, refused = FakeRecognizer({"Odd.": "too odd"}).recognize([report, Report("Odd.")])
    assert isinstance(found, tuple)
    assert [entity.span.of(report.text) for entity in found] == ["effusion", "pneumothorax"]
    assert [entity.type for entity in found] == [EntityType.ABNORMALITY, EntityType.NON_ABNORMALITY]
    assert refused == Unscored("too odd", "the fake refuses it")


def test_fake_encoder_compares_letters() -> None:
    """By hand: ab against b is (1 + 1) / sqrt(3 * 2) with the constant 1 of every row; blank texts are no zero."""
    rows = FakeEncoder().encode(["ab", "B", ""])
    assert float(rows[0] @ rows[1]) == pytest.approx(2 / math.sqrt(6))
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 1.0, 1.0])
    assert FakeEncoder().encode([]).shape == (0, 27)


def test_fake_error_counter_counts_words_or_what_it_is_told() -> None:
    """One word only in the candidate, two only in the reference; two blank reports are unscored."""
    pairs = [
        ReportPair(id="a", reference="Small left effusion.", candidate="left mass"),
        ReportPair(id="b", reference="x", candidate="x"),
        ReportPair(id="c", reference="", candidate=" "),
    ]
    first, told, blank = FakeErrorCounter({"b": {"C": 2.5}}).count(pairs)
    assert isinstance(first, ErrorCounts)
    assert isinstance(told, ErrorCounts)
    assert dict(first.counts) == dict(zip(CATEGORY_HEADS, (1.0, 2.0, 0.0, 0.0, 0.0, 0.0), strict=True))
    assert (first.presence["A"], first.presence["C"], first.tokens) == (1.0, 0.0, 5)
    assert told.total == 2.5
    assert blank == Unscored("empty", "both reports are empty")


def test_samples_hold_what_the_checks_need() -> None:
    """A blank text, one twice, and answers that tell an order from its reverse."""
    assert "" in SAMPLE_TEXTS
    assert len(set(SAMPLE_TEXTS)) == len(SAMPLE_TEXTS) - 1
    counts = FakeErrorCounter().count(SAMPLE_PAIRS)
    assert counts != counts[::-1]
