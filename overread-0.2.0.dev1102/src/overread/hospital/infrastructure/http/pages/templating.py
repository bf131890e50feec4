"""Templates and what every page loads: one style sheet and two scripts, each under an address of its content."""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from attrs import field, frozen
from jinja2 import Environment, PackageLoader

from overread.hospital.infrastructure.http.pages import words
from overread.infrastructure.views.web.pair_page import pair_style
from overread.infrastructure.views.web.palette import PALETTE, SERIES
from overread.infrastructure.views.web.templating import build_environment

__all__ = ["ASSETS", "Asset", "asset", "render"]

ASSETS: Final = "/assets"
"""Path under which they are found."""

_KINDS: Final = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
_SCRIPTS: Final = ("htmx.min.js", "pages.js")
_STYLE: Final = "pages.css"


@frozen(kw_only=True)
class Asset:
    """A file that pages load."""

    name: str
    kind: str
    content: bytes = field(repr=False)

    @property
    def address(self) -> str:
        """Address of the file; it names the content, so that browsers may keep it for good."""
        return f"{ASSETS}/{self.name}?v={sha256(self.content).hexdigest()[:12]}"


def render(name: str, **values: object) -> str:
    """A template by its file name; all that it is given is escaped."""
    return _environment().get_template(name).render(**values)


@lru_cache(maxsize=32)  # a name comes from whoever asks
def asset(name: str) -> Asset | None:
    """A file by its name; None where there is none."""
    kind = _KINDS.get(name[name.rfind(".") :], "")
    if name == _STYLE:
        palette = {**PALETTE, **{f"series-{index}": pair for index, pair in enumerate(SERIES, 1)}}
        sheet = render("pages.css.j2", palette=palette, series=len(SERIES))
        return Asset(name=name, kind=kind, content=f"{sheet}\n{pair_style()}".encode())
    if name in _SCRIPTS:
        content = files("overread.hospital.infrastructure.http.pages").joinpath("static", name).read_bytes()
        return Asset(name=name, kind=kind, content=content)
    return None


def _address(name: str) -> str:
    file = asset(name)
    if file is None:
        raise LookupError(name)
    return file.address


@cache
def _environment() -> Environment:
    environment = build_environment(PackageLoader("overread.hospital.infrastructure.http.pages"))
    environment.globals |= {"asset": _address, "words": words}
    return environment
