"""Files of HL7 messages as versions of reports."""

from __future__ import annotations

from pathlib import Path

from overread.hospital.domain.report_version import ReportVersion
from overread.hospital.infrastructure.exchange.folder.options import FolderOptions
from overread.hospital.infrastructure.exchange.folder.rows import Problem
from overread.hospital.infrastructure.exchange.hl7.batches import messages_of
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options
from overread.hospital.infrastructure.exchange.hl7.reading import read_hl7
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["read_messages"]


def read_messages(
    path: Path, name: str, options: FolderOptions, reading: Hl7Options
) -> list[ReportVersion] | list[Problem]:
    """The versions of a file of messages or batches, or everything that is wrong with its messages.

    Args:
        path: where the file is.
        name: by which it was dropped.
        options: of the folder.
        reading: how messages are read.

    Raises:
        RefusedMessageError: if the file as a whole cannot be read, or its only message.
    """
    try:
        messages = messages_of(path.read_bytes())
    except RefusedMessageError as error:
        raise RefusedMessageError(error.code, error.detail, location=error.location, message=name) from None
    if not messages:
        raise RefusedMessageError("no-rows", "it has no message; each begins with MSH", message=name)
    if len(messages) > options.most_rows:
        raise RefusedMessageError("too-many-rows", f"at most {options.most_rows:,}; split the file", message=name)
    outcomes = [_versions_or_refusal(message, reading) for message in messages]
    refusals = [(row, outcome) for row, outcome in enumerate(outcomes, 1) if isinstance(outcome, RefusedMessageError)]
    if refusals and len(messages) == 1:
        raise refusals[0][1]
    if refusals:
        return [Problem(row, f"{error} ({error.code})", "message") for row, error in refusals]
    return [version for outcome in outcomes if isinstance(outcome, list) for version in outcome]


def _versions_or_refusal(message: bytes, reading: Hl7Options) -> list[ReportVersion] | RefusedMessageError:
    try:
        content = read_hl7(message, reading)
    except RefusedMessageError as error:
        return error
    if content.merges:
        return RefusedMessageError("unsupported-event", "merges of patients are taken over MLLP only", location="MSH-9")
    return list(content.versions)
