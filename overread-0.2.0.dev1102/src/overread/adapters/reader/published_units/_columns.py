"""Meaning of the columns of a published table of units, told from their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from overread.adapters.reader.published_units._files import cell, is_blank

__all__ = ["CANDIDATE", "REFERENCE", "Columns", "role_of"]

REFERENCE: Final = "reference"
CANDIDATE: Final = "candidate"

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "span_text": ("span_text", "span", "text_span", "unit_text", "unit_span"),
    "canonical_finding": ("canonical_finding", "finding_canonical", "finding"),
    "surface_finding": ("surface_finding", "finding_surface"),
    "polarity": ("polarity", "assertion", "assertion_status"),
    "uncertainty": ("uncertainty", "certainty"),
    "comparison": ("comparison", "temporal_comparison", "change"),
    "device": ("device", "device_canonical", "device_label"),
    "device_status": ("device_status", "attributes_device_status"),
    "attributes": ("attributes",),
    "severity": ("attributes_severity", "severity"),
    "anatomy": ("anatomy", "anatomy_canonical", "anatomy_labels", "canonical_anatomy"),
    "modifiers": ("modifiers", "modifiers_canonical", "modifier_labels", "canonical_modifiers", "modifier"),
    "confidence": ("confidence", "parser_confidence"),
}
"""Fields of Table IX by the names that columns may have, punctuation and case apart: "attributes.severity", too."""

_UNITS: Final = ("units", "clinical_units", "parsed_units", "unit_list")
_SIDED: Final = {
    REFERENCE: ("reference_units", "ref_units", "gt_units"),
    CANDIDATE: ("candidate_units", "cand_units", "pred_units"),
}
_TEXT: Final = ("report", "report_text", "text", "full_text", "source_text", "raw_text")
_SIDED_TEXT: Final = {
    REFERENCE: ("reference", "reference_text", "reference_report", "gt_report", "ground_truth"),
    CANDIDATE: ("candidate", "candidate_text", "candidate_report", "prediction", "generated_report"),
}
_SETS: Final = ("dataset", "benchmark")
_IDS: Final = (
    ("report_id",),
    ("pair_id", "study_id", "study_number", "case_id", "example_id", "sample_id", "candidate_type"),
    ("id",),
)
"""Columns with ids, those that tell a report best first; an "id" beside them may be the unit's."""
_ROLE: Final = ("role", "side", "report_role", "report_type")
_SIDES: Final = {
    **dict.fromkeys(("reference", "ref", "gt", "ground_truth", "groundtruth", "r"), REFERENCE),
    **dict.fromkeys(("candidate", "cand", "prediction", "pred", "generated", "hypothesis", "hyp", "c"), CANDIDATE),
}


@frozen(kw_only=True)
class Columns:
    """The columns of a table by what they hold; "" and empty for what it lacks.

    Attributes:
        fields: column of each field of a unit.
        units: column with a list of units.
        sided_units: column with the units of the reference, of the candidate.
        text: column with the report.
        sided_text: column with the reference, with the candidate.
        ids: columns that tell reports apart.
        role: column that says which report of a pair it is.
    """

    fields: Mapping[str, str]
    units: str
    sided_units: Mapping[str, str]
    text: str
    sided_text: Mapping[str, str]
    ids: tuple[str, ...]
    role: str

    @classmethod
    def of(cls, names: Iterable[str]) -> Columns:
        """The columns of a table, by their names."""
        known: dict[str, str] = {}
        for name in names:
            known.setdefault(_even(name), name)

        def first(aliases: Sequence[str]) -> str:
            return next((known[alias] for alias in aliases if alias in known), "")

        def find_by_side(aliases: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
            return {side: first(names) for side, names in aliases.items() if first(names)}

        id_names = next((names for names in _IDS if any(name in known for name in names)), ())
        return cls(
            fields={field: first(aliases) for field, aliases in _FIELDS.items() if first(aliases)},
            units=first(_UNITS),
            sided_units=find_by_side(_SIDED),
            text=first(_TEXT),
            sided_text=find_by_side(_SIDED_TEXT),
            ids=tuple(known[name] for name in (*_SETS, *id_names) if name in known) if id_names else (),
            role=first(_ROLE),
        )

    def unit(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of Table IX that a row states."""
        stated = {field: cell(row.get(column)) for field, column in self.fields.items()}
        item = {field: value for field, value in stated.items() if not is_blank(value)}
        attributes = item.pop("attributes", None)
        attributes = attributes if isinstance(attributes, dict) else {}
        device = item.get("device")
        status = [item.pop("device_status", None), attributes.get("device_status")]
        if isinstance(device, dict):
            status.append(device.get("status"))
            label = next((device[key] for key in ("canonical", "label", "name") if not is_blank(device.get(key))), None)
            item["device"] = label
        severity = item.pop("severity", None) or attributes.get("severity")
        if not is_blank(severity):
            item["attributes"] = {"severity": severity}
        if statuses := [state for state in status if not is_blank(state)]:
            given = item.get("modifiers", [])
            item["modifiers"] = [*(given if isinstance(given, list) else [given]), *statuses]
        return {key: value for key, value in item.items() if value is not None}


def role_of(value: object) -> str:
    """The report of a pair that a cell names, "reference" or "candidate", or "" for none.

    >>> role_of("Ref"), role_of("prediction"), role_of("findings")
    ('reference', 'candidate', '')
    """
    return _SIDES.get(_even(str(value)), "")


def _even(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_")
