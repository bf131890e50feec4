"""The radot metric over fakes: risk, its evidence, and what cannot be scored."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.transport.importance._readout import PlanReadout
from overread.application.metrics.radot import FITTED_SCALE, RADOT_SCALE, RadotMetric
from overread.application.scoring.evaluate import EvaluationService
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.results.readout import Risk
from overread.domain.results.result import Outcome, Scored, TransportEvidence, Unscored
from overread.exceptions import ComponentError
from overread.testing import FakeAligner, FakeReadout

from ..fakes import CountingAligner, CountingExtractor, named, pair, reader

CLEAR, FLUID, BOTH = "No effusion", "Small effusion", "Small effusion. No edema"


def metric(**parts: object) -> RadotMetric:
    readout = parts.pop("readout", FakeReadout())
    return RadotMetric(reader(**parts), readout)  # type: ignore[arg-type]


def scored(outcome: Outcome) -> Scored:
    assert isinstance(outcome, Scored)
    return outcome


def test_the_score_is_the_total_risk() -> None:
    """Total, significant and insignificant stand in the subscores, from 0 up, lower is better."""
    outcome = scored(metric().evaluate([pair("a", CLEAR, FLUID)])[0])
    # Same finding: 0. No anatomy: 0. Polarity: 1. Text: 1 of 3 words in common. .25 x 0 + .2 x 0 + .4 x 1 + .15 x 2/3
    assert outcome.score == pytest.approx(0.5)
    assert outcome.subscores == pytest.approx({"total": 0.5, "significant": 0.375, "insignificant": 0.125})
    assert metric().traits.scale == FITTED_SCALE
    assert FITTED_SCALE.describe() == "0 to infinity, lower is better"


def test_a_risk_relative_to_what_there_was_to_say_lies_on_0_to_1() -> None:
    """The readout that weighs both reports tells it; others only sum."""
    assert metric(readout=PlanReadout()).traits.scale is RADOT_SCALE
    assert RADOT_SCALE.describe() == "0 to 1, lower is better"


def test_the_evidence_shows_units_plan_and_contributions() -> None:
    """A reader can see what the risk was made from."""
    evidence = scored(metric().evaluate([pair("a", BOTH, FLUID)])[0]).evidence
    assert isinstance(evidence, TransportEvidence)
    assert [u.canonical_finding for u in evidence.reference_units] == ["effusion", "edema"]
    assert [u.canonical_finding for u in evidence.candidate_units] == ["effusion"]
    assert evidence.alignment.shape == (2, 1)
    terms = [(target, term.feature) for target, terms in evidence.contributions.items() for term in terms]
    assert terms == [(target, "expected_cost") for target in ("total", "significant", "insignificant")]


@pytest.mark.parametrize("candidate", [BOTH, "No edema. Small effusion"])
def test_a_report_against_itself_has_no_risk_under_a_readout_that_takes_off_the_bias(candidate: str) -> None:
    """The self-alignments reach such a readout, and only such a one; the order of sentences does not matter."""
    debiased = metric(readout=FakeReadout(uses_self_alignments=True))
    assert scored(debiased.evaluate([pair("a", BOTH, candidate)])[0]).score == pytest.approx(0.0)
    assert scored(metric().evaluate([pair("a", BOTH, candidate)])[0]).score > 0.1


@pytest.mark.parametrize(("uses", "plans"), [(True, 3), (False, 1)])
def test_self_alignments_are_made_for_readouts_that_use_them_only(plans: int, *, uses: bool) -> None:
    """They cost as much as the pair's own plan."""
    aligner = CountingAligner()
    metric(aligner=aligner, readout=FakeReadout(uses_self_alignments=uses)).evaluate([pair("a", BOTH, FLUID)])
    assert len(aligner.shapes) == plans


def test_an_empty_candidate_is_transported_to_one_null_unit() -> None:
    """There is a risk, and the evidence holds no unit that the report does not."""
    outcome = scored(metric().evaluate([pair("a", BOTH, "")])[0])
    assert outcome.score > 0
    assert isinstance(outcome.evidence, TransportEvidence)
    assert (outcome.evidence.candidate_units, outcome.evidence.alignment.shape) == ((), (2, 1))


def test_pairs_that_cannot_be_read_are_unscored_in_their_place() -> None:
    """Empty pairs and long reports do not shift the risks of the others."""
    pairs = [pair("a", "", " "), pair("b", CLEAR, FLUID), pair("c", "x. " * 9, FLUID), pair("d", FLUID, FLUID)]
    first, second, third, fourth = metric(max_units=8).evaluate(pairs)
    assert first == Unscored("empty", "both reports are empty")
    assert isinstance(third, Unscored)
    assert third.reason == "too long"
    assert [scored(second).score, scored(fourth).score] == pytest.approx([0.5, 0.0])


@pytest.mark.parametrize("converged", [True, False])
def test_a_plan_that_did_not_converge_says_so(*, converged: bool) -> None:
    """The note stands in the result of that pair."""
    outcome = scored(metric(aligner=FakeAligner(converged=converged)).evaluate([pair("a", BOTH, FLUID)])[0])
    assert [note[:26] for note in outcome.notes] == ([] if converged else ["the plan did not converge "])


@pytest.mark.parametrize("converged", [True, False])
def test_caveats_head_the_notes_of_every_result(*, converged: bool) -> None:
    """What a reader of any risk must know comes first, and doubts about this one behind."""
    caveats = ("fitted on other plans", "a stand-in")
    careful = RadotMetric(reader(aligner=FakeAligner(converged=converged)), FakeReadout(), caveats)
    for outcome in careful.evaluate([pair("a", BOTH, FLUID), pair("b", FLUID, CLEAR)]):
        assert scored(outcome).notes[:2] == caveats
        assert len(scored(outcome).notes) == (2 if converged else 3)


@define
class FakeMiscountingReadout:
    """One risk more, or one less, than there are pairs."""

    surplus: int
    identity: str = "miscounting"
    uses_self_alignments: bool = False
    inner: FakeReadout = field(factory=FakeReadout)

    def read_out(self, pairs: Sequence[AlignedPair]) -> list[Risk]:
        risks = self.inner.read_out(pairs)
        return risks[:-1] if self.surplus < 0 else risks + risks[:1]


@pytest.mark.parametrize("surplus", [-1, 1])
def test_a_readout_that_miscounts_is_an_error(surplus: int) -> None:
    """No pair gets the risk of another."""
    with pytest.raises(ComponentError, match=r"the readout .* answers for"):
        metric(readout=FakeMiscountingReadout(surplus)).evaluate([pair("a", CLEAR, FLUID), pair("b", FLUID, FLUID)])


TEXTS = st.sampled_from(["", CLEAR, FLUID, BOTH, "Nodule. Scar"])


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=8), st.integers(1, 4))
def test_batch_boundaries_do_not_change_a_risk(texts: list[tuple[str, str]], size: int) -> None:
    """Through the service, in batches of any size, each pair scores what it scores alone."""
    pairs = [pair(str(index), *both) for index, both in enumerate(texts)]
    results = EvaluationService([named(metric(), "radot")], batch_size=size).evaluate(pairs)
    for result, one in zip(results, pairs, strict=True):
        [alone] = metric().evaluate([one])
        found = result["radot"].outcome
        assert isinstance(found, Unscored) == isinstance(alone, Unscored)
        if isinstance(found, Scored):
            assert found.score == pytest.approx(scored(alone).score)


def test_the_signature_names_all_that_makes_a_risk() -> None:
    """Extractor, cost, aligner, readout."""
    parts = metric(extractor=CountingExtractor(identity="x@1")).signature_parts
    assert parts == (
        ("extractor", "x@1"),
        ("cost", "table-ii"),
        ("aligner", "counting"),
        ("readout", "fake,selves=false"),
    )
