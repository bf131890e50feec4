"""Examinations: what each kind can show and how it is told, as ``examinations.toml`` has it."""

from __future__ import annotations

from functools import cache

from attrs import frozen

from overread.studies.application.synthesis.vocabulary import load_table

__all__ = ["Examination", "Normal", "Visible", "load_examinations"]


@frozen(kw_only=True)
class Normal:
    """A statement of normality in several wordings; see the head of ``examinations.toml``."""

    region: str
    apart: tuple[str, ...]
    text: tuple[str, ...]
    often: float


@frozen(kw_only=True)
class Visible:
    """Something that an examination can show; see the head of ``examinations.toml``."""

    region: str
    tags: tuple[str, ...]
    weight: float
    noun: str = ""
    plural: str = ""
    number: str = ""
    sides: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    degrees: tuple[str, ...] = ()
    looks: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    courses: str = ""
    doubts: bool = False
    acute: bool = False
    text: tuple[str, ...] = ()
    centimetres: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()


@frozen(kw_only=True)
class Examination:
    """One kind of examination; see the head of ``examinations.toml``."""

    id: str
    modality: str
    weight: float
    titles: tuple[str, ...]
    views: tuple[str, ...]
    indications: tuple[str, ...]
    regions: tuple[str, ...]
    core: tuple[str, ...]
    clear: tuple[str, ...]
    normal: tuple[Normal, ...]
    finding: tuple[Visible, ...]


@frozen
class _Document:
    examination: tuple[Examination, ...]


@cache
def load_examinations() -> tuple[Examination, ...]:
    """The shipped examinations."""
    return load_table("examinations", _Document).examination
