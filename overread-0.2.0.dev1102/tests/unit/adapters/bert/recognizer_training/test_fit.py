"""Training a recogniser: that both heads learn, what is written, and that a run goes on or is told from others."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from attrs import evolve
from safetensors.torch import load_file, save_file
from transformers import AutoModelForTokenClassification, AutoTokenizer, DebertaV2Model

from overread.adapters.bert._decoding import LABELS, decode_spans
from overread.adapters.bert._reading import token_places
from overread.adapters.bert._recognizer import BertEntityRecognizer, sentences_to_read
from overread.adapters.bert._span_head import KINDS, choose_spans, spans_of
from overread.adapters.bert.crepe.fit import BackboneSize, write_backbone
from overread.adapters.bert.options import BertRecognizerOptions
from overread.adapters.bert.recognizer_training._examples import span_examples, token_examples
from overread.adapters.bert.recognizer_training._network import Trainee
from overread.adapters.bert.recognizer_training.fit import fit_recognizer, read_options
from overread.adapters.bert.recognizer_training.options import RecognizerTrainingOptions
from overread.domain.entities.annotated_text import AnnotatedText
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.reports.report import Report
from overread.exceptions import ConfigurationError

from ..checkpoints import deberta_config, save_masked_language_model, save_unigram, seeded

PLACES = ("left lung", "heart", "right base", "spine")
FINDINGS = ("effusion", "mild edema", "nodule", "fracture")
SIZE = BackboneSize(layers=1, hidden=64, vocabulary=120, positions=64)


def marked(text: str, *entities: tuple[str, EntityType], name: str = "0", source: str = "") -> AnnotatedText:
    """A text with the first occurrence of each name marked."""
    found = [Entity(words, text.index(words), text.index(words) + len(words), kind) for words, kind in entities]
    ordered = tuple(sorted(found, key=lambda entity: (entity.start, entity.end)))
    return AnnotatedText(id=name, study=name, text=text, entities=ordered, source=source)


def texts(count: int = 32) -> list[AnnotatedText]:
    """Each finding at each place, asserted and denied; the word before a finding tells which."""
    made = []
    for i, (finding, place, denied) in enumerate(product(FINDINGS, PLACES, (False, True))):
        kind = EntityType.NON_ABNORMALITY if denied else EntityType.ABNORMALITY
        text = f"{'No' if denied else 'There is'} {finding} in the {place}."
        source = "denied" if denied else "asserted"
        made.append(marked(text, (finding, kind), (place, EntityType.ANATOMY), name=str(i), source=source))
    return made[:count]


def parted() -> tuple[list[AnnotatedText], list[AnnotatedText]]:
    """Texts to learn from, and others that name the same things in pairs that were not seen."""
    unseen = [text for i, text in enumerate(texts()) if (i // 2 + i // 8) % 4 == 0]
    return [text for text in texts() if text not in unseen], unseen


@pytest.fixture(scope="module")
def backbone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("backbone")
    write_backbone([text.text for text in texts()], folder, SIZE)
    return folder


def settings(backbone: Path, **changes: Any) -> RecognizerTrainingOptions:
    values: dict[str, Any] = {
        "backbone": str(backbone),
        "epochs": 25.0,
        "batch": 8,
        "learning_rate": 2e-3,
        "head_learning_rate": 5e-3,
        "patience": 99,
        "hidden": 64,
        "width": 8,
        "dropout": 0.0,
        "device": "cpu",
        "seed": 3,
    }
    return RecognizerTrainingOptions(**{**values, **changes})


def read(folder: Path, text: str) -> list[tuple[str, str]]:
    recognizer = BertEntityRecognizer.create(BertRecognizerOptions(path=str(folder), device="cpu"))
    [found] = recognizer.recognize([Report(text)])
    assert isinstance(found, tuple)
    return [(entity.text, entity.type.value) for entity in found]


@pytest.fixture(scope="module", params=["token", "span"])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, backbone: Path) -> Any:
    """Each head trained once, with what was told meanwhile."""
    folder, told = tmp_path_factory.mktemp("trained") / str(request.param), list[dict[str, float]]()
    options = settings(backbone, head=request.param)
    seen, unseen = parted()
    fitted = fit_recognizer(
        seen, folder, options, held_out=unseen, tests={"again": seen}, note="invented", told=told.append
    )
    return folder, options, fitted, told


def test_both_heads_learn_a_set_that_can_be_learned(trained: Any) -> None:
    """F1 on texts that were not trained on rises above 0.9, and so it is when the folder is read."""
    _, _, fitted, told = trained
    best = fitted.trained.best_f1
    assert best == max(figures["f1"] for figures in told)
    assert best > 0.9
    assert told[0]["f1"] < best
    assert fitted.reports["held out"].total.f1.value == pytest.approx(best)
    assert fitted.reports["again"].total.f1.value > 0.9
    assert fitted.reports["again"].accuracy.value > 0.9
    assert told[-1]["epoch"] == 25


def test_the_card_tells_what_was_measured(trained: Any) -> None:
    """Data, signature, figures by type and by epoch, and every option."""
    folder, _, fitted, told = trained
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "Data: invented (digest" in text
    assert f"`{fitted.identity}`" in text
    assert f"F1, {fitted.trained.best_f1:.3f}" in text
    assert "| held out | NON-DISEASE | 0 | none | none | none |" in text
    assert "| again | all | 48 |" in text
    assert text.count("\n| ") > len(told) + 20
    assert str(folder.parent) not in text
    assert ("| max_words | 8 |" in text) == ("| dropout | 0.0 |" in text) == (folder.name == "span")


def test_a_run_that_is_over_trains_no_more_and_another_is_refused(trained: Any) -> None:
    """The same texts and options give the same model; other texts need another folder."""
    folder, options, fitted, _ = trained
    told: list[dict[str, float]] = []
    seen, unseen = parted()
    again = fit_recognizer(seen, folder, options, held_out=unseen, told=told.append)
    assert told == []
    assert again.identity == fitted.identity
    assert again.trained.history == fitted.trained.history
    with pytest.raises(ConfigurationError, match="another folder"):
        fit_recognizer(seen[1:], folder, options, held_out=unseen)


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path, backbone: Path) -> None:
    """Stopped in its third epoch, it goes on with the fourth and ends where it would have."""
    options = settings(backbone, epochs=5.0)
    told: list[float] = []

    def stopping(figures: dict[str, float]) -> None:
        told.append(figures["epoch"])
        if len(told) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_recognizer(texts(), tmp_path / "model", options, told=stopping)
    assert not (tmp_path / "model" / "model.safetensors").exists()
    resumed: list[str] = []
    with pytest.raises(ConfigurationError, match="other data or options"):
        fit_recognizer(texts(), tmp_path / "model", evolve(options, seed=4), resuming=lambda: resumed.append("no"))
    fitted = fit_recognizer(
        texts(),
        tmp_path / "model",
        options,
        told=lambda figures: told.append(figures["epoch"]),
        resuming=lambda: resumed.append("yes"),
    )
    assert resumed == ["yes"]
    assert told == [1.0, 2.0, 3.0, 4.0, 4.0, 5.0]
    assert [figures["epoch"] for figures in fitted.trained.history] == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_training_stops_when_nothing_gets_better(tmp_path: Path, backbone: Path) -> None:
    """A rate too small to learn anything ends after the first evaluation and as many more as patience allows."""
    options = settings(backbone, learning_rate=1e-9, patience=2)
    fitted = fit_recognizer(texts(), tmp_path / "model", options)
    assert fitted.trained.epochs == 3


def test_the_token_head_is_a_token_classifier_that_others_read(tmp_path: Path, backbone: Path) -> None:
    """The folder loads by transformers' own classes, with the labels of RaTE-NER and the backbone's tokenizer."""
    fit_recognizer(texts(8), tmp_path / "model", settings(backbone, epochs=1.0))
    model: Any = AutoModelForTokenClassification.from_pretrained(tmp_path / "model")
    assert set(model.config.id2label.values()) >= {"O", "B-NON-DISEASE", "I-ANATOMY"}
    assert (tmp_path / "model" / "tokenizer.json").read_bytes() == (backbone / "tokenizer.json").read_bytes()
    assert AutoTokenizer.from_pretrained(tmp_path / "model").tokenize("effusion")


def test_texts_of_one_source_can_be_trained_on_alone(tmp_path: Path, backbone: Path) -> None:
    """As in the paper's ablation; what is held out is of all sources."""
    options = settings(backbone, epochs=1.0)
    fitted = fit_recognizer(texts(), tmp_path / "model", options, sources=["asserted"])
    assert fitted.trained.sentences <= 16
    assert "sources asserted" in (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    with pytest.raises(ConfigurationError, match="no training text has the source 'MIMIC'"):
        fit_recognizer(texts(), tmp_path / "other", options, sources=["MIMIC"])


def test_what_a_head_cannot_say_is_counted(backbone: Path) -> None:
    """An entity across sentences, one within another, and for spans one of too many words."""
    nested = marked("Mild edema in the heart.", ("Mild edema", EntityType.ABNORMALITY), ("edema", EntityType.DISEASE))
    across = marked("No nodule. No effusion.", ("nodule. No effusion", EntityType.ABNORMALITY), name="1")
    given, model = [nested, across], Trainee(settings(backbone), backbone).model()
    assert token_examples(given, model).left_out == 2
    assert span_examples(given, model, 1).left_out == 2
    assert span_examples(given, model, 2).left_out == 1


def test_what_cannot_be_trained_is_told(tmp_path: Path, backbone: Path) -> None:
    """Unknown options, texts without entities, a backbone that is damaged."""
    with pytest.raises(ConfigurationError, match="rate is not a setting"):
        read_options(str(backbone), ["rate=1"])
    with pytest.raises(ConfigurationError, match="learning_rate"):
        read_options(str(backbone), ["learning_rate=0"])
    bare = [evolve(text, entities=()) for text in texts(4)]
    with pytest.raises(ConfigurationError, match="none of the texts"):
        fit_recognizer(bare, tmp_path / "bare", settings(backbone))
    weights = load_file(backbone / "model.safetensors")
    broken = tmp_path / "broken"
    broken.mkdir()
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (broken / name).write_bytes((backbone / name).read_bytes())
    name = next(name for name in weights if "attention" in name)
    save_file({key: value for key, value in weights.items() if key != name}, broken / "model.safetensors")
    with pytest.raises(ConfigurationError, match="lacks 1 weights"):
        fit_recognizer(texts(4), tmp_path / "lacking", settings(broken))


def test_a_backbone_saved_with_another_head_can_be_trained(tmp_path: Path) -> None:
    """A masked language model, as most pre-trained encoders are published, or a classifier over other labels."""
    backbone = save_masked_language_model(tmp_path / "mlm")
    fitted = fit_recognizer(texts(4), tmp_path / "model", settings(backbone, epochs=1.0))
    assert len(fitted.trained.history) == 1


def test_what_is_learned_of_a_text_says_its_entities_again(tmp_path: Path) -> None:
    """Over tokens that hold the space before a word, labels and spans that are read as answers give what was marked."""
    backbone = tmp_path / "deberta"
    seeded(DebertaV2Model, deberta_config()).save_pretrained(backbone)
    save_unigram(backbone)
    given = [
        marked("No pleural effusion, left lung clear.", ("pleural effusion", EntityType.NON_ABNORMALITY)),
        marked("Mild edema: left lower lobe, 9", ("left lower lobe", EntityType.ANATOMY)),
        marked("9 cm pneumonias.", ("9 cm", EntityType.ABNORMALITY), ("pneumonias", EntityType.DISEASE)),
    ]
    model = Trainee(settings(backbone), backbone).model()
    tokens, spans = token_examples(given, model), span_examples(given, model, 8)
    assert (tokens.entities, tokens.left_out, spans.entities, spans.left_out) == (4, 0, 4, 0)
    for text, labelled, spanned in zip(given, tokens.rows, spans.rows, strict=True):
        plain, [sentence] = sentences_to_read(text.text)
        [row] = model.rows([sentence.of(plain.text)], whole=True)
        told = [
            (LABELS[n], place) for n, place in zip(labelled["labels"], token_places(model, row), strict=True) if place
        ]
        known = tuple((entity.start, entity.end, entity.type) for entity in text.entities)
        assert decode_spans(text.text, *zip(*told, strict=True)) == known
        certain = torch.nn.functional.one_hot(torch.tensor(spanned["labels"]), len(KINDS))
        assert choose_spans(spans_of(sentence.of(text.text), row, 8), certain) == known


@pytest.mark.parametrize("head", ["token", "span"])
def test_a_deberta_can_be_trained(tmp_path: Path, head: str) -> None:
    """The architecture of the published recogniser."""
    backbone = tmp_path / "deberta"
    seeded(DebertaV2Model, deberta_config()).save_pretrained(backbone)
    save_unigram(backbone)
    fit_recognizer(texts(4), tmp_path / "model", settings(backbone, head=head, epochs=1.0))
    assert isinstance(read(tmp_path / "model", "No effusion."), list)


def test_a_damaged_span_head_is_refused(tmp_path: Path, backbone: Path) -> None:
    """A head of other sizes or with numbers that are none would find anything."""
    folder = tmp_path / "model"
    fit_recognizer(texts(4), folder, settings(backbone, head="span", epochs=1.0))
    with pytest.raises(ConfigurationError, match="compile is for token classifiers"):
        BertEntityRecognizer.create(BertRecognizerOptions(path=str(folder), compile=True))
    recognizer = BertEntityRecognizer.create(BertRecognizerOptions(path=str(folder), device="cpu"))
    with pytest.raises(ConfigurationError, match="needs a token classifier"):
        recognizer.as_released("ratescore-0.6.0")
    weights = load_file(folder / "span_head.safetensors")
    save_file({name: torch.full_like(w, torch.nan) for name, w in weights.items()}, folder / "span_head.safetensors")
    with pytest.raises(ConfigurationError, match="not numbers"):
        read(folder, "No effusion.")
    config = json.loads((folder / "config.json").read_text())
    config["span_head"]["hidden"] = 7
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ConfigurationError, match="span head cannot be read"):
        read(folder, "No effusion.")
