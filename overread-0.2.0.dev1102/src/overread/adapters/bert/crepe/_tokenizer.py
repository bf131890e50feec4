"""The WordPiece tokenizer of a BERT, taken as it was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from transformers import BertTokenizer, PreTrainedTokenizerFast

from overread.adapters.checkpoints.runtime import quiet
from overread.exceptions import ConfigurationError

__all__ = ["load_wordpiece"]

_AS_BERT: Final[dict[str, Any]] = {
    "model_input_names": ["input_ids", "token_type_ids", "attention_mask"],
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
_NEEDED: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_REMEDY: Final = "use the tokenizer that the model was trained with"


def load_wordpiece(folder: Path) -> Any:
    """The tokenizer of a folder: its tokenizer.json as it stands, else BERT's own over its vocab.txt.

    transformers would keep a tokenizer.json's vocabulary alone, and normalise otherwise than the model was trained.

    Raises:
        ConfigurationError: if there is none, it cannot be read, or it is no WordPiece tokenizer of a BERT.
    """
    try:
        with quiet():
            if (folder / "tokenizer.json").is_file():
                tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(str(folder), local_files_only=True, **_AS_BERT)
            else:
                tokenizer = BertTokenizer.from_pretrained(str(folder), local_files_only=True)
            vocabulary = tokenizer.get_vocab()
    except Exception as error:  # whatever is raised of it, it is the file that is at fault
        raise ConfigurationError(
            [f"{folder}: its tokenizer cannot be read ({type(error).__name__}); {_REMEDY}"]
        ) from error
    kind = type(tokenizer.backend_tokenizer.model).__name__
    if kind != "WordPiece":
        raise ConfigurationError([f"{folder}: its tokenizer is {kind}, but BERT needs WordPiece; {_REMEDY}"])
    if missing := [token for token in _NEEDED if token not in vocabulary]:
        raise ConfigurationError([f"{folder}: its tokenizer has no {', '.join(missing)}; {_REMEDY}"])
    return tokenizer
