"""Statements against the reports they are labelled against."""

from __future__ import annotations

import pytest

from overread.domain.findings.entailment import Entailment
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit, Polarity
from overread.domain.results.result import Unscored
from overread.studies.application.reader_checks.check import CONFUSION
from overread.studies.application.reader_checks.entailment import LabelledStatement, check_entailment

from .labelled import LEXICON, ToldReader, unit, value

READER = ToldReader(
    {
        "Effusion.": (unit("effusion", "Effusion."),),
        "No effusion.": (unit("effusion", "No effusion.", polarity=Polarity.ABSENT),),
        "Scar.": (unit("scar", "Scar."),),
        "Pneumonie.": Unscored("language"),
    }
)


def _statement(text: str, *report: str, label: str = "neutral") -> LabelledStatement:
    return LabelledStatement(id=text, statement=text, report=report, label=Entailment(label))


def test_the_three_labels_are_compared() -> None:
    """Accuracy, each label's figures, and the matrix of labels against readings."""
    report = check_entailment(
        READER,
        LEXICON,
        [
            _statement("Effusion.", "Scar.", "Effusion.", label="entailment"),
            _statement("Effusion.", "No effusion.", label="contradiction"),
            _statement("Effusion.", "Scar.", label="neutral"),
            _statement("Scar.", "Scar.", label="contradiction"),
        ],
    )
    assert value(report, "Accuracy", "all", "accuracy") == 3 / 4
    assert value(report, "By label", "contradiction", "recall") == 1 / 2
    assert value(report, "By label", "entailment", "precision") == 1 / 2
    assert {label: tuple(counts) for label, *counts in report.tabulation.table(CONFUSION).rows} == {
        "entailment": (1, 0, 0),
        "contradiction": (1, 1, 0),
        "neutral": (0, 0, 1),
    }
    assert [(m.expected, m.got, m.text) for m in report.mistakes] == [("contradiction", "entailment", "Scar. | Scar.")]


@pytest.mark.parametrize("case", [("Pneumonie.", "Scar."), ("Scar.", "Pneumonie.")])
def test_what_cannot_be_read_is_wrong(case: tuple[str, str]) -> None:
    """On either side, and even where the label is neutral."""
    report = check_entailment(READER, LEXICON, [_statement(*case)])
    assert value(report, "Accuracy", "all", "accuracy") == 0.0
    assert report.tabulation.notes == ("1 statements could not be read and count as wrong",)


def test_the_statements_of_a_report_follow_each_other() -> None:
    """Units of different statements have places and sentences of their own, as in one report."""
    seen: list[tuple[ClinicalUnit, ...]] = []

    def judge(_: tuple[ClinicalUnit, ...], whole: tuple[ClinicalUnit, ...], lexicon: Lexicon) -> Entailment:
        assert lexicon is LEXICON
        seen.append(whole)
        return Entailment.NEUTRAL

    check_entailment(READER, LEXICON, [_statement("Scar.", "Effusion.", "Scar.", "Effusion.")], judge=judge)
    text = "Effusion.\nScar.\nEffusion."
    assert [text[u.start : u.end] for u in seen[0]] == ["Effusion.", "Scar.", "Effusion."]
    assert [u.sentence_index for u in seen[0]] == [0, 1, 2]
