"""How far found entities agree with known ones, against counts made by hand."""

from __future__ import annotations

import pytest

from overread.application.training.recognition import agreement_of, try_recognizer
from overread.domain.entities.annotated_text import AnnotatedText
from overread.domain.entities.entity import Entity, EntityType

from ..entity_fakes import MarkRecognizer


def known(text: str, *entities: tuple[int, int, EntityType], study: str = "s") -> AnnotatedText:
    """A text with entities told by their characters."""
    found = tuple(Entity(text[start:end], start, end, kind) for start, end, kind in entities)
    return AnnotatedText(id=text, study=study, text=text, entities=found)


# `MarkRecognizer` finds each word, typed by its mark: in the first text both rightly; in the second "edema" under
# another type, "of" and "lung" rightly or not at all.
TEXTS = [
    known("lung +mass", (0, 4, EntityType.ANATOMY), (6, 10, EntityType.ABNORMALITY), study="a"),
    known("-edema of lung", (1, 6, EntityType.NON_DISEASE), (10, 14, EntityType.ANATOMY), study="b"),
]


def test_an_entity_is_found_where_characters_and_type_are_equal() -> None:
    """Of five that are found three are known, of four that are known three are found."""
    report = try_recognizer(MarkRecognizer(), TEXTS)
    assert (report.texts, report.unread, report.total.known) == (2, 0, 4)
    assert report.total.precision.value == pytest.approx(3 / 5)
    assert report.total.recall.value == pytest.approx(3 / 4)
    assert report.total.f1.value == pytest.approx(2 * 3 / 9)
    assert agreement_of(MarkRecognizer(), TEXTS) == pytest.approx({"precision": 3 / 5, "recall": 3 / 4, "f1": 6 / 9})


def test_agreement_is_told_by_type() -> None:
    """A type that nobody knows of and that is not found has no figures; one that is invented has precision 0."""
    by_type = try_recognizer(MarkRecognizer(), TEXTS).by_type
    assert by_type[EntityType.ANATOMY].precision.value == pytest.approx(2 / 3)
    assert by_type[EntityType.ANATOMY].recall.value == 1.0
    assert by_type[EntityType.NON_ABNORMALITY].precision.value == 0.0
    assert by_type[EntityType.NON_DISEASE].recall.value == 0.0
    assert by_type[EntityType.DISEASE].f1.value is None


def test_accuracy_counts_words_by_their_first_letter() -> None:
    """Both give "lung" its type and leave out the marks that "+mass" and "-edema" begin with; "of" is wrong."""
    assert try_recognizer(MarkRecognizer(), TEXTS).accuracy.value == pytest.approx(4 / 5)


def test_a_text_that_cannot_be_read_is_counted_and_left_out() -> None:
    """Its entities are not missed, but told as unread; while training it has none."""
    recognizer = MarkRecognizer(refused={TEXTS[1].text: "language"})
    report = try_recognizer(recognizer, TEXTS)
    assert (report.texts, report.unread, report.total.known) == (1, 1, 2)
    assert report.total.f1.value == 1.0
    assert agreement_of(recognizer, TEXTS)["recall"] == 0.5


def test_nothing_known_and_nothing_found_is_no_agreement() -> None:
    """While training, that is the worst there is."""
    assert agreement_of(MarkRecognizer(), [known("12")]) == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert try_recognizer(MarkRecognizer(), [known("12")]).total.f1.value is None
