"""Dialects for the parameters that servers differ in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from attrs import evolve, frozen
from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for

from overread.adapters.llm.chat_server._body import sound_text
from overread.application.ports import Request

__all__ = ["Dialect", "follows"]

_LOWER: Final[Mapping[str, Literal["json", "off"]]] = {"schema": "json", "json": "off"}
_THOUGHTS: Final = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


@frozen
class Dialect:
    """The wording of requests for a server.

    Attributes:
        structured: "schema" sends the request's schema to be enforced, "json" asks for a JSON object, "off" for
            nothing.
        length: the parameter for the most tokens; newer models of OpenAI's refuse the older name.
    """

    structured: Literal["schema", "json", "off"] = "schema"
    length: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"

    def parameters(self, request: Request) -> dict[str, Any]:
        """The request's messages, length and form of the answer."""
        messages = [{"role": message.role, "content": sound_text(message.text)} for message in request.messages]
        worded: dict[str, Any] = {"messages": messages, self.length: request.max_tokens}
        if request.schema is not None and self.structured == "schema":
            schema = {"name": "answer", "strict": True, "schema": dict(request.schema)}
            worded["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.schema is not None and self.structured == "json":
            worded["response_format"] = {"type": "json_object"}
        return worded

    @property
    def less_structured(self) -> Dialect | None:
        """The dialect that asks for less form, None if this asks for none."""
        return evolve(self, structured=_LOWER[self.structured]) if self.structured in _LOWER else None


def follows(text: str, schema: Mapping[str, Any], dialect: Dialect) -> bool:
    """Returns whether an answer, apart from thoughts before it, has the form that the dialect asked for.

    A schema that is itself invalid asks for nothing.
    """
    if dialect.structured == "off":
        return True
    try:
        answer = json.loads(_THOUGHTS.sub("", text))
    except (ValueError, RecursionError):
        return False
    if dialect.structured == "json":
        return isinstance(answer, dict)
    try:
        checker = validator_for(schema)
        checker.check_schema(schema)
        return bool(checker(schema).is_valid(answer))
    except SchemaError:
        return True
