"""Coded reports against what a reader asserts."""

from __future__ import annotations

from typing import Any

import pytest

from overread.application.ports import Extraction
from overread.domain.findings.unit import Polarity, Temporality
from overread.domain.reports.report import ClinicalContext, Report
from overread.domain.results.result import Unscored
from overread.studies.application.reader_checks.check import ReaderCheck
from overread.studies.application.reader_checks.findings import CodedReport, CodeMeaning, Coding, check_findings

from .labelled import LEXICON, ToldReader, lines, unit, value

CODING = Coding(
    meanings=(
        CodeMeaning(head="Opacity", qualifiers=("pleura",), findings=("effusion",)),
        CodeMeaning(head="Opacity", findings=("opacity",)),
        CodeMeaning(head="Infection", findings=("=opacity",)),
        CodeMeaning(head="Lung", qualifiers=("wet",), findings=("effusion",), apart=True),
        CodeMeaning(head="Lung", qualifiers=("hidden",), apart=True),
        CodeMeaning(head="Pneumonia", findings=("pneumonia",)),
    ),
    normal=frozenset({("normal",)}),
    skipped=frozenset({("no indexing",)}),
)


def _check(*cases: tuple[tuple[str, ...], Extraction], min_count: int = 1) -> ReaderCheck:
    reports = [CodedReport(id=f"r{i}", report=Report(f"text {i}"), codes=codes) for i, (codes, _) in enumerate(cases)]
    reader = ToldReader({f"text {i}": units for i, (_, units) in enumerate(cases)})
    return check_findings(reader, LEXICON, reports, CODING, min_count=min_count)


def test_a_kind_of_the_coded_finding_is_found_and_a_broader_one_is_not() -> None:
    """Pneumonia is an opacity; an opacity is no pneumonia, though the code accounts for it."""
    report = _check((("Opacity/lung",), (unit("pneumonia"),)), (("Pneumonia",), (unit("opacity"),)))
    assert value(report, "Coded findings by term", "Opacity", "recall") == 1.0
    assert value(report, "Coded findings by term", "Pneumonia", "recall") == 0.0
    assert value(report, "Coded findings", "all counted terms", "recall") == 1 / 2
    assert value(report, "Coded findings", "all counted terms", "precision") == 1.0
    assert [(m.place, m.expected, m.got) for m in report.mistakes] == [("r1", "Pneumonia", "not found")]


def test_an_id_behind_an_equals_sign_is_only_itself() -> None:
    """The id "=opacity" is not met by a kind of it."""
    assert value(_check((("Infection",), (unit("pneumonia"),))), "Coded findings", "all counted terms", "recall") == 0.0
    assert value(_check((("Infection",), (unit("opacity"),))), "Coded findings", "all counted terms", "recall") == 1.0


@pytest.mark.parametrize(
    "attributes",
    [{"polarity": Polarity.ABSENT}, {"temporality": Temporality.HISTORICAL}, {"denies": frozenset({"opacity"})}],
)
def test_what_is_not_asserted_is_not_found(attributes: dict[str, Any]) -> None:
    """A denial, a history and a normal statement assert nothing."""
    report = _check((("Opacity",), (unit("opacity", **attributes),)))
    assert value(report, "Coded findings", "all counted terms", "recall") == 0.0
    assert value(report, "Coded findings", "all counted terms", "precision") is None


def test_the_first_entry_that_fits_holds_and_qualifiers_may_stand_anywhere() -> None:
    """Codes are compared without regard to capitals and spaces; an anatomy head counts with its qualifier."""
    report = _check((("opacity/left/ Pleura",), (unit("effusion"),)), (("Lung/mild/wet",), (unit("effusion"),)))
    assert value(report, "Coded findings by term", "Opacity", "recall") == 1.0
    assert value(report, "Coded findings by term", "Lung/wet", "recall") == 1.0


def test_codes_without_meaning_and_codes_left_out_count_nowhere() -> None:
    """An unknown code is named in a note; one that names no finding, or says nothing, is not."""
    report = _check((("Lung/hidden", "Comet", "No Indexing"), ()), (("Opacity",), (unit("opacity"),)))
    assert value(report, "Coded findings", "all counted terms", "count") == 1
    assert report.tabulation.notes == ("1 codes have no meaning in the mapping and are left out: Comet (1)",)


def test_rare_terms_are_left_out_but_still_account_for_findings() -> None:
    """A term of one report is not counted from two on, but its finding is no false one."""
    cases = [(("Opacity",), (unit("opacity"),))] * 2
    report = _check(*cases, (("Pneumonia",), (unit("pneumonia"),)), min_count=2)
    assert list(lines(report, "Coded findings by term")) == ["Opacity"]
    assert value(report, "Coded findings", "all counted terms", "count") == 2
    assert value(report, "Coded findings", "all counted terms", "precision") == 1.0


def test_precision_counts_findings_that_no_code_accounts_for() -> None:
    """Not in reports without coding, and not findings that no counted term names."""
    report = _check(
        (("Opacity",), (unit("opacity"), unit("effusion"), unit("scar"))),
        (("Lung/wet",), (unit("effusion"),)),
        (("No Indexing",), (unit("effusion"),)),
        (("normal",), (unit("pneumonia"),)),
    )
    assert value(report, "Coded findings", "all counted terms", "precision") == 2 / 4


def test_reports_coded_normal_with_an_actionable_finding() -> None:
    """A harmless finding is no alarm; a report coded with a finding too is not normal."""
    report = _check(
        (("normal",), (unit("pneumonia"), unit("scar"))),
        (("normal", "No Indexing"), (unit("scar"),)),
        (("normal", "Opacity"), (unit("opacity"),)),
    )
    normal = lines(report, "Reports coded normal")["with an actionable finding"]
    assert (normal["count"], normal["share"]) == (2, 1 / 2)
    (line,) = lines(report, "Actionable findings in reports coded normal").values()
    assert (line["name"], line["count"]) == ("pneumonia", 1)
    assert ("r0", "normal", "pneumonia") in [(m.place, m.expected, m.got) for m in report.mistakes]


def test_sentences_without_a_reading() -> None:
    """A sentence with any reading is read; administrative ones are counted apart; each counts once."""
    units = (
        unit("opacity", sentence=0),
        unit("", sentence=0),
        unit("", "Strange words here", sentence=1),
        unit("", sentence=2, administrative="technique"),
        unit("clear", sentence=3, denies=frozenset({"opacity"})),
    )
    report = _check((("Opacity",), units))
    assert value(report, "Sentences", "without a reading", "count") == 4
    assert value(report, "Sentences", "without a reading", "share") == 1 / 4
    assert value(report, "Sentences", "administrative", "share") == 1 / 4
    assert [m.text for m in report.mistakes] == ["Strange words here"]


def test_a_report_that_cannot_be_read_finds_nothing() -> None:
    """Its codes count as not found, and a note says so."""
    report = _check((("Opacity",), Unscored("too long")))
    assert value(report, "Coded findings", "all counted terms", "recall") == 0.0
    assert report.tabulation.notes == (
        "1 reports could not be read (too long); what they are coded with counts as not found",
    )


def test_progress_ends_at_the_number_of_reports() -> None:
    """Batches are counted in reports."""
    done: list[int] = []
    reports = [
        CodedReport(id=str(i), report=Report("same"), codes=("normal",), context=ClinicalContext(indication="cough"))
        for i in range(70)
    ]
    check_findings(ToldReader({"same": ()}), LEXICON, reports, CODING, on_progress=done.append)
    assert done == [64, 70]
