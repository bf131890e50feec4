"""Colours of every page, each for light and for dark.

Text has a contrast of 4.5 to 1 with what it stands on, marks and lines of 3 to 1 (WCAG 2.2, criteria 1.4.3 and
1.4.11); the tests work both out from here.
"""

from __future__ import annotations

from typing import Final

__all__ = ["PALETTE", "SERIES"]

PALETTE: Final = {
    "page": ("#f6f7f9", "#12161c"),
    "card": ("#ffffff", "#1b212a"),
    "ink": ("#1b2430", "#e4e9f0"),
    "soft": ("#566170", "#a8b3c2"),
    "line": ("#d9dee6", "#343d4a"),
    "link": ("#1f5aa6", "#8bb8f0"),
    "focus": ("#8a6d00", "#ffd84d"),
    "critical": ("#8f0f4d", "#ff9cc7"),
    "critical-bg": ("#fbd9e8", "#58183a"),
    "significant": ("#a03508", "#ffb08a"),
    "significant-bg": ("#fde3d2", "#54290f"),
    "insignificant": ("#1d5f75", "#8fd3ea"),
    "insignificant-bg": ("#dceef4", "#17404f"),
    "compared": ("#4d4a8f", "#c3bdf5"),
    "compared-bg": ("#e6e4f7", "#38345f"),
    "match": ("#2f7d4f", "#79c898"),
    "risk-0": ("#8592a3", "#77869a"),
    "risk-1": ("#b58334", "#a98451"),
    "risk-2": ("#bd6a25", "#c98748"),
    "risk-3": ("#c04f1b", "#e58a52"),
    "risk-4": ("#a8210f", "#ff7a5e"),
    "heat-low": ("#e8994a", "#94520f"),
    "heat-middle": ("#f6f7f9", "#242c37"),
    "heat-high": ("#6aa5dc", "#28619a"),
}
"""Name and colour: "-bg" is what stands behind words of the name without it, or behind ink."""

SERIES: Final = (
    ("#0072b2", "#62b6f2"),
    ("#c44e00", "#ff9a57"),
    ("#00805e", "#3fcf9f"),
    ("#a0408a", "#e79bd3"),
    ("#8f6b00", "#e6c34f"),
    ("#5b6675", "#b7c0cc"),
)
"""Colours of series on a light and on a dark page: after those of Okabe and Ito (2008), which the colour-blind can tell
apart, darker or lighter so that each has a contrast of 3 to 1 with what it is drawn on."""
