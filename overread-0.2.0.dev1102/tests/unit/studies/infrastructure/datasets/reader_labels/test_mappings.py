"""What labels mean: every finding named is one of the lexicon, and every entry can hold."""

from __future__ import annotations

from overread.adapters.lexicon import load_knowledge
from overread.domain.reports.report import Report
from overread.studies.application.reader_checks.findings import CodedReport, normalised_code
from overread.studies.infrastructure.datasets.reader_labels.oidm import oidm_findings
from overread.studies.infrastructure.datasets.reader_labels.openi import open_i_coding

LEXICON = load_knowledge().lexicon


def _meaning(*codes: str) -> list[tuple[str, tuple[str, ...]]]:
    found, _ = open_i_coding().meanings_of(CodedReport(id="x", report=Report(""), codes=codes))
    return [(meaning.term, meaning.findings) for meaning in found]


def test_every_finding_is_in_the_lexicon() -> None:
    """A finding that is renamed must be renamed in the mappings too."""
    coded = {finding.removeprefix("=") for meaning in open_i_coding().meanings for finding in meaning.findings}
    named = {finding for findings in oidm_findings().values() for finding in findings}
    assert sorted(coded - LEXICON.findings.keys()) == []
    assert sorted(named - LEXICON.findings.keys() - LEXICON.normals.keys()) == []


def test_no_entry_stands_behind_one_that_holds_before_it() -> None:
    """An entry is dead if an earlier one of its head wants no qualifier that it does not want too."""
    meanings = open_i_coding().meanings
    dead = [
        (later.head, later.qualifiers)
        for index, later in enumerate(meanings)
        for earlier in meanings[:index]
        if normalised_code(earlier.head) == normalised_code(later.head)
        and set(earlier.qualifiers) <= set(later.qualifiers)
    ]
    assert dead == []


def test_qualifiers_decide_what_a_head_means() -> None:
    """A calcified aorta is none of the lung; an anatomy head is nothing by itself."""
    assert _meaning("Calcinosis/aorta") == [("Calcinosis", ("aortic_calcification", "vascular_calcification"))]
    assert _meaning("calcinosis/LUNG/hilum/right") == [("Calcinosis", ("calcified_lymph_node", "granuloma"))]
    assert _meaning("Aorta/tortuous/mild") == [("Aorta/tortuous", ("aortic_tortuosity", "aortic_ectasia"))]
    assert _meaning("Aorta") == []


def test_normal_reports_are_coded_so_and_nothing_else() -> None:
    """Codes on the picture's quality do not matter."""

    def is_normal(*codes: str) -> bool:
        return open_i_coding().is_normal(CodedReport(id="x", report=Report(""), codes=codes))

    assert is_normal("normal")
    assert is_normal("normal", "Technical Quality of Image Unsatisfactory ")
    assert not is_normal("normal", "Scoliosis")
    assert not is_normal("No Indexing")
