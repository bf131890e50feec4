"""A small lexicon, short ways to write units, and generated ones."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

from hypothesis import strategies as st

from overread.adapters.lexicon.loader import qualities_from
from overread.adapters.transport.importance._aligner import ImportanceAligner
from overread.adapters.transport.importance._solvers import ExactSolver
from overread.domain.differences.notation import Notation, notate
from overread.domain.differences.weighing import Weighing, weigh
from overread.domain.findings.lexicon import Finding, Lexicon, NormalStatement
from overread.domain.findings.unit import (
    NULL_UNIT,
    Certainty,
    Change,
    ClinicalUnit,
    Experiencer,
    Measurement,
    Polarity,
    Temporality,
)
from overread.domain.reports.patient import ImportanceRule
from overread.domain.results.alignment import Alignment
from overread.domain.vocabulary.severity import Importance


def finding(identifier: str, importance: Importance, *parents: str, **more: Any) -> Finding:
    name = identifier.replace("_", " ")
    return Finding(id=identifier, name=name, category="chest", parents=parents, importance=importance, **more)


QUALITIES: Final = qualities_from(
    tomllib.loads((files("overread.adapters.lexicon") / "data/reading/qualities.toml").read_text(encoding="utf-8"))
)
"""Those that overread ships."""

LEXICON: Final = Lexicon.of(
    [
        finding("pneumothorax", Importance.URGENT),
        finding("tension_pneumothorax", Importance.URGENT, "pneumothorax"),
        finding("edema", Importance.URGENT),
        finding("opacity", Importance.ACTIONABLE),
        finding("consolidation", Importance.ACTIONABLE, "opacity"),
        finding("lobar_consolidation", Importance.ACTIONABLE, "consolidation"),
        finding("atelectasis", Importance.INCIDENTAL, "opacity", confused_with=("consolidation",)),
        finding("effusion", Importance.ACTIONABLE, anatomy=("pleura",)),
        finding("hydropneumothorax", Importance.URGENT, "pneumothorax", "effusion"),
        finding("nodule", Importance.ACTIONABLE),
        finding("fracture", Importance.ACTIONABLE),
        finding("heart_failure", Importance.ACTIONABLE, signs=("congestion",)),
        finding("congestion", Importance.ACTIONABLE),
        finding("small_nodule", Importance.FOLLOW_UP, "nodule"),
        finding("lesion", Importance.ACTIONABLE),
        finding("cyst", Importance.ACTIONABLE, "lesion"),
        finding("scar", Importance.INCIDENTAL),
        finding(
            "aortic_calcification",
            Importance.EXPECTED,
            when=(ImportanceRule(to=Importance.ACTIONABLE, reason="unusual", age_below=40),),
        ),
        finding("sternal_wires", Importance.EXPECTED, device=True),
        finding("feeding_tube", Importance.ACTIONABLE, device=True, anatomy=("esophagus",)),
    ],
    [
        NormalStatement(id="clear_lungs", name="clear lungs", denies=("opacity", "nodule"), anatomy=("lung",)),
        NormalStatement(id="normal_pleura", name="normal pleura", denies=("effusion", "pneumothorax")),
        NormalStatement(id="intact_bones", name="intact bones", denies=("fracture",)),
    ],
    version="small",
    qualities=QUALITIES,
)


def unit(concept: str, *anatomy: str, at: int = 0, **attributes: Any) -> ClinicalUnit:
    """A unit of five characters about a concept, at a place in the text."""
    text = attributes.pop("text", concept)
    return ClinicalUnit(
        span_text=text, start=at, end=at + 5, canonical_finding=concept, anatomy=frozenset(anatomy), **attributes
    )


def no(concept: str, *anatomy: str, **attributes: Any) -> ClinicalUnit:
    """A denial."""
    return unit(concept, *anatomy, polarity=Polarity.ABSENT, **attributes)


def normal(identifier: str, **attributes: Any) -> ClinicalUnit:
    """A normal statement of the lexicon."""
    return no(identifier, denies=frozenset(LEXICON.normals[identifier].denies), **attributes)


def sentence(text: str, at: int = 0) -> ClinicalUnit:
    """A sentence no rule covers."""
    return unit("", text=text, at=at, confidence=0.5)


def mm(*sizes: float) -> tuple[Measurement, ...]:
    """Measurements in millimetres."""
    return tuple(Measurement(size, "mm", size) for size in sizes)


ALIGNER: Final = ImportanceAligner(identity="exact", plans="exact", factors={}, solver=ExactSolver())
"""The exact plan, no channel multiplied."""


def aligned(
    reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit], lexicon: Lexicon = LEXICON
) -> tuple[Weighing, Alignment]:
    """Two reports weighed, and the exact plan between them."""
    weighing = weigh(tuple(reference) or (NULL_UNIT,), tuple(candidate) or (NULL_UNIT,), lexicon)
    (alignment,) = ALIGNER.align([weighing.costs()])
    return weighing, alignment


def read(reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit], lexicon: Lexicon = LEXICON) -> Notation:
    """The notation of two reports by the exact plan."""
    return notate(*aligned(reference, candidate, lexicon))


PLACES: Final = ("left", "right", "upper_lobe", "mid_zone", "lower_lobe", "pleura")
MODIFIERS: Final = ("acute", "old", "calcified", "noncalcified", "patchy")


CONCEPTS: Final = (*LEXICON.findings, *LEXICON.normals, "", "unheard_of")


def units(*concepts: str) -> st.SearchStrategy[ClinicalUnit]:
    """Units of any attributes, of the concepts given or of all; few words and places, so that many look alike."""
    return st.builds(
        _built,
        st.sampled_from(concepts or CONCEPTS),
        text=st.sampled_from(["", "one", "one two", "three"]),
        at=st.integers(0, 50),
        polarity=st.sampled_from(Polarity),
        certainty=st.none() | st.sampled_from(Certainty),
        change=st.none() | st.sampled_from(Change),
        severity=st.sampled_from([None, "mild", "moderate", "severe", "marked", "extensive"]),
        anatomy=st.frozensets(st.sampled_from(PLACES), max_size=3),
        modifiers=st.frozensets(st.sampled_from(MODIFIERS), max_size=2),
        measurements=st.lists(st.sampled_from([3.0, 8.0, 29.0, 31.0, 60.0]), max_size=2).map(lambda s: mm(*s)),
        temporality=st.sampled_from([Temporality.CURRENT] * 3 + [Temporality.HISTORICAL]),
        experiencer=st.sampled_from([Experiencer.PATIENT] * 3 + [Experiencer.FAMILY]),
    )


def _built(concept: str, *, text: str, at: int, anatomy: frozenset[str], **attributes: Any) -> ClinicalUnit:
    denied = LEXICON.normals[concept].denies if concept in LEXICON.normals else ()
    if denied:
        attributes["polarity"] = Polarity.ABSENT
    return unit(concept, *anatomy, text=text, at=at, denies=frozenset(denied), **attributes)
