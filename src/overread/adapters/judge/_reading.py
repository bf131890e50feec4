"""What the judge's two formats have in common: spans with labels, and refusals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from overread.adapters.answers.refusal import is_refusal
from overread.application.inquiry import UnreadableAnswerError

__all__ = ["entries_of", "entry", "refused_if_declined"]

_NOTHING = ("", "none", "n/a", "null", "[]", "{}")

Entry = tuple[str, str, str]
"""A span, its label, and the error type where it is written apart from the label, else ""."""


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


def entries_of(group: object, form: str) -> Iterator[Entry]:
    """The entries of a group: of a mapping from spans to labels, or of a list of objects.

    Args:
        group: None, "", "none" and the like are empty.
        form: what to ask for if it is of another form.

    Raises:
        UnreadableAnswerError: "unreadable answer" if it is of another form.
    """
    if group is None or (isinstance(group, str) and group.strip().lower() in _NOTHING):
        return
    if isinstance(group, list):
        for part in group:
            if not isinstance(part, Mapping):
                raise _misshapen(form)
            yield from [entry(part, form)] if "span" in part else entries_of(part, form)
    elif isinstance(group, Mapping):
        for quote, value in group.items():
            for label in value if isinstance(value, list) else [value]:
                if isinstance(label, Mapping):
                    yield entry({**label, "span": quote}, form)
                elif isinstance(label, str):
                    yield quote, label, ""
                else:
                    raise _misshapen(form)
    else:
        raise _misshapen(form)


def entry(fields: Mapping[str, object], form: str) -> Entry:
    """The entry that an object with "span", "aspect" and perhaps "type" stands for. Raises as `entries_of`."""
    quote, label = fields.get("span"), fields.get("aspect", fields.get("label"))
    kind = fields.get("type", fields.get("error_type"))
    if not isinstance(quote, str) or not isinstance(label, str) or not isinstance(kind, str | None):
        raise _misshapen(form)
    return quote, label, kind or ""


def _misshapen(form: str) -> UnreadableAnswerError:
    return UnreadableAnswerError("unreadable answer", "the answer's JSON is not of the form asked for", form)
