"""Reports on several examinations, compared part by part as the shipped reader reads them."""

from __future__ import annotations

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.application.metrics.notation import NotationMetric
from overread.application.metrics.pair_reader import PairReader
from overread.domain.reports.report import Report, ReportPair, ReportPart
from overread.domain.results.discrepancy import Discrepancy

from .test_notation import scored, weighed

LEXICON = load_knowledge().lexicon
WRIST = "Impacted fracture of the right distal radius."
HIP = "No fracture. Degenerative changes of both hips."


@pytest.fixture
def reader(shipped_reader: MedspacyUnitExtractor) -> PairReader:
    return weighed(LEXICON, extractor=shipped_reader)


def joined(*said: str) -> Report:
    """A report of parts, the first about the first examination, and so on."""
    parts, start = [], 0
    for number, text in enumerate(said):
        parts.append(ReportPart(start, start + len(text), frozenset({number})))
        start += len(text) + 1
    return Report("\n".join(said), parts)


def one(*said: str) -> Report:
    """The same words as one part."""
    return Report(joined(*said).text)


def found(reader: PairReader, reference: Report, candidate: Report) -> list[Discrepancy]:
    pair = ReportPair(id="a", reference=reference, candidate=candidate)
    return [*scored(NotationMetric(reader, LEXICON).evaluate([pair])[0]).discrepancies]


def reasons(reader: PairReader, reference: Report, candidate: Report) -> list[str]:
    return [discrepancy.reason.rpartition("; ")[2] for discrepancy in found(reader, reference, candidate)]


BOTH_WAYS = "the candidate both asserts and denies it"


def test_parts_do_not_contradict_each_other(reader: PairReader) -> None:
    """A broken wrist and an intact hip are no contradiction; in one text nothing tells that they are two."""
    reference = one(WRIST, "Impacted fracture of the right femoral neck. Degenerative changes of both hips.")
    assert BOTH_WAYS in reasons(reader, reference, one(WRIST, HIP))
    assert reasons(reader, reference, joined(WRIST, HIP)) == ["denied by the candidate"]


def test_a_part_may_contradict_itself(reader: PairReader) -> None:
    """Within what it says of one examination it asserts and denies the same."""
    assert BOTH_WAYS in reasons(reader, joined(WRIST, HIP), joined(f"{WRIST} No fracture.", HIP))


def test_a_finding_in_another_part_is_another_finding(reader: PairReader) -> None:
    """In the chest it is left out and in the abdomen made up, though both reports have it somewhere."""
    chest, abdomen = "The lungs are clear.", "The liver is normal."
    reference = joined(f"{chest} Small hiatal hernia.", abdomen)
    candidate = joined(chest, f"{abdomen} Small hiatal hernia.")
    assert [d.finding for d in found(reader, reference, candidate)] == ["hiatal_hernia", "hiatal_hernia"]
    assert found(reader, one(f"{chest} Small hiatal hernia.", abdomen), candidate) == []
    assert found(reader, reference, reference) == []


def test_what_is_denied_in_another_part_is_not_denied(reader: PairReader) -> None:
    """Silence about the wrist in the other report is no denial, however intact its hip is."""
    [left_out] = found(reader, joined(WRIST, HIP), joined("Osteopenia.", HIP))[:1]
    assert "denied" not in left_out.reason
    [denied] = found(reader, one(WRIST, "Degenerative changes of both hips."), one("Osteopenia.", HIP))[:1]
    assert denied.reason.endswith("denied by the candidate")


def test_sentences_that_no_rule_covers_stay_in_their_parts(reader: PairReader) -> None:
    """The same words about another examination are other words."""
    aside = "Zorb flimmed over the quux."
    reference, candidate = joined(f"{WRIST} {aside}", HIP), joined(WRIST, f"{HIP} {aside}")
    assert len(found(reader, reference, candidate)) == 2
    assert found(reader, one(f"{WRIST} {aside}", HIP), candidate) == []


def test_numbers_that_no_rule_reads_are_compared_in_their_parts(reader: PairReader) -> None:
    """A score of the wrist is not held against the same of the hip."""
    reference = joined("Zorb flimmed by 30 %.", "Quux bar.")
    assert found(reader, reference, joined("Zorb flimmed by 60 %.", "Quux bar."))
    apart = found(reader, reference, joined("Quux bar.", "Zorb flimmed by 60 %."))
    assert not any("number" in discrepancy.reason for discrepancy in apart)


def test_what_a_joined_reference_seems_to_contradict_excuses_a_candidate_in_one_text(reader: PairReader) -> None:
    """The candidate says the same as the reference; where its parts cannot be told apart it is not blamed for that."""
    assert found(reader, joined(WRIST, HIP), one(WRIST, HIP)) == []


def test_the_same_words_with_other_parts_are_another_pair(reader: PairReader) -> None:
    """What was read of them as one text is not taken for what they say in parts."""
    reference = one(WRIST, "Degenerative changes of both hips.")
    before = reasons(reader, reference, one(WRIST, HIP))
    assert reasons(reader, reference, joined(WRIST, HIP)) != before
    assert reasons(reader, reference, one(WRIST, HIP)) == before
