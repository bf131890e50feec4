"""Small causal checkpoints with random or rigged weights, saved as transformers saves them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

TURNS = ["<|im_start|>", "<|im_end|>"]
SPECIAL = ["<s>", "</s>", "<unk>", *TURNS]
SENTENCES = [
    "No pleural effusion or pneumothorax. The heart is normal in size.",
    "Small left pleural effusion with adjacent atelectasis.",
    "system user assistant Compare the candidate report with the reference report and count the errors.",
]
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system turns') }}{% endif %}" + CHATML
DROPS_SYSTEM = CHATML.replace("in messages %}", "in messages if message['role'] != 'system' %}")
ALTERNATES = (
    "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('turns must alternate') }}{% endif %}{% endfor %}" + CHATML
)
DATED = "{{ strftime_now('%d %b %Y') }}" + CHATML
ENDLESS = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"
WIDTH = 64
_SIZES = {
    "llama": {"intermediate_size": 96, "num_key_value_heads": 2},
    "qwen2": {"intermediate_size": 96, "num_key_value_heads": 2},
    "gpt2": {},
}


def tokenizer_of(template: str | None = None) -> PreTrainedTokenizerFast:
    """A byte-level BPE of some 300 tokens, so that it can spell every text; it adds BOS as Llama's does."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))  # noqa: S106 - no password
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        SENTENCES,
        trainers.BpeTrainer(vocab_size=340, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False),
    )
    wrapped = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        bos_token="<s>",  # noqa: S106
        eos_token="</s>",  # noqa: S106
        unk_token="<unk>",  # noqa: S106
        additional_special_tokens=TURNS,
    )
    wrapped.chat_template = template
    return wrapped


def adding(tokenizer: PreTrainedTokenizerFast, pattern: str) -> PreTrainedTokenizerFast:
    """The same tokenizer, adding special tokens as a pattern such as "<s> $A" has it."""
    special = [(token, tokenizer.convert_tokens_to_ids(token)) for token in ("<s>", "</s>")]
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(single=pattern, special_tokens=special)
    return tokenizer


def llama_tokenizer(folder: Path) -> Path:
    """Saves a tokenizer of Llama 2's kind, which adds BOS but no EOS.

    It is a BPE over whole texts with "▁" before each run and for each blank, bytes for what it does not know, and
    <unk>, <s> and </s> as 0 to 2.
    """
    trained = Tokenizer(models.BPE(unk_token="<unk>"))  # noqa: S106 - no password
    trained.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    trained.train_from_iterator(
        [*SENTENCES, "<|user|>\n<|assistant|>\n"],
        trainers.BpeTrainer(vocab_size=400, special_tokens=["<unk>", "<s>", "</s>"], show_progress=False),
    )
    state = json.loads(trained.to_str())
    for byte in range(256):
        state["model"]["vocab"].setdefault(f"<0x{byte:02X}>", len(state["model"]["vocab"]))
    tokenizer = Tokenizer.from_str(json.dumps({**state, "model": {**state["model"], "byte_fallback": True}}))
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        bos_token="<s>",  # noqa: S106
        eos_token="</s>",  # noqa: S106
        unk_token="<unk>",  # noqa: S106
    ).save_pretrained(folder)
    return folder


def dressed(template: str | None, tokens: Sequence[str], *, normalized: bool) -> PreTrainedTokenizerFast:
    """The same with more tokens, of which half are special, found before or after the text is normalised."""
    tokenizer = tokenizer_of(template)
    tokenizer.backend_tokenizer.normalizer = normalizers.NFKC()
    for place, token in enumerate(tokens):
        tokenizer.add_tokens([AddedToken(token, special=place % 2 == 0, normalized=normalized)], place % 2 == 0)
    return tokenizer


def random_model(kind: str = "llama", *, vocabulary: int, positions: int = 512, seed: int = 0) -> PreTrainedModel:
    """A model whose weights are large enough that its likeliest tokens are far apart."""
    config_class, model_class = {
        "llama": (LlamaConfig, LlamaForCausalLM),
        "qwen2": (Qwen2Config, Qwen2ForCausalLM),
        "gpt2": (GPT2Config, GPT2LMHeadModel),
    }[kind]
    config: Any = config_class(
        vocab_size=vocabulary,
        hidden_size=WIDTH,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=positions,
        bos_token_id=0,
        eos_token_id=1,
        **_SIZES[kind],
    )
    torch.manual_seed(seed)
    model: PreTrainedModel = model_class(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.normal_(std=0.2)
    return model


def save(
    folder: Path,
    kind: str = "llama",
    *,
    template: str | None = None,
    positions: int = 512,
    shard: str = "1GB",
    pattern: str = "<s> $A",
) -> Path:
    """A random model and its tokenizer."""
    tokenizer = adding(tokenizer_of(template), pattern)
    random_model(kind, vocabulary=len(tokenizer), positions=positions).save_pretrained(folder, max_shard_size=shard)
    tokenizer.save_pretrained(folder)
    return folder


def save_reciting(folder: Path, told: Sequence[int], *, template: str | None = None) -> Path:
    """A Llama that answers any request with ``told`` (distinct ids): each token follows from the one before it."""
    tokenizer = adding(tokenizer_of(template), "<s> $A")
    size = len(tokenizer) + len(tokenizer) % 2
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=size,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        max_position_embeddings=512,
        eos_token_id=1,
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config)
    following = dict(pairwise(told))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" not in name:
                weight.zero_()
        model.model.embed_tokens.weight.copy_(torch.eye(len(tokenizer), size))
        for token in range(len(tokenizer)):
            model.lm_head.weight[following.get(token, told[0]), token] = 1.0
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
