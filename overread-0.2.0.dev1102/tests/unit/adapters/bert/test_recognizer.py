"""Entities by a token classifier: exact offsets, whatever the tokenizer, the batch and the sentence's length."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import DebertaV2ForTokenClassification

from overread.adapters.bert._recognizer import BertEntityRecognizer
from overread.adapters.bert.options import BertRecognizerOptions
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.reports.report import Report
from overread.exceptions import ConfigurationError
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue

from .checkpoints import (
    WORDS,
    deberta_config,
    label_fields,
    save_bert_classifier,
    save_sequence_classifier,
    save_unigram,
)

REPORT = "FINDINGS:  Left lower\n lobe effusion is clear. No pneumonias, mild edema of the\tleft heart."


def recognizer(path: Path, **options: Any) -> BertEntityRecognizer:
    return BertEntityRecognizer.create(BertRecognizerOptions(path=str(path), device="cpu", **options))


def read(path: Path, text: str, **options: Any) -> tuple[Entity, ...]:
    return found_in(recognizer(path, **options), Report(text))[0]


def found_in(reader: BertEntityRecognizer, *reports: Report) -> list[tuple[Entity, ...]]:
    """The entities of reports that can all be read."""
    found = reader.recognize(reports)
    assert all(isinstance(entities, tuple) for entities in found)
    return [entities for entities in found if isinstance(entities, tuple)]


def told(entities: tuple[Entity, ...]) -> list[tuple[str, EntityType]]:
    return [(entity.text, entity.type) for entity in entities]


def some_reports() -> list[Report]:
    """Reports of sentences of many lengths, some of them shared."""
    words = WORDS * 3
    sentences = [" ".join(words[i : i + 1 + (7 * i) % 19]).capitalize() + "." for i in range(40)]
    return [Report(" ".join(islice(sentences, i, 40, 7))) for i in (*range(7), 3)]


def test_planted_labels_come_out_as_entities_with_exact_offsets(rigged_classifier: Path) -> None:
    """The type of I- is not looked at: the plural's piece and "lobe effusion" go on with what stands before them."""
    entities = read(rigged_classifier, REPORT)
    assert told(entities) == [
        ("Left lower lobe effusion", EntityType.ANATOMY),
        ("pneumonias", EntityType.NON_DISEASE),
        ("left", EntityType.ANATOMY),
    ]
    assert all(entity.text == " ".join(REPORT[entity.start : entity.end].split()) for entity in entities)


def test_entities_do_not_reach_over_a_sentence(rigged_classifier: Path) -> None:
    """The last open entity ends with its sentence; an I- that begins the next one begins nothing."""
    assert told(read(rigged_classifier, "No left lower. Effusion lobe.")) == [("left lower", EntityType.ANATOMY)]


def test_a_long_sentence_is_read_in_pieces_and_nothing_is_lost(rigged_classifier: Path) -> None:
    """Every entity is found, also one that the cut goes through, at whatever token it goes through it."""
    text = "no left lower lobe and pleural effusion with pneumonia"
    whole, pieces = recognizer(rigged_classifier), recognizer(rigged_classifier, max_length=8)
    reports = [Report(" ".join(["heart"] * before + [text] * 4)) for before in range(8)]
    found = found_in(whole, *reports)
    assert [len(entities) for entities in found] == [12] * 8
    assert found_in(pieces, *reports) == found


def test_a_sentence_longer_than_the_models_positions_is_read(random_classifier: Path) -> None:
    """64 positions, and a sentence of 400 words."""
    assert recognizer(random_classifier).identity.endswith("max_length=64,dtype=fp32")
    assert len(read(random_classifier, "pleural effusion and left heart " * 80)) > 10


def test_entities_do_not_depend_on_the_batch(rigged_classifier: Path) -> None:
    """Padding adds and hides nothing."""
    reports = some_reports()
    alone, together = recognizer(rigged_classifier, batch_size=1), recognizer(rigged_classifier, batch_size=64)
    expected = found_in(alone, *reports)
    assert found_in(together, *reports) == expected
    assert sum(map(len, expected)) > 40


def test_the_scores_that_entities_are_read_from_depend_on_the_batch_by_less_than_1e_5(random_classifier: Path) -> None:
    """By random weights two labels may be nearer to each other than that, and the entities then differ."""
    model = recognizer(random_classifier)._model
    rows = model.rows([report.text for report in some_reports()], whole=True)
    scores: dict[int, list[torch.Tensor]] = {}
    for size in (1, 3, 64):
        for batch, output, _ in model.batches(rows, size):
            for index, logits in zip(batch, output.logits, strict=True):
                scores.setdefault(index, []).append(logits[: len(rows[index].ids)])
    assert all(torch.allclose(each, of_row[0], atol=1e-5) for of_row in scores.values() for each in of_row)


def test_reports_keep_their_order_and_answer_as_if_alone(rigged_classifier: Path) -> None:
    """Neither batch nor memory changes what is found."""
    reports = some_reports()
    together, alone = recognizer(rigged_classifier), recognizer(rigged_classifier, cache=0)
    assert together.recognize(reports) == [alone.recognize([report])[0] for report in reports]
    assert together.recognize(reports[::-1]) == together.recognize(reports)[::-1]
    assert together.recognize([]) == []


def test_equal_sentences_are_read_once(random_classifier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports repeat their normal sentences."""
    reader = recognizer(random_classifier, batch_size=1)
    ran: list[torch.Tensor] = []
    forward = reader._model._model

    def counted(**inputs: torch.Tensor) -> Any:
        ran.append(inputs["input_ids"])
        return forward(**inputs)

    monkeypatch.setattr(reader._model, "_model", counted)
    reader.recognize([Report("Left effusion. Heart normal. Left effusion."), Report("Heart normal.")])
    assert len(ran) == 2
    reader.recognize([Report("Left effusion. Edema.")])
    assert len(ran) == 3


@pytest.mark.parametrize("text", ["", " \n\t", "...", "12 3.4 - 5", "a", "1.\n2.\n"])
def test_what_holds_no_word_has_no_entities_and_is_not_read(
    text: str, random_classifier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers and signs are no findings."""
    reader = recognizer(random_classifier)

    def fail(**_: object) -> None:
        raise AssertionError("the model was run")

    monkeypatch.setattr(reader._model, "_model", fail)
    assert reader.recognize([Report(text)]) == [()]


@pytest.mark.parametrize(
    "text", ["left \ud800 effusion", "left \x00 effusion", "left \U0001f480 ﬁ e\u0301 effusion", "左 left"]
)
def test_strange_characters_neither_break_reading_nor_shift_offsets(text: str, rigged_classifier: Path) -> None:
    """Offsets count characters of the report and not of what the tokenizer made of it."""
    first, *_ = read(rigged_classifier, text)
    assert text[first.start : first.end].startswith("left")
    assert first.start == text.index("left")


def test_reading_never_asks_for_the_vocabulary(rigged_classifier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tokenizer makes it anew each time: with 128,000 words that takes longer than the model."""
    reader = recognizer(rigged_classifier)
    for asked in ("get_vocab", "__len__", "get_added_vocab"):
        monkeypatch.setattr(type(reader._model._tokenizer), asked, lambda _: pytest.fail("asked for the vocabulary"))
    assert found_in(reader, Report(REPORT))[0]


def test_labels_may_be_small_and_in_another_order(tmp_path: Path) -> None:
    """Names come from the checkpoint: with all names swapped for one, every entity has that type."""
    labels = {i: label.lower().replace("-anatomy", "-disease") for i, label in label_fields()["id2label"].items()}
    path = save_bert_classifier(tmp_path / "small", {"left": "B-ANATOMY"}, id2label=labels, label2id={})
    assert told(read(path, "left heart")) == [("left", EntityType.DISEASE)]


def test_a_classifier_over_other_labels_is_refused_with_folder_and_remedy(tmp_path: Path) -> None:
    """A classifier of whole reports is easily taken for one of tokens."""
    path = save_sequence_classifier(tmp_path / "other")
    with pytest.raises(
        ConfigurationError, match=r"labels LABEL_0, LABEL_1, LABEL_2 are unknown; give a token classifier"
    ):
        recognizer(path)


def test_the_identity_tells_checkpoints_apart_and_names_no_place(random_classifier: Path, tmp_path: Path) -> None:
    """Folders of one name are told apart by their weights."""
    other = save_bert_classifier(tmp_path / random_classifier.name, {"left": "B-ANATOMY"})
    one, two = recognizer(random_classifier), recognizer(other)
    assert one.identity != two.identity
    assert one.identity == recognizer(random_classifier, batch_size=3).identity
    assert recognizer(random_classifier, dtype="bf16").identity.endswith("dtype=bf16")
    assert one.identity.startswith(f"bert:{random_classifier.name}@")
    assert "/" not in one.identity
    assert one.note == ""


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_half_precision_reads_planted_labels_alike(dtype: str, rigged_classifier: Path) -> None:
    """Clear labels survive the rounding."""
    assert read(rigged_classifier, REPORT, dtype=dtype) == read(rigged_classifier, REPORT)


def test_loading_and_reading_say_nothing(random_classifier: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The libraries warn and draw progress bars."""
    read(random_classifier, REPORT)
    assert capfd.readouterr() == ("", "")


def test_a_checkpoint_of_the_published_architecture_is_read_from_disk(tmp_path: Path) -> None:
    """DeBERTa-v3-base: 12 layers of 768 with 12 heads, random weights; only the vocabulary is small (of 128,100)."""
    config = deberta_config(
        hidden_size=768, num_hidden_layers=12, num_attention_heads=12, intermediate_size=3072, **label_fields()
    )
    torch.manual_seed(0)
    DebertaV2ForTokenClassification(config).save_pretrained(tmp_path / "base")
    save_unigram(tmp_path / "base")
    reader = recognizer(tmp_path / "base")
    found = found_in(reader, Report(REPORT), Report("No pneumonia."))
    assert len(found) == 2
    assert all(entity.text == " ".join(REPORT[entity.start : entity.end].split()) for entity in found[0])


def test_configuration_chooses_the_checkpoint_and_its_options(random_classifier: Path) -> None:
    """A missing path and a bad option are told when the component is built."""
    catalogue = Catalogue.discover(builtins=["overread.adapters.bert.plugin"], entry_points=[])
    chosen = {"recognizer": f"bert:{random_classifier}"}
    assembly = Assembly(catalogue, chosen, {"recognizer": {"max_length": 16, "device": "cpu"}})
    assert assembly.get("recognizer").identity == recognizer(random_classifier, max_length=16).identity
    with pytest.raises(ConfigurationError, match=r"recognizer\.path must be given"):
        Assembly(catalogue, {"recognizer": "bert"}).get("recognizer")
    with pytest.raises(ConfigurationError, match="batch_size"):
        Assembly(catalogue, chosen, {"recognizer": {"batch_size": 0}})
