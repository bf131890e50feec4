"""Loading the lexicon, shipped or one's own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from importlib.resources import as_file, files
from itertools import chain
from pathlib import Path

import pytest

from overread.adapters.lexicon import Knowledge, load_knowledge
from overread.adapters.lexicon.loader import RULES
from overread.domain.reports.report import SectionRole
from overread.domain.vocabulary.patterns import parse_term
from overread.exceptions import ConfigurationError

FINDING = """
[[finding]]
id = "extra"
name = "extra"
category = "lung"
importance = "actionable"
terms = ["extra finding"]
"""


@pytest.fixture(scope="module")
def shipped() -> Knowledge:
    return load_knowledge()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped lexicon, to be spoilt."""
    with as_file(files("overread.adapters.lexicon") / "data") as data:
        return Path(shutil.copytree(data, tmp_path / "lexicon"))


def _append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_the_shipped_lexicon_is_large_and_of_one_piece(shipped: Knowledge) -> None:
    """At least 200 findings; every one can be found, and every parent and denied finding exists."""
    findings, normals = shipped.lexicon.findings, shipped.lexicon.normals
    assert len(findings) >= 200
    assert all(finding.terms for finding in findings.values())
    assert all(normal.terms and normal.denies for normal in normals.values())
    assert {parent for f in findings.values() for parent in f.parents} <= set(findings)
    assert {denied for normal in normals.values() for denied in normal.denies} <= set(findings)
    assert not set(findings) & set(normals)


def _terms(knowledge: Knowledge) -> Iterable[str]:
    lexicon = knowledge.lexicon
    groups = [
        *(finding.terms for finding in lexicon.findings.values()),
        *(normal.terms for normal in lexicon.normals.values()),
        *(rule.terms for rule in knowledge.attributes),
        *(rule.terms for rule in knowledge.context),
    ]
    return chain.from_iterable(groups)


def test_every_shipped_term_parses(shipped: Knowledge) -> None:
    """Thousands of terms, and each holds a word that must be there."""
    terms = list(_terms(shipped))
    assert len(terms) > 4000
    for term in terms:
        assert any(not e.optional and not e.is_gap for e in parse_term(term, shipped.normaliser.phrase))


def test_the_shipped_reading_files_cover_what_the_reader_asks_for(shipped: Knowledge) -> None:
    """Sides, zones, organs, degrees and modifiers; each kind of cue; each role of a section; seven languages."""
    assert {"side", "zone", "organ", "severity", "modifier"} <= {rule.kind for rule in shipped.attributes}
    assert {label for rule in shipped.attributes if rule.kind == "severity" for label in rule.labels} == {
        "mild",
        "moderate",
        "severe",
    }
    assert {rule.category for rule in shipped.context} >= {
        *("NEGATED", "POSSIBLE", "PROBABLE", "HISTORICAL", "FAMILY", "HYPOTHETICAL"),
        *("NEW", "STABLE", "IMPROVED", "WORSENED", "RESOLVED", "PSEUDO", "TERMINATE"),
    }
    assert {title.role for title in shipped.sections} == set(SectionRole)
    assert set(shipped.stopwords) == {"en", "de", "fr", "es", "it", "pt", "nl"}


def test_a_copy_is_the_same_lexicon_and_a_change_shows_in_the_digest(shipped: Knowledge, folder: Path) -> None:
    """The digest stands for the files' contents, wherever they lie."""
    assert load_knowledge(str(folder)).digest == shipped.digest
    changed = folder.with_name("changed")
    shutil.copytree(folder, changed)
    _append(changed / "findings/lung.toml", FINDING)
    knowledge = load_knowledge(str(changed))
    assert knowledge.digest != shipped.digest
    assert "extra" in knowledge.lexicon.findings


@pytest.mark.parametrize(
    ("file", "addition", "named"),
    [
        (
            "findings/lung.toml",
            FINDING.replace('category = "lung"', 'category = "lung"\nparent = "nowhere"'),
            "nowhere",
        ),
        ("findings/lung.toml", FINDING.replace('"extra"', '"pneumothorax"', 1), "pneumothorax"),
        ("findings/lung.toml", FINDING + FINDING, "extra"),
        (
            "findings/lung.toml",
            FINDING.replace('category = "lung"', 'category = "lung"\nparent = "extra_two"')
            + FINDING.replace('"extra"', '"extra_two"').replace(
                'category = "lung"', 'category = "lung"\nparent = "extra"'
            ),
            "extra",
        ),
        ("findings/lung.toml", "\n[[finding\n", "lung.toml"),
        ("findings/lung.toml", FINDING.replace('name = "extra"\n', ""), "name"),
        ("findings/lung.toml", FINDING.replace('"actionable"', '"maybe"'), "maybe"),
        ("findings/lung.toml", FINDING.replace("extra finding", "* finding"), "lung.toml"),
        (
            "findings/normal.toml",
            '\n[[normal]]\nid = "odd"\nname = "odd"\ndenies = ["nowhere"]\nterms = ["odd"]\n',
            "nowhere",
        ),
        ("reading/severity.toml", '\n[[severity]]\nterms = ["odd"]\n', "level"),
        ("reading/sections.toml", '\n[[section]]\nname = "odd"\nrole = "odd"\ntitles = ["odd"]\n', "odd"),
    ],
    ids=[
        "unknown parent",
        "id of another file",
        "id twice in a file",
        "circle of parents",
        "bad TOML",
        "missing key",
        "unknown importance",
        "term that does not parse",
        "unknown denied finding",
        "missing level",
        "unknown role",
    ],
)
def test_a_bad_file_is_refused_by_name(folder: Path, file: str, addition: str, named: str) -> None:
    """The error names the folder and the entry or file that cannot be used."""
    _append(folder / file, addition)
    with pytest.raises(ConfigurationError, match=re.escape(named)) as caught:
        load_knowledge(str(folder))
    assert str(folder) in str(caught.value)


def test_every_bad_entry_is_named(folder: Path) -> None:
    """All unknown parents come at once, not one a run."""
    odd = FINDING.replace('category = "lung"', 'category = "lung"\nparent = "nowhere"')
    _append(folder / "findings/lung.toml", odd + odd.replace('"extra"', '"other"').replace("nowhere", "elsewhere"))
    with pytest.raises(ConfigurationError, match=r"nowhere.*elsewhere"):
        load_knowledge(str(folder))


@pytest.mark.parametrize("file", ["context", "sections", "language", "spelling", "anatomy", "severity", "modifiers"])
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    """A lexicon of one's own needs every reading file."""
    (folder / "reading" / f"{file}.toml").unlink()
    with pytest.raises(ConfigurationError, match=re.escape(f"{file}.toml")):
        load_knowledge(str(folder))


@pytest.mark.parametrize("file", RULES)
def test_a_folder_without_the_rules_uses_the_shipped_ones(shipped: Knowledge, folder: Path, file: str) -> None:
    """Who edits findings need not keep words of grammar; what is read with still shows in the digest."""
    (folder / file).unlink()
    assert load_knowledge(str(folder)).grammar == shipped.grammar
    assert load_knowledge(str(folder)).digest == shipped.digest


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('questions = ["whether", "if"]', "", "questions"),
        ('questions = ["whether", "if"]', 'questons = ["whether", "if"]', "quest"),
        ("[clauses]", "[clausess]", "clauses"),
    ],
)
def test_a_list_of_the_grammar_that_is_missing_is_named(folder: Path, old: str, new: str, named: str) -> None:
    """A table is whole or refused: a rule without its words would read otherwise and not say so."""
    file = folder / "reading/grammar.toml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=named):
        load_knowledge(str(folder))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """A mistyped folder is told at once."""
    with pytest.raises(ConfigurationError, match="absent"):
        load_knowledge(str(tmp_path / "absent"))
