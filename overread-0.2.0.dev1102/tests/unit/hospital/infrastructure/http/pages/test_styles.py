"""The one style sheet of all pages, and that of the pair which stands in one of them."""

from __future__ import annotations

import re
from typing import Final

from overread.hospital.infrastructure.http.pages.templating import asset
from overread.infrastructure.views.web.pair_page import pair_style

_ALIKE: Final = {"badge", "card", "eyebrow", "hidden", "scroll", "soft"}
"""Classes that mean the same in both."""


def test_the_pages_lay_out_nothing_within_a_pair() -> None:
    """A class of theirs that the pair has too, for something else, would pull its drawing apart."""
    sheet = asset("pages.css")
    assert sheet is not None
    pages = sheet.content.decode().removesuffix(pair_style())
    of_pages = set(re.findall(r"(?:^|,)\s*\.([a-z][a-z0-9-]*)", pages, re.MULTILINE))
    of_pair = set(re.findall(r"\.orp \.([a-z][a-z0-9-]*)", pair_style()))
    assert len(of_pages) > len(_ALIKE) < len(of_pair)
    assert of_pages & of_pair == _ALIKE
