"""What a checkpoint must hold, and what is said of one that cannot be used."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from overread.adapters.checkpoints import checkpoint as _checkpoint
from overread.adapters.checkpoints.checkpoint import checkpoint_digest, locate_checkpoint
from overread.adapters.checkpoints.loading import Model, load_encoder, load_token_classifier
from overread.exceptions import ConfigurationError

from ..bert.checkpoints import save_bert_encoder, save_masked_language_model, save_sequence_classifier

Damage = Callable[[Path], object]
Weights = dict[str, torch.Tensor]


def edit_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    kept = {key: value for key, value in (json.loads(path.read_text()) | changes).items() if value is not None}
    path.write_text(json.dumps(kept))


def edit_weights(folder: Path, edit: Callable[[Weights], object]) -> None:
    weights = load_file(folder / "model.safetensors")
    edit(weights)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def cut_off(path: Path, share: float) -> None:
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])


def pickle_weights(folder: Path) -> Path:
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    return folder / "pytorch_model.bin"


class Calls:
    """Runs a command when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (self.marker,)  # type: ignore[return-value]


def shard(folder: Path) -> None:
    """Says that the weights are in two files, one of which is missing."""
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    names = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))


def spoil(weights: Weights) -> None:
    next(iter(weights.values())).view(-1)[0] = float("nan")


def drop_layer(weights: Weights) -> None:
    for name in [name for name in weights if "layer.1." in name]:
        del weights[name]


def know_fewer_words(folder: Path) -> None:
    """A model of nine words beside a tokenizer of more."""

    def shrink(weights: Weights) -> None:
        name = next(name for name in weights if "word_embeddings" in name)
        weights[name] = weights[name][:9].clone()

    edit_weights(folder, shrink)
    edit_config(folder, vocab_size=9)


DAMAGES: list[tuple[str, Damage, str]] = [
    ("no config", lambda f: (f / "config.json").unlink(), "config.json is missing"),
    ("config cut off", lambda f: cut_off(f / "config.json", 0.5), "config.json is not a JSON object"),
    ("config of no model", lambda f: edit_config(f, model_type=None), "config.json cannot be read"),
    ("config of an unknown model", lambda f: edit_config(f, model_type="radbert9"), "config.json cannot be read"),
    ("no weights", lambda f: (f / "model.safetensors").unlink(), "weights are missing"),
    ("a shard missing", shard, r"parts of the weights are missing \(model-00002-of-00002.safetensors\)"),
    ("weights cut off", lambda f: cut_off(f / "model.safetensors", 0.7), "weights cannot be read"),
    ("weights empty", lambda f: cut_off(f / "model.safetensors", 0), "weights cannot be read"),
    ("pickled weights cut off", lambda f: cut_off(pickle_weights(f), 0.7), "weights cannot be read"),
    ("pickled weights of text", lambda f: pickle_weights(f).write_text("not weights"), "weights cannot be read"),
    (
        "a pickle that runs a command",
        lambda f: pickle_weights(f).write_bytes(pickle.dumps(Calls(f / "ran"))),
        "weights cannot be read",
    ),
    ("mis-shaped weights", lambda f: edit_config(f, intermediate_size=96), "does not match config.json"),
    ("weights that are no numbers", lambda f: edit_weights(f, spoil), "values that are not numbers"),
    ("a layer missing", lambda f: edit_weights(f, drop_layer), "its weights lack .*encoder.layer.1"),
    ("no tokenizer", lambda f: (f / "tokenizer.json").unlink(), "the tokenizer is missing"),
    ("tokenizer cut off", lambda f: cut_off(f / "tokenizer.json", 0.5), "the tokenizer cannot be read"),
    (
        "another model's tokenizer",
        know_fewer_words,
        "tokenizer knows",
    ),
]


@pytest.mark.parametrize(("damage", "complaint"), [pytest.param(d, c, id=name) for name, d, c in DAMAGES])
@pytest.mark.parametrize("kind", ["token classifier", "encoder"])
def test_a_broken_checkpoint_gives_one_message_with_folder_and_remedy(
    kind: str, damage: Damage, complaint: str, random_classifier: Path, random_encoder: Path, tmp_path: Path
) -> None:
    """Whatever is wrong with a folder, users see one line and no traceback."""
    loaders: dict[str, tuple[Path, Callable[..., Model]]] = {
        "token classifier": (random_classifier, load_token_classifier),
        "encoder": (random_encoder, load_encoder),
    }
    whole, load = loaders[kind]
    folder = tmp_path / "mine"
    shutil.copytree(whole, folder)
    damage(folder)
    with pytest.raises(ConfigurationError, match=complaint) as raised:
        load(str(folder), max_length=64)
    (problem,) = raised.value.problems
    assert repr(str(folder)) in problem
    assert "; " in problem, "the remedy follows the problem"
    assert "\n" not in problem
    assert len(problem) < 600
    assert not (folder / "ran").exists(), "loading weights runs nothing"


@pytest.mark.parametrize("save", [save_masked_language_model, save_sequence_classifier, save_bert_encoder])
def test_weights_are_never_drawn_at_random_for_a_head_that_a_checkpoint_lacks(
    save: Callable[[Path], Path], tmp_path: Path
) -> None:
    """A masked language model, an encoder and a classifier of whole texts are all no token classifier."""
    folder = save(tmp_path / "other")
    if save is save_sequence_classifier:
        edit_weights(folder, lambda weights: weights.pop("classifier.bias"))
    with pytest.raises(ConfigurationError, match=r"no token classifier: its weights lack classifier\.") as raised:
        load_token_classifier(str(folder), max_length=64)
    saved = json.loads((folder / "config.json").read_text())["architectures"][0]
    assert f"it was saved as {saved}" in str(raised.value)


def test_an_encoder_with_a_decoder_is_refused(random_encoder: Path, tmp_path: Path) -> None:
    """Half of its weights would never be used."""
    folder = Path(shutil.copytree(random_encoder, tmp_path / "mine"))
    edit_config(folder, model_type="t5", is_encoder_decoder=True)
    with pytest.raises(ConfigurationError, match="no encoder: it is an encoder-decoder"):
        load_encoder(str(folder), max_length=64)


def test_an_encoder_may_come_without_its_pooler_or_with_another_models_head(tmp_path: Path) -> None:
    """Its states are asked for, and nothing else."""
    folder = save_masked_language_model(tmp_path / "masked")
    assert load_encoder(str(folder), max_length=64).max_length == 64


@pytest.mark.parametrize("stored", [torch.float16, torch.bfloat16])
def test_weights_stored_in_half_precision_compute_in_full(
    stored: torch.dtype, random_encoder: Path, tmp_path: Path
) -> None:
    """The format of a file does not choose the format of the computation."""
    folder = Path(shutil.copytree(random_encoder, tmp_path / "half"))
    edit_weights(folder, lambda weights: weights.update({k: v.to(stored) for k, v in weights.items()}))
    model = load_encoder(str(folder), max_length=64)
    ((_, output, _),) = model.batches(model.rows(["left effusion"], whole=False), 1)
    assert output.last_hidden_state.dtype is torch.float32


def test_pickled_weights_answer_as_the_same_weights_in_safetensors(random_encoder: Path, tmp_path: Path) -> None:
    """Old checkpoints hold the same model."""
    folder = Path(shutil.copytree(random_encoder, tmp_path / "pickled"))
    pickle_weights(folder)
    one, other = (load_encoder(str(path), max_length=64) for path in (random_encoder, folder))
    ((_, expected, _),) = one.batches(one.rows(["left effusion"], whole=False), 1)
    ((_, output, _),) = other.batches(other.rows(["left effusion"], whole=False), 1)
    assert torch.equal(output.last_hidden_state, expected.last_hidden_state)


def test_the_digest_tells_weights_configurations_and_tokenizers_apart(random_encoder: Path, tmp_path: Path) -> None:
    """Whatever changes an answer changes the signature, and nothing else does."""
    edits: list[Damage] = [
        lambda f: (f / "README.md").write_text("a note"),
        lambda f: edit_weights(f, lambda weights: next(iter(weights.values())).view(-1)[0].add_(1e-3)),
        lambda f: edit_config(f, hidden_act="relu"),
        lambda f: (f / "tokenizer.json").write_text((f / "tokenizer.json").read_text().replace("edema", "oedema")),
    ]
    digests = [checkpoint_digest(random_encoder)]
    for index, edit in enumerate(edits):
        folder = Path(shutil.copytree(random_encoder, tmp_path / str(index)))
        edit(folder)
        digests.append(checkpoint_digest(folder))
    assert digests[0] == digests[1], "a note beside the weights changes no answer"
    assert len(set(digests)) == len(edits)


@pytest.mark.parametrize("path", ["/no/such/folder", "./checkpoint", "~/no-such-checkpoint", "a/b/c", "models\\mine"])
def test_a_path_that_is_not_there_is_not_looked_for_on_the_hub(path: str) -> None:
    """A mistyped path would else be told as a failed download."""
    with pytest.raises(ConfigurationError, match=r"there is no such folder; give the folder"):
        locate_checkpoint(path)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    """Who gives the file of weights is told to give its folder."""
    (tmp_path / "model.safetensors").touch()
    with pytest.raises(ConfigurationError, match="this is a file; give the folder"):
        locate_checkpoint(str(tmp_path / "model.safetensors"))


def test_a_hub_id_is_asked_for_once_and_pickled_weights_only_where_there_are_no_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Pickled weights can run code, and are large."""
    asked: list[tuple[str, list[str]]] = []

    def download(model: str, *, allow_patterns: list[str], ignore_patterns: list[str]) -> str:
        assert ignore_patterns == ["*/*"], "exports for other libraries lie in folders"
        asked.append((model, allow_patterns))
        return str(tmp_path)

    monkeypatch.setattr(_checkpoint, "snapshot_download", download)
    (tmp_path / "model.safetensors").touch()
    assert locate_checkpoint("owner/model") == tmp_path
    (tmp_path / "model.safetensors").unlink()
    assert locate_checkpoint("owner/model") == tmp_path
    assert [model for model, _ in asked] == ["owner/model"] * 3
    assert [any(".bin" in pattern for pattern in patterns) for _, patterns in asked] == [False, False, True]


def test_a_hub_id_out_of_reach_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistyped folder looks like an id of the hub, so that both are named."""

    def fail(*_: object, **__: object) -> str:
        raise OSError("the hub is offline\nand a long explanation")

    monkeypatch.setattr(_checkpoint, "snapshot_download", fail)
    with pytest.raises(
        ConfigurationError, match=r"neither a folder nor .*the hub is offline\); give the folder"
    ) as raised:
        locate_checkpoint("owner/model")
    assert "\n" not in str(raised.value)


def test_a_tokenizer_file_is_taken_as_it_stands(random_classifier: Path, tmp_path: Path) -> None:
    """A cased tokenizer stays cased, although the tokenizer class that its settings name would lower every word."""
    folder = Path(shutil.copytree(random_classifier, tmp_path / "cased"))
    stored = json.loads((folder / "tokenizer.json").read_text())
    stored["normalizer"]["lowercase"] = False
    (folder / "tokenizer.json").write_text(json.dumps(stored))
    cased, uncased = (load_token_classifier(str(path), max_length=64) for path in (folder, random_classifier))
    assert cased.rows(["Effusion"], whole=True)[0].ids != uncased.rows(["Effusion"], whole=True)[0].ids
    assert cased.rows(["effusion"], whole=True)[0].ids == uncased.rows(["effusion"], whole=True)[0].ids


def test_a_checkpoint_with_a_bare_vocabulary_reads_as_one_with_a_tokenizer_file(
    random_classifier: Path, tmp_path: Path
) -> None:
    """As the older checkpoints come: vocab.txt and no tokenizer.json."""
    folder = Path(shutil.copytree(random_classifier, tmp_path / "old"))
    words = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(sorted(words, key=words.__getitem__)))
    (folder / "tokenizer.json").unlink()
    old, new = (load_token_classifier(str(path), max_length=64) for path in (folder, random_classifier))
    text = "Left lower lobe effusions."
    assert old.rows([text], whole=True)[0].ids == new.rows([text], whole=True)[0].ids
    assert old.rows([text], whole=True)[0].offsets == new.rows([text], whole=True)[0].offsets
