"""How Sphinx builds the documents: plain Markdown, of which what can be derived is derived here."""

from __future__ import annotations

import enum
import hashlib
import re
from collections.abc import Iterator
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any, Final, Protocol

from docutils import nodes
from pygments.lexers.data import JsonLexer
from pygments.lexers.special import TextLexer
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

import overread

_DOCS: Final = Path(__file__).parent
_LOGGER: Final = logging.getLogger(__name__)

project = "overread"
author = "The overread contributors"
project_copyright = author
version = version_of("overread")
release = version

myst_enable_extensions = ["attrs_inline"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
root_doc = "index"
exclude_patterns = ["_*", "deploy"]
suppress_warnings: list[str] = []
default_role = "py:obj"

# Headings are named as GitHub names them, so that one link leads to the same place in both.
myst_heading_anchors = 4
nb_execution_mode = "off"
nb_merge_streams = True

autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_mock_imports = ["torch", "torchmetrics"]
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
napoleon_numpy_docstring = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"overread {version}"
html_static_path = ["_static"]
html_css_files = ["overread.css"]
html_js_files = ["overread.js"]
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

# Asked for by `make docs-links` alone: these answer browsers, not programs.
linkcheck_ignore = [r"https?://127\.0\.0\.1", r"https?://localhost"]
linkcheck_anchors = False

_HOSPITAL: Final = "overread.hospital."
_HOMES: Final = {f"{home}.{name}": f"overread.{name}" for name, home in overread._HOMES.items()}  # noqa: SLF001
_ROW: Final = re.compile(r"^\| \[([^]]+)\]\(/?([\w/-]+)\.(?:md|rst|ipynb)\) \|", re.MULTILINE)
_OUTSIDE: Final = re.compile(r"\]\((?:\.\./)*(CHANGELOG|CONTRIBUTING|SECURITY)\.md")
_SHOT: Final = re.compile(r"^!\[([^]]+)\]\((images/[\w-]+)\.png\)$", re.MULTILINE)
_DIAGRAM: Final = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAMED: Final = re.compile(r"\[(?:[\w-]+/)*[\w-]+\.md\]\(((?:[\w.-]+/)*[\w-]+\.md)(#[^)]*)?\)")
_FILE: Final = re.compile(r"\]\(((?:\.\./)+(?:examples|src)/[^)]+\.md)\)")
_AREA: Final = re.compile(r"^## (.+)\n((?:(?!## ).*\n)*)", re.MULTILINE)


def complete(app: Sphinx, docname: str, source: list[str]) -> None:
    """Add to a page what is derived: the navigation, the findings of the lexicon, the names that overread hands out."""
    source[0] = _lead_inside(_name_pages(source[0], (_DOCS / docname).parent))
    source[0] = _SHOT.sub(r"![\1](\2.png){.shot .only-light} ![\1](\2-dark.png){.shot .only-dark}", source[0])
    source[0] = _DIAGRAM.sub(lambda found: _draw(docname, found[1]), source[0])
    source[0] = _FILE.sub(r"](<path:\1>)", source[0])
    if docname == "index":
        source[0] += "".join(_areas(source[0]))
    elif docname == "reference/findings":
        source[0] += _findings()
    elif docname in _GROUPS:
        source[0] += "".join(_names(in_hospital=_GROUPS[docname]))
    elif docname == "reference/vocabulary":
        source[0] += "".join(_vocabulary())
    elif children := sorted(_children(app.env, docname)):
        source[0] += _toctree(children)


def _draw(docname: str, diagram: str) -> str:
    """Show what `make diagrams` drew of a diagram, which GitHub draws itself."""
    pictures = [f"images/{docname}{suffix}.svg" for suffix in ("", "-dark")]
    drawn_from = f"<!-- sha256 {hashlib.sha256(diagram.encode()).hexdigest()} -->"
    for picture in pictures:
        if not (_DOCS / picture).exists() or drawn_from not in (_DOCS / picture).read_text(encoding="utf-8"):
            _LOGGER.warning(
                "%s is not drawn from the diagram of the page: run make diagrams", picture, location=docname
            )
    light, dark = pictures
    return f"```{{container}} diagram\n![Diagram]({light}){{.only-light}} ![Diagram]({dark}){{.only-dark}}\n```"


def complete_included(app: Sphinx, path: Path, docname: str, source: list[str]) -> None:  # noqa: ARG001
    """Lead from the files of the project's root to each other as pages."""
    source[0] = _lead_inside(_name_pages(source[0], _DOCS.parent))


def _name_pages(text: str, folder: Path) -> str:
    """Name a page by its title where a link names it by its file."""
    return _NAMED.sub(lambda found: f"[{_title(folder / found[1]) or found[1]}]({found[1]}{found[2] or ''})", text)


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") if page.exists() else ""


def _lead_inside(text: str) -> str:
    return _OUTSIDE.sub(lambda found: f"](/project/{found[1].lower()}.md", text)


_GROUPS: Final = {"reference/overread": False, "reference/service": True}
_VOCABULARY: Final = (
    "reports.report",
    "findings.unit",
    "entities.entity",
    "results.result",
    "results.discrepancy",
    "results.alignment",
    "results.readout",
    "results.error_counts",
    "results.judgement",
    "results.answer",
    "results.signature",
    "vocabulary.taxonomy",
    "vocabulary.severity",
    "differences.second_reading",
    "differences.weighing",
)


def _areas(text: str) -> Iterator[str]:
    """Each table of the landing page is a part of the navigation, named as its heading is."""
    for area in _AREA.finditer(text):
        if rows := _ROW.findall(area[2]):
            yield _toctree([f"{words} <{page}>" for words, page in rows], caption=area[1])


def _children(env: BuildEnvironment, docname: str) -> Iterator[str]:
    """The pages in the folder that is named as a page is, or whose README or index it is."""
    folder, _, name = docname.rpartition("/")
    folder = f"{folder}/" if folder and name in ("README", "index") else f"{docname}/"
    return (f"/{page}" for page in env.found_docs if page.startswith(folder) and page != docname)


def _toctree(entries: list[str], caption: str = "") -> str:
    return "\n".join(["\n```{toctree}", ":hidden:", f":caption: {caption}" if caption else "", "", *entries, "```\n"])


def _findings() -> str:
    from overread.adapters.lexicon import describe, load_knowledge  # noqa: PLC0415 - reading it takes seconds

    return describe.page(load_knowledge().lexicon).partition("\n")[2].replace("](lexicon.md)", "](../lexicon.md)")


def _names(*, in_hospital: bool) -> Iterator[str]:
    """Directives for the names of the package, functions first."""
    for heading, kind in (("Functions", "autofunction"), ("Classes", "autoclass")):
        yield f"\n{heading}\n{'-' * len(heading)}\n"
        for name in overread.__all__:
            home = overread._HOMES.get(name, "")  # noqa: SLF001
            is_class = isinstance(getattr(overread, name), type)
            if home and home.startswith(_HOSPITAL) == in_hospital and is_class == (kind == "autoclass"):
                yield f"\n.. {kind}:: overread.{name}\n"


def read_plainly(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:  # noqa: ARG001
    """Keep napoleon from taking what stands before a colon for the type of an attribute, which is annotated."""
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]


def _vocabulary() -> Iterator[str]:
    """Directives for the modules of the domain that users meet, without the names that the package hands out."""
    for module in _VOCABULARY:
        home = f"overread.domain.{module}"
        heading = module.rpartition(".")[2].replace("_", " ").capitalize()
        elsewhere = [name for name, at in overread._HOMES.items() if at == home]  # noqa: SLF001
        yield f"\n{heading}\n{'-' * len(heading)}\n\n.. automodule:: {home}\n"
        yield f"   :exclude-members: {', '.join(elsewhere)}\n" if elsewhere else ""


def find(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element) -> nodes.Node | None:
    """Lead from the name of a class or function to where it is documented, which is seldom where it is defined."""
    if node.get("refdomain") != "py":
        return None
    domain, named = env.domains.python_domain, node["reftarget"]
    homes = [_HOMES[named]] if named in _HOMES else [each for each in domain.objects if each.endswith(f".{named}")]
    if len(homes) != 1 or (named not in _HOMES and named.islower()):
        return None
    return domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], homes[0], node, content)


def skip(app: Sphinx, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:  # noqa: ARG001, FBT001
    """Show the members of an enumeration, which document themselves."""
    return False if isinstance(obj, enum.Enum) else None


def sign(
    app: Sphinx,  # noqa: ARG001
    what: str,
    name: str,  # noqa: ARG001
    obj: Any,
    options: Any,  # noqa: ARG001
    signature: str | None,
    returns: str | None,
) -> tuple[str, str | None] | None:
    """Leave out the arguments of what nobody makes: protocols and enumerations."""
    if what == "class" and (issubclass(obj, enum.Enum) or Protocol in obj.__bases__):
        return "", returns
    return None if signature is None else (signature, returns)


def rank_captions(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:  # noqa: ARG001
    """Say of which level the headings of the navigation are, as screen readers want; Sphinx does not."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Sphinx) -> None:
    """Connect the above; and name the languages that Pygments lacks."""
    app.connect("source-read", complete)
    app.connect("include-read", complete_included)
    app.connect("missing-reference", find)
    app.connect("autodoc-process-docstring", read_plainly, priority=400)
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-signature", sign)
    app.connect("html-page-context", rank_captions, priority=900)  # after the theme has made the tree
    for name in ("csv", "tsv"):
        app.add_lexer(name, TextLexer)
    app.add_lexer("jsonl", JsonLexer)
