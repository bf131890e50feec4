"""Versions in time, and what each changed of the one before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.version_pairs import Doubt, DoubtReason
from overread.hospital.infrastructure.http.pages.versions import changes, version_views
from overread.hospital.infrastructure.http.pages.words import DOUBTS
from overread.infrastructure.views.wording import make_printable

from .rows import version

_TEXTS = st.lists(st.sampled_from(["no ", "effusion", ". ", "\n", "left ", "small "]), max_size=30).map("".join)


@given(_TEXTS, _TEXTS)
def test_both_texts_can_be_read_off_the_changes(before: str, after: str) -> None:
    """Without what was added they are the first text, without what was removed the second."""
    found = changes(before, after)
    assert "".join(change.text for change in found if change.kind != "removed") == after
    if before:
        assert "".join(change.text for change in found if change.kind != "added") == before


def test_long_texts_are_compared_by_lines() -> None:
    """A report of thousands of words costs no more than its lines do, and one of thousands of lines is not compared."""
    before = "".join(f"level {level} of the spine is normal\n" for level in range(1500))
    found = changes(before, before.replace("level 7 of the spine is normal", "level 7 of the spine is fractured"))
    assert [(change.kind, change.text.count("\n")) for change in found] == [
        ("same", 7),
        ("removed", 1),
        ("added", 1),
        ("same", 1492),
    ]
    assert [change.kind for change in changes("a\n" * 9000, "a\n" * 9000 + "b")] == ["removed", "added"]


def test_control_characters_are_not_shown() -> None:
    """A text cannot turn its page around."""
    assert changes("", "a\u202eb")[0].text == make_printable("a\u202eb") != "a\u202eb"


def test_each_version_is_compared_with_the_one_before_it() -> None:
    """In the order of arrival; an addendum stands beside its report, and what is not kept is passed over."""
    views = version_views(
        [
            version(1, ReportStatus.PRELIMINARY, "No effusion."),
            version(2, ReportStatus.FINAL, "", has_text=False),
            version(3, ReportStatus.ADDENDUM, "Called at noon."),
            version(4, ReportStatus.CORRECTED, "Small effusion."),
        ]
    )
    assert [view.against for view in views] == ["", "preliminary report", "", "preliminary report"]
    assert [change.kind for change in views[3].changes] == ["removed", "added", "same"]
    assert [change.kind for change in views[2].changes] == ["same"]
    assert views[1].changes == ()
    assert not views[1].has_text


def test_a_preliminary_report_after_the_final_one_is_called_late() -> None:
    """It took nobody's place, and the page says so."""
    views = version_views([version(1, ReportStatus.FINAL, "a"), version(2, ReportStatus.PRELIMINARY, "b")])
    assert [view.notes for view in views] == [(), ("It arrived after a final report and did not replace it.",)]


def test_what_is_taken_for_an_addition_stands_beside_its_report() -> None:
    """Nothing of the report is shown as taken out by it."""
    told = [version(1, ReportStatus.FINAL, "No effusion."), version(2, ReportStatus.CORRECTED, "Called at noon.")]
    _, alone = version_views(told, [Doubt(2, DoubtReason.HOLDS_ADDITION_ALONE)])
    assert ([change.kind for change in alone.changes], alone.against) == (["same"], "")


def test_what_was_withdrawn_is_said_so() -> None:
    """Beside each version that does not stand any more."""
    told = [version(1, ReportStatus.FINAL, "No effusion."), version(2, ReportStatus.CANCELLED, "")]
    assert [view.notes for view in version_views(told, withdrawn=[1])] == [("It was withdrawn.",), ()]


def test_what_is_in_doubt_is_said() -> None:
    """Each reason not to compare a version is a sentence beside it."""
    told = [version(1, ReportStatus.FINAL, "Addendum: effusion."), version(2, ReportStatus.FINAL, "Effusion.")]
    for reason in DoubtReason:
        first, second = version_views(told, [Doubt(1, reason)])
        assert first.notes == (DOUBTS[reason],)
        assert second.notes == ()
