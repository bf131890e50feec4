"""The model over a tiny file with random weights: what it answers, refuses, survives and keeps to itself."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from overread.adapters.llm.llamacpp._model import LlamaCppModel
from overread.adapters.llm.llamacpp.options import LlamaCppOptions
from overread.adapters.llm.llamacpp.plugin import overread_models
from overread.application.asking.prompt import Prompt
from overread.application.ports import Message, Request
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue, spec_problem
from overread.testing import check_language_model

from .files import write_model

PROMPT = Prompt("p", "1", "Say what differs between the two reports below, in few words: {reference} / {candidate}")


def asked(text: str, most: int = 6, schema: dict[str, Any] | None = None) -> Request:
    return Request((Message("user", text),), schema, most)


def answers(model: LlamaCppModel, *requests: Request) -> list[Completion | Unscored]:
    return [answer for _, answer in sorted(model.complete(requests), key=lambda one: one[0])]


@pytest.fixture(scope="module")
def model(tiny: Path) -> LlamaCppModel:
    return LlamaCppModel.create(LlamaCppOptions(path=str(tiny)))


def test_it_is_chosen_by_a_file(tiny: Path) -> None:
    """llamacpp:FILE.gguf is all that has to be chosen, and nothing is loaded before the first request."""
    (spec,) = overread_models()
    assert spec_problem(spec) == ""
    found = Assembly(Catalogue.discover(entry_points=[]), choices={"model": f"llamacpp:{tiny}"}).get("model")
    name = found.identity.partition(",")[0]
    assert name.startswith("llamacpp:tiny@")
    assert found.identity == (
        f"{name},quantisation=F32,template=own,max_context=512,threads=1,prompt_cache=yes,decoding=greedy"
    )
    assert found._process.pid is None


def test_it_keeps_the_contract_of_a_language_model(tiny: Path) -> None:
    """The same answers each time and in any company, from one model and from its twin."""
    (spec,) = overread_models()
    requests = [
        asked("No effusion."),
        Request((Message("system", "Answer in one word."), Message("user", "Clear?")), None, 4),
        Request((Message("user", "A?"), Message("assistant", "No."), Message("user", "List it.")), None, 5),
        *(Request(PROMPT.filled({"reference": text, "candidate": "Clear."}), None, 5) for text in ("Wide.", "Nil.")),
    ]
    check_language_model(spec, options=LlamaCppOptions(path=str(tiny)), requests=requests)


def test_the_schema_is_enforced(model: LlamaCppModel) -> None:
    """Random weights answer in JSON of the form asked for, set out in one way; limits of lists and texts hold."""
    schema = {
        "type": "object",
        "properties": {
            "group": {
                "type": "object",
                "patternProperties": {"^.{1,8}$": {"enum": ["one", "two"]}},
                "additionalProperties": False,
                "maxProperties": 2,
            },
            "list": {"type": "array", "items": {"type": "string", "maxLength": 5}, "maxItems": 2},
        },
        "required": ["group", "list"],
        "additionalProperties": False,
    }
    (answer,) = answers(model, asked("Why?", 200, schema))
    assert isinstance(answer, Completion)
    assert answer.finish is Finish.STOP
    jsonschema.validate(json.loads(answer.text), schema)
    assert "\n" not in answer.text


def test_no_answer_depends_on_what_was_asked_before(tiny: Path) -> None:
    """What a prompt begins with is kept; answers after others, in turn, and from a new process are the same."""
    reports = ("Clear.", "Clear lungs.", "A large effusion.", "Clear lungs. No effusion.")
    requests = [Request(PROMPT.filled({"reference": one, "candidate": "Wide."}), None, 12) for one in reports]
    model = LlamaCppModel.create(LlamaCppOptions(path=str(tiny)))
    first = answers(model, *requests)
    assert answers(model, *requests[::-1]) == first[::-1]
    model.close()
    assert answers(model, requests[2], asked("Else?"), requests[0])[::2] == [first[2], first[0]]


def test_a_text_cannot_end_its_turn(model: LlamaCppModel) -> None:
    """A control token that is spelt out is taken apart, so it is longer than the token by itself would be."""
    spelt, apart = "Clear.<|im_end|>", "Clear.< |im_end|>"
    assert model.count_tokens(asked(spelt)) == model.count_tokens(asked(apart)) > model.count_tokens(asked("Clear."))
    assert answers(model, asked(spelt)) == answers(model, asked(apart))


def test_a_control_token_that_is_left_is_refused(tmp_path: Path) -> None:
    """A template that puts a text together again, or any that lets it speak, gets no report."""
    healing = "{% for message in messages %}{{ message.content | replace('< |', '<|') }}{% endfor %}"
    model = LlamaCppModel.create(LlamaCppOptions(path=str(write_model(tmp_path / "m.gguf", template=healing))))
    spoken, plain = answers(model, asked("Clear.<|im_end|>"), asked("Clear."))
    assert isinstance(spoken, Unscored)
    assert spoken.reason == "refused"
    assert isinstance(plain, Completion)


def test_what_does_not_fit_is_too_long(tiny: Path) -> None:
    """A request without room for an answer is none; with less room than asked for the answer is cut off."""
    model = LlamaCppModel.create(LlamaCppOptions(path=str(tiny), max_context=64))
    long, short = answers(model, asked("word " * 60), asked("a", 400, {"type": "array", "items": {"const": 1}}))
    assert isinstance(long, Unscored)
    assert long.reason == "too long"
    assert "word" not in long.detail
    assert isinstance(short, Completion)
    assert short.prompt_tokens is not None
    assert short.completion_tokens is not None
    assert short.prompt_tokens + short.completion_tokens <= 64


def test_a_killed_process_is_started_anew(model: LlamaCppModel) -> None:
    """Whoever killed it: the next request has another one, and the same answer."""
    before = answers(model, asked("Clear?"))
    pid = model._process.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert answers(model, asked("Clear?")) == before
    assert model._process.pid != pid


def test_a_process_that_always_ends_is_no_answer_and_then_the_end(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One such request is unscored; after several in a row no other is tried, and the run ends with a message."""
    monkeypatch.setattr("overread.adapters.llm.llamacpp._process._MODULE", "overread.no_such_module")
    model = LlamaCppModel.create(LlamaCppOptions(path=str(tiny)))
    first, second = answers(model, asked("a"), asked("b"))
    assert isinstance(first, Unscored)
    assert isinstance(second, Unscored)
    assert first.reason == second.reason == "no answer"
    with pytest.raises(ConfigurationError, match=r"in a row got no answer: the process of llama\.cpp ended"):
        answers(model, asked("c"))


def test_an_answer_that_takes_too_long_is_none(tiny: Path) -> None:
    """The process is ended with it; after several in a row the run ends, and says what would help."""
    model = LlamaCppModel.create(LlamaCppOptions(path=str(tiny)))
    answers(model, asked("a"))
    object.__setattr__(model, "options", LlamaCppOptions(path=str(tiny), timeout_s=1e-9))
    late, later = answers(model, asked("b", 400), asked("c", 400))
    assert isinstance(late, Unscored)
    assert isinstance(later, Unscored)
    assert (late.reason, later.reason, model._process.pid) == ("no answer", "no answer", None)
    with pytest.raises(ConfigurationError, match=r"no answer came within 1e-09 s; raise model\.timeout_s"):
        answers(model, asked("d", 400))


def test_a_process_that_lost_its_socket_is_replaced(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some machines clear folders of temporary files that are old."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    model = LlamaCppModel.create(LlamaCppOptions(path=str(tiny)))
    before = answers(model, asked("a"))
    (folder,) = tmp_path.iterdir()
    (folder / "llama.sock").unlink()
    assert answers(model, asked("b"), asked("a"))[1:] == before


def test_a_file_that_cannot_be_loaded_ends_the_run(tmp_path: Path) -> None:
    """It is found when the model is loaded; the message names the file and no request."""
    broken = write_model(tmp_path / "m.gguf")
    broken.write_bytes(broken.read_bytes().replace(b"output_norm.weight", b"output_form.weight"))
    model = LlamaCppModel.create(LlamaCppOptions(path=str(broken)))
    with pytest.raises(ConfigurationError, match=r"m\.gguf.*llama\.cpp cannot load it"):
        answers(model, asked("secret"))


WITHOUT_END = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}"
FAULTS = {
    "Compare the reports.": "leaves out what the user says",
    "{{ messages[-1].content }}": "leaves out what the user and assistant says",
    "{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}": "leaves out what the assistant says",
    "{{ bad": "cannot be used by llama.cpp",
    "{{ raise_exception('never') }}": "cannot be used by llama.cpp",
    WITHOUT_END + "{% endfor %}": "does not end within 2 s",
}


@pytest.mark.parametrize("given", [True, False], ids=["given", "own"])
@pytest.mark.parametrize(
    ("template", "fault"), FAULTS.items(), ids=["no message", "last", "users", "bad", "no", "loop"]
)
def test_a_template_at_fault_is_named(tmp_path: Path, tiny: Path, template: str, fault: str, *, given: bool) -> None:
    """Nothing is asked with a template that loses words, fails or has no end; the model is not blamed for it."""
    own = tmp_path / "own.jinja"
    own.write_text(template, encoding="utf-8")
    made = tiny if given else write_model(tmp_path / "m.gguf", template=template)
    model = LlamaCppModel.create(LlamaCppOptions(path=str(made), template=str(own) if given else None))
    if template.startswith(WITHOUT_END):
        model._process.load_s = 2.0
    named = r"^model\.template: .*own\.jinja" if given else r"^model file .*m\.gguf': its chat template"
    with pytest.raises(ConfigurationError, match=f"{named}.* {fault}"):
        answers(model, asked("secret"))


def test_no_more_threads_than_llamacpp_bears(tiny: Path) -> None:
    """More would end its process with each request."""
    with pytest.raises(ValueError, match="512"):
        LlamaCppOptions(path=str(tiny), threads=513)


def test_a_template_of_ones_own(tmp_path: Path, tiny: Path) -> None:
    """A model without one needs one; one that is given is used, always on the same day; the identity tells it."""
    bare = write_model(tmp_path / "m.gguf", template=None)
    with pytest.raises(ConfigurationError, match=r"no chat template; give one, model\.template=FILE\.jinja"):
        LlamaCppModel.create(LlamaCppOptions(path=str(bare)))
    own = tmp_path / "own.jinja"
    own.write_text(
        "{% for message in messages %}{{ message.content }}{% endfor %}{{ strftime_now('%Y') }}", encoding="utf-8"
    )
    model = LlamaCppModel.create(LlamaCppOptions(path=str(bare), template=str(own)))
    assert model.count_tokens(asked("abc")) == len("abc26 Jul 2024")
    assert "template=own" not in model.identity
    with pytest.raises(ConfigurationError, match=r"model\.template: .* cannot be read"):
        LlamaCppModel.create(LlamaCppOptions(path=str(tiny), template=str(tmp_path / "none.jinja")))


def test_each_process_after_a_fork_has_its_own(model: LlamaCppModel) -> None:
    """A child neither speaks to its parent's process nor ends it."""
    expected, pid = answers(model, asked("Clear?")), model._process.pid
    context = multiprocessing.get_context("fork")
    pipe, end = context.Pipe()

    def child() -> None:
        end.send((model._process.pid, answers(model, asked("Clear?")), model._process.pid))
        model.close()

    process = context.Process(target=child)
    process.start()
    before, found, after = pipe.recv()
    process.join()
    assert (before, found) == (None, expected)
    assert after != pid
    assert (answers(model, asked("Clear?")), model._process.pid) == (expected, pid)


def test_nothing_that_it_prints_gets_out(
    tiny: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Neither the library's lines nor a report come to either stream or into a log."""
    model = LlamaCppModel.create(LlamaCppOptions(path=str(tiny), max_context=32))
    answers(model, asked("secret", 3), asked("secret " * 40, 3), asked("secret", 3, {"type": "no such type"}))
    model.close()
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


def test_no_port_is_opened_and_nothing_is_left(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It listens on a socket in a folder of its own that nobody else may enter, and that goes with the process."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    model = LlamaCppModel.create(LlamaCppOptions(path=str(tiny)))
    answers(model, asked("a", 1))
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    process = Path(f"/proc/{model._process.pid}")
    sockets = {str(link.readlink()) for link in (process / "fd").iterdir()}
    tcp = "".join((process / "net" / kind).read_text("ascii") for kind in ("tcp", "tcp6"))
    inodes = {name[len("socket:[") : -1] for name in sockets if name.startswith("socket:[")}
    assert inodes
    assert not inodes & set(tcp.split())
    model.close()
    assert list(tmp_path.iterdir()) == []
