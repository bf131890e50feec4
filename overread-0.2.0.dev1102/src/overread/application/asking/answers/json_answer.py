"""JSON in the answers of language models, which put prose, fences and reasoning around it and write it as Python does.

What is told without doubt is read; nothing is guessed. A value that breaks off or lacks its beginning, or several that
differ, are refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from overread.application.asking.inquiry import UnreadableAnswerError

__all__ = ["MAX_CHARACTERS", "json_values", "read_json", "without_reasoning"]

MAX_CHARACTERS: Final = 2**20
"""A longer answer is not searched."""
_MAX_DEPTH: Final = 32
_REMEDY: Final = "Answer with a single valid JSON value in the format asked for, and nothing before or after it."

_THINK: Final = re.compile(r"<(?P<end>/?)(?P<name>think|thinking)>")
_BRACKET: Final = re.compile(r"[{}\[\]]")
_QUOTES: Final = "\"'“"
_PAIRS: Final = {"{": "}", "[": "]"}
_REST: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|“[^“”]*+”|//[^\n]*+|[{}\[\],:]|\s++|[^\s{}\[\],:"“”]++|.'
_SINGLE: Final = r"'(?:[^'\\]|\\.|'(?!\s*+[,:}\]]))*+'"
_TOKEN: Final = re.compile(f"{_SINGLE}|{_REST}", re.DOTALL)
_TOKEN_WITHOUT_SINGLE: Final = re.compile(_REST, re.DOTALL)
_ESCAPED: Final = re.compile(r'\\.|"', re.DOTALL)
_WORDS: Final = {"None": "null", "True": "true", "False": "false"}
_HALF_PAIR: Final = re.compile(r"\\u[dD][89a-fA-F]")


def without_reasoning(text: str) -> str:
    """An answer without byte order mark and without the ``<think>`` blocks that reasoning models put before it.

    Only blocks at its very beginning are taken off; the first may lack its opening tag, which some servers swallow. A
    tag further on is part of the answer, which may quote it. A leading block that never ends leaves nothing.

    >>> without_reasoning("<think>Is it significant? Yes.</think> significant")
    'significant'
    """
    text = text.replace("\ufeff", "").strip()
    first = _THINK.search(text)
    if first is not None and first["end"]:
        text = text[first.end() :].lstrip()
    while (opened := _THINK.match(text)) is not None and not opened["end"]:
        text = text.partition(f"</{opened['name']}>")[2].lstrip()
    return text


def read_json(text: str, *, kinds: tuple[type, ...] = (dict, list)) -> Any:
    """The one JSON object or array in an answer.

    Markdown fences, prose and reasoning around it do not matter. Also read are single and typographic quotation marks
    around names and texts, bare names, Python's ``None``, ``True`` and ``False``, trailing commas, line comments, and
    line breaks within texts. The same value given twice is one.

    Args:
        text: the answer.
        kinds: `dict`, `list` or both; a value of another kind is passed over.

    Raises:
        UnreadableAnswerError: "unreadable answer" if there is none, or it is broken off at an end, malformed, nested
            more than 32 deep, or holds NaN or an infinity; "inconsistent answer" if there are several that differ, or
            one of its objects gives two values for one key.

    >>> read_json("Sure! {'critical': {}, 'notes': [1, 2,],}")
    {'critical': {}, 'notes': [1, 2]}
    """
    values = [value for value in json_values(text) if isinstance(value, kinds)]
    if not values:
        wanted = " or ".join("object" if kind is dict else "array" for kind in kinds)
        raise UnreadableAnswerError("unreadable answer", f"the answer holds no JSON {wanted}", _REMEDY)
    if any(value != values[0] for value in values[1:]):
        raise UnreadableAnswerError("inconsistent answer", "the answer holds several JSON values that differ", _REMEDY)
    return values[0]


def json_values(text: str) -> list[Any]:
    """Every JSON object and array that stands by itself in an answer, in order. Raises as `read_json`."""
    text = without_reasoning(text)
    if len(text) > MAX_CHARACTERS:
        raise _unreadable(f"the answer is longer than {MAX_CHARACTERS} characters")
    values, position = [], 0
    while bracket := _BRACKET.search(text, position):
        if bracket[0] not in _PAIRS:
            raise _unreadable("the answer's JSON lacks its beginning, or ends twice")
        tokens = _balanced_tokens(text, bracket.start())
        position = bracket.start() + sum(map(len, tokens))
        value = _value("".join(tokens), tokens)
        if value is not None:
            values.append(value)
    return values


def _balanced_tokens(text: str, start: int) -> list[str]:
    """The tokens from an opening bracket to the one that closes it."""
    tokens: list[str] = []
    closing: list[str] = []
    for token in _tokens(text, start):
        tokens.append(token)
        if token in _PAIRS:
            closing.append(_PAIRS[token])
            if len(closing) > _MAX_DEPTH:
                raise _unreadable(f"the answer's JSON is nested more than {_MAX_DEPTH} deep")
        elif token in ("}", "]"):
            if closing.pop() != token:
                raise _unreadable("the brackets of the answer's JSON do not match")
            if not closing:
                return tokens
        elif token in ('"', "“"):
            break
    raise _unreadable("the answer's JSON breaks off")


def _tokens(text: str, start: int) -> Iterator[str]:
    pattern = _TOKEN
    while token := pattern.match(text, start):
        if pattern is _TOKEN and token[0].startswith("'") and not _is_single(token[0]):
            pattern = _TOKEN_WITHOUT_SINGLE  # none ends further on, and looking for it again would take for ever
        yield token[0]
        start = token.end()


def _is_single(token: str) -> bool:
    return len(token) > 1 and token[0] == token[-1] == "'"


def _value(piece: str, tokens: list[str]) -> Any:
    """Value of a bracketed piece; None if it is prose in brackets."""
    if piece.startswith("{{") and piece.endswith("}}"):  # as templates write one brace
        piece, tokens = piece[1:-1], tokens[1:-1]
    try:
        return _load_json(piece)
    except UnreadableAnswerError:
        raise
    except ValueError:
        pass
    try:
        return _load_json(_mend_json(tokens))
    except UnreadableAnswerError:
        raise
    except ValueError as error:
        if not any(token[0] in _QUOTES for token in tokens) and not {"{", ":"} <= set(tokens):
            return None
        raise _unreadable("the answer's JSON is malformed") from error


def _load_json(piece: str) -> Any:
    value = json.loads(
        piece, strict=False, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float
    )
    if _HALF_PAIR.search(piece):  # half a surrogate pair cannot be written to any file
        value = json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    return value


def _mend_json(tokens: Iterable[str]) -> str:
    """JSON from tokens that are nearly JSON."""
    pieces = [token for token in tokens if not token.isspace() and not token.startswith("//")]
    return " ".join(
        _as_json(piece, is_key=after == ":")
        for piece, after in zip(pieces, [*pieces[1:], ""], strict=True)
        if piece != "," or after not in ("}", "]")
    )


def _as_json(token: str, *, is_key: bool) -> str:
    if _is_single(token) or token[0] == "“":
        inner = token[1:-1].replace("\\'", "'")
        return f'"{_ESCAPED.sub(lambda found: found[0] if len(found[0]) > 1 else chr(92) + found[0], inner)}"'
    if token[0] in '{}[],:"':
        return token
    if is_key:
        return json.dumps(token)
    return _WORDS.get(token, token)


def _object(pairs: Iterable[tuple[str, Any]]) -> Mapping[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members and members[key] != value:
            raise UnreadableAnswerError(
                "inconsistent answer", "an object of the answer gives two values for one key", "Use each key only once."
            )
        members[key] = value
    return members


def _refuse_constant(_: str) -> None:
    raise _unreadable("the answer's JSON holds NaN or an infinity")


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _unreadable("the answer's JSON holds a number without bounds")
    return number


def _unreadable(detail: str) -> UnreadableAnswerError:
    return UnreadableAnswerError("unreadable answer", detail, _REMEDY)
