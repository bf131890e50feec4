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
    (units, None, "no sequence"),
    (units, iter([()]), "no sequence"),
    (units, [[EFFUSION]], "no tuple of clinical units"),
    (units, [("effusion",)], "no tuple of clinical units"),
    (units, [(evolve(EFFUSION, end=99),)], "do not lie in the report"),
    (units, [(evolve(EFFUSION, start=7, end=15),)], "words do not stand where it points to"),
    (units, [(EDEMA, EFFUSION)], "not in reading order"),
    (units, [(evolve(EFFUSION, canonical_finding=None),)], "finding is no text"),  # type: ignore[arg-type]
    (units, [(evolve(EFFUSION, polarity="present"),)], "no Polarity"),  # type: ignore[arg-type]
    (units, [Unscored("")], "without a reason"),
    (entities, [(DENIED, SAID)], "not in reading order"),
    (entities, [(evolve(SAID, text=" "),)], "without a name"),
    (entities, [(Entity("effusion", 6, 14, "DISEASE"),)], "no EntityType"),  # type: ignore[arg-type]
    (entities, [[SAID]], "no tuple of entities"),
    (vectors, ROWS[:1], "shape"),
    (vectors, ROWS.tolist(), "shape list"),
    (vectors, ROWS * 2, "not of unit length"),
    (vectors, ROWS * np.nan, "not finite"),
    (matches, None, "no matches of names"),
    (matches, evolve(MATCHED, back_matches=np.array([0, 1])), "another shape"),
    (matches, evolve(MATCHED, back=np.array([[0.1]])), "another shape"),
    (matches, evolve(MATCHED, similarities=np.full((2, 1), np.nan)), "not finite"),
    (matches, evolve(MATCHED, matches=np.array([0, 1])), "matches of no name"),
    (counts, [evolve(COUNTS, counts={"A": -1.0})], "no number from 0 up"),
    (counts, [ErrorCounts(counts={"A": "one"})], "no number from 0 up"),  # type: ignore[dict-item]
    (counts, [evolve(COUNTS, counts={})], "no error counts"),
    (counts, [1.0], "no error counts"),
    (judgements, [()], "no judgement"),
    (judgements, [Judgement(discrepancies=(OUTSIDE,))], "outside its report"),
    (judgements, [Judgement(discrepancies=("wrong",))], "no tuple of discrepancies"),  # type: ignore[arg-type]
    (alignments, [None], "no alignment"),
    (alignments, [evolve(PLAN, plan=PLAN.plan * np.nan)], "no transport plan"),
    (alignments, [evolve(PLAN, plan=-PLAN.plan)], "no transport plan"),
    (alignments, [evolve(PLAN, plan=PLAN.plan[:, :0])], "no transport plan"),
    (risks, [evolve(RISK, scores={"total": 1.0})], "no risk with numbers"),
    (risks, [evolve(RISK, scores=dict.fromkeys(TARGETS, True))], "no risk with numbers"),
    (risks, [evolve(RISK, relative=float("nan"))], "relative risk"),
    (second_readings, [CERTAIN], "no second reading"),
    (second_readings, [SecondReading(())], "no probability for each"),
    (second_readings, [SecondReading((1.5,) * len(CERTAIN))], "no probability for each"),
    (second_readings, [SecondReading(("0.5",) * len(CERTAIN))], "no probability for each"),  # type: ignore[arg-type]
    (second_readings, [SecondReading((True,) * len(CERTAIN))], "no probability for each"),
    (second_readings, [SecondReading(CERTAIN, (evolve(FOUND, probability=1.5),))], "no probability for each"),
    (second_readings, [SecondReading(CERTAIN, (1.0,))], "no second reading"),  # type: ignore[arg-type]
    (second_readings, [SecondReading(CERTAIN, (evolve(FOUND, extent=None),))], "weighs nothing"),
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
