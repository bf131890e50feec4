"""Sentences that an edit has broken: cut off, with two verbs, or with words that do not agree in number."""

from __future__ import annotations

import re
from typing import Final

from overread.studies.application.synthesis.edits.reading import sentence_spans
from overread.studies.application.synthesis.phrases import COUNTED, plural

__all__ = ["is_broken", "number_broken"]

_PLURALS: Final = "|".join(sorted(plural(noun) for noun in COUNTED))
_SINGULARS: Final = "|".join(sorted(COUNTED))
_VERB: Final = r"(?:is|are) (?:again |also )?(?:seen|noted|present|identified|visualized|demonstrated|evident|visible)"
_CUT_OFF: Final = (
    "is|are|was|were|has|have|been|of|in|on|at|the|an?|and|or|with|without|no|to|from|which|may|measuring"
    "|there|since|under|above|along|further|new"
)
_COURSE: Final = r"new|unchanged|stable|increas\w+|decreas\w+|worsen\w+|improv\w+"
_BREAKS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # cut off
        rf"\b(?:{_CUT_OFF})[\s.,;]*\Z",
        r"\A\W*(?:is|are|was|were|has|have|of|which|and|or|since|from)\b",
        r"\A[\W\d]*\Z",
        # two verbs
        rf"\bthere (?:is|are|may be)\b[^.;,]*\b{_VERB}",
        rf"\b{_VERB}\b[^.;,]*\b{_VERB}",
        r"\bthere (?:is|are)\b[^.;,]*\bthere (?:is|are)\b",
        # number
        rf"\ban? (?:[\w-]+ ){{0,5}}(?:{_PLURALS})\b(?! \w+ (?:of|in)\b)",
        rf"\bthere is (?:no |an? )?(?:(?!of|in|at|with|no)[\w-]+ ){{0,5}}(?:{_PLURALS})\b",
        rf"\bthere are (?:(?!of|in|at|with|no|multiple)[\w-]+ ){{0,5}}(?:{_SINGULARS})(?=[\s.,]*\Z| (?:in|of|at|on)\b)",
        rf"\b(?:{_PLURALS}) (?:is|has)\b",
        r"\bthere are an?\b",
        # degrees, doubts and comparisons said twice
        r"\b(possible|probable|suspected|likely|questionable) (?:possible|probable|suspected|likely|questionable)\b",
        rf"\b(?:{_COURSE}) (?:{_COURSE})\b",
        r"\b(?:mild|moderate|severe|small|large|marked|minimal) (?:mild|moderate|severe|small|large|marked|minimal)\b",
    )
)


def is_broken(sentence: str) -> bool:
    """Returns whether a sentence is incomplete, or its words do not agree.

    >>> is_broken("The abscess has."), is_broken("There is a pleural effusions."), is_broken("Clear lungs.")
    (True, True, False)
    """
    return any(pattern.search(sentence) for pattern in _BREAKS)


def number_broken(text: str) -> int:
    """Number of broken sentences in a report; a user's own reports have some, where lines break anywhere."""
    return sum(is_broken(span.of(text)) for span in sentence_spans(text))
