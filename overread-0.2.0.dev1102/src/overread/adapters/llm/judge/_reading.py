"""Parts that the judge's two formats share: spans with labels, and refusals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from attrs import field, frozen

from overread.application.asking.answers.refusal import is_refusal
from overread.application.asking.inquiry import UnreadableAnswerError

__all__ = ["EXPLANATION", "LONGEST_SPAN", "Entry", "entries_of", "is_nothing", "normalise_keys", "refused_if_declined"]

LONGEST_SPAN: Final = 300
"""Characters of a quote that a schema allows: a long sentence. Without limits a weak model fills lists without end."""

EXPLANATION: Final[Mapping[str, Any]] = {"type": "string", "maxLength": 600}
"""JSON schema of an explanation of one to three sentences."""

_NOTHING: Final = ("", "none", "n/a", "null", "[]", "{}")
_FIELDS: Final = frozenset({"span", "aspect", "label", "type", "error type", "severity", "explanation"})


@frozen
class Entry:
    """A span as an answer names it.

    Attributes:
        label: as written, mostly with the error type.
        type, severity: where they are written apart, else "".
    """

    span: str = field(repr=False)
    label: str
    type: str = ""
    severity: str = ""


@contextmanager
def refused_if_declined(text: str) -> Iterator[None]:
    """Turns an unreadable answer into a "refusal" where that is what it is.

    Raises:
        UnreadableAnswerError: with the reason "refusal", or as it was raised within.
    """
    try:
        yield
    except UnreadableAnswerError as error:
        if is_refusal(text):
            raise UnreadableAnswerError("refusal", "the model declined to answer") from error
        raise


def normalise_keys(answer: Mapping[str, object], form: str) -> dict[str, object]:
    """An object with its keys in lower case, with spaces for underscores, and without "errors" at the end of them.

    Raises:
        UnreadableAnswerError: "inconsistent answer" if two keys are then the same.
    """
    plain = {" ".join(key.lower().replace("_", " ").split()).removesuffix(" errors"): answer[key] for key in answer}
    if len(plain) < len(answer):
        raise UnreadableAnswerError("inconsistent answer", "the answer has a key twice", form)
    return plain


def is_nothing(value: object) -> bool:
    """Returns whether a value beside the groups says nothing: null, "none" and the like, an empty list or object."""
    return value is None or value in ([], {}) or (isinstance(value, str) and value.strip().lower() in _NOTHING)


def entries_of(group: object, form: str) -> Iterator[Entry]:
    """The entries of a group: of a mapping from spans to one label or several, or of a list of objects.

    An object has a "span", an "aspect" (or "label"), and perhaps "type" (or "error_type"), "severity" and
    "explanation"; or it maps spans to labels. Only an empty list or object says that there are none: null, a word or a
    number may stand for a list that the model did not write.

    Args:
        group: as the answer has it.
        form: what to ask for if it is of another form.

    Raises:
        UnreadableAnswerError: "unreadable answer" if it is of another form, has an empty object in a list, or a span
            without a label.
    """
    if isinstance(group, list):
        for part in group:
            if not isinstance(part, Mapping) or not part:
                raise _misshapen(form)
            yield from [_entry(part, form)] if "span" in part else _entries_by_span(part, form)
    elif isinstance(group, Mapping):
        yield from _entries_by_span(group, form)
    else:
        raise _misshapen(form)


def _entries_by_span(group: Mapping[str, object], form: str) -> Iterator[Entry]:
    for span, value in group.items():
        labels = value if isinstance(value, list) else [value]
        if not labels:
            raise _misshapen(form)
        for label in labels:
            if isinstance(label, Mapping) and "span" not in label:
                yield _entry({**label, "span": span}, form)
            elif isinstance(label, str):
                yield Entry(span, label)
            else:
                raise _misshapen(form)


def _entry(written: Mapping[str, object], form: str) -> Entry:
    fields = normalise_keys(written, form)
    rest = {name: fields.get(name) for name in ("severity", "explanation")}
    rest["type"] = _either(fields, "type", "error type", form)
    span, label = fields.get("span"), _either(fields, "aspect", "label", form)
    if not isinstance(span, str) or not isinstance(label, str) or not all(map(_is_text, rest.values())):
        raise _misshapen(form)
    if not all(is_nothing(fields[name]) for name in fields.keys() - _FIELDS):
        raise _misshapen(form)
    return Entry(span, label, _text(rest["type"]), _text(rest["severity"]))


def _either(fields: Mapping[str, object], name: str, other: str, form: str) -> object:
    if name in fields and other in fields:
        raise _misshapen(form)
    return fields.get(name, fields.get(other))


def _is_text(value: object) -> bool:
    return isinstance(value, str | None)


def _text(value: object) -> str:
    return "" if is_nothing(value) else str(value)


def _misshapen(form: str) -> UnreadableAnswerError:
    return UnreadableAnswerError("unreadable answer", "the answer's JSON is not of the form asked for", form)
