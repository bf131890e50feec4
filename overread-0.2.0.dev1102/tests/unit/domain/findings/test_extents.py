"""When a difference matters, in tables over importance and the size of the change."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overread.domain.findings.extents import (
    judge_age,
    judge_appearance,
    judge_change,
    judge_degree,
    judge_device,
    judge_kind,
    judge_levels,
    judge_presence,
    judge_side,
    judge_sides_lost,
    judge_size,
    judge_term,
    judge_uncertainty,
    judge_zone,
)
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Measurement, Polarity
from overread.domain.vocabulary.severity import Importance
from overread.domain.vocabulary.taxonomy import ErrorType

from ..clinical import LEXICON, QUALITIES, finding, unit, units

URGENT, ACTIONABLE, LATER, IDLE, EXPECTED = "edema", "effusion", "small_nodule", "scar", "sternal_wires"
POSSIBLE: dict[str, Any] = {"certainty": Certainty.POSSIBLE}
KINDS = Lexicon.of([finding("appendicitis", Importance.URGENT)], [], qualities=QUALITIES)
S, I = "significant", "insignificant"  # noqa: E741


@pytest.mark.parametrize(
    ("concept", "modifier", "weight", "severity"),
    [
        # importance times .6
        (URGENT, "patchy", 0.6, S),
        (ACTIONABLE, "patchy", 0.3, S),
        (LATER, "patchy", 0.12, I),
        (IDLE, "patchy", 0.06, I),
        (EXPECTED, "patchy", 0.03, I),
        ("unheard_of", "patchy", 0.3, S),
        ("fracture", "acute", 0.3, S),
        # what is old asks for three tenths of it
        ("fracture", "old", 0.09, I),
        ("fracture", "healed", 0.09, I),
        (URGENT, "old", 0.6, S),
    ],
)
def test_a_missing_finding_weighs_as_much_as_it_asks_for(
    concept: str, modifier: str, weight: float, severity: str
) -> None:
    """Importance decides, unless the finding is old; one denied weighs its whole importance, an old one its share."""
    missing = unit(concept, text="qzx", modifiers=frozenset({modifier}))
    silent, denied = (judge_presence(missing, LEXICON, denied=denied) for denied in (False, True))
    assert silent.weight == pytest.approx(weight)
    assert denied.weight == pytest.approx(weight / 0.6)
    assert silent.severity == severity
    assert denied.importance is silent.importance is LEXICON.importance(concept)


@pytest.mark.parametrize(
    ("concept", "attributes", "extent", "reason"),
    [
        (ACTIONABLE, {"severity": "mild", **POSSIBLE}, 0.18, "slight and merely possible, "),
        (
            ACTIONABLE,
            {"severity": "mild", "polarity": Polarity.UNCERTAIN},
            0.18,
            "slight and merely possible, ",
        ),
        (ACTIONABLE, {"severity": "mild", "certainty": Certainty.PROBABLE}, 0.51, "slight, "),
        (ACTIONABLE, {"severity": "mild"}, 0.51, "slight, "),
        (ACTIONABLE, {"severity": "severe", **POSSIBLE}, 0.42, "possible, "),
        (ACTIONABLE, POSSIBLE, 0.42, "possible, "),
        (URGENT, {"severity": "mild", **POSSIBLE}, 0.42, "possible, "),
        (ACTIONABLE, {"modifiers": frozenset({"borderline"})}, 0.18, "borderline, "),
        (ACTIONABLE, {"modifiers": frozenset({"old"}), **POSSIBLE}, 0.18, "old, "),
        (ACTIONABLE, {"certainty": Certainty.PROBABLE}, 0.6, ""),
    ],
)
def test_what_is_hardly_there_weighs_little(
    concept: str, attributes: dict[str, Any], extent: float, reason: str
) -> None:
    """Readers part over what is slight and only possible, or borderline; slight alone or possible alone matters."""
    judgement = judge_presence(unit(concept, **attributes), LEXICON)
    assert judgement.extent == pytest.approx(extent)
    assert judgement.reason == reason
    assert judgement.severity == (I if extent < 0.3 else S)


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
    ("concept", "contradicts", "omitted", "extent", "severity"),
    [
        # the other side; one of two sides added; a side lost; a side added
        (URGENT, True, True, 0.45, S),
        (ACTIONABLE, True, True, 0.45, S),
        (ACTIONABLE, True, False, 0.3, S),
        (URGENT, False, True, 0.15, S),
        (ACTIONABLE, False, True, 0.15, I),
        (ACTIONABLE, False, False, 0.0, I),
        (URGENT, False, False, 0.0, I),
        (LATER, True, True, 0.45, I),
        (LATER, False, True, 0.075, I),
        (IDLE, True, True, 0.45, I),
        (IDLE, False, True, 0.0, I),
    ],
)
def test_a_side_weighs_if_it_is_wrong_or_lost(
    concept: str, extent: float, severity: str, *, contradicts: bool, omitted: bool
) -> None:
    """A side that is only made precise weighs nothing; a lost one does where something is done on that side."""
    judgement = judge_side(unit(concept), LEXICON, contradicts=contradicts, omitted=omitted)
    assert (judgement.extent, judgement.severity) == (extent, severity)


@pytest.mark.parametrize(("concept", "severity"), [(URGENT, S), (ACTIONABLE, S), (LATER, I)])
def test_one_of_two_sides_lost_weighs_as_one_added(concept: str, severity: str) -> None:
    """Less than the wrong side, as half of what is said is right."""
    lost = judge_sides_lost(unit(concept), LEXICON)
    added = judge_side(unit(concept), LEXICON, contradicts=True, omitted=False)
    assert (lost.extent, lost.severity) == (added.extent, added.severity) == (0.3, severity)


@pytest.mark.parametrize(
    ("concept", "distance", "severity"), [(URGENT, 1, I), (ACTIONABLE, 1, I), (ACTIONABLE, 2, S), (IDLE, 2, I)]
)
def test_neighbouring_zones_hardly_differ(concept: str, distance: int, severity: str) -> None:
    """Only zones two levels apart matter, in a finding that asks for action."""
    assert judge_zone(unit(concept), LEXICON, distance).severity == severity


@pytest.mark.parametrize(
    ("concept", "reference", "candidate", "extent", "severity", "reason"),
    [
        (ACTIONABLE, "mild", "moderate", 0.15, I, "the degree differs by one step"),
        (ACTIONABLE, "moderate", "severe", 0.15, I, "the degree differs by one step"),
        (ACTIONABLE, "mild", "severe", 0.4, S, "the degree differs by two steps"),
        (ACTIONABLE, "severe", "mild", 0.4, S, "the degree differs by two steps"),
        (URGENT, "mild", "moderate", 0.15, S, "the degree differs by one step"),
        (URGENT, "severe", "mild", 0.4, S, "the degree differs by two steps"),
        (LATER, "mild", "severe", 0.4, I, "the degree differs by two steps"),
        (EXPECTED, "mild", "severe", 0.4, I, "the degree differs by two steps"),
        # .5 off the scale lies within a step of every degree
        (ACTIONABLE, "extensive", "severe", 0.15, I, "the degree differs by one step"),
        (ACTIONABLE, "extensive", "mild", 0.15, I, "the degree differs by one step"),
        # the same place on the paper's scale
        (URGENT, "severe", "marked", 0.0, I, "the degree is worded differently"),
        (URGENT, "extensive", "massive", 0.0, I, "the degree is worded differently"),
        # stated once
        (ACTIONABLE, "mild", None, 0.0, I, "a degree is stated in one report only"),
        (ACTIONABLE, None, "moderate", 0.0, I, "a degree is stated in one report only"),
        (URGENT, None, "moderate", 0.0, I, "a degree is stated in one report only"),
        (ACTIONABLE, "severe", None, 0.3, S, "a degree is stated in one report only, and it is severe"),
        (ACTIONABLE, None, "marked", 0.3, S, "a degree is stated in one report only, and it is severe"),
        (LATER, "severe", None, 0.3, I, "a degree is stated in one report only, and it is severe"),
        (EXPECTED, "severe", None, 0.3, I, "a degree is stated in one report only, and it is severe"),
    ],
)
def test_degrees_weigh_by_steps(
    concept: str, reference: str | None, candidate: str | None, extent: float, severity: str, reason: str
) -> None:
    """Two steps matter in what can change care, one in what is urgent; a degree stated once only where it is severe."""
    judgement = judge_degree(unit(concept, severity=reference), unit(concept, severity=candidate), LEXICON)
    assert (judgement.extent, judgement.severity, judgement.reason) == (extent, severity, reason)


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


@pytest.mark.parametrize(
    ("reference", "candidate", "extent"),
    [
        # vertebrae: each counts
        ({"t11", "l2"}, {"l2"}, 0.3),
        ({"l2"}, {"t11", "l2"}, 0.3),
        ({"t11", "l2"}, {"t11", "l2"}, 0.0),
        ({"l1", "l2", "l3"}, {"l1", "l3"}, 0.3),
        # ribs: whether they are several, and one is easily miscounted
        ({"rib_4", "rib_5", "rib_6", "rib_7"}, {"rib_5"}, 0.3),
        ({"rib_5"}, {"rib_4", "rib_5", "rib_6"}, 0.3),
        ({"rib_5", "rib_6", "rib_7"}, {"rib_5", "rib_6"}, 0.0),
        ({"rib_5", "rib_6", "rib_7", "rib_8"}, {"rib_5", "rib_6", "rib_7"}, 0.0),
        ({"rib_5", "rib_6"}, {"rib_5"}, 0.0),
    ],
)
def test_some_of_several_levels(reference: set[str], candidate: set[str], extent: float) -> None:
    """A broken vertebra more or less matters, a rib does where one report has several and the other has not."""
    one, other = unit("fracture", *reference), unit("fracture", *candidate)
    _, judged = judge_levels(one.place.levels, other.place.levels, one, LEXICON)
    assert judged.extent == extent


def test_levels_of_a_device_are_no_finding() -> None:
    """Where hardware begins and ends beside the spine is no fracture more or less."""
    one = unit("sternal_wires", "t4", "t5", device="sternal_wires")
    other = unit("sternal_wires", "t4", device="sternal_wires")
    assert judge_levels(one.place.levels, other.place.levels, one, LEXICON)[1].extent == 0.0


def test_levels_tell_which_report_has_more() -> None:
    """What the reference has more is lost, what the candidate has more is made up."""
    few, many = unit("fracture", "l2"), unit("fracture", "t11", "l2")
    lost, _ = judge_levels(many.place.levels, few.place.levels, many, LEXICON)
    added, _ = judge_levels(few.place.levels, many.place.levels, few, LEXICON)
    assert (lost, added) == (ErrorType.OMISSION, ErrorType.FABRICATION)


@pytest.mark.parametrize(
    ("reference", "candidate", "weight", "kind"),
    [
        (("perforated",), ("uncomplicated",), 0.4, ErrorType.INACCURACY),
        (("uncomplicated",), ("gangrenous",), 0.4, ErrorType.INACCURACY),
        (("perforated",), (), 0.4, ErrorType.OMISSION),
        ((), ("perforated",), 0.4, ErrorType.FABRICATION),
        (("perforated",), ("gangrenous",), None, None),
        (("uncomplicated",), (), None, None),
    ],
)
def test_kinds_of_a_disease_that_are_treated_differently_matter(
    reference: tuple[str, ...], candidate: tuple[str, ...], weight: float | None, kind: ErrorType | None
) -> None:
    """Four tenths of what the finding asks for; a word of the milder kind alone says nothing new."""
    r, c = (unit("appendicitis", modifiers=frozenset(words)) for words in (reference, candidate))
    judged = judge_kind(r, c, r.modifiers, c.modifiers, KINDS)
    assert (weight, kind) == (None, None) if judged is None else (judged[1].extent, judged[0]) == (weight, kind)


def test_what_the_other_report_tells_elsewhere_is_not_lost() -> None:
    """Free gas beside the appendicitis says that it is perforated, whatever it is called."""
    r, c = unit("appendicitis", modifiers=frozenset({"perforated"})), unit("appendicitis")
    assert judge_kind(r, c, r.modifiers, frozenset({"complicated"}), KINDS) is None
