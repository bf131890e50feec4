"""Refusal of a message: a code for programs, a sentence for people, and the place, without its text."""

from __future__ import annotations

from datetime import datetime

from overread.exceptions import OverreadError
from overread.hospital.application.requests import Refusal

__all__ = ["RefusedMessageError"]


class RefusedMessageError(OverreadError):
    """A message that is not taken, whoever sends it again must change it first. It never holds report text.

    Attributes:
        code: short and stable, in lower case with hyphens, for example "unknown-status".
        detail: a sentence for whoever sends it: what is wrong and what would be right.
        location: where, as the format names places: "OBR-25" or "DiagnosticReport.status"; "" for the whole message.
        message: the source's identifier of the message, "" where it has none that can be read.

    >>> error = RefusedMessageError("unknown-status", "Z is none of P, F, C and R", location="OBR-25")
    >>> str(error), error.code
    ('OBR-25: Z is none of P, F, C and R', 'unknown-status')
    """

    def __init__(self, code: str, detail: str, *, location: str = "", message: str = "") -> None:
        self.code = code
        self.detail = detail
        self.location = location
        self.message = message
        super().__init__(f"{location}: {detail}" if location else detail)

    def told_at(
        self, *, detail: str | None = None, location: str | None = None, message: str | None = None
    ) -> RefusedMessageError:
        """The same refusal with another sentence, place or message, where one is given.

        >>> RefusedMessageError("no-text", "it has no text", message="M1").told_at(location="OBX-5").message
        'M1'
        """
        return RefusedMessageError(
            self.code,
            self.detail if detail is None else detail,
            location=self.location if location is None else location,
            message=self.message if message is None else message,
        )

    def refusal(self, *, at: datetime, source: str) -> Refusal:
        """The record that is kept of it.

        Args:
            at: when it was refused, in UTC.
            source: by which way it came, for example "hl7".
        """
        return Refusal(at=at, source=source, message=self.message, reason=self.code, detail=str(self))
