"""Credible reports: of one examination, in words that exist, whole, and without contradictions."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.domain.findings.contradiction import contradictions
from overread.domain.findings.lexicon import Lexicon
from overread.domain.reports.report import Report
from overread.studies.application.synthesis.credible.examinations import Examination, Visible, load_examinations
from overread.studies.application.synthesis.credible.reports import CredibleReport, credible_reports
from overread.studies.application.synthesis.credible.sayings import Saying
from overread.studies.application.synthesis.edits.categories import BUCKETS, bucket_of
from overread.studies.application.synthesis.edits.sentences import is_broken, number_broken
from overread.studies.application.synthesis.injected.material import Material
from overread.studies.application.synthesis.vocabulary import table_text

FRAME = frozenset(
    "a an and are available be comparison compared conclusion decreased findings has have history image "  # noqa: SIM905
    "impression improved improving in increased indication is it likely made mri new no none noted of on "
    "possible present prior probable radiograph seen since stable study studies technique than that the "
    "there this to unchanged was which with worsened worsening from ct ultrasound cm mm january february "
    "march april may june july august september october november december".split()
)
KINDS = {examination.id: examination for examination in load_examinations()}


@pytest.fixture(scope="module")
def reports() -> list[CredibleReport]:
    return list(credible_reports(seed=11, studies=400))


@pytest.fixture(scope="module")
def seen(extractor: MedspacyUnitExtractor) -> dict[str, set[str]]:
    """The findings that each examination can show, as they are read one by one."""

    def sentences(finding: Visible) -> list[str]:
        if finding.text:
            return [text.format(cm="2") for text in finding.text]
        looks, sides = finding.looks or ("",), finding.sides or ("",)
        places, zones = finding.places or ("",), finding.zones or ("",)
        words = [
            " ".join(filter(None, (look, side, zone, noun, place)))
            for look in looks
            for side in sides
            for zone in zones
            for place in places
            for noun in filter(None, (finding.noun, finding.plural))
        ]
        return [f"There is {phrase}." for phrase in words]

    def findings(examination: Examination) -> set[str]:
        texts = [text for finding in examination.finding for text in sentences(finding)]
        found = extractor.extract([Report(" ".join(texts))])
        assert isinstance(found[0], tuple)
        return {unit.canonical_finding for unit in found[0] if unit.asserts_finding}

    return {examination.id: findings(examination) for examination in KINDS.values()}


def test_every_length_has_its_share(reports: list[CredibleReport]) -> None:
    """A judge must see short and long reports; no report comes twice."""
    assert Counter(bucket_of(report.text) for report in reports) == dict.fromkeys(BUCKETS, 100)
    assert len({report.text for report in reports}) == len(reports)
    assert {report.modality for report in reports} == {examination.modality for examination in KINDS.values()}


def test_the_same_seed_makes_the_same_reports() -> None:
    """A set can be made again, and a longer one begins as the shorter does."""
    first, longer = (list(credible_reports(seed=4, studies=count)) for count in (8, 12))
    assert first == longer[:8] != list(credible_reports(seed=5, studies=8))


def test_no_word_is_invented(reports: list[CredibleReport]) -> None:
    """Every word stands in the table of examinations, or belongs to the frame of a report."""
    known = set(re.findall(r"[a-z]+", table_text("examinations").lower())) | FRAME
    said = {word for report in reports for word in re.findall(r"[a-z]+", report.text.lower())}
    assert said - known == set()


def test_no_report_shows_what_its_examination_cannot_show(
    reports: list[CredibleReport], seen: dict[str, set[str]], extractor: MedspacyUnitExtractor
) -> None:
    """An epidural empyema is no finding of a chest radiograph."""
    some = reports[:120]
    for report, units in zip(some, extractor.extract([Report(each.text) for each in some]), strict=True):
        assert isinstance(units, tuple)
        assert {unit.canonical_finding for unit in units if unit.asserts_finding} <= seen[report.examination]


def test_every_sentence_is_whole(reports: list[CredibleReport]) -> None:
    """Articles, verbs and numbers agree, and none is cut off."""
    assert [report.text for report in reports if number_broken(report.text)] == []


def test_no_report_contradicts_itself_or_compares_with_nothing(material: Material, lexicon: Lexicon) -> None:
    """What is normal stands against nothing that was found, and what is new beside an earlier examination."""
    for reading in material.readings:
        assert contradictions((), reading.units, lexicon) == []
        if any(unit.change is not None for unit in reading.units):
            assert "omparison" in reading.text or "OMPARISON" in reading.text
            assert reading.has_prior


def test_something_is_said_of_every_region_that_was_asked_about(reports: list[CredibleReport]) -> None:
    """A chest CT without a word on the lungs is no report."""
    for report in reports:
        if re.search(
            r"^(?:Lungs|Brain|Liver|Vertebrae|Bones|Pleura|Joint|Kidneys)[a-z ]*: ", report.text, re.MULTILINE
        ):
            for region in KINDS[report.examination].core:
                assert f"{region}: " in report.text


@pytest.mark.parametrize(
    ("saying", "frame", "sentence"),
    [
        (Saying(phrase="small effusion", counted=True), "There {be} {np}.", "There is a small effusion."),
        (Saying(phrase="old infarct", counted=True), "{np} {be} seen.", "An old infarct is seen."),
        (Saying(phrase="effusions", several=True), "{np} {be} seen.", "Effusions are seen."),
        (
            Saying(phrase="edema", tail=", which has improved"),
            "There {be} {np}.",
            "There is edema, which has improved.",
        ),
        (
            Saying(phrase="effusions", several=True, tail=", which has increased"),
            "There {be} {np}.",
            "There are effusions, which have increased.",
        ),
        (Saying(phrase="edema", tail=", unchanged"), "", "Edema, unchanged."),
        (Saying(phrase="possible edema", doubtful=True), "{np} {be} seen.", "There is possible edema."),
        (Saying(whole="The heart is enlarged."), "There {be} {np}.", "The heart is enlarged."),
    ],
)
def test_a_saying_agrees_with_its_frame(saying: Saying, frame: str, sentence: str) -> None:
    """Article, verb and number follow the noun, and what is doubtful is not said to be seen."""
    assert saying.sentence(frame) == sentence
    assert not is_broken(sentence)
