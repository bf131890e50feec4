"""Invented messages: fields by their number, so that a test says only what it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

TEXT = "There is a small left pleural effusion."


def segment(name: str, fields: Mapping[int, str]) -> str:
    """A segment of fields by number."""
    return "|".join([name, *(fields.get(number, "") for number in range(1, max(fields, default=0) + 1))])


def header(changes: Mapping[int, str] | None = None) -> str:
    """An MSH of HL7 2.5.1; MSH-1 is the separator itself, so that fields are counted from 2."""
    fields = {
        1: r"^~\&",
        2: "RIS",
        3: "NORTH",
        4: "OVERREAD",
        6: "20260301082000-0500",
        8: "ORU^R01^ORU_R01",
        9: "M1",
        10: "P",
        11: "2.5.1",
        17: "UNICODE UTF-8",
    }
    return segment("MSH", fields | {number - 1: value for number, value in (changes or {}).items()})


def patient(changes: Mapping[int, str] | None = None) -> str:
    """A PID."""
    return segment("PID", {1: "1", 3: "P9^^^NORTH^MR", 7: "19560301", 8: "F"} | dict(changes or {}))


def request(changes: Mapping[int, str] | None = None) -> str:
    """An OBR of a final chest CT."""
    fields = {
        1: "1",
        2: "PL1",
        3: "FI1",
        4: "71250^CT CHEST",
        7: "20260301080000-0500",
        18: "ACC1",
        22: "20260301081500-0500",
        24: "CT",
        25: "F",
        31: "^cough",
        32: "17&Adler&Ruth",
        33: "23&Brook&Sam",
    }
    return segment("OBR", fields | dict(changes or {}))


def line(text: str = TEXT, changes: Mapping[int, str] | None = None) -> str:
    """An OBX of text."""
    return segment("OBX", {1: "1", 2: "TX", 3: "1", 5: text} | dict(changes or {}))


def message(*segments: str, msh: Mapping[int, str] | None = None) -> bytes:
    """A message of segments after its header, in UTF-8; an ordinary one where there are none."""
    return "\r".join([header(msh), *(segments or (patient(), request(), line()))]).encode()


def of_lines(texts: Sequence[str], obr: Mapping[int, str] | None = None, **fields: str) -> bytes:
    """A message of one report with lines of text; further fields of its lines as ``obx11="F"``."""
    changes = {int(name.removeprefix("obx")): value for name, value in fields.items()}
    return message(patient(), request(obr), *(line(text, changes) for text in texts))
