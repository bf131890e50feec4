"""Loading a checkpoint: what is accepted, and the one message for what is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tokenizers.normalizers import BertNormalizer
from torch import Tensor

from overread.adapters.bert.crepe._checkpoint import load_checkpoint
from overread.exceptions import ConfigurationError

from .checkpoints import TINY, WORDS, configure, rewrite, write


def _tensors(folder: Path) -> dict[str, Tensor]:
    return dict(load_checkpoint(folder).model.state_dict())


def _same(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(tensor, other[name]) for name, tensor in one.items())


def _without(*beginnings: str) -> Callable[[dict[str, Tensor]], dict[str, Tensor]]:
    return lambda state: {name: tensor for name, tensor in state.items() if not name.startswith(beginnings)}


def test_every_tensor_on_disk_is_in_the_model(tmp_path: Path) -> None:
    """No weight of a published file is left out or filled in at random."""
    folder = write(tmp_path / "crepe")
    checkpoint = load_checkpoint(folder)
    assert _same(dict(checkpoint.model.state_dict()), load_file(folder / "model.safetensors"))
    assert (checkpoint.name, checkpoint.pooling, checkpoint.max_positions) == ("crepe", "pooler", 512)
    assert checkpoint.head_names == ("A", "B", "C", "D", "E", "F")


def test_loading_leaves_the_callers_seed_alone(tmp_path: Path) -> None:
    """Building a model draws random weights before it reads the true ones."""
    folder = write(tmp_path / "crepe")
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    load_checkpoint(folder)
    assert torch.equal(torch.rand(3), expected)


def _as_bin(folder: Path) -> None:
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def _plain_config(folder: Path) -> None:
    """As a BertConfig that knows nothing of CREPE, and names an architecture nobody knows."""
    crepe = {"num_error_categories": None, "use_presence_loss": None, "use_poisson_loss": None}
    configure(folder, architectures=["CREPERegressor"], model_type="crepe", **crepe)


VARIANTS: dict[str, Callable[[Path], None]] = {
    "pytorch_model.bin": _as_bin,
    "a plain config": _plain_config,
    "a wrapper's prefix": lambda folder: rewrite(
        folder, lambda state: {f"module.{name}": tensor for name, tensor in state.items()}
    ),
    "buffers of older releases": lambda folder: rewrite(
        folder, lambda state: {**state, "bert.embeddings.position_ids": torch.arange(512)[None]}
    ),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_other_ways_to_save_give_the_same_model(tmp_path: Path, variant: str) -> None:
    """Pickled, split and differently named weights are one model."""
    folder = write(tmp_path / "crepe")
    expected = _tensors(folder)
    VARIANTS[variant](folder)
    assert _same(_tensors(folder), expected)


def test_half_precision_on_disk_becomes_single(tmp_path: Path) -> None:
    """The format of a file does not choose the format of the computation."""
    folder = write(tmp_path / "crepe", change=lambda state: {name: tensor.half() for name, tensor in state.items()})
    configure(folder, dtype="float16")
    assert {tensor.dtype for tensor in _tensors(folder).values()} == {torch.float32}
    assert _same(_tensors(folder), {n: t.float() for n, t in load_file(folder / "model.safetensors").items()})


def test_pooling_is_what_is_asked_for_else_what_the_config_says_else_the_pooler_where_there_is_one(
    tmp_path: Path,
) -> None:
    """The release has a pooler, the paper's text has none."""
    with_pooler, without = write(tmp_path / "with"), write(tmp_path / "without", change=_without("bert.pooler."))
    assert load_checkpoint(with_pooler).pooling == "pooler"
    assert load_checkpoint(without).pooling == "cls"
    assert load_checkpoint(with_pooler, "cls").pooling == "cls"
    configure(with_pooler, crepe_pooling="cls")
    assert load_checkpoint(with_pooler).pooling == "cls"
    assert load_checkpoint(with_pooler, "pooler").pooling == "pooler"
    with pytest.raises(ConfigurationError, match=r"it has no pooler \(set pooling=cls\)"):
        load_checkpoint(without, "pooler")


@pytest.mark.parametrize(("heads", "names"), [(1, ("total",)), (2, ("significant", "insignificant"))])
def test_the_papers_ablations_load(tmp_path: Path, heads: int, names: tuple[str, ...]) -> None:
    """Models of one and of two heads, without presence, name what they count."""
    checkpoint = load_checkpoint(write(tmp_path / "crepe", heads=heads, presence=False))
    assert checkpoint.head_names == names
    assert not checkpoint.model.has_presence


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "vocab.txt"])
def test_the_digest_follows_every_file_that_is_read(tmp_path: Path, name: str) -> None:
    """Whatever changes an answer changes the signature."""
    one, other = write(tmp_path / "one"), write(tmp_path / "other")
    assert load_checkpoint(one).digest == load_checkpoint(other).digest
    if name == "model.safetensors":
        rewrite(other, lambda state: {n: t + 1e-3 for n, t in state.items()})
    elif name == "config.json":
        configure(other, attention_probs_dropout_prob=0.2)
    else:
        (other / name).write_text("\n".join([*WORDS[:-1], "changed"]) + "\n")
    assert load_checkpoint(one).digest != load_checkpoint(other).digest


def _cut(name: str) -> Callable[[Path], None]:
    def cut(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2])

    return cut


def _cut_bin(folder: Path) -> None:
    _as_bin(folder)
    _cut("pytorch_model.bin")(folder)


def _code_bin(folder: Path) -> None:
    """A pickle that would run code of its choice."""
    (folder / "model.safetensors").unlink()
    torch.save({"bert": print}, folder / "pytorch_model.bin")


def _token_classifier(state: dict[str, Tensor]) -> dict[str, Tensor]:
    return {
        **{name: tensor for name, tensor in state.items() if name.startswith("bert.")},
        "classifier.weight": torch.zeros(11, TINY["hidden_size"]),
        "classifier.bias": torch.zeros(11),
    }


def _head(state: dict[str, Tensor], change: Callable[[Tensor], Tensor]) -> dict[str, Tensor]:
    return {**state, "error_regressors.3.weight": change(state["error_regressors.3.weight"])}


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "it has no model.safetensors or pytorch_model.bin"),
    "no config": (lambda f: (f / "config.json").unlink(), "it has no config.json"),
    "no tokenizer": (lambda f: (f / "vocab.txt").unlink(), "it has no tokenizer.json or vocab.txt"),
    "weights cut short": (_cut("model.safetensors"), "model.safetensors cannot be read: it is damaged or incomplete"),
    "pickle cut short": (_cut_bin, "pytorch_model.bin cannot be read: it is damaged or incomplete"),
    "pickled code": (_code_bin, "pytorch_model.bin cannot be read"),
    "config cut short": (_cut("config.json"), "config.json is not JSON"),
    "config of nonsense": (lambda f: configure(f, hidden_size="wide"), "config.json is not a usable BERT"),
    "config of no encoder": (
        lambda f: configure(f, num_attention_heads=7),
        "config.json does not describe a BERT encoder",
    ),
    "config of another size": (
        lambda f: configure(f, intermediate_size=48),
        "has shapes other than those of config.json in bert.encoder.layer.0.intermediate.dense.bias, ",
    ),
    "config of more layers": (
        lambda f: configure(f, num_hidden_layers=3),
        "it lacks bert.encoder.layer.2.attention.output.LayerNorm.bias,",
    ),
    "a token classifier": (lambda f: rewrite(f, _token_classifier), "it has no regression heads error_regressors.i"),
    "another architecture": (
        lambda f: rewrite(f, lambda s: {n.replace("bert.", "deberta."): t for n, t in s.items()}),
        "it lacks bert.embeddings.LayerNorm.bias",
    ),
    "an unknown tensor": (
        lambda f: rewrite(f, lambda s: {**s, "calibration.weight": torch.zeros(1)}),
        "it has unknown weights calibration.weight",
    ),
    "a missing head": (
        lambda f: rewrite(f, lambda s: {n: t for n, t in s.items() if "error_regressors.5" not in n}),
        "it has 5 regression heads and its config.json says 6; supported are 1, 2, 6",
    ),
    "missing presence heads": (
        lambda f: rewrite(f, lambda s: {n: t for n, t in s.items() if "error_presence" not in n}),
        "it lacks error_presence.0.bias, error_presence.0.weight, error_presence.1.bias and 9 more",
    ),
    "a head of another width": (
        lambda f: rewrite(f, lambda s: _head(s, lambda head: head[:, 1:].contiguous())),
        "it has shapes other than those of config.json in error_regressors.3.weight",
    ),
    "a head that is no number": (
        lambda f: rewrite(f, lambda s: _head(s, lambda head: head * float("nan"))),
        "it has values that are not finite in error_regressors.3.weight",
    ),
    "an unknown pooling": (lambda f: configure(f, crepe_pooling="mean"), "crepe_pooling in config.json is 'mean'"),
    "a tokenizer of another model": (
        lambda f: (f / "vocab.txt").write_text("\n".join([*WORDS, "one", "too", "many"])),
        f"its tokenizer has {len(WORDS) + 3} words and its model {len(WORDS)}",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_checkpoint_gives_one_message_that_names_folder_fault_and_remedy(tmp_path: Path, case: str) -> None:
    """Whatever is wrong, users see one line and no traceback."""
    folder = write(tmp_path / "crepe")
    spoil, fault = BROKEN[case]
    spoil(folder)
    with pytest.raises(ConfigurationError) as caught:
        load_checkpoint(folder)
    [problem] = caught.value.problems
    assert problem.startswith(f"{folder} is not a usable CREPE checkpoint: ")
    assert fault in problem
    assert problem.endswith(")")
    assert "\n" not in problem


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A mistyped folder is told apart from a broken one."""
    with pytest.raises(ConfigurationError, match="nowhere is not a usable CREPE checkpoint: there is no such folder"):
        load_checkpoint(tmp_path / "nowhere")


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.bool, torch.complex64])
def test_weights_that_are_no_floating_point_numbers_are_refused(tmp_path: Path, dtype: torch.dtype) -> None:
    """Quantized weights would be read as if they were the numbers themselves."""
    folder = write(tmp_path / "crepe")
    rewrite(folder, lambda state: {name: tensor.to(dtype) for name, tensor in state.items()})
    with pytest.raises(ConfigurationError, match="no floating-point numbers"):
        load_checkpoint(folder)


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"use_poisson_loss": "false"}, "true or false"), ({"is_decoder": True}, "is_decoder")],
)
def test_a_config_that_would_change_the_answers_unseen_is_refused(
    tmp_path: Path, settings: dict[str, object], said: str
) -> None:
    """A quoted false would count as true, and a decoder sees only what comes before."""
    folder = write(tmp_path / "crepe")
    configure(folder, **settings)
    with pytest.raises(ConfigurationError, match=said):
        load_checkpoint(folder)


def test_another_checkpoints_tokenizer_is_refused(tmp_path: Path) -> None:
    """One that knows few of the model's words would read nearly everything as unknown."""
    folder = write(tmp_path / "crepe")
    (folder / "vocab.txt").write_text("\n".join(WORDS[:20]) + "\n")
    with pytest.raises(ConfigurationError, match="20 words"):
        load_checkpoint(folder)


def test_a_tokenizers_normalisation_is_kept(tmp_path: Path) -> None:
    """A cased vocabulary must not be read in lower case."""
    folder = write(tmp_path / "crepe")
    saved = load_checkpoint(folder).tokenizer
    saved.backend_tokenizer.normalizer = BertNormalizer(lowercase=False)
    saved.save_pretrained(folder)
    loaded = load_checkpoint(folder).tokenizer
    assert loaded.tokenize("No effusion") == ["[UNK]", "effusion"]
    assert loaded(["no"], ["left"])["token_type_ids"] == [[0, 0, 0, 1, 1]]


def test_a_config_nested_too_deep_is_one_message(tmp_path: Path) -> None:
    """A file made to break its reader is told like any other."""
    folder = write(tmp_path / "crepe")
    (folder / "config.json").write_text("[" * 100_000)
    with pytest.raises(ConfigurationError, match="not JSON"):
        load_checkpoint(folder)
