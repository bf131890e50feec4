"""The surface: a draft written out in a style, with the spelling, abbreviations and slips of whoever dictates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Final

from attrs import frozen

from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.invented.drafts import Assertion, Denial, Draft, Normality, Statement
from overread.studies.application.synthesis.invented.grammar import FindingForms, Grammar
from overread.studies.application.synthesis.invented.rewording import load_rewording
from overread.studies.application.synthesis.phrases import telegraphic
from overread.studies.application.synthesis.vocabulary import any_of, load_vocabulary

__all__ = ["STYLES", "Habits", "Style", "write"]


class Style(StrEnum):
    """Layout of a report.

    Prose is one paragraph of whole sentences. Telegraphic drops the verbs, headed has sections, bullets one line per
    statement, lower neither capitals nor full stops, upper only capitals. Mixed is any of them, often another for a
    candidate than for its reference.
    """

    PROSE = "prose"
    TELEGRAPHIC = "telegraphic"
    HEADED = "headed"
    BULLETS = "bullets"
    LOWER = "lower"
    UPPER = "upper"
    MIXED = "mixed"


STYLES: Final = {
    Style.PROSE: 30,
    Style.TELEGRAPHIC: 20,
    Style.HEADED: 22,
    Style.BULLETS: 12,
    Style.LOWER: 9,
    Style.UPPER: 7,
}
"""How often each style is drawn for a mixed set."""


@frozen(kw_only=True)
class Habits:
    """Tendencies of the writer of one report.

    Attributes:
        british: whether the spelling is British.
        abbreviates, slips, varies: share of the words that could be abbreviated, mistyped or replaced by a synonym
            and are.
        joins: share of neighbouring denials, and of findings, that share a sentence.
        merges: share of findings in a sentence with a denial, and of normal statements in one with another.
    """

    british: bool = False
    abbreviates: float = 0.0
    slips: float = 0.0
    varies: float = 0.0
    joins: float = 0.0
    merges: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Habits that show."""
        shares = {
            "british": self.british,
            "abbreviations": self.abbreviates,
            "slips": self.slips,
            "synonyms": self.varies,
            "joined": self.joins,
            "merged": self.merges,
        }
        return tuple(name for name, share in shares.items() if share)


_FINITE: Final = re.compile(r"\b(?:is|are|show|shows)\b")
_AFTER_STOP: Final = re.compile(r"(?<=\.)\s+(?=[A-Z_])")
_MOST_JOINED: Final = 4
_NEGATIVE: Final = ("No ", "Negative ", "Without ", "There is no ", "There are no ", "Free of ", "Nothing ")


def write(draft: Draft, style: Style, habits: Habits, grammar: Grammar, draws: Draws) -> str:
    """A draft as the text of a report.

    Args:
        draft: what to say.
        style: any but mixed.
        habits: of the writer.
        grammar: the sentences.
        draws: the choices.
    """
    opening, aside, closing = (draft.fillers_at(place, grammar) for place in ("start", "body", "end"))
    body = [*_join_sentences(draft, habits, grammar, draws), *aside]
    summary = [draft.sentence(item, grammar) for item in draft.impression] if draft.sectioned else []
    dictated = partial(_apply_habits, habits=habits, draws=draws)
    findings, impression, opening, closing = (list(map(dictated, part)) for part in (body, summary, opening, closing))
    lay_out = _LAYOUTS[style]
    return lay_out(opening, findings, impression, closing, draws)


# ---------------------------------------------------------------- sentences


def _join_sentences(draft: Draft, habits: Habits, grammar: Grammar, draws: Draws) -> Iterator[str]:
    """The body's sentences; some neighbours share one."""
    left = list(draft.body)
    while left:
        run = _run_of_denials(left, grammar) if draws.chance(habits.joins) else []
        if len(run) > 1:
            nouns = [_noun(grammar.findings[s.finding], draws) for s in run]
            last = draws.pick((" or ", ", or ")) if len(nouns) > 2 else " or "  # noqa: PLR2004 - a list of two
            yield _list_denials(draws.pick(grammar.lists), nouns, last)
            del left[: len(run)]
            continue
        if len(left) > 1 and draws.chance(habits.joins) and (pair := _pair(draft, left[0], left[1], grammar, draws)):
            yield pair
            del left[:2]
            continue
        if habits.merges and len(left) > 1 and draws.chance(habits.merges):
            merged = _merge_pair(draft, left[0], left[1], grammar, draws)
            if merged:
                yield merged
                del left[:2]
                continue
        yield draft.sentence(left.pop(0), grammar)


def _list_denials(template: str, nouns: Sequence[str], last: str) -> str:
    """Several denials in one sentence.

    >>> _list_denials("Neither {nor} is seen.", ["effusion", "edema"], " or ")
    'Neither effusion nor edema is seen.'
    >>> _list_denials("{none}.", ["mass", "edema"], " or ")
    'No mass and no edema.'
    """
    front, end = ", ".join(nouns[:-1]), nouns[-1]
    sentence = template.format(
        front + last + end,
        nor=" nor ".join(nouns),
        all=f"{front} and {end}",
        none=f"{', '.join(f'no {noun}' for noun in nouns[:-1])} and no {end}",
    )
    return sentence[:1].upper() + sentence[1:]


def _merge_pair(draft: Draft, first: Statement, second: Statement, grammar: Grammar, draws: Draws) -> str:
    """A finding with the denial that follows it, or two normal statements, in one sentence; else nothing."""
    words = load_rewording()
    start = draft.sentence(first, grammar).rstrip(".")
    if isinstance(first, Assertion) and isinstance(second, Denial) and grammar.findings[second.finding].noun:
        if not grammar.findings[first.finding].change or first.hedge or first.change:
            return ""
        return start + draws.pick(words.linked).format(_noun(grammar.findings[second.finding], draws)) + "."
    if isinstance(first, Normality) and isinstance(second, Normality):
        then = draft.sentence(second, grammar)
        if ":" in start + then or start.startswith(_NEGATIVE) or then.startswith(_NEGATIVE):
            return ""
        return start + draws.pick(words.joined) + _lower_first(then)
    return ""


def _noun(forms: FindingForms, draws: Draws) -> str:
    return draws.pick(forms.nouns) if forms.nouns else forms.noun


def _run_of_denials(left: Sequence[Statement], grammar: Grammar) -> list[Denial]:
    run: list[Denial] = []
    for statement in left[:_MOST_JOINED]:
        if not isinstance(statement, Denial) or not grammar.findings[statement.finding].noun:
            break
        run.append(statement)
    return run


def _pair(draft: Draft, first: Statement, second: Statement, grammar: Grammar, draws: Draws) -> str:
    """Two findings in one sentence, where no word of the one could be read of the other; else nothing."""
    if not isinstance(first, Assertion) or not isinstance(second, Assertion):
        return ""
    if first.hedge or second.hedge or first.change or second.change:
        return ""
    leaks = (first.side and not second.side) or (first.grade and not second.grade) or first.size or second.size
    phrases = [telegraphic(draft.sentence(s, grammar)).rstrip(".") for s in (first, second)]
    if leaks or any(_FINITE.search(p) or " with " in p or " to the " in p for p in phrases):
        return ""
    if not all(grammar.findings[s.finding].change for s in (first, second)):
        return ""
    link = draws.pick((" with ", " and "))
    return f"{phrases[0]}{link}{_lower_first(phrases[1])}."


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _apply_habits(sentence: str, habits: Habits, draws: Draws) -> str:
    words = load_vocabulary()
    for table, share in (
        (words.synonyms, habits.varies),
        (words.abbreviations, habits.abbreviates),
        (words.british, float(habits.british)),
        (words.slips, habits.slips),
    ):
        sentence = _replace(sentence, table, share, draws) if share else sentence
    return sentence


def _replace(sentence: str, table: Mapping[str, Sequence[str]], share: float, draws: Draws) -> str:
    def other(match: re.Match[str]) -> str:
        word = match[0]
        if not draws.chance(share):
            return word
        new = draws.pick(table[word.lower()])
        return new[:1].upper() + new[1:] if word[:1].isupper() else new

    return any_of(tuple(table)).sub(other, sentence)


# ---------------------------------------------------------------- layouts

_Layout = Callable[[list[str], list[str], list[str], list[str], Draws], str]
"""Opening fillers, findings, impression, closing fillers and the choices, to the report."""


def _prose(opening: list[str], findings: list[str], impression: list[str], closing: list[str], _draws: Draws) -> str:
    return " ".join([*opening, *findings, *impression, *closing])


def _telegraphic(
    opening: list[str], findings: list[str], impression: list[str], closing: list[str], draws: Draws
) -> str:
    parts = [*opening, *map(telegraphic, findings)]
    ends = [*map(telegraphic, impression), *closing]
    if impression:
        ends[0] = f"Impression: {ends[0]}"
    return draws.pick((" ", "\n")).join([*parts, *ends])


def _sections(opening: list[str], findings: list[str], impression: list[str], closing: list[str], draws: Draws) -> str:
    wanted = draws.shuffled(load_vocabulary().lines) if draws.chance(0.5) else ()
    headings = set(wanted[: draws.between(1, len(wanted))]) if wanted else set()
    above = [
        f"{heading}: {draws.pick(texts)}." for heading, texts in load_vocabulary().lines.items() if heading in headings
    ]
    gap = draws.pick(("\n\n", "\n", " "))
    ends = _number_sentences(impression) if draws.chance(0.4) else " ".join(impression)
    sections = ["FINDINGS: " + " ".join([*opening, *findings])]
    sections += ["IMPRESSION: " + ends] if impression else []
    sections[-1] = " ".join([sections[-1], *closing])
    return gap.join([*above, *sections])


def _number_sentences(sentences: Iterable[str]) -> str:
    return " ".join(f"{number}. {sentence}" for number, sentence in enumerate(sentences, start=1))


def _bullets(opening: list[str], findings: list[str], impression: list[str], closing: list[str], draws: Draws) -> str:
    short = draws.chance(0.6)
    mark = draws.pick(("- ", "* ", ""))
    stop = draws.chance(0.5)

    def line(number: int, sentence: str) -> str:
        text = telegraphic(sentence) if short else sentence
        return (mark or f"{number}. ") + (text if stop else text.removesuffix("."))

    lines = [*opening, *(line(number, s) for number, s in enumerate(findings, start=1))]
    if impression:
        lines += ["Impression:", *(line(number, s) for number, s in enumerate(impression, start=1))]
    return "\n".join([*lines, *closing])


def _lower(opening: list[str], findings: list[str], impression: list[str], closing: list[str], draws: Draws) -> str:
    sentences = [*opening, *findings, *impression, *closing]
    form = draws.pick(("run-on", "lines", "stops"))
    if form == "stops":
        return " ".join(map(telegraphic, sentences)).lower()
    if form == "lines":
        return "\n".join(telegraphic(s).removesuffix(".") for s in sentences).lower()
    # Without stops only whole sentences tell where the next one starts.
    return " ".join(s.removesuffix(".") for s in sentences).lower()


def _upper(opening: list[str], findings: list[str], impression: list[str], closing: list[str], draws: Draws) -> str:
    lay_out = draws.pick((_prose, _telegraphic, _sections))
    return lay_out(opening, findings, impression, closing, draws).upper()


_LAYOUTS: Final[Mapping[Style, _Layout]] = {
    Style.PROSE: _prose,
    Style.TELEGRAPHIC: _telegraphic,
    Style.HEADED: _sections,
    Style.BULLETS: _bullets,
    Style.LOWER: _lower,
    Style.UPPER: _upper,
}
