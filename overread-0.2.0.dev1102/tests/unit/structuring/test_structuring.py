"""Structuring: a table becomes an object of a class, strictly, or every problem is told."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from attrs import field, frozen, validators

from overread.exceptions import ConfigurationError
from overread.structuring import Written, conform, structure, structure_fields, structure_value


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@frozen(kw_only=True)
class Inner:
    """A table within another."""

    site: str = field(validator=validators.min_len(1))
    ports: tuple[int, ...] = ()


@frozen(kw_only=True)
class Outer:
    """A table with a setting of each kind."""

    name: str = "plain"
    count: int = field(default=1, validator=validators.ge(1))
    share: float = 0.5
    switch: bool = False
    hosts: frozenset[str] = frozenset()
    window: tuple[int, str] | None = None
    place: Path = Path("x")
    wait: timedelta = timedelta(seconds=9)
    start: datetime | None = None
    side: Side = Side.LEFT
    level: Level = Level.LOW
    order: Literal[1, "all"] = 1
    sites: Mapping[str, Side] = field(factory=dict)
    inner: Inner | None = None
    several: tuple[Inner, ...] = ()
    renamed: str = field(default="", metadata={"setting": "word"})

    def __attrs_post_init__(self) -> None:
        problems = []
        if self.share > 1:
            problems.append("share must be at most 1")
        if self.wait < timedelta(seconds=self.count):
            problems.append("wait must be a second for each of count")
        if problems:
            raise ConfigurationError(problems)


def problems_of(table: object, place: str = "outer") -> tuple[str, ...]:
    with pytest.raises(ConfigurationError) as caught:
        structure(Outer, table, place)
    return caught.value.problems


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("count", np.int64(3), 3),
        ("share", np.float32(0.5), 0.5),
        ("share", 1, 1.0),
        ("hosts", {"a"}, frozenset({"a"})),
        ("hosts", Written("a, b,"), frozenset({"a", "b"})),
        ("window", [1, "x"], (1, "x")),
        ("place", "~/reports", Path.home() / "reports"),
        ("wait", 90, timedelta(seconds=90)),
        ("wait", 1e-5 + 1, timedelta(seconds=1.00001)),
        ("wait", Written("5 min"), timedelta(minutes=5)),
        ("start", datetime(2026, 1, 31, tzinfo=UTC), datetime(2026, 1, 31, tzinfo=UTC)),
        ("start", Written("2026-01-31T00:00:00Z"), datetime(2026, 1, 31, tzinfo=UTC)),
        ("side", Written("RIGHT"), Side.RIGHT),
        ("level", Written("2"), Level.HIGH),
        ("sites", {"a": "left"}, {"a": Side.LEFT}),
        ("inner", {"site": "n"}, Inner(site="n")),
        ("inner", Inner(site="n"), Inner(site="n")),
        ("several", [{"site": "n"}, {"site": "m", "ports": [1]}], (Inner(site="n"), Inner(site="m", ports=(1,)))),
    ],
)
def test_what_means_one_thing_is_taken(name: str, given: object, expected: object) -> None:
    """A value of the type, of one that stands for it, or the text of a command line."""
    found = getattr(structure(Outer, {name: given}), name)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("name", "given", "problem"),
    [
        ("hosts", "a.example", """.hosts must be a list, such as ["a.example"], not the text 'a.example'"""),
        ("hosts", "x" * 99, ".hosts must be a list, not a text of 99 characters"),
        ("hosts", ["a", 5], ".hosts[1] must be text, not a number"),
        ("hosts", {"a": 1}, ".hosts must be a list, not a table"),
        ("window", [1], ".window must have 2 parts, not 1"),
        ("window", ["1", "x"], ".window[0] must be a whole number, not the text '1'"),
        ("count", float("nan"), ".count must be a whole number, not nan"),
        ("share", float("nan"), ".share must be a number, not nan"),
        ("share", "nan", ".share must be a number, not the text 'nan'"),
        ("name", b"secret", ".name must be text, not bytes"),
        ("place", "", ".place must be a path, not the text ''"),
        ("wait", -1, '.wait must be a number of seconds, or a duration such as "5 min", "12 h" or "30 d", not -1'),
        ("wait", "9" * 30 + " d", ".wait is too long"),
        ("start", datetime(2026, 1, 1), ".start must be a time with its zone"),  # noqa: DTZ001 - which is refused
        ("start", "2026-01-31T00:00:00Z", ".start must be a time with its zone"),
        ("level", True, ".level must be one of 1, 2, not True"),
        ("sites", {"a": "up"}, ".sites.a must be one of left, right, not the text 'up'"),
        ("sites", "south", ".sites must be a table, not the text 'south'"),
        ("inner", "south", ".inner must be a table, not the text 'south'"),
        ("several", {"site": "n"}, ".several must be a list of tables, each of which begins with [[...]] in TOML"),
        ("several", [{"site": ""}], ".several[0].site: Length of 'site' must be >= 1: 0"),
        ("several", [{}], ".several[0].site must be given"),
        ("counts", 1, ".counts is not a setting; did you mean count? (known: name, count, "),
        ("renamed", "x", ".renamed is not a setting"),
        ("count", 0, ".count must be >= 1: 0"),
        ("share", 2, ".share must be at most 1"),
    ],
)
def test_what_could_mean_another_is_refused(name: str, given: object, problem: str) -> None:
    """By the setting's full name, with what would be right; a text that is no text is not repeated."""
    [found] = problems_of({name: given})
    assert found.startswith(f"outer{problem}")


def test_every_problem_is_told() -> None:
    """Types first; of values that are sound, also what their class finds, one after the other."""
    assert problems_of({"hosts": "a", "count": 0, "share": 3, "inner": {"ports": 1}, "nam": 1}) == (
        """outer.hosts must be a list, such as ["a"], not the text 'a'""",
        "outer.inner.ports must be a list, not 1",
        "outer.inner.site must be given",
        (
            "outer.nam is not a setting; did you mean name? (known: name, count, share, switch, hosts, window, place, "
            "wait, start, side, level, order, sites, inner, several, word)"
        ),
        "outer.count must be >= 1: 0",
        "outer.share must be at most 1",
    )


def test_a_problem_between_settings_is_told_only_where_both_are_sound() -> None:
    """With a value that is wrong the other is held against what is usual, which says nothing."""
    assert problems_of({"count": 5, "wait": "4 s"}) == ("outer.wait must be a second for each of count",)
    assert problems_of({"count": 5, "wait": "soon"})[0].startswith("outer.wait must be a number of seconds")
    assert len(problems_of({"count": 5, "wait": "soon"})) == 1


@pytest.mark.parametrize(
    ("place", "begins"), [("a.b", "a.b.count must"), ("", "count must"), ("file: ", "file: count must")]
)
def test_the_place_goes_before_the_name(place: str, begins: str) -> None:
    """With a dot, unless there is none or it ends with a blank."""
    assert problems_of({"count": "1"}, place)[0].startswith(begins)


def test_a_table_that_is_none_is_refused() -> None:
    """Of the whole, too."""
    assert problems_of(5) == ("outer must be a table, not 5",)


def test_only_what_is_given_is_structured() -> None:
    """By attribute, whatever the setting is called; what must be given may come from elsewhere."""
    assert structure_fields(Outer, {"word": "x", "count": Written("2")}) == {"renamed": "x", "count": 2}
    assert structure_fields(Inner, {}) == {}
    with pytest.raises(ConfigurationError, match=r"^word must be text"):
        structure_fields(Outer, {"word": 1})


def test_a_value_alone_is_told_by_its_name() -> None:
    """As an argument of a function is."""
    assert structure_value(tuple[str, ...], ["a"], "metrics") == ("a",)
    with pytest.raises(ConfigurationError, match=r"^metrics\[1\] must be text, not a number$"):
        structure_value(tuple[str, ...], ["a", 5], "metrics")


def as_given(value: Any) -> Any:
    return value


@frozen(kw_only=True)
class Conforming:
    """A class that callers make themselves."""

    names: tuple[str, ...] = field(default=(), converter=as_given)
    place: Path | None = field(default=None, converter=as_given)
    count: int = 1

    def __attrs_post_init__(self) -> None:
        conform(self)
        if self.count < 1:
            raise ConfigurationError(["count must be 1 or more"])


def test_an_object_that_is_made_by_hand_conforms() -> None:
    """A list is a tuple, a text a path; every value of another type is told, and what the class finds besides."""
    made = Conforming(names=["a"], place="x")
    assert (made.names, made.place) == (("a",), Path("x"))
    assert made == Conforming(names=("a",), place=Path("x"))
    with pytest.raises(ConfigurationError) as caught:
        Conforming(names="a", place=5, count=0)
    assert caught.value.problems == (
        """names must be a list, such as ["a"], not the text 'a'""",
        "place must be a path, not 5",
        "count must be 1 or more",
    )


def test_what_was_written_goes_to_other_processes() -> None:
    """Workers get settings with it."""
    copy = pickle.loads(pickle.dumps(Written("0.1")))  # noqa: S301 - our own
    assert (copy, type(copy)) == ("0.1", Written)
