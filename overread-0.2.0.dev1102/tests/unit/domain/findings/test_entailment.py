"""What a report says of a statement."""

from __future__ import annotations

import random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.findings.entailment import Entailment, entails
from overread.domain.findings.relation import denies
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Experiencer, Polarity, Temporality

from ..clinical import LEXICON, no, normal, sentence, unit, units

Units = list[ClinicalUnit]
ENTAILED, CONTRADICTED, NEUTRAL = Entailment.ENTAILED, Entailment.CONTRADICTED, Entailment.NEUTRAL
PAST: dict[str, Any] = {"temporality": Temporality.HISTORICAL}
OPEN: dict[str, Any] = {"polarity": Polarity.UNCERTAIN, "certainty": Certainty.POSSIBLE}


def label(statement: ClinicalUnit, *report: ClinicalUnit) -> Entailment:
    return entails([statement], report, LEXICON)


@pytest.mark.parametrize(
    ("statement", "report", "expected"),
    [
        # findings
        (unit("effusion"), [unit("effusion")], ENTAILED),
        (unit("opacity"), [unit("lobar_consolidation")], ENTAILED),
        (unit("effusion"), [unit("nodule")], NEUTRAL),
        (unit("effusion"), [], NEUTRAL),
        (unit("atelectasis"), [unit("consolidation")], NEUTRAL),
        (unit("effusion"), [no("effusion")], CONTRADICTED),
        (unit("consolidation"), [normal("clear_lungs")], CONTRADICTED),
        (unit("opacity"), [no("consolidation")], NEUTRAL),
        (unit("effusion"), [unit("effusion", **PAST)], NEUTRAL),
        (unit("effusion", **OPEN), [unit("effusion")], ENTAILED),
        (unit("effusion", **OPEN), [no("effusion")], CONTRADICTED),
        # denials
        (no("effusion"), [no("effusion")], ENTAILED),
        (no("consolidation"), [normal("clear_lungs")], ENTAILED),
        (normal("normal_pleura"), [normal("normal_pleura")], ENTAILED),
        (no("opacity"), [no("consolidation")], NEUTRAL),
        (normal("clear_lungs"), [no("nodule")], NEUTRAL),
        (no("effusion"), [], NEUTRAL),
        (no("effusion"), [no("nodule")], NEUTRAL),
        (no("effusion"), [unit("effusion")], CONTRADICTED),
        (normal("clear_lungs"), [unit("lobar_consolidation")], CONTRADICTED),
        (no("consolidation"), [unit("opacity")], NEUTRAL),
        (no("effusion"), [unit("effusion", **PAST)], NEUTRAL),
        (no("effusion", "left"), [no("effusion")], ENTAILED),
        (no("effusion"), [no("effusion", "left")], NEUTRAL),
        (no("effusion", "left"), [unit("effusion", "right")], NEUTRAL),
        (no("effusion", change=Change.NEW), [unit("effusion", change=Change.STABLE)], NEUTRAL),
        # sides and zones
        (unit("effusion"), [unit("effusion", "left")], ENTAILED),
        (unit("effusion", "left"), [unit("effusion")], NEUTRAL),
        (unit("effusion", "left"), [unit("effusion", "right")], NEUTRAL),
        (unit("effusion", "left"), [unit("effusion", "left", "right")], ENTAILED),
        (unit("effusion", "left", "right"), [unit("effusion", "left")], NEUTRAL),
        (unit("nodule", "apex"), [unit("nodule", "upper_lobe")], ENTAILED),
        (unit("nodule", "apex"), [unit("nodule", "mid_zone")], ENTAILED),
        (unit("nodule", "apex"), [unit("nodule", "base")], NEUTRAL),
        (unit("nodule", "apex"), [unit("nodule")], ENTAILED),
        # degrees
        (unit("effusion"), [unit("effusion", severity="severe")], ENTAILED),
        (unit("effusion", severity="mild"), [unit("effusion")], ENTAILED),
        (unit("effusion", severity="mild"), [unit("effusion", severity="mild")], ENTAILED),
        (unit("effusion", severity="mild"), [unit("effusion", severity="moderate")], NEUTRAL),
        (unit("effusion", severity="mild"), [unit("effusion", severity="severe")], CONTRADICTED),
        (unit("effusion", "left", severity="mild"), [unit("effusion", "right", severity="severe")], NEUTRAL),
        # courses
        (unit("effusion"), [unit("effusion", change=Change.NEW)], ENTAILED),
        (unit("effusion", change=Change.NEW), [unit("effusion")], NEUTRAL),
        (unit("effusion", change=Change.NEW), [unit("effusion", change=Change.NEW)], ENTAILED),
        (unit("effusion", change=Change.NEW), [unit("effusion", change=Change.WORSENED)], NEUTRAL),
        (unit("effusion", change=Change.NEW), [unit("effusion", change=Change.STABLE)], CONTRADICTED),
        (unit("effusion", change=Change.IMPROVED), [unit("effusion", change=Change.WORSENED)], CONTRADICTED),
        (unit("effusion", change=Change.IMPROVED), [unit("effusion", change=Change.NEW)], CONTRADICTED),
        (unit("effusion", change=Change.STABLE), [unit("effusion", change=Change.WORSENED)], CONTRADICTED),
        (unit("effusion", change=Change.STABLE, **OPEN), [unit("effusion", change=Change.WORSENED)], NEUTRAL),
        # several mentions: one that holds is enough
        (unit("effusion", "left"), [unit("effusion", "right"), unit("effusion", "left")], ENTAILED),
        (unit("effusion", severity="mild"), [unit("effusion", severity="severe"), unit("effusion")], ENTAILED),
        (unit("effusion", "left"), [no("effusion", "right"), unit("effusion", "left")], ENTAILED),
        (no("effusion"), [no("effusion"), unit("effusion")], CONTRADICTED),
    ],
)
def test_what_a_report_says_of_one_unit(statement: ClinicalUnit, report: Units, expected: Entailment) -> None:
    """Held, excluded, or left open by the units of the report."""
    assert label(statement, *report) is expected


@pytest.mark.parametrize(
    ("statement", "report", "expected"),
    [
        (
            [unit("effusion"), no("pneumothorax")],
            [unit("effusion"), normal("intact_bones"), no("pneumothorax")],
            ENTAILED,
        ),
        ([unit("effusion"), no("pneumothorax")], [unit("effusion")], NEUTRAL),
        ([unit("effusion"), no("pneumothorax")], [unit("effusion"), unit("pneumothorax")], CONTRADICTED),
        ([unit("effusion"), unit("nodule")], [no("effusion")], CONTRADICTED),
        # what no rule covers, what is said of the examination, and what is not of this patient now say nothing
        ([unit("effusion"), sentence("Seen in the hall")], [unit("effusion")], ENTAILED),
        ([unit("effusion"), unit("nodule", administrative="recommendation")], [unit("effusion")], ENTAILED),
        ([unit("effusion"), unit("nodule", **PAST)], [unit("effusion")], ENTAILED),
        ([unit("effusion"), unit("nodule", experiencer=Experiencer.FAMILY)], [unit("effusion")], ENTAILED),
        ([sentence("Seen in the hall")], [sentence("Seen in the hall")], NEUTRAL),
        ([], [unit("effusion")], NEUTRAL),
    ],
)
def test_a_statement_holds_as_a_whole(statement: Units, report: Units, expected: Entailment) -> None:
    """One unit that is contradicted contradicts it, one that is open leaves it open, and without any it is open."""
    assert entails(statement, report, LEXICON) is expected


ASSERTED = units().filter(lambda u: u.asserts_finding)
DENIED = units().filter(lambda u: u.denies_finding)


@given(st.lists(ASSERTED, min_size=1, max_size=5) | st.lists(DENIED, min_size=1, max_size=5), st.data())
def test_a_report_entails_what_it_says(report: Units, data: st.DataObject) -> None:
    """Any part of a report that only asserts, or only denies, is entailed by it."""
    part = data.draw(st.lists(st.sampled_from(report), min_size=1, unique_by=id))
    assert entails(part, report, LEXICON) is ENTAILED


@given(ASSERTED, st.lists(DENIED, max_size=5))
def test_denials_alone_entail_no_finding(statement: ClinicalUnit, report: Units) -> None:
    """They contradict it, if one of them denies it, or leave it open."""
    denied = any(denies(denial, statement, LEXICON) for denial in report)
    assert label(statement, *report) is (CONTRADICTED if denied else NEUTRAL)


@given(ASSERTED)
def test_a_finding_and_its_plain_denial_contradict_each_other(finding: ClinicalUnit) -> None:
    """From either end."""
    denial = no(finding.canonical_finding)
    assert label(finding, denial) is label(denial, finding) is CONTRADICTED


@given(units(), st.lists(units(), max_size=5), st.lists(units(), max_size=3))
def test_more_to_read_never_takes_back_a_finding_nor_a_contradicted_denial(
    statement: ClinicalUnit, report: Units, more: Units
) -> None:
    """What a report asserts it asserts whatever else it says."""
    settled = ENTAILED if statement.asserts_finding else CONTRADICTED
    if label(statement, *report) is settled:
        assert label(statement, *report, *more) is settled


@given(st.lists(units(), max_size=4), st.lists(units(), max_size=5), st.randoms(use_true_random=False))
def test_order_and_wording_say_nothing(statement: Units, report: Units, chance: random.Random) -> None:
    """Units in another order, in other words, at other places: the same label."""
    moved = [evolve(u, span_text="x", start=90, end=91) for u in chance.sample(report, len(report))]
    turned = chance.sample(statement, len(statement))
    assert entails(turned, moved, LEXICON) is entails(statement, report, LEXICON)
