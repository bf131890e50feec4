"""Prompts: versioned wordings with places for the reports."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Final, Literal

from attrs import field, frozen

from overread.application.asking.control_tokens import inert
from overread.application.ports import Message
from overread.domain.reports.report import ReportPair

__all__ = ["Prompt", "reports_of"]

_PLACE: Final = re.compile(r"\{([a-z_]+)\}")


@frozen
class Prompt:
    """A wording: an optional system turn and a user turn, with places such as ``{reference}``.

    Only the names that are given when it is filled in are places; any other brace stands for itself, so that a prompt
    may show JSON.
    """

    name: str
    version: str
    user: str = field(repr=False)
    system: str = field(default="", repr=False)

    @property
    def identity(self) -> str:
        """Name, version and the first 12 digits of the wording's SHA-256."""
        digest = hashlib.sha256(f"{self.system}\0{self.user}".encode()).hexdigest()[:12]
        return f"{self.name}@{self.version}:{digest}"

    @property
    def places(self) -> frozenset[str]:
        """Names between braces, in either turn."""
        return frozenset(_PLACE.findall(self.system)) | frozenset(_PLACE.findall(self.user))

    def filled(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The conversation's first turns. What is filled in is not searched for places again, and is made `inert`.

        >>> [message.text for message in Prompt("p", "1", "{a} {b} {c}").filled({"a": "{b}", "b": "x"})]
        ['{b} x {c}']
        """
        turns = (_turn("system", self.system, values), _turn("user", self.user, values))
        return tuple(turn for turn in turns if turn.text)


def reports_of(pair: ReportPair) -> dict[str, str]:
    """Texts that the places {reference} and {candidate} stand for."""
    return {"reference": pair.reference.text, "candidate": pair.candidate.text}


def _turn(role: Literal["system", "user"], wording: str, values: Mapping[str, str]) -> Message:
    first = next((place.start() for place in _PLACE.finditer(wording) if place[1] in values), len(wording))
    return Message(role, _fill(wording, values), fixed=first)


def _fill(wording: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: inert(values[place[1]]) if place[1] in values else place[0], wording)
