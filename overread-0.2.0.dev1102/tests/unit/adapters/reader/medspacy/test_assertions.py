"""Marked phrases in sentences: read as findings whether or not the lexicon has them."""

from __future__ import annotations

import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.application.ports import Assertion, MarkedSentence
from overread.domain.findings.unit import Experiencer, Polarity, Temporality
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored


@pytest.fixture(scope="module")
def extractor(shipped_reader: MedspacyUnitExtractor) -> MedspacyUnitExtractor:
    return shipped_reader


def _asked(extractor: MedspacyUnitExtractor, marked: str) -> Assertion | Unscored:
    """What is said of the phrase in brackets."""
    before, _, rest = marked.partition("[")
    phrase, _, after = rest.partition("]")
    text = before + phrase + after
    (assertion,) = extractor.assertions([MarkedSentence(text, len(before), len(before) + len(phrase))])
    return assertion


@pytest.mark.parametrize(
    ("marked", "polarity"),
    [
        ("No [wobbling of the knee] or pleural effusion.", Polarity.ABSENT),
        ("There is [wobbling of the knee] without pleural effusion.", Polarity.PRESENT),
        ("Pleural effusion but no [wobbling].", Polarity.ABSENT),
        ("Possible [wobbling].", Polarity.UNCERTAIN),
        ("He walks well. No [wobbling] was seen. It rains.", Polarity.ABSENT),
        ("No fever. [Wobbling] is seen.", Polarity.PRESENT),
    ],
)
def test_polarity_of_a_phrase_no_lexicon_has(extractor: MedspacyUnitExtractor, marked: str, polarity: Polarity) -> None:
    """The sentence around the phrase decides, and only that sentence."""
    assertion = _asked(extractor, marked)
    assert isinstance(assertion, Assertion)
    assert assertion.unit.polarity is polarity
    assert assertion.unit.canonical_finding == ""


def test_history_and_experiencer(extractor: MedspacyUnitExtractor) -> None:
    """The cues of the sentence are told beside what they say of the phrase."""
    past = _asked(extractor, "History of [wobbling].")
    mother = _asked(extractor, "Her mother had [wobbling].")
    assert isinstance(past, Assertion)
    assert isinstance(mother, Assertion)
    assert past.unit.temporality is Temporality.HISTORICAL
    assert "HISTORICAL" in past.cues
    assert mother.unit.experiencer is Experiencer.FAMILY


def test_the_phrase_replaces_findings_it_overlaps_and_leaves_others(extractor: MedspacyUnitExtractor) -> None:
    """A phrase wider than a finding is one unit, placed at its own words."""
    text = "Small [left pleural effusion of the second kind] but no pneumothorax."
    assertion = _asked(extractor, text)
    assert isinstance(assertion, Assertion)
    plain = text.replace("[", "").replace("]", "")
    assert assertion.unit.surface_finding == "left pleural effusion of the second kind"
    assert plain[assertion.unit.start : assertion.unit.end].startswith("Small left pleural")
    assert assertion.unit.polarity is Polarity.PRESENT


def test_asking_changes_nothing_in_what_is_read_later(extractor: MedspacyUnitExtractor) -> None:
    """No marked phrase stays behind in the reader."""
    report = Report("No wobbling of the knee. Small left effusion.")
    before = extractor.extract([report])
    _asked(extractor, "No [wobbling of the knee].")
    assert extractor.extract([report]) == before


def test_what_cannot_be_asked(extractor: MedspacyUnitExtractor) -> None:
    """A phrase without a word, and a sentence in another language, have no answer but a reason."""
    nothing, foreign = (
        _asked(extractor, "No effusion [___] seen."),
        _asked(extractor, "Es besteht kein [Erguss] und auch keine Stauung in der Lunge und im Herz."),
    )
    assert isinstance(nothing, Unscored)
    assert nothing.reason == "nothing to read"
    assert isinstance(foreign, Unscored)
    assert foreign.reason == "language"
