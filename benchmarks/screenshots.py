"""Draws the pictures of pages that the documents show, light and dark, from invented reports alone.

    python benchmarks/screenshots.py docs/images

A picture of which hardly a pixel differs is left as it is, so that what changed is what a reader would see. Needs the
extra ``dev`` and Chromium; the two demonstrations take some minutes.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT
from typing import Final

from PIL import Image, ImageChops
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

import overread

_DOCS: Final = Path(__file__).parents[1] / "docs"
_WIDTH: Final = 1240
_HEIGHT: Final = 760
_COLOURS: Final = 64
_SAME: Final = 24
"""Difference of a pixel, of 255, that is taken for another rounding of the same letter."""

_SHARE: Final = 0.002
"""Share of pixels that may differ more."""

_SCHEMES: Final = {"light": "", "dark": "-dark"}
_TODAY: Final = r"""() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const today = new Date();
    const month = today.toLocaleString("en-GB", {month: "short", timeZone: "UTC"}).slice(0, 3);
    const arrived = new RegExp(`\\b${today.getUTCDate()} ${month}\\w* ${today.getUTCFullYear()}, \\d\\d:\\d\\d`, "g");
    while (walker.nextNode()) {
        walker.currentNode.nodeValue = walker.currentNode.nodeValue.replace(arrived, "10 Mar 2026, 00:05");
    }
}"""
"""What arrives in a demonstration arrives now: such times become the night after the invented day."""


def main(target: str) -> None:
    """Draw every picture into a folder."""
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, page in _write_pages(Path(made)).items():
            _draw(browser, folder, name, page.as_uri())
        with _service("day") as (address, key):
            _draw(browser, folder, "worklist", f"{address}/worklist", key)
            _draw(browser, folder, "review", f"{address}/worklist?accession=N1001", key, follow="N1001")
        with _service("month") as (address, key):
            _draw(browser, folder, "charts", f"{address}/charts", key, at="figure")
        browser.close()


def _write_pages(folder: Path) -> dict[str, Path]:
    """The pages that commands write, of the pairs that compare.md shows."""
    shown = (_DOCS / "compare.md").read_text(encoding="utf-8")
    for name in ("one", "two"):
        pairs = re.search(rf"^```csv {name}\.csv\n(.*?)^```$", shown, re.MULTILINE | re.DOTALL)
        if pairs is None:
            raise SystemExit(f"compare.md shows no {name}.csv")
        (folder / f"{name}.csv").write_text(pairs[1], encoding="utf-8")
        _run(folder, "corpus", f"{name}.csv", "-o", f"{name}.jsonl", "-m", "notation", "-m", "radot")
    _run(folder, "demo", "-o", "demo.html")
    _run(folder, "compare", "one.jsonl", "two.jsonl", "--pairs", "one.csv", "-o", "compare.html")
    _run(folder, "leaderboard", "one.jsonl", "two.jsonl", "--site", "site")
    corpus = folder / "corpus.html"
    corpus.write_text(overread.score_many(overread.read_pairs(folder / "two.csv")).to_html(pairs=2), encoding="utf-8")
    compare, leaderboard = folder / "compare.html", folder / "site" / "index.html"
    return {"pair": folder / "demo.html", "corpus": corpus, "compare": compare, "leaderboard": leaderboard}


def _run(folder: Path, *command: str) -> None:
    subprocess.run([sys.executable, "-m", "overread", *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command


@contextmanager
def _service(length: str) -> Iterator[tuple[str, str]]:
    """Address of a demonstration, when it has all its reports, and a key to it."""
    command = [sys.executable, "-m", "overread", "serve", "--demo", length, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:  # noqa: S603
        said: list[str] = []
        for line in process.stdout or ():
            said.append(line)
            if line.startswith("Ctrl-C"):
                break
        found = re.search(r"^worklist +(\S+)/worklist\nkey +(\S+)$", "".join(said), re.MULTILINE)
        try:
            if found is None:
                raise SystemExit("the demonstration did not begin")
            yield found[1], found[2]
        finally:
            process.send_signal(SIGINT)


def _draw(
    browser: Browser, folder: Path, name: str, url: str, key: str = "", *, follow: str = "", at: str = ""
) -> None:
    for scheme, suffix in _SCHEMES.items():
        context = browser.new_context(
            viewport={"width": _WIDTH, "height": _HEIGHT}, color_scheme="dark" if scheme == "dark" else "light"
        )
        page = _open(context, url, key)
        if follow:
            page.get_by_role("link", name=follow, exact=True).click()  # and not that of the filter
            page.wait_for_url("**/pairs/*")
        page.evaluate(_TODAY)
        if at:
            page.locator(at).first.scroll_into_view_if_needed()
        page.mouse.move(0, 0)
        _keep(folder / f"{name}{suffix}.png", page.screenshot(animations="disabled"))
        context.close()


def _open(context: BrowserContext, url: str, key: str) -> Page:
    page = context.new_page()
    if key:
        page.goto(f"{url.partition('/worklist')[0].partition('/charts')[0]}/help")
        page.get_by_label("Key").fill(key)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/help")
    page.goto(url)
    return page


def _keep(path: Path, drawn: bytes) -> None:
    """Write a picture in few colours, unless the one that is there looks the same."""
    picture = Image.open(io.BytesIO(drawn)).convert("RGB")
    few = picture.quantize(_COLOURS, dither=Image.Dither.NONE)
    if path.exists() and _is_same(Image.open(path).convert("RGB"), few.convert("RGB")):
        return
    few.save(path, optimize=True)


def _is_same(one: Image.Image, other: Image.Image) -> bool:
    if one.size != other.size:
        return False
    grey: Sequence[int] = ImageChops.difference(one, other).convert("L").histogram()
    return sum(grey[_SAME:]) <= _SHARE * sum(grey)


if __name__ == "__main__":
    main(*sys.argv[1:])
