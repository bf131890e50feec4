"""The bank of wordings as it is shipped, and files of its layout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.reader_labels.wordings import BANK_PARTS, read_wordings, shipped_wordings

READING = {"concept": "pleural_effusion", "polarity": "present"}


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_what_is_not_told_is_empty(tmp_path: Path) -> None:
    """Only concept and polarity have to be there."""
    path = written(tmp_path / "bank.jsonl", {"sentence": "Fluid on the left.", "readings": [READING]})
    [wording] = read_wordings(path)
    assert (wording.voice, wording.readings[0].side, wording.readings[0].words) == ("", "", "")


@pytest.mark.parametrize(
    "row",
    [
        {"sentence": "A private line."},
        {"sentence": "A private line.", "readings": []},
        {"sentence": "A private line.", "readings": [{"concept": "pleural_effusion", "polarity": "yes"}]},
        ["A private line."],
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, row: object) -> None:
    """By file and line, without its text."""
    path = written(tmp_path / "bank.jsonl", {"sentence": "Fluid.", "readings": [READING]}, row)
    with pytest.raises(InputError) as caught:
        read_wordings(path)
    assert "bank.jsonl" in str(caught.value)
    assert "2" in str(caught.value)
    assert "private" not in str(caught.value)


def test_a_file_without_sentences_is_refused(tmp_path: Path) -> None:
    """And so is one that is not there."""
    with pytest.raises(InputError, match="holds no sentences"):
        read_wordings(written(tmp_path / "bank.jsonl"))
    with pytest.raises(InputError, match="no such file"):
        read_wordings(tmp_path / "nowhere.jsonl")


def test_the_bank_holds_together() -> None:
    """At least 6,000 sentences, each once; words are of their sentence, and the parts have no sentence in common."""
    parts = [shipped_wordings(part) for part in BANK_PARTS]
    sentences = [wording.sentence for part in parts for wording in part]
    assert len(set(sentences)) == len(sentences) >= 6000
    assert all(reading.words in wording.sentence for part in parts for wording in part for reading in wording.readings)


def test_what_is_sealed_is_sealed_whole() -> None:
    """By voice and by finding: the voice and the findings of the sealed part are in no open sentence."""
    opened, sealed = (shipped_wordings(part) for part in BANK_PARTS)
    heard = {wording.voice for wording in opened}
    alone = {wording.voice for wording in sealed} - heard
    assert len(alone) == 1
    told = {reading.concept for wording in opened for reading in wording.readings}
    assert all({reading.concept for reading in wording.readings} - told for wording in sealed if wording.voice in heard)
