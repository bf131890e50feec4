"""What GGUF files say of their models, and files that are none."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from overread.adapters.llm.llamacpp._file import read_model_file
from overread.exceptions import ConfigurationError

from .files import CHATML, CONTROLS, write_model


def test_what_a_file_says(tiny: Path) -> None:
    """Name with the digest of the whole file, quantisation, context, chat template, and its control tokens alone."""
    found = read_model_file(str(tiny))
    inner = hashlib.sha256(tiny.read_bytes()).digest()
    assert found.name == f"tiny@{hashlib.sha256(inner).hexdigest()[:12]}"
    assert (found.quantisation, found.positions, found.template) == ("F32", 512, CHATML)
    assert found.controls == {word: number for number, word in enumerate(CONTROLS)}


def test_another_file_is_another_model(tmp_path: Path) -> None:
    """The digest tells files of one name apart, and the same file written anew is read anew."""
    file = write_model(tmp_path / "m.gguf")
    first = read_model_file(str(file)).name
    write_model(file, seed=8)
    assert read_model_file(str(file)).name != first


def test_what_is_no_model(tmp_path: Path, tiny: Path) -> None:
    """A missing file, a folder, another kind of file, and one that was cut off are each told as what they are."""
    other, cut, later = tmp_path / "other.gguf", tmp_path / "cut.gguf", tmp_path / "later.gguf"
    later.write_bytes(b"GGUF\x63\0\0\0" + tiny.read_bytes()[8:])
    other.write_text("report", encoding="utf-8")
    cut.write_bytes(tiny.read_bytes()[:-5_000])
    wrong = {
        tmp_path / "none.gguf": "it cannot be read (No such file",
        tmp_path: "this is a folder",
        other: "this is not a GGUF file",
        later: "it has GGUF version 99, but the installed gguf reads 2 or 3; install a newer gguf",
        cut: "it is cut off or damaged; copy or download it again",
    }
    for path, problem in wrong.items():
        with pytest.raises(ConfigurationError) as caught:
            read_model_file(str(path))
        assert problem in str(caught.value)
        assert str(path) in str(caught.value)


def test_a_part_of_a_split_model_must_be_there(tmp_path: Path, tiny: Path) -> None:
    """llama.cpp reads all parts; the digest is of all, and a missing one is named."""
    first, second = (tmp_path / f"m-0000{part}-of-00002.gguf" for part in (1, 2))
    first.write_bytes(tiny.read_bytes())
    with pytest.raises(ConfigurationError, match=r"m-00002-of-00002\.gguf"):
        read_model_file(str(first))
    second.write_bytes(b"more")
    one = read_model_file(str(first)).name
    assert one.startswith("m-00001-of-00002@")
