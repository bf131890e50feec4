"""Laws of reading that hold for any text."""

from __future__ import annotations

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report

from .....credible_texts import credible_statements
from .conftest import Read

# fmt: off
WORDS = [
    "no", "left", "right", "small", "large", "effusion", "pneumothorax", "lungs", "are", "clear", "heart", "is",
    "enlarged", "4", "mm", "nodule", "unchanged", "new", "may", "represent", "pneumonia", "in", "the", "upper",
    "lobe", "and", "or", "with", "without", "tip", "above", "the", "carina", ",", ";", ":", "(", ")", "___", "XXXX",
    "the", "bones", "intact", "history", "of", "previously", "improved", "since", "recommend", "CT", "discussed",
    "Dr.", "Smith", "versus", "cannot", "be", "excluded", "both", "bases",
]
# fmt: on

PHRASES = (
    "CT is suggested",
    "further imaging needed",
    "follow-up is advisable",
    "no effusion",
    "effusion: none",
    "correlation would be reasonable",
    "it would be prudent",
    "nodule",
    "pneumothorax unlikely",
    "excluded",
)

TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join),
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=30).map(" ".join),
)


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_spans_index_the_text_as_given(extractor: MedspacyUnitExtractor, text: str) -> None:
    """Whatever the characters, a unit's words stand at its offsets; a refusal is a reason, not an error."""
    extraction = extractor.extract([Report(text)])[0]
    if isinstance(extraction, tuple):
        for unit in extraction:
            assert _unlined(unit.span_text) == _unlined(text[unit.start : unit.end])


def _unlined(text: str) -> str:
    """The reader takes line ends of other systems and a byte order mark as white space."""
    return text.replace("\r", "\n").replace("\n", " ").replace("\ufeff", " ")


@settings(deadline=None, max_examples=60)
@given(TEXTS)
def test_reading_is_deterministic(extractor: MedspacyUnitExtractor, fresh: MedspacyUnitExtractor, text: str) -> None:
    """A reader that has read much and one that forgets at once read the same."""
    assert extractor.extract([Report(text)]) == fresh.extract([Report(text)])


@settings(deadline=None, max_examples=100)
@given(credible_statements(least=1), st.integers(0, 8))
def test_a_split_at_a_sentence_changes_no_other_sentence(read: Read, sentences: list[str], at: int) -> None:
    """Two halves of a report hold together the units of the whole."""
    halves = (" ".join(sentences[:at]), " ".join(sentences[at:]))
    apart = [_placeless(unit) for half in halves for unit in read(half)]
    assert [_placeless(unit) for unit in read(" ".join(sentences))] == apart


def _placeless(unit: ClinicalUnit) -> ClinicalUnit:
    return evolve(unit, start=0, end=0, sentence_index=0)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(PHRASES), min_size=1, max_size=6).map(" ".join))
def test_advice_at_the_end_of_a_text_is_read(read: Read, text: str) -> None:
    """Terms that end with a full stop meet texts that have none."""
    assert all(unit.end <= len(text) for unit in read(text))
