"""Headings and cues of reports, as views ask for them."""

from __future__ import annotations

import pytest

from overread.adapters.lexicon import load_knowledge, sign_reader
from overread.domain.findings.signs import CueKind, Signs, no_signs
from overread.domain.reports.report import Span

REPORT = (
    "FINDINGS: No evidence of effusion, consolidation, or pneumothorax. There may be a nodule. Edema has resolved.\n\n"
    "IMPRESSION: Possible nodule. Fracture: none."
)


def signs() -> Signs:
    return sign_reader(load_knowledge())(REPORT)


def span(words: str, text: str = REPORT) -> Span:
    start = text.index(words)
    return Span(start, start + len(words))


@pytest.mark.parametrize(
    ("words", "kind", "cue"),
    [
        ("pneumothorax", CueKind.NEGATION, "No evidence of"),
        ("effusion", CueKind.NEGATION, "No evidence of"),
        ("may be a nodule", CueKind.UNCERTAINTY, "may be"),
        ("Edema", CueKind.NEGATION, "has resolved"),
        ("Possible nodule", CueKind.UNCERTAINTY, "Possible"),
        ("Fracture", CueKind.NEGATION, "none"),
        ("nodule. Edema", CueKind.NEGATION, ""),
    ],
)
def test_the_cue_of_words_is_found_in_their_sentence(words: str, kind: CueKind, cue: str) -> None:
    """In front of them or behind them, as the lexicon says that it looks; never in another sentence."""
    found = signs().cue_for(span(words), kind)
    assert (REPORT[found.start : found.end] if found else "") == cue


def test_sections_are_known_by_their_headings() -> None:
    """Findings and impression are told apart; without headings a section has no name."""
    assert signs().section_at(span("pneumothorax").start) == "findings"
    assert signs().section_at(span("Possible").start) == "impression"
    assert sign_reader(load_knowledge())("No effusion.").section_at(0) == ""


def test_a_report_in_another_layout_keeps_its_offsets() -> None:
    """Line ends of other systems and a byte order mark move no cue."""
    text = "\ufeffFINDINGS:\r\nNo effusion.\r\n\r\nIMPRESSION:\r\nPossible mass."
    cues = sign_reader(load_knowledge())(text).cues
    assert [text[cue.start : cue.end] for cue in cues] == ["No", "Possible"]


def test_without_a_lexicon_there_are_no_signs() -> None:
    """Views that are given none still work."""
    assert no_signs(REPORT) == Signs()
    assert no_signs(REPORT).cue_for(Span(0, 5), CueKind.NEGATION) is None
