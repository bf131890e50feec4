"""Loads the lexicon's TOML files into one checked body of knowledge."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, TypeVar

from attrs import evolve, field, frozen

from overread.adapters.lexicon.grammar import Grammar
from overread.adapters.lexicon.groups import with_groups
from overread.adapters.lexicon.indications import IndicationReader, indication_words
from overread.adapters.lexicon.typos import TypoMender
from overread.adapters.lexicon.words import Normaliser, normaliser_from
from overread.application.traits import ExtractorTraits, traits_of
from overread.domain.findings.lexicon import Finding, Lexicon, NormalStatement
from overread.domain.findings.qualities import Kinds, Limit, Parts, Qualities
from overread.domain.reports.patient import ImportanceRule
from overread.domain.reports.report import SectionRole
from overread.domain.vocabulary.patterns import Element, parse_term
from overread.domain.vocabulary.severity import Importance
from overread.exceptions import ConfigurationError

T = TypeVar("T")

__all__ = [
    "AttributeRule",
    "Composition",
    "ContextRule",
    "Knowledge",
    "Region",
    "SectionTitle",
    "StatementRule",
    "knowledge_of",
    "load_knowledge",
    "qualities_from",
]


_LEVELS = ("mild", "moderate", "severe")
_SHIPPED: Final = files("overread.adapters.lexicon") / "data"
_FOLDERS: Final = 8
"""Lexicons that are kept in memory."""

_WORDS: Final = 16_384
"""Words whose normal forms are kept while terms are laid out: the shipped ones hold 9,000 at 140,000 places."""

_INDICATION: Final = "reading/indication.toml"
_COMPOSITION: Final = "reading/composition.toml"

RULES: Final = ("reading/grammar.toml", "reading/qualities.toml", _COMPOSITION, _INDICATION)
"""Files for the rules of reading and comparing, and words of indications, which a folder may leave out."""


@frozen
class AttributeRule:
    """Surface forms of an attribute: ``kind`` is side, zone, organ, severity, modifier, modality or ignored."""

    kind: str
    labels: tuple[str, ...]
    terms: tuple[str, ...] = field(repr=False)


@frozen
class ContextRule:
    """A ConText rule: what a cue says of the findings in its scope, and in which direction.

    Attributes:
        max_scope: words that it reaches at most.
        max_targets: findings that it is said of at most, the nearest ones.
    """

    category: str
    direction: str
    terms: tuple[str, ...] = field(repr=False)
    max_scope: int | None = None
    max_targets: int | None = None


@frozen
class StatementRule:
    """Surface forms of administrative statements of one kind."""

    kind: str
    terms: tuple[str, ...] = field(repr=False)


@frozen
class Composition:
    """Words for a substance or a state, and which finding each place makes of them.

    Attributes:
        places: labels of places, each with the finding that the words are there.
        reach: words at most between the two.
        adjectives: whether an adjective of place does: "gas in the pericardial sac", but not "enlarged hilar nodes".
    """

    terms: tuple[str, ...] = field(repr=False)
    places: Mapping[str, str]
    reach: int
    adjectives: bool


@frozen
class SectionTitle:
    """Headings of one section, what it contributes, and the kind of statement that an unread sentence of it is.

    ``lines`` are regular expressions of lines that are such a section without a heading; a section that has some is
    made of fields, each of one line. ``opening`` are those of lines that open a report and are one. ``own`` is a
    regular expression of words by which a sentence that names a finding belongs in such a section all the same,
    ``begins`` of what a line may begin with before it goes on with findings. A ``complete`` title is the whole
    section: findings follow.
    """

    name: str
    role: SectionRole
    titles: tuple[str, ...]
    kind: str = ""
    lines: tuple[str, ...] = field(default=(), repr=False)
    opening: tuple[str, ...] = field(default=(), repr=False)
    own: str = field(default="", repr=False)
    begins: str = field(default="", repr=False)
    complete: bool = False


@frozen
class Region:
    """A region of the body: the places that lie in it, and words for it in titles of examinations."""

    label: str
    places: frozenset[str]
    terms: tuple[str, ...] = field(repr=False)


@frozen(eq=False)
class Knowledge:
    """Everything the reader knows, with a digest of the files it came from.

    Attributes:
        statements: administrative statements; of a sentence's kinds the first listed is the one that counts.
        technical: findings that are administrative statements themselves, with their kind.
        titles: words that make up titles of examinations; ``title_kind`` is the kind of a title.
        regions: regions of the body, none where the lexicon tells none apart.
    """

    lexicon: Lexicon
    attributes: tuple[AttributeRule, ...] = field(repr=False)
    context: tuple[ContextRule, ...] = field(repr=False)
    compositions: tuple[Composition, ...] = field(repr=False)
    statements: tuple[StatementRule, ...] = field(repr=False)
    technical: Mapping[str, str] = field(repr=False)
    titles: frozenset[str] = field(repr=False)
    title_kind: str
    regions: tuple[Region, ...] = field(repr=False)
    sections: tuple[SectionTitle, ...] = field(repr=False)
    stopwords: Mapping[str, frozenset[str]] = field(repr=False)
    normaliser: Normaliser = field(repr=False)
    grammar: Grammar = field(repr=False)
    elements: Mapping[str, tuple[Element, ...]] = field(repr=False)
    digest: str = ""


@lru_cache(maxsize=_FOLDERS)
def load_knowledge(folder: str | None = None) -> Knowledge:
    """The shipped knowledge, or that of another folder of the same layout.

    Raises:
        ConfigurationError: naming every file and entry that cannot be used.
    """
    root: Traversable = Path(folder) if folder else _SHIPPED
    try:
        sources = dict(_toml_files(root))
        return _build({name: _read(entry) for name, entry in sources.items()}, _digest(sources))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError([f"lexicon {folder or '(shipped)'}: {error}"]) from error


def knowledge_of(reader: object) -> Knowledge:
    """The knowledge that a reader names findings by; the shipped one where it reads with no lexicon."""
    return load_knowledge(traits_of(reader, ExtractorTraits).lexicon_folder)


def _toml_files(root: Traversable) -> Iterator[tuple[str, Traversable]]:
    """The files of a folder, and the shipped ones of `RULES` that it lacks: few who edit findings mean those."""
    for name in RULES:
        if not (root / name).is_file():
            yield name, _SHIPPED / name
    for part in ("findings", "reading"):
        entries = (entry for entry in (root / part).iterdir() if entry.name.endswith(".toml"))
        for entry in sorted(entries, key=lambda e: e.name):
            yield f"{part}/{entry.name}", entry


def _read(entry: Traversable) -> dict[str, Any]:
    try:
        return with_groups(tomllib.loads(entry.read_text(encoding="utf-8")))
    except ValueError as error:
        msg = f"{entry.name}: {error}"
        raise ValueError(msg) from error


def _digest(sources: Mapping[str, Traversable]) -> str:
    digest = hashlib.sha256()
    for name, entry in sorted(sources.items()):
        digest.update(name.encode())
        digest.update(entry.read_bytes())
    return digest.hexdigest()[:8]


def _build(documents: Mapping[str, dict[str, Any]], digest: str) -> Knowledge:
    reading = {name.removeprefix("reading/"): doc for name, doc in documents.items() if name.startswith("reading/")}
    lexicon = Lexicon.of(
        _entries(documents, "finding", _finding),
        _entries(documents, "normal", _normal),
        digest,
        qualities_from(reading["qualities.toml"]),
    )
    normaliser = normaliser_from(reading["spelling.toml"])
    own = reading["sections.toml"].get("own", {})
    titles = reading.get("administrative.toml", {}).get("titles", {"kind": "", "words": []})
    # Reports are read by the words of the other files; those of indications must not mend a report's typing mistakes.
    elements = _parse_terms({name: doc for name, doc in documents.items() if name != _INDICATION}, normaliser)
    asked = {**elements, **_parse_terms({_INDICATION: documents[_INDICATION]}, normaliser)}
    vocabulary = frozenset(word for term in elements.values() for element in term for word in element.alternatives)
    normaliser = evolve(
        normaliser, typos=TypoMender(vocabulary, real=frozenset(reading["spelling.toml"].get("real", ())))
    )
    in_words = indication_words(reading["indication.toml"])
    _named_in_rules(lexicon, in_words.labels)
    lexicon.indications = IndicationReader(lexicon.findings, in_words, normaliser, asked)
    return Knowledge(
        lexicon=lexicon,
        attributes=tuple(_attributes(reading)),
        context=tuple(
            ContextRule(r["category"], r["direction"], tuple(r["terms"]), r.get("max_scope"), r.get("max_targets"))
            for r in reading["context.toml"]["rule"]
        ),
        compositions=tuple(_compositions(reading["composition.toml"], lexicon)),
        statements=tuple(
            StatementRule(entry["kind"], tuple(entry["terms"]))
            for entry in reading.get("administrative.toml", {}).get("statement", [])
        ),
        technical={
            finding: entry["kind"]
            for entry in reading.get("administrative.toml", {}).get("technical", [])
            for finding in entry["findings"]
        },
        titles=frozenset(titles["words"]),
        title_kind=titles["kind"],
        regions=tuple(
            Region(entry["label"], frozenset(entry["places"]), tuple(entry.get("terms", ())))
            for entry in reading["anatomy.toml"].get("region", [])
        ),
        sections=tuple(
            SectionTitle(
                s["name"],
                SectionRole(s["role"]),
                tuple(s["titles"]),
                s.get("kind", ""),
                tuple(s.get("lines", ())),
                tuple(s.get("opening", ())),
                own[s["own"]] if "own" in s else "",
                s.get("begins", ""),
                s.get("complete", False),
            )
            for s in reading["sections.toml"]["section"]
        ),
        stopwords={s["language"]: frozenset(s["words"]) for s in reading["language.toml"]["stopwords"]},
        normaliser=normaliser,
        grammar=Grammar.of(reading["grammar.toml"]),
        elements=elements,
        digest=digest,
    )


def _parse_terms(documents: Mapping[str, dict[str, Any]], normaliser: Normaliser) -> dict[str, tuple[Element, ...]]:
    """The elements of every term. All terms that do not parse are named together, each with its file."""
    problems = []
    parsed: dict[str, tuple[Element, ...]] = {}
    phrase = lru_cache(maxsize=_WORDS)(normaliser.phrase)
    parts: dict[str, tuple[Element, ...]] = {}
    for name, document in documents.items():
        listed = (entry for value in document.values() if isinstance(value, list) for entry in value)
        entries = (entry for entry in listed if isinstance(entry, Mapping))
        for term in (term for entry in entries for term in entry.get("terms", ())):
            try:
                parsed[term] = parse_term(term, phrase, parts)
            except ValueError as error:
                problems.append(f"{name}: {error}")
    if problems:
        raise ValueError("; ".join(problems))
    return parsed


def _entries(documents: Mapping[str, dict[str, Any]], table: str, make: Callable[[Any], T]) -> list[T]:
    """Build the files' entries of a kind; the error for one that cannot be built names it and its file."""
    made = []
    for name, document in documents.items():
        if not name.startswith("findings/"):
            continue
        for number, entry in enumerate(document.get(table, []), start=1):
            try:
                made.append(make(entry))
            except (KeyError, ValueError, TypeError, AttributeError) as error:
                label = entry.get("id") or f"number {number}"
                problem = f"has no {error.args[0]!r}" if isinstance(error, KeyError) else str(error)
                raise ValueError(f"{name}: {table} {label!r}: {problem}") from error
    return made


def _finding(entry: Mapping[str, Any]) -> Finding:
    return Finding(
        id=entry["id"],
        name=entry["name"],
        category=entry["category"],
        parents=_parents(entry),
        confused_with=tuple(entry.get("confused_with", ())),
        signs=tuple(entry.get("signs", ())),
        importance=Importance(entry["importance"]),
        when=tuple(map(_rule, entry.get("when", ()))),
        anatomy=tuple(entry.get("anatomy", ())),
        terms=tuple(entry["terms"]),
        device=entry.get("device", False),
        graver=entry.get("graver", False),
        sited=dict(entry.get("sited", {})),
        homonyms=tuple(entry.get("homonyms", ())),
        sized=tuple(sorted((float(rule["from_mm"]), rule["finding"]) for rule in entry.get("sized", ()))),
    )


def _parents(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """One parent is written as a text, several as a list."""
    parents = entry.get("parent", ())
    return (parents,) if isinstance(parents, str) else tuple(parents)


def _rule(entry: Mapping[str, Any]) -> ImportanceRule:
    conditions = dict(entry)
    to = Importance(conditions.pop("to")) if "to" in conditions else None
    named = {key: conditions.pop(key, []) for key in ("indication", "beside", "but_not")}
    for key, words in named.items():
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ValueError(f"{key!r} of a rule must be a list of names")
    if conditions.get("sex", "F") not in ("F", "M"):
        raise ValueError("the sex of a rule must be F or M")
    if not all(isinstance(conditions.get(key, 0), int | float) for key in ("age_from", "age_below")):
        raise ValueError("the ages of a rule must be numbers")
    conditions |= {key: tuple(words) for key, words in named.items()}
    return ImportanceRule(to=to, **conditions)


def _named_in_rules(lexicon: Lexicon, labels: AbstractSet[str]) -> None:
    unknown = [
        f"{finding.id!r} has a rule where the indication names unknown {name!r}"
        for finding in lexicon.findings.values()
        for rule in finding.when
        for name in rule.indication
        if name not in labels and name not in lexicon.findings
    ]
    if unknown:
        raise ValueError("lexicon: " + "; ".join(unknown))


def _normal(entry: Mapping[str, Any]) -> NormalStatement:
    return NormalStatement(
        id=entry["id"],
        name=entry["name"],
        denies=tuple(entry["denies"]),
        anatomy=tuple(entry.get("anatomy", ())),
        terms=tuple(entry["terms"]),
    )


def qualities_from(table: Mapping[str, Any]) -> Qualities:
    """Meanings of labels, from the table of ``qualities.toml``."""
    opposed = tuple((frozenset(pair["one"]), frozenset(pair["other"])) for pair in table["opposed"])
    leaves_open = {word: frozenset(entry["open"]) for entry in table["leaves_open"] for word in entry["said"]}
    thresholds = {kind: tuple(entry["at_mm"]) for entry in table.get("thresholds", ()) for kind in entry["kinds"]}
    margins = {
        kind: float(entry["margin_mm"])
        for entry in table.get("thresholds", ())
        for kind in entry["kinds"]
        if "margin_mm" in entry
    }
    limits = {
        kind: Limit(entry["unit"], tuple(map(float, entry["at"])), float(entry["margin"]))
        for entry in table.get("limits", ())
        for kind in entry["kinds"]
    }
    kinds = tuple(
        Kinds(
            of=frozenset(entry["of"]),
            graver=frozenset(entry["graver"]),
            milder=frozenset(entry["milder"]),
            telling=entry.get("telling", False),
            told_by=frozenset(entry.get("told_by", ())),
        )
        for entry in table.get("kinds", ())
    )
    parts = tuple(
        Parts(
            tuple(frozenset(place) for place in entry["places"]),
            ordered=entry.get("ordered", False),
            within=entry.get("within", False),
        )
        for entry in table.get("parts", ())
    )
    made = {"parts": parts, "thresholds": thresholds, "margins": margins, "limits": limits, "kinds": kinds}
    return Qualities(**{**table, "opposed": opposed, "leaves_open": leaves_open, **made})


def _attributes(reading: Mapping[str, dict[str, Any]]) -> Iterator[AttributeRule]:
    for name in ("anatomy.toml", "severity.toml", "modifiers.toml", "modality.toml"):
        for entry in reading.get(name, {}).get("ignored", []):
            yield AttributeRule(f"ignored_{name.removesuffix('.toml')}", (), tuple(entry["terms"]))
    for entry in reading["anatomy.toml"]["anatomy"]:
        yield AttributeRule(entry["kind"], _labels(entry), tuple(entry["terms"]))
    for entry in reading["severity.toml"]["severity"]:
        if entry["level"] not in _LEVELS:
            raise ValueError(f"severity.toml: the level must be one of {', '.join(_LEVELS)}, not {entry['level']!r}")
        yield AttributeRule("severity", (entry["level"],), tuple(entry["terms"]))
    for entry in reading["modifiers.toml"]["modifier"]:
        yield AttributeRule("modifier", (entry["label"],), tuple(entry["terms"]))
    for entry in reading.get("modality.toml", {}).get("modality", []):
        yield AttributeRule("modality", _labels(entry), tuple(entry["terms"]))


def _compositions(document: Mapping[str, Any], lexicon: Lexicon) -> Iterator[Composition]:
    """The compositions whose findings the lexicon has: another folder's findings may be fewer."""
    for entry in document["composition"]:
        places = {place: finding for place, finding in entry["places"].items() if finding in lexicon.findings}
        yield Composition(tuple(entry["terms"]), places, entry["reach"], entry["adjectives"])


def _labels(entry: Mapping[str, Any]) -> tuple[str, ...]:
    labels: Iterable[str] = entry.get("labels") or (entry["label"],)
    return tuple(labels)
