"""The documentation site: built strictly, whole, and from nothing that is elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

import overread

from ..browsing import NEEDS_BROWSER

pytest.importorskip("sphinx", reason="pip install 'overread[docs]'")
pytest.importorskip("furo", reason="pip install 'overread[docs]'")
pytest.importorskip("myst_nb", reason="pip install 'overread[docs]'")

_ROOT: Final = Path(__file__).parents[2]
_MOST_BYTES: Final = 100_000
_LOADED: Final = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\b(?:src|srcset|data)\s*=\s*[\"']?(?:https?:)?//[^>]*>"
    r"|<link\b[^>]*\brel\s*=\s*[\"']?(?:stylesheet|icon|preload|preconnect|search)[^>]*\bhref\s*=\s*[\"']?(?:https?:)?//[^>]*>"
    r"|@import[^;]*//[^;]*;|url\(\s*[\"']?(?:https?:)?//[^)]*\)"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-b", "html"]
    command += ["--doctree-dir", str(folder / "doctrees"), str(_ROOT / "docs"), str(folder / "html")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "html"


@pytest.mark.slow
def test_every_page_is_built_and_in_the_navigation(site: Path) -> None:
    """A page that is in no part of the navigation would have been a warning, and so would a link to no heading."""
    documents = [*(_ROOT / "docs").rglob("*.md"), *(_ROOT / "docs").rglob("*.rst"), _ROOT / "docs" / "notebook.ipynb"]
    built = {page.relative_to(site).with_suffix("") for page in site.rglob("*.html")}
    assert {page.relative_to(_ROOT / "docs").with_suffix("") for page in documents} - built == set()


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """Neither scripts nor styles, fonts and images: the pages are whole without a network."""
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".css")]
    found = {path.name: _LOADED.findall(path.read_text(encoding="utf-8")) for path in files}
    assert {name: loaded for name, loaded in found.items() if loaded} == {}


@pytest.mark.slow
@NEEDS_BROWSER
def test_the_pictures_are_those_of_the_pages(tmp_path: Path) -> None:
    """What the documents show is what is drawn now, but for few of the pixels; none is large."""
    shown = tmp_path / "images"
    shutil.copytree(_ROOT / "docs" / "images", shown)
    subprocess.run([sys.executable, str(_ROOT / "benchmarks" / "screenshots.py"), str(shown)], check=True)
    before, now = (
        {path.name: path.read_bytes() for path in folder.glob("*.png")} for folder in (_ROOT / "docs" / "images", shown)
    )
    assert [name for name in now if now[name] != before.get(name)] == [], "run make screenshots"
    assert [name for name, picture in now.items() if len(picture) > _MOST_BYTES] == []


@pytest.mark.slow
def test_every_name_that_is_handed_out_is_described(site: Path) -> None:
    """With an anchor in the reference."""
    pages = "".join(
        (site / "reference" / f"{name}.html").read_text(encoding="utf-8") for name in ("overread", "service")
    )
    names = set(overread.__all__) - {"__version__"}
    assert {name for name in names if f'id="overread.{name}"' not in pages} == set()
