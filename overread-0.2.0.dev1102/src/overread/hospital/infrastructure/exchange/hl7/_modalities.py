"""The modality of an examination, as DICOM's code."""

from __future__ import annotations

from typing import Final

from overread.hospital.infrastructure.exchange.imaging import SECTIONS

__all__ = ["modality_of"]

_DICOM: Final = frozenset({"CR", "CT", "DX", "MG", "MR", "NM", "OT", "PT", "RF", "US", "XA"})
_FIRST_WORDS: Final = {"MRI": "MR", "ULTRASOUND": "US", "MAMMOGRAM": "MG", "PET": "PT", "FLUOROSCOPY": "RF"}
"""First words of procedures' names that are not DICOM's code."""


def modality_of(section: str, code: str, name: str) -> str:
    """DICOM's code, "" where it is not told: an X-ray may be CR or DX, and is not guessed.

    Args:
        section: OBR-24, a DICOM code or a section of the diagnostic service.
        code: of the procedure, which may begin with a DICOM code and a space or hyphen.
        name: of the procedure, the same.

    >>> modality_of("NMR", "", ""), modality_of("RAD", "70450", "CT HEAD"), modality_of("RAD", "", "XR CHEST")
    ('MR', 'CT', '')
    """
    section = section.upper()
    if section in _DICOM:
        return section
    words = (value.upper().replace("-", " ").split(" ")[0] for value in (code, name))
    firsts = (_FIRST_WORDS.get(word, word if word in _DICOM else "") for word in words)
    return SECTIONS.get(section, "") or next(filter(None, firsts), "")
