"""Contracts: what a component may not answer, however well it is meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from overread.application import contracts
from overread.domain.differences.second_reading import SecondReading
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report, Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.judgement import Judgement
from overread.domain.results.ratescore import NameMatches
from overread.domain.results.readout import TARGETS, Risk
from overread.domain.results.result import Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect
from overread.exceptions import ComponentError
from overread.testing import SAMPLE_COSTS, SAMPLE_READINGS, FakeAligner

from .fakes import pair

REPORT = Report("Small effusion. No edema.")
EFFUSION = ClinicalUnit(span_text="effusion", start=6, end=14, canonical_finding="effusion")
EDEMA = ClinicalUnit(span_text="edema", start=19, end=24, canonical_finding="edema")
SAID = Entity("effusion", 6, 14, EntityType.DISEASE)
DENIED = Entity("edema", 19, 24, EntityType.NON_DISEASE)
PLAN = FakeAligner().align(SAMPLE_COSTS[:1])[0]
RISK = Risk(scores=dict.fromkeys(TARGETS, 1.0), contributions={})
COUNTS = ErrorCounts(counts={"A": 1.0})
OUTSIDE = Discrepancy(
    category=None,
    aspect=ErrorAspect.DESCRIPTION,
    type=None,
    severity=Severity.SIGNIFICANT,
    reason="lost",
    finding="",
    candidate_spans=(Span(3, 99),),
)


class Component:
    """Answers every port with the same thing, and keeps what it was asked."""

    identity = note = "scripted"
    uses_self_alignments = False

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    def _say(self, asked: Sequence[Any]) -> Any:
        self.asked.append(asked)
        return self.answer

    extract = recognize = encode = count = judge = align = read_out = read_again = _say

    def match_names(self, reference: Any, candidate: Any) -> Any:
        assert isinstance(candidate, tuple)
        return self._say(reference)


Ask = Callable[[Any], Any]


def units(component: Any) -> Any:
    return contracts.units_of(component, [REPORT])


def entities(component: Any) -> Any:
    return contracts.entities_of(component, [REPORT])


def vectors(component: Any) -> Any:
    return contracts.vectors_of(component, ["effusion", "edema"])


def nameless(component: Any) -> Any:
    return contracts.entities_of(component, [REPORT], named=False)


def matches(component: Any) -> Any:
    return contracts.matches_of(component, ["effusion", "edema"], ["edema"])


def counts(component: Any) -> Any:
    return contracts.counts_of(component, [pair("a", "x", "y")])


def judgements(component: Any) -> Any:
    return contracts.judgements_of(component, [pair("a", "x", "y")])


def alignments(component: Any) -> Any:
    return contracts.alignments_of(component, SAMPLE_COSTS[:1])


def risks(component: Any) -> Any:
    return contracts.risks_of(component, [None])  # type: ignore[list-item]


def second_readings(component: Any) -> Any:
    return contracts.second_readings_of(component, SAMPLE_READINGS[:1])


FIRST = SAMPLE_READINGS[0]
CERTAIN = (1.0,) * len(FIRST.discrepancies)
FOUND = evolve(FIRST.discrepancies[0], reference_spans=(Span(0, 3),), candidate_spans=())

ROWS = np.array([[0.6, 0.8], [1.0, 0.0]], dtype=np.float32)

MATCHED = NameMatches(np.array([[0.1], [1.0]]), np.array([[0.1, 1.0]]), np.array([0, 0]), np.array([1]))

SOUND: list[tuple[Ask, Any]] = [
    (units, [(EFFUSION, EDEMA)]),
    (units, [()]),
    (units, (Unscored("language"),)),
    (entities, [(SAID, DENIED)]),
    (nameless, [(evolve(SAID, text=""),)]),
    (vectors, ROWS),
    (vectors, ROWS.astype(np.float16)),
    (matches, MATCHED),
    (counts, [COUNTS]),
    (judgements, [Judgement(discrepancies=())]),
    (alignments, [PLAN]),
    (risks, [RISK]),
    (second_readings, [SecondReading([float(np.float32(0.25))] * len(CERTAIN))]),
    (second_readings, [SecondReading(CERTAIN, (FOUND,))]),
]

BROKEN: list[tuple[Ask, Any, str]] = [
    (units, [], "0 answers for 1"),
    (units, None, "not a sequence"),
    (units, iter([()]), "not a sequence"),
    (units, [[EFFUSION]], "a tuple of clinical units"),
    (units, [("effusion",)], "a tuple of clinical units"),
    (units, [(evolve(EFFUSION, end=99),)], "lie outside the report"),
    (units, [(evolve(EFFUSION, start=7, end=15),)], "words are not where it points to"),
    (units, [(EDEMA, EFFUSION)], "not in reading order"),
    (units, [(evolve(EFFUSION, canonical_finding=None),)], "finding is not text"),  # type: ignore[arg-type]
    (units, [(evolve(EFFUSION, polarity="present"),)], "not a Polarity"),  # type: ignore[arg-type]
    (units, [Unscored("")], "without a reason"),
    (entities, [(DENIED, SAID)], "not in reading order"),
    (entities, [(evolve(SAID, text=" "),)], "without a name"),
    (entities, [(Entity("effusion", 6, 14, "DISEASE"),)], "not an EntityType"),  # type: ignore[arg-type]
    (entities, [[SAID]], "a tuple of entities"),
    (vectors, ROWS[:1], "shape"),
    (vectors, ROWS.tolist(), "shape list"),
    (vectors, ROWS * 2, "not of unit length"),
    (vectors, ROWS * np.nan, "not finite"),
    (matches, None, "did not return matches of names"),
    (matches, evolve(MATCHED, back_matches=np.array([0, 1])), "whose shape is not that"),
    (matches, evolve(MATCHED, back=np.array([[0.1]])), "whose shape is not that"),
    (matches, evolve(MATCHED, similarities=np.full((2, 1), np.nan)), "not finite"),
    (matches, evolve(MATCHED, matches=np.array([0, 1])), "matches of no name"),
    (counts, [evolve(COUNTS, counts={"A": -1.0})], "not a number of 0 or more"),
    (counts, [ErrorCounts(counts={"A": "one"})], "not a number of 0 or more"),  # type: ignore[dict-item]
    (counts, [evolve(COUNTS, counts={})], "did not return error counts"),
    (counts, [1.0], "did not return error counts"),
    (judgements, [()], "did not return a judgement"),
    (judgements, [Judgement(discrepancies=(OUTSIDE,))], "outside its report"),
    (judgements, [Judgement(discrepancies=("wrong",))], "a tuple of discrepancies"),  # type: ignore[arg-type]
    (alignments, [None], "did not return an alignment"),
    (alignments, [evolve(PLAN, plan=PLAN.plan * np.nan)], "did not return a transport plan"),
    (alignments, [evolve(PLAN, plan=-PLAN.plan)], "did not return a transport plan"),
    (alignments, [evolve(PLAN, plan=PLAN.plan[:, :0])], "did not return a transport plan"),
    (risks, [evolve(RISK, scores={"total": 1.0})], "a risk with numbers"),
    (risks, [evolve(RISK, scores=dict.fromkeys(TARGETS, True))], "a risk with numbers"),
    (risks, [evolve(RISK, relative=float("nan"))], "relative risk"),
    (second_readings, [CERTAIN], "a second reading"),
    (second_readings, [SecondReading(())], "a probability for each"),
    (second_readings, [SecondReading((1.5,) * len(CERTAIN))], "a probability for each"),
    (second_readings, [SecondReading(("0.5",) * len(CERTAIN))], "a probability for each"),  # type: ignore[arg-type]
    (second_readings, [SecondReading((True,) * len(CERTAIN))], "a probability for each"),
    (second_readings, [SecondReading(CERTAIN, (evolve(FOUND, probability=1.5),))], "a probability for each"),
    (second_readings, [SecondReading(CERTAIN, (1.0,))], "a second reading"),  # type: ignore[arg-type]
    (second_readings, [SecondReading(CERTAIN, (evolve(FOUND, extent=None),))], "has no weight"),
    (second_readings, [SecondReading(CERTAIN, (evolve(FOUND, reference_spans=(Span(0, 999),)),))], "in neither report"),
    (second_readings, [SecondReading(CERTAIN, (evolve(FOUND, reference_spans=()),))], "in neither report"),
]


@pytest.mark.parametrize(("ask", "answer"), SOUND)
def test_a_sound_answer_passes_as_it_is(ask: Ask, answer: Any) -> None:
    """Numbers of numpy, half precision and reasons for no answer among them."""
    assert np.array_equal(ask(Component(answer)), np.asarray(answer, dtype=object)) or ask(Component(answer)) == answer


@pytest.mark.parametrize(("ask", "answer", "problem"), BROKEN)
def test_what_breaks_a_contract_names_the_class_and_nothing_of_a_report(ask: Ask, answer: Any, problem: str) -> None:
    """The message has kind, module and class, and what is wrong; no word that was read."""
    with pytest.raises(ComponentError, match=problem) as caught:
        ask(Component(answer))
    assert f"{__name__}.Component" in str(caught.value)
    assert "effusion" not in str(caught.value)


@pytest.mark.parametrize(("ask", "answer"), SOUND)
def test_what_is_handed_out_cannot_be_sorted(ask: Ask, answer: Any) -> None:
    """Every component is given a tuple."""
    component = Component(answer)
    ask(component)
    assert [type(asked) for asked in component.asked] == [tuple]


@pytest.mark.parametrize("number", [1, 0.5, np.float32(1.5), np.int64(2)])
def test_numbers_of_any_library_are_numbers(number: Any) -> None:
    """Plain ones and numpy's."""
    assert contracts.is_number(number)


@pytest.mark.parametrize("value", [True, np.bool_(1), None, "1", float("nan"), float("inf"), 1j, [1.0], np.ones(1)])
def test_what_is_no_finite_number_is_none(value: Any) -> None:
    """Truth values, texts, lists and what is not finite."""
    assert not contracts.is_number(value)
