"""Sentences that say only that there is nothing: "None", "No errors found.", "No other findings", "N/A".

What denies is told by what it may hold, not by how it begins: a sentence with a single word beyond those of the format
("No, left effusion", "None: 2") denies nothing, since the word may name an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["VERB", "denies", "is_filler", "is_none", "is_partial"]

VERB: Final = (
    r"(?:(?:were|was|are|is|have been)\s+)?(?:found|identified|noted|reported|present|detected|match(?:ed|es)?)"
)
"""What is said of errors or findings that there are, or are not."""

_NEGATIVE: Final = r"(?:no|none|nothing|nil|n/?a|not\s+applicable|zero|0)"
_START: Final = re.compile(
    rf"(?:(?:there\s+(?:is|are|was|were)|(?:the\s+)?candidate(?:\s+report)?\s+(?:has|had|makes|made|contains))\s+)?"
    rf"{_NEGATIVE}(?![\w/-])",
    re.IGNORECASE,
)
_DOES_NOT: Final = re.compile(
    r"(?:the\s+)?candidate(?:\s+report)?\s+(?:does|did)\s+not\s+(?:have|make|contain|include|mention|miss|omit|add|misidentify|misassess)\s+any\b",
    re.IGNORECASE,
)
_WORDS_TEXT: Final = """
a an any all of the in or and nor to for from by with this that these those here both either between
is are was were be been has have had there
none no nothing report reports reported found identified noted present detected seen observed made mentioned
listed match matches matched matching
clinically clinical significant insignificant non-significant nonsignificant other others further additional such
more remaining error errors finding findings issue issues discrepancy discrepancies difference differences mistake
mistakes category categories section type types kind kinds candidate candidate's reference reference's
false missing missed location locations anatomic position severity comparison comparisons omitted omission
omissions misassessment misassessments misidentification misidentifications incorrect wrong prior study studies
change changes detailing mentioning omitting mention mentions finding's
"""
_WORDS: Final = frozenset(_WORDS_TEXT.split())
_REPORTS: Final = re.compile(
    r"(?:(?:the\s+)?candidate(?:\s+report)?|both\s+reports|the\s+(?:two\s+)?reports)\b", re.IGNORECASE
)
_AGREEING_TEXT: Final = """
is are in with the of and to all both as it same agree agrees match matches matching consistent identical
equivalent accurate accurately correct correctly fully completely closely reflects captures conveys states state
reference report reports finding findings key main relevant important clinically significant content every each
location severity
"""
_AGREEING: Final = frozenset(_AGREEING_TEXT.split())
_WORD: Final = re.compile(r"[\w'/-]+")
_ODD: Final = re.compile(r"[^\w\s'’/()\[\]*<>-]")
_PARTS: Final = re.compile(r",|[.;\n]")
_ANY_FINDING: Final = re.compile(
    r"\bno\s+findings?\s+(?!(?:(?:were|was|are|is)\s+)?(?:found|identified|detected|missed|missing|omitted)\b)",
    re.IGNORECASE,
)
_PARTIAL: Final = re.compile(
    r"\b(?:other|others|further|additional|more|remaining|location|position|severity|comparisons?|false|"
    r"mis\w+|omi\w+|incorrect|wrong)\b",
    re.IGNORECASE,
)
_NONE: Final = re.compile(
    r"(?:none|nil|nothing|n/?a|nan|null|not\s+applicable|no\s+(?:errors?|match(?:es|ed\s+findings?)?))"
    rf"(?:\s+{VERB})?",
    re.IGNORECASE,
)
"""Items of a list that say that there is none, and cannot be a finding: "No significant findings" can."""


def denies(text: str, *, matches: bool = False) -> bool:
    """Returns whether a text says that there is nothing, and says nothing else.

    Args:
        text: one sentence or more.
        matches: whether the text stands under the matched findings, where "No finding is reported in both" is a denial
            too; under errors it would mean that all are missing.

    >>> denies("No errors found."), denies("None; N/A"), denies("No, left effusion"), denies("None (2)")
    (True, True, False, False)
    """
    if not matches and _ANY_FINDING.search(text):
        return False
    parts = _sentences(text)
    return any(map(_denies, parts)) and all(_denies(part) or (not matches and _agrees(part)) for part in parts)


def is_filler(text: str) -> bool:
    """Returns whether a text says of errors only that there are none, or that the reports agree."""
    return all(_denies(part) or _agrees(part) for part in _sentences(text))


def is_none(items: Sequence[str]) -> bool:
    """Returns whether there are items and all they say is that there are none.

    >>> is_none(["None", "N/A"]), is_none(["None", "effusion"]), is_none([])
    (True, False, False)
    """
    parts = [part for item in items for part in _sentences(item)]
    return bool(parts) and all(_NONE.fullmatch(part) for part in parts)


def _sentences(text: str) -> list[str]:
    """The parts between commas, semicolons, full stops and line breaks; any other sign stays in its part."""
    return [stripped for part in _PARTS.split(text) if (stripped := part.strip(" ()[]*<>-"))]


def _denies(part: str) -> bool:
    start = _START.match(part) or _DOES_NOT.match(part)
    return start is not None and _holds_only(_WORDS, part[start.end() :])


def _agrees(part: str) -> bool:
    start = _REPORTS.match(part)
    return start is not None and _holds_only(_AGREEING, part[start.end() :])


def _holds_only(words: frozenset[str], text: str) -> bool:
    return not _ODD.search(text) and all(word.lower() in words for word in _WORD.findall(text))


def is_partial(text: str) -> bool:
    """Returns whether a denial covers only what is not stated elsewhere, or only one kind of error."""
    return _PARTIAL.search(text) is not None
