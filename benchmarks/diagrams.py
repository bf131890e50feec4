"""Draws the Mermaid diagrams of the documents, which GitHub draws itself, as pictures for the site.

    python benchmarks/diagrams.py docs mermaid.min.js

Each picture names the source that it was drawn from, so that the build of the site tells when one is out of date; one
that is not is left as it is. Needs the extra ``dev`` and Chromium; `make diagrams` fetches Mermaid's script from npm.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

_DIAGRAM: Final = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SCHEMES: Final = {"neutral": "", "dark": "-dark"}
_SETTINGS: Final[dict[str, Any]] = {
    "startOnLoad": False,
    "deterministicIds": True,
    "htmlLabels": False,
    "fontFamily": "sans-serif",
    "flowchart": {"nodeSpacing": 24, "rankSpacing": 32, "padding": 8},
}


_DRAW: Final = """async ([source, settings]) => {
    mermaid.initialize(settings);
    const held = document.createElement("div");
    held.innerHTML = (await mermaid.render("diagram", source)).svg;
    const drawn = held.firstElementChild;
    const {width, height} = drawn.viewBox.baseVal;
    drawn.removeAttribute("style");
    drawn.setAttribute("width", Math.round(0.75 * width));
    drawn.setAttribute("height", Math.round(0.75 * height));
    return new XMLSerializer().serializeToString(drawn);
}"""
"""Letters are as small as they can be read, for the pictures are wide."""


def main(docs: str, script: str) -> None:
    """Draw the diagram of every page that has one."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1240, "height": 760})
        page.add_script_tag(path=script)
        for document in sorted(Path(docs).glob("*.md")):
            if found := _DIAGRAM.search(document.read_text(encoding="utf-8")):
                for theme, suffix in _SCHEMES.items():
                    _draw(page, found[1], theme, Path(docs) / "images" / f"{document.stem}{suffix}.svg")
        browser.close()


def _draw(page: Page, source: str, theme: str, path: Path) -> None:
    drawn_from = f"<!-- sha256 {hashlib.sha256(source.encode()).hexdigest()} -->\n"
    if path.exists() and path.read_text(encoding="utf-8").startswith(drawn_from):
        return
    path.write_text(f"{drawn_from}{_small(page.evaluate(_DRAW, [source, {**_SETTINGS, 'theme': theme}]))}\n", "utf-8")


def _small(svg: str) -> str:
    """Leave out what serves clicks and animations, and digits that nobody sees."""
    svg = re.sub(r'\s(?:data-[\w-]+|aria-[\w-]+|role)="[^"]*"|@keyframes [\w-]+\{[^{}]*\{[^{}]*\}\}', "", svg)
    return re.sub(r"(\d\.\d)\d+", r"\1", svg)


if __name__ == "__main__":
    main(*sys.argv[1:])
