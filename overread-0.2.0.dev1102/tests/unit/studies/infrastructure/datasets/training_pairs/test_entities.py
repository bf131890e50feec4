"""Texts with marked entities, in each layout, and what is refused without a word of the text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from overread.domain.entities.annotated_text import AnnotatedText, entities_of_labels
from overread.domain.entities.entity import Entity, EntityType
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.training_pairs.entities import read_entities


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def told(text: AnnotatedText) -> list[tuple[str, str]]:
    return [(text.text[entity.start : entity.end], entity.type.value) for entity in text.entities]


def test_entities_by_characters(tmp_path: Path) -> None:
    """In any order and any case, with names for text, study and source."""
    row = {
        "id": 5,
        "study": "s",
        "source": "MIMIC-IV",
        "text": "No edema of the lung.",
        "entities": [
            {"start": 16, "end": 20, "type": "Anatomy"},
            {"start": 3, "end": 8, "type": "non_abnormality"},
        ],
    }
    [text] = read_entities(written(tmp_path / "t.jsonl", row))
    assert told(text) == [("edema", "NON-ABNORMALITY"), ("lung", "ANATOMY")]
    assert (text.id, text.study, text.source) == ("5", "s", "MIMIC-IV")


@pytest.mark.parametrize("keys", [("tokens", "labels"), ("words", "ner_tags"), ("tokens", "tags")])
def test_entities_by_labels_of_tokens(tmp_path: Path, keys: tuple[str, str]) -> None:
    """Tokens are joined by spaces; without a name a line is its own study."""
    tokens = ["Left", "lower", "lobe", "edema", "."]
    labels = ["B-ANATOMY", "I-ANATOMY", "I-ANATOMY", "B-ABNORMALITY", "O"]
    rows = [dict(zip(keys, (tokens, labels), strict=True))] * 2
    one, two = read_entities(written(tmp_path / "t.jsonl", *rows))
    assert one.text == "Left lower lobe edema ."
    assert told(one) == told(two) == [("Left lower lobe", "ANATOMY"), ("edema", "ABNORMALITY")]
    assert (one.study, two.study) == ("1", "2")


def test_entities_by_spans_of_tokens(tmp_path: Path) -> None:
    """As PURE reads them: first and last token, counted over the sentences of a document, which are a text each."""
    row = {
        "doc_key": "d",
        "sentences": [["No", "edema", "."], ["Large", "heart", "."]],
        "ner": [[[1, 1, "NON-DISEASE"]], [[3, 4, "DISEASE"], [4, 4, "ANATOMY"]]],
    }
    first, second = read_entities(written(tmp_path / "t.jsonl", row))
    assert told(first) == [("edema", "NON-DISEASE")]
    assert told(second) == [("Large heart", "DISEASE"), ("heart", "ANATOMY")]
    assert (first.id, first.study, second.id, second.study) == ("d.0", "d", "d.1", "d")


PRIVATE = "Zebra heart"


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ([PRIVATE], "it is not an object"),
        ({"text": PRIVATE}, "'entities' is missing"),
        ({"text": 5, "entities": []}, "'text' is not text"),
        ({"text": PRIVATE, "entities": [{"start": 0, "end": 99, "type": "ANATOMY"}]}, "outside the text"),
        (
            {"text": PRIVATE, "entities": [{"start": 3, "end": 3, "type": "ANATOMY"}]},
            "ends before it starts, or is empty",
        ),
        ({"text": PRIVATE, "entities": [{"start": 5, "end": 6, "type": "ANATOMY"}]}, "an entity is blank"),
        ({"text": PRIVATE, "entities": [{"start": 0.0, "end": 5, "type": "ANATOMY"}]}, "must be whole numbers"),
        ({"text": PRIVATE, "entities": [{"start": 0, "end": 5, "type": "ORGAN"}]}, "a type is not known"),
        ({"tokens": [PRIVATE], "labels": ["B-ORGAN"]}, "a type is not known"),
        ({"tokens": [PRIVATE], "labels": ["X-ANATOMY"]}, "neither O nor B- or I-"),
        ({"tokens": [PRIVATE], "labels": ["O", "O"]}, "2 labels for 1 tokens"),
        ({"tokens": [PRIVATE, ""], "labels": ["O", "B-ANATOMY"]}, "a token is blank"),
        ({"tokens": [PRIVATE]}, "'labels' or 'ner_tags' or 'tags' is missing"),
        ({"sentences": [[PRIVATE]], "ner": [[[0, 1, "ANATOMY"]]]}, "a token that is not in its sentence"),
        ({"sentences": [[PRIVATE]], "ner": [[[1, 1, "ANATOMY"]]]}, "a token that is not in its sentence"),
        ({"sentences": [[PRIVATE]], "ner": []}, "0 lists in 'ner' for 1 sentences"),
        ({"sentences": [[PRIVATE] * 2], "ner": [[[1, 0, "ANATOMY"]]]}, "last token is before its first"),
        ({"tokens": [PRIVATE], "ner_tags": [3]}, "give names such as 'B-ANATOMY'"),
        ({"text": PRIVATE, "entities": [{"start": 5, "end": 0, "type": "ANATOMY"}]}, "ends before it starts"),
    ],
)
def test_what_is_no_text_with_entities_is_named_by_its_line(tmp_path: Path, row: Any, rule: str) -> None:
    """File, line, which rule it breaks and what to give; nothing of the text."""
    good = {"text": "Clear.", "entities": []}
    with pytest.raises(InputError, match=f"is not a text with entities: .*{rule}") as caught:
        read_entities(written(tmp_path / "t.jsonl", good, row))
    assert caught.value.row == 2
    assert "Zebra" not in str(caught.value)


def test_a_line_cut_off_and_a_file_that_is_not_there_are_told_as_such(tmp_path: Path) -> None:
    """Neither is a matter of layouts."""
    cut = tmp_path / "t.jsonl"
    cut.write_text('{"text": "Zebra', encoding="utf-8")
    with pytest.raises(InputError, match=r"row 1: .*not valid JSON: Unterminated string starting at at character 10"):
        read_entities(cut)
    with pytest.raises(InputError, match=r"none\.jsonl: no such file$"):
        read_entities(tmp_path / "none.jsonl")


def test_a_file_without_texts_is_refused(tmp_path: Path) -> None:
    """There would be nothing to learn from."""
    with pytest.raises(InputError, match="holds no text"):
        read_entities(written(tmp_path / "t.jsonl"))


def test_an_inside_that_follows_nothing_of_its_type_begins_an_entity() -> None:
    """Sets in the older scheme of tags have no B- where nothing touches."""
    _, found = entities_of_labels(["edema", "left", "lung"], ["I-DISEASE", "I-ANATOMY", "I-ANATOMY"])
    assert [(entity.text, entity.type) for entity in found] == [
        ("edema", EntityType.DISEASE),
        ("left lung", EntityType.ANATOMY),
    ]


def test_entities_lie_in_their_text() -> None:
    """Python callers are told, too."""
    outside = Entity("heart", 0, 5, EntityType.ANATOMY)
    with pytest.raises(ValueError, match="lies outside its text"):
        AnnotatedText(id="a", study="a", text="lung", entities=(outside,))


def test_labels_that_go_on_with_nothing_are_counted(tmp_path: Path) -> None:
    """A B- that was lost in making the file is seen so."""
    labels = ["I-ANATOMY", "I-ANATOMY", "O", "I-DISEASE", "B-ANATOMY", "I-DISEASE", "B-ANATOMY", "I-ANATOMY"]
    path, told = written(tmp_path / "t.jsonl", {"tokens": ["a"] * 8, "labels": labels}), list[str]()
    read_entities(path, told=told.append)
    assert told == [f"{path}: 3 labels I- follow none of their type; each is read as the beginning of an entity"]
    read_entities(written(path, {"tokens": ["a"], "labels": ["B-ANATOMY"]}), told=told.append)
    assert len(told) == 1
