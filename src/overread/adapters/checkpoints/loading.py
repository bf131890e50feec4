"""Loads checkpoints through transformers' Auto classes and runs them in batches; refuses what is not whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from attrs import define, field
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForTokenClassification,
    AutoTokenizer,
    PreTrainedTokenizerFast,
)

from overread.adapters.checkpoints.batching import pad_rows
from overread.adapters.checkpoints.checkpoint import (
    brief,
    broken_checkpoint,
    check_checkpoint,
    checkpoint_digest,
    locate_checkpoint,
)
from overread.adapters.checkpoints.padding import length_batches
from overread.adapters.checkpoints.runtime import (
    choose_device,
    choose_dtype,
    computing,
    dtype_name,
    quiet,
    tokens_per_batch,
)
from overread.adapters.checkpoints.tokenizers import fits_vocabulary, readable

__all__ = ["LOCAL", "Model", "TokenRow", "load_encoder", "load_token_classifier", "load_tokenizer", "longest_input"]

LOCAL: Final[Mapping[str, Any]] = {"local_files_only": True, "trust_remote_code": False}
"""How whatever is of a checkpoint is loaded: nothing is fetched, and no code of it runs."""

_NOT_READ: Final = {"encoder": ("pooler.",), "token classifier": ()}
"""Weights a model may lack, because nothing asks for what they compute."""
_SPACE: Final = "▁"
"""How sentencepiece writes the space before a word."""
_OFFSET_POSITIONS: Final = frozenset({"roberta", "xlm-roberta", "camembert", "longformer", "mpnet"})
"""Models whose positions are counted from behind the padding's."""


@define(eq=False)
class TokenRow:
    """A text, or a piece of a longer one, as a model sees it.

    Attributes:
        text: index of the text.
        ids: token ids with the special tokens.
        offsets: characters of each token in the text, None for the special tokens.
    """

    text: int
    ids: list[int] = field(repr=False)
    offsets: list[tuple[int, int] | None] = field(repr=False)


@define(eq=False)
class Model:
    """A loaded checkpoint.

    Attributes:
        name: its folder's name or hub name with the digest; two checkpoints that answer differently differ in it.
        max_length: most tokens of one input, special tokens included.
        compiled: whether torch.compile speeds it up.
        space_id: the id of a sentencepiece mark that stands alone, None for a tokenizer without one.
    """

    name: str
    config: Any = field(repr=False)
    device: torch.device
    dtype: torch.dtype
    max_length: int
    _tokenizer: Any = field(repr=False)
    _model: Callable[..., Any] = field(repr=False)
    compiled: bool = False
    _process: int = field(factory=os.getpid, init=False, repr=False)
    space_id: int | None = field(init=False, repr=False)

    @space_id.default
    def _of_space(self) -> int | None:
        # Asked for once: the tokenizer makes its vocabulary anew whenever it is asked, which takes tenths of a second.
        vocabulary: Mapping[str, int] = self._tokenizer.get_vocab()
        return vocabulary.get(_SPACE)

    @property
    def dtype_name(self) -> str:
        """Number format it computes in, "fp32", "bf16" or "fp16"."""
        return dtype_name(self.dtype)

    def rows(self, texts: Sequence[str], *, whole: bool) -> list[TokenRow]:
        """Texts as token ids. One too long gives several rows in order where ``whole``, else it is cut."""
        if not texts:
            return []
        encoded = self._tokenizer(
            list(map(readable, texts)),
            truncation=True,
            max_length=self.max_length,
            return_overflowing_tokens=whole,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
        sources = encoded["overflow_to_sample_mapping"] if whole else range(len(texts))
        columns = (sources, encoded["input_ids"], encoded["offset_mapping"], encoded["special_tokens_mask"])
        return [
            TokenRow(
                source,
                ids,
                [None if added else (start, end) for (start, end), added in zip(offsets, special, strict=True)],
            )
            for source, ids, offsets, special in zip(*columns, strict=True)
        ]

    def batches(
        self, rows: Sequence[TokenRow], batch_size: int, *, every_layer: bool = False
    ) -> Iterator[tuple[list[int], Any, torch.Tensor]]:
        """Runs rows through the model, those of similar length together.

        Args:
            rows: in any order.
            batch_size: most rows at once.
            every_layer: whether the output holds the states of each layer, too.

        Yields:
            the indices of a batch's rows, the model's output for them, and their attention mask (rows x tokens).
        """
        for batch in length_batches([len(row.ids) for row in rows], batch_size, tokens_per_batch(self.device)):
            output, mask = self.run([rows[i] for i in batch], every_layer=every_layer)
            yield batch, output, mask

    def run(self, rows: Sequence[TokenRow], *, every_layer: bool = False) -> tuple[Any, torch.Tensor]:
        """The model's output for rows as one batch in their order, and their attention mask (rows x tokens)."""
        padding = self._tokenizer.pad_token_id or self.config.pad_token_id or 0
        ids, mask = (part.to(self.device) for part in pad_rows([row.ids for row in rows], padding))
        with computing(self.device, self.dtype, loaded_by=self._process, compiled=self.compiled):
            asked = {"output_hidden_states": True} if every_layer else {}
            return self._model(input_ids=ids, attention_mask=mask, **asked), mask

    def tokens(self, row: TokenRow) -> list[str]:
        """The vocabulary's entries that a row's ids stand for, special tokens included."""
        return list(self._tokenizer.convert_ids_to_tokens(row.ids))

    def knows(self, row: TokenRow) -> bool:
        """Return whether any token of a row, special ones aside, is in the vocabulary and stands in for no other."""
        nothing = (self._tokenizer.unk_token_id, self.space_id)
        return any(
            token not in nothing for token, offset in zip(row.ids, row.offsets, strict=True) if offset is not None
        )

    def told(self, tokens: Sequence[str]) -> str:
        """Tokens as the tokenizer tells them: a sentencepiece mark for a space that stands alone is no letter."""
        return str(self._tokenizer.convert_tokens_to_string(list(tokens)))


def load_encoder(
    path: str, *, max_length: int, device: str = "auto", dtype: str = "auto", by_size: bool = False
) -> Model:
    """An encoder: its output has ``last_hidden_state``. Pooling weights are not asked for.

    Args:
        path: folder of the checkpoint, or its hub id.
        max_length: tokens of one input at most.
        device: as of `choose_device`.
        dtype: as of `choose_dtype`.
        by_size: whether "auto" may be bf16 on the CPU, for a large model; else it is fp32 there.

    Raises:
        ConfigurationError: if there is no whole checkpoint of an encoder at ``path``.
    """
    return _load("encoder", AutoModel, path, max_length, device, dtype, compiled=False, by_size=by_size)


def load_token_classifier(
    path: str, *, max_length: int, device: str = "auto", dtype: str = "auto", compiled: bool = False
) -> Model:
    """A token classifier: its output has ``logits``. A large one may compute in bf16 on the CPU where "auto" says so.

    Raises:
        ConfigurationError: if there is no whole checkpoint of a token classifier at ``path``.
    """
    kind = AutoModelForTokenClassification
    return _load("token classifier", kind, path, max_length, device, dtype, compiled=compiled, by_size=True)


def _load(
    kind: str, auto: Any, path: str, max_length: int, device: str, dtype: str, *, compiled: bool, by_size: bool
) -> Model:
    place = choose_device(device)
    choose_dtype(dtype, place)  # an unknown one is told before anything is read
    folder = locate_checkpoint(path)
    check_checkpoint(folder)
    with quiet():
        config = _read(path, "config.json", lambda: AutoConfig.from_pretrained(folder, **LOCAL))
        if getattr(config, "is_encoder_decoder", False):
            raise _wrong(path, kind, config, "it is an encoder-decoder")
        tokenizer = load_tokenizer(path, folder)
        options = {**LOCAL, "config": config, "output_loading_info": True, "ignore_mismatched_sizes": True}
        model = _weights(path, kind, config, lambda: auto.from_pretrained(folder, **options))
    if not fits_vocabulary(len(tokenizer), config.vocab_size):
        problem = f"its tokenizer knows {len(tokenizer)} tokens, its weights {config.vocab_size}"
        raise broken_checkpoint(path, problem, "use the tokenizer the model was trained with")
    model = model.float().to(place).eval()
    return Model(
        f"{Path(path).expanduser().name or folder.resolve().name}@{checkpoint_digest(folder)}",
        config,
        place,
        choose_dtype(dtype, place, _weight_count(model) if by_size else 0),
        longest_input(config, max_length),
        tokenizer,
        torch.compile(model, dynamic=True) if compiled else model,
        compiled,
    )


def load_tokenizer(path: str, folder: Path) -> Any:
    """The tokenizer of a checkpoint folder; errors call the checkpoint ``path``.

    A tokenizer.json is taken as it stands: the tokenizer classes of transformers 5 would keep its vocabulary only and
    build the rest anew, with other normalisation than the model was trained with.

    Raises:
        ConfigurationError: if it cannot be read, or tells no character offsets.
    """
    kind = PreTrainedTokenizerFast if (folder / "tokenizer.json").is_file() else AutoTokenizer
    with quiet():
        tokenizer = _read(path, "the tokenizer", lambda: kind.from_pretrained(folder, **LOCAL))
    if not tokenizer.is_fast:
        raise broken_checkpoint(path, "its tokenizer gives no character offsets", "save it with a tokenizer.json")
    return tokenizer


def _read(path: str, what: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except Exception as error:
        raise broken_checkpoint(path, f"{what} cannot be read ({brief(error)})", "copy or download it again") from error


def _weights(path: str, kind: str, config: Any, load: Callable[[], Any]) -> Any:
    """The model with every weight from the checkpoint: transformers would draw those that do not fit at random."""
    try:
        model, loading_info = load()
    except Exception as error:
        problem = f"its weights cannot be read as {kind} ({brief(error)})"
        raise broken_checkpoint(
            path, problem, "the file may be cut off or damaged: copy or download it again"
        ) from error
    missing = sorted(key for key in loading_info["missing_keys"] if not key.startswith(_NOT_READ[kind]))
    if odd := sorted(str(key[0]) for key in loading_info["mismatched_keys"]):
        problem = f"the shape of {odd[0]}{_more(odd)} does not match config.json"
        raise broken_checkpoint(path, problem, "use the config.json that was saved with the weights")
    if missing:
        raise _wrong(path, kind, config, f"its weights lack {missing[0]}{_more(missing)}")
    if not all(bool(torch.isfinite(weight).all()) for weight in model.parameters()):
        raise broken_checkpoint(path, "its weights hold values that are not numbers", "copy or download it again")
    return model


def _weight_count(model: Any) -> int:
    return sum(weight.numel() for weight in model.parameters())


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""


def _wrong(path: str, kind: str, config: Any, problem: str) -> Exception:
    saved = ", ".join(getattr(config, "architectures", None) or [config.model_type])
    remedy = f"give a checkpoint saved as {kind}"
    return broken_checkpoint(path, f"no {kind}: {problem} (it was saved as {saved})", remedy)


def longest_input(config: Any, max_length: int) -> int:
    """The asked-for length, or less where the model has no positions for it."""
    positions = getattr(config, "max_position_embeddings", None) or max_length
    if config.model_type in _OFFSET_POSITIONS:
        positions -= (config.pad_token_id or 0) + 1
    return min(max_length, int(positions))
