"""The page of all settings of the service, made of the classes that read them.

Run as a module, it writes the page: ``python -m overread.hospital.infrastructure.settings_page docs/settings.md``.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import attrs

from overread.hospital.infrastructure.exchange.secrets import Secret
from overread.hospital.infrastructure.serving_settings import ServeConfiguration

__all__ = ["main", "settings_page"]

_ROOT: Final = "serve"
_HEAD: Final = """\
# Settings of the service

All settings of the table `[serve]`, made from the code by `make docs`. [serve.md](serve.md#settings) has an example of
the whole file, and [hospital-in.md](hospital-in.md), [fhir.md](fhir.md) and [hospital-out.md](hospital-out.md) say what
each is for. A duration is a number of seconds, or text such as "90 s", "5 min", "12 h" or "30 d". A setting that cannot
be used stops the service before it starts, with its name and what it must be.
"""
_COLUMNS: Final = "| setting | value | default | meaning |\n|---|---|---|---|\n"
_ENTRY: Final = re.compile(r"^([a-z][a-z0-9_]*(?:, [a-z][a-z0-9_]*)*): (.*)$")
_WORDS: Final = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    Path: "path",
    timedelta: "duration",
    datetime: "time",
}
_LISTS: Final = (tuple, list, set, frozenset, Sequence)
_UNITS: Final[Sequence[tuple[int, str]]] = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def settings_page() -> str:
    """The page: a table of settings for each table of the settings file."""
    tables = list(_tables(_ROOT, ServeConfiguration))
    page = "\n".join([_HEAD, *(_section(heading, kind) for heading, kind in tables)])
    for heading, kind in tables:
        page = page.replace(f"`{kind.__name__}`", f"`{heading}`")
    return page


def main(target: str) -> None:
    """Write the page to a file."""
    Path(target).write_text(settings_page(), encoding="utf-8")


def _tables(name: str, kind: type[Any], *, is_listed: bool = False) -> Iterator[tuple[str, type[Any]]]:
    """The tables of a class and of those within it by their headings, in the order of their settings."""
    yield f"[[{name}]]" if is_listed else f"[{name}]", kind
    for about in _attributes(kind):
        inner = _inner_class(about.type)
        if inner is not None:
            many = get_origin(_bare(about.type))
            place = f"{name}.{_setting(about)}"
            is_named = many is not None and not _is_list(many)
            yield from _tables(f"{place}.NAME" if is_named else place, inner, is_listed=_is_list(many))


def _section(heading: str, kind: type[Any]) -> str:
    meanings = _meanings(kind)
    rows = [
        f"| `{_setting(about)}` | {_value(about.type)} | {_default(about)} | {meanings.get(about.name, '')} |"
        for about in _attributes(kind)
    ]
    return f"## `{heading}`\n\n{_COLUMNS}" + "\n".join(rows) + "\n"


def _attributes(kind: type[Any]) -> Sequence[attrs.Attribute[Any]]:
    resolved = attrs.resolve_types(kind, include_extras=True)
    return [about for about in attrs.fields(resolved) if about.init]


def _setting(about: attrs.Attribute[Any]) -> str:
    return str(about.metadata.get("setting", about.name))


def _meanings(kind: type[Any]) -> dict[str, str]:
    """Meanings of attributes as their class states them, as sentences for a cell of a table."""
    lines = (inspect.getdoc(kind) or "").partition("Attributes:\n")[2].splitlines()
    meanings: dict[str, str] = {}
    names: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            break
        entry = _ENTRY.match(line.strip()) if line.startswith("    ") and not line.startswith("     ") else None
        if entry is not None:
            names = entry[1].split(", ")
            meanings |= dict.fromkeys(names, entry[2])
        elif line.strip():
            meanings |= {name: f"{meanings[name]} {line.strip()}" for name in names}
    return {name: _cell(text) for name, text in meanings.items()}


def _cell(text: str) -> str:
    capital = text[:1].upper() + text[1:]
    return capital.replace("|", r"\|").replace("``", "`").rstrip()


def _bare(kind: Any) -> Any:
    """A type without None and without what is annotated."""
    if get_origin(kind) in (Union, UnionType):
        [bare] = [part for part in get_args(kind) if part is not NoneType]
        return _bare(bare)
    return kind


def _inner_class(kind: Any) -> type[Any] | None:
    """The class of settings that a setting is a table, or several tables, of."""
    bare = _bare(kind)
    if isinstance(bare, type) and attrs.has(bare):
        return bare
    return next((part for part in get_args(bare) if isinstance(part, type) and attrs.has(part)), None)


def _is_list(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, _LISTS)


def _value(kind: Any) -> str:
    """A type in words."""
    bare = _bare(kind)
    if get_origin(bare) is Annotated and any(isinstance(mark, Secret) for mark in get_args(bare)):
        return 'secret: "env:NAME" or "file:PATH"'
    if isinstance(bare, type) and issubclass(bare, Enum):
        return ", ".join(f'"{member.value}"' for member in bare)
    if _inner_class(bare) is not None:
        return "tables" if get_args(bare) else "table"
    origin, parts = get_origin(bare), get_args(bare)
    if _is_list(origin):
        return f"list of {_value(parts[0])}"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"table, name = {_value(parts[1])}"
    return _WORDS.get(bare, str(getattr(bare, "__name__", bare)))


def _default(about: attrs.Attribute[Any]) -> str:
    default = about.default
    if default is attrs.NOTHING:
        return "must be given"
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        if get_origin(_bare(about.type)) is Annotated:
            return "random"
        default = default.factory()  # type: ignore[union-attr]  # attrs calls factories functions
    return _written(default)


def _written(value: Any) -> str:
    """A value as a settings file has it; "" for none."""
    if value is None or attrs.has(type(value)) or value in ("", (), {}, frozenset()):
        return ""
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
        size, unit = next(pair for pair in _UNITS if seconds % pair[0] == 0 or pair[0] == 1)
        return f'`"{seconds / size:g} {unit}"`'
    if isinstance(value, int | float) and not isinstance(value, Enum):
        return f"`{value:g}`" if isinstance(value, float) else f"`{str(value).lower()}`"
    if isinstance(value, tuple | frozenset):
        return "`[" + ", ".join(f'"{one}"' for one in (sorted(value) if isinstance(value, frozenset) else value)) + "]`"
    if isinstance(value, Mapping):
        return "`{ " + ", ".join(f'{name} = "{one}"' for name, one in value.items()) + " }`"
    return f'`"{value.value if isinstance(value, Enum) else value}"`'


if __name__ == "__main__":
    main(*sys.argv[1:])
