"""The review form: what was filled in becomes verdicts, or is told what it lacks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.domain.review import Radpeer, Verdict, VerdictKind, verdict_problems
from overread.hospital.infrastructure.http.pages.reviewing import ANOTHER, ENTRIES, draft_of, given_of

from .rows import VOCABULARY


def _given(form: dict[str, str], discrepancies: int = 2) -> tuple[list[Verdict], list[tuple[str, str]]]:
    given = given_of(draft_of(form, discrepancies), VOCABULARY)
    return list(given.verdicts), [(problem.field, problem.words) for problem in given.problems]


def test_a_filled_form_is_a_review() -> None:
    """Agreement needs no reason; an amendment says what it should be; an added discrepancy stands at none's place."""
    form = {
        "listed-0-kind": "agree",
        "listed-1-kind": "amend",
        "listed-1-severity": "insignificant",
        "listed-1-finding": "rib fracture",
        "listed-1-reason": "old",
        "added-0-category": "B",
        "added-0-severity": "significant",
        "added-0-finding": "pneumothorax",
        "added-0-reason": "left out",
        "radpeer": "2b",
        "comment": " seen together ",
    }
    given = given_of(draft_of(form, 2), VOCABULARY)
    assert given.problems == ()
    assert given.verdicts == (
        Verdict(discrepancy=0, kind=VerdictKind.AGREE),
        Verdict(
            discrepancy=1,
            kind=VerdictKind.AMEND,
            severity=Severity.INSIGNIFICANT,
            finding="rib_fracture",
            reason="old",
        ),
        Verdict(
            discrepancy=None,
            kind=VerdictKind.AMEND,
            category=ErrorCategory.OMITTED_FINDING,
            severity=Severity.SIGNIFICANT,
            finding="pneumothorax",
            reason="left out",
        ),
    )
    assert (given.radpeer, given.comment) == (Radpeer.UNDERSTANDABLE_SIGNIFICANT, "seen together")


@pytest.mark.parametrize(
    ("form", "field", "words"),
    [
        ({}, "radpeer", "There is nothing to confirm: judge a discrepancy, or give a RADPEER score."),
        ({"radpeer": "7"}, "radpeer", "There is nothing to confirm: judge a discrepancy, or give a RADPEER score."),
        ({"listed-0-kind": "disagree"}, "listed-0-reason", "Give a reason."),
        ({"listed-0-kind": "agreed"}, "listed-0-kind", "Say whether you agree, disagree or amend."),
        (
            {"listed-1-kind": "amend", "listed-1-reason": "no"},
            "listed-1-category",
            "Say what it should be: category, severity or finding.",
        ),
        (
            {"listed-1-kind": "amend", "listed-1-reason": "no", "listed-1-finding": "fractur"},
            "listed-1-finding",
            "The lexicon has no such finding; did you mean rib fracture, spinal fracture?",
        ),
        ({"added-0-reason": "missing"}, "added-0-category", "Say what is wrong, and how grave it is."),
        ({"comment": "x" * 4001}, "comment", "Write 4,000 characters at most."),
        (
            {"listed-0-kind": "disagree", "listed-0-reason": "x" * 9000},
            "listed-0-reason",
            "Write 4,000 characters at most.",
        ),
        (
            {"listed-0-kind": "agree", "listed-0-severity": "insignificant"},
            "listed-0-category",
            "Category, severity and finding belong to an amendment: choose Amend, or clear them.",
        ),
    ],
)
def test_what_is_amiss_is_told_at_its_field(form: dict[str, str], field: str, words: str) -> None:
    """Each problem names the field that it is about."""
    assert (field, words) in _given(form)[1]


@given(
    st.dictionaries(
        st.tuples(
            st.sampled_from(["listed-0", "listed-1", "added-0", "added-3"]),
            st.sampled_from(["kind", "category", "severity", "finding", "reason"]),
        ).map("-".join),
        st.sampled_from(["", "agree", "disagree", "amend", "A", "critical", "rib fracture", " ", "<b>", "\x00"]),
    )
)
def test_a_form_without_problems_is_one_that_the_service_takes(form: dict[str, str]) -> None:
    """Whatever was sent: either something is told to be amiss, or the verdicts hold what the domain wants of them."""
    verdicts, problems = _given(form)
    if not problems:
        assert list(verdict_problems(verdicts, 2)) == []


def test_a_reason_as_long_as_the_field_allows_is_kept_whole() -> None:
    """Browsers count the end of a line as one character and send two."""
    reason = "\n".join(["x" * 99] * 40)
    assert draft_of({"comment": reason.replace("\n", "\r\n")}, 0).comment == reason


def test_there_is_room_for_one_discrepancy_and_for_more_when_asked() -> None:
    """The form grows by one each time, keeps what stands in it, and does not grow without end."""
    assert len(draft_of({}, 0).added) == 1
    draft = draft_of({"added-0-reason": "missing", "action": ANOTHER}, 0)
    assert [entry.reason for entry in draft.added] == ["missing", ""]
    full = {f"added-{index}-reason": "missing" for index in range(ENTRIES)}
    assert len(draft_of({**full, "action": ANOTHER}, 0).added) == ENTRIES


def test_what_reviewers_write_is_in_no_repr() -> None:
    """Reasons and comments may quote a report."""
    draft = draft_of({"comment": "CANARY", "listed-0-kind": "disagree", "listed-0-reason": "CANARY"}, 1)
    assert "CANARY" not in repr(draft)
    assert "CANARY" not in repr(given_of(draft, VOCABULARY))
