"""Sections and sentences of a report, as character spans of its text as laid out.

A splitter of our own: medspaCy's default, PyRuSH, takes most of the reading time and logs report text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

from attrs import evolve, frozen

from overread.adapters.lexicon.layout import BULLET, laid_out
from overread.adapters.lexicon.loader import Knowledge, SectionTitle
from overread.adapters.lexicon.targets import target_matcher
from overread.domain.reports.plain_text import PlainText
from overread.domain.reports.report import Section, SectionRole, Span

__all__ = [
    "Outline",
    "SectionSplitter",
    "plain_layout",
    "plain_sentences",
    "sentences_by_section",
    "split_sentences",
    "strip_bullet",
]

_ABBREVIATIONS: Final = frozenset(
    {
        "dr",
        "drs",
        "mr",
        "mrs",
        "ms",
        "prof",
        "vs",
        "approx",
        "bilat",
        "ca",
        "cf",
        "eg",
        "e.g",
        "i.e",
        "st",
        "no",
        "fig",
        "resp",
        "incl",
        "pt",
    }
)
_INITIAL: Final = re.compile(r"(?i)\b(?:by|dr\.?|drs\.?|prof\.?|with|to|and|signed|,|[a-z]\.) [a-z]$")
"""The initial of a name, as in "seen by J. Smith"; any other letter may end a sentence: "right more than l."."""

_NUMBER_BEFORE: Final = re.compile(r"(?:^|\s)\d{1,2}$")
_ORGAN: Final = (
    r"(?:Lungs?|Heart|Pleura|Pleural\s+spaces?|Mediastinum|Bones?|Osseous\s+structures|Soft\s+tissues|Diaphragms?"
    r"|Airways?|Hila|Vessels|Vasculature|Abdomen|Upper\s+abdomen|Lines|Tubes|Devices|Support\s+devices|Trachea"
    r"|Cardiac\s+silhouette|Cardiovascular|Cardiomediastinal\s+silhouette|Chest\s+wall|Spine|Ribs|Musculoskeletal)"
)
_ORGAN_HEADING: Final = rf"{_ORGAN}(?:(?:\s+and\s+|/|,\s*)\w+)?:"
_GOES_ON: Final = "".join(
    rf"(?<!\b{word})"
    for word in [
        "the",
        "of",
        "in",
        "both",
        "and",
        "or",
        "other",
        "remaining",
        "left",
        "right",
        "to",
        "for",
        "l",
        "r",
        "lt",
        "rt",
        "bilateral",
    ]
)
_END: Final = re.compile(rf"[.!?;]+(?=\s|$|[A-Z])|\n|[ ](?=[•*] [A-Z])|(?i:{_GOES_ON})[ \t](?=(?i:{_ORGAN_HEADING}))")

_LONGEST_SENTENCE: Final = 1200
_SHORTEST_LAST_WORD: Final = 3
"""A full stop without a space behind it ends a sentence only after a word this long: "effusion.No pneumothorax"."""

_NUMBERING: Final = re.compile(r"\s*[#*_]*(?:\(?\d{1,2}[.)])?\s*")
_LINE: Final = re.compile(r"[^\n]+")
_LONGEST_FIELD: Final = 160
_DECORATION: Final = " \t*_=#~<>[](){}|:-–—."
"""Marks around banners: "*** END OF REPORT ***"."""

_HISTORIES: Final = frozenset({"indication", "history", "clinical_information"})

_KNOWN_FROM_AFAR: Final = (
    "findings", "impression", "impressions", "conclusion", "conclusions", "opinion", "indication",
    "clinical indication",
    "clinical history", "clinical information", "clinical details", "history", "technique", "comparison", "comparisons",
    "recommendation", "recommendations", "reason for exam", "reason for examination", "preliminary report",
    "final report", "addendum",
)  # fmt: skip
"""Titles that are headings wherever they stand before a colon, as in a report on one line."""

_TECHNIQUE: Final = "technique"
_TO_THE_NEXT_HEADING: Final = frozenset({"recommendation", "communication", "attestation"})
"""Sections after the findings that hold findings of their own: what is to be done about them, who was told."""

_OUTRIGHT: Final = re.compile(
    r"(?i)(?:there (?:is|are)|no|(?:an? )?(?:tiny|small|moderate|large|massive|extensive|tension|mild|severe|acute))\b"
)
"""Words that no advice opens with, but a statement of what was found."""

_CONCLUDES: Final = frozenset({"impression"})
"""Sections that begin with the name of an examination only where nothing that is compared stands before them."""

_CLOSE_BY: Final = 2
"""Statements in a section that is not compared from which they are findings that follow it."""

_DENIES: Final = re.compile(
    r"(?i)(?:there (?:is|are) )?no\b|(?:the )?(?:lungs?|heart|bones?)\b.*\b(?:clear|normal|intact)\b"
)
"""A sentence that no history begins with: "No pneumothorax.", "The heart is normal in size."."""

_LONGEST_BANNER: Final = 5
"""Most words of a line that may stand before the title of an examination without a word of how reports are made."""

_FIELDS: Final = 20_000


@frozen(eq=False)
class Outline:
    """A report as laid out, with its sections and compared sentences; spans are of ``plain.text``."""

    plain: PlainText
    sections: tuple[Section, ...]
    sentences: tuple[tuple[Section, Span], ...]

    @property
    def sections_as_given(self) -> tuple[Section, ...]:
        """The sections with their places in the report as given."""
        return tuple(
            evolve(s, start=g.start, end=g.end) for s in self.sections for g in [self.given(Span(s.start, s.end))]
        )

    def given(self, span: Span) -> Span:
        """The place of a span in the report as given."""
        return Span(*self.plain.given(span.start, span.end))


@frozen(eq=False)
class _Heading:
    """A title at ``[start, title_end)``, the body behind it from ``end`` on."""

    title: SectionTitle
    start: int
    name_start: int
    end: int


class SectionSplitter:
    """Finds headings and what belongs to each.

    A title counts at the start of a line or sentence and before a colon, or alone on its line.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        titles = knowledge.sections
        self._titles = {re.sub(r"\s+", " ", t.lower()): title for title in titles for t in title.titles}
        self._heading = _headings(self._titles, small=False)
        fielded = dict.fromkeys(title for title in self._titles.values() if title.lines)
        self._lines = [(title, re.compile(line)) for title in fielded for line in title.lines]
        self._openings = [
            (title, re.compile(line)) for title in dict.fromkeys(self._titles.values()) for line in title.opening
        ]
        self._own = {title.name: re.compile(title.own, re.IGNORECASE) for title in titles if title.own}
        self._begins = {title.name: re.compile(title.begins, re.IGNORECASE) for title in titles if title.begins}
        self._matcher, self._normaliser, self._technical = (
            target_matcher(knowledge),
            knowledge.normaliser,
            knowledge.technical,
        )
        self._making = knowledge.grammar.statements.making
        self._complete = next((title for title in titles if title.complete), None)
        self._title_words = re.compile(
            rf"(?:(?i:{_any_of(knowledge.titles)})(?:s\b|\b)(?:, | |/|-)"
            r"|(?:AND|OF|THE|WITH|WITHOUT) |\d{1,4}(?:hrs?)? |(?:\d{1,4}[/.-])+\d{2,4} |& ){2,}(?=[A-Z])"
        )
        self._field = lru_cache(_FIELDS)(self._field_of)

    @cached_property
    def _small_heading(self) -> re.Pattern[str]:
        """Headings in reports that are written in small letters, which are few; it takes long to compile."""
        return _headings(self._titles, small=True)

    def outline(self, text: str) -> Outline:
        """The sections and compared sentences of a report as given."""
        plain = self.laid_out(text)
        sections = self.split(plain.text)
        return Outline(plain, sections, tuple(sentences_by_section(plain.text, sections)))

    def laid_out(self, text: str) -> PlainText:
        """A report as given with one paragraph, list item or heading a line."""
        pattern = self._small_heading if text.islower() else self._heading

        def heading_of(line: str) -> int:
            match = pattern.match(line)
            return match.end() if match else len(line) if self._field(line) else 0

        return laid_out(text, heading_of)

    def split(self, text: str) -> tuple[Section, ...]:
        """The sections of a report in order; text before the first heading is a section without a name.

        Where no section would be compared, every section is: a report that is all "Examination:" was not meant to
        say nothing.

        Args:
            text: of a report, laid out.
        """
        headings = list(self._headings(text))
        sections = self._part_sections(text, self._under_headings(text, headings))
        if not any(s.role is SectionRole.FINDINGS for s in sections):
            sections = self._part_sections(text, self._under_headings(text, headings, shortest=True))
        if any(s.role is SectionRole.FINDINGS for s in sections):
            return tuple(sections)
        return tuple(Section(s.name, SectionRole.FINDINGS, s.start, s.end) for s in sections)

    def _part_sections(self, text: str, sections: Iterable[Section]) -> list[Section]:
        """The sections without the lines and sentences in them that tell of the report's making."""
        parts: list[Section] = []
        for section in sections:
            is_first = not any(part.role is SectionRole.FINDINGS for part in parts)
            own = self._fields_apart(text, section, may_open=is_first or section.name not in _CONCLUDES)
            parts += (part for part in own if any(c.isalnum() for c in text[part.start : part.end]))
        return parts

    def _headings(self, text: str) -> Iterator[_Heading]:
        is_capitals = text.isupper()
        for match in (self._small_heading if text.islower() else self._heading).finditer(text):
            kind = match.lastgroup or "title"
            if kind in {"capitals", "bare"} and is_capitals:
                continue
            title = self._titles[re.sub(r"\s+", " ", match[kind].lower())]
            begin = _begin_of_title(text, match.start(kind)) if title.name == _TECHNIQUE else match.start(kind)
            if begin < match.start(kind):
                if self._complete is not None:
                    yield _Heading(self._complete, begin, begin, match.end())
                continue
            yield _Heading(title, match.start(), match.start(kind), match.end())

    def _under_headings(self, text: str, headings: Sequence[_Heading], *, shortest: bool = False) -> Iterator[Section]:
        """The sections under their headings."""
        before = Section("", SectionRole.FINDINGS, 0, headings[0].start if headings else len(text))
        compared = [heading.title.name for heading in headings if heading.title.role is SectionRole.FINDINGS]
        if compared[:1] == ["findings"] and not any(
            self._states(span.of(text)) for span in split_sentences(text, before.start, before.end)
        ):
            before = evolve(before, role=SectionRole.CONTEXT)
        yield before
        ends = [*(heading.start for heading in headings[1:]), len(text)][: len(headings)]
        seen = 0
        for heading, end in zip(headings, ends, strict=True):
            title = heading.title
            if title.role is SectionRole.FINDINGS:
                seen += 1
                before = Section(title.name, title.role, heading.end, end)
                yield before
                continue
            first = next((i for i in range(heading.end, end) if not text[i].isspace()), end)
            words = self._title_before(text, Span(first, end)) if title.name == "examination" else None
            if words is not None:
                yield Section(title.name, title.role, heading.end, words.end)
                yield Section("", SectionRole.FINDINGS, words.end, end)
                continue
            if title.complete:
                yield Section(title.name, title.role, heading.name_start, heading.end)
                yield Section("", SectionRole.FINDINGS, heading.end, end)
                continue
            is_headed = compared[seen : seen + 1] == ["findings"]
            stop = self._own_end(text, heading, end, before, is_headed=is_headed, seen=seen, shortest=shortest)
            yield Section(title.name, title.role, heading.end, stop)
            if stop < end:
                within = seen > 0 and not _opens_line(text, heading)
                yield Section(before.name if within else "", SectionRole.FINDINGS, stop, end)

    def _own_end(
        self, text: str, heading: _Heading, end: int, before: Section, *, is_headed: bool, seen: int, shortest: bool
    ) -> int:
        """The end of a section that is not compared; from there to the next heading there are findings.

        Args:
            text: of the report.
            heading: of the section.
            end: where the next section begins.
            before: the compared section before it.
            is_headed: whether the next compared section has a heading of findings, so that none come before it.
            seen: number of compared headings before.
            shortest: whether the section ends with its first sentence.
        """
        title, is_complete = heading.title, False
        follows = seen or (before.role is SectionRole.FINDINGS and text[before.start : before.end].strip())
        if title.lines or (follows and title.name in _TO_THE_NEXT_HEADING):
            return self._end_of_closing(text, heading, end)
        is_history = title.name in _HISTORIES
        if is_history and is_headed and not shortest:
            return end
        sentences = split_sentences(text, heading.end, end)
        if is_history and before.name and seen and not _opens_line(text, heading):
            return sentences[0].end if sentences else end
        begins, own = self._begins.get(title.name), self._own.get(title.name)
        if begins is not None and sentences and (opening := begins.match(text, sentences[0].start, sentences[0].end)):
            rest = Span(opening.end(), sentences[0].end)
            is_complete = rest.start == rest.end
            is_own = own is not None and own.search(rest.of(text)) is not None
            if opening.end() > opening.start() and not is_own and self._states(rest.of(text)):
                return rest.start
        if shortest:
            return sentences[0].end if sentences else end
        least = _CLOSE_BY if is_history and not is_complete else 1
        return self._end_of_own(text, sentences, own, end, least=least)

    def _end_of_field(self, text: str, start: int, end: int) -> int:
        """The end of a field of one line: before a sentence that names a finding; names are none, and have capitals."""
        if text.islower():
            return end
        for span in split_sentences(text, start, end):
            words = span.of(text)
            is_prose = any(word.islower() for word in words.split())
            if is_prose and self._field(words) is None and self._states(words):
                return span.start
        return end

    def _end_of_closing(self, text: str, heading: _Heading, end: int) -> int:
        """Start of the findings in a section about advice, messages or the signature; its end if it has none.

        They start at a sentence that names a finding and has none of the section's own words: "CRITICAL RESULT: Large
        pneumothorax.". Advice names findings in few words, so there it must also open as no advice does.
        """
        if heading.title.lines:
            return self._end_of_field(text, heading.end, _end_of_line(text, heading.end, end))
        own = self._own.get(heading.title.name)
        if own is None:
            return end
        for span in split_sentences(text, heading.end, end):
            words = span.of(text)
            is_advice = heading.title.name == "recommendation" and not _OUTRIGHT.match(words)
            if not is_advice and self._field(words) is None and not own.search(words) and self._states(words):
                return span.start
        return end

    def _end_of_own(
        self, text: str, sentences: Sequence[Span], own: re.Pattern[str] | None, end: int, *, least: int
    ) -> int:
        """The end of the last sentence before findings.

        Line breaks do not tell them from what belongs in the section: they are sentences that name a finding and have
        none of the section's own words, ``least`` of them or one that denies.
        """
        is_own = [own is not None and own.search(span.of(text)) is not None for span in sentences]
        states = [
            number
            for number, span in enumerate(sentences)
            if number and not is_own[number] and self._states(span.of(text))
        ]
        if len(states) < least and not any(_DENIES.match(text, sentences[number].start) for number in states):
            return end
        first = states[0]
        while first > 1 and not is_own[first - 1]:
            first -= 1
        return sentences[first - 1].end

    def _states(self, text: str) -> bool:
        """Return whether words name a finding, present or absent, or call something normal."""
        words = self._normaliser.words(text).words
        return any(match.term.meaning[0] not in self._technical for match in self._matcher(words))

    def _fields_apart(self, text: str, section: Section, *, may_open: bool) -> Iterator[Section]:
        """A section without the lines and sentences in it that tell of the report's making.

        Args:
            text: of the report.
            section: of the report.
            may_open: whether the section may begin with the title of an examination.
        """
        is_compared = section.role is SectionRole.FINDINGS
        if not is_compared and section.name not in _TO_THE_NEXT_HEADING:
            yield section
            return
        start, is_open = section.start, is_compared and may_open
        for part in self._fields_within(text, section):
            span = part
            title = self._field(part.of(text))
            if title is None and is_open:
                title = self._opening(text, part, section)
                if title is None and (words := self._title_before(text, part)) is not None:
                    span, title = words, self._titles["examination"]
            if title is None:
                is_open = is_open and self._is_banner(part.of(text))
                continue
            yield Section(section.name, section.role, start, span.start)
            yield Section(title.name, title.role, span.start, span.end)
            start = span.end
        yield Section(section.name, section.role, start, section.end)

    def _fields_within(self, text: str, section: Section) -> Iterator[Span]:
        """The lines of a section, those that are no field sentence by sentence."""
        for line in _LINE.finditer(text, section.start, section.end):
            span = Span(*line.span())
            sentences = [] if self._field(line.group()) else split_sentences(text, span.start, span.end)
            yield from sentences if len(sentences) > 1 else [span]

    def _is_banner(self, words: str) -> bool:
        """Return whether words may stand before the title of an examination: "RADIOLOGY REPORT"."""
        is_short = len(words.split()) <= _LONGEST_BANNER
        return (is_short or not self._making.isdisjoint(self._normaliser.words(words).words)) and not self._states(
            words
        )

    def _title_before(self, text: str, span: Span) -> Span | None:
        """The words of a title in capitals that a sentence begins with, as in a report on one line; None for none."""
        words = self._title_words.match(text, span.start, span.end)
        stands_out = words is not None and words.group().isupper() and text[words.end() + 1 : words.end() + 2].islower()
        return Span(span.start, words.end()) if words and stands_out and not _LEADS_ON.search(words.group()) else None

    def _examination_of(self, words: str) -> SectionTitle | None:
        return next((title for title, pattern in self._openings if pattern.fullmatch(words)), None)

    def _opening(self, text: str, span: Span, section: Section) -> SectionTitle | None:
        """The section that a line names which opens a part of the report: "CT chest PE protocol".

        It asks a question and answers none. One that names a finding counts where something follows it and nothing in
        it says how the finding is: "CXR - RLL consolidation", "CT head with bleed" and "CT brain: stroke" answer.
        """
        bare = span.of(text).strip(_DECORATION)
        is_all = not (text[: span.start] + text[span.end :]).strip()
        if not bare or len(bare) > _LONGEST_FIELD or is_all:
            return None
        title = self._examination_of(bare)
        if title is not None:  # "CT sugested" is no title, and its words are known by their right spelling
            title = self._examination_of(" ".join(self._normaliser.words(bare).words).strip(_DECORATION))
        if title is None and self._title_words.fullmatch(bare + " X") is not None:
            return self._titles["examination"]
        if title is None or not self._states(bare):
            return title
        asks = _ASKS.search(bare) is not None
        is_line = text[span.end : span.end + 1] == "\n" or span.end == section.end < len(text)
        is_line = is_line and text[span.end - 1] != "."
        return title if (asks or (is_line and ":" not in bare)) and not _ANSWERS.search(bare) else None

    def _field_of(self, line: str) -> SectionTitle | None:
        """The section that a line or sentence is a field of, None where it is part of the report proper."""
        bare = line.strip(_DECORATION)
        if not bare or len(bare) > _LONGEST_FIELD:
            return None
        return next((title for title, pattern in self._lines if pattern.fullmatch(bare)), None)


_LEADS_ON: Final = re.compile(r"(?i)\b(?:with|without|of|and|or|left|right|both|bilateral|one|two|three|four) $")
"""A word behind which the words of a title go on, or with which a sentence about the patient begins."""

_ASKS: Final = re.compile(
    r"(?i)\b(?:protocol|study|screening|survey|series|surveillance|staging|follow[- ]?up|evaluation|for|query|rule out"
    r"|r/o)\b"
    r"|\?|\(|\w-(?:ct|mri?|angiogram)\b"
)
"""Words by which the title of an examination asks for a finding: "CT KUB: renal stone protocol"."""

_ANSWERS: Final = re.compile(
    r"(?i)\b(?:with|on|showing|in keeping|consistent|compatible|due to|positive|seen|noted|present|likely|suggest\w*"
    r"|small|large|moderate|severe|mild|massive|extensive|subtle|multiple|new|worsening|worse|increas\w+|decreas\w+|improv\w+|enlarg\w+"
    r"|progress\w+|displaced|[rl][lum]l|lobe|\d+(?:\.\d+)? ?[mc]m)\b(?!(?:\s+\w+){0,4}\s+contrast)"
)
"""Words by which a line that names an examination says what was found."""


_OF_WHAT: Final = r"(?: \([\w ,&-]{1,30}\))?"
"""What a heading is of: "FINDINGS (CT):"."""


def _headings(titles: Iterable[str], *, small: bool) -> re.Pattern[str]:
    """Headings: titles before a colon, titles alone on a line, and those that are known from afar.

    Args:
        titles: of sections, in small letters.
        small: whether the report is written in small letters throughout.
    """
    names, afar = _any_of(titles), _any_of(_KNOWN_FROM_AFAR)
    capitals, capitalised = (_any_of(map(change, _KNOWN_FROM_AFAR)) for change in (str.upper, str.capitalize))
    alone = rf"(?i:{names})" if small else rf"(?=[A-Z])(?i:{names})|(?:{afar})"
    parts = (
        rf"(?:^[ ]*[#*_]*|(?<=[.!?:;]) )(?P<title>(?i:{names})){_OF_WHAT}[*_]*[ ]*(?::[*_]*| [-–—](?= ))",
        rf"^[ ]*[#*_]*(?P<alone>{alone})[*_]*[ ]*$",
        rf"(?<= )(?P<capitals>{_any_of(map(str.upper, titles))}):(?=\s|$)",
        rf"(?<= )(?P<title_case>{capitalised}):(?=\s|$)",
        rf"(?<=[\d.,;)] )(?P<afar>(?i:{afar})):(?=\s|$)",
        rf"(?:^[ ]*|(?<= ))(?P<bare>{capitals})(?= (?:[A-Z][a-z]|\d|A |[A-Z][A-Z ]{{2,}}:))",
        rf"(?:^[ ]*|(?<=[.!?;)] ))(?P<bare_small>{capitalised})(?= (?:[A-Z][a-z]|\d[.)] |A ))",
    )
    return re.compile("|".join(parts), re.MULTILINE)


def _any_of(titles: Iterable[str]) -> str:
    return "|".join(re.escape(t).replace(r"\ ", r"\s+") for t in sorted(set(titles), key=lambda t: (-len(t), t)))


def _begin_of_title(text: str, start: int) -> int:
    """Start of the words that run on into a heading, as in "CT HEAD WITHOUT CONTRAST:"; its own start if none do."""
    line = text.rfind("\n", 0, start) + 1
    before = text[line:start]
    if not (before.endswith((" ", "\t")) and before.rstrip()[-1:].isalnum()):
        return start
    begin = max(before.rfind(mark) for mark in (". ", ": ", "; ")) + 1
    return line + begin + len(before[begin:]) - len(before[begin:].lstrip())


def _opens_line(text: str, heading: _Heading) -> bool:
    line = text.rfind("\n", 0, heading.start + 1) + 1
    return _NUMBERING.fullmatch(text, line, heading.name_start) is not None


def _end_of_line(text: str, start: int, end: int) -> int:
    """End of the line of a field; if the heading stands alone, that of the next line."""
    first = next((i for i in range(start, end) if not text[i].isspace()), end)
    line_end = text.find("\n", first, end)
    return end if line_end < 0 else line_end


def plain_layout(text: str) -> PlainText:
    """A text as laid out, where nobody looks for headings."""
    return laid_out(text, lambda _: 0)


def plain_sentences(text: str) -> tuple[PlainText, list[Span]]:
    """A text as of `plain_layout`, and its sentences."""
    plain = plain_layout(text)
    return plain, split_sentences(plain.text)


def split_sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Sentences of ``text[start:end]`` without bullets and surrounding space; offsets point into ``text``.

    >>> [s.of("Heart normal. No effusion") for s in split_sentences("Heart normal. No effusion")]
    ['Heart normal.', 'No effusion']
    """
    end = len(text) if end is None else end
    spans: list[Span] = []
    begin = start
    for match in _END.finditer(text, start, end):
        if not _is_boundary(text, match, begin, end):
            continue
        _append(spans, text, begin, match.end())
        begin = match.end()
    _append(spans, text, begin, end)
    return spans


def _is_boundary(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    if match.group() == "?" and _asks_of_what_follows(text, match, begin, end):
        return False
    return match.group() != "." or _full_stop_ends_sentence(text, match, begin, end)


def _asks_of_what_follows(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    """Return whether a question mark stands before what it doubts: "? nodule", "opacity, ? pneumonia"."""
    following = text[match.end() : end].lstrip(" \t")
    if _ANSWER.match(following) and not _QUESTION.match(text, begin):
        return True
    if text[match.end() : match.end() + 1].isalnum():
        return True
    return not any(c.isalnum() for c in text[begin : match.start()]) or following[:1].islower()


_ANSWER: Final = re.compile(r"(?i)(?:no|none|nil|negative|yes|positive)\s*(?:[.,;]|$)")
"""What answers a question in a word: "Pneumothorax? No."."""

_QUESTION: Final = re.compile(r"(?i)\s*(?:is|are|was|were|does|do|has|have|any|which|what|who|where|when|why|how)\b")
"""Words by which a sentence asks by itself, and asserts nothing."""


def _full_stop_ends_sentence(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    before = text[begin : match.start()]
    words = before.split()
    word = words[-1].lower().lstrip("(") if words else ""
    if word in _ABBREVIATIONS and not (word == "no" and text[match.end() : match.end() + 2].strip()[:1].isupper()):
        return False
    if len(word) == 1 and word.isalpha() and len(words) > 1 and _INITIAL.search(before):
        return False
    glued = match.end() < end and not text[match.end()].isspace()
    if glued and (not word.isalpha() or len(word) < _SHORTEST_LAST_WORD):
        return False
    return not (_NUMBER_BEFORE.search(before) and len(words) == 1)


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    if sentence := strip_bullet(text, start, end):
        spans.append(sentence)


def strip_bullet(text: str, start: int, end: int) -> Span | None:
    """A stretch of text without a bullet and surrounding space; None where no word is left.

    >>> strip_bullet(" - Heart normal. ", 0, 17)
    Span(start=3, end=16)
    """
    while start < end and text[start].isspace():
        start += 1
    if bullet := BULLET.match(text, start, end):
        start = bullet.end()
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if any(c.isalnum() for c in text[start:end]) else None


def sentences_by_section(text: str, sections: Sequence[Section]) -> list[tuple[Section, Span]]:
    """Each compared sentence with its section."""
    return [
        (section, span)
        for section in sections
        if section.role is SectionRole.FINDINGS
        for whole in split_sentences(text, section.start, section.end)
        for span in _split_long_sentence(text, whole)
    ]


def _split_long_sentence(text: str, span: Span) -> Iterator[Span]:
    """A sentence of ordinary length as it is; a longer one in pieces, parted at a comma or else at a space.

    Reading takes time that grows with the square of a sentence and more; no radiologist dictates 1,200 characters
    without a full stop.
    """
    start = span.start
    while span.end - start > _LONGEST_SENTENCE:
        limit = start + _LONGEST_SENTENCE
        cut = max(text.rfind(", ", start + 1, limit), text.rfind(" ", limit - _LONGEST_SENTENCE // 10, limit))
        end = cut + 1 if cut > start else limit
        yield Span(start, end)
        start = end
    yield Span(start, span.end)
