"""A language model in a GGUF file as `LanguageModel`: greedy answers, one after the other, held to their schema."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import tenacity
from attrs import define, field

from overread.adapters.llm.line_process import ProcessEndedError, TooSlowError
from overread.adapters.llm.llamacpp._file import ModelFile, read_model_file
from overread.adapters.llm.llamacpp._process import LlamaProcess
from overread.adapters.llm.llamacpp.options import LlamaCppOptions
from overread.application.ports import Request
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError

__all__ = ["LlamaCppModel"]

_NO_CLOCK: Final = "{% macro strftime_now(format) %}26 Jul 2024{% endmacro %}"
"""Put before a template that tells the model today's date: it would answer otherwise tomorrow."""
_FINISHES: Final = {"stop": Finish.STOP, "length": Finish.LENGTH}
_TRIES: Final = 2
"""Of a request whose process ended or failed: it may have been another's doing."""
_ENOUGH: Final = 3
"""Requests in a row without an answer, after which no other is tried."""


@define(eq=False)
class LlamaCppModel:
    """Answers with the likeliest token each time, on this machine, in a process of its own that opens no port.

    A request's schema is enforced as the answer is written. A request that leaves no room for an answer is "too long";
    one that leaves less room than it asks for is answered as far as the room goes, and then was cut off. What all
    requests of a prompt begin with is computed once (`Message.fixed`); nothing else is kept from one to the next, so no
    answer depends on what was asked before.
    """

    options: LlamaCppOptions
    note: str = field(init=False, default="")
    _file: ModelFile
    _template: str
    _process: LlamaProcess
    _failed: int = field(default=0, init=False)

    @classmethod
    def create(cls, options: LlamaCppOptions) -> LlamaCppModel:
        """Reads what the file says of its model; it is loaded with the first request.

        Raises:
            ConfigurationError: if it is no whole GGUF file of a language model, or has no chat template and none is
                given.
        """
        file = read_model_file(options.path)
        template = _template(file, options.template)
        dated = (_NO_CLOCK if "strftime_now" in template else "") + template
        opening = {
            "path": str(file.path),
            "template": dated if dated != file.template else "",
            "context": min(options.max_context, file.positions),
            "threads": options.threads,
            "prompt_cache": options.prompt_cache,
            "controls": file.controls,
        }
        return cls(options, file, template, LlamaProcess(opening, max(options.timeout_s, 600.0)))

    @property
    def identity(self) -> str:
        """File, digest, quantisation, chat template, and what else changes an answer."""
        given = self.options.template is not None
        template = hashlib.sha256(self._template.encode()).hexdigest()[:12] if given else "own"
        settings = [
            f"llamacpp:{self._file.name}",
            f"quantisation={self._file.quantisation}",
            f"template={template}",
            f"max_context={min(self.options.max_context, self._file.positions)}",
            f"threads={self.options.threads}",
            f"prompt_cache={'yes' if self.options.prompt_cache else 'no'}",
            "decoding=greedy",
        ]
        return ",".join(settings)

    def complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion | Unscored]]:
        """The completion of each request with its index, in order.

        Raises:
            ConfigurationError: if the model cannot be loaded, or several requests in a row get no answer.
        """
        for index, request in enumerate(requests):
            yield index, self._completion(request)

    def count_tokens(self, request: Request) -> int:
        """Tokens of the request as the model reads it, with what its chat template adds; 0 if it cannot be asked."""
        answer = self._ask_process({"count": True, "turns": _turns(request)})
        return 0 if isinstance(answer, Unscored) else int(answer.get("tokens", 0))

    def close(self) -> None:
        """Ends the process; another starts where it is needed."""
        self._process.close()

    def _completion(self, request: Request) -> Completion | Unscored:
        asked = {"turns": _turns(request), "schema": request.schema, "max_tokens": request.max_tokens}
        answer = self._ask_process(asked)
        if isinstance(answer, Unscored):
            return answer
        if "too_long" in answer:
            context = min(self.options.max_context, self._file.positions)
            return Unscored("too long", f"{answer['too_long']} tokens leave no room for an answer in {context}")
        if "refused" in answer:
            return Unscored("refused", answer["refused"])
        finish = _FINISHES.get(answer.get("finish", ""))
        if finish is None:
            return Unscored("no answer", "llama.cpp does not say that the answer is complete")
        return Completion(
            text=answer["text"],
            finish=finish,
            model=self._file.name,
            prompt_tokens=answer["prompt_tokens"],
            completion_tokens=answer["completion_tokens"],
        )

    def _ask_process(self, request: Mapping[str, Any]) -> dict[str, Any] | Unscored:
        attempts = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(ProcessEndedError),
            stop=tenacity.stop_after_attempt(_TRIES),
            reraise=True,
        )
        try:
            answer = attempts(self._ask_once, request)
        except TooSlowError as error:
            return self._make_unscored(f"{error}; raise model.timeout_s")
        except ProcessEndedError as error:
            return self._make_unscored(str(error))
        self._failed = 0
        return answer

    def _ask_once(self, request: Mapping[str, Any]) -> dict[str, Any]:
        answer = self._process.ask(request, self.options.timeout_s)
        if "unloadable" in answer:
            raise ConfigurationError([self._unloadable(answer["unloadable"])])
        if "error" in answer:
            self._process.close()
            raise ProcessEndedError(f"llama.cpp failed ({answer['error']})")
        return answer

    def _make_unscored(self, problem: str) -> Unscored:
        self._failed += 1
        if self._failed >= _ENOUGH:
            raise ConfigurationError([f"{_ENOUGH} requests in a row got no answer: {problem}"])
        return Unscored("no answer", problem)

    def _unloadable(self, failed: Mapping[str, Any]) -> str:
        """Message on what a person can do about a model that is not loaded."""
        file, given = f"model file {str(self._file.path)!r}", self.options.template
        whose = f"{file}: its chat template" if given is None else f"model.template: {given!r}"
        another = "give another, model.template=FILE.jinja" if given is None else "give one that writes every message"
        if "lost" in failed:
            return f"{whose} leaves out what the {failed['lost']} says, so the model would not read it; {another}"
        if self._process.loads(template=_NEUTRAL):
            how = f"does not end within {failed['late']:g} s" if "late" in failed else "cannot be used by llama.cpp"
            return f"{whose} {how}; {another}"
        return f"{file}: {_LATE.format(failed['late']) if 'late' in failed else _UNLOADABLE}"


_NEUTRAL: Final = "{% for message in messages %}{{ message.content }}\n{% endfor %}"
_LATE: Final = "llama.cpp does not load it within {:g} s; raise model.timeout_s"
_UNLOADABLE: Final = (
    "llama.cpp cannot load it: it may be damaged, of a kind that this version does not know, or too large "
    "for the memory; a lower model.max_context needs less"
)


def _template(file: ModelFile, given: str | None) -> str:
    if given is None:
        if not file.template:
            raise ConfigurationError(
                [f"model file {str(file.path)!r}: it has no chat template; give one, model.template=FILE.jinja"]
            )
        return file.template
    try:
        return Path(given).expanduser().read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError([f"model.template: {given!r} cannot be read ({type(error).__name__})"]) from error


def _turns(request: Request) -> list[dict[str, Any]]:
    return [{"role": turn.role, "text": turn.text, "fixed": turn.fixed} for turn in request.messages]
