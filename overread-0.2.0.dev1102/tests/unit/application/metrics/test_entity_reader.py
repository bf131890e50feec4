"""Reading pairs into entities: once each, in order, and what recognizers and encoders may not do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from overread.application.metrics.entity_reader import EntityPair, EntityReader
from overread.application.traits import RecognizerTraits
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.meaning import Meaning
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.exceptions import ComponentError

from ..entity_fakes import LetterEncoder, MarkRecognizer
from ..fakes import pair


def read_one(reference: str, candidate: str, **parts: Any) -> EntityPair | Unscored:
    return EntityReader(parts.get("recognizer", MarkRecognizer()), parts.get("encoder", LetterEncoder())).read(
        [pair("a", reference, candidate)]
    )[0]


def test_a_pair_is_its_entities_and_the_cosines_of_their_names() -> None:
    """Reference x candidate, in reading order; duplicates are kept."""
    told = {"mass": [1.0, 0.0], "lesion": [0.6, 0.8], "lung": [0.0, -1.0]}
    read = read_one("lung +mass +mass", "+lesion", encoder=LetterEncoder(told=told))
    assert isinstance(read, EntityPair)
    assert [(e.text, e.type, (e.start, e.end)) for e in read.reference] == [
        ("lung", EntityType.ANATOMY, (0, 4)),
        ("mass", EntityType.ABNORMALITY, (6, 10)),
        ("mass", EntityType.ABNORMALITY, (12, 16)),
    ]
    assert read.similarities == pytest.approx(np.array([[-0.8], [0.6], [0.6]]))


def test_each_report_is_recognised_once_and_each_name_embedded_once_a_batch() -> None:
    """However often they come, and whatever type a name has."""
    recognizer, encoder = MarkRecognizer(), LetterEncoder()
    pairs = [pair("a", "+mass lung", "-mass"), pair("b", "+mass lung", "+mass lung"), pair("c", "-mass", "lung")]
    EntityReader(recognizer, encoder).read(pairs)
    assert recognizer.batches == [["+mass lung", "-mass", "lung"]]
    assert encoder.batches == [["mass", "lung"]]


def test_equal_names_have_exactly_equal_cosines() -> None:
    """So that the first of them wins, whatever the rounding."""
    read = read_one("+opacity", " ".join(["-opacity", "nodule"] * 20))
    assert isinstance(read, EntityPair)
    assert set(read.similarities[0, ::2].tolist()) == {read.similarities[0, 0]}
    assert np.abs(read.similarities).max() <= 1.0


def test_what_cannot_be_read_stands_in_its_place() -> None:
    """A refusal says whose it is, and no neighbour moves."""
    recognizer = MarkRecognizer(refused={"long": "too long"})
    pairs = [
        pair("a", "+mass", "+mass"),
        pair("b", "long", "+mass"),
        pair("c", " ", "\n"),
        pair("d", "+mass", "long"),
        pair("e", "", "+mass"),
    ]
    a, b, c, d, e = EntityReader(recognizer, LetterEncoder()).read(pairs)
    assert isinstance(a, EntityPair)
    assert b == Unscored("too long", "reference: the fake refuses it")
    assert c == Unscored("empty", "both reports are empty")
    assert d == Unscored("too long", "candidate: the fake refuses it")
    assert isinstance(e, EntityPair)
    assert (e.reference, e.similarities.shape) == ((), (0, 1))


def test_a_blank_report_is_given_to_no_recognizer_and_no_name_to_no_encoder() -> None:
    """Backends need not know what to do with nothing."""
    recognizer, encoder = MarkRecognizer(), LetterEncoder()
    reader = EntityReader(recognizer, encoder)
    assert reader.read([]) == []
    reader.read([pair("a", "", " ")])
    assert recognizer.batches == []
    reader.read([pair("b", "", "12")])
    assert recognizer.batches == [["12"]]
    assert encoder.batches == []


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [(Entity("mass", 0, 5, EntityType.DISEASE),)],
        [(Entity("mass", -1, 2, EntityType.DISEASE),)],
        [(Entity(" ", 0, 1, EntityType.DISEASE),)],
        [[Entity("mass", 0, 4, EntityType.DISEASE)]],
    ],
)
def test_a_recognizer_that_breaks_its_contract_is_refused(answers: Any) -> None:
    """Fewer answers than reports, entities outside their report, without a name, or not in a tuple."""

    class Broken(MarkRecognizer):
        def recognize(self, _: Any) -> Any:
            return answers

    with pytest.raises(ComponentError, match=r"the recognizer .* return"):
        read_one("mass", "mass", recognizer=Broken())


@pytest.mark.parametrize("rows", [np.zeros((2, 3)), np.zeros(1), np.full((1, 3), np.nan)])
def test_an_encoder_that_breaks_its_contract_is_refused(rows: Any) -> None:
    """A row too many or NaN would give every pair a wrong score."""

    class Broken(LetterEncoder):
        def encode(self, _: Any) -> Any:
            return rows

    with pytest.raises(ComponentError, match=r"the encoder .* return"):
        read_one("mass", "mass", encoder=Broken())


class KnowingRecognizer(MarkRecognizer):
    """Takes every second mention of a name for one on the right, and knows what both mean."""

    traits = RecognizerTraits(meaning_lexicon=Lexicon.of([], []))

    def recognize(self, reports: Sequence[Report]) -> list[tuple[Entity, ...] | Unscored]:
        return [self._meant(found) for found in super().recognize(reports)]

    def _meant(self, found: tuple[Entity, ...] | Unscored) -> tuple[Entity, ...] | Unscored:
        if isinstance(found, Unscored):
            return found
        sides = ("left", "right")
        return tuple(
            evolve(
                entity,
                text=f"{sides[at % 2]} {entity.text}",
                meaning=Meaning.of(
                    ClinicalUnit(
                        span_text="", start=0, end=0, canonical_finding=entity.text, anatomy=frozenset({sides[at % 2]})
                    ),
                    entity.text,
                ),
            )
            for at, entity in enumerate(found)
        )


def test_what_a_recognizer_knows_of_its_entities_decides_how_alike_they_are() -> None:
    """Names are embedded without what meanings tell apart, and the identity says that meanings were compared."""
    encoder = LetterEncoder(told={"mass": [1.0, 0.0], "cyst": [0.6, 0.8]})
    reader = EntityReader(KnowingRecognizer(), encoder)
    [read] = reader.read([pair("a", "+mass +mass", "+mass +cyst")])
    assert isinstance(read, EntityPair)
    assert encoder.batches == [["mass", "cyst"]]
    assert read.similarities == pytest.approx(np.array([[1.0, 0.3 * 0.6], [0.3 + 0.7 * 0.1, 0.3 * 0.6]]))
    assert read.back == pytest.approx(read.similarities.T)
    assert reader.signature_parts[2:] == (("likeness", "meaning@1"),)


def test_cosines_alone_are_named_by_no_part_of_the_signature() -> None:
    """Scores with a checkpoint's entities keep the signature they had."""
    reader = EntityReader(MarkRecognizer(), LetterEncoder())
    assert reader.signature_parts == (("recognizer", "marks"), ("encoder", "letters"))


def test_reports_do_not_show_in_what_is_printed() -> None:
    """Reprs end up in logs."""
    assert "mass" not in repr(read_one("+mass", "-mass"))


def test_rounding_makes_no_cosine_leave_its_range() -> None:
    """Embeddings of length 1 up to rounding may have a product just above 1."""

    class Rounding(LetterEncoder):
        def encode(self, texts: Any) -> Any:
            return np.array([[1.0000001, 0.0], [-1.0000001, 0.0]], dtype=np.float32)[: len(texts)]

    read = read_one("mass cyst", "mass", encoder=Rounding())
    assert isinstance(read, EntityPair)
    assert read.similarities.ravel().tolist() == [1.0, -1.0]
