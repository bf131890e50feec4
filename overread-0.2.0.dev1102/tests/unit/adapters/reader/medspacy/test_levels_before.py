"""Findings that are told under a disc level and name none themselves. All sentences are invented."""

from __future__ import annotations

import re
from typing import Final

import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.domain.reports.report import Report

_DISC: Final = re.compile(r"[clt]\d+_[clst]\d+")


def _levels(extractor: MedspacyUnitExtractor, text: str) -> list[tuple[str, set[str]]]:
    (extraction,) = extractor.extract([Report(text)])
    assert isinstance(extraction, tuple)
    return [(u.canonical_finding, set(filter(_DISC.fullmatch, u.anatomy))) for u in extraction]


@pytest.mark.parametrize("break_", [" ", "\n"])
def test_what_lies_at_a_disc_is_of_the_level_before_it(extractor: MedspacyUnitExtractor, break_: str) -> None:
    """Asserted or denied, on the same line or on the next, until another level is named."""
    text = break_.join(
        [
            "L3-L4: Disc bulge.",
            "Mild canal stenosis.",
            "At L4-L5, large disc extrusion.",
            "No foraminal narrowing.",
            "Severe canal stenosis.",
        ]
    )
    assert _levels(extractor, text) == [
        ("disc_bulge", {"l3_l4"}),
        ("spinal_stenosis", {"l3_l4"}),
        ("disc_extrusion", {"l4_l5"}),
        ("foraminal_narrowing", {"l4_l5"}),
        ("spinal_stenosis", {"l4_l5"}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "L4-L5: Disc bulge. The remaining levels show no foraminal narrowing.",
        "FINDINGS: L4-L5: Disc bulge. IMPRESSION: No foraminal narrowing.",
        "L4-L5: Disc bulge. Multilevel foraminal narrowing.",
        "L4-L5: Disc bulge. Foramina: no foraminal narrowing.",
    ],
)
def test_what_is_told_of_other_levels_has_none(extractor: MedspacyUnitExtractor, text: str) -> None:
    """A sentence about several levels, another section, and another lead end what a level was told of."""
    assert _levels(extractor, text)[-1] == ("foraminal_narrowing", set())


def test_what_lies_at_no_disc_is_of_no_level(extractor: MedspacyUnitExtractor) -> None:
    """A denied fracture below the last level is denied of the whole spine."""
    assert _levels(extractor, "L5-S1: Disc bulge. No fracture.")[-1] == ("fracture", set())


def test_a_compressed_nerve_root_is_no_compressed_vertebra(extractor: MedspacyUnitExtractor) -> None:
    """The root is named by its vertebra."""
    assert [name for name, _ in _levels(extractor, "The traversing L5 nerve root is compressed.")] == [
        "nerve_root_compression"
    ]
