"""Which checkpoints and adapters are loaded, and what is said of those that are not."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import peft
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModelForCausalLM,
    BertConfig,
    BertForMaskedLM,
    LlamaConfig,
    LlamaForCausalLM,
    LlamaForSequenceClassification,
)

from overread.adapters.llm.causal_lm import loading as _loading
from overread.adapters.llm.causal_lm.loading import LoadedModel, load_causal_model
from overread.adapters.llm.causal_lm.model import CausalLanguageModel
from overread.adapters.llm.causal_lm.options import TransformersModelOptions
from overread.application.ports import Message, Request
from overread.exceptions import ConfigurationError, MissingDependencyError

from .checkpoints import CHATML, save, tokenizer_of

Damage = Callable[[Path], object]
Weights = dict[str, torch.Tensor]
IDS = torch.tensor([[0, 9, 17, 23, 8]])


def edit_json(path: Path, **changes: object) -> None:
    kept = {key: value for key, value in (json.loads(path.read_text()) | changes).items() if value is not None}
    path.write_text(json.dumps(kept))


def edit_weights(path: Path, edit: Callable[[Weights], object]) -> None:
    weights = load_file(path)
    edit(weights)
    save_file(weights, path, metadata={"format": "pt"})


def cut_off(path: Path, share: float) -> None:
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])


def spoil(weights: Weights) -> None:
    next(iter(weights.values())).view(-1)[0] = float("nan")


def drop(part: str) -> Callable[[Weights], object]:
    def edit(weights: Weights) -> None:
        for name in [name for name in weights if part in name]:
            del weights[name]

    return edit


def logits(loaded: LoadedModel) -> torch.Tensor:
    with torch.inference_mode():
        found: torch.Tensor = loaded.network(input_ids=IDS).logits
    return found


class Calls:
    """Runs a command when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (self.marker,)  # type: ignore[return-value]


def pickle_a_command(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Calls(folder / "ran")))


def save_masked(folder: Path) -> None:
    config = BertConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    BertForMaskedLM(config).save_pretrained(folder)


def save_classifier(folder: Path) -> None:
    config = LlamaConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, pad_token_id=0
    )
    LlamaForSequenceClassification(config).save_pretrained(folder)  # type: ignore[no-untyped-call]


def save_larger_tokenizer(folder: Path) -> None:
    tokenizer = tokenizer_of()
    tokenizer.add_tokens(["effusions"])
    tokenizer.save_pretrained(folder)


CONFIG, WEIGHTS = "config.json", "model.safetensors"
DAMAGES: list[tuple[str, Damage, str]] = [
    ("no config", lambda f: (f / CONFIG).unlink(), "config.json is missing"),
    ("config cut off", lambda f: cut_off(f / CONFIG, 0.5), "config.json is not a JSON object"),
    (
        "config of an unknown model",
        lambda f: edit_json(f / CONFIG, model_type="radllama"),
        "config.json cannot be read",
    ),
    ("no weights", lambda f: (f / WEIGHTS).unlink(), "weights are missing"),
    ("weights cut off", lambda f: cut_off(f / WEIGHTS, 0.7), "weights cannot be read as causal model"),
    ("weights empty", lambda f: cut_off(f / WEIGHTS, 0), "weights cannot be read as causal model"),
    ("a pickle that runs a command", pickle_a_command, "weights cannot be read as causal model"),
    ("weights that are no numbers", lambda f: edit_weights(f / WEIGHTS, spoil), "values that are not numbers"),
    ("a layer missing", lambda f: edit_weights(f / WEIGHTS, drop("layers.1.")), "its weights lack model.layers.1."),
    ("mis-shaped", lambda f: edit_json(f / CONFIG, intermediate_size=64), "does not match config.json"),
    ("no tokenizer", lambda f: (f / "tokenizer.json").unlink(), "the tokenizer is missing"),
    ("tokenizer cut off", lambda f: cut_off(f / "tokenizer.json", 0.5), "the tokenizer cannot be read"),
    ("tokens without weights", save_larger_tokenizer, "its tokenizer knows .* tokens, its weights"),
    (
        "generation_config cut off",
        lambda f: cut_off(f / "generation_config.json", 0.5),
        "generation_config.json cannot be read",
    ),
    ("an encoder with a decoder", lambda f: edit_json(f / CONFIG, model_type="t5"), "no causal model: .* none for t5"),
    (
        "a classifier",
        save_classifier,
        r"no causal model: its weights lack lm_head.weight .*saved as LlamaForSequenceClassification",
    ),
    ("a masked language model", save_masked, r"no causal model: .*words after it \(it was saved as BertForMaskedLM\)"),
    ("an adapter beside it", lambda f: (f / "adapter_config.json").write_text("{}"), "this is an adapter"),
]


@pytest.mark.parametrize(("damage", "complaint"), [pytest.param(d, c, id=name) for name, d, c in DAMAGES])
def test_a_broken_checkpoint_gives_one_message_with_folder_and_remedy(
    damage: Damage, complaint: str, llama: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever is wrong with a folder, users see one line and nothing of the libraries'."""
    folder = Path(shutil.copytree(llama, tmp_path / "mine"))
    damage(folder)
    capfd.readouterr()
    with pytest.raises(ConfigurationError, match=complaint) as raised:
        load_causal_model(str(folder))
    (problem,) = raised.value.problems
    assert repr(str(folder)) in problem
    assert "; " in problem, "the remedy follows the problem"
    assert "\n" not in problem
    assert len(problem) < 600
    assert not (folder / "ran").exists(), "loading weights runs nothing"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("device", ["cuda:99", "tpu"])
def test_a_device_that_is_not_there_is_refused(device: str, llama: Path) -> None:
    """A model that was meant for a GPU does not run on the processor unseen."""
    with pytest.raises(ConfigurationError, match="device"):
        load_causal_model(str(llama), device=device)


def test_weights_in_shards_load_as_those_in_one_file(llama: Path, tmp_path: Path) -> None:
    """As models of seven billion parameters are published: an index and several files."""
    folder = save(tmp_path / "llama", shard="60KB")
    shards = sorted(folder.glob("model-*.safetensors"))
    assert len(shards) > 2
    assert (folder / "model.safetensors.index.json").is_file()
    sharded, whole = load_causal_model(str(folder)), load_causal_model(str(llama))
    assert torch.equal(logits(sharded), logits(whole))
    shards[1].unlink()
    with pytest.raises(ConfigurationError, match=rf"parts of the weights are missing \({shards[1].name}\)"):
        load_causal_model(str(folder))


def test_weights_are_held_in_the_format_asked_for(llama: Path) -> None:
    """Memory is what limits the size of a model."""
    for dtype, expected in (("auto", torch.float32), ("bf16", torch.bfloat16)):
        loaded = load_causal_model(str(llama), device="cpu", dtype=dtype)
        assert {weight.dtype for weight in loaded.network.parameters()} == {expected}


def test_every_ending_that_a_checkpoint_names_ends_an_answer(llama: Path, tmp_path: Path) -> None:
    """Tokenizer and generation config may name different ends."""
    folder = Path(shutil.copytree(llama, tmp_path / "mine"))
    assert load_causal_model(str(folder)).endings == {1}
    edit_json(folder / "generation_config.json", eos_token_id=[4, 7])
    assert load_causal_model(str(folder)).endings == {1, 4, 7}


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_the_positions_of_a_model_are_told(kind: str, tmp_path: Path) -> None:
    """Configurations name the number in different words."""
    assert load_causal_model(str(save(tmp_path / "small", kind, positions=40))).positions == 40


def test_the_name_changes_with_every_file_that_changes_an_answer(llama: Path, tmp_path: Path) -> None:
    """The name stands in signatures."""
    edits: list[Damage] = [
        lambda f: (f / "README.md").write_text("a note"),
        lambda f: edit_weights(f / WEIGHTS, lambda w: next(iter(w.values())).view(-1)[0].add_(1e-3)),
        lambda f: edit_json(f / CONFIG, rms_norm_eps=1e-5),
        lambda f: (f / "chat_template.jinja").write_text(CHATML),
        lambda f: edit_json(f / "generation_config.json", eos_token_id=[4, 7]),
        lambda f: edit_json(f / "tokenizer_config.json", eos_token="<|im_end|>"),  # noqa: S106 - no password
    ]
    names = [load_causal_model(str(llama)).name]
    for index, edit in enumerate(edits):
        folder = Path(shutil.copytree(llama, tmp_path / str(index) / "llama"))
        edit(folder)
        names.append(load_causal_model(str(folder)).name)
    assert names[0] == names[1], "a note beside the weights changes no answer"
    assert len(set(names)) == len(edits)
    assert all(name.startswith("llama@") for name in names)


def test_a_name_fits_into_a_signature(llama: Path, tmp_path: Path) -> None:
    """Signs that part a signature are replaced."""
    folder = Path(shutil.copytree(llama, tmp_path / "my model, v2|x"))
    assert load_causal_model(str(folder)).name.startswith("my_model__v2_x@")


# Adapters


def save_adapter(base: Path, folder: Path, config: Any | None = None) -> Path:
    """An adapter of random weights."""
    torch.manual_seed(1)
    lora = peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False, task_type="CAUSAL_LM")
    model = peft.get_peft_model(AutoModelForCausalLM.from_pretrained(base), config or lora)
    model.save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="module")
def lora(llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_adapter(llama, tmp_path_factory.mktemp("adapters") / "radiology")


def test_an_adapter_answers_as_peft_has_it(llama: Path, lora: Path) -> None:
    """The adapter's weights are applied, and its name and digest tell so."""
    adapted = load_causal_model(str(llama), adapter=str(lora))
    expected = peft.PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(llama), str(lora)).eval()
    with torch.inference_mode():
        assert torch.equal(logits(adapted), expected(input_ids=IDS).logits)
    bare = load_causal_model(str(llama))
    assert not torch.allclose(logits(adapted), logits(bare))
    assert adapted.name.startswith("llama+radiology@")
    assert adapted.name.rpartition("@")[2] != bare.name.rpartition("@")[2]


def test_an_adapted_model_answers_requests(llama: Path, lora: Path) -> None:
    """The option reaches the model, and its answers are others than the base's."""
    requests = [Request((Message("user", "No effusion." * n),), max_tokens=8) for n in range(1, 4)]
    options = TransformersModelOptions(path=str(llama), adapter=str(lora))
    adapted, bare = (CausalLanguageModel.create(o) for o in (options, TransformersModelOptions(path=str(llama))))
    assert "llama+radiology@" in adapted.identity
    assert dict(adapted.complete(requests)) != dict(bare.complete(requests))


def pickle_an_adapter(folder: Path, _: Path) -> None:
    (folder / TENSORS).unlink()
    (folder / "adapter_model.bin").write_bytes(pickle.dumps(Calls(folder / "ran")))


def save_other_kind(folder: Path, base: Path) -> None:
    kind = peft.IA3Config(target_modules=["k_proj", "down_proj"], feedforward_modules=["down_proj"])
    shutil.rmtree(folder)
    save_adapter(base, folder, kind)


def save_for_other_model(folder: Path, base: Path) -> None:
    wider = base.parent / "wider"
    config = LlamaConfig(
        vocab_size=340, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    LlamaForCausalLM(config).save_pretrained(wider)
    shutil.rmtree(folder)
    save_adapter(wider, folder)


ADAPTER, TENSORS = "adapter_config.json", "adapter_model.safetensors"
ADAPTER_DAMAGES: list[tuple[str, Callable[[Path, Path], object], str]] = [
    ("no folder", lambda f, _: shutil.rmtree(f), "adapter_config.json is missing"),
    ("no config", lambda f, _: (f / ADAPTER).unlink(), "adapter_config.json is missing"),
    ("config cut off", lambda f, _: cut_off(f / ADAPTER, 0.5), "adapter_config.json cannot be read"),
    ("no weights", lambda f, _: (f / TENSORS).unlink(), "the adapter's weights are missing"),
    ("weights cut off", lambda f, _: cut_off(f / TENSORS, 0.7), "does not fit the model or is damaged"),
    ("a pickle that runs a command", pickle_an_adapter, "does not fit the model or is damaged"),
    ("a layer missing", lambda f, _: edit_weights(f / TENSORS, drop("layers.1.")), "does not fit the model"),
    ("no numbers", lambda f, _: edit_weights(f / TENSORS, spoil), "values that are not numbers"),
    ("another model's", save_for_other_model, "does not fit the model"),
    ("no LoRA", save_other_kind, "this is not a LoRA adapter but IA3"),
    (
        "modules that are not there",
        lambda f, _: edit_json(f / ADAPTER, target_modules=["attn_x"]),
        "does not fit the model",
    ),
]


@pytest.mark.parametrize(("damage", "complaint"), [pytest.param(d, c, id=name) for name, d, c in ADAPTER_DAMAGES])
def test_a_broken_adapter_gives_one_message_with_folder_and_remedy(
    damage: Callable[[Path, Path], object],
    complaint: str,
    llama: Path,
    lora: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """An adapter that does not fit its base is told like a broken checkpoint."""
    base, folder = (Path(shutil.copytree(path, tmp_path / path.name)) for path in (llama, lora))
    damage(folder, base)
    capfd.readouterr()
    with pytest.raises(ConfigurationError, match=complaint) as raised:
        load_causal_model(str(base), adapter=str(folder))
    (problem,) = raised.value.problems
    assert repr(str(folder)) in problem
    assert "; " in problem
    assert "\n" not in problem
    assert len(problem) < 600
    assert not (folder / "ran").exists(), "loading weights runs nothing"
    assert capfd.readouterr() == ("", "")


def test_the_base_that_an_adapter_names_is_not_looked_for(llama: Path, lora: Path, tmp_path: Path) -> None:
    """The base that is given counts; its place on another machine does not."""
    folder = Path(shutil.copytree(lora, tmp_path / lora.name))
    edit_json(folder / ADAPTER, base_model_name_or_path="owner/base-7b")
    named, plain = (load_causal_model(str(llama), adapter=str(path)) for path in (folder, lora))
    assert torch.equal(logits(named), logits(plain))


def test_an_adapter_alone_is_told_from_a_model(lora: Path) -> None:
    """The two folders look alike and are easily taken for each other."""
    with pytest.raises(ConfigurationError, match=r"this is an adapter; give its base model"):
        load_causal_model(str(lora))


def test_an_adapter_needs_peft(llama: Path, lora: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models without an adapter do without the package."""
    monkeypatch.setattr("overread.extras.find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError, match=r"needs peft; install with: pip install 'overread\[train\]'"):
        load_causal_model(str(llama), adapter=str(lora))
    assert load_causal_model(str(llama)).positions == 512


# Hub ids


@pytest.mark.parametrize("path", ["/no/such/folder", "owner/model", "a/b/c", "my-model"])
def test_what_is_no_folder_is_looked_for_in_the_local_cache_only(path: str) -> None:
    """A look at the network fails the test."""
    with pytest.raises(
        ConfigurationError, match=r"neither a folder nor in the hub's local cache .*allow_download=true"
    ):
        load_causal_model(path)


@pytest.mark.parametrize("allowed", [False, True])
def test_a_hub_id_is_fetched_only_where_that_is_allowed(
    allowed: bool,  # noqa: FBT001 - a parameter of the test
    llama: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is downloaded unasked, and never weights that can run code."""
    asked: list[dict[str, Any]] = []

    def fetch(model: str, **options: Any) -> str:
        asked.append({"model": model, **options})
        return str(llama)

    monkeypatch.setattr(_loading, "snapshot_download", fetch)
    assert load_causal_model("owner/model-7b", allow_download=allowed).name.startswith("model-7b@")
    (call,) = asked
    assert call["local_files_only"] is not allowed
    assert "*.jinja" in call["allow_patterns"], "newer checkpoints keep their chat template there"
    assert not any(".bin" in pattern for pattern in call["allow_patterns"])


def test_a_folder_is_used_without_a_look_at_the_hub(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative name could be an id of the hub as well."""
    monkeypatch.chdir(llama.parent)
    assert load_causal_model(llama.name, allow_download=True).name.startswith("llama@")
    monkeypatch.chdir(llama)
    assert load_causal_model(os.curdir, allow_download=True).name.startswith("llama@")
