"""GGUF files of tiny models with random weights, as llama.cpp reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gguf import GGUFWriter, LlamaFileType, TokenType

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n"
)
CONTROLS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_WIDTH, _INNER, _HEADS = 32, 64, 2


def write_model(path: Path, *, template: str | None = CHATML, context: int = 512, seed: int = 7) -> Path:
    """A llama of one layer whose tokens are bytes, three control tokens and ``th``."""
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(context)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_file_type(LlamaFileType.ALL_F32)
    words = [*CONTROLS, *_byte_letters(), "th"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(words)
    writer.add_token_types([TokenType.CONTROL if word in CONTROLS else TokenType.NORMAL for word in words])
    writer.add_token_merges(["t h"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(value=False)
    if template is not None:
        writer.add_chat_template(template)
    draw = np.random.default_rng(seed)

    def add(name: str, *shape: int) -> None:
        writer.add_tensor(name, draw.standard_normal(shape).astype(np.float32))

    add("token_embd.weight", len(words), _WIDTH)
    add("output_norm.weight", _WIDTH)
    add("output.weight", len(words), _WIDTH)
    add("blk.0.attn_norm.weight", _WIDTH)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        add(f"blk.0.{name}.weight", _WIDTH, _WIDTH)
    add("blk.0.ffn_norm.weight", _WIDTH)
    add("blk.0.ffn_gate.weight", _INNER, _WIDTH)
    add("blk.0.ffn_up.weight", _INNER, _WIDTH)
    add("blk.0.ffn_down.weight", _WIDTH, _INNER)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _byte_letters() -> list[str]:
    """The letters that byte-level BPE writes the 256 bytes with."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = dict(zip(plain, map(chr, plain), strict=True)) | {byte: chr(256 + n) for n, byte in enumerate(others)}
    return [letters[byte] for byte in range(256)]
