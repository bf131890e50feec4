"""Findings and wording for one kind of examination, with the errors of the earlier reports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any, Final

from attrs import frozen

from overread.hospital.infrastructure.demo_day.tables import toml, tomls

__all__ = ["Case", "Procedure", "Said", "Truth", "Wording", "cases"]

_ALTERNATIVES: Final = re.compile(r"\{([^{}]*)\}")
_BREAK: Final = "\n\n"


class Truth(StrEnum):
    """Difference between an earlier report and the final one."""

    DISCORDANT = "discordant"
    """A difference in what it means for the patient, or in a finding."""

    STYLE = "style"
    """A difference in words only."""

    SAME = "same"


class Wording(StrEnum):
    """Kind of report whose words are used."""

    DRAFT = "draft"
    PRELIMINARY = "preliminary"
    FINAL = "final"


@frozen(kw_only=True)
class Procedure:
    """The imaging that was done."""

    modality: str
    body_part: str
    procedure: str
    technique: str


@frozen(kw_only=True)
class Said:
    """Text of one report."""

    findings: str
    impression: str


@frozen(kw_only=True)
class Case:
    """A kind of examination with its findings; variants differ in side, size and the like.

    Attributes:
        name: as the tables of the day refer to it.
        procedure: what was done.
        age: of the patient, in years.
        sex: "F" or "M".
        history: why.
        comparison: earlier examinations; "" for none.
        findings, impression: of the final report; ``{left|right}`` stands for one of these, by variant.
        changes: what an earlier report says instead, as pairs of what is replaced and by what.
        truths: how an earlier report differs.
        notes: what it gets wrong, for a discordant one.
        addendum: what was added later; "" for nothing.
    """

    name: str
    procedure: Procedure
    age: int
    sex: str
    history: str
    comparison: str
    findings: str
    impression: str
    changes: Mapping[Wording, tuple[tuple[str, str], ...]]
    truths: Mapping[Wording, Truth]
    notes: Mapping[Wording, str]
    addendum: str

    def said(self, wording: Wording, variant: int) -> Said:
        """Text of the report on a variant.

        Raises:
            ValueError: if what a change replaces does not occur exactly once in the final report.
        """
        text = decide_alternatives(f"\n{self.findings}{_BREAK}{self.impression}", variant)
        for old, new in self.changes.get(wording, ()):
            before = decide_alternatives(old, variant)
            if text.count(before) != 1:
                message = f"{self.name}: a change replaces what stands {text.count(before)} times"
                raise ValueError(message)
            text = text.replace(before, decide_alternatives(new, variant))
        findings, impression = text.strip().split(_BREAK)
        return Said(findings=findings, impression=impression)


def decide_alternatives(text: str, variant: int) -> str:
    """A text with its alternatives decided.

    >>> decide_alternatives("the {left|right} lung", 1)
    'the right lung'
    """

    def decide(found: re.Match[str]) -> str:
        alternatives = found[1].split("|")
        return alternatives[variant % len(alternatives)]

    return _ALTERNATIVES.sub(decide, text)


@cache
def cases() -> Mapping[str, Case]:
    """All cases by name."""
    procedures = {name: Procedure(**fields) for name, fields in toml("examinations.toml").items()}
    return {name: _case(name, fields, procedures) for name, fields in tomls("cases").items()}


def _case(name: str, fields: Mapping[str, Any], procedures: Mapping[str, Procedure]) -> Case:
    same = Truth.SAME.value
    return Case(
        name=name,
        procedure=procedures[fields["exam"]],
        age=fields["age"],
        sex=fields["sex"],
        history=fields["history"],
        comparison=fields.get("comparison", ""),
        findings=fields["findings"],
        impression=fields["impression"],
        changes={wording: tuple((old, new) for old, new in fields.get(wording.value, ())) for wording in Wording},
        truths={
            Wording.PRELIMINARY: Truth(fields.get("truth", same)),
            Wording.DRAFT: Truth(fields.get("draft_truth", same)),
        },
        notes={Wording.PRELIMINARY: fields.get("note", ""), Wording.DRAFT: fields.get("draft_note", "")},
        addendum=fields.get("addendum", ""),
    )
