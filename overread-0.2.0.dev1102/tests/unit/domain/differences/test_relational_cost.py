"""Costs guided by how two units are related."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS, TableTwoCost
from overread.domain.differences.relational_cost import RelationalCost
from overread.domain.findings.unit import NULL_UNIT, Certainty, Change, ClinicalUnit, Experiencer, Polarity, Temporality
from overread.domain.reports.report import ClinicalContext

from ..clinical import LEXICON, mm, no, normal, sentence, unit, units

Units = list[ClinicalUnit]
CHANNELS = (*GROUND_CHANNELS, *SIDE_CHANNELS)
REPORTS = st.lists(units(), max_size=5)


def prices(reference: Units, candidate: Units, cost: RelationalCost | TableTwoCost | None = None) -> Any:
    """All costs, channels x reference x candidate."""
    found = (cost or RelationalCost(LEXICON)).between(reference, candidate)
    return np.array([{**found.ground, **found.side}[name] for name in CHANNELS])


def price(reference: ClinicalUnit, candidate: ClinicalUnit) -> dict[str, float]:
    """What differs, by channel, and what it costs."""
    values = prices([reference], [candidate])[:, 0, 0].tolist()
    return {name: value for name, value in zip(CHANNELS, values, strict=True) if value}


UNRELATED = {"finding": 1.0, "polarity": 1.0, "text": 1.0}
DENIED = {"finding": 1.0, "polarity": 1.0}
PAST: dict[str, Any] = {"temporality": Temporality.HISTORICAL}


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        # findings
        (unit("effusion"), unit("effusion"), {}),
        (unit("consolidation"), unit("opacity"), {"finding": 0.2, "text": 0.2}),
        (unit("opacity"), unit("lobar_consolidation"), {"finding": 0.2, "text": 0.2}),
        (unit("atelectasis"), unit("consolidation"), {"finding": 0.6, "text": 0.6}),
        (unit("heart_failure"), unit("congestion"), {"finding": 0.4, "text": 0.4}),
        (unit("effusion"), unit("nodule"), UNRELATED),
        (unit("effusion", "left"), unit("nodule", "left"), UNRELATED),
        (unit("effusion", "left"), unit("nodule", "right"), UNRELATED),
        (unit("effusion", severity="mild"), unit("nodule", severity="severe"), UNRELATED),
        # denials
        (no("effusion"), no("effusion"), {}),
        (no("effusion"), no("nodule"), {}),
        (no("effusion", "left"), no("effusion", "right"), {}),
        (normal("clear_lungs"), normal("intact_bones"), {}),
        (unit("effusion"), no("effusion"), DENIED),
        (normal("clear_lungs"), unit("lobar_consolidation", "left"), DENIED),
        (no("effusion"), unit("nodule"), UNRELATED),
        (no("effusion", "left"), unit("effusion", "right"), UNRELATED),
        (no("fracture", modifiers=frozenset({"acute"})), unit("fracture", modifiers=frozenset({"old"})), UNRELATED),
        # not of this patient now
        (unit("effusion", **PAST), no("effusion"), {}),
        (unit("effusion", **PAST), unit("effusion"), UNRELATED),
        # places
        (unit("effusion", "left"), unit("effusion", "right"), {"anatomy": 1.0}),
        (unit("effusion", "left"), unit("effusion"), {"anatomy": 0.3}),
        (unit("effusion", "left", "right"), unit("effusion", "left"), {"anatomy": 0.3}),
        (unit("effusion", "left", "pleura"), unit("effusion", "right", "pleura"), {"anatomy": 1.0}),
        (unit("nodule", "apex"), unit("nodule", "upper_lobe"), {}),
        (unit("nodule", "apex"), unit("nodule", "mid_zone"), {"anatomy": 0.15}),
        (unit("nodule", "apex"), unit("nodule", "base"), {"anatomy": 0.6}),
        (unit("nodule", "left", "apex"), unit("nodule", "left", "mid_zone"), {"anatomy": 0.15}),
        (unit("nodule", "left", "apex"), unit("nodule", "mid_zone"), {"anatomy": 0.3}),
        # attributes
        (unit("effusion", severity="mild"), unit("effusion", severity="severe"), {"severity": 0.67}),
        (unit("effusion", change=Change.NEW), unit("effusion"), {"comparison": 0.35}),
        (unit("effusion", change=Change.NEW), unit("effusion", change=Change.STABLE), {"comparison": 1.0}),
        (unit("edema", certainty=Certainty.POSSIBLE), unit("edema"), {"uncertainty": 0.35}),
        (unit("nodule", modifiers=frozenset({"calcified"})), unit("nodule"), {"modifier": 0.4}),
        (
            unit("feeding_tube", device="feeding_tube", device_status="malpositioned"),
            unit("feeding_tube", device="feeding_tube", device_status="in_place"),
            {"device": 1.0},
        ),
        # sizes: only beyond the spread between readers, and never less than what a degree costs
        (unit("nodule", measurements=mm(8)), unit("nodule", measurements=mm(10)), {}),
        (unit("nodule", measurements=mm(8)), unit("nodule", measurements=mm(18)), {"severity": 0.66}),
        (unit("nodule", measurements=mm(8)), unit("nodule"), {}),
        (unit("nodule", measurements=mm(3, 8)), unit("nodule", measurements=mm(8, 5)), {}),
        (
            unit("nodule", measurements=mm(8), severity="mild"),
            unit("nodule", measurements=mm(40), severity="severe"),
            {"severity": 0.67},
        ),
        (
            unit("nodule", measurements=mm(8), severity="mild"),
            unit("nodule", measurements=mm(40), severity="moderate"),
            {"severity": 0.66},
        ),
    ],
)
def test_what_a_difference_costs(reference: ClinicalUnit, candidate: ClinicalUnit, expected: dict[str, float]) -> None:
    """Each difference is priced in its own channel, from either end, and nothing else is."""
    assert price(reference, candidate) == pytest.approx(expected)
    assert price(candidate, reference) == pytest.approx(expected)


@given(REPORTS, REPORTS)
def test_all_costs_lie_between_agreement_and_disagreement(reference: Units, candidate: Units) -> None:
    """Every channel on [0, 1], in the shape of the pair, empty reports too."""
    found = prices(reference, candidate)
    assert found.shape == (9, len(reference), len(candidate))
    assert ((found >= 0) & (found <= 1)).all()


@given(st.lists(units(), min_size=1, max_size=5))
def test_a_unit_agrees_with_itself(report: Units) -> None:
    """The diagonal of a report against itself is zero in every channel."""
    assert not prices(report, report)[:, range(len(report)), range(len(report))].any()


@given(units(), units(), st.sampled_from(["", "other words", "one"]), st.integers(0, 9))
def test_wording_and_place_in_the_text_cost_nothing(a: ClinicalUnit, b: ClinicalUnit, text: str, at: int) -> None:
    """Units of one meaning cost the same against any other that was read, and nothing against each other."""
    if a.canonical_finding and b.canonical_finding:
        reworded = evolve(
            a, span_text=text, start=a.start + at, end=a.end + at, section="impression", surface_finding=text
        )
        assert (prices([a], [b]) == prices([reworded], [b])).all()
        assert (prices([b], [a]) == prices([b], [reworded])).all()
        assert not prices([a], [reworded]).any()


@given(units(), units())
def test_costs_are_the_same_from_either_end(a: ClinicalUnit, b: ClinicalUnit) -> None:
    """No channel has a direction."""
    assert prices([a], [b]) == pytest.approx(prices([b], [a]))


@given(units(), units())
def test_two_denials_never_disagree(a: ClinicalUnit, b: ClinicalUnit) -> None:
    """What one report denies and the other does not name is silence."""
    if a.canonical_finding and b.canonical_finding and not a.asserts_finding and not b.asserts_finding:
        assert not prices([a], [b]).any()


@given(units(), units("", "effusion"))
def test_a_unit_that_was_not_read_costs_as_table_two_says(a: ClinicalUnit, b: ClinicalUnit) -> None:
    """Without a finding there is no relation, and words are compared."""
    unread = evolve(b, canonical_finding="", denies=frozenset())
    assert (prices([a], [unread]) == prices([a], [unread], TableTwoCost())).all()
    assert (prices([unread], [a]) == prices([unread], [a], TableTwoCost())).all()


def test_sentences_without_a_finding_are_told_apart_by_their_words() -> None:
    """Two that share half their words are half as far apart; the null unit is far from both."""
    first, second = sentence("one two three"), sentence("two three four")
    assert price(first, second) == pytest.approx({"finding": 0.5, "text": 0.5})
    assert price(first, NULL_UNIT) == pytest.approx({"finding": 1.0, "text": 1.0})


@given(st.lists(st.tuples(REPORTS, REPORTS), max_size=4))
def test_what_was_priced_before_changes_no_price(pairs: list[tuple[Units, Units]]) -> None:
    """A cost that has seen other reports answers as a fresh one does, and gives away nothing it keeps."""
    used = RelationalCost(LEXICON)
    for reference, candidate in (*pairs, *pairs):
        found = used.between(reference, candidate)
        fresh = RelationalCost(LEXICON).between(reference, candidate)
        for name in GROUND_CHANNELS:
            assert (found.ground[name] == fresh.ground[name]).all()
        for name in SIDE_CHANNELS:
            assert (found.side[name] == fresh.side[name]).all()
        for matrix in (*found.ground.values(), *found.side.values()):
            matrix.fill(7.0)


TUBE: dict[str, Any] = {"device": "feeding_tube", "severity": "mild", "measurements": mm(8)}


@pytest.mark.parametrize(
    "varied",
    [
        unit("opacity", "left", **TUBE),
        unit("feeding_tube", "right", **TUBE),
        no("feeding_tube", "left", **TUBE),
        unit("feeding_tube", "left", **TUBE | {"severity": "severe"}),
        unit("feeding_tube", "left", **TUBE | {"measurements": mm(18)}),
        unit("feeding_tube", "left", **TUBE, device_status="kinked"),
        unit("feeding_tube", "left", **TUBE, certainty=Certainty.POSSIBLE),
        unit("feeding_tube", "left", **TUBE, change=Change.NEW),
        unit("feeding_tube", "left", **TUBE, modifiers=frozenset({"coiled"})),
        unit("feeding_tube", "left", **TUBE, **PAST),
        unit("feeding_tube", "left", **TUBE, experiencer=Experiencer.FAMILY),
        evolve(normal("clear_lungs"), canonical_finding="feeding_tube"),
    ],
)
def test_whatever_counts_is_part_of_the_meaning(varied: ClinicalUnit) -> None:
    """A unit that differs in one thing from one that was priced is not taken for it."""
    used, plain = RelationalCost(LEXICON), unit("feeding_tube", "left", **TUBE)
    assert not prices([plain], [plain], used).any()
    assert prices([plain], [varied], used).tolist() == prices([plain], [varied]).tolist()
    assert prices([plain], [varied]).any()


def test_what_a_normal_statement_denies_is_part_of_its_meaning() -> None:
    """Two of one name that deny different findings do not bear on the same ones."""
    used, finding = RelationalCost(LEXICON), unit("nodule")
    narrow, broad = (no("clear", denies=frozenset(denied)) for denied in (["opacity"], ["opacity", "nodule"]))
    assert prices([finding], [narrow], used).sum() > prices([finding], [broad], used).sum() == 2.0


def test_wording_that_counts_is_not_forgotten() -> None:
    """Against a sentence that was not read words are compared, also of findings of one meaning."""
    used, unread = RelationalCost(LEXICON), sentence("small nodule")
    near, far = unit("nodule", text="small nodule"), unit("nodule", text="a tiny round shadow")
    assert prices([near], [unread], used).tolist() == prices([near], [unread]).tolist()
    assert prices([far], [unread], used).tolist() == prices([far], [unread]).tolist()


def test_a_full_memory_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """It neither grows without bound nor changes an answer."""
    monkeypatch.setattr("overread.domain.differences.relational_cost._CACHE", 3)
    used = RelationalCost(LEXICON)
    reports = [[unit("effusion", severity=s) for s in ("mild", "severe")], [unit("nodule"), no("effusion")]]
    for reference in reports:
        for candidate in reports:
            assert (prices(reference, candidate, used) == prices(reference, candidate)).all()
            assert len(used._known) <= 3 >= len(used._meanings)


@pytest.mark.parametrize(
    ("statement", "weight"),
    [
        (unit("pneumothorax"), (1.0, 0.0)),
        (unit("effusion"), (1.0, 0.0)),
        (unit("scar"), (0.0, 1.0)),
        (unit("sternal_wires"), (0.0, 1.0)),
        (unit("unheard_of"), (1.0, 0.0)),
        (unit("edema", polarity=Polarity.UNCERTAIN), (1.0, 0.0)),
        (no("effusion"), (0.0, 0.0)),
        (normal("clear_lungs"), (0.0, 0.0)),
        (unit("effusion", **PAST), (0.0, 0.0)),
        (sentence("Seen in the hall"), (0.0, 0.1)),
    ],
)
def test_what_a_unit_weighs(statement: ClinicalUnit, weight: tuple[float, float]) -> None:
    """An asserted finding weighs one, as one that asks for action or one that does not; an unread sentence a tenth."""
    assert RelationalCost(LEXICON).burden([statement]).tolist() == [list(weight)]


def test_burdens_stand_in_the_order_of_the_units() -> None:
    """One row a unit, two columns also for none; what a finding asks for is asked of the patient's lexicon."""
    report = [unit("scar"), no("effusion"), unit("edema"), unit("aortic_calcification")]
    assert RelationalCost(LEXICON).burden(report).tolist() == [[0, 1], [0, 0], [1, 0], [0, 1]]
    assert RelationalCost(LEXICON).burden([]).shape == TableTwoCost().burden([]).shape == (0, 2)
    young = RelationalCost(LEXICON.for_patient(ClinicalContext(age=20)))
    assert young.burden(report[-1:]).tolist() == [[1, 0]]
    assert TableTwoCost().burden(report).tolist() == [[1, 0], [0, 0], [1, 0], [1, 0]]


def test_the_identity_names_the_lexicon() -> None:
    """Another lexicon gives other costs."""
    assert RelationalCost(LEXICON).identity == "relation,lexicon=small"
    assert TableTwoCost().identity == "table-ii"
