"""Checks a lexicon folder: against the schema, and for what no schema can tell.

The loader stops at what it cannot use; this names everything at once, with the wordings of one diagnosis that are read
as another, and warns of what is merely odd: a wording that a broader finding reads, a statement that denies nothing.
"""

from __future__ import annotations

import difflib
import itertools
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from attrs import define, field, frozen
from jsonschema import Draft202012Validator, ValidationError

from overread.adapters.lexicon.groups import with_groups
from overread.adapters.lexicon.loader import Knowledge, load_knowledge
from overread.adapters.lexicon.shadows import shadows
from overread.adapters.lexicon.words import Normaliser, normaliser_from
from overread.domain.vocabulary.patterns import Element, expand, parse_term
from overread.exceptions import ConfigurationError

__all__ = ["ERROR", "WARNING", "Problem", "check_lexicon", "schema"]

ERROR: Final = "error"
"""Level of what cannot be used, and of a diagnosis that is read as another."""

WARNING: Final = "warning"
"""Level of what can be used, but hardly as meant."""

_PARTS: Final = ("findings", "reading")
_SPELLING: Final = "reading/spelling.toml"
_ANATOMY: Final = "reading/anatomy.toml"
_INDICATION: Final = "reading/indication.toml"
_DESCRIBING: Final = ("zone", "organ")
"""Kinds of attributes that say what a finding is though they stand among its own words, see ``sited``."""

_LABELS: Final = ("id", "name", "label", "labels", "level", "language", "to")
_SHOWN: Final = 3
_TYPES: Final = {
    "array": "a list",
    "string": "a text",
    "object": "a table",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
}
_ATTRIBUTE_FILES: Final = ("anatomy", "severity", "modifiers", "modality")
"""Files whose terms are matched together, in the order in which the reader takes them."""


@frozen
class Problem:
    """A problem with an entry of a file; ``entry`` is "" for the file itself."""

    level: str
    file: str
    entry: str
    message: str


@frozen(order=True)
class _Place:
    """An entry of a file: the table it stands in, and its number there from 0."""

    file: str
    table: str
    index: int


@define(eq=False)
class _Folder:
    """The parsed files of a folder, and the entries that the schema has nothing against."""

    documents: Mapping[str, dict[str, Any]]
    spoilt: frozenset[_Place] = frozenset()
    _normaliser: Normaliser | None = field(default=None, init=False)

    @property
    def normaliser(self) -> Normaliser:
        """Spelling of this folder; none where its file cannot be used."""
        if self._normaliser is None:
            is_usable = not any(place.file == _SPELLING for place in self.spoilt)
            self._normaliser = normaliser_from(self.documents.get(_SPELLING, {}) if is_usable else {})
        return self._normaliser

    def entries(self, table: str, *names: str) -> Iterator[tuple[_Place, dict[str, Any]]]:
        """Sound entries of a kind, in file order, in files of a name or in all."""
        for file, document in self.documents.items():
            if names and file not in names:
                continue
            listed = document.get(table, [])
            for index, entry in enumerate(listed if isinstance(listed, list) else []):
                place = _Place(file, table, index)
                if place not in self.spoilt:
                    yield place, entry

    def every_id(self, table: str) -> list[tuple[_Place, str]]:
        """Ids of a kind of entry, of spoilt ones too: what names a spoilt entry does not dangle."""
        return [
            (_Place(file, table, index), entry["id"])
            for file, document in self.documents.items()
            for index, entry in enumerate(document.get(table, []) if isinstance(document.get(table), list) else [])
            if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)
        ]

    def label(self, place: _Place) -> str:
        """The name of an entry in messages."""
        entry = self.documents[place.file][place.table][place.index]
        named = next((entry[key] for key in _LABELS if key in entry), "") if isinstance(entry, Mapping) else ""
        text = " + ".join(map(str, named)) if isinstance(named, list) else str(named)
        if place.table in {"finding", "normal"} and text:
            return text
        return f"{place.table} {place.index + 1}" + (f" ({text})" if text else "")


def schema() -> dict[str, Any]:
    """The JSON Schema of a whole folder: an object of its files, each by its path."""
    text = (files("overread.adapters.lexicon") / "data" / "schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def check_lexicon(folder: str | None = None) -> list[Problem]:
    """Everything wrong or odd in the shipped lexicon or a folder of one's own, errors first.

    Raises:
        ConfigurationError: if the folder holds no lexicon.
    """
    root: Traversable = Path(folder) if folder else files("overread.adapters.lexicon") / "data"
    missing = [part for part in _PARTS if not (root / part).is_dir()]
    if missing:
        raise ConfigurationError([f"lexicon {folder or '(shipped)'}: has no folder {part!r}" for part in missing])
    documents, problems = _parse_documents(root)
    faults = dict.fromkeys(_schema_problems(_Folder(documents), unread={problem.file for problem in problems}))
    read = _Folder(documents, frozenset(place for place, _ in faults if place is not None))
    problems += [problem for _, problem in faults]
    for check in (
        _repeated_ids,
        _dangling,
        _circular,
        _relatives,
        _pointless,
        _unknown_circumstances,
        _unknown_places,
        _terms,
        _double_cues,
    ):
        problems += check(read)
    problems = list(dict.fromkeys(problems))
    if not any(problem.level == ERROR for problem in problems):
        problems += _loading_problems(folder, read)
    return sorted(problems, key=lambda problem: (problem.level != ERROR, problem.file))


def _parse_documents(root: Traversable) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    documents, problems = {}, []
    for part in _PARTS:
        entries = (entry for entry in (root / part).iterdir() if entry.name.endswith(".toml"))
        for entry in sorted(entries, key=lambda e: e.name):
            name = f"{part}/{entry.name}"
            try:
                documents[name] = with_groups(tomllib.loads(entry.read_text(encoding="utf-8")))
            except (OSError, ValueError) as error:
                problems.append(Problem(ERROR, name, "", f"cannot be read: {error}"))
    return documents, problems


def _loading_problems(root: str | None, folder: _Folder) -> Iterator[Problem]:
    """Problems that the loader reports in a folder without any others, or else those in how it is then read."""
    try:
        knowledge = load_knowledge.__wrapped__(root)
    except ConfigurationError as error:
        yield from (Problem(ERROR, "", "", problem) for problem in error.problems)
    else:
        yield from _shadowed_wordings(knowledge, folder)


def _shadowed_wordings(knowledge: Knowledge, folder: _Folder) -> Iterator[Problem]:
    """Wordings of a finding or normal statement that are read as another; a swapped diagnosis is an error."""
    places = {term: rule.labels for rule in knowledge.attributes if rule.kind in _DESCRIBING for term in rule.terms}
    regions = [region.label for region in knowledge.regions]
    files = {name: place for table in ("finding", "normal") for place, name in folder.every_id(table)}
    for shadow in shadows(knowledge.lexicon, places, regions, knowledge.elements, knowledge.normaliser):
        reader = _label_and_file(folder, files[shadow.reader])
        if shadow.is_whole:
            message = f"{_some([shadow.term])} never read as this, but as {reader}"
        else:
            message = f"{_some(shadow.wordings)} read as {reader}"
        level = ERROR if shadow.is_swap else WARNING
        yield Problem(level, files[shadow.owner].file, shadow.owner, message)


def _schema_problems(folder: _Folder, unread: set[str]) -> Iterator[tuple[_Place | None, Problem]]:
    """Violations of the schema by the files, each with the entry it stands in, if any."""
    validator: Any = Draft202012Validator(schema())
    for error in validator.iter_errors(dict(folder.documents)):
        path = list(error.absolute_path)
        if not path:
            for file, message in _misplaced_files(error):
                if file not in unread:
                    yield None, Problem(ERROR, file, "", message)
            continue
        file, table, index, *rest = [*path, None, None, None][: max(len(path), 3)]
        if isinstance(index, int):
            place = _Place(file, table, index)
            yield place, Problem(ERROR, file, folder.label(place), _complaint(error, rest))
        else:
            spoilt = _Place(file, str(table or ""), 0)
            yield spoilt, Problem(ERROR, file, str(table or ""), _complaint(error, [part for part in [index] if part]))


def _misplaced_files(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Files that are missing or that nothing reads."""
    if error.validator == "required":
        for name in error.validator_value:
            if name not in error.instance:
                yield name, "is missing"
    else:
        known = set(error.schema["properties"])
        for name in error.instance:
            if name not in known and not name.startswith("findings/"):
                yield name, f"is a file that nothing reads; the reading files are {', '.join(sorted(known))}"


def _complaint(error: ValidationError, path: Sequence[object]) -> str:
    """The fault, in words that need no knowledge of schemas."""
    where = " ".join(f"number {part + 1}" if isinstance(part, int) else repr(part) for part in path)
    return (f"{where}: " if where else "") + _fault(error)


def _fault(error: ValidationError) -> str:
    wanted, given = error.validator_value, error.instance
    match error.validator:
        case "additionalProperties":
            known = list(error.schema.get("properties", {}))
            fault = "; ".join(_unknown(key, known) for key in given if key not in known)
        case "required":
            fault = "has no " + ", ".join(repr(key) for key in wanted if key not in given)
        case "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            fault = f"must be {' or '.join(_TYPES[name] for name in names)}{_hint(error)}"
        case "enum":
            fault = f"{given!r} is not one of {', '.join(map(str, wanted))}"
        case "oneOf":
            either = " or ".join(repr(choice["required"][0]) for choice in wanted)
            fault = f"needs {either}, and not both"
        case "oneOf" if all(list(choice) == ["required"] for choice in wanted):
            fault = "needs one of " + ", ".join(repr(key) for choice in wanted for key in choice["required"])
        case "minProperties":
            fault = "states no condition (age_from, age_below, sex, indication or beside)"
        case "uniqueItems":
            twice = sorted({str(item) for item in given if given.count(item) > 1})
            fault = f"lists {', '.join(map(repr, twice))} twice"
        case _:
            fault = f"{given!r} does not fit{_hint(error)}" if given else f"is empty{_hint(error)}"
    return fault


def _unknown(key: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"unknown key {key!r}; " + (f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}")


def _hint(error: ValidationError) -> str:
    description = error.schema.get("description", "") if isinstance(error.schema, Mapping) else ""
    return f" ({description.rstrip('.')})" if description else ""


def _repeated_ids(folder: _Folder) -> Iterator[Problem]:
    first: dict[str, _Place] = {}
    for table in ("finding", "normal"):
        for place, name in folder.every_id(table):
            if name in first:
                taken = first[name]
                yield Problem(ERROR, place.file, name, f"the id is taken by a {taken.table} in {taken.file}")
            first.setdefault(name, place)


def _named_by(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each finding an entry names, and what it says of it."""
    yield from (("has the parent", parent) for parent in _parents(entry))
    yield from (("is confused with", other) for other in entry.get("confused_with", ()))
    yield from (("has the sign", other) for other in entry.get("signs", ()))
    yield from (("denies", other) for other in entry.get("denies", ()))
    yield from (("lists", other) for other in entry.get("findings", ()))
    for rule in entry.get("when", ()):
        yield from (("has a rule beside", other) for other in rule.get("beside", ()))
        yield from (("has a rule but not for", other) for other in rule.get("but_not", ()))
    yield from ((f"is, at {place!r},", other) for place, other in entry.get("sited", {}).items())
    yield from ((f"is, from {rule['from_mm']} mm on,", rule["finding"]) for rule in entry.get("sized", ()))


def _parents(entry: Mapping[str, Any]) -> tuple[str, ...]:
    parents = entry.get("parent", ())
    return (parents,) if isinstance(parents, str) else tuple(parents)


def _dangling(folder: _Folder) -> Iterator[Problem]:
    known = {name for _, name in folder.every_id("finding")}
    for table in ("finding", "normal", "technical", "question"):
        for place, entry in folder.entries(table):
            for relation, other in _named_by(entry):
                if other not in known:
                    near = difflib.get_close_matches(other, known, n=1, cutoff=0.8)
                    meant = f"; did you mean {near[0]!r}?" if near else ""
                    unknown = f"{relation} {other!r}, which is not a finding{meant}"
                    yield Problem(ERROR, place.file, folder.label(place), unknown)


@frozen
class _Climb:
    """A finding's place and entry, and all that is broader."""

    place: _Place
    entry: Mapping[str, Any]
    broader: frozenset[str]


_Climbs = Mapping[str, _Climb]


def _climbs(folder: _Folder) -> _Climbs:
    entries = {entry["id"]: (place, entry) for place, entry in folder.entries("finding")}
    climbs = {}
    for name, (place, entry) in entries.items():
        broader: set[str] = set()
        level = set(_parents(entry))
        while level:
            broader |= level
            level = {up for below in level if below in entries for up in _parents(entries[below][1])} - broader
        climbs[name] = _Climb(place, entry, frozenset(broader))
    return climbs


def _circular(folder: _Folder) -> Iterator[Problem]:
    """One problem for each circle, with its first entry."""
    climbs = _climbs(folder)
    reported: set[str] = set()
    for name, climb in climbs.items():
        if name in climb.broader and name not in reported:
            circle = [other for other in climbs if other in climb.broader and name in climbs[other].broader]
            reported.update(circle)
            yield Problem(ERROR, climb.place.file, name, f"is broader than itself: a cycle of {', '.join(circle)}")


def _relatives(folder: _Folder) -> Iterator[Problem]:
    """Findings said to be taken for a relative: a broader finding for a narrower is no confusion."""
    climbs = _climbs(folder)
    for name, climb in climbs.items():
        for other in climb.entry.get("confused_with", ()):
            if other == name:
                yield Problem(WARNING, climb.place.file, name, "is confused with itself")
            elif other in climb.broader:
                yield Problem(WARNING, climb.place.file, name, f"is confused with {other!r}, of which it is a kind")
            elif other in climbs and name in climbs[other].broader:
                yield Problem(WARNING, climb.place.file, name, f"is confused with {other!r}, which is a kind of it")


def _pointless(folder: _Folder) -> Iterator[Problem]:
    """Normal statements that deny nothing, and rules that can never decide."""
    for place, entry in folder.entries("normal"):
        if not entry["denies"]:
            yield Problem(WARNING, place.file, entry["id"], "denies nothing")
    for place, entry in folder.entries("finding"):
        for number, rule in enumerate(entry.get("when", ()), start=1):
            if rule.get("age_from", 0) >= rule.get("age_below", float("inf")):
                yield Problem(WARNING, place.file, entry["id"], f"'when' number {number} matches no age")


def _unknown_circumstances(folder: _Folder) -> Iterator[Problem]:
    """Rules that ask for what no indication can name: neither a circumstance nor a finding."""
    circumstances = folder.entries("circumstance") if _INDICATION in folder.documents else _shipped_circumstances()
    labels = {entry["label"] for _, entry in circumstances}
    known = labels | {name for _, name in folder.every_id("finding")}
    for place, entry in folder.entries("finding"):
        for number, rule in enumerate(entry.get("when", ()), start=1):
            for name in rule.get("indication", ()):
                if name not in known:
                    near = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
                    meant = f"; did you mean {near[0]!r}?" if near else ""
                    kind = f"neither a finding nor a circumstance{meant}"
                    message = f"'when' number {number} asks for {name!r}, which is {kind}"
                    yield Problem(ERROR, place.file, entry["id"], message)


def _shipped_circumstances() -> Iterator[tuple[_Place, dict[str, Any]]]:
    """Those that a folder without a file of indications is read with."""
    document = tomllib.loads((files("overread.adapters.lexicon") / "data" / _INDICATION).read_text(encoding="utf-8"))
    return _Folder({_INDICATION: document}).entries("circumstance")


def _unknown_places(folder: _Folder) -> Iterator[Problem]:
    places = {
        label for _, entry in folder.entries("anatomy", _ANATOMY) for label in entry.get("labels", [entry.get("label")])
    }
    words = {entry.get("label") for _, entry in folder.entries("modifier")}
    words |= {entry.get("label") for _, entry in folder.entries("region")}
    for place, entry in folder.entries("region"):
        for label in entry["places"]:
            if label not in places:
                message = f"the place {label!r} is in no entry of anatomy.toml"
                yield Problem(WARNING, place.file, folder.label(place), message)
    for table in ("finding", "normal"):
        for place, entry in folder.entries(table):
            unknown = [label for label in entry.get("anatomy", ()) if label not in places]
            unknown += [label for label in entry.get("sited", ()) if label not in places | words]
            for label in unknown:
                message = f"the place {label!r} is in no entry of anatomy.toml"
                yield Problem(WARNING, place.file, entry["id"], message)


def _terms(folder: _Folder) -> Iterator[Problem]:
    """Terms that cannot be parsed, that two entries claim, or that no report can hold."""
    targets = [*folder.entries("finding"), *folder.entries("normal")]
    yield from _matched_together(folder, targets, rivals=False)
    attributes: list[tuple[_Place, dict[str, Any]]] = []
    names = [f"reading/{name}.toml" for name in _ATTRIBUTE_FILES]
    for name in names:
        attributes += folder.entries("ignored", name)
    for table, name in zip(("anatomy", "severity", "modifier", "modality"), names, strict=True):
        attributes += folder.entries(table, name)
    yield from _matched_together(folder, attributes)
    yield from _matched_together(folder, list(folder.entries("statement")))
    yield from _matched_together(folder, list(folder.entries("rule")), rivals=False)
    for table in ("cue", "circumstance", "question"):
        yield from _matched_together(folder, list(folder.entries(table)), rivals=False)


def _matched_together(
    folder: _Folder, entries: Iterable[tuple[_Place, dict[str, Any]]], *, rivals: bool = True
) -> Iterator[Problem]:
    """Problems of terms that one matcher holds: of equal wordings it keeps the first."""
    readers: dict[tuple[str, ...], _Place] = {}
    parts: dict[str, tuple[Element, ...]] = {}
    for place, entry in entries:
        label = folder.label(place)
        lost: defaultdict[_Place, dict[str, None]] = defaultdict(dict)
        idle: defaultdict[_Place, list[str]] = defaultdict(list)
        for term in entry["terms"]:
            try:
                phrases = expand(elements := parse_term(term, folder.normaliser.phrase, parts))
            except ValueError as error:
                yield Problem(ERROR, place.file, label, str(error))
                continue
            if phrases is None:
                if words := _always_joined(elements, folder.normaliser):
                    message = f"the term {term!r} is never read: spelling makes {words[0]!r} {words[1]!r} first"
                    yield Problem(WARNING, place.file, label, message)
                continue
            joined = dict.fromkeys(map(folder.normaliser.join, phrases))
            taken = {phrase: readers.setdefault(phrase, place) for phrase in joined}
            rival = {" ".join(phrase): reader for phrase, reader in taken.items() if rivals and reader != place}
            if len(rival) == len(joined):
                idle[next(iter(rival.values()))].append(term)
            else:
                for text, reader in rival.items():
                    lost[reader][text] = None
        for reader, texts in idle.items():
            message = f"{_some(texts)} never read as this: {_label_and_file(folder, reader)} comes first"
            yield Problem(WARNING, place.file, label, message)
        for reader, words_lost in lost.items():
            message = f"{_some(list(words_lost))} read as {_label_and_file(folder, reader)}, which comes first"
            yield Problem(WARNING, place.file, label, message)


def _double_cues(folder: _Folder) -> Iterator[Problem]:
    """Wordings of context rules that an earlier rule gives another category, direction or scope, which counts."""
    first: dict[tuple[str, ...], tuple[_Place, tuple[Any, ...]]] = {}
    for place, entry in folder.entries("rule"):
        effect = entry["category"], entry["direction"], entry.get("max_scope"), entry.get("max_targets")
        for phrase in dict.fromkeys(_phrases(entry["terms"], folder.normaliser)):
            reader, meant = first.setdefault(phrase, (place, effect))
            if meant != effect:
                message = f"{_some([' '.join(phrase)])} read as {_label_and_file(folder, reader)}, which comes first"
                yield Problem(WARNING, place.file, folder.label(place), message)


def _phrases(terms: Iterable[str], normaliser: Normaliser) -> Iterator[tuple[str, ...]]:
    """The plain phrases of the terms that can be parsed and have no gap."""
    for term in terms:
        with suppress(ValueError):
            yield from map(normaliser.join, expand(parse_term(term, normaliser.phrase)) or ())


def _label_and_file(folder: _Folder, place: _Place) -> str:
    return f"{folder.label(place)} ({place.file})"


def _always_joined(elements: Sequence[Element], normaliser: Normaliser) -> tuple[str, str] | None:
    """Two neighbouring words of a gapped term that spelling joins whatever the alternatives, and what they become."""
    for left, right in itertools.pairwise(elements):
        if left.is_gap or right.is_gap or left.optional or right.optional:
            continue
        joined = [normaliser.joined.get((a, b)) for a in left.alternatives for b in right.alternatives]
        if all(joined):
            return f"{left.alternatives[0]} {right.alternatives[0]}", str(joined[0])
    return None


def _some(texts: Sequence[str]) -> str:
    """Some of many texts, quoted, with the verb that follows."""
    shown = ", ".join(f'"{text}"' for text in texts[:_SHOWN])
    more = len(texts) - _SHOWN
    return f"{shown} and {more} more are" if more > 0 else f"{shown} {'is' if len(texts) == 1 else 'are'}"
