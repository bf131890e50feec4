"""Which parts a joined report has, and which examinations each is about."""

from __future__ import annotations

import pytest

from overread.domain.reports.report import Report
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_parts import joined_report
from overread.hospital.domain.report_version import ReportStatus, ReportVersion

WRIST = Examination(site="north", accession="A1", procedure="XR WRIST 3 VIEWS")
HIP = Examination(site="north", accession="A2", procedure="XR PELVIS AND HIP")
NUMBERS = {WRIST.key: 0, HIP.key: 1}


def version(text: str, *examinations: Examination) -> ReportVersion:
    return ReportVersion(examinations=examinations, status=ReportStatus.FINAL, text=text)


def parts(report: Report) -> list[tuple[str, set[int]]]:
    """The text of each part, and its examinations."""
    return [(report.text[part.start : part.end], set(part.examinations)) for part in report.parts]


def test_each_of_several_reports_is_a_part() -> None:
    """A part has the whole text of its report; between two there is an empty line."""
    joined = joined_report([version("Wrist broken.", WRIST), version("Hip intact.", HIP)], NUMBERS)
    assert joined.text == "Wrist broken.\n\nHip intact."
    assert parts(joined) == [("Wrist broken.", {0}), ("Hip intact.", {1})]


def test_one_report_on_one_examination_has_no_parts() -> None:
    """There is nothing to tell apart, title or not."""
    assert joined_report([version("XR WRIST 3 VIEWS\nBroken.", WRIST)], NUMBERS) == Report("XR WRIST 3 VIEWS\nBroken.")


@pytest.mark.parametrize("label", ["", "EXAM: ", "Examination - ", "PROCEDURE: ", "Study: "])
@pytest.mark.parametrize("end", ["", ":", "."])
def test_titles_part_a_report_on_several_examinations(label: str, end: str) -> None:
    """A line that holds the name of an examination begins its part; what stands before the first is of none."""
    text = f"Preliminary.\n{label}Xr Pelvis and Hip{end}\nIntact.\n{label}XR WRIST 3 VIEWS{end}\nBroken."
    found = parts(joined_report([version(text, WRIST, HIP)], NUMBERS))
    assert [(said.splitlines()[1], about) for said, about in found] == [("Intact.", {1}), ("Broken.", {0})]
    assert "".join(said for said, _ in found) == text.removeprefix("Preliminary.\n")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("EXAM: XR WRIST 3 VIEWS, XR PELVIS AND HIP\nBroken. Intact.", id="one title for both"),
        pytest.param("XR WRIST 3 VIEWS\nBroken. The hip is intact.", id="one title alone"),
        pytest.param("XR WRIST 3 VIEWS were taken.\nXR PELVIS AND HIP was, too.", id="names in sentences"),
        pytest.param(
            "XR WRIST 3 VIEWS\nBroken.\nXR PELVIS AND HIP\nIntact.\nIMPRESSION: Broken wrist.", id="one conclusion"
        ),
        pytest.param(
            "XR WRIST 3 VIEWS\nBroken.\nXR PELVIS AND HIP\nIntact.\nXR WRIST 3 VIEWS\nAs said.", id="a title twice"
        ),
    ],
)
def test_what_cannot_be_told_apart_is_one_part(text: str) -> None:
    """A part that is guessed would keep apart what is about the same."""
    assert joined_report([version(text, WRIST, HIP)], NUMBERS) == Report(text)


def test_examinations_of_one_name_cannot_be_told_apart() -> None:
    """The right and the left knee may both be called a knee."""
    knees = [Examination(site="north", accession=number, procedure="XR KNEE") for number in ("A1", "A2")]
    text = "XR KNEE\nBroken."
    assert joined_report([version(text, *knees)], NUMBERS) == Report(text)
    nameless = [Examination(site="north", accession=number) for number in ("A1", "A2")]
    assert joined_report([version(text, *nameless)], NUMBERS) == Report(text)


def test_each_part_may_have_its_conclusion() -> None:
    """Two reports in one text."""
    text = "XR WRIST 3 VIEWS\nIMPRESSION: Broken.\nXR PELVIS AND HIP\nIMPRESSION: Intact."
    found = parts(joined_report([version(text, WRIST, HIP)], NUMBERS))
    assert [about for _, about in found] == [{0}, {1}]


def test_parts_of_one_of_several_reports_stand_where_its_text_does() -> None:
    """A report on two examinations is joined with one on a third."""
    knee = Examination(site="north", accession="A0", procedure="XR KNEE")
    both = version("XR WRIST 3 VIEWS\nBroken.\nXR PELVIS AND HIP\nIntact.", WRIST, HIP)
    numbers = {knee.key: 2, **NUMBERS}
    assert parts(joined_report([version("Fine.", knee), both], numbers)) == [
        ("Fine.", {2}),
        ("XR WRIST 3 VIEWS\nBroken.\n", {0}),
        ("XR PELVIS AND HIP\nIntact.", {1}),
    ]
    untitled = version("Broken. Intact.", WRIST, HIP)
    assert parts(joined_report([version("Fine.", knee), untitled], numbers))[1] == ("Broken. Intact.", {0, 1})
