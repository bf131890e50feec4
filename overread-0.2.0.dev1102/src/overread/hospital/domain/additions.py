"""Texts that add to a report and do not take its place, although they are sent as if they did."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["is_addition", "opens_as_addendum"]

_ADDENDUM: Final = re.compile(r"\W*addend(?:um|a)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_LISTED: Final = """
    an and are as at be been by for from has have in is it its no not of on or that the there this to was were which
    with without
"""
_COMMON: Final = frozenset(_LISTED.split())
_OF_ALL: Final = frozenset(["abnormal", "abnormality", "negative", "normal", "unremarkable"])
"""Words that speak of an examination as a whole."""

_TITLE: Final = re.compile(r"\b(?:dr|prof|mr|mrs|ms)\.", re.IGNORECASE)
_END: Final = re.compile(r"[.!?;\n]+(?:\s+|$)")
_LEAST_WORDS: Final = 12
"""Words a report needs before what it shares with another text means anything."""

_MOST_SENTENCES: Final = 3
_SHORT: Final = 0.4
_SHORT_AND_STRANGE: Final = 0.75
_KEPT: Final = 0.08
_KNOWN: Final = 0.3
"""Ours, by invented reports of 16 to 61 such words. Additions kept at most 0.07 of the report's words and had at most
0.25 of their own in it; reports that were shortened had 0.83 of theirs in it or more, and those that their author told
anew kept 0.10 or more. Of 8,400 pairs in which somebody else told a report anew, by the corpus `retold`, some of it in
mere abbreviations, 12 would be taken for additions."""


def opens_as_addendum(text: str) -> bool:
    """Return whether a text opens like an addendum; the whole report may or may not follow."""
    return _ADDENDUM.match(text) is not None


def is_addition(text: str, report: str) -> bool:
    """Return whether a text sent as a later version of a report only adds to it rather than restating it.

    A report that is corrected, shortened or reworded still covers the same things. A mere addition is short or opens
    like an addendum, keeps next to none of the report's words, takes most of its own from elsewhere, and calls nothing
    normal or abnormal. If a text is missing, or the report is too short to tell, nothing is an addition.

    >>> report = (
    ...     "The heart is normal in size. Patchy opacity in the right lower lobe. No effusion or pneumothorax. "
    ...     "The bones are intact. Impression: right lower lobe pneumonia."
    ... )
    >>> is_addition("Discussed with Dr. Roe by telephone at 08:50.", report), is_addition("Lobar pneumonia.", report)
    (True, False)
    """
    before, now = list(_words(report)), list(_words(text))
    if len(before) < _LEAST_WORDS or not now or _OF_ALL.intersection(now):
        return False
    shared = {*before} & {*now}
    is_short = opens_as_addendum(text) or _is_short(text, len(now) / len(before), shares=bool(shared))
    return is_short and len(shared) <= _KEPT * len({*before}) and len(shared) <= _KNOWN * len({*now})


def _is_short(text: str, length: float, *, shares: bool) -> bool:
    sentences = [sentence for sentence in _END.split(_TITLE.sub("", text)) if sentence.strip()]
    return length <= (_SHORT if shares else _SHORT_AND_STRANGE) and len(sentences) <= _MOST_SENTENCES


def _words(text: str) -> Iterator[str]:
    """The words that carry meaning, in their singular as far as an s tells."""
    for word in _WORD.findall(text.casefold()):
        if word not in _COMMON:
            yield word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word  # noqa: PLR2004
