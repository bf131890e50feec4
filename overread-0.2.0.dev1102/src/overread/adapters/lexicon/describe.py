"""The lexicon in words, for reviewers: one entry as a card, and all of it as a Markdown page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from overread.domain.findings.lexicon import Finding, Lexicon, NormalStatement
from overread.domain.reports.patient import ImportanceRule
from overread.domain.vocabulary.severity import Importance

__all__ = ["asks_for", "card", "entry_named", "page", "rule_words", "term_words"]

_FORMS: Final = 5
"""Wordings shown in a row of the page."""

_CHOICES: Final = 3
"""Alternatives for a word shown there."""

_DENIERS: Final = 4
"""Normal statements named in a row of the page."""

_ASKS: Final = {
    Importance.URGENT: "urgent action",
    Importance.ACTIONABLE: "action",
    Importance.FOLLOW_UP: "follow-up",
    Importance.INCIDENTAL: "nothing",
    Importance.EXPECTED: "nothing (expected)",
}
_SEXES: Final = {"F": "in women", "M": "in men"}


def term_words(term: str, limit: int | None = None) -> str:
    """A term as people read it, with at most ``limit`` alternatives for a word.

    >>> term_words("heart|cardiac size? * large|enlarged"), term_words("big|large|huge heart", limit=2)
    ('heart/cardiac (size) … large/enlarged', 'big/large/etc. heart')
    """
    parts = []
    for part in term.split():
        word = part.removesuffix("?") if len(part) > 1 else part
        choices = word.split("|")
        more = ["etc."] if limit is not None and len(choices) > limit else []
        shown = "…" if word == "*" else "/".join([*choices[:limit], *more])
        parts.append(f"({shown})" if word != part else shown)
    return " ".join(parts)


def rule_words(rule: ImportanceRule) -> str:
    """A rule of importance in words.

    >>> rule_words(ImportanceRule(step=-1, reason="usual at this age", age_from=60, sex="F"))
    'a step less, in women, from 60 years (usual at this age)'
    """
    parts = [_ASKS[rule.to] if rule.to is not None else "a step more" if rule.step > 0 else "a step less"]
    if rule.sex:
        parts.append(_SEXES.get(rule.sex, rule.sex))
    if rule.age_from is not None:
        parts.append(f"from {_years(rule.age_from)}")
    if rule.age_below is not None:
        parts.append(f"below {_years(rule.age_below)}")
    if rule.indication:
        parts.append(f"where the indication names {_labels_or(rule.indication)}")
    if rule.beside:
        parts.append(f"beside {_labels_or(rule.beside)}")
    if rule.kinds:
        parts.append("its kinds too" + (f" but {_labels(rule.but_not)}" if rule.but_not else ""))
    return f"{', '.join(parts)} ({rule.reason})"


def _labels_or(labels: Iterable[str]) -> str:
    return " or ".join(label.replace("_", " ") for label in labels)


def _years(age: float) -> str:
    return f"{age:g} year{'' if age == 1 else 's'}"


def asks_for(finding: Finding) -> str:
    """The action that a finding calls for, and the rules that change it, of which the first that fits applies.

    >>> asks_for(Finding(id="a", name="a", category="lung", importance=Importance.URGENT))
    'urgent action'
    """
    return "; ".join([_ASKS[finding.importance], *map(rule_words, finding.when)])


def entry_named(lexicon: Lexicon, text: str) -> str | None:
    """The id of the finding or normal statement that has this id or name."""
    wanted = " ".join(text.lower().split())
    if wanted in lexicon.findings or wanted in lexicon.normals:
        return wanted
    names = (concept for concept in (*lexicon.findings, *lexicon.normals) if lexicon.name(concept).lower() == wanted)
    return next(names, None)


def card(lexicon: Lexicon, concept: str) -> list[tuple[str, str]]:
    """All that the lexicon says of a finding or normal statement: labels with their text, those that have any."""
    if (finding := lexicon.findings.get(concept)) is not None:
        rows = _finding_rows(lexicon, finding)
    else:
        rows = _normal_rows(lexicon, lexicon.normals[concept])
    return [(label, text) for label, text in rows if text]


def _finding_rows(lexicon: Lexicon, finding: Finding) -> Iterator[tuple[str, str]]:
    broader = [up for up in lexicon.ancestors(finding.id) if up not in finding.parents]
    deniers = [normal for normal in lexicon.normals.values() if lexicon.denies(normal.denies, finding.id)]
    yield "name", finding.name
    yield "id", finding.id
    yield "category", finding.category + (" (device)" if finding.device and finding.category != "device" else "")
    yield "kind of", _names(lexicon, finding.parents)
    yield "and so of", _names(lexicon, broader)
    yield "kinds", _names(lexicon, (f.id for f in lexicon.findings.values() if finding.id in f.parents))
    yield "confused with", _names(lexicon, _confusable(lexicon, finding))
    yield "has the signs", _names(lexicon, finding.signs)
    yield "is a sign of", _names(lexicon, (f.id for f in lexicon.findings.values() if finding.id in f.signs))
    yield "asks for", asks_for(finding)
    yield "implies", _labels(finding.anatomy)
    yield (
        "elsewhere",
        "; ".join(f"{_labels([place])}: {lexicon.name(other)} [{other}]" for place, other in finding.sited.items()),
    )
    yield (
        "by its size",
        "; ".join(f"from {least:g} mm: {lexicon.name(other)} [{other}]" for least, other in finding.sized),
    )
    yield "denied by", _names(lexicon, (normal.id for normal in deniers if finding.id in normal.denies))
    yield "denied with a broader finding by", _names(lexicon, (n.id for n in deniers if finding.id not in n.denies))
    yield "worded as", "; ".join(map(term_words, finding.terms))


def _normal_rows(lexicon: Lexicon, normal: NormalStatement) -> Iterator[tuple[str, str]]:
    yield "name", normal.name
    yield "id", normal.id
    yield "category", "normal statement"
    yield "denies", _names(lexicon, normal.denies)
    yield "speaks of", _labels(normal.anatomy)
    yield "worded as", "; ".join(map(term_words, normal.terms))


def _confusable(lexicon: Lexicon, finding: Finding) -> list[str]:
    """Said of either of the two it holds for both."""
    return [other for other in lexicon.findings if lexicon.are_confusable(finding.id, other)]


def _names(lexicon: Lexicon, concepts: Iterable[str]) -> str:
    return "; ".join(f"{lexicon.name(concept)} [{concept}]" for concept in concepts)


def _labels(labels: Iterable[str]) -> str:
    return ", ".join(label.replace("_", " ") for label in labels)


def page(lexicon: Lexicon) -> str:
    """The whole lexicon as a Markdown page, a table for each category."""
    categories = sorted({finding.category for finding in lexicon.findings.values()})
    size = f"{len(lexicon.findings)} findings and {len(lexicon.normals)} normal statements"
    parts = [
        "# Every finding of the lexicon",
        "",
        f"{size}, as `overread lexicon page` prints them. [lexicon.md](lexicon.md) says what the columns mean",
        "and how to change an entry; `overread lexicon show` has all that is known of one.",
        "",
        "In wordings `/` parts alternatives, words in brackets may be missing, and … stands for up to three words.",
        "",
        "## How much is in it",
        "",
        *_table(_SIZE_COLUMNS, _sizes(lexicon, categories)),
    ]
    for category in categories:
        own = [finding for finding in lexicon.findings.values() if finding.category == category]
        parts += ["", f"## {_title(category)}", "", *_table(_FINDING_COLUMNS, (_row(lexicon, f) for f in own))]
    normals = (_normal_row(lexicon, normal) for normal in lexicon.normals.values())
    parts += ["", "## Normal statements", "", *_table(_NORMAL_COLUMNS, normals)]
    return "\n".join(parts)


_SIZE_COLUMNS: Final = ("category", "entries", "of these urgent or actionable", "terms")
_FINDING_COLUMNS: Final = ("finding", "id", "kind of", "asks for", "confused with", "denied by", "worded as")
_NORMAL_COLUMNS: Final = ("statement", "id", "denies", "worded as")


def _sizes(lexicon: Lexicon, categories: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Rows that count the entries of each category, and of the whole lexicon."""
    findings, normals = lexicon.findings.values(), lexicon.normals.values()
    for category in categories:
        yield _size_row(category, [finding for finding in findings if finding.category == category])
    yield "normal statements", str(len(normals)), "", str(sum(len(normal.terms) for normal in normals))
    yield _size_row("**all**", findings, normals)


def _size_row(
    label: str, findings: Collection[Finding], normals: Collection[NormalStatement] = ()
) -> tuple[str, str, str, str]:
    grave = [finding for finding in findings if finding.importance in (Importance.URGENT, Importance.ACTIONABLE)]
    terms = sum(len(finding.terms) for finding in findings) + sum(len(normal.terms) for normal in normals)
    return label, str(len(findings) + len(normals)), str(len(grave)), str(terms)


def _title(category: str) -> str:
    words = category.replace("_", " ")
    return words[:1].upper() + words[1:]


def _row(lexicon: Lexicon, finding: Finding) -> tuple[str, ...]:
    deniers = [normal for normal in lexicon.normals.values() if lexicon.denies(normal.denies, finding.id)]
    # Those that name the finding itself tell more than those that deny much else.
    deniers.sort(key=lambda normal: (finding.id not in normal.denies, len(normal.denies)))
    return (
        finding.name,
        f"`{finding.id}`",
        ", ".join(map(lexicon.name, finding.parents)),
        asks_for(finding),
        ", ".join(map(lexicon.name, _confusable(lexicon, finding))),
        _some([normal.name for normal in deniers], _DENIERS),
        _some([term_words(term, _CHOICES) for term in finding.terms], _FORMS),
    )


def _normal_row(lexicon: Lexicon, normal: NormalStatement) -> tuple[str, ...]:
    return (
        normal.name,
        f"`{normal.id}`",
        ", ".join(map(lexicon.name, normal.denies)),
        _some([term_words(term, _CHOICES) for term in normal.terms], _FORMS),
    )


def _some(texts: Sequence[str], limit: int) -> str:
    more = len(texts) - limit
    return "; ".join(texts[:limit]) + (f"; {more} more" if more > 0 else "")


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
