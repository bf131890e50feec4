"""The plan of the house: what import-linter's contracts cannot say, and the picture in the docs held against them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import grimp
import pytest

_ROOT: Final = Path(__file__).parents[2]
_SOURCE: Final = _ROOT / "src" / "overread"
_PAGE: Final = _ROOT / "docs" / "architecture.md"

Arrow = tuple[str, str]
"""From a room to one that it imports: "cli", or "application.metrics"."""


def test_no_module_imports_another_packages_private_module() -> None:
    """A module whose name begins with an underscore serves the package that it stands in, and nobody else."""
    foreign = [
        f"{importer} imports {imported}"
        for imported in _graph().modules
        if (home := _home(imported)) is not None
        for importer in _graph().find_modules_that_directly_import(imported)
        if not f"{importer}.".startswith(f"{home}.")
    ]
    assert foreign == []


def test_options_stand_in_modules_of_that_name() -> None:
    """A light plugin and the heavy modules behind it both read the options, which stand beside them in options.py."""
    elsewhere = [
        f"{path.relative_to(_SOURCE)}: {node.name}"
        for path in (_SOURCE / "adapters").rglob("*.py")
        if path.name != "options.py"
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name.endswith("Options")
    ]
    assert elsewhere == []


def test_parquet_is_read_and_written_in_one_room() -> None:
    """Everybody else gets rows and gives rows, so that damage is told alike and files are written alike."""
    importers = {
        path.relative_to(_SOURCE).parts[0]
        for path in _SOURCE.rglob("*.py")
        if re.search(r"^\s*(import|from) pyarrow(\.| import )parquet", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert importers == {"tables"}


def test_every_test_says_what_holds() -> None:
    """A name tells a failing test from others; why it should hold stands in its docstring."""
    silent = [
        f"{path.relative_to(_ROOT)}: {node.name}"
        for path in (_ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert silent == []


def test_docstrings_open_with_a_verb_or_a_noun() -> None:
    """Not with the clause that answers a question: "What it holds", "Whether it is open"."""
    clauses = re.compile(r"(What|Whether|How|Where|When|Who|Whom|Whose|Which|Why|Of|As|That|If)\b")
    odd = [
        f"{path.relative_to(_SOURCE)}: {docstring.splitlines()[0]}"
        for path in _SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module))
        and (docstring := ast.get_docstring(node))
        and clauses.match(docstring)
    ]
    assert odd == []


def test_no_identity_is_taken_apart() -> None:
    """An identity is for signatures: what a component is and does, it states among its traits."""
    apart = {
        _SOURCE / "application" / "marks.py",  # understands the components of the last release, and goes with them
        _SOURCE / "testing" / "_conduct.py",  # checks that an identity can stand in a signature
    }
    readers = [
        f"{path.relative_to(_SOURCE)}:{line}"
        for path in _SOURCE.rglob("*.py")
        if path not in apart
        for line in _lines_that_take_an_identity_apart(path.read_text(encoding="utf-8"))
    ]
    assert readers == []


@pytest.mark.parametrize(
    "code",
    [
        'kind = readout.identity.partition("@")[0]',
        'if self.aligner.identity.startswith("balanced"): pass',
        'def f(part):\n    name = part.identity\n    return name.split("@")',
        're.match("plan@", readout.identity)',
        'known = readout.identity[:4] == "plan"',
    ],
)
def test_an_identity_that_is_taken_apart_is_seen(code: str) -> None:
    """In one step or over a name; one that is only told, handed on or put into another is left in peace."""
    assert list(_lines_that_take_an_identity_apart(code)) == [code.count("\n") + 1]
    assert not list(_lines_that_take_an_identity_apart('line = f"{a.identity},lexicon"; line.split(",")'))


def test_the_picture_shows_every_room() -> None:
    """Each package and module beside the door is drawn; of a layer that is drawn with rooms, each of them."""
    rooms, layers = _drawn_rooms(), {room.partition(".")[0] for room in _drawn_rooms() if "." in room}
    standing = set(_rooms(_SOURCE)) - {"__main__"} - layers
    assert rooms == standing.union(f"{layer}.{room}" for layer in layers for room in _rooms(_SOURCE / layer))


def test_no_import_goes_where_the_picture_shows_no_way() -> None:
    """Where one room imports another, arrows of the picture lead from the one to the other."""
    ways = _ways()
    assert {(one, other) for one, other in _imports_between_rooms() if other not in ways.get(one, ())} == set()


def test_every_arrow_of_the_picture_is_an_import() -> None:
    """An arrow stands for an import of the one room, or of one in it, by the other."""
    imports = {
        (above, below)
        for one, other in _imports_between_rooms()
        for above in (one, one.partition(".")[0])
        for below in (other, other.partition(".")[0])
    }
    assert set(_arrows()) - imports == set()


def test_the_picture_has_the_order_of_the_contracts() -> None:
    """Of two rooms that a contract orders, no way leads from the lower to the upper, or between neighbours."""
    ways = _ways()
    for container, prefix in (
        ("", ""),
        (".adapters", "adapters."),
        (".application", "application."),
        (".domain", "domain."),
    ):
        layers = [[f"{prefix}{room}" for room in layer] for layer in _layers(f"overread{container}")]
        for rank, layer in enumerate(layers):
            above = {room for upper in layers[: rank + 1] for room in upper}
            assert {(room, other) for room in layer for other in ways.get(room, set()) & above - {room}} == set()


_TAKING_APART: Final = frozenset(
    {
        *("endswith", "find", "index", "partition", "removeprefix", "removesuffix", "rpartition", "rsplit", "split"),
        *("startswith", "findall", "finditer", "fullmatch", "match", "search"),
    }
)
"""Methods of text, and functions of `re`."""


def _lines_that_take_an_identity_apart(code: str) -> Iterator[int]:
    tree = ast.parse(code)
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]:
        inner = {name for node in _own_nodes(scope) for name in _names_of_an_identity(node)}
        for node in _own_nodes(scope):
            match node:
                case ast.Call(func=ast.Attribute(value=value, attr=attr), args=args) if attr in _TAKING_APART:
                    taken = [value, *args]
                case ast.Subscript(value=value):
                    taken = [value]
                case _:
                    continue
            if any(_is_identity(each, inner) for each in taken):
                yield node.lineno


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a module or a function, without those of the functions in it."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, ast.FunctionDef):
            yield child
            yield from _own_nodes(child)


def _names_of_an_identity(node: ast.AST) -> list[str]:
    """Names that a statement gives to an identity."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return [name] if _is_identity(value, set()) else []
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            return [name] if _is_identity(value, set()) else []
        case _:
            return []


def _is_identity(node: ast.AST, names: set[str]) -> bool:
    match node:
        case ast.Attribute(attr=name):
            return name == "identity" or name.endswith("_identity")
        case ast.Name(id=name):
            return name in names or name == "identity" or name.endswith("_identity")
        case _:
            return False


def _ways() -> dict[str, set[str]]:
    """What can be reached from each room over any number of arrows; an arrow of a layer is one of each of its rooms."""
    ways: dict[str, set[str]] = {}
    for one, other in _arrows():
        for room in _inside(one):
            ways.setdefault(room, set()).update(_inside(other))
    while True:
        wider = {room: found.union(*(ways.get(other, set()) for other in found)) for room, found in ways.items()}
        if wider == ways:
            return ways
        ways = wider


def _inside(name: str) -> set[str]:
    """A room, or the rooms of a layer with the layer itself."""
    return {name, *(room for room in _drawn_rooms() if room.startswith(f"{name}."))}


@cache
def _picture() -> str:
    return _PAGE.read_text(encoding="utf-8").partition("```mermaid\n")[2].partition("```")[0]


def _arrows() -> list[Arrow]:
    """The arrows; a room's name in the picture has an underscore after its layer, as mermaid wants."""
    found = re.findall(r"(\w+) --> (\w+)", _picture())
    return [(one.replace("_", ".", 1), other.replace("_", ".", 1)) for one, other in found]


@cache
def _drawn_rooms() -> frozenset[str]:
    rooms = {name.replace("_", ".", 1) for name in re.findall(r"^\s*(\w+)\[", _picture(), re.MULTILINE)}
    return frozenset(rooms)


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph("overread", cache_dir=None)


@cache
def _imports_between_rooms() -> frozenset[Arrow]:
    found = {
        (_room(importer), _room(imported))
        for imported in _graph().modules
        for importer in _graph().find_modules_that_directly_import(imported)
    }
    return frozenset((one, other) for one, other in found if one != other and "" not in {one, other})


def _room(module: str) -> str:
    """The drawn room that a module stands in; "" for the door."""
    parts = module.split(".")[1:]
    names = (".".join(parts[:2]), parts[0] if parts else "")
    return next((name for name in names if name in _drawn_rooms()), "")


def _layers(container: str) -> list[list[str]]:
    settings = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    contract = next(each for each in contracts if each.get("containers") == [container])
    return [layer.split(" | ") for layer in contract["layers"]]


def _home(module: str) -> str | None:
    """The package that a private module stands in; None for a public one."""
    parts = module.split(".")
    private = [place for place, part in enumerate(parts) if part.startswith("_") and part != "__main__"]
    return ".".join(parts[: private[0]]) if private else None


def _rooms(folder: Path) -> Iterator[str]:
    for path in folder.iterdir():
        if path.suffix == ".py" and path.stem != "__init__":
            yield path.stem
        elif (path / "__init__.py").exists():
            yield path.name
