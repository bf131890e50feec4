"""Chest radiograph reports with codes in the layout of the Open-i (Indiana University) release: one XML file each."""

from __future__ import annotations

import tarfile
import tomllib
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from overread.domain.reports.report import ClinicalContext, Report
from overread.exceptions import InputError
from overread.studies.application.reader_checks.findings import CodedReport, CodeMeaning, Coding, normalised_code

__all__ = ["open_i_coding", "read_coded_reports"]

_MAPPING: Final = Path(__file__).with_name("openi_heads.toml")
_READ: Final = ("FINDINGS", "IMPRESSION")
_REMEDY: Final = "give NLMCXR_reports.tgz as published, or the folder it unpacks to"


@lru_cache(maxsize=1)
def open_i_coding() -> Coding:
    """Loads the meaning of the release's codes in findings of the lexicon."""
    document = tomllib.loads(_MAPPING.read_text(encoding="utf-8"))
    return Coding(
        meanings=tuple(_meaning(entry) for entry in document["code"]),
        normal=frozenset(normalised_code(code) for code in document["normal"]),
        skipped=frozenset(normalised_code(code) for code in document["skipped"]),
    )


def _meaning(entry: dict[str, Any]) -> CodeMeaning:
    return CodeMeaning(
        head=entry["head"],
        qualifiers=tuple(entry.get("with", ())),
        findings=tuple(entry["findings"]),
        apart=entry.get("apart", False),
    )


def read_coded_reports(path: Path) -> list[CodedReport]:
    """The reports of an archive or a folder, by file name.

    Raises:
        InputError: if there are none, or naming the first file that cannot be used.
    """
    reports = [_report(f"{path}: {name}", data) for name, data in sorted(_files(path))]
    if not reports:
        raise InputError(str(path), "holds no .xml files", remedy=_REMEDY)
    return reports


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        if path.is_dir():
            for file in path.rglob("*.xml"):
                yield str(file.relative_to(path)), file.read_bytes()
            return
        if not path.exists():
            raise InputError(str(path), "no such file or folder", remedy=_REMEDY)
        with tarfile.open(path) as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.name.endswith(".xml") else None
                if stream is not None:
                    yield member.name, stream.read()
    except (tarfile.TarError, EOFError, zlib.error):
        raise InputError(str(path), "is not a whole tar archive", remedy=_REMEDY) from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or type(error).__name__}") from None


def _report(source: str, data: bytes) -> CodedReport:
    # A document type could define entities that grow without end; the release has none.
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise InputError(source, "has a document type, which these files never have", remedy=_REMEDY)
    try:
        root = ET.fromstring(data)  # noqa: S314 - without a document type there are no entities
    except ET.ParseError as error:
        raise InputError(source, f"is not well-formed XML: {error}", remedy=_REMEDY) from None
    name = root.find("uId")
    sections = {part.get("Label", "").upper(): (part.text or "").strip() for part in root.iter("AbstractText")}
    codes = [("".join(code.itertext())).strip() for code in root.iterfind("MeSH/major")]
    if name is None or not name.get("id"):
        raise InputError(source, "has no uId with an id", remedy=_REMEDY)
    return CodedReport(
        id=name.get("id", ""),
        report=Report("\n\n".join(f"{label}: {sections[label]}" for label in _READ if sections.get(label))),
        codes=tuple(code for code in codes if code),
        context=ClinicalContext(indication=sections.get("INDICATION") or None),
    )
