"""Layouts: a report as other systems would print the same words.

Each function takes a report and gives one that a person would read as the same report. None of them uses overread's own
splitting, so that a fault there cannot hide.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Final

__all__ = ["LAYOUTS", "LAYOUT_GROUPS", "lines_of", "relaid"]

_HEADING: Final = re.compile(r"[ \t]*([A-Z][A-Z /&-]{2,40}|[A-Z][a-z]+(?: [A-Za-z]+){0,2}):(?=\s|$)")
_SENTENCE_END: Final = re.compile(r"(?<=[a-z0-9)%][.!?])\s+(?=[A-Z])")
_NO_END: Final = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|vs|approx|St|No|Fig|resp|cf|e\.g|i\.e)\.$")
_BULLET: Final = re.compile(r"\s*(?:[-*•]\s+|\(?\d{1,2}[.)]\s+)")
_NUMBER: Final = re.compile(
    r"(?<![\w./:,-])(\d{1,2})(?:\.(\d))?"
    r"(?=\s?-?(?:mm|cm|week|month|day|rib|fracture|nodule)s?\b)"
)
_LEAD: Final = re.compile(r"[A-Z][\w ,/&()-]{0,60}: ")
_OF_FINDINGS: Final = frozenset({"findings", "impression", "conclusion", "report", "opinion"})
_LEANS: Final = re.compile(
    r"(?:It|Its|This|That|These|Those|They|Their|There|The|Both|Another|A|An|One|Two|Three|Second|Third|Remaining"
    r"|Remainder|Rest|Otherwise|Also|Likely|Probably|Possibly|Presumably|None|Neither|No|Not|Without|Only|Similar|Same"
    r"|Elsewhere|Here|Further|Other|Else|Smaller|Larger|Largest|More|Less|Unchanged|Stable|Normal|New|In|On|At"
    r"|With|Which|Such|Previously|Correlat\w+|Recommend\w*|Suggest\w*|Consider|Follow\S*|Please|\d+)\b.*"
    r"|.*\b(?:(?:this|that|same|other|opposite) side|ipsilateral|contralateral)\b",
    re.IGNORECASE,
)
"""Beginnings of sentences that may lean on the sentence before."""
_ONES: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_FEW_LINES: Final = 4
"""Below, a report is wrapped before it is parted into pages."""

_TENS: Final = ("zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def lines_of(text: str) -> list[str]:
    """The lines of a report that hold anything."""
    return [line.strip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip()]


def _paragraphs(text: str) -> list[str]:
    """The report as it was dictated: wrapped lines are joined, headings and list items keep a line of their own."""
    paragraphs: list[str] = []
    starts_anew = True
    for raw in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        line = raw.strip()
        if not line:
            starts_anew = True
            continue
        # A line that goes on in lower case, after one that has no end, was wrapped.
        if not starts_anew and line[0].islower() and paragraphs and not re.search(r"[.:;!?]$", paragraphs[-1]):
            paragraphs[-1] += " " + line
        else:
            paragraphs.append(line)
        starts_anew = False
    return paragraphs


def _sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph, a heading with the first of them."""
    parts: list[str] = []
    for part in _SENTENCE_END.split(paragraph):
        if parts and _NO_END.search(parts[-1]):
            parts[-1] += " " + part
        else:
            parts.append(part)
    return parts


def _comparison_above(text: str) -> str:
    return f"COMPARISON: 8/27/2023\n{text}"


def _technique_above(text: str) -> str:
    return f"EXAMINATION: Study of today\nTECHNIQUE: Standard protocol.\n{text}"


def _without_blank_lines(text: str) -> str:
    return "\n".join(lines_of(text))


def _on_one_line(text: str) -> str:
    return " ".join(_paragraphs(text))


def _numbered(text: str) -> str:
    return _listed(text, lambda number: f"{number}. ")


def _bulleted(text: str) -> str:
    return _listed(text, lambda _: "- ")


def _dotted(text: str) -> str:
    return _listed(text, lambda _: "•\t")


def _listed(text: str, mark: Callable[[int], str]) -> str:
    lines: list[str] = []
    number = 0
    for paragraph in _paragraphs(text):
        heading = _HEADING.match(paragraph)
        body = paragraph[heading.end() :].strip() if heading else paragraph
        if heading:
            lines.append(heading.group().strip())
            number = 0
        for sentence in _sentences(body):
            number += 1
            bare = _BULLET.sub("", sentence, count=1) if _BULLET.match(sentence) else sentence
            if bare:
                lines.append(mark(number) + bare)
    return "\n".join(lines)


def _line_a_sentence(text: str) -> str:
    return "\n".join(sentence for paragraph in _paragraphs(text) for sentence in _sentences(paragraph))


def _blanks_at_line_ends(text: str) -> str:
    return "\n".join(line + "   " for line in text.split("\n"))


def _wrapped(width: int) -> Callable[[str], str]:
    def wrapped(text: str) -> str:
        blocks: list[str] = []
        for raw in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
            paragraphs = _paragraphs(raw)
            filled = (textwrap.fill(p, width, break_long_words=False, break_on_hyphens=False) for p in paragraphs)
            blocks.append("\n".join(filled))
        return "\n\n".join(blocks)

    return wrapped


def _typographic(text: str) -> str:
    text = re.sub(r"(?<=\w)-(?=\w)", "\u2010", text)
    text = re.sub(r"(?<=\d) (?=mm\b|cm\b)", "\u00a0", text).replace("'", "\u2019").replace(". ", ".\u00a0 ")
    return re.sub(r'"([^"\n]*)"', "\u201c\\1\u201d", text)


def _in_hl7(text: str) -> str:
    return "\\.br\\".join(text.replace("\r\n", "\n").split("\n"))


def _in_repetitions(text: str) -> str:
    return "~".join(text.replace("\r\n", "\n").split("\n"))


def _from_rtf(text: str) -> str:
    return "\r\n\r\n".join("\t" + line for line in _paragraphs(text)) + "\r\n\x0c"


def _from_html(text: str) -> str:
    return "\n \n".join(re.sub(r":(?= |$)", ":\u00a0", line, count=1) for line in _paragraphs(text)) + "\n\u200b"


def _headings(change: Callable[[str, str], str]) -> Callable[[str], str]:
    """A layout that prints each known heading and what stands on its line in another way."""

    def changed(text: str) -> str:
        lines = []
        for line in text.split("\n"):
            heading = _HEADING.match(line)
            if heading and heading[1].isupper() and heading[1] in _KNOWN:
                lines.append(change(heading[1], line[heading.end() :].strip()))
            else:
                lines.append(line)
        return "\n".join(lines)

    return changed


_KNOWN: Final = {
    "FINDINGS": "Report",
    "IMPRESSION": "Conclusion",
    "CONCLUSION": "Opinion",
    "INDICATION": "Clinical details",
    "HISTORY": "Clinical history",
    "CLINICAL HISTORY": "Clinical information",
    "TECHNIQUE": "Method",
    "COMPARISON": "Previous imaging",
}


def _title_case(heading: str, body: str) -> str:
    return f"{heading.capitalize()}: {body}"


def _without_colon(heading: str, body: str) -> str:
    return f"{heading}\n{body}"


def _of_other_countries(heading: str, body: str) -> str:
    return f"{_KNOWN[heading]}:\n{body}"


def _underlined(heading: str, body: str) -> str:
    return f"{heading}\n{'-' * len(heading)}\n{body}"


def _paged(text: str) -> str:
    lines = text.split("\n") if text.count("\n") >= _FEW_LINES else textwrap.wrap(text, 80)
    middle = max(1, len(lines) // 2)
    head = ["NORTHSIDE GENERAL HOSPITAL", "Department of Radiology", "Patient: DOE, JANE   MRN: 0012345"]
    foot = ["Page {} of 2"]
    halves = (lines[:middle], lines[middle:])
    pages = [[*head, "", *part, "", foot[0].format(n)] for n, part in enumerate(halves, start=1)]
    return "\n".join(pages[0]) + "\x0c\n" + "\n".join(pages[1])


def _signed(text: str) -> str:
    return (
        f"{text}\n\n*** Final ***\nSigning Physician: Jane Doe, M.D.\n"
        "I have personally reviewed the images and agree with the findings above.\n"
        "Electronically signed by: Jane Doe on 08/28/2023 14:05\nDictation workstation: NW-RAD-04"
    )


def _preliminary(text: str) -> str:
    return (
        "Unverified report. Not for clinical use until verified.\n"
        f"{text}\nPreliminary report by Dr Moreau. Awaiting verification by a consultant."
    )


def _numbers_as_words(text: str) -> str:
    def word(match: re.Match[str]) -> str:
        whole = _cardinal(int(match[1]))
        return whole if match[2] is None else f"{whole} point {_ONES[int(match[2])]}"

    return _NUMBER.sub(word, text)


def _cardinal(number: int) -> str:
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens]}-{_ONES[ones]}" if ones else _TENS[tens]


def _shuffled(text: str) -> str:
    """Sentences in another order, each with those that lean on it; the first, headings and leads stay in place."""
    draws = random.Random(text)  # noqa: S311 - no secret
    result: list[str] = []
    pool: list[str] = []
    for paragraph in [*_paragraphs(text), ""]:
        heading = _HEADING.match(paragraph)
        of_findings = heading is not None and heading[1].lower() in _OF_FINDINGS
        stays = bool(heading) or not paragraph.endswith(".") or bool(_BULLET.match(paragraph))
        if stays:
            draws.shuffle(pool)
            result += [" ".join(pool)] if pool else []
            pool = []
        if heading and of_findings:
            result.append(heading.group().strip())
        elif stays:
            result.append(paragraph)
            continue
        is_led = False
        for number, sentence in enumerate(_sentences(paragraph[heading.end() if heading else 0 :].strip())):
            if not result and not pool:
                result.append(sentence)
                continue
            leads = bool(_LEAD.match(sentence))
            is_led = leads or (is_led and number > 0)
            if (_LEANS.match(sentence) or is_led) and not leads:
                into = pool or result
                into[-1] += " " + sentence
            else:
                pool.append(sentence)
    draws.shuffle(pool)
    return "\n".join(part for part in [*result, " ".join(pool)] if part)


LAYOUTS: Final[Mapping[str, Callable[[str], str]]] = {
    "a comparison above": _comparison_above,
    "a technique above": _technique_above,
    "blank lines taken out": _without_blank_lines,
    "all on one line": _on_one_line,
    "sentences numbered": _numbered,
    "bullets": _bulleted,
    "dots and tabs": _dotted,
    "a line a sentence": _line_a_sentence,
    "blanks at line ends": _blanks_at_line_ends,
    "wrapped at 40": _wrapped(40),
    "wrapped at 60": _wrapped(60),
    "wrapped at 80": _wrapped(80),
    "typographic marks": _typographic,
    "lower case": str.lower,
    "upper case": str.upper,
    "breaks of HL7": _in_hl7,
    "repetitions of HL7": _in_repetitions,
    "from RTF": _from_rtf,
    "from HTML": _from_html,
    "headings in title case": _headings(_title_case),
    "headings without a colon": _headings(_without_colon),
    "headings underlined": _headings(_underlined),
    "headings of other countries": _headings(_of_other_countries),
    "pages with headers and footers": _paged,
    "signed": _signed,
    "marked preliminary": _preliminary,
    "numbers as words": _numbers_as_words,
    "sentences shuffled": _shuffled,
}


def relaid(text: str, layout: str) -> str:
    """A report in a layout of `LAYOUTS`."""
    return LAYOUTS[layout](text)


LAYOUT_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "white space and line breaks": (
        *("blank lines taken out", "all on one line", "a line a sentence", "blanks at line ends"),
        *("wrapped at 40", "wrapped at 60", "wrapped at 80", "from RTF", "from HTML"),
    ),
    "line breaks of HL7": ("breaks of HL7", "repetitions of HL7"),
    "letters and marks": ("typographic marks", "lower case", "upper case"),
    "list marks": ("sentences numbered", "bullets", "dots and tabs"),
    "headings": (
        *("headings in title case", "headings without a colon", "headings underlined"),
        "headings of other countries",
    ),
    "administrative lines": (
        *("a comparison above", "a technique above", "pages with headers and footers", "signed"),
        "marked preliminary",
    ),
    "numbers as words": ("numbers as words",),
    "order of sentences": ("sentences shuffled",),
}
"""Layouts by what they change; each is in one group."""
