"""The process in which llama.cpp runs: a line of JSON in, a line of JSON out. Nothing else imports this.

A file that llama.cpp cannot bear, or memory that is not there, ends the process that it runs in; an answer that takes
too long can only be ended so. What it prints, which may quote a report, goes nowhere.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any, Final

import httpx2
from attrs import define, field

from overread.application.asking.template_probes import REPAIR, SYSTEM, USER, lost_turns
from overread.httpclient import Limits, NoAnswer, exchange, open_client

__all__ = ["serve"]

_QUIET: Final = -1
_NEUTRAL: Final = "x"
_MARGIN: Final = 2
"""Tokens at the end of what is kept that might become others with what follows."""
_SHORTEST: Final = 32
"""Tokens that are worth keeping."""
_LIMITS: Final = Limits(seconds=3600.0, max_bytes=2**30)
"""None that is ever met: the process that asks ends this one before."""
_PLAIN_JSON: Final = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""One way to set JSON out: where blanks are free a weak model may write nothing else. A word of llguidance's."""

Turns = Sequence[Mapping[str, Any]]


class ConversationError(ValueError):
    """A conversation that the chat template does not accept, or in which a text speaks with control tokens."""


def serve(asked: IO[str], told: IO[str]) -> None:
    """Loads the model that the first line names, then answers the others until there is none.

    The end of the input ends the process, whatever it does just then: nobody waits for the answer.
    """
    lines: SimpleQueue[str] = SimpleQueue()
    Thread(target=_listen, args=(asked, lines), daemon=True).start()
    model: _Llama | None = None
    while True:
        request = json.loads(lines.get())
        try:
            if model is None:
                model = _Llama.load(request)
                lost = model.lost()
                answer: dict[str, Any] = {"lost": lost} if lost else {}
            elif request.get("count"):
                answer = {"tokens": len(model.ids(request["turns"]))}
            else:
                answer = model.answer(request)
        except ConversationError as error:
            answer = {"refused": str(error)}
        except Exception as error:  # noqa: BLE001 - whatever the library raises; its message may quote a report
            answer = {"error": type(error).__name__}
        told.write(json.dumps(answer) + "\n")
        told.flush()


def _listen(asked: IO[str], lines: SimpleQueue[str]) -> None:
    for line in asked:
        lines.put(line)
    os._exit(0)


@define(eq=False)
class _Llama:
    """A loaded model, and what of the last prompt it still knows."""

    server: Any
    client: httpx2.Client
    key: str
    context: int
    prompt_cache: bool
    controls: re.Pattern[str]
    control_ids: frozenset[int]
    _opening: list[int] = field(factory=list, init=False)
    _openings: dict[str, list[int]] = field(factory=dict, init=False)
    _expected: dict[str, list[int]] = field(factory=dict, init=False)

    @classmethod
    def load(cls, request: Mapping[str, Any]) -> _Llama:
        import xllamacpp  # noqa: PLC0415 - what it prints on import is kept out of the answers by then

        place, key = str(Path(request["folder"]) / "llama.sock"), secrets.token_hex()
        params = xllamacpp.CommonParams()
        params.model.path = request["path"]
        params.chat_template = request["template"]
        params.n_ctx = request["context"]
        params.n_parallel = 1
        params.cache_ram_mib = (
            0  # earlier states would come back from there, and answers depend on what was asked before
        )
        for processors in (params.cpuparams, params.cpuparams_batch):
            processors.n_threads = request["threads"]
            processors.poll = 0
        params.hostnames, params.api_keys = [place], [key]
        params.ui = params.endpoint_slots = params.warmup = False
        params.verbosity = _QUIET
        spelt = sorted(request["controls"], key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, spelt)) or "(?!)")
        ids = frozenset(request["controls"].values())
        server = xllamacpp.Server(params)
        # A socket in a folder that nobody else may enter: no port is opened.
        client = open_client(_LIMITS, socket=place)
        return cls(server, client, key, request["context"], request["prompt_cache"], pattern, ids)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The likeliest token each time, held to the schema if there is one."""
        turns = request["turns"]
        ids = self.ids(turns)
        room = self.context - len(ids)
        if room <= 0:
            return {"too_long": len(ids)}
        body = {"max_tokens": min(request["max_tokens"], room)}
        if request["schema"] is not None:
            body["json_schema"] = {**request["schema"], "x-guidance": _PLAIN_JSON}
        completion = self._complete(ids, cached=self._has_primed_opening(turns, ids), **body)
        if "error" in completion:
            return {"refused": f"llama.cpp refused the request ({completion['error'].get('type', 'no reason given')})"}
        (choice,) = completion["choices"]
        return {
            "text": choice["text"],
            "finish": choice["finish_reason"],
            "prompt_tokens": len(ids),
            "completion_tokens": completion["usage"]["completion_tokens"],
        }

    def ids(self, turns: Turns) -> list[int]:
        """Token ids of a conversation up to where the answer begins.

        Raises:
            ConversationError: if they hold other control tokens than those of the same turns with other words.
        """
        neutral = [{**turn, "text": _NEUTRAL if turn["text"].strip() else turn["text"]} for turn in turns]
        key = json.dumps([(turn["role"], turn["text"]) for turn in neutral])
        if key not in self._expected:
            self._expected[key] = self._select_control_ids(self._encode(neutral))
        ids = self._encode(turns)
        if self._select_control_ids(ids) != self._expected[key]:
            raise ConversationError("a text contains a control token of the model that cannot be escaped")
        return ids

    def lost(self) -> str:
        """The roles whose words the chat template leaves out, "" if none."""
        for conversation in (USER, SYSTEM, REPAIR):
            text = self._prompt([{"role": turn.role, "content": turn.text} for turn in conversation])
            if text is not None and (roles := lost_turns(conversation, text)):
                return " and ".join(roles)
        return ""

    def _has_primed_opening(self, turns: Turns, ids: list[int]) -> bool:
        """Returns whether the state now holds what all requests of the prompt begin with, and nothing else.

        Its last token is recomputed each time, on its own, so that the state is the same whatever was asked before.
        """
        opening = self._opening_of(turns, ids) if self.prompt_cache else []
        if len(opening) < _SHORTEST:
            self._opening = []
            return False
        if opening != self._opening:
            self._complete(opening, cached=False, max_tokens=0)
            self._opening = opening
        self._complete(opening, cached=True, max_tokens=0)
        return True

    def _opening_of(self, turns: Turns, ids: list[int]) -> list[int]:
        fixed_turns = []
        for turn in turns:
            fixed_turns.append({**turn, "text": turn["text"][: turn["fixed"]]})
            if turn["fixed"] < len(turn["text"]):
                break
        key = json.dumps(fixed_turns)
        if key not in self._openings:
            fixed = any(turn["text"] for turn in fixed_turns)
            self._openings[key] = self._encode(fixed_turns) if fixed else []
        known = self._openings[key]
        alike = next((place for place, pair in enumerate(zip(known, ids, strict=False)) if pair[0] != pair[1]), None)
        return ids[: max(0, (min(len(known), len(ids)) if alike is None else alike) - _MARGIN)]

    def _encode(self, turns: Turns) -> list[int]:
        messages = [{"role": turn["role"], "content": self._inert(turn["text"])} for turn in turns]
        text = self._prompt(messages)
        if text is None:
            raise ConversationError("the model's chat template does not accept this conversation")
        asked = {"content": text, "add_special": True, "parse_special": True}
        ids: list[int] = self._post("/tokenize", asked)["tokens"]
        return ids

    def _prompt(self, said: Sequence[Mapping[str, str]]) -> str | None:
        """The conversation as one text, None where the template does not accept it."""
        text: str | None = self._post("/apply-template", {"messages": said}).get("prompt")
        return text

    def _inert(self, text: str) -> str:
        return self.controls.sub(lambda token: f"{token[0][0]} {token[0][1:]}", text)

    def _select_control_ids(self, ids: Sequence[int]) -> list[int]:
        return [number for number in ids if number in self.control_ids]

    def _complete(self, ids: list[int], *, cached: bool, **body: Any) -> dict[str, Any]:
        asked = {"prompt": ids, "temperature": 0, "seed": 0, "cache_prompt": cached, "stream": False, **body}
        completion: dict[str, Any] = self.server.handle_completions(asked)
        return completion

    def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        head = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        url, document = f"http://localhost{path}", json.dumps(body).encode("ascii")
        answer = exchange(self.client, _LIMITS, "POST", url, headers=head, body=document)
        if isinstance(answer, NoAnswer):
            raise ConnectionError(answer.reason)
        response: dict[str, Any] = json.loads(answer.body) if answer.is_success else {}
        return response


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    serve(sys.stdin, answers)
