"""The list of sets: what it says of a reader is so."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from overread.exceptions import ConfigurationError
from overread.studies.infrastructure.datasets.annotated_sets import BENCHMARKS, BenchmarkFormat
from overread.studies.infrastructure.datasets.annotated_sets.generic import read_generic, write_benchmark

from ......benchmarks_data import write_radevalx, write_rexerr, write_rexval
from ......corrections_data import write_radpref, write_refisco

TYPES = {
    "choice": ("str", "Literal"),
    "path": ("Path | None",),
    "names": ("Sequence[str]", "Collection[str]"),
    "mapping": ("Mapping[str, str] | None",),
}


@pytest.mark.parametrize("form", BENCHMARKS.values(), ids=lambda form: form.name)
def test_options_are_the_readers(form: BenchmarkFormat) -> None:
    """Each option is a keyword of the reader, of its kind, with the default first; the reader has no other."""
    module = import_module(f"overread.studies.infrastructure.datasets.annotated_sets.{form.module}")
    parameters = dict(inspect.signature(getattr(module, f"read_{form.module}")).parameters)
    path = parameters.pop("path")
    assert path.annotation == "Path"
    assert list(parameters) == [option.name for option in form.options]
    for option in form.options:
        assert parameters[option.name].annotation.startswith(TYPES[option.kind])
        if option.choices:
            assert parameters[option.name].default == option.choices[0]


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("rexval", {"identical": "some"}, "`identical` must be one of keep, drop, not 'some'"),
        ("rexerr", {"split": "dev"}, "`split` must be one of all, train, val, test, not 'dev'"),
        (
            "rexerr",
            {"columns": {"text": "x"}},
            "`columns` must be one of id, study, original, error, errors, not 'text'",
        ),
        ("rate-eval", {"levels": ["word"]}, "`levels` must be one of sentence, paragraph, synthetic, not 'word'"),
    ],
)
def test_values_that_an_option_cannot_have(tmp_path: Path, name: str, options: dict[str, Any], told: str) -> None:
    """They are refused as settings are, before anything is read."""
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        BENCHMARKS[name].read(tmp_path, **options)


def test_names_are_those_of_the_command_line() -> None:
    """Small letters and hyphens."""
    assert list(BENCHMARKS) == [
        "gold", "rexval", "radevalx", "rexerr", "refisco", "rate-eval", "reevalmed", "preferences", "radpref",
        "pairs",
    ]  # fmt: skip


def test_list_is_light() -> None:
    """Looking at the list imports no reader."""
    code = (
        "import sys; from overread.studies.infrastructure.datasets.annotated_sets import BENCHMARKS; "
        "print([name for name in sys.modules "
        "if name.startswith('overread.studies.infrastructure.datasets.annotated_sets.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("write", "name", "options", "pairs"),
    [
        (write_rexval, "rexval", {}, 200),
        (write_rexval, "rexval", {"identical": "drop"}, 174),
        (write_radevalx, "radevalx", {}, 100),
        (write_rexerr, "rexerr", {}, 80),
        (write_radpref, "radpref", {}, 200),
        (write_refisco, "refisco", {}, 290),
        (write_refisco, "refisco", {"reference": "expert"}, 36),
    ],
)
def test_sets_of_full_size_are_read_and_converted(
    tmp_path: Path, write: Callable[[Path], Path], name: str, options: dict[str, Any], pairs: int
) -> None:
    """ReXVal has 200 pairs, 26 of them identical (CREPE, Table 2), RadEvalX 100; as JSON lines each is the same set."""
    benchmark = BENCHMARKS[name].read(write(tmp_path / name), **options)
    assert (benchmark.name, len(benchmark.pairs)) == (name, pairs)
    write_benchmark(benchmark, tmp_path / "set.jsonl")
    assert read_generic(tmp_path / "set.jsonl") == benchmark
