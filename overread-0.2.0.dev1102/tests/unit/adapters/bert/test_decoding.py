"""Entities from token labels."""

from __future__ import annotations

import pytest

from overread.adapters.bert._decoding import LABELS, decode_spans, iob_labels
from overread.domain.entities.entity import EntityType

TEXT = "left lower lobe effusions"
OFFSETS = [(0, 4), (5, 10), (11, 15), (16, 24), (24, 25)]
ANATOMY, ABNORMALITY, DISEASE = EntityType.ANATOMY, EntityType.ABNORMALITY, EntityType.DISEASE


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        pytest.param("O O O O O", [], id="nothing"),
        pytest.param("B-ANATOMY I-ANATOMY I-ANATOMY O O", [("left lower lobe", ANATOMY)], id="B I I O"),
        pytest.param("B-ANATOMY B-ANATOMY O O O", [("left", ANATOMY), ("lower", ANATOMY)], id="B B: the next begins"),
        pytest.param("O I-ANATOMY I-ANATOMY O O", [], id="I without B begins nothing"),
        pytest.param("B-ANATOMY O I-ANATOMY O O", [("left", ANATOMY)], id="O closes, a later I adds nothing"),
        pytest.param("O O O B-ABNORMALITY I-ABNORMALITY", [("effusions", ABNORMALITY)], id="open at the last token"),
        pytest.param("O O O O B-ABNORMALITY", [("s", ABNORMALITY)], id="begun by the last token"),
        pytest.param("O O O B-ABNORMALITY O", [("effusion", ABNORMALITY)], id="a word's pieces part"),
        pytest.param("B-ANATOMY I-DISEASE O O O", [("left lower", ANATOMY)], id="the type of I is not looked at"),
        pytest.param(
            "B-ANATOMY I-ANATOMY I-ANATOMY B-DISEASE I-ABNORMALITY",
            [("left lower lobe", ANATOMY), ("effusions", DISEASE)],
            id="two in a row",
        ),
    ],
)
def test_labels_become_spans_as_in_the_release(labels: str, expected: list[tuple[str, EntityType]]) -> None:
    """Published scores rest on these rules, odd as some are."""
    spans = decode_spans(TEXT, labels.split(), OFFSETS)
    assert [(TEXT[start:end], kind) for start, end, kind in spans] == expected


def test_white_space_that_tokens_hold_is_no_part_of_a_span() -> None:
    """Some tokenizers begin a token with the space before it."""
    text = "no  effusion \n"
    assert decode_spans(text, ["O", "B-DISEASE", "I-DISEASE"], [(0, 2), (2, 12), (12, 14)]) == ((4, 12, DISEASE),)


def test_a_span_of_white_space_only_is_none() -> None:
    """An entity has a word."""
    assert decode_spans("no  effusion", ["O", "B-DISEASE", "O"], [(0, 2), (2, 4), (4, 12)]) == ()


def test_each_token_must_have_a_label() -> None:
    """A label too few would shift all entities."""
    with pytest.raises(ValueError, match="argument 2 is longer"):
        decode_spans(TEXT, ["O"], OFFSETS)


def test_labels_may_be_written_in_any_case_and_stand_in_any_order() -> None:
    """The configuration tells which output is which label."""
    backwards = dict(enumerate(label.lower() for label in reversed(LABELS)))
    assert iob_labels(backwards) == tuple(reversed(LABELS))


@pytest.mark.parametrize(
    ("id2label", "complaint"),
    [
        ({0: "LABEL_0", 1: "LABEL_1"}, "LABEL_0, LABEL_1 are unknown"),
        ({0: "O", 1: "B-PERSON"}, "B-PERSON are unknown"),
        ({0: "O", 1: "ANATOMY"}, "ANATOMY are unknown"),
        ({0: "O", 1: "B-ANATOMY", 2: "E-ANATOMY"}, "E-ANATOMY are unknown"),
        ({0: "O", 1: "I-ANATOMY"}, "none of its labels begins"),
        ({1: "O", 2: "B-ANATOMY"}, "not numbered from 0"),
    ],
)
def test_other_labels_are_refused_by_name(id2label: dict[int, str], complaint: str) -> None:
    """A classifier of something else would give entities at random."""
    with pytest.raises(ValueError, match=complaint):
        iob_labels(id2label)
