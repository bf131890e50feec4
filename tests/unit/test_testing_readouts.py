"""The check of readouts: the sound passes, each fault is found and named; and what any kind of component is given."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from attrs import evolve, field, frozen

from overread.application.traits import AlignerTraits, ReadoutTraits
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import PairCosts
from overread.domain.results.readout import Risk
from overread.plugins.specs import KINDS
from overread.testing import (
    ConformanceError,
    FakeAligner,
    FakeReadout,
    check_aligner,
    check_component,
    check_readout,
)

from .tried import problems_of, spec_of


@frozen
class ChangedReadout:
    """The fake readout with its answers, identity or needs changed."""

    change: Callable[[Sequence[AlignedPair], list[Any]], Any] = lambda _pairs, answers: answers
    identity: Any = "changed"
    uses_self_alignments: Any = False
    traits: ReadoutTraits = field(factory=ReadoutTraits)

    def read_out(self, pairs: Sequence[AlignedPair]) -> Any:
        selves = bool(self.uses_self_alignments)
        return self.change(pairs, FakeReadout(uses_self_alignments=selves).read_out(pairs))


@pytest.mark.parametrize("selves", [False, True])
def test_a_sound_readout_passes(selves: bool) -> None:  # noqa: FBT001
    """With the self-alignments that it asks for."""
    check_readout(spec_of(lambda: FakeReadout(uses_self_alignments=selves)))


def test_a_readout_that_needs_the_weighing_gets_it() -> None:
    """And one that does not say so gets none."""
    weighed: list[bool] = []

    def note(pairs: Sequence[AlignedPair], answers: list[Any]) -> list[Any]:
        weighed.extend(pair.notation is not None for pair in pairs)
        return answers

    check_readout(spec_of(lambda: ChangedReadout(note, traits=ReadoutTraits(needs_weighing=True))))
    assert all(weighed)
    weighed.clear()
    check_readout(spec_of(lambda: ChangedReadout(note)))
    assert not any(weighed)


def _with_scores(**scores: float) -> Callable[[Any, list[Risk]], list[Risk]]:
    return lambda _pairs, risks: [evolve(risk, scores={**risk.scores, **scores}) for risk in risks]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (ChangedReadout(lambda _, risks: risks[:-1]), "5 items give 4 answers"),
        (ChangedReadout(lambda _, risks: risks[::-1]), "an item alone has another answer than in a batch"),
        (ChangedReadout(lambda _, risks: [risk.scores for risk in risks]), "pair 1: must be Risk, not dict"),
        (ChangedReadout(_with_scores(total=math.nan)), "pair 1: the risk 'total' must be a finite number of 0 or more"),
        (ChangedReadout(_with_scores(significant=-0.1)), "pair 1: the risk 'significant' must be a finite number"),
        (
            ChangedReadout(lambda _, risks: [evolve(risk, relative=1.5) for risk in risks]),
            "pair 1: the relative risk must lie on 0 to 1, or be None",
        ),
        (ChangedReadout(identity="a|b"), "identity must hold no bar and no line break"),
        (ChangedReadout(uses_self_alignments="no"), "uses_self_alignments must be True or False"),
    ],
)
def test_each_fault_is_named(changed: ChangedReadout, problem: str) -> None:
    """In words that say what is wrong."""
    assert any(problem in told for told in problems_of(check_readout, lambda: changed))


def test_a_readout_cannot_write_into_the_plans() -> None:
    """They are shared with other metrics."""

    def write(pairs: Sequence[AlignedPair], risks: list[Risk]) -> list[Risk]:
        pairs[0].cross.plan[:] = 0.0
        return risks

    with pytest.raises(ValueError, match="read-only"):
        check_readout(spec_of(lambda: ChangedReadout(write)))


@frozen
class CarelessAligner:
    """The fake aligner, which takes masses and matches everything."""

    identity: str = "careless"
    traits = AlignerTraits(takes_masses=True)

    def align(self, costs: Sequence[PairCosts]) -> Any:
        return FakeAligner().align(costs)


def test_an_aligner_that_takes_masses_is_given_some() -> None:
    """It may not match what has nothing in common."""
    problems = problems_of(check_aligner, CarelessAligner)
    assert any("must match no units that have nothing to do with each other" in problem for problem in problems)


def test_every_kind_has_a_check() -> None:
    """A spec that is none of the kind is told so by each, with all problems in the error."""
    for kind in KINDS:
        with pytest.raises(ConformanceError):
            check_component(kind, "no spec")  # type: ignore[arg-type]
    with pytest.raises(ConformanceError) as raised:
        check_component("readout", spec_of(lambda: ChangedReadout(identity="")))
    assert raised.value.problems == ("identity must be text that is not empty",)
    sent = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - made here
    assert (str(sent), vars(sent)) == (str(raised.value), vars(raised.value))
