"""Signs of the font Symbol, in which word processors write comparisons, degrees and Greek letters."""

from __future__ import annotations

from typing import Final

__all__ = ["symbol_of"]

_SMALL: Final = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_CAPITAL: Final = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_SAME: Final = " !#%&()+,./0123456789:;<=>?[]_{|}"
_SIGNS: Final = {
    0x2D: "-",
    0xA2: "′",  # noqa: RUF001 - minutes, as meant
    0xA3: "≤",
    0xA5: "∞",
    0xAB: "↔",
    0xAC: "←",
    0xAD: "↑",
    0xAE: "→",
    0xAF: "↓",
    0xB0: "°",
    0xB1: "±",
    0xB2: "″",
    0xB3: "≥",
    0xB4: "×",
    0xB7: "•",
    0xB8: "÷",
    0xB9: "≠",
    0xBA: "≡",
    0xBB: "≈",
    0xC6: "∅",
    0xD7: "⋅",
    **{ord("a") + place: letter for place, letter in enumerate(_SMALL)},
    **{ord("A") + place: letter for place, letter in enumerate(_CAPITAL)},
    **{ord(character): character for character in _SAME},
}
"""What a report may need of Adobe's encoding (https://www.unicode.org/Public/MAPPINGS/VENDORS/ADOBE/symbol.txt)."""


def symbol_of(code: int) -> str:
    """The character that a code of the font Symbol shows; "" for one that is not known here.

    >>> symbol_of(0xB3), symbol_of(0xF0B1), symbol_of(0x6D), symbol_of(0xA9)
    ('≥', '±', 'μ', '')
    """
    return _SIGNS.get(code & 0xFF, "")
