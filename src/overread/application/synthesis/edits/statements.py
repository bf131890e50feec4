"""Rules that add, drop or turn round what is stated: findings, denials, doubts, modalities, contradictions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from overread.application.synthesis.edits.attributes import deleted, inserted_before, noun_phrase_start
from overread.application.synthesis.edits.categories import Subset
from overread.application.synthesis.edits.edit import Change, Edit, article
from overread.application.synthesis.edits.reading import Reading
from overread.application.synthesis.edits.wording import exchanges, load_wording, places_of
from overread.application.synthesis.phrases import countable, noun_phrases, plural
from overread.application.synthesis.vocabulary import cased
from overread.domain.report import Span
from overread.domain.severity import Severity
from overread.domain.severity_rules import judge_term
from overread.domain.taxonomy import ErrorType
from overread.domain.unit import ClinicalUnit

__all__ = ["ASSERTED", "DENIED", "contradiction", "description", "modality", "negation", "terminology", "uncertainty"]

ASSERTED: Final = "a denied finding is asserted"
DENIED: Final = "an asserted finding is denied"
"""The two ways to turn a negation round, as an edit explains itself."""

_LONGEST: Final = 18
"""Words of a sentence that is dropped or turned round as a whole: a longer one says more than its finding."""

_DENIAL: Final = re.compile(
    r"(?P<lead>(?:there (?:is|are|has been) no|no|negative for)(?: (?:radiographic )?(?:evidence|sign) of| definite"
    r"| convincing| visible| discrete| obvious| overt| gross)*) (?P<list>[^.:;]+?)(?P<tail>(?: (?:is|are))?(?: \w+ly)? "
    r"(?:seen|identified|noted|present|evident|visualized|demonstrated|appreciated|detected|observed))?(?P<stop>\.?)",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"(?:^|\n)[A-Z][A-Za-z]*[ \t]*\Z")
_HEADED: Final = re.compile(r"\s*[A-Z][A-Za-z ]{3,30}(?::|\n)")
_WORD: Final = re.compile(r"[a-z]{6,}")
_GENERIC: Final = frozenset(
    {"normal", "unremarkable", "visualized", "imaged", "patient", "quality", "abnormality", "diagnostic", "tissues"}
)
_NUMBER: Final = re.compile(r"(?<!\S)\d{1,2}[.)]\s+\Z")
_SINGULAR: Final = ("ss", "is", "us")
_BLANK: Final = re.compile(r"[ \t]+")
_IDLE: Final = frozenset({"technique", "communication", "limitation", "signature"})
_BETWEEN: Final = re.compile(r"\s*,\s*(?:or |and |nor )?|\s+(?:or|and|nor)\s+", re.IGNORECASE)


def description(reading: Reading, subset: Subset, kind: ErrorType | None) -> Iterator[Edit]:
    """A finding left out, made up or taken for another one; a harmless one is a normal statement or a synonym."""
    harmful = subset is Subset.DISCRIMINATION
    if kind is ErrorType.OMISSION:
        yield from _left_out(reading, harmful=harmful)
    elif kind is ErrorType.FABRICATION:
        yield from _made_up(reading, harmful=harmful)
    elif harmful:
        for unit in reading.single():
            yield from _mistaken(reading, unit)
            changes = exchanges(load_wording().opposite["appearance"], reading.text, reading.scope(unit))
            yield from Edit.each(reading.text, changes, "the appearance is another one")
    else:
        for span in reading.sentences:
            changes = exchanges(load_wording().same["appearance"], reading.text, span)
            yield from Edit.each(reading.text, changes, "the appearance is worded differently")


def _left_out(reading: Reading, *, harmful: bool) -> Iterator[Edit]:
    told = "a finding is left out" if harmful else "a statement that says nothing of note is left out"
    for span in reading.sentences:
        units = reading.within(span)
        if len(units) != 1 or len(span.of(reading.text).split()) > _LONGEST or _is_alone(reading.text, span):
            continue
        if _is_plain(reading, units[0]) if harmful else _is_idle(units[0]):
            yield Edit.of(reading.text, [_without(reading.text, span)], told)


def _made_up(reading: Reading, *, harmful: bool) -> Iterator[Edit]:
    words, text = load_wording(), reading.text
    sentences = [s for s in words.harmless if _is_fresh(s, text)]
    if harmful:
        sentences = [s for added in words.finding for s in added.text if _is_free(reading, added.finding)]
    told = "a finding is made up" if harmful else "a statement that says nothing of note is added"
    for sentence in sentences:
        for at in _gaps(reading):
            yield Edit.of(text, [_added(text, at, sentence)], told)


def negation(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A denial asserted or a finding denied; a harmless one denies the same in other words."""
    text = reading.text
    for span in reading.sentences:
        sentence = span.of(text)
        if subset is Subset.ROBUSTNESS:
            yield from Edit.each(
                text, exchanges(load_wording().same["denial"], text, span), "the denial is worded differently"
            )
            continue
        units = reading.within(span)
        if len(sentence.split()) > _LONGEST or not units:
            continue
        # A list that mixes denials with anything else cannot be taken apart by its commas.
        if (match := _DENIAL.fullmatch(sentence)) and all(unit.denies_finding for unit in units):
            for words in _affirmed(match, text, span):
                yield Edit.of(text, [Change(span.start, span.end, words)], ASSERTED)
        elif len(units) == 1 and _is_plain(reading, units[0]) and (phrase := noun_phrase_start(reading, units[0])):
            for words in ("No {}.", "There is no {}.", "No {} is seen."):
                said = cased(words.format(_small(phrase.of(text))), text, span.start, like="No")
                yield Edit.of(text, [Change(span.start, span.end, _stopped(said, sentence))], DENIED)


def uncertainty(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A doubt dropped or raised; a harmless one is worded differently."""
    words, text = load_wording(), reading.text
    if subset is Subset.ROBUSTNESS:
        tables = (words.same["doubt"], words.same["certainty"])
        clinical = [s for s in reading.sentences if any(not unit.administrative for unit in reading.within(s))]
        changes = ([c for span in clinical for c in exchanges(table, text, span)] for table in tables)
        # A denial is hedged only where the report leaves nothing open: real doubts are the better place.
        yield from Edit.each(text, next(filter(None, changes), ()), "the doubt is worded differently")
        return
    for unit in reading.single():
        scope = reading.scope(unit)
        for match in places_of(words.doubt.adjectives, text, scope):
            yield Edit.of(text, [deleted(text, match.start(), match.end())], "a doubt is dropped")
        yield from Edit.each(text, exchanges(words.doubt.removed, text, scope), "a doubt is dropped")
        yield from Edit.each(text, exchanges(words.doubt.raised, text, scope), "a doubt is raised")
        phrase = noun_phrase_start(reading, unit)
        if phrase is not None:
            for doubt in words.doubt.added:
                yield Edit.of(text, [inserted_before(text, phrase.start, doubt)], "a doubt is raised")


def modality(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """Another examination named; a harmless one is the same by another name."""
    words, text = load_wording(), reading.text
    harmful = subset is Subset.DISCRIMINATION
    table = words.wrong["modality"] if harmful else words.same["modality"]
    told = "another examination is named" if harmful else "the examination is named differently"
    for unit in reading.units:
        if unit.modalities:
            yield from Edit.each(text, exchanges(table, text, reading.sentence(unit) or unit.span), told)


def terminology(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A term that is not the right one, or hides what is meant; a harmless one is a synonym."""
    words, text = load_wording(), reading.text
    if subset is Subset.ROBUSTNESS:
        for span in reading.sentences:
            yield from Edit.each(text, exchanges(words.same["term"], text, span), "the term is a synonym")
        return
    for unit in reading.single():
        if (surface := reading.surface(unit)) is not None:
            yield from _broader(reading, unit, surface)
            yield from Edit.each(text, exchanges(words.wrong["term"], text, surface), "the term is another one")


def contradiction(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A statement against one that stands elsewhere; a harmless one only seems to be, or repeats it."""
    harmful = subset is Subset.DISCRIMINATION
    for unit in reading.single():
        name = _name(reading, unit)
        if name and not unit.device and reading.is_actionable(unit):
            told = "a finding is denied that stands elsewhere" if harmful else "others of a finding are denied"
            for sentence in _DENYING if harmful else _NO_OTHER:
                yield from _stated(reading, _gaps(reading), sentence, name, told, harmful=harmful)
    for unit in reading.denied:
        name = _name(reading, unit)
        if name and not unit.place.sides:
            told = "a finding is asserted that is denied elsewhere" if harmful else "a denial is repeated"
            for sentence in _ASSERTING if harmful else _REPEATING:
                # At the end alone: there an impression is, which may repeat or contradict what came before.
                yield from _stated(reading, _gaps(reading)[-1:], sentence, name, told, harmful=harmful)


_DENYING: Final = ("There {be} no {}.", "No {} {be} seen.", "No {}.")
_NO_OTHER: Final = ("No other {}.", "No additional {} {be} seen.")
_ASSERTING: Final = ("There {be} {a}{}.", "{a}{} {be} present.")
_REPEATING: Final = ("Again, no {} {be} seen.", "In summary, there {be} no {}.")


def _name(reading: Reading, unit: ClinicalUnit) -> str:
    """The finding's own words as they stand within a sentence; "" where they are no noun."""
    surface, finding = reading.surface(unit), reading.lexicon.findings.get(unit.canonical_finding)
    name = "" if surface is None else _small(surface.of(reading.text))
    return name if name and finding is not None and _is_named(name, noun_phrases(finding)) else ""


def _stated(
    reading: Reading, places: Iterable[int], sentence: str, name: str, told: str, *, harmful: bool
) -> Iterator[Edit]:
    an = f"{article(name)} " if countable(name.lower()) else ""
    said = sentence.format(name, a=an, be="are" if _is_plural(name) else "is")
    for at in places:
        change = _added(reading.text, at, said[:1].upper() + said[1:])
        yield Edit.of(reading.text, [change], told, Severity.CRITICAL if harmful else None)


def _small(phrase: str) -> str:
    """A phrase as it stands within a sentence; an abbreviation keeps its capitals."""
    return phrase if phrase[1:2].isupper() else phrase[:1].lower() + phrase[1:]


def _is_plural(phrase: str) -> bool:
    return phrase.lower().endswith("s") and not phrase.lower().endswith(_SINGULAR)


def _stopped(words: str, sentence: str) -> str:
    return words if sentence.rstrip().endswith(".") else words.rstrip(".")


def _without(text: str, span: Span) -> Change:
    """A sentence taken out with the white space, bullet or number before it."""
    start, end = span.start, span.end
    if number := _NUMBER.search(text[:start]):
        start = number.start()
    line = text.rfind("\n", 0, start) + 1
    after = _BLANK.match(text, end)
    stop = after.end() if after else end
    if line and text[stop : stop + 1] in ("", "\n") and not any(c.isalpha() for c in text[line:start]):
        return Change(line - 1, end, "")
    if after is not None:
        return Change(start, after.end(), "")
    while start and text[start - 1] == " ":
        start -= 1
    return Change(start, end, "")


def _is_alone(text: str, span: Span) -> bool:
    """Whether nothing but the sentence stands under its heading, or in the report."""
    before, after = _NUMBER.sub("", text[: span.start]).rstrip(), text[span.end :].lstrip(" .")
    headed = not before or before.endswith(":") or bool(_HEADING.search(before))
    return headed and (not after.strip() or after.startswith("\n\n") or bool(_HEADED.match(after)))


def _is_plain(reading: Reading, unit: ClinicalUnit) -> bool:
    """Whether a finding is asserted once, with no word of denial beside it."""
    known = unit.asserts_finding and unit.canonical_finding in reading.lexicon.findings
    return known and reading.is_single(unit) and not reading.is_beside_denial(unit)


def _is_idle(unit: ClinicalUnit) -> bool:
    """Whether a statement says nothing of note: a denial, or how the report came about."""
    return unit.denies_finding or unit.administrative in _IDLE


def _gaps(reading: Reading) -> list[int]:
    """Ends of sentences that hold a clinical unit and end with a full stop: places for another."""
    text = reading.text
    return [
        s.end
        for s in reading.sentences
        if text[s.end - 1 : s.end] == "." and any(not u.administrative for u in reading.within(s))
    ]


def _added(text: str, at: int, sentence: str) -> Change:
    """A sentence put behind another one, on a line of its own where the other has one."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    own_line = "\n" in text and text[at : at + 1] in ("\n", "") and line.count(". ") == 0 and "\n" in text[:at]
    bullet = re.match(r"[-*•] ", line) if own_line else None
    lead = f"\n{bullet[0] if bullet else ''}" if own_line else " "
    return Change(at, at, lead + cased(sentence, text, at, like="S"))


def _is_free(reading: Reading, finding: str) -> bool:
    """Whether the report neither asserts nor denies a finding, a kind of it or a broader one."""
    lexicon = reading.lexicon
    return not any(
        lexicon.is_kind_of(unit.canonical_finding, finding)
        or lexicon.is_kind_of(finding, unit.canonical_finding)
        or lexicon.denies(unit.denies, finding)
        for unit in reading.units
        if unit.canonical_finding
    )


def _is_fresh(sentence: str, text: str) -> bool:
    """Whether the report speaks of nothing that a sentence is about."""
    said = text.lower()
    return not any(word in said for word in _WORD.findall(sentence.lower()) if word not in _GENERIC)


def _is_named(surface: str, names: Iterable[str]) -> bool:
    """Whether words end in the noun of one of the names: "lungs are clear" names nothing."""
    last = surface.lower().split()[-1]
    nouns = {name.split()[-1] for name in names}
    return last in nouns or last in {plural(noun) for noun in nouns}


def _mistaken(reading: Reading, unit: ClinicalUnit) -> Iterator[Edit]:
    """A finding called by the name of one it is confused with."""
    surface, lexicon, text = reading.surface(unit), reading.lexicon, reading.text
    own = lexicon.findings[unit.canonical_finding]
    if surface is None or unit.device or not _is_named(surface.of(text), noun_phrases(own)):
        return
    for other in lexicon.findings.values():
        if lexicon.are_confusable(unit.canonical_finding, other.id):
            for name in noun_phrases(other)[:2]:
                yield _called(text, surface, name, "a finding is taken for another")


def _broader(reading: Reading, unit: ClinicalUnit, surface: Span) -> Iterator[Edit]:
    """A broader term, where it hides what the finding asks for."""
    lexicon = reading.lexicon
    if not _is_named(surface.of(reading.text), noun_phrases(lexicon.findings[unit.canonical_finding])):
        return
    for parent in lexicon.ancestors(unit.canonical_finding)[:2]:
        broad = ClinicalUnit(span_text="", start=0, end=0, canonical_finding=parent)
        if judge_term(unit, broad, lexicon, broader=True).severity.counts_as_significant:
            for name in noun_phrases(lexicon.findings[parent])[:1]:
                yield _called(reading.text, surface, name, "a broader term hides the finding")


def _called(text: str, surface: Span, name: str, explanation: str) -> Edit:
    old = surface.of(text)
    said = plural(name) if _is_plural(old) and plural(name) else name
    return Edit.of(text, [Change(surface.start, surface.end, cased(said, text, surface.start, like=old))], explanation)


def _affirmed(match: re.Match[str], text: str, span: Span) -> Iterator[str]:
    """One item of a list of denials asserted, the others denied still."""
    items = _BETWEEN.split(match["list"])
    for index, item in enumerate(items):
        rest = [other for i, other in enumerate(items) if i != index]
        several = _is_plural(item)
        verb, an = "are" if several else "is", f"{article(item)} " if countable(item.lower()) and not several else ""
        said = [f"There {verb} {an}{_small(item)}{match['stop']}"]
        if rest:
            listed = " or ".join(rest) if len(rest) < 3 else f"{', '.join(rest[:-1])} or {rest[-1]}"  # noqa: PLR2004
            said = [
                f"There {verb} {an}{_small(item)}.",
                f"{match['lead']} {listed}{match['tail'] or ''}{match['stop']}",
            ]
        yield cased(" ".join(said), text, span.start, like="There")
