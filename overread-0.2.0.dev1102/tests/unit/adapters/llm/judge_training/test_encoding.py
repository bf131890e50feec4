"""Rows: the request as the model reads it when it is asked, and an answer that ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.adapters.llm.causal_lm.chat import Chat
from overread.adapters.llm.causal_lm.loading import LoadedModel, load_causal_model
from overread.adapters.llm.judge_training._encoding import Encoder
from overread.adapters.llm.judge_training._lessons import Lesson
from overread.application.ports import Message
from overread.exceptions import ConfigurationError

from .material import save_model, short_recipe

LESSON = Lesson((Message("system", "Compare."), Message("user", "No effusion.")), "[]", "[1]")


@pytest.fixture
def loaded(base: Path) -> LoadedModel:
    return load_causal_model(str(base), device="cpu")


def test_a_row_is_the_request_as_it_is_asked_and_the_answer_with_its_end(tmp_path: Path, loaded: LoadedModel) -> None:
    """A model learns on what it will be asked, and to stop."""
    [row], left_out = Encoder.of(loaded, short_recipe(tmp_path)).rows([LESSON])
    assert row.request == Chat.of(loaded.tokenizer).ids(LESSON.messages)
    assert loaded.tokenizer.decode(row.answer) == "[]<|im_end|>"
    assert loaded.tokenizer.decode(row.rejected) == "[1]<|im_end|>"
    assert (left_out, row.length) == (0, len(row.request) + len(row.rejected or ()))


def test_without_a_template_the_texts_stand_bare_and_end_with_eos(tmp_path: Path) -> None:
    """Training and asking write a conversation in the same way."""
    plain = load_causal_model(str(save_model(tmp_path / "plain", template=None)), device="cpu")
    [row], _ = Encoder.of(plain, short_recipe(tmp_path)).rows([LESSON])
    assert plain.tokenizer.decode(row.request + row.answer).endswith("Compare.\n\nNo effusion.\n\n[]</s>")


def test_lessons_longer_than_the_limit_or_the_model_are_left_out(tmp_path: Path, loaded: LoadedModel) -> None:
    """A lesson that was cut would teach answers without an end."""
    long = Lesson((Message("user", "effusion " * 600),), "[]")
    assert Encoder.of(loaded, short_recipe(tmp_path)).limit == loaded.positions == 512
    kept, left_out = Encoder.of(loaded, short_recipe(tmp_path)).rows([long, LESSON])
    assert (len(kept), left_out) == (1, 1)
    assert Encoder.of(loaded, short_recipe(tmp_path, "max_tokens=5")).rows([LESSON]) == ([], 1)


def test_a_tokenizer_without_an_end_is_refused(tmp_path: Path) -> None:
    """It is told before training."""
    folder = save_model(tmp_path / "endless", template=None)
    stated = json.loads((folder / "tokenizer_config.json").read_text())
    stated.pop("eos_token")
    (folder / "tokenizer_config.json").write_text(json.dumps(stated))
    endless = load_causal_model(str(folder), device="cpu")
    with pytest.raises(ConfigurationError, match="answers would never end"):
        Encoder.of(endless, short_recipe(tmp_path))
