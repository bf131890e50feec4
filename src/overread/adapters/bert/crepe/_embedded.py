"""The embedded CREPE model without torch and transformers: its graph and its tokenizer, as they come with overread."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from attrs import field, frozen
from tokenizers import Tokenizer

from overread.adapters.bert.crepe._onnx_network import OnnxNetwork, open_session
from overread.adapters.checkpoints.onnx_runtime import onnxruntime
from overread.exceptions import ConfigurationError

__all__ = ["CHECKPOINT", "GRAPH", "EmbeddedModel", "WordPieces", "load_embedded"]

GRAPH: Final = "model.onnx"
CHECKPOINT: Final = "checkpoint"
"""Key of the graph's metadata: the digest of the checkpoint that it was exported from."""


@frozen(eq=False)
class WordPieces:
    """The tokenizer, called as one of transformers."""

    tokenizer: Tokenizer = field(repr=False)
    pad_token_id: int
    unk_token_id: int
    cls_token_id: int
    sep_token_id: int

    @classmethod
    def read(cls, path: Path) -> WordPieces:
        """The tokenizer in a file."""
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        ids = tokenizer.get_vocab()
        return cls(tokenizer, *(ids[token] for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")))

    def __call__(
        self, texts: Sequence[str], *, add_special_tokens: bool = False, verbose: bool = False
    ) -> dict[str, list[list[int]]]:
        """The ids of each text's tokens."""
        del verbose
        encodings = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=add_special_tokens)
        return {"input_ids": [encoding.ids for encoding in encodings]}


@frozen(eq=False)
class EmbeddedModel:
    """The parts of the embedded checkpoint that a counter needs."""

    tokenizer: WordPieces
    network: OnnxNetwork
    digest: str


def load_embedded(folder: Path) -> EmbeddedModel:
    """The model in a folder that has been exported to `GRAPH`.

    Raises:
        ConfigurationError: if it is damaged.
    """
    try:
        session = open_session(folder / GRAPH, _threads())
        tokenizer = WordPieces.read(folder / "tokenizer.json")
    except Exception as error:  # both libraries raise classes of their own for each kind of damage
        raise ConfigurationError(["the embedded CREPE model is damaged; reinstall overread"]) from error
    return EmbeddedModel(tokenizer, OnnxNetwork(session, quantized=False), _digest(session))


def _threads() -> int:
    """The number in OMP_NUM_THREADS, the first of a list; 0, which leaves it to ONNX Runtime, where there is none."""
    number = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(number) if number.isdecimal() else 0


def _digest(session: onnxruntime.InferenceSession) -> str:
    return str(session.get_modelmeta().custom_metadata_map[CHECKPOINT])
