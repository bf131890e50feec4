"""Faulty answers of a language model: none makes a candidate better than the model's whole answer would.

Each fault takes something from an answer that names errors, as models, servers and templates do. What comes of it is
unscored, or it counts as many errors as the whole answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from overread.adapters.llm.green._answer import read_answer
from overread.adapters.llm.judge.one_pass import read_opinion
from overread.adapters.llm.judge.two_pass import read_differences
from overread.application.asking.inquiry import UnreadableAnswerError
from overread.domain.reports.report import ReportPair

PAIR: Final = ReportPair(
    id="a",
    reference="Small left pleural effusion. No pneumothorax. The heart is mildly enlarged.",
    candidate="Small right pleural effusion. There is a pneumothorax. The heart is enlarged.",
)

ANSWER: Final[Mapping[str, Any]] = {
    "critical": {"There is a pneumothorax": "Negation"},
    "significant": {"Small right pleural effusion": "Location - Inaccuracy"},
    "insignificant": {"mildly": "Severity - Omission"},
    "explanation": "The effusion changed sides.",
}
JUDGED: Final = json.dumps(ANSWER)
GROUPS: Final = ("critical", "significant", "insignificant")
EMPTY: Final = json.dumps({"critical": {}, "significant": {}, "insignificant": {}, "explanation": "The same."})

DIFFERENCES: Final[list[dict[str, Any]]] = [
    {"span": "There is a pneumothorax", "aspect": "Negation"},
    {"span": "Small right pleural effusion", "aspect": "Location - Inaccuracy"},
]
DETECTED: Final = json.dumps(DIFFERENCES)

NAMES: Final = (
    "False report of a finding in the candidate",
    "Missing a finding present in the reference",
    "Misidentification of a finding's anatomic location/position",
    "Misassessment of the severity of a finding",
    "Mentioning a comparison that isn't in the reference",
    "Omitting a comparison detailing a change from a prior study",
)


def counted(counts: Mapping[str, str]) -> str:
    return "\n".join(f"({each}) {name}: {counts.get(each, '0.')}" for each, name in zip("abcdef", NAMES, strict=True))


GREEN: Final = (
    "[Explanation]:\nThe reports differ.\n\n"
    f"[Clinically Significant Errors]:\n{counted({'a': '1. Pneumothorax', 'c': '1. Side of the effusion'})}\n\n"
    f"[Clinically Insignificant Errors]:\n{counted({'d': '1. Degree'})}\n\n"
    "[Matched Findings]:\n1. Heart size"
)

_NOT_A_GROUP: Final[Mapping[str, Any]] = {
    "null": None,
    "nan": float("nan"),
    "infinity": float("inf"),
    "none": "None",
    "no text": "",
    "zero": 0,
    "one": 1,
    "negative": -1,
    "fraction": 0.5,
    "false": False,
    "true": True,
    "prose": "no differences",
    "a list of null": [None],
    "a list of lists": [[]],
    "a list of nothing": [{}],
}


def _groups() -> dict[str, str]:
    """Answers of which one group is missing, of another kind, renamed or cut to nothing inside."""
    made = {}
    for group in GROUPS:
        rest = {name: value for name, value in ANSWER.items() if name != group}
        made[f"without {group}"] = json.dumps(rest)
        made[f"{group} renamed"] = json.dumps({**rest, f"{group}_findings_list": ANSWER[group]})
        made[f"{group} one level deeper"] = json.dumps({**rest, "groups": {group: ANSWER[group]}})
        made[f"{group} given twice"] = f'{json.dumps(ANSWER)[:-1]}, "{group}": {{}}}}'
        made[f"{group} given twice, empty first"] = f'{{"{group}": {{}}, {json.dumps(ANSWER)[1:]}'
        for kind, value in _NOT_A_GROUP.items():
            made[f"{group} is {kind}"] = json.dumps({**rest, group: value})
        [span] = ANSWER[group]
        for kind, value in {"null": None, "empty": "", "zero": 0, "a list": [], "none": "None", "no": False}.items():
            made[f"{group} label is {kind}"] = json.dumps({**rest, group: {span: value}})
        made[f"{group} span is empty"] = json.dumps({**rest, group: {"": ANSWER[group][span]}})
        made[f"{group} span is elsewhere"] = json.dumps({**rest, group: {"bilateral nodules": ANSWER[group][span]}})
    return made


def _around(text: str, empty: str) -> dict[str, str]:
    """Faults of any answer: nothing, other things, cut, mangled, said twice, and a different answer beside it."""
    return {
        "nothing": "",
        "blank": " \n\t ",
        "a mark": "\ufeff",
        "NUL": "\0",
        "a lone surrogate": "\udc80",
        "null": "null",
        "NaN": "NaN",
        "zero": "0",
        "true": "true",
        "no text as JSON": '""',
        "an empty list of lists": "[[]]",
        "none": "None",
        "no errors": "No errors.",
        "none found": "I found no differences between the reports.",
        "an error of a server": '{"error": {"message": "overloaded", "code": 529}}',
        "a page": "<html><body>502 Bad Gateway</body></html>",
        "padding": "<pad>" * 50,
        "a template": "{{ answer }}",
        "an open thought": f"<think>{text}",
        "its first half": text[: len(text) // 2],
        "its second half": text[len(text) // 2 :],
        "all but the last sign": text[:-1],
        "the end cut with an ellipsis": f"{text[: len(text) // 2]}...",
        "an empty answer before": f"{empty}\n{text}",
        "an empty answer after": f"{text}\n{empty}",
        "an empty answer as a correction": f"{text}\nOn reflection, that was wrong. Corrected:\n{empty}",
        "an empty answer in a fence after": f"{text}\n```json\n{empty}\n```",
        "an empty answer in a fence before": f"```json\n{empty}\n```\n{text}",
        "reversed": text[::-1],
        "escaped": json.dumps(text)[1:-1],
        "as text in JSON": json.dumps(text),
        "as text in an object": json.dumps({"answer": text}),
        "commas for colons": text.replace(":", ","),
        "without quotes and brackets": text.translate(dict.fromkeys(map(ord, '"{}[]'))),
    }


def _counts() -> dict[str, str]:
    """Answers in GREEN's form of which one count is none, or a section is missing, doubled or without its lines."""
    made = {}
    for kind, value in {
        "null": "null",
        "nan": "NaN",
        "infinite": "inf",
        "negative": "-1.",
        "a fraction": "0.5",
        "missing": "",
        "a dash": "-",
        "a question": "?",
        "denied": "1. None",
        "a range": "0-1",
        "false": "false",
        "huge": "9" * 400,
        "a power": "1e-9",
        "an alternative": "0 or 1",
    }.items():
        made[f"a count is {kind}"] = GREEN.replace("1. Pneumothorax", value)
        made[f"the matches are {kind}"] = GREEN.replace("1. Heart size", value)
    for section in ("Clinically Significant Errors", "Clinically Insignificant Errors", "Matched Findings"):
        start = GREEN.index(f"[{section}]")
        end = GREEN.find("\n\n", start) if "\n\n" in GREEN[start:] else len(GREEN)
        made[f"without {section}"] = GREEN[:start] + GREEN[end:].lstrip()
        made[f"{section} is null"] = f"{GREEN[:start]}[{section}]:\nnull{GREEN[end:]}"
        made[f"{section} is blank"] = f"{GREEN[:start]}[{section}]:\n{GREEN[end:]}"
        made[f"{section} twice"] = f"{GREEN}\n\n[{section}]:\n{counted({})}"
    lines = GREEN.splitlines()
    for place, line in enumerate(lines):
        if line.startswith("(") and ": 0." not in line:
            made[f"line {place} twice"] = "\n".join(
                [*lines[: place + 1], f"{line.split(':')[0]}: 0.", *lines[place + 1 :]]
            )
    return made


def _lists() -> dict[str, str]:
    """Answers of the first pass of two, of which one difference is not whole."""
    first, second = DIFFERENCES
    made = {
        f"{key} is {kind}": json.dumps([{**first, key: value}, second])
        for key in first
        for kind, value in _NOT_A_GROUP.items()
    }
    made |= {f"without {key}": json.dumps([{k: v for k, v in first.items() if k != key}, second]) for key in first}
    made |= {
        "the list is null": '{"differences": null}',
        "the list is a word": '{"differences": "none"}',
        "the list is zero": '{"differences": 0}',
        "another list besides": json.dumps({"differences": [second], "critical": [first]}),
        "two lists": json.dumps([first]) + "\n" + json.dumps([second]),
        "null for a difference": json.dumps([None, second]),
        "nothing for a difference": json.dumps([{}, second]),
        "groups for a list": EMPTY,
    }
    return made


Read = Callable[[str], tuple[int, int]]


def judged(text: str) -> tuple[int, int]:
    """Errors that the judge reads; it counts no matches."""
    return len(read_opinion(text, PAIR, 0.85).discrepancies), 0


def detected(text: str) -> tuple[int, int]:
    """Errors that the first pass of two reads."""
    return len(read_differences(text, PAIR, 0.85)), 0


def green(text: str) -> tuple[int, int]:
    """Errors and matches."""
    notation = read_answer(text)
    counts = [*notation.significant.values(), *notation.insignificant.values()]
    return sum(each.count for each in counts), notation.matched


WHOLE: Final[Mapping[Read, tuple[str, tuple[int, int]]]] = {
    judged: (JUDGED, (3, 0)),
    detected: (DETECTED, (2, 0)),
    green: (GREEN, (3, 1)),
}
FAULTS: Final[list[tuple[Read, Mapping[str, str]]]] = [
    (judged, _groups() | _around(JUDGED, EMPTY)),
    (detected, _lists() | _around(DETECTED, "[]")),
    (green, _counts() | _around(GREEN, GREEN.replace(": 1. ", ": 0. "))),
]
CASES: Final = [
    pytest.param(read, text, id=f"{read.__name__}: {name}") for read, made in FAULTS for name, text in made.items()
]


def read_or_refused(read: Read, text: str) -> tuple[float, int]:
    """What is read; errors without end and no match where the answer is refused."""
    try:
        return read(text)
    except UnreadableAnswerError:
        return math.inf, 0


@pytest.mark.parametrize("read", WHOLE)
def test_the_whole_answer_is_read_with_all_its_errors(read: Read) -> None:
    """Else no fault of it would show."""
    text, expected = WHOLE[read]
    assert read(text) == expected


@pytest.mark.parametrize(("read", "text"), CASES)
def test_a_faulty_answer_is_no_better_than_the_whole_one(read: Read, text: str) -> None:
    """It is refused, or none of its errors is lost and no match is added."""
    _, (errors, matches) = WHOLE[read]
    found, matched = read_or_refused(read, text)
    assert found >= errors
    assert matched <= matches
