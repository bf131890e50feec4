"""Sections and sentences."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.segments import SectionSplitter, plain_sentences, sentences_by_section, split_sentences
from overread.domain.reports.report import SectionRole

SPLITTER = SectionSplitter(load_knowledge())

PIECES = st.sampled_from(
    [
        *(
            "Heart is enlarged",
            "no effusion",
            "Left lung clear",
            "ca",
            "Dr",
            "e.g",
            "2.5 cm",
            "No",
            "T",
            "x",
            "12",
            "é",
        ),
        *(
            ". ",
            ".",
            "; ",
            "! ",
            "? ",
            ", ",
            " ",
            "\n",
            "\n\n",
            "\n- ",
            "\n* ",
            "\n• ",
            "\n1. ",
            "\n2) ",
            "(3) ",
            "...",
        ),
        *("FINDINGS: ", "Impression:\n", "HISTORY: ", "a" * 60 + "\n"),
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Heart normal. No effusion.", ["Heart normal.", "No effusion."]),
        ("Heart normal.No effusion.", ["Heart normal.", "No effusion."]),
        ("Clear; no effusion", ["Clear;", "no effusion"]),
        ("Effusion? Yes!", ["Effusion?", "Yes!"]),
        ("A 2.5 cm mass. Stable.", ["A 2.5 cm mass.", "Stable."]),
        ("Discussed with Dr. Smith today.", ["Discussed with Dr. Smith today."]),
        ("Small bilat. effusions.", ["Small bilat. effusions."]),
        ("Atelectasis vs. pneumonia.", ["Atelectasis vs. pneumonia."]),
        ("Seen by J. Smith.", ["Seen by J. Smith."]),
        ("Is there effusion? No. Clear.", ["Is there effusion?", "No.", "Clear."]),
        ("1. Effusion.\n2. Clear.", ["Effusion.", "Clear."]),
        ("1) Effusion\n2) Clear", ["Effusion", "Clear"]),
        ("- Effusion\n* Clear\n• Stable", ["Effusion", "Clear", "Stable"]),
        ("Effusion\nClear", ["Effusion", "Clear"]),
        ("small effusion\nclear.", ["small effusion", "clear."]),
        ("Small left\neffusion.", ["Small left effusion."]),
        ("Effusion.\n\nClear.", ["Effusion.", "Clear."]),
        ("no effusion\n\nno mass", ["no effusion", "no mass"]),
        ("", []),
        (" \n.\n", []),
    ],
)
def test_split_sentences(text: str, sentences: list[str]) -> None:
    """Sentence ends and lines part sentences; abbreviations, numbers, initials and wrapped lines do not."""
    plain, spans = plain_sentences(text)
    assert [span.of(plain.text) for span in spans] == sentences


def test_wrapped_lines_are_joined() -> None:
    """Three lines of nearly one length show that the text was wrapped: a capital letter then starts no sentence."""
    lines = [
        "The heart is enlarged and the pulmonary vessels are prominent with a",
        "Swan-Ganz catheter whose tip lies in the right pulmonary artery, while",
        "Kerley lines and small effusions are seen at both of the lung bases.",
    ]
    plain, spans = plain_sentences("\n".join(lines))
    assert [span.of(plain.text) for span in spans] == [" ".join(lines)]


@given(TEXTS)
def test_sentences_are_apart_in_order_and_lose_nothing(text: str) -> None:
    """Disjoint, ascending, without outer space, and with every letter and digit but those of bullets."""
    spans = split_sentences(text)
    last = 0
    for span in spans:
        assert last <= span.start < span.end <= len(text)
        assert span.of(text) == span.of(text).strip()
        last = span.end
    covered = {i for span in spans for i in range(span.start, span.end)}
    bullets = {i for m in re.finditer(r"\(?\d{1,2}[.)]\s", text) for i in range(m.start(), m.end())}
    assert not [text[i] for i in range(len(text)) if text[i].isalnum() and i not in covered and i not in bullets]


@given(TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_sentences_of_a_part_stay_in_it(text: str, start: int, length: int) -> None:
    """Offsets point into the whole text and never leave the part."""
    end = min(len(text), start + length)
    start = min(start, end)
    assert all(start <= span.start < span.end <= end for span in split_sentences(text, start, end))


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("Clear.", [("", "findings", "Clear.")]),
        ("FINDINGS: Clear.", [("findings", "findings", " Clear.")]),
        ("Findings:\nClear.", [("findings", "findings", "\nClear.")]),
        ("**Impression:** Clear.", [("impression", "findings", " Clear.")]),
        ("IMPRESSION\nClear.", [("impression", "findings", "\nClear.")]),
        (
            "INDICATION: cough. FINDINGS: Clear.",
            [("indication", "context", " cough."), ("findings", "findings", " Clear.")],
        ),
        (
            "HISTORY: cough\n\nClear.",
            [("history", "context", " cough"), ("", "findings", "\n\nClear.")],
        ),
        (
            "CLINICAL   HISTORY: cough\nFINDINGS: Clear.",
            [
                ("history", "context", " cough\n"),
                ("findings", "findings", " Clear."),
            ],
        ),
        ("EXAMINATION: Clear lungs.", [("examination", "findings", " Clear lungs.")]),
        ("There is a history of cough.", [("", "findings", "There is a history of cough.")]),
        (
            "CT angio chest PE\nINDICATION: pain\nFINDINGS: Clear.",
            [
                ("examination", "administrative", "CT angio chest PE"),
                ("indication", "context", " pain\n"),
                ("findings", "findings", " Clear."),
            ],
        ),
        (
            "CTA ABDOMEN GI BLEED PROTOCOL\nNo extravasation.",
            [
                ("examination", "administrative", "CTA ABDOMEN GI BLEED PROTOCOL"),
                ("", "findings", "\nNo extravasation."),
            ],
        ),
        ("CT chest: PE.\nIMPRESSION: PE.", [("", "findings", "CT chest: PE.\n"), ("impression", "findings", " PE.")]),
        (
            "CT HEAD WITHOUT CONTRAST: Bleed.",
            [("examination_name", "administrative", "CT HEAD WITHOUT CONTRAST:"), ("", "findings", " Bleed.")],
        ),
        (
            "Stable. CHEST, 2 VIEWS: Clear.",
            [
                ("", "findings", "Stable."),
                ("examination_name", "administrative", "CHEST, 2 VIEWS:"),
                ("", "findings", " Clear."),
            ],
        ),
        ("CT HEAD NEGATIVE\nClear.", [("", "findings", "CT HEAD NEGATIVE\nClear.")]),
        ("CT head with bleed\nClear.", [("", "findings", "CT head with bleed\nClear.")]),
    ],
)
def test_sections(text: str, sections: list[tuple[str, str, str]]) -> None:
    """Headings open sections, context ends at an empty line, and a report that is all context is compared."""
    found = SPLITTER.split(text)
    bodies = [(s.name, s.role.value, text[s.start : s.end].rstrip(" ")) for s in found]
    assert bodies == [(name, role, body.rstrip(" ")) for name, role, body in sections]


@given(TEXTS)
def test_sections_are_apart_and_in_order(text: str) -> None:
    """No character belongs to two sections, and a report with words has a section that is compared."""
    sections = SPLITTER.split(text)
    for before, after in pairwise(sections):
        assert before.start <= before.end <= after.start <= after.end
    for section in sections:
        assert 0 <= section.start <= section.end <= len(text)
    if sections and any(text[s.start : s.end].strip() for s in sections):
        assert any(section.role is SectionRole.FINDINGS for section in sections)


@given(TEXTS)
def test_only_compared_sections_give_sentences(text: str) -> None:
    """Each sentence lies in its section."""
    for section, span in sentences_by_section(text, SPLITTER.split(text)):
        assert section.role is SectionRole.FINDINGS
        assert section.start <= span.start < span.end <= section.end


@pytest.mark.parametrize(
    "given_text",
    [
        "a. The heart is normal.\nb. No effusion.",
        "(a) The heart is normal.\n(b) No effusion.",
        "i) The heart is normal.\nii) No effusion.",
        "The heart\n\nis normal. No\n\neffusion.",
    ],
)
def test_letters_of_lists_and_double_spacing_are_layout(given_text: str) -> None:
    """The sentences are the same without them."""
    plain, spans = plain_sentences(given_text)
    assert [span.of(plain.text) for span in spans] == ["The heart is normal.", "No effusion."]
