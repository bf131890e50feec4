"""Answers in GREEN's format as models write them: each is read rightly, or refused with the right reason."""

from __future__ import annotations

import time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.llm.green._answer import SECTIONS, read_answer
from overread.adapters.llm.green._released import read_released
from overread.application.asking.inquiry import UnreadableAnswerError
from overread.domain.results.green import green_score
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import REXVAL_SIX

NAMES: Final = (
    "False report of a finding in the candidate",
    "Missing a finding present in the reference",
    "Misidentification of a finding's anatomic location/position",
    "Misassessment of the severity of a finding",
    "Mentioning a comparison that isn't in the reference",
    "Omitting a comparison detailing a change from a prior study",
)
ZEROS: Final = "\n".join(f"({letter}) {name}: 0." for letter, name in zip("abcdef", NAMES, strict=True))
TWO_ERRORS: Final = (
    f"(a) {NAMES[0]}: 1. The candidate reports a nodule.\n"
    f"(b) {NAMES[1]}: 1. The candidate does not mention the left effusion."
)


def answer(
    significant: str = TWO_ERRORS, insignificant: str = ZEROS, matched: str = "2. Heart size; Lung volumes"
) -> str:
    """An answer whose headers are as asked for."""
    sections = dict(zip(SECTIONS, ("The reports differ.", significant, insignificant, matched), strict=True))
    return "\n\n".join(f"[{header}]:\n{body}" for header, body in sections.items())


def numbers(significant: str = "", insignificant: str = "", matched: int = 0) -> tuple[int, ...]:
    """The thirteen numbers of a notation, from for example "a1 b2"."""
    stated = [{part[0]: int(part[1:]) for part in side.split()} for side in (significant, insignificant)]
    return (*(side.get(letter, 0) for side in stated for letter in "abcdef"), matched)


def bare(text: str) -> str:
    """An answer whose headers have no brackets."""
    for header in SECTIONS:
        text = text.replace(f"[{header}]", header)
    return text


def bold(text: str) -> str:
    """An answer whose headers are bold instead of in brackets."""
    for header in SECTIONS:
        text = text.replace(f"[{header}]:", f"**{header}:**")
    return text


def digits(text: str) -> str:
    """An answer whose labels are numbers."""
    for number, letter in enumerate("abcdef", start=1):
        text = text.replace(f"({letter})", f"({number})")
    return text


AS_ASKED: Final = numbers("a1 b1", "", 2)

READ: Final = {
    # Headers.
    "as asked": (answer(), AS_ASKED),
    "headers without brackets": (bare(answer()), AS_ASKED),
    "headers in bold": (bold(answer()), AS_ASKED),
    "headers in bold with brackets": (answer().replace("[Cl", "**[Cl").replace("Errors]:", "Errors]:**"), AS_ASKED),
    "headers in small letters": (answer().lower(), AS_ASKED),
    "headers in capitals": (answer().upper(), AS_ASKED),
    "headers as headings": (
        bare(answer()).replace("Clinically", "## Clinically").replace("Matched", "## Matched"),
        AS_ASKED,
    ),
    "headers without a colon": (answer().replace("]:", "]"), AS_ASKED),
    "headers that are numbered": (bare(answer()).replace("Clinically S", "2. Clinically S"), AS_ASKED),
    "headers as list items": (bold(answer()).replace("**Cl", "- **Cl").replace("**Ma", "- **Ma"), AS_ASKED),
    "body on the line of the header": (answer(matched="@").replace("]:\n@", "]: 2. Heart; Lungs"), AS_ASKED),
    "count in the header": (answer(matched="@").replace("]:\n@", "] (2): Heart; Lungs"), AS_ASKED),
    "no explanation": (answer().partition("\n\n")[2], AS_ASKED),
    "Windows line ends": (answer().replace("\n", "\r\n"), AS_ASKED),
    "everything in one line": (answer().replace("\n", " "), AS_ASKED),
    "line ends written out": (answer().replace("\n", "\\n"), AS_ASKED),
    "another section at the end": (answer() + "\n\n[Overall Remark]:\n5. none of this counts", AS_ASKED),
    # Around the format.
    "code fence": (f"```text\n{answer()}\n```", AS_ASKED),
    "prose before and after": (f"Sure, here it is.\n\n{answer()}\n\nLet me know if you need 3 more.", AS_ASKED),
    "control tokens": (f"<s>{answer()}</s><unk>", AS_ASKED),
    "reasoning before": (f"<think>Is it 5?\n{answer('None', 'None', '9.')}</think>\n{answer()}", AS_ASKED),
    "reasoning whose begin is lost": (f"Hmm, 5 errors.</think>{answer()}", AS_ASKED),
    "turns repeated": (f"<|user|>{answer('None')}<|assistant|><|assistant|>{answer()}", AS_ASKED),
    "the request repeated": (
        answer("(a) <Error Type>: <The number of errors>. <Error 1>") + "\n\n" + answer(),
        AS_ASKED,
    ),
    "the answer repeated": (answer() + "\n\n" + answer(), AS_ASKED),
    "totals before the format": (f"Clinically Significant Errors: 2\n\n{answer()}", AS_ASKED),
    "an explanation under an error": (answer(TWO_ERRORS + "\nExplanation: the side is wrong."), AS_ASKED),
    # Labels.
    "only the categories with errors": (answer("(c) Wrong location: 1. Left, not right."), numbers("c1", "", 2)),
    "blank lines between categories": (
        answer(f"(a) {NAMES[0]}: 2. X; Y\n\n(b) {NAMES[1]}: 3. X; Y; Z"),
        numbers("a2 b3", "", 2),
    ),
    "labels are numbers": (digits(answer()), AS_ASKED),
    "labels are a numbered list": (
        answer("\n".join(f"{i}. {name}: {i - 1}." for i, name in enumerate(NAMES, start=1))),
        numbers("b1 c2 d3 e4 f5", "", 2),
    ),
    "labels without brackets": (answer(f"a) {NAMES[0]}: 1. X\nB. {NAMES[1]}: 1. Y"), AS_ASKED),
    "labels in square brackets": (answer(f"[a] {NAMES[0]}: 1. X\n[b] {NAMES[1]}: 1. Y"), AS_ASKED),
    "labels in capitals and bold": (answer(f"**(A) {NAMES[0]}:** 1. X\n**(B)** {NAMES[1]}: 1. Y"), AS_ASKED),
    "labels as list items": (answer("- " + TWO_ERRORS.replace("\n", "\n- ")), AS_ASKED),
    "names without labels": (
        answer("\n".join(f"{name}: {i}." for i, name in enumerate(NAMES))),
        numbers("b1 c2 d3 e4 f5", "", 2),
    ),
    "labels without names": (answer("(a): 1. X\n(b) 1. Y"), AS_ASKED),
    # Counts.
    "no full stop after the count": (answer(f"(a) {NAMES[0]}: 2 A"), numbers("a2", "", 2)),
    "nothing after the count": (answer(f"(a) {NAMES[0]}: 2"), numbers("a2", "", 2)),
    "a count in words": (answer(f"(a) {NAMES[0]}: two. X; Y\n(b) {NAMES[1]}: None"), numbers("a2", "", 2)),
    "a count with its noun": (answer(f"(a) {NAMES[0]}: 2 errors. X; Y"), numbers("a2", "", 2)),
    "a count in a sentence": (answer(f"(a) {NAMES[0]}: There are 2. X; Y"), numbers("a2", "", 2)),
    "a count in brackets before the colon": (answer(f"(a) {NAMES[0]} (2): X; Y"), numbers("a2", "", 2)),
    "a dash for the colon": (answer(f"(a) {NAMES[0]} - 2. X; Y"), numbers("a2", "", 2)),
    "the count on the next line": (answer(f"(a) {NAMES[0]}:\n2. X; Y\n(b) {NAMES[1]}:\n0"), numbers("a2", "", 2)),
    "a colon within an error": (answer(f"(a) {NAMES[0]}: 1. Wrong: the side"), numbers("a1", "", 2)),
    "errors as a list": (answer(f"(a) {NAMES[0]}: 2.\n- X\n- Y\n(b) {NAMES[1]}: 0\n- None"), numbers("a2", "", 2)),
    "errors as a numbered list": (answer(f"(a) {NAMES[0]}: 3.\n1. X\n2. Y\n3. Z"), numbers("a3", "", 2)),
    "errors numbered, not counted": (answer(f"(a) {NAMES[0]}: 1. X; 2. Y; 3. Z"), numbers("a3", "", 2)),
    "zero with words for nothing": (answer(f"(a) {NAMES[0]}: 0. None.\n(b) {NAMES[1]}: 0. N/A"), numbers("", "", 2)),
    "a line without errors": (
        answer(f"(a) {NAMES[0]}: No false findings.\n(b) {NAMES[1]}: 1. X"),
        numbers("b1", "", 2),
    ),
    "an insignificant error": (answer("No errors.", f"(d) {NAMES[3]}: 1. X"), numbers("", "d1", 2)),
    "a place that ends in a number": (answer(f"(a) {NAMES[0]}: 1. A nodule in segment 2"), numbers("a1", "", 2)),
    "no other errors": (answer(f"(c) {NAMES[2]}: 1. X\n\nNo other errors were found."), numbers("c1", "", 2)),
    # Sections without errors.
    "no errors": (answer("No errors."), numbers("", "", 2)),
    "none": (answer("None"), numbers("", "", 2)),
    "no such errors found": (answer("There were no clinically significant errors found."), numbers("", "", 2)),
    "not applicable": (answer("N/A"), numbers("", "", 2)),
    "the section begins with Nodule": (answer("Nodule and effusion are concerned.\n" + TWO_ERRORS), AS_ASKED),
    # Matched findings.
    "a matched count alone": (answer(matched="2"), AS_ASKED),
    "a matched count in a sentence": (answer(matched="There are 2."), AS_ASKED),
    "a matched count in words": (answer(matched="Two matched findings: heart size; lung volumes"), AS_ASKED),
    "a matched count of that number": (answer(matched="The number of matched findings is 2."), AS_ASKED),
    "matched findings over two lines": (answer(matched="2. Heart size is\nnormal; lungs"), AS_ASKED),
    "matched findings as a list": (answer(matched="2.\n- Heart size\n\n- Lungs"), AS_ASKED),
    "matched findings numbered": (answer(matched="1. Heart size\n2. Lungs"), AS_ASKED),
    "matched findings that deny": (answer(matched="2. No effusion; No other findings."), AS_ASKED),
    "matched findings after a line": (answer(matched="Both reports state:\n2. Heart size; Lungs"), AS_ASKED),
    "nothing matched": (answer(matched="No matched findings."), numbers("a1 b1")),
    "none matched": (answer(matched="0. None"), numbers("a1 b1")),
    "nothing at all": (answer("No errors", "No errors", "0."), numbers()),
}

READ_TOO: Final = {
    # Ordinary answers that a strict reader might refuse.
    "report words with numbers": (
        answer(f'(a) {NAMES[0]}: 1. "8 mm nodule"\n(b) {NAMES[1]}: 2. "T8 fracture"; "5 mm nodule"'),
        numbers("a1 b2", "", 2),
    ),
    "numbers within an error": (answer(f"(a) {NAMES[0]}: 1. Ribs 4, 5 and 6"), numbers("a1", "", 2)),
    "an error over three lines": (
        answer(f"(a) {NAMES[0]}: 2. A nodule\nthat is not there; also\nan effusion of 3 cm."),
        numbers("a2", "", 2),
    ),
    "no other errors at once": (answer(TWO_ERRORS + "\nNo other errors were identified."), AS_ASKED),
    "a total that is right": (answer(TWO_ERRORS + "\nTotal clinically significant errors: 2"), AS_ASKED),
    "zeros with all kinds of words for nothing": (
        answer(f"(a) {NAMES[0]}: 0. The candidate makes no false report.\n(b) {NAMES[1]}: 0\nNone.\n(c): none, N/A"),
        numbers("", "", 2),
    ),
    "no errors, and agreement": (
        answer("None. The candidate report accurately reflects the reference report."),
        numbers("", "", 2),
    ),
    "an introduction": (answer("The clinically significant errors are:\n" + TWO_ERRORS), AS_ASKED),
    "prose after the matches": (answer(matched="2.\n- Heart\n- Lungs\n\nThe reports are close."), AS_ASKED),
    "a list with an item that begins with a number": (
        answer(f"(a) {NAMES[0]}: 2. left effusion; 2. rib fracture"),
        numbers("a2", "", 2),
    ),
    "a count apart by a dash": (answer(f"(b) {NAMES[1]}: 2 - 5 mm nodule; X"), numbers("b2", "", 2)),
    "a name whose count is of as many items": (answer(f"(b) {NAMES[1]}: 2 effusion; nodule"), numbers("b2", "", 2)),
    # Labels that were passed over.
    "labels in braces": (answer("{a} False report: 1. X\n(b) Missing: 1. Y"), AS_ASKED),
    "labels with a full stop": (answer("(a.) False report: 1. X\n(b) Missing: 1. Y"), AS_ASKED),
    "labels behind backslashes": (answer("\\(a\\) False report: 1. X\n(b) Missing: 1. Y"), AS_ASKED),
    "labels in italics": (answer("_(a) False report_: 1. X\n(b) Missing: 1. Y"), AS_ASKED),
    "labels in quotation marks": (answer('"(a) False report: 1. X"\n(b) Missing: 1. Y'), AS_ASKED),
    "labels with a word": (answer("Category a: 1. X\nError (b): 1. Y"), AS_ASKED),
    "labels of full width": (answer("\uff08a\uff09 False report: 1. X\n\uff08b\uff09 Missing: 1. Y"), AS_ASKED),
    "labels behind something invisible": (answer("\u200b(a) False report: 1. X\n(b) Missing: 1. Y"), AS_ASKED),
    "labels in tags": (answer("<li>(a) False report: 1. X</li>\n<li>(b) Missing: 1. Y</li>"), AS_ASKED),
    "a line break as a tag": (answer("(a) False report: 1. X<br>(b) Missing: 1. Y"), AS_ASKED),
    "a label after a fence": (answer("```(a) False report: 1. X\n```\n(b) Missing: 1. Y"), AS_ASKED),
    "a line in brackets": (answer("(a) 1. X\n[see note]\n(b) 1. Y"), AS_ASKED),
    "labels on one line": (answer("(a) False report: 1. X (b) 1. Y"), AS_ASKED),
    "labels and counts on one line": (answer("(A) 1 (B) 1 (C) 0"), AS_ASKED),
    "names on one line": (answer(f"{NAMES[0]}: 1. X; {NAMES[1]}: 1. Y"), AS_ASKED),
    "all labels at once": (answer("(a)-(f): 0."), numbers("", "", 2)),
    # Lists that were taken for counts.
    "matches numbered in brackets": (answer(matched="(1) Heart\n(2) Lungs"), AS_ASKED),
    "matches numbered with colons": (answer(matched="1: Heart\n2: Lungs"), AS_ASKED),
    "matches numbered with dashes": (answer(matched="1 - Heart\n2 - Lungs"), AS_ASKED),
    "matches numbered on a line": (answer(matched="1. Heart 2. Lungs 3. Aorta"), numbers("a1 b1", "", 3)),
    "matches numbered that hold a number": (answer(matched="1. Heart\n2. 2. rib fracture"), AS_ASKED),
    # Sections quoted from a report.
    "a section quoted in an error": (
        answer(f'(a) {NAMES[0]}: 1. It holds "[Matched Findings]: 9."\n(b) {NAMES[1]}: 1. X'),
        AS_ASKED,
    ),
    "the end of reasoning quoted": (
        answer(f'(a) {NAMES[0]}: 1. The words </think> "X"\n(b) {NAMES[1]}: 1. Y'),
        AS_ASKED,
    ),
    "a total and matches said again": (answer() + "\n\nMatched findings: 2", AS_ASKED),
}

REFUSED: Final = {
    "nothing": ("", "unreadable answer"),
    "prose": ("The two reports agree in all that matters.", "unreadable answer"),
    "a refusal": ("I'm sorry, but I cannot help with assessing medical reports.", "refusal"),
    "gibberish": ("qwe [zz] (a) 4. 7: 1.", "unreadable answer"),
    "JSON": ('{"significant": 2, "matched": 2}', "unreadable answer"),
    "cut off before the matched findings": (answer().partition("[Matched")[0], "unreadable answer"),
    "cut off within the matched findings' header": (answer().partition(" Findings]")[0], "unreadable answer"),
    "cut off after the matched findings' header": (answer(matched=""), "unreadable answer"),
    "cut off within reasoning": (f"<think>{answer()}", "unreadable answer"),
    "no insignificant section": (answer().replace("[Clinically Insignificant Errors]:", ""), "unreadable answer"),
    "an empty error section": (answer(""), "unreadable answer"),
    "an error section in prose": (answer("The candidate has the side wrong."), "unreadable answer"),
    "a total without categories": (answer("2 errors"), "unreadable answer"),
    "the request itself": (answer("(a) <Error Type>: <The number of errors>. <Error 1>"), "unreadable answer"),
    "a category without a count": (answer(f"(a) {NAMES[0]}: X; Y"), "unreadable answer"),
    "a category with nothing": (answer(f"(a) {NAMES[0]}:"), "unreadable answer"),
    "a measurement for a count": (answer(f"(b) {NAMES[1]}: 2 cm nodule"), "unreadable answer"),
    "a category that ends in a number": (answer("(b) Missing nodule in segment 2"), "unreadable answer"),
    "a year for a count": (answer(f"(f) {NAMES[5]}: 2019"), "unreadable answer"),
    "a share for a count": (answer(matched="3 out of 5"), "unreadable answer"),
    "a fraction for a count": (answer(f"(b) {NAMES[1]}: 2.5"), "unreadable answer"),
    "a range for a count": (answer(f"(b) {NAMES[1]}: 2-3"), "unreadable answer"),
    "a finding that begins with no": (answer(f"(b) {NAMES[1]}: No effusion in the candidate"), "unreadable answer"),
    "a reservation": (answer("No errors found except for the side of the effusion."), "unreadable answer"),
    "matched findings not counted": (answer(matched="Heart size; Lungs"), "unreadable answer"),
    "a matched denial": (answer(matched="No effusion; No pneumothorax"), "unreadable answer"),
    "a matched measurement": (answer(matched="8 mm nodule"), "unreadable answer"),
    "zero errors that are listed": (answer(f"(b) {NAMES[1]}: 0. The left effusion"), "inconsistent answer"),
    "zero matches that are listed": (answer(matched="0. Heart size"), "inconsistent answer"),
    "a category twice": (answer(f"(b) {NAMES[1]}: 1. X\n(b) {NAMES[1]}: 2. X; Y"), "inconsistent answer"),
    "a category twice with other errors": (
        answer(f"(b) {NAMES[1]}: 1. X\n(b) {NAMES[1]}: 1. Y"),
        "inconsistent answer",
    ),
    "no errors, and errors": (answer("No errors.\n" + TWO_ERRORS), "inconsistent answer"),
    "a label with another's name": (answer(f"(a) {NAMES[1]}: 1. X"), "inconsistent answer"),
    "two answers": (answer() + "\n\n" + answer("No errors."), "inconsistent answer"),
}


@pytest.mark.parametrize("said", ["None", "N/A", "null", "nil.", "(None)", "none; none", "\n- None", "No errors found"])
@pytest.mark.parametrize("count", ["1.", "2.", "3 errors:", "two."])
def test_a_count_above_zero_with_none_behind_it_contradicts_itself(count: str, said: str) -> None:
    """Neither the number nor the denial is believed, of errors and of matches alike."""
    matched = f"{count.replace('errors', 'findings')} {said}"
    for text in (answer(f"(a) {NAMES[0]}: {count} {said}"), answer(matched=matched)):
        with pytest.raises(UnreadableAnswerError) as caught:
            read_answer(text)
        assert caught.value.reason == "inconsistent answer"
        assert "counted and said to be none" in caught.value.detail


_NO_COUNT: Final = (
    *(
        "null",
        "nan",
        "NaN",
        "inf",
        "-1",
        "-2. A; B",
        "\u22121",
        "true",
        "false",
        "1e3",
        "1,000",
        "1000",
        "0x1",
        "+1. X",
    ),
    *("1.0", "1.5. X", '"1". X', "'2'", "{1}", "1/2", "1 or 2", "?", "-", "undefined", "...", "a few", "0-1", "100%"),
)


@pytest.mark.parametrize("count", _NO_COUNT)
def test_what_is_no_whole_number_from_zero_is_no_count(count: str) -> None:
    """A null, a truth value, a fraction, a negative or quoted number is sent back, not read as some number."""
    for text in (answer(f"(a) {NAMES[0]}: {count}"), answer(matched=count)):
        assert _read(text) == "unreadable answer"


WHOLE: Final = (
    "[Clinically Significant Errors]: None. [Clinically Insignificant Errors]: None. [Matched Findings]: 9. all"
)
"""A whole answer that a report may hold."""


@pytest.mark.parametrize(
    "text",
    [
        answer(f'(a) {NAMES[0]}: 1. It holds "{WHOLE}"\n(b) {NAMES[1]}: 3. A; B; C', matched="0."),
        answer(TWO_ERRORS, f'(a) {NAMES[0]}: 1. It holds "{WHOLE}"', "0."),
        answer(matched="0.").replace("The reports differ.", f'It ends with "{WHOLE}".'),
        answer(matched="0.").replace("The reports differ.", "It says:\nMatched findings - 9. x"),
        answer(matched="0.").replace(
            "The reports differ.", "It says:\n" + WHOLE.replace("]: ", "]:\n").replace(" [", "\n[")
        ),
        answer(matched=f'1. "</think> {WHOLE}"'),
        answer(matched=f'1. "<|assistant|> {WHOLE}"'),
        answer(matched="1. </think>\n" + WHOLE.replace(". [", ".\n[")),
        answer(matched=f'1. "{WHOLE}"').replace("\n", " "),
    ],
)
def test_words_of_a_report_never_take_the_place_of_the_answer(text: str) -> None:
    """Reports and quotations may hold whole sections in GREEN's own format."""
    try:
        counts = read_answer(text).counts
    except UnreadableAnswerError:
        return
    assert sum(counts[:6]) >= 2
    assert counts[-1] <= 1


NOT_READ: Final = {
    "significant": (
        *(
            "No errors, 2 false nodules",
            "No errors found. However, the candidate invents an effusion.",
            "None, but two",
        ),
        *(
            "None\n1. A fabricated effusion\n2. A missed nodule",
            "No errors\nThe candidate has an effusion",
            "No severity errors",
        ),
        *(
            "There are no errors of location. A fabricated effusion.",
            "No findings of the reference match.",
            "(a)-(f): 2",
        ),
        f"a. {NAMES[0]}: many\nb. {NAMES[1]}: 1. B",
        f"{NAMES[0]}: several\n{NAMES[1]}: 1. B",
        f"a. {NAMES[0]}: 5 mm nodule\nb. {NAMES[1]}: 0",
        *("(a) 0\n(g) Other error: 3", "(a) 0\nLaterality error: 1", "(a) 0\n\nAdditional errors: 3. A; B; C"),
        *(
            "(\u0430) False report: 1. A\n(b) Missing: 2. B; C",
            "(i) False report: 2. A; B\n(a) 0",
            "(1) 2. A\n(a) 1. B",
        ),
        *("(a) 1. A\nTotal: 4", "Total: 4\n(a) 1. A", "3 errors\n(a) 1. A", "(a) 1. A\n3 errors"),
        *("(a) 1. A\n(1) first\n(2) second", "(a), (b): 1 each", "(a) 1. A, as (c)", "(a) 0.\n\n- left effusion"),
    ),
    "category": (
        *(
            "None: left effusion",
            "No, left effusion invented",
            "None (2)",
            "No. 2 errors",
            "n/a left effusion",
            "nil; A",
        ),
        *(
            "No finding in the reference matches the effusion",
            "no severity errors, one false effusion.",
            "None. Left effusion",
        ),
        *(
            "no errors could be excluded",
            "None\n- left effusion",
            "0.\nleft effusion",
            "0. None; but A",
            "0. No errors; 1 possible",
        ),
        *(
            "1 A; 1 B",
            "1 (A), 2 (B)",
            "1. A; 1 B",
            "1. A 2. B",
            "1 + 1. A; B",
            "1\u00bd",
            "2+",
            "2?",
            "~2",
            "2+. A",
            "1 A 1 B",
        ),
        *(
            "10 days post op",
            "12 ribs",
            "3 lead pacemaker",
            "5. and 6. rib fractures",
            "1. 2. rib fracture",
            "2 - 3",
            "0 1",
        ),
    ),
    "matched": (
        *("1.\n2.\n3.", "1. A\n2.", "1. A\n3. B", "1. A.\n1. B.", "1\n2\n3", "1 A 1 B", "1. 2. 3.", "10 ribs intact"),
        *(
            "2. A; B. Total 4",
            "2\n\n3",
            "2. A; B\n\nActually 3 match.",
            "2. A; B\n\n[Matched Findings]:\n5. A",
            "2. A\n(a) 3. B",
        ),
        *(
            "None; 2",
            "None of the findings, 2",
            "No effusion matched",
            "(a) A\n(b) B",
            "2?",
            "2+",
            "There is 1, and 1 partial",
        ),
    ),
}
"""What leaves its number in doubt, by where it stands."""


@pytest.mark.parametrize("body", NOT_READ["significant"])
def test_an_error_section_of_which_anything_is_left_over_is_refused(body: str) -> None:
    """Errors that could not be read would else raise the score."""
    assert _read(answer(body)) in {"unreadable answer", "inconsistent answer"}
    assert _read(answer(TWO_ERRORS, body)) in {"unreadable answer", "inconsistent answer"}


@pytest.mark.parametrize("count", NOT_READ["category"])
def test_a_category_whose_count_is_in_doubt_is_refused(count: str) -> None:
    """A doubtful count is asked about again and not guessed."""
    assert _read(answer(f"(a) {NAMES[0]}: {count}")) in {"unreadable answer", "inconsistent answer"}


@pytest.mark.parametrize("body", NOT_READ["matched"])
def test_matched_findings_whose_count_is_in_doubt_are_refused(body: str) -> None:
    """The count of matches is half of the score."""
    assert _read(answer(matched=body)) in {"unreadable answer", "inconsistent answer"}


def test_a_section_that_comes_again_must_say_the_same() -> None:
    """Models repeat themselves; of two that differ neither is taken."""
    again = f"[Clinically Significant Errors]:\n{TWO_ERRORS}\n\n"
    assert read_answer(again + answer()).counts == AS_ASKED
    assert _read(again.replace(": 1.", ": 2.") + answer()) == "inconsistent answer"
    assert _read(f"Clinically Significant Errors: 3\n\n{answer()}") == "inconsistent answer"


@pytest.mark.parametrize(("text", "expected"), (READ | READ_TOO).values(), ids=(READ | READ_TOO))
def test_an_answer_is_read_for_what_it_says(text: str, expected: tuple[int, ...]) -> None:
    """Models bend the format in many ways that leave no doubt."""
    assert read_answer(text).counts == expected


@pytest.mark.parametrize("name", REFUSED)
def test_an_answer_that_does_not_tell_is_refused_with_the_reason(name: str) -> None:
    """The reason is counted in summaries and decides on a repair."""
    text, reason = REFUSED[name]
    with pytest.raises(UnreadableAnswerError) as refused:
        read_answer(text)
    assert refused.value.reason == reason


FAULTS: Final = {
    "as asked": (answer(), 0.5, 0.5),
    "a refusal": ("I'm sorry, I cannot assess medical reports.", 0.0, None),
    "cut off": (answer().partition("[Matched")[0], 0.0, None),
    "bold headers": (bold(answer()), 0.0, 0.5),
    "a bold header": (
        answer().replace("[Clinically Significant Errors]:", "**Clinically Significant Errors**"),
        1.0,
        0.5,
    ),
    "a header without brackets": (
        answer().replace("[Clinically Significant Errors]:", "Clinically Significant Errors:"),
        1.0,
        0.5,
    ),
    "Nodule": (answer("Nodule and effusion are concerned.\n" + TWO_ERRORS), 1.0, 0.5),
    "no full stop": (answer(f"(a) {NAMES[0]}: 2 A"), 1.0, 0.5),
    "matched without full stop": (answer(matched="2"), 0.0, 0.5),
    "there are 2": (answer(matched="There are 2."), 0.0, 0.5),
    "a blank line": (answer(f"(a) {NAMES[0]}: 2. X; Y\n\n(b) {NAMES[1]}: 3. X; Y; Z"), 0.5, 2 / 7),
    "numbers for letters": (digits(answer(f"(a) {NAMES[0]}: 2. X; Y\n(b) {NAMES[1]}: 1. Z")), 0.4, 0.4),
}
"""The fault table: what the release makes of an answer, and what is right, None for no score."""


@pytest.mark.parametrize("name", FAULTS)
def test_what_the_release_gets_wrong_is_read_rightly_and_reproduced_on_request(name: str) -> None:
    """Published scores can be had again without keeping their faults."""
    text, released, right = FAULTS[name]
    assert green_score(read_released(text)) == pytest.approx(released, abs=1e-12)
    if right is None:
        with pytest.raises(UnreadableAnswerError):
            read_answer(text)
    else:
        assert green_score(read_answer(text)) == pytest.approx(right, abs=1e-12)


GOLDEN: Final = {
    0.0: answer(f"(b) {NAMES[1]}: 1. The collapse of the left lower lobe.", ZEROS, "0."),
    1 / 6: answer(f"(a) {NAMES[0]}: 2. Oedema; A drain.\n(b) {NAMES[1]}: 3. X; Y; Z", ZEROS, "1. Normal heart size."),
    1 / 4: answer(f"(a) {NAMES[0]}: 1. A mass.\n(c) {NAMES[2]}: 2. Right; Base", ZEROS, "1. Clear left lung."),
    1 / 3: answer(f"(d) {NAMES[3]}: 1. Small.\n(f) {NAMES[5]}: 1. Unchanged", f"(e) {NAMES[4]}: 4.", "1. Effusion."),
    1 / 2: answer(f"(e) {NAMES[4]}: 2. Larger; Improved", ZEROS, "2. Lines in place; No pneumothorax."),
}
"""An answer for each of the values that the release is tested with."""


@pytest.mark.parametrize("score", GOLDEN)
def test_golden_answers_have_their_score_from_either_reader(score: float) -> None:
    """Where the release reads rightly, both readers agree."""
    assert green_score(read_answer(GOLDEN[score])) == score
    assert green_score(read_released(GOLDEN[score])) == score


def test_what_an_answer_says_of_errors_and_matches_is_kept_in_its_words() -> None:
    """Errors that are counted but not listed have no words."""
    text = answer(
        f"(a) {NAMES[0]}: 2. A mass in the left lung.; A drain\n(b) {NAMES[1]}: 1. Effusion", f"(c) {NAMES[2]}: 2 A"
    )
    notation = read_answer(text)
    assert [(error.severity, error.category.value, error.explanation) for error in notation.errors()] == [
        (Severity.SIGNIFICANT, "A", "A mass in the left lung"),
        (Severity.SIGNIFICANT, "A", "A drain"),
        (Severity.SIGNIFICANT, "B", "Effusion"),
        (Severity.INSIGNIFICANT, "C", "A"),
        (Severity.INSIGNIFICANT, "C", ""),
    ]
    assert notation.matched_findings == ("Heart size", "Lung volumes")
    assert notation.explanation == "The reports differ."


def test_a_count_that_is_not_that_of_the_list_is_taken_and_remarked_on() -> None:
    """The paper scores by the counts."""
    notation = read_answer(answer(f"(a) {NAMES[0]}: 2. The mass"))
    assert notation.error_count == 2
    assert notation.notes == ("significant errors (a): 2 counted, 1 listed; the count is taken",)


def test_what_is_wrong_is_said_without_the_words_of_the_answer_and_how_to_put_it_right() -> None:
    """The remedy is what the model is told when it is asked again."""
    with pytest.raises(UnreadableAnswerError) as refused:
        read_answer(answer(f"(b) {NAMES[1]}: 0. The SECRET effusion"))
    assert "SECRET" not in f"{refused.value} {refused.value.detail} {refused.value.remedy}"
    assert all(f"[{section}]" in refused.value.remedy for section in SECTIONS)


def test_reprs_do_not_show_the_words_of_an_answer() -> None:
    """Answers quote reports."""
    assert "Heart size" not in repr(read_answer(answer()))
    assert "nodule" not in repr(list(read_answer(answer()).errors()))


COUNTS: Final = st.lists(st.integers(0, 30), min_size=6, max_size=6)


def _lines(counts: list[int]) -> str:
    lines = zip("abcdef", NAMES, counts, strict=True)
    return "\n".join(f"({letter}) {name}: {count}. {'; '.join(['X'] * count)}" for letter, name, count in lines)


@given(COUNTS, COUNTS, st.integers(0, 99), st.sampled_from([str, bold, bare, digits, str.upper]))
def test_whatever_is_counted_in_the_format_is_read_back(
    significant: list[int], insignificant: list[int], matched: int, style: type[str]
) -> None:
    """Bold, bare and upper-case answers hold the same counts."""
    text = style(answer(_lines(significant), _lines(insignificant), f"{matched}."))
    assert read_answer(text).counts == (*significant, *insignificant, matched)


@given(st.text(max_size=400))
def test_any_text_is_read_or_refused_and_never_breaks_a_reader(text: str) -> None:
    """A model may say anything."""
    read_released(text)
    for body in (text, answer(text), answer(matched=text)):
        assert _read(body) in {"read", "unreadable answer", "inconsistent answer", "refusal"}


def _read(text: str) -> str:
    try:
        assert len(read_answer(text).counts) == 2 * len(REXVAL_SIX) + 1
    except UnreadableAnswerError as refused:
        return refused.reason
    return "read"


UNITS: Final = (
    *(
        "(a) ",
        "(a) x: 0. ",
        "[Matched Findings]: ",
        "<think>",
        "no ",
        "1. ",
        "; ",
        "0 errors\n",
        "``` ",
        "[[[[",
        "\n- ",
    ),
    *(" ", "\n", " \n", "\t", "\r\n", "number of ", "missing ", "a:", '"', "1 of "),
)


@pytest.mark.parametrize("unit", UNITS)
def test_reading_takes_time_in_proportion_to_the_length(unit: str) -> None:
    """A model that repeats itself for a quarter of a megabyte does not hang a run."""
    text = answer(unit * (250_000 // len(unit)), matched=unit * 2_500)
    began = time.process_time()
    for reader in (read_answer, read_released):
        try:
            reader(text)
        except UnreadableAnswerError:
            continue
    assert time.process_time() - began < 5  # seconds; a quadratic reader takes half an hour


def test_a_count_beyond_reason_makes_no_endless_list_of_errors() -> None:
    """A number of 5,000 digits does not fill the memory."""
    notation = read_released(answer(f"(a) {NAMES[0]}: {'9' * 5000}.", matched=f"{'9' * 5000}."))
    assert len(list(notation.errors())) == notation.matched == 1000
