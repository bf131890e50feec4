"""A GGUF file's description of its model; no weight is read except for the digest."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen
from gguf import GGUFReader, LlamaFileType, TokenType
from gguf.gguf_reader import READER_SUPPORTED_VERSIONS

from overread.application.asking.control_tokens import MARKS
from overread.exceptions import ConfigurationError

__all__ = ["ModelFile", "read_model_file"]

_GIVE: Final = "give the GGUF file of a language model, as llama.cpp converts them"
_SPLIT: Final = re.compile(r"(.*)-00001-of-(\d{5})\.gguf", re.DOTALL)
_UNTOLD: Final = "untold"


@frozen
class ModelFile:
    """A model in a GGUF file.

    Attributes:
        path: of the file, the first of several where the model is split.
        name: of the file, with the first 12 digits of the SHA-256 of all of it.
        quantisation: of most of its weights, in llama.cpp's words: "Q4_K_M", "F16".
        positions: tokens that it was made for.
        template: its chat template, "" for none.
        controls: ids of the tokens that steer a conversation, by how they are spelt.
    """

    path: Path
    name: str
    quantisation: str
    positions: int
    template: str = field(repr=False)
    controls: dict[str, int] = field(repr=False)


def read_model_file(path: str) -> ModelFile:
    """Reads a GGUF file's description of its model.

    Raises:
        ConfigurationError: if there is no such file, or it is incomplete or holds no language model.
    """
    place = Path(path).expanduser()
    try:
        state = place.stat()
    except OSError as error:
        raise _broken(place, f"it cannot be read ({error.strerror})", _GIVE) from None
    if place.is_dir():
        raise _broken(place, "this is a folder", _GIVE)
    return _read(place, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=8)
def _read(place: Path, size: int, _: int) -> ModelFile:
    """Reads the file for `read_model_file`; a file of the same size and time is taken for the same."""
    with place.open("rb") as file:
        if size < len(b"GGUF") or file.read(4) != b"GGUF":
            raise _broken(place, "this is not a GGUF file", _GIVE)
        version = _version(file.read(4))
    if version not in READER_SUPPORTED_VERSIONS:
        known = " or ".join(map(str, READER_SUPPORTED_VERSIONS))
        problem = f"it has GGUF version {version}, but the installed gguf reads {known}"
        raise _broken(place, problem, "install a newer gguf, or give a file of these versions")
    try:
        reader = GGUFReader(place)
        fields = {name: field_ for name, field_ in reader.fields.items() if not name.startswith("GGUF.")}
        architecture = _text(fields, "general.architecture")
        positions = fields.get(f"{architecture}.context_length")
        tokens = fields.get("tokenizer.ggml.tokens")
        controls = _controls(fields)
    except Exception as error:
        raise _broken(place, "it is cut off or damaged", "copy or download it again") from error
    if positions is None or tokens is None:
        raise _broken(place, f"it does not hold a language model but {architecture or 'something else'}", _GIVE)
    kind = fields.get("general.file_type")
    return ModelFile(
        place,
        f"{_printable(place.stem)}@{_digest(place)}",
        _quantisation(None if kind is None else int(kind.contents())),
        int(positions.contents()),
        _text(fields, "tokenizer.chat_template"),
        controls,
    )


def _version(written: bytes) -> int:
    """Version of the format; machines of the other byte order write it reversed."""
    little = int.from_bytes(written, "little")
    return little if little & 0xFFFF else int.from_bytes(written, "big")


def _broken(place: Path, problem: str, remedy: str) -> ConfigurationError:
    return ConfigurationError([f"model file {str(place)!r}: {problem}; {remedy}"])


def _text(fields: dict[str, Any], name: str) -> str:
    return str(fields[name].contents()) if name in fields else ""


def _quantisation(kind: int | None) -> str:
    try:
        return LlamaFileType(kind).name.removeprefix("MOSTLY_").removeprefix("ALL_") if kind is not None else _UNTOLD
    except ValueError:  # one that this gguf does not know yet
        return f"type{kind}"


def _controls(fields: dict[str, Any]) -> dict[str, int]:
    """The control tokens, and of those that were added, such as ``<think>``, what stands in brackets."""
    if "tokenizer.ggml.token_type" not in fields:
        return {}
    words = fields["tokenizer.ggml.tokens"]
    special: dict[str, int] = {}
    for number, kind in enumerate(fields["tokenizer.ggml.token_type"].contents()):
        if kind in (TokenType.CONTROL, TokenType.USER_DEFINED):
            word = str(words.contents(number))
            if len(word) > 1 and (kind == TokenType.CONTROL or MARKS & set(word)):
                special[word] = number
    return special


def _digest(place: Path) -> str:
    digest = hashlib.sha256()
    for part in _parts(place):
        try:
            with part.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise _broken(part, f"it cannot be read ({error.strerror})", "put all parts into one folder") from None
    return digest.hexdigest()[:12]


def _parts(place: Path) -> list[Path]:
    """The file, and those that llama.cpp reads with it."""
    split = _SPLIT.fullmatch(place.name)
    if split is None:
        return [place]
    return [place.with_name(f"{split[1]}-{part:05}-of-{split[2]}.gguf") for part in range(1, int(split[2]) + 1)]


def _printable(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in name)
