"""Checking a lexicon folder: each kind of problem is found, in the right file and entry, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.check import ERROR, WARNING, check_lexicon, schema
from overread.exceptions import ConfigurationError

from .sound import SOUND, write_sound

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the sound lexicon with text replaced or added in one file, and returns the folder."""

    def call(name: str = "", old: str = "", new: str = "") -> str:
        text = SOUND.get(name, "")
        assert old in text
        return str(write_sound(tmp_path, **{name: text.replace(old, new, 1) if old else text + new} if name else {}))

    return call


def test_the_schema_is_one() -> None:
    """Editors check files against it."""
    Draft202012Validator.check_schema(schema())


def test_every_key_of_the_schema_is_described() -> None:
    """In words for those who edit the files: each property says what it is, itself or by what it refers to."""
    definitions = schema()["$defs"]
    silent = [
        f"{name}.{key}"
        for name, definition in definitions.items()
        for key, value in definition.get("properties", {}).items()
        if not value.get("description") and not definitions[value["$ref"].rpartition("/")[2]].get("description")
    ]
    assert silent == []


def test_a_sound_lexicon_has_no_problems(write: Write) -> None:
    """Whatever is found below comes of the change made there."""
    assert check_lexicon(write()) == []


def test_the_shipped_lexicon_has_no_problems() -> None:
    """Every file, entry and key fits the schema, nothing dangles, and no wording is read as another diagnosis."""
    assert check_lexicon() == []


LUNG = "findings/lung.toml"

SPOILT = {
    "unknown key": (LUNG, 'name = "stripe"', 'nmae = "x"\nname = "stripe"', "stripe", "'nmae'; did you mean 'name'?"),
    "missing key": (LUNG, 'name = "stripe"\n', "", "stripe", "has no 'name'"),
    "wrong type": (LUNG, '["stripe|streak"]', '"stripe"', "stripe", "'terms': must be a list"),
    "wrong value": (LUNG, '"urgent"', '"dire"', "round_shadow", "'dire' is not one of urgent, actionable"),
    "bad id": (LUNG, 'id = "stripe"', 'id = "A Stripe"', "A Stripe", "'id': 'A Stripe' does not fit"),
    "no terms": (LUNG, '["stripe|streak"]', "[]", "stripe", "'terms': is empty"),
    "listed twice": (LUNG, '["lung"]', '["lung", "lung"]', "shadow", "'anatomy': lists 'lung' twice"),
    "no condition": (LUNG, 'age_from = 60, indication = ["trauma"], ', "", "round_shadow", "states no condition"),
    "no step": (LUNG, "step = -1, ", "", "round_shadow", "'when' number 1"),
    "two steps": (LUNG, "step = -1", "step = -2", "round_shadow", "'when' number 1 'step'"),
    "step and goal": (LUNG, "step = -1", 'step = -1, to = "urgent"', "round_shadow", "'when' number 1"),
    "no reason": (LUNG, 'reason = "usual", ', "", "round_shadow", "has no 'reason'"),
    "unknown circumstance": (LUNG, '"trauma"', '"truma"', "round_shadow", "did you mean 'trauma'"),
    "unknown neighbor": (LUNG, "step = -1", 'step = -1, beside = ["x"]', "round_shadow", "has a rule beside 'x'"),
    "bad sex": (
        LUNG,
        "age_from = 60",
        'sex = "female"',
        "round_shadow",
        "'when' number 1 'sex': 'female' is not one of",
    ),
    "phrase as word": (LUNG, '["trauma"]', '["a cough"]', "round_shadow", "'a cough' does not fit"),
    "unknown parent": (LUNG, '["shadow"]\nimportance', '["shade"]\nimportance', "stripe", "the parent 'shade'"),
    "unknown rival": (
        LUNG,
        '["stripe"]',
        '["strip"]',
        "round_shadow",
        "'strip', which is not a finding; did you mean 'st",
    ),
    "unknown sign": (LUNG, "sited = {", 'signs = ["strip"]\nsited = {', "round_shadow", "has the sign 'strip'"),
    "unknown at a place": (LUNG, '{base = "stripe"}', '{base = "x"}', "round_shadow", "is, at 'base', 'x'"),
    "circle": (LUNG, 'category = "lung"\n', 'category = "lung"\nparent = "stripe"\n', "shadow", "broader than itself"),
    "unparsable term": (LUNG, '"stripe|streak"', '"* stripe"', "stripe", "begins or ends with a gap"),
    "taken id": ("findings/normal.toml", "no_shadows", "shadow", "shadow", "taken by a finding in findings/lung.toml"),
    "unknown denied": (
        "findings/normal.toml",
        '["shadow"]',
        '["x"]',
        "no_shadows",
        "denies 'x', which is not a finding",
    ),
    "no label": ("reading/anatomy.toml", 'label = "lung"\n', "", "anatomy 1", "needs 'label' or 'labels'"),
    "unknown kind": (
        "reading/anatomy.toml",
        '"zone"',
        '"area"',
        "anatomy 2 (lung + base)",
        "'area' is not one of side",
    ),
    "unknown cue": ("reading/context.toml", '"NEGATED"', '"DENIED"', "rule 1", "'DENIED' is not one of NEGATED"),
    "whole number": ("reading/context.toml", "6", "6.5", "rule 1", "'max_scope': must be a whole number"),
    "three words": ("reading/spelling.toml", '"space"', '"space", "x"', "joined 1 (airspace)", "'words':"),
    "number for a text": (
        "reading/spelling.toml",
        "",
        "[spelling]\noedema = 3\n",
        "spelling",
        "'oedema': must be a text",
    ),
    "unknown table": ("reading/severity.toml", "", '\n[[degree]]\nterms = ["x"]\n', "", "unknown key 'degree'"),
    "no toml": ("reading/severity.toml", '"mild"', '"mild', "", "cannot be read"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_an_error_is_named_with_its_file_and_entry(write: Write, name: str) -> None:
    """Each way to spoil the sound lexicon yields an error there that says what is wrong."""
    file, old, new, entry, message = SPOILT[name]
    errors = [problem for problem in check_lexicon(write(file, old, new)) if problem.level == ERROR]
    assert [(e.file, e.entry) for e in errors if message in e.message] == [(file, entry)], errors


@pytest.mark.parametrize("name", SPOILT)
def test_what_the_loader_refuses_the_check_does_not_pass(write: Write, name: str) -> None:
    """The check is the stricter of the two."""
    file, old, new, *_ = SPOILT[name]
    folder = write(file, old, new)
    try:
        load_knowledge.__wrapped__(folder)
    except ConfigurationError:
        assert any(problem.level == ERROR for problem in check_lexicon(folder))


ODD = {
    "related rival": (LUNG, '["stripe"]', '["shadow"]', "round_shadow", "'shadow', of which it is a kind"),
    "related rival below": (
        LUNG,
        'importance = "actionable"',
        'confused_with = ["stripe"]\nimportance = "actionable"',
        "shadow",
        "'stripe', which is a kind of it",
    ),
    "own rival": (LUNG, '["stripe"]', '["round_shadow"]', "round_shadow", "is confused with itself"),
    "cue of two meanings": (
        "reading/context.toml",
        'terms = ["no"]\n',
        'terms = ["no"]\n\n[[rule]]\ncategory = "POSSIBLE"\ndirection = "FORWARD"\nterms = ["no|maybe"]\n',
        "rule 2",
        '"no" is read as rule 1 (reading/context.toml), which comes first',
    ),
    "no age": (
        LUNG,
        "age_from = 60",
        "age_from = 60, age_below = 40",
        "round_shadow",
        "'when' number 1 matches no age",
    ),
    "unknown place": (LUNG, '["lung"]', '["lungs"]', "shadow", "the place 'lungs'"),
    "unknown place of a region": (
        "reading/anatomy.toml",
        "",
        '\n[[region]]\nlabel = "chest"\nplaces = ["lung", "gill"]\n',
        "region 1 (chest)",
        "the place 'gill'",
    ),
    "unknown place of a sited": (LUNG, "{base", "{apex", "round_shadow", "the place 'apex'"),
    "said by a narrower statement": (
        "findings/normal.toml",
        "",
        '\n[[normal]]\nid = "all_clear"\nname = "all"\ndenies = ["shadow", "trace"]\nterms = ["clear"]\n',
        "all_clear",
        "never read as this, but as no_shadows (findings/normal.toml)",
    ),
    "joined words": (
        LUNG,
        '"stripe|streak"',
        '"stripe", "air space * stripe"',
        "stripe",
        "makes 'air space' 'airspace'",
    ),
    "denies nothing": ("findings/normal.toml", '["shadow"]', "[]", "no_shadows", "denies nothing"),
    "ignored place": (
        "reading/anatomy.toml",
        "lung cancer screening",
        "lung",
        "anatomy 1 (lung)",
        "never read as this",
    ),
    "place as modifier": ("reading/modifiers.toml", '"faint"]', '"faint", "lung"]', "modifier 1 (faint)", "anatomy 1"),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_is_a_warning_and_no_error(write: Write, name: str) -> None:
    """An oddity does not keep a lexicon from being read."""
    file, old, new, entry, message = ODD[name]
    problems = check_lexicon(write(file, old, new))
    assert [(p.level, p.file, p.entry) for p in problems if message in p.message] == [(WARNING, file, entry)], problems
    assert all(problem.level == WARNING for problem in problems)


SWAPPED = {
    "wording": (LUNG, '"stripe|streak"', '"stripe|oval shadow?"', "stripe", '"oval shadow" is read as round_shadow'),
    "term": (
        LUNG,
        '"stripe|streak"',
        '"stripe", "round|oval shadows"',
        "stripe",
        '"round|oval shadows" is never read as this, but as round_shadow (findings/lung.toml)',
    ),
    "wording of a gapped term": (
        LUNG,
        '"stripe|streak"',
        '"stripe", "oval|long * shadow"',
        "stripe",
        '"oval shadow" is read as round_shadow',
    ),
    "normal statement": ("findings/normal.toml", '"clear"', '"clear", "stripe"', "no_shadows", "but as stripe"),
}


@pytest.mark.parametrize("name", SWAPPED)
def test_a_wording_read_as_another_diagnosis_is_an_error(write: Write, name: str) -> None:
    """A sibling is another diagnosis too: only what is broader or narrower is the same finding seen otherwise."""
    file, old, new, entry, message = SWAPPED[name]
    problems = check_lexicon(write(file, old, new))
    assert [(p.level, p.file, p.entry) for p in problems if message in p.message] == [(ERROR, file, entry)], problems
    assert len(problems) == 1


def test_a_wording_that_names_the_place_may_stand_in_both_entries(write: Write) -> None:
    """What a finding is at that place is what the other entry calls it."""
    assert check_lexicon(write(LUNG, '"stripe|streak"', '"stripe", "round lung base shadow"')) == []


def test_a_kind_may_take_a_wording_from_the_broader_finding(write: Write) -> None:
    """The narrower reading is the better one, so nobody is warned."""
    kind = '\n[[finding]]\nid = "long_stripe"\nname = "long stripe"\ncategory = "lung"\nparent = "wide"\n'
    wide = '\n[[finding]]\nid = "wide"\nname = "wide"\ncategory = "lung"\n'
    rest = 'importance = "expected"\nterms = ["long stripe"]\n'
    assert check_lexicon(write(LUNG, "", kind + rest + wide + rest)) == []


def test_a_file_that_is_missing_or_that_nothing_reads_is_an_error(write: Write) -> None:
    """A renamed file would be left out unseen."""
    folder = Path(write())
    (folder / "reading/severity.toml").rename(folder / "reading/degrees.toml")
    problems = check_lexicon(str(folder))
    assert [(p.level, p.file) for p in problems] == [
        (ERROR, "reading/degrees.toml"),
        (ERROR, "reading/severity.toml"),
    ]


def test_one_entry_written_as_a_table_is_an_error_of_its_file(write: Write) -> None:
    """Single brackets where the files have double ones."""
    problems = check_lexicon(write("findings/normal.toml", "[[normal]]", "[normal]"))
    assert [(p.level, p.file, p.entry) for p in problems] == [(ERROR, "findings/normal.toml", "normal")]
    assert problems[0].message.startswith("must be a list")


def test_errors_come_first_and_all_of_them_at_once(write: Write) -> None:
    """One run shows all that there is to mend."""
    folder = write(LUNG, 'importance = "actionable"', 'confused_with = ["shadow"]\nimportance = "dire"')
    path = Path(folder) / "findings/normal.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('["shadow"]', '["x"]'), encoding="utf-8")
    problems = check_lexicon(folder)
    assert [problem.level for problem in problems] == [ERROR, ERROR]
    assert {problem.entry for problem in problems} == {"shadow", "no_shadows"}


def test_a_folder_that_is_no_lexicon_is_refused(tmp_path: Path) -> None:
    """A mistyped folder does not pass for a lexicon without faults."""
    with pytest.raises(ConfigurationError, match="has no folder 'findings'"):
        check_lexicon(str(tmp_path))
