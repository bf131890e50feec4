"""The ratescore metric: score, subscores, evidence, edge cases, and that no pair takes another's place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.application.metrics.entity_reader import EntityReader
from overread.application.metrics.ratescore import RATESCORE_SCALE, EmptyRule, RateScoreMetric
from overread.domain.entities.affinity import TABLES, Orientation, PenaltyRule
from overread.domain.results.ratescore import NameMatches
from overread.domain.results.result import EntityEvidence, EntityMatch, Outcome, Scored, Unscored

from ..entity_fakes import LetterEncoder, MarkRecognizer
from ..fakes import pair

LONG = TABLES["release-0.6-long"]


def metric(*, recognizer: Any = None, encoder: Any = None, **options: Any) -> RateScoreMetric:
    reader = EntityReader(recognizer or MarkRecognizer(), encoder or LetterEncoder())
    return RateScoreMetric(reader=reader, **{"table": LONG, **options})


def outcome(reference: str, candidate: str, **parts: Any) -> Outcome:
    return metric(**parts).evaluate([pair("a", reference, candidate)])[0]


def scored(reference: str, candidate: str, **parts: Any) -> Scored:
    found = outcome(reference, candidate, **parts)
    assert isinstance(found, Scored)
    return found


def test_a_report_against_itself_scores_one() -> None:
    """Every entity finds itself."""
    result = scored("lung +mass -edema !pneumonia ~fracture", "lung +mass -edema !pneumonia ~fracture")
    assert result.score == pytest.approx(1.0)
    assert result.subscores == pytest.approx(
        {"precision": 1.0, "recall": 1.0, "reference_entities": 5.0, "candidate_entities": 5.0}
    )
    assert result.notes == ()
    assert RATESCORE_SCALE.describe() == "0 to 1, higher is better"


def test_denying_a_finding_costs_the_penalty() -> None:
    """One name on either side, of opposite polarity: both directions are p."""
    result = scored("+mass", "-mass")
    assert result.score == pytest.approx(LONG.p)
    assert (result.subscores["precision"], result.subscores["recall"]) == pytest.approx((LONG.p, LONG.p))


def test_only_the_papers_rule_penalises_a_disease_taken_for_an_abnormality() -> None:
    """The release penalises a changed polarity alone."""
    assert scored("!mass", "+mass").score == pytest.approx(1.0)
    assert scored("!mass", "+mass", penalty=PenaltyRule.ANY_MISMATCH).score == pytest.approx(LONG.p)


def test_what_a_candidate_adds_lowers_precision_and_what_it_omits_lowers_recall() -> None:
    """The two directions tell the two kinds of error apart."""
    told = {"mass": [1.0, 0.0], "cyst": [0.0, 1.0]}
    added = scored("!mass", "!mass !cyst", encoder=LetterEncoder(told=told)).subscores
    omitted = scored("!mass !cyst", "!mass", encoder=LetterEncoder(told=told)).subscores
    assert (added["precision"], added["recall"]) == pytest.approx((0.5, 1.0))
    assert (omitted["precision"], omitted["recall"]) == pytest.approx((1.0, 0.5))


def test_orientation_decides_which_direction_a_weight_counts_in() -> None:
    """Paper and release read the same table the other way round."""
    told = {"mass": [1.0, 0.0], "cyst": [0.0, 1.0], "node": [0.6, 0.8]}
    release, paper = (
        scored("!mass lung", "+node lung", encoder=LetterEncoder(told=told), orientation=orientation).subscores
        for orientation in (Orientation.RELEASE, Orientation.PAPER)
    )
    by_type = LONG.by_type
    anatomy = by_type["ANATOMY"]["ANATOMY"]  # type: ignore[index]
    release_weight = by_type["ABNORMALITY"]["DISEASE"]  # type: ignore[index]
    paper_weight = by_type["DISEASE"]["ABNORMALITY"]  # type: ignore[index]
    for found, weight in ((release, release_weight), (paper, paper_weight)):
        assert found["precision"] == pytest.approx((0.6 * weight + anatomy) / (weight + anatomy))


def test_the_evidence_names_every_entity_and_its_match() -> None:
    """With cosine, weight and penalty, and offsets into the report as given."""
    told = {"mass": [1.0, 0.0], "lung": [0.0, 1.0]}
    evidence = scored("lung +mass", "no -mass", encoder=LetterEncoder(told={**told, "no": [0.6, 0.8]})).evidence
    assert isinstance(evidence, EntityEvidence)
    assert [e.span.of("lung +mass") for e in evidence.reference_entities] == ["lung", "mass"]
    assert [e.span.of("no -mass") for e in evidence.candidate_entities] == ["no", "mass"]
    weights = LONG.read_as().weights
    assert [match.match for match in evidence.reference_matches] == [0, 1]
    assert evidence.reference_matches[1] == EntityMatch(1, 1, 1.0, weights[0, 3], LONG.p)
    assert evidence.candidate_matches[1] == EntityMatch(1, 1, 1.0, weights[3, 0], LONG.p)
    assert evidence.reference_matches[0].similarity == pytest.approx(0.8)
    assert evidence.reference_matches[0].penalty == 1.0


def test_names_that_point_away_from_each_other_score_zero_and_are_shown_as_they_are() -> None:
    """A score lies on 0 to 1, its parts are not bent."""
    result = scored("+mass", "+cyst", encoder=LetterEncoder(told={"mass": [1.0, 0.0], "cyst": [-0.6, 0.8]}))
    assert result.score == 0.0
    assert result.subscores["precision"] == pytest.approx(-0.6)


@pytest.mark.parametrize(
    ("reference", "candidate", "side"),
    [("12", "+mass", "reference"), ("+mass", "", "candidate"), (" ", "+mass", "reference")],
)
def test_a_report_without_entities_scores_zero_and_says_so(reference: str, candidate: str, side: str) -> None:
    """Empty or not: there is something to find on the other side, and it was not."""
    result = scored(reference, candidate)
    assert result.score == 0.0
    assert result.notes == (f"the {side} does not hold an entity: the score is 0",)
    assert result.subscores[f"{side}_entities"] == 0.0
    assert isinstance(result.evidence, EntityEvidence)


def test_without_entities_on_both_sides_there_is_no_score() -> None:
    """There is nothing to compare."""
    assert outcome("12", "3.") == Unscored("no entities", "neither report holds an entity")
    assert outcome("12", "") == Unscored("no entities", "neither report holds an entity")


@pytest.mark.parametrize(
    ("reference", "candidate", "whose"),
    [
        ("+mass", "12", "the candidate does not hold"),
        ("", "+mass", "the reference does not hold"),
        ("1", "2", "neither report holds"),
    ],
)
def test_as_the_release_has_it_a_report_without_entities_scores_a_half(
    reference: str, candidate: str, whose: str
) -> None:
    """The rule of the release can be had, with a note that says so."""
    result = scored(reference, candidate, empty=EmptyRule.RELEASE)
    assert result.score == 0.5
    assert result.notes == (f"{whose} an entity: the score is 0.5, as in the released package",)


def test_two_empty_reports_have_no_score_under_either_rule() -> None:
    """Not even the release's half is given for nothing."""
    for empty in EmptyRule:
        assert outcome("", " \n", empty=empty) == Unscored("empty", "both reports are empty")


def test_what_the_backends_ask_to_be_told_heads_the_notes() -> None:
    """Stand-ins are named wherever their score is shown."""
    recognizer, encoder = MarkRecognizer(note="words stand in for entities"), LetterEncoder(note="letters only")
    told = ("words stand in for entities", "letters only")
    assert scored("+mass", "+mass", recognizer=recognizer, encoder=encoder).notes == told
    assert scored("+mass", "", recognizer=recognizer, encoder=encoder).notes[:2] == told


def test_everything_that_changes_a_score_is_in_the_signature() -> None:
    """Each setting gives a signature of its own."""
    parts = dict(metric().signature_parts)
    assert parts == {
        "recognizer": "marks",
        "encoder": "letters",
        "table": "release-0.6-long",
        "orientation": "release",
        "penalty": "polarity",
        "empty": "zero",
    }
    changed = [
        metric(recognizer=MarkRecognizer(identity="other")),
        metric(encoder=LetterEncoder(identity="other")),
        metric(table=TABLES["release-0.5-long"]),
        metric(table=evolve(LONG, p=0.5)),
        metric(orientation=Orientation.PAPER),
        metric(penalty=PenaltyRule.ANY_MISMATCH),
        metric(empty=EmptyRule.RELEASE),
    ]
    signatures = {tuple(other.signature_parts) for other in (metric(), *changed)}
    assert len(signatures) == len(changed) + 1


def test_a_table_is_read_as_it_was_learned_and_the_signature_tells() -> None:
    """A learned table brings the orientation and penalty it was fitted with."""
    learned = evolve(LONG, name="mine", orientation=Orientation.PAPER, penalty=PenaltyRule.ANY_MISMATCH)
    parts = dict(metric(table=learned).signature_parts)
    assert (parts["orientation"], parts["penalty"]) == ("paper", "any-mismatch")
    assert parts["table"].startswith("mine#")
    stated = scored("!mass lung", "+mass", orientation=Orientation.PAPER, penalty=PenaltyRule.ANY_MISMATCH)
    assert scored("!mass lung", "+mass", table=learned) == stated


REPORTS = st.sampled_from(["", " ", "12", "+mass", "-mass lung", "refused", "lung !edema +mass +mass", "~edema heart"])


@given(st.lists(st.tuples(REPORTS, REPORTS), max_size=8))
def test_a_pair_scores_the_same_whatever_stands_beside_it(texts: list[tuple[str, str]]) -> None:
    """Refused, empty and blank neighbours included: the released package lost such rows, and shifted the rest."""
    recognizer = MarkRecognizer(refused={"refused": "language"})
    pairs = [pair(str(i), reference, candidate) for i, (reference, candidate) in enumerate(texts)]
    together = metric(recognizer=recognizer).evaluate(pairs)
    alone = [metric(recognizer=recognizer).evaluate([one])[0] for one in pairs]
    assert len(together) == len(pairs)
    for one, other in zip(together, alone, strict=True):
        assert type(one) is type(other)
        if isinstance(one, Scored) and isinstance(other, Scored):
            assert one.score == pytest.approx(other.score, abs=1e-6)
        else:
            assert one == other


def test_the_order_of_the_batch_is_kept() -> None:
    """A report without entities shifts no other."""
    pairs = [pair(str(i), "+mass", text) for i, text in enumerate(["+mass", "", "-mass"])]
    one, two, three = metric().evaluate(pairs)
    assert isinstance(one, Scored)
    assert isinstance(two, Scored)
    assert isinstance(three, Scored)
    assert (one.score, two.score, three.score) == pytest.approx((1.0, 0.0, LONG.p))


class DecidingEncoder(LetterEncoder):
    """Matches names itself: the last of the other report's, whatever their cosines."""

    def match_names(self, reference: Sequence[str], candidate: Sequence[str]) -> NameMatches:
        rows, columns = (self.encode(names).astype(np.float64) for names in (reference, candidate))
        cosines = rows @ columns.T
        last, back = np.full(len(rows), len(columns) - 1), np.full(len(columns), len(rows) - 1)
        return NameMatches(cosines, cosines.T, last, back)


def test_an_encoder_that_matches_names_itself_decides_on_ties() -> None:
    """Of two equal names the entity's own type would come first; a release may take the other."""
    evidence = scored("+mass", "+mass -mass", encoder=DecidingEncoder()).evidence
    assert isinstance(evidence, EntityEvidence)
    assert [match.match for match in evidence.reference_matches] == [1]
    assert [match.match for match in evidence.candidate_matches] == [0, 0]
    assert scored("+mass", "+mass -mass").subscores["recall"] == pytest.approx(1.0)


def test_an_encoder_that_matches_names_is_not_asked_about_a_report_without_entities() -> None:
    """There is nothing to match; the rule for such reports holds."""
    result = scored("+mass", "...", encoder=DecidingEncoder(), empty=EmptyRule.RELEASE)
    assert result.score == 0.5


def test_a_releases_mean_of_negative_directions_is_its_own() -> None:
    """2PR / (P + R) of -0.5 and -0.5 is -0.5, which a release reports and the paper's metric sets to 0."""
    told = {"mass": [1.0, 0.0], "cyst": [-0.5, 3**0.5 / 2]}
    encoder = LetterEncoder(told=told)
    assert scored("+mass", "+cyst", encoder=encoder).score == 0.0
    assert scored("+mass", "+cyst", encoder=encoder, release="ratescore-0.6.0").score == pytest.approx(-0.5, abs=0.01)
