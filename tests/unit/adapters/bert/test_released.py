"""compat=ratescore-0.6.0: sentences, spans, names and matches as the released package has them.

What is expected here was seen when the functions of the package RaTEScore 0.6.0 (PyPI) ran on the same input, with
PyRuSH 1.0.13 and medspaCy 1.3.1; `tests/integration/test_released_ratescore.py` runs the package itself.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from overread.adapters.bert._encoder import BertTextEncoder
from overread.adapters.bert._pyrush import PyrushSplitter
from overread.adapters.bert._recognizer import BertEntityRecognizer
from overread.adapters.bert._released import ReleasedRecognizer, _nearest, released_spans
from overread.adapters.bert.options import BertEncoderOptions, BertRecognizerOptions
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.reports.report import Report
from overread.exceptions import ConfigurationError, MissingDependencyError

from .checkpoints import save_bert_classifier, save_deberta_classifier

RELEASE = "ratescore-0.6.0"
_TYPES = {"D": EntityType.DISEASE, "A": EntityType.ANATOMY}


def released(path: Path, **options: int | str) -> ReleasedRecognizer:
    loaded = BertEntityRecognizer.create(BertRecognizerOptions(path=str(path), device="cpu", **options))  # type: ignore[arg-type]
    return loaded.as_released(RELEASE)


def entities(reader: ReleasedRecognizer | BertEntityRecognizer, text: str) -> tuple[Entity, ...]:
    [found] = reader.recognize([Report(text)])
    assert isinstance(found, tuple)
    return found


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        ("O B-D I-D O", [(1, 2, "D")]),
        ("O B-D I-A I-D I-D", [(1, 3, "D")]),
        ("O B-D B-A I-A I-A", [(1, 1, "D")]),
        ("O I-D B-D I-D B-D", [(2, 3, "D")]),
        ("O B-D I-D B-A I-D", [(1, 2, "D")]),
        ("O B-D I-D B-A", [(1, 2, "D")]),
        ("O I-D I-D O", []),
        ("O B-D O B-A I-A I-A", [(1, 1, "D"), (3, 4, "A")]),
        ("B-D I-D O B-A I-A", [(3, 3, "A")]),
        ("O I-D B-A", []),
        ("O B-D I-A", [(1, 1, "D")]),
    ],
)
def test_spans_are_those_of_the_released_walk(labels: str, spans: list[tuple[int, int, str]]) -> None:
    """Also where [SEP] has a label of its own, and what is open there is lost."""
    given = [label.replace("-D", "-DISEASE").replace("-A", "-ANATOMY") for label in labels.split()]
    tokens = ["[CLS]", *map(str, range(1, len(given) - 1)), "[SEP]"]
    assert released_spans(tokens, given) == [(first, last, _TYPES[kind]) for first, last, kind in spans]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "FINDINGS: The heart is enlarged. No effusion.\nIMPRESSION:\n1. No acute disease.\n2. Nodule, 3.5 cm wide",
            [
                "FINDINGS: The heart is enlarged.",
                "No effusion.",
                "IMPRESSION:",
                "1. No acute disease.",
                "2. Nodule, 3.5 cm wide",
            ],
        ),
        (
            "FINDINGS:\n\n  Left lower\nlobe opacity. Dr. Zebra was told at 4 p.m. of it.\n\nIMPRESSION: ok",
            ["FINDINGS:", "Left lower\nlobe opacity.", "Dr. Zebra was told at 4 p.m.", "of it.", "IMPRESSION: ok"],
        ),
        ("No edema.No effusion. -  Mild: yes", ["No edema.No effusion.", "-  Mild: yes"]),
    ],
)
def test_sentences_are_those_of_pyrush(text: str, sentences: list[str]) -> None:
    """Headings stay where the rules leave them, and spans point into the report."""
    assert [span.of(text) for span in PyrushSplitter.create().split(text)] == sentences


def test_splitting_prints_no_report(capfd: pytest.CaptureFixture[str]) -> None:
    """PyRuSH tells each token to a log that prints by default."""
    PyrushSplitter.create().split("No effusion. Zebra heart.")
    assert capfd.readouterr() == ("", "")


def test_without_pyrush_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another splitter in its place would be another reading."""
    monkeypatch.setattr("overread.extras.find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'overread\[medspacy\]'"):
        PyrushSplitter.create()


def test_a_space_that_stands_alone_is_a_nameless_entity_there_and_none_here(tmp_path: Path) -> None:
    """The tokenizer parts "9" from its sentencepiece mark; the mark's offsets are those of the letter behind it."""
    path = save_deberta_classifier(tmp_path / "spaces", {"▁": "B-ANATOMY", "▁left": "B-DISEASE"})
    text = "9 left."
    plain = BertEntityRecognizer.create(BertRecognizerOptions(path=str(path), device="cpu"))
    assert [entity.text for entity in entities(plain, text)] == ["left"]
    assert [(entity.text, entity.type) for entity in entities(released(path), text)] == [
        ("", EntityType.ANATOMY),
        ("left", EntityType.DISEASE),
    ]


def test_names_are_what_the_tokenizer_tells_and_offsets_point_into_the_report(tmp_path: Path) -> None:
    """WordPiece makes letters small; a heading is read with its sentence."""
    path = save_bert_classifier(tmp_path / "small", {"left": "B-ANATOMY", "heart": "I-ANATOMY"})
    text = "FINDINGS: Left Heart is large. No left heart."
    found = entities(released(path), text)
    assert [(entity.text, text[entity.start : entity.end]) for entity in found] == [
        ("left heart", "Left Heart"),
        ("left heart", "left heart"),
    ]


def test_the_identity_names_release_and_splitter(random_classifier: Path, random_encoder: Path) -> None:
    """Scores of the two readings are never taken for one another."""
    reader = released(random_classifier)
    assert ",compat=ratescore-0.6.0,pyrush=" in reader.identity
    assert reader.note == ""
    encoder = BertTextEncoder.create(BertEncoderOptions(path=str(random_encoder), device="cpu"))
    assert encoder.as_released(RELEASE).identity == f"{encoder.identity},compat=ratescore-0.6.0"


def test_options_that_are_not_the_releases_are_refused_together(random_classifier: Path, random_encoder: Path) -> None:
    """A user who asks for the release's numbers must not get others."""
    with pytest.raises(
        ConfigurationError, match=r"recognizer.max_length=512, not 32; .*recognizer.dtype=fp32, not bf16"
    ):
        released(random_classifier, max_length=32, dtype="bf16")
    encoder = BertTextEncoder.create(BertEncoderOptions(path=str(random_encoder), device="cpu", pooling="mean"))
    with pytest.raises(ConfigurationError, match=r"encoder\.pooling=cls, not mean"):
        encoder.as_released(RELEASE)
    with pytest.raises(ConfigurationError, match=r"unknown release 'ratescore-0\.5\.0'; choose from ratescore-0\.6\.0"):
        encoder.as_released("ratescore-0.5.0")


def test_names_of_a_pair_are_matched_by_topk_on_single_precision_cosines(random_encoder: Path) -> None:
    """Equal names have equal cosines; which of them is taken, `torch.topk` decides and no type."""
    encoder = BertTextEncoder.create(BertEncoderOptions(path=str(random_encoder), device="cpu")).as_released(RELEASE)
    names = ["left heart", "effusion", "left heart", ""]
    matched = encoder.match_names(names, names[::-1])
    vectors = torch.tensor(encoder.encode(names))
    there = torch.stack([torch.mv(vectors.flip(0), row) for row in vectors])
    np.testing.assert_allclose(matched.similarities, there.double().numpy(), atol=1e-6)
    np.testing.assert_array_equal(matched.matches[[1, 3]], [2, 0])
    assert matched.matches[0] in {1, 3}
    assert encoder.encode([]).shape == (0, vectors.shape[1])


def test_a_cosine_that_rounding_puts_above_1_is_1() -> None:
    """It would lie outside the scale, and a report against itself would have no score."""
    long = torch.tensor([[1.0000002, 0.0], [0.0, -1.0000002]])
    cosines, matches = _nearest(long, long)
    assert cosines.max() == 1.0
    assert matches.tolist() == [0, 1]


def test_exact_ties_go_where_topk_puts_them() -> None:
    """The rule of the release is whatever its library does."""
    columns = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    cosines, matches = _nearest(columns[:1], columns)
    assert cosines.tolist() == [[1.0, 0.0, 1.0, 1.0]]
    assert matches.tolist() == [int(torch.topk(torch.tensor([1.0, 0.0, 1.0, 1.0]), 1).indices[0])]
