"""A model behind ``transformers serve``, with random weights: its answers are gibberish, and come back as answers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging

from overread.adapters.llm.chat_server.options import ChatServerOptions
from overread.adapters.llm.chat_server.plugin import chat_server_model
from overread.application.ports import Message, Request
from overread.bootstrap.services import build_service
from overread.domain.reports.report import ReportPair
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import Unscored
from overread.infrastructure.settings import Settings

from ..servers import free_port, guard_sockets

_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "
_START_S = 300.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of one layer that reads and writes bytes."""
    folder = tmp_path_factory.mktemp("models") / "gibberish"
    letters = ["<s>", "</s>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE(vocab={letter: index for index, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    marks = {"bos_token": letters[0], "eos_token": letters[1], "pad_token": letters[1]}
    wrapped = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, chat_template=_TEMPLATE, **marks
    )
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=len(letters),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=16_384,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
    )
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    LlamaForCausalLM(config).save_pretrained(folder)
    wrapped.save_pretrained(folder)
    logging.enable_progress_bar()  # type: ignore[no-untyped-call]
    return folder


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a server of that model."""
    pytest.importorskip("uvicorn")
    pytest.importorskip("fastapi")
    port, log = free_port(), tmp_path_factory.mktemp("server") / "log"
    serve = [str(Path(sys.executable).with_name("transformers")), "serve", str(folder)]
    place = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("wb") as out, subprocess.Popen([*serve, *place], stdout=out, stderr=out, env=environment) as process:
        try:
            _wait_for(port, process, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=2)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().read():
                return
        except OSError:
            time.sleep(0.2)
        finally:
            connection.close()
    pytest.fail(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")


def test_gibberish_comes_back_as_answers(server: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter speaks to a real server, with and without a schema, and nowhere else."""
    tried = guard_sockets(monkeypatch)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = chat_server_model(ChatServerOptions(model=str(folder), base_url=server, concurrency=2, timeout_s=300))
    schema = {"type": "object", "properties": {"errors": {"type": "integer"}}, "required": ["errors"]}
    requests = [
        Request((Message("system", "Compare."), Message("user", f"No effusion. {number}")), form, max_tokens=12)
        for number, form in enumerate([None, schema, None, schema])
    ]
    first, again = dict(model.complete(requests)), dict(model.complete(requests))
    assert sorted(first) == [0, 1, 2, 3]
    for index, completion in first.items():
        assert isinstance(completion, Completion), completion
        assert completion.text
        assert completion.finish in (Finish.LENGTH, Finish.STOP)
        assert completion.model.startswith(str(folder))
        assert completion.prompt_tokens is not None
        assert abs(completion.prompt_tokens - len(requests[index].messages[1].text)) < 60
        assert completion.completion_tokens is not None
        assert 0 < completion.completion_tokens <= 12
    assert first == again
    assert tried == []


def test_gibberish_is_no_score_and_its_words_are_kept(
    server: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever evaluates: each pair is unscored, with the raw answers in its evidence and in the file of answers."""
    tried = guard_sockets(monkeypatch)
    metrics = ("green", "judge", "radot")
    settings = Settings(
        metrics=metrics,
        choices={"model": f"openai:{folder}", "extractor": "llm"},
        options={
            "model": {"base_url": server, "concurrency": 2, "timeout_s": 300},
            "green": {"max_tokens": 20},
            "judge": {"max_tokens": 20, "repairs": 0},
            "extractor": {"max_tokens": 20, "repairs": 0},
        },
        answers=tmp_path / "answers.sqlite",
    )
    pairs = [
        ReportPair(id="a", reference="No effusion.", candidate="Small effusion."),
        ReportPair(id="b", reference="Clear lungs.", candidate=""),
    ]
    results = build_service(settings).evaluate(pairs)
    assert [set(result) for result in results] == [set(metrics)] * 2
    outcomes = [result[metric].outcome for result in results for metric in metrics]
    for outcome in outcomes:
        assert isinstance(outcome, Unscored)
        assert outcome.reason in ("cut off", "unreadable answer")
        assert outcome.evidence is not None
        assert all(answer.completion.text for answer in outcome.evidence.answers)
    kept = build_service(settings, only_kept=True).evaluate(pairs)
    for result, again in zip(results, kept, strict=True):
        for metric in metrics:
            first, second = result[metric].outcome, again[metric].outcome
            assert isinstance(first, Unscored)
            assert isinstance(second, Unscored)
            assert (first.reason, first.detail) == (second.reason, second.detail)
    assert tried == []
