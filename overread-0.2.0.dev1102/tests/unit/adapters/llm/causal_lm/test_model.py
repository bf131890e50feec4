"""A local causal model as `LanguageModel`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from attrs import evolve

from overread.adapters.llm.causal_lm import model as _model
from overread.adapters.llm.causal_lm._decoding import Continuation, continue_greedily
from overread.adapters.llm.causal_lm.model import CausalLanguageModel
from overread.adapters.llm.causal_lm.options import TransformersModelOptions
from overread.application.ports import Message, Request
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError

from .checkpoints import ALTERNATES, CHATML, SENTENCES, save, save_reciting, tokenizer_of

CONTEXT = 512


def model(path: Path, **options: Any) -> CausalLanguageModel:
    return CausalLanguageModel.create(TransformersModelOptions(path=str(path), **options))


def request(text: str, max_tokens: int = 12) -> Request:
    return Request((Message("user", text),), max_tokens=max_tokens)


def answers(found: CausalLanguageModel, requests: list[Request]) -> list[Completion | Unscored]:
    came = dict(found.complete(requests))
    assert sorted(came) == list(range(len(requests)))
    return [came[index] for index in range(len(requests))]


REQUESTS = [request(SENTENCES[i % 3] * (1 + i % 4), max_tokens=6 + 5 * (i % 3)) for i in range(9)]


@pytest.fixture(scope="module")
def reciting(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Saves a model that answers with a text of distinct tokens, and then ends."""

    def saved(text: str, *, template: str | None = None, end: str = "</s>") -> Path:
        tokenizer = tokenizer_of()
        told = [*tokenizer.encode(text, add_special_tokens=False), tokenizer.convert_tokens_to_ids(end)]
        assert len(set(told)) == len(told)
        return save_reciting(tmp_path_factory.mktemp("reciting") / "model", told, template=template)

    return saved


def test_the_answer_is_the_models_text_alone(reciting: Callable[..., Path]) -> None:
    """Neither the question nor the end stands in the text, and both are counted."""
    found = model(reciting("Small left pleural effusion"))
    (answer,) = answers(found, [request("Compare the reports.", max_tokens=40)])
    assert isinstance(answer, Completion)
    assert answer.text == "Small left pleural effusion"
    assert answer.finish is Finish.STOP
    assert answer.completion_tokens == len(tokenizer_of().encode(answer.text, add_special_tokens=False)) + 1
    assert answer.prompt_tokens == found.count_tokens(request("Compare the reports."))
    assert answer.model in found.identity


def test_an_answer_without_an_end_was_cut_off(reciting: Callable[..., Path]) -> None:
    """A metric must not read half of an answer as a whole one."""
    (answer,) = answers(model(reciting("Small left pleural effusion")), [request("Compare.", max_tokens=2)])
    assert isinstance(answer, Completion)
    assert answer.finish is Finish.LENGTH
    assert answer.completion_tokens == 2
    assert "Small left pleural effusion".startswith(answer.text)


def test_an_answer_ends_with_the_templates_turn_though_eos_is_another(reciting: Callable[..., Path]) -> None:
    """Chat models end their turn with a token of their own."""
    found = model(reciting("Small left effusion", template=CHATML, end="<|im_end|>"))
    (answer,) = answers(found, [request("Compare.", max_tokens=40)])
    assert isinstance(answer, Completion)
    assert (answer.text, answer.finish) == ("Small left effusion", Finish.STOP)


def test_an_answer_ends_as_the_generation_config_says(reciting: Callable[..., Path]) -> None:
    """A list of endings counts as a whole."""
    folder = reciting("Small left effusion", end="<|im_end|>")
    (folder / "generation_config.json").write_text('{"eos_token_id": [1, 4]}')
    (answer,) = answers(model(folder), [request("Compare.", max_tokens=40)])
    assert isinstance(answer, Completion)
    assert (answer.text, answer.finish) == ("Small left effusion", Finish.STOP)


@pytest.mark.parametrize("kind", ["llama", "gpt2", "qwen2"])
@pytest.mark.parametrize("template", [None, CHATML], ids=["plain", "template"])
def test_answers_do_not_depend_on_the_batch(kind: str, template: str | None, tmp_path: Path) -> None:
    """A score is that of its pair, whatever else is scored beside it."""
    folder = save(tmp_path / kind, kind, template=template)
    alone = model(folder, max_batch=1)
    expected = answers(alone, REQUESTS)
    assert len({answer.text for answer in expected if isinstance(answer, Completion)}) > 2
    for options in ({"max_batch": 9}, {"max_batch": 4}, {"batch_tokens": 300}):
        found = model(folder, **options)
        assert found.identity == alone.identity
        assert answers(found, REQUESTS) == expected
        assert answers(found, REQUESTS[::-1]) == expected[::-1]


def test_batches_are_bounded_and_hold_requests_of_similar_length(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded by tokens, and the largest batch comes first."""
    sizes: list[tuple[int, int]] = []

    def fake(_: object, rows: list[list[int]], limits: list[int], **__: object) -> list[Continuation]:
        sizes.append((len(rows), max(len(row) + limit for row, limit in zip(rows, limits, strict=True))))
        return [Continuation([], 1, ended=True, sound=True) for _ in rows]

    monkeypatch.setattr(_model, "continue_greedily", fake)
    answers(model(llama, max_batch=3, batch_tokens=400), REQUESTS)
    assert sum(rows for rows, _ in sizes) == len(REQUESTS)
    assert all(rows <= 3 and (rows == 1 or rows * length <= 400) for rows, length in sizes)
    assert [length for _, length in sizes] == sorted((length for _, length in sizes), reverse=True)


def test_answers_come_batch_by_batch(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever keeps them loses no more than a batch."""
    calls = 0

    def fake(_: object, rows: list[list[int]], *__: object, **___: object) -> list[Continuation]:
        nonlocal calls
        calls += 1
        return [Continuation([], 1, ended=True, sound=True) for _ in rows]

    monkeypatch.setattr(_model, "continue_greedily", fake)
    stream = model(llama, max_batch=2).complete(REQUESTS)
    next(stream)
    next(stream)
    assert calls == 1
    next(stream)
    assert calls == 2


@pytest.mark.parametrize("options", [{}, {"max_context": 64}], ids=["the model's", "max_context"])
def test_a_request_that_leaves_no_room_is_too_long_and_the_others_are_answered(
    options: dict[str, int], llama: Path
) -> None:
    """Nothing is cut off a report to make it fit."""
    found = model(llama, **options)
    room = options.get("max_context", CONTEXT)
    base = found.count_tokens(request(""))
    full, last, short = (request("#" * (room - base - left), max_tokens=20) for left in (0, 1, 30))
    assert found.count_tokens(full) == room
    too_long, cut, whole = answers(found, [full, last, short])
    assert too_long == Unscored("too long", f"{room} tokens leave no room for an answer in {room}")
    assert isinstance(cut, Completion)
    assert (cut.completion_tokens, cut.finish) == (1, Finish.LENGTH)
    assert isinstance(whole, Completion)


def test_a_context_beyond_the_models_positions_is_refused(llama: Path) -> None:
    """Beyond its positions a model answers nonsense."""
    with pytest.raises(ConfigurationError, match=r"max_context is 513, but llama@.* has 512 positions"):
        model(llama, max_context=CONTEXT + 1)


def test_values_that_are_no_numbers_are_no_answer(llama: Path) -> None:
    """Broken weights or an overflow never become a score."""
    found = model(llama)

    def spoil(_: object, __: object, output: torch.Tensor) -> torch.Tensor:
        return torch.full_like(output, float("nan"))

    found._loaded.network.get_output_embeddings().register_forward_hook(spoil)
    assert answers(found, REQUESTS[:2]) == [Unscored("no answer", "the model gave values that are not numbers")] * 2


def test_a_conversation_that_the_template_refuses_is_unscored_alone(tmp_path: Path) -> None:
    """One conversation does not end the run."""
    found = model(save(tmp_path / "strict", template=ALTERNATES))
    twice = Request((Message("user", "left"), Message("user", "right")), max_tokens=3)
    refused, answered = answers(found, [twice, request("left", 3)])
    assert isinstance(refused, Unscored)
    assert refused.reason == "refused"
    assert isinstance(answered, Completion)
    assert found.count_tokens(twice) == 0


def test_a_batch_that_does_not_fit_into_memory_is_halved(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who sets the batch too large gets the same answers, more slowly."""
    expected = answers(model(llama, max_batch=1), REQUESTS)

    def tight(network: Any, rows: Any, limits: Any, **options: Any) -> list[Continuation]:
        if len(rows) > 2:
            raise torch.OutOfMemoryError
        return continue_greedily(network, rows, limits, **options)

    monkeypatch.setattr(_model, "continue_greedily", tight)
    assert answers(model(llama, max_batch=9), REQUESTS) == expected


def test_a_request_that_never_fits_into_memory_is_too_long(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that does not suffice for one request is a matter of that request."""

    def full(*_: object, **__: object) -> list[Continuation]:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(_model, "continue_greedily", full)
    found = answers(model(llama), REQUESTS[:3])
    assert [answer.reason for answer in found if isinstance(answer, Unscored)] == ["too long"] * 3


def test_a_schema_does_not_change_the_answer(llama: Path) -> None:
    """This model cannot be held to a form and does not claim to be."""
    plain = REQUESTS[0]
    held = evolve(plain, schema={"type": "object"})
    one, other = answers(model(llama), [plain, held])
    assert one == other


def test_nothing_asked_is_nothing_answered(llama: Path) -> None:
    """An empty batch does not reach the model."""
    assert list(model(llama).complete([])) == []


def test_the_identity_tells_what_changes_an_answer_and_nothing_else(llama: Path, chatting: Path) -> None:
    """Batch sizes change no answer and no signature."""
    changes: list[dict[str, Any]] = [{}, {"chat": "green"}, {"max_context": 100}, {"dtype": "bf16"}]
    identities = [model(llama, **options).identity for options in changes]
    assert len(set(identities)) == len(changes)
    assert identities[0].startswith("transformers:llama@")
    assert identities[0].endswith(",chat=plain,max_context=512,dtype=fp32,decoding=greedy")
    assert model(llama, max_batch=3, batch_tokens=99, chat="plain", device="cpu").identity == identities[0]
    assert "chat=template" in model(chatting).identity
    assert model(llama).note == ""


def test_a_rule_in_the_generation_config_does_not_bend_the_answer(llama: Path, tmp_path: Path) -> None:
    """Decoding is greedy whatever a checkpoint recommends; what ends an answer is taken from there."""
    folder = save(tmp_path / "llama")
    rules = '{"repetition_penalty": 9.0, "do_sample": true, "temperature": 2.0, "max_length": 3, "num_beams": 4}'
    (folder / "generation_config.json").write_text(rules)
    asked = [request(SENTENCES[0], 20)]
    (bent,), (straight,) = answers(model(folder), asked), answers(model(llama), asked)
    assert isinstance(bent, Completion)
    assert isinstance(straight, Completion)
    assert bent.text == straight.text


def test_nothing_is_printed_warned_or_logged(
    chatting: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Libraries warn of lengths and quote texts; none of it reaches users or logs."""
    caplog.set_level(logging.DEBUG)
    found = model(chatting)
    answers(found, REQUESTS)
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if "effusion" in record.getMessage()]
    assert "effusion" not in repr(found)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
