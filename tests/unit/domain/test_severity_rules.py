"""When a difference matters, in tables over importance and the size of the change."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overread.domain.severity_rules import (
    judge_age,
    judge_appearance,
    judge_change,
    judge_degree,
    judge_device,
    judge_presence,
    judge_side,
    judge_size,
    judge_term,
    judge_uncertainty,
    judge_zone,
)
from overread.domain.unit import Certainty, Change, ClinicalUnit, Measurement, Polarity

from .clinical import LEXICON, unit, units

URGENT, ACTIONABLE, IDLE, EXPECTED = "edema", "effusion", "scar", "sternal_wires"
S, I = "significant", "insignificant"  # noqa: E741


@pytest.mark.parametrize(
    ("concept", "modifier", "severity", "reason"),
    [
        (URGENT, "patchy", S, "edema needs action at once"),
        (ACTIONABLE, "patchy", S, "effusion can change what is done"),
        (IDLE, "patchy", I, "scar asks for nothing"),
        (EXPECTED, "patchy", I, "sternal wires is expected or incidental"),
        ("unheard_of", "patchy", S, "unheard of can change what is done"),
        ("fracture", "acute", S, "fracture can change what is done"),
        ("fracture", "old", I, "old fracture asks for nothing"),
        ("fracture", "healed", I, "old fracture asks for nothing"),
        (URGENT, "old", S, "edema needs action at once"),
    ],
)
def test_a_missing_finding_matters_as_far_as_it_asks_for_action(
    concept: str, modifier: str, severity: str, reason: str
) -> None:
    """Importance decides, unless the finding is old, and the reason says so with the finding's name."""
    judgement = judge_presence(unit(concept, text="qzx", modifiers=frozenset({modifier})), LEXICON)
    assert (judgement.severity, judgement.reason) == (severity, reason)


@pytest.mark.parametrize(
    ("concept", "attributes", "reason"),
    [
        (
            ACTIONABLE,
            {"severity": "mild", "certainty": Certainty.POSSIBLE},
            "effusion is slight and no more than possible",
        ),
        (
            ACTIONABLE,
            {"severity": "mild", "polarity": Polarity.UNCERTAIN},
            "effusion is slight and no more than possible",
        ),
        (ACTIONABLE, {"severity": "mild", "certainty": Certainty.PROBABLE}, None),
        (ACTIONABLE, {"severity": "severe", "certainty": Certainty.POSSIBLE}, None),
        (ACTIONABLE, {"certainty": Certainty.POSSIBLE}, None),
        (URGENT, {"severity": "mild", "certainty": Certainty.POSSIBLE}, None),
        (ACTIONABLE, {"modifiers": frozenset({"borderline"})}, "borderline effusion is hardly one"),
    ],
)
def test_what_is_hardly_there_does_not_matter(concept: str, attributes: dict[str, Any], reason: str | None) -> None:
    """Slight and only possible, or borderline, unless it is urgent; slight alone or possible alone still matters."""
    judgement = judge_presence(unit(concept, **attributes), LEXICON)
    assert judgement.severity == (I if reason else S)
    assert reason in (None, judgement.reason)


def _so(*words: str, concept: str = "fracture", **attributes: Any) -> ClinicalUnit:
    return unit(concept, modifiers=frozenset(words), **attributes)


@pytest.mark.parametrize(("concept", "severity"), [(URGENT, S), ("fracture", S), (IDLE, I)])
@pytest.mark.parametrize("recent", ["acute", "subacute"])
@pytest.mark.parametrize("past", ["old", "healed", "remote", "chronic"])
def test_the_age_of_a_finding_matters_whichever_report_calls_it_old(
    concept: str, severity: str, recent: str, past: str
) -> None:
    """An old fracture that is called acute is as wrong as an acute one that is called old."""
    acute, old = _so(recent, concept=concept), _so(past, concept=concept)
    forth, back = judge_age(acute, old, LEXICON), judge_age(old, acute, LEXICON)
    assert forth is not None
    assert forth.severity == severity
    assert forth == back


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [((), ()), (("acute",), ()), ((), ("old",)), (("acute",), ("subacute",)), (("acute", "old"), ("acute",))],
)
def test_an_age_told_once_or_alike_is_no_difference(reference: tuple[str, ...], candidate: tuple[str, ...]) -> None:
    """Only what is acute in one report, and old and no more than that in the other, is told."""
    assert judge_age(_so(*reference), _so(*candidate), LEXICON) is None
    assert judge_age(_so(*candidate), _so(*reference), LEXICON) is None


def test_the_graver_finding_decides_whether_an_age_matters() -> None:
    """A broader term that asks for nothing does not hide what the narrower one asks for."""
    for reference, candidate in ((IDLE, ACTIONABLE), (ACTIONABLE, IDLE)):
        judgement = judge_age(_so("acute", concept=reference), _so("old", concept=candidate), LEXICON)
        assert judgement is not None
        assert judgement.severity == S


@pytest.mark.parametrize(
    ("reference", "candidate", "kind", "severity", "reason"),
    [
        # opposed
        (("spiculated",), ("smooth",), "inaccuracy", S, "the appearance is another one"),
        (("smooth",), ("irregular",), "inaccuracy", S, "the appearance is another one"),
        (("calcified",), ("noncalcified",), "inaccuracy", S, "the appearance is another one"),
        (("focal",), ("diffuse",), "inaccuracy", S, "the appearance is another one"),
        (("displaced",), ("nondisplaced",), "inaccuracy", S, "the appearance is another one"),
        # telling
        (("cavitary",), (), "omission", S, "cavitary is lost"),
        ((), ("tension",), "fabrication", S, "tension is added"),
        (("patchy", "spiculated"), ("patchy",), "omission", S, "spiculated is lost"),
        # neither
        ((), (), None, None, None),
        (("patchy",), (), None, None, None),
        (("calcified",), (), None, None, None),
        (("focal", "diffuse"), ("focal",), None, None, None),
        (("spiculated",), ("spiculated",), None, None, None),
    ],
)
def test_words_of_appearance_matter_if_they_exclude_each_other_or_change_what_is_done(
    reference: tuple[str, ...], candidate: tuple[str, ...], kind: str | None, severity: str | None, reason: str | None
) -> None:
    """Words that exclude each other are wrong; a telling one that just one report has is lost or added."""
    judged = judge_appearance(_so(*reference), _so(*candidate), frozenset(reference), frozenset(candidate), LEXICON)
    told = judged and (judged[0].value, judged[1].severity.value, judged[1].reason)
    assert told == (kind and (kind, severity, reason))


def test_a_telling_word_elsewhere_in_the_report_is_not_lost() -> None:
    """A description may stand beside its finding; what is opposed is opposed all the same."""
    elsewhere = frozenset({"cavitary"})
    assert judge_appearance(_so("cavitary"), _so(), elsewhere, elsewhere, LEXICON) is None
    assert judge_appearance(_so(), _so("cavitary"), elsewhere, elsewhere, LEXICON) is None
    opposed = judge_appearance(_so("cavitary"), _so("solid"), elsewhere, frozenset({"cavitary", "solid"}), LEXICON)
    assert opposed is not None


@given(units("nodule"), units("nodule", "scar"))
def test_appearance_is_judged_alike_from_either_end(a: ClinicalUnit, b: ClinicalUnit) -> None:
    """Read the other way round, what was lost is added, and it matters as much."""
    turned = {"omission": "fabrication", "fabrication": "omission", "inaccuracy": "inaccuracy"}
    forth = judge_appearance(a, b, a.modifiers, b.modifiers, LEXICON)
    back = judge_appearance(b, a, b.modifiers, a.modifiers, LEXICON)
    assert (forth and (turned[forth[0].value], forth[1].severity)) == (back and (back[0].value, back[1].severity))


@pytest.mark.parametrize(
    ("reference", "candidate", "broader", "severity", "reason"),
    [
        # asking for as much
        ("consolidation", "opacity", True, I, "the candidate's term is broader"),
        ("opacity", "consolidation", False, I, "the candidate's term is narrower"),
        ("tension_pneumothorax", "pneumothorax", True, I, "the candidate's term is broader"),
        # an urgent finding under a name that is not, and the other way round
        ("hydropneumothorax", "effusion", True, S, "the candidate's term is broader and asks for less"),
        ("effusion", "hydropneumothorax", False, S, "the candidate's term is narrower and asks for more"),
        # below that, only what is lost matters
        (ACTIONABLE, IDLE, True, S, "the candidate's term is broader and asks for less"),
        ("opacity", "atelectasis", False, I, "the candidate's term is narrower"),
        ("atelectasis", "opacity", True, I, "the candidate's term is broader"),
        (IDLE, EXPECTED, True, I, "the candidate's term is broader"),
    ],
)
def test_another_term_matters_where_it_asks_for_less_or_more(
    reference: str, candidate: str, severity: str, reason: str, *, broader: bool
) -> None:
    """Where both ask for the same it is a matter of wording."""
    judgement = judge_term(unit(reference), unit(candidate), LEXICON, broader=broader)
    assert (judgement.severity, judgement.reason) == (severity, reason)


@pytest.mark.parametrize(
    ("reference", "candidate", "amiss"),
    [
        ("malpositioned", "in_place", "reference"),
        ("in_place", "displaced", "candidate"),
        (None, "kinked", "candidate"),
        ("fractured", None, "reference"),
        (None, None, None),
        ("in_place", None, None),
        ("malpositioned", "displaced", None),
    ],
)
def test_a_device_that_is_amiss_in_one_report_only_matters(
    reference: str | None, candidate: str | None, amiss: str | None
) -> None:
    """Two ways of being amiss are not told apart, nor are a good place and an unnamed one."""
    tubes = [unit("feeding_tube", device="feeding_tube", device_status=status) for status in (reference, candidate)]
    judgement = judge_device(tubes[0], tubes[1], LEXICON)
    assert (judgement and (judgement.severity, judgement.reason)) == (
        amiss and (S, f"the device is amiss in the {amiss} only")
    )


@pytest.mark.parametrize(
    ("concept", "contradicts", "omitted", "severity"),
    [
        (ACTIONABLE, True, True, S),
        (ACTIONABLE, True, False, S),
        (ACTIONABLE, False, True, S),
        (ACTIONABLE, False, False, I),
        (URGENT, False, False, I),
        (IDLE, True, True, I),
        (IDLE, False, True, I),
    ],
)
def test_a_side_matters_if_it_is_wrong_or_lost(
    concept: str, severity: str, *, contradicts: bool, omitted: bool
) -> None:
    """A side that is only made precise does not matter, nor does any side of what asks for nothing."""
    assert judge_side(unit(concept), LEXICON, contradicts=contradicts, omitted=omitted).severity == severity


@pytest.mark.parametrize(
    ("concept", "distance", "severity"), [(URGENT, 1, I), (ACTIONABLE, 1, I), (ACTIONABLE, 2, S), (IDLE, 2, I)]
)
def test_neighbouring_zones_hardly_differ(concept: str, distance: int, severity: str) -> None:
    """Only zones two levels apart matter, in a finding that asks for action."""
    assert judge_zone(unit(concept), LEXICON, distance).severity == severity


@pytest.mark.parametrize(
    ("concept", "reference", "candidate", "severity", "reason"),
    [
        (ACTIONABLE, "mild", "moderate", I, "the degree differs by one step"),
        (ACTIONABLE, "moderate", "severe", I, "the degree differs by one step"),
        (ACTIONABLE, "mild", "severe", S, "the degree differs by two steps"),
        (ACTIONABLE, "severe", "mild", S, "the degree differs by two steps"),
        (URGENT, "mild", "moderate", S, "the degree differs by one step in an urgent finding"),
        (URGENT, "severe", "mild", S, "the degree differs by two steps"),
        (IDLE, "mild", "severe", S, "the degree differs by two steps"),
        (EXPECTED, "mild", "severe", I, "the degree differs by two steps"),
        # .5 off the scale lies within a step of every degree
        (ACTIONABLE, "extensive", "severe", I, "the degree differs by one step"),
        (ACTIONABLE, "extensive", "mild", I, "the degree differs by one step"),
        # the same place on the paper's scale
        (URGENT, "severe", "marked", I, "the degree is worded differently"),
        (URGENT, "extensive", "massive", I, "the degree is worded differently"),
        # stated once
        (ACTIONABLE, "mild", None, I, "a degree is stated on one side only"),
        (ACTIONABLE, None, "moderate", I, "a degree is stated on one side only"),
        (ACTIONABLE, "severe", None, S, "a degree is stated on one side only, and it is severe"),
        (ACTIONABLE, None, "marked", S, "a degree is stated on one side only, and it is severe"),
        (IDLE, "severe", None, S, "a degree is stated on one side only, and it is severe"),
        (EXPECTED, "severe", None, I, "a degree is stated on one side only"),
    ],
)
def test_degrees_matter_by_steps(
    concept: str, reference: str | None, candidate: str | None, severity: str, reason: str
) -> None:
    """Two steps matter, one does in an urgent finding, and so does a severe degree that just one report states.

    Only in what is expected does no degree matter: a severe form of what asks for nothing may ask for something.
    """
    judgement = judge_degree(unit(concept, severity=reference), unit(concept, severity=candidate), LEXICON)
    assert (judgement.severity, judgement.reason) == (severity, reason)


@pytest.mark.parametrize(
    ("reference", "candidate", "severity"),
    [
        (5.0, 5.0, None),
        (5.0, 7.0, I),  # below 6 mm: 2 mm
        (5.0, 7.1, S),
        (5.0, 3.0, I),
        (5.0, 2.9, S),
        (5.9, 7.95, S),
        (6.0, 10.0, I),  # from 6 mm: 4 mm
        (6.0, 10.1, S),
        (25.0, 29.0, I),
        (25.0, 20.9, S),
        (29.5, 30.0, I),  # about 30 mm: a millimetre
        (29.5, 30.5, I),
        (29.0, 30.1, S),
        (30.0, 28.9, S),
        (30.0, 36.0, I),  # from 30 mm: 20 %
        (30.0, 36.1, S),
        (40.0, 48.0, I),
        (50.0, 60.0, I),
        (50.0, 60.1, S),
        (8.0, 5.9, S),  # the smaller of the two sets the margin
        (50.0, 41.7, I),
        (50.0, 41.6, S),
    ],
)
def test_sizes_matter_beyond_the_spread_between_readers(
    reference: float, candidate: float, severity: str | None
) -> None:
    """2 mm below 6 mm, 4 mm below 30 mm, a fifth from there, and the border of 30 mm itself."""
    judgement = judge_size(Measurement(reference, "mm", reference), Measurement(candidate, "mm", candidate))
    assert (judgement and judgement.severity) == severity


@given(st.floats(0.1, 200.0), st.floats(0.1, 200.0))
def test_it_does_not_matter_which_report_gives_which_size(a: float, b: float) -> None:
    """The judgement of two sizes is the same from either end, and none if they are one."""
    first, second = Measurement(a, "mm", a), Measurement(b, "mm", b)
    assert judge_size(first, second) == judge_size(second, first)
    assert judge_size(first, first) is None


@given(st.integers(1, 1200))
@example(57)  # .57 cm times 10 is 5.699999999999999
def test_a_size_in_centimetres_is_the_same_in_millimetres(tenths: int) -> None:
    """What binary fractions take off .57 cm is no difference, and moves no margin."""

    def sizes(tenths: int) -> tuple[Measurement, Measurement]:
        millimetres, centimetres = tenths / 10, tenths / 100
        return Measurement(millimetres, "mm", millimetres), Measurement(centimetres, "cm", centimetres * 10.0)

    small, large = sizes(tenths), sizes(tenths + 40)
    assert [judge_size(a, b) for a in small for b in small] == [None] * 4
    assert len({judge_size(a, b) for a in small for b in large}) == 1


@pytest.mark.parametrize(
    ("concept", "reference", "candidate", "severity"),
    [
        # lost
        (URGENT, Change.STABLE, None, S),
        (ACTIONABLE, Change.NEW, None, S),
        (ACTIONABLE, Change.WORSENED, None, S),
        (ACTIONABLE, Change.STABLE, None, I),
        (ACTIONABLE, Change.IMPROVED, None, I),
        (IDLE, Change.NEW, None, I),
        # added
        (ACTIONABLE, None, Change.NEW, S),
        (ACTIONABLE, None, Change.IMPROVED, S),
        (ACTIONABLE, None, Change.STABLE, I),
        (URGENT, None, Change.STABLE, I),
        ("lesion", None, Change.STABLE, S),
        ("cyst", None, Change.STABLE, S),
        ("cyst", Change.STABLE, None, I),
        (IDLE, None, Change.WORSENED, I),
        # opposed
        (ACTIONABLE, Change.IMPROVED, Change.WORSENED, S),
        (ACTIONABLE, Change.STABLE, Change.NEW, S),
        (IDLE, Change.IMPROVED, Change.WORSENED, I),
    ],
)
def test_comparisons_matter_by_what_they_say(
    concept: str, reference: Change | None, candidate: Change | None, severity: str
) -> None:
    """A lost worsening, an invented change, an opposed one, and a lesion called stable matter in what is actionable."""
    assert judge_change(unit(concept), reference, candidate, LEXICON).severity == severity


@pytest.mark.parametrize(("concept", "severity"), [(URGENT, S), (ACTIONABLE, S), (IDLE, I), (EXPECTED, I)])
@pytest.mark.parametrize("open_side", ["reference", "candidate"])
def test_doubt_matters_in_what_asks_for_action(concept: str, severity: str, open_side: str) -> None:
    """The reason names the report that leaves the finding open."""
    judgement = judge_uncertainty(unit(concept), [], LEXICON, open_side=open_side)
    assert (judgement.severity, judgement.reason) == (severity, f"only the {open_side} leaves it open")


@pytest.mark.parametrize(
    ("alternatives", "severity"), [([EXPECTED], I), ([EXPECTED, ACTIONABLE], S), ([URGENT], S), ([], I)]
)
def test_doubt_matters_as_far_as_its_alternatives_do(alternatives: list[str], severity: str) -> None:
    """What may be something that asks for action asks for action."""
    judgement = judge_uncertainty(unit(IDLE), map(unit, alternatives), LEXICON, open_side="reference")
    assert judgement.severity == severity
