"""The catalogue: what loads, what does not and why, and what people are told."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from attrs import field, frozen

import overread
from overread.domain.results.result import Scale
from overread.exceptions import ConfigurationError, PluginError
from overread.plugins.builtins import BUILTIN_PLUGINS
from overread.plugins.catalogue import Catalogue
from overread.plugins.specs import KINDS

from .fakes import PluginMaker, component, entry_point, metric

HERE = "tests/unit/plugins/test_catalogue.py"
AT = f"at {HERE}:LINE"


@frozen(kw_only=True)
class Options:
    """Options with every sort of default."""

    required: int
    count: int = 3
    share: float = 0.25
    limit: float = math.inf
    strict: bool = True
    name: str | None = None
    folder: Path = Path("lexicon")
    weights: tuple[float, ...] = (0.5, 0.5)
    table: dict[str, int] = field(factory=dict)


def test_every_adapter_that_registers_something_is_listed() -> None:
    """A plugin module that the catalogue does not name is never imported, and nothing else would tell."""
    source = Path(overread.__file__).parent.parent
    found = {
        ".".join(path.relative_to(source).with_suffix("").parts)
        for path in (source / "overread" / "adapters").rglob("plugin.py")
    }
    assert found == set(BUILTIN_PLUGINS)


@pytest.mark.parametrize("module", BUILTIN_PLUGINS)
def test_a_built_in_plugin_provides_what_is_listed(module: str) -> None:
    """What is not listed is never found; what is listed and not provided is found and missing."""
    catalogue = Catalogue.discover(builtins=[module], entry_points=[])
    provided = [(kind, name) for kind in KINDS for name in catalogue.names(kind)]
    assert sorted(provided) == sorted(BUILTIN_PLUGINS[module])


def test_a_built_in_plugin_is_imported_when_it_is_asked_for() -> None:
    """Names are known without it, and another plugin's spec does not import it."""
    program = (
        "import sys\n"
        "from overread.plugins.catalogue import Catalogue\n"
        "catalogue = Catalogue.discover(entry_points=[])\n"
        "assert 'green' in catalogue.names('metric')\n"
        "catalogue.find('metric', 'rouge')\n"
        "print(sorted(m for m in sys.modules if m.startswith('overread.adapters') and m.endswith('.plugin')))\n"
        "print(len(catalogue.metrics()) == len(catalogue.names('metric')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("['overread.adapters.lexical.plugin']\nTrue\n", "")


def discover(make: PluginMaker, *points: Any, **arguments: Any) -> Catalogue:
    """A catalogue with one built-in, ``core``: metric ``share`` and aligner ``plain``."""
    core = make.builtin(
        "core",
        overread_metrics=lambda: [metric("share")],
        overread_aligners=lambda: [component("plain")],
    )
    return Catalogue.discover(builtins=[core], entry_points=points, **arguments)


def test_built_ins_and_third_parties_are_listed_with_their_origin(make: PluginMaker) -> None:
    """Both come by the same hooks; distribution and version say where from."""
    catalogue = discover(make, make.point("extra", overread_metrics=lambda: [metric("ratio")]))
    origins = {r.spec.name: (r.plugin.name, r.plugin.distribution, r.plugin.builtin) for r in catalogue.metrics()}
    assert origins == {"ratio": ("extra", "overread-extra", False), "share": ("core", "overread", True)}
    assert catalogue.find("metric", "ratio").plugin.version == "2.1"


def test_specs_of_a_kind_are_sorted_by_name(make: PluginMaker) -> None:
    """The order does not depend on who loads first."""
    specs = [metric(name) for name in ("zeta", "alpha", "mid")]
    names = [r.spec.name for r in discover(make, make.point("extra", overread_metrics=lambda: specs)).metrics()]
    assert names == ["alpha", "mid", "share", "zeta"]


def test_the_same_name_may_serve_two_kinds(make: PluginMaker) -> None:
    """Names are unique within a kind only."""
    catalogue = discover(make, make.point("extra", overread_readouts=lambda: [component("share")]))
    assert catalogue.failures == []
    assert catalogue.find("readout", "share").kind == "readout"
    assert catalogue.find("metric", "share").kind == "metric"


def _raises() -> NoReturn:
    raise RuntimeError("the model is gone")


def _nothing() -> list[Any]:
    return []


def _line_of(words: str) -> int:
    """Line of this file that raises some words."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return 1 + next(place for place, line in enumerate(lines) if line.strip().startswith("raise") and words in line)


def _exits() -> NoReturn:
    sys.exit("wrong machine")


def _stops() -> NoReturn:
    raise KeyboardInterrupt("enough")


def _raises_late() -> Iterator[Any]:
    yield metric("early")
    raise RuntimeError("halfway")


@pytest.mark.parametrize(
    ("hooks", "problem"),
    [
        pytest.param({"overread_metrics": _raises}, f"RuntimeError {AT}: the model is gone", id="hook raises"),
        pytest.param({"overread_metrics": _exits}, f"SystemExit {AT}: wrong machine", id="hook exits"),
        pytest.param({"overread_metrics": _stops}, f"KeyboardInterrupt {AT}: enough", id="hook interrupts"),
        pytest.param({"overread_metrics": _raises_late}, f"RuntimeError {AT}: halfway", id="generator raises"),
        pytest.param({"overread_metrics": lambda: 3}, "iterable of specs, not int", id="no iterable"),
        pytest.param({"overread_metrics": lambda: "share"}, "iterable of specs, not str", id="text"),
        pytest.param({"overread_metrics": lambda: [component("x")]}, "MetricSpec, not ComponentSpec", id="component"),
        pytest.param({"overread_aligners": lambda: [metric("x")]}, "ComponentSpec, not MetricSpec", id="metric"),
        pytest.param({"overread_metrics": lambda language: [language]}, "language", id="unknown argument"),
        pytest.param({"overread_metrix": lambda: [metric("x")]}, "overread_metrix", id="unknown hook"),
        pytest.param({"overread_metrics": _nothing}, "offers nothing", id="empty"),
        pytest.param({}, "implements no overread hook", id="no hook"),
    ],
)
def test_a_faulty_plugin_is_recorded_and_hurts_nobody(
    hooks: dict[str, Callable[..., Any]], problem: str, make: PluginMaker
) -> None:
    """The failure has name, distribution, version and reason; plugins before and after it load."""
    before = make.point("a_sound", overread_metrics=lambda: [metric("first")])
    after = make.point("z_sound", overread_metrics=lambda: [metric("last")])
    catalogue = discover(make, after, make.point("faulty", **hooks), before)
    (failure,) = catalogue.failures
    assert (failure.plugin, failure.distribution, failure.version) == ("faulty", "overread-faulty", "2.1")
    assert problem in re.sub(rf"({HERE}):\d+", r"\1:LINE", failure.problem)
    assert [r.spec.name for r in catalogue.metrics()] == ["first", "last", "share"]
    assert [plugin.name for plugin in catalogue.plugins] == ["core", "a_sound", "z_sound"]


_RANGE = "the scale must be a Scale from a lower to a higher number"
_KIND = "the name is that of a kind of component, whose options would be taken for the metric's"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"name": "Ratio"}, "the name must be lower case"),
        ({"name": "two words"}, "the name must be lower case"),
        ({"name": "a:b"}, "the name must be lower case"),
        ({"name": "9lives"}, "the name must be lower case"),
        ({"name": ""}, "the name must be lower case"),
        ({"name": None}, "the name must be lower case"),
        ({"name": Path("ratio")}, "the name must be lower case"),
        ({"name": "readout", "options": Options}, _KIND),
        ({"version": 1}, "version, summary and install must be text"),
        ({"requires": "torch"}, "requires must be a tuple of module names"),
        ({"requires": (1,)}, "requires must be a tuple of module names"),
        ({"factory": None}, "the factory must be callable"),
        ({"options": dict}, "the options must be an attrs class"),
        ({"options": Options(required=1)}, "the options must be an attrs class"),
        ({"backend": None}, "the backend must be text"),
        ({"scale": (0, 1)}, _RANGE),
        ({"scale": Scale("0", 1.0, higher_is_better=True)}, _RANGE),  # type: ignore[arg-type]
        ({"scale": Scale(1.0, 0.0, higher_is_better=True)}, _RANGE),
        ({"scale": Scale(0.0, math.nan, higher_is_better=True)}, _RANGE),
    ],
)
def test_an_unsound_spec_is_refused_with_its_plugin(fields: dict[str, Any], problem: str, make: PluginMaker) -> None:
    """None of the plugin's specs is taken, and the reason names the spec."""
    specs = [metric("sound"), metric(**({"name": "ratio"} | fields))]
    catalogue = discover(make, make.point("faulty", overread_metrics=lambda: specs))
    assert [failure.problem for failure in catalogue.failures] == [
        f"ValueError: metric {fields.get('name', 'ratio')!r}: {problem}"
        + (" letters, digits, - and _" if "lower case" in problem else "")
    ]
    assert [r.spec.name for r in catalogue.metrics()] == ["share"]


def test_a_metric_may_be_named_like_a_kind_if_it_has_no_options(make: PluginMaker) -> None:
    """As judge is; options of that name are the component's."""
    catalogue = discover(make, make.point("named", overread_metrics=lambda: [metric("readout")]))
    assert catalogue.failures == []
    assert catalogue.find("metric", "readout").spec.name == "readout"


def test_a_plugin_that_cannot_be_imported_is_recorded(make: PluginMaker) -> None:
    """So is one whose module is missing altogether."""
    catalogue = discover(make, entry_point("absent", "overread_module_that_nobody_has"))
    (failure,) = catalogue.failures
    assert str(failure) == (
        "plugin absent (overread-absent 2.1): ModuleNotFoundError: No module named 'overread_module_that_nobody_has'"
    )


def test_nobody_shadows_a_built_in(make: PluginMaker) -> None:
    """The built-in stays, the other spec is refused, and the rest of its plugin is kept."""
    catalogue = discover(make, make.point("bold", overread_metrics=lambda: [metric("share"), metric("ratio")]))
    assert catalogue.find("metric", "share").plugin.builtin
    assert catalogue.find("metric", "ratio").plugin.name == "bold"
    (failure,) = catalogue.failures
    assert failure.plugin == "bold"
    assert "metric 'share' is built in" in failure.problem


@pytest.mark.parametrize("order", [("left", "right"), ("right", "left")])
def test_a_clash_disables_both_and_names_both(order: tuple[str, str], make: PluginMaker) -> None:
    """Neither wins by being first; what does not clash stays."""
    points = [
        make.point(name, overread_metrics=lambda own=f"own_{name}": [metric("ratio"), metric(own)]) for name in order
    ]
    catalogue = discover(make, *points)
    assert [r.spec.name for r in catalogue.metrics()] == ["own_left", "own_right", "share"]
    assert {failure.plugin: failure.problem for failure in catalogue.failures} == {
        "left": "metric 'ratio' is also offered by right; both are disabled",
        "right": "metric 'ratio' is also offered by left; both are disabled",
    }


def test_a_plugin_may_clash_with_itself(make: PluginMaker) -> None:
    """Twice the same name from one plugin is no choice either."""
    catalogue = discover(make, make.point("twice", overread_metrics=lambda: [metric("ratio"), metric("ratio")]))
    assert [r.spec.name for r in catalogue.metrics()] == ["share"]
    assert {failure.plugin for failure in catalogue.failures} == {"twice"}


def test_strict_raises_every_failure_together(make: PluginMaker) -> None:
    """One error lists all."""
    points = [make.point(name, overread_metrics=_raises) for name in ("one", "two")]
    with pytest.raises(PluginError) as caught:
        discover(make, *points, strict=True)
    assert [problem.partition(":")[0] for problem in caught.value.problems] == [
        "plugin one (overread-one 2.1)",
        "plugin two (overread-two 2.1)",
    ]


def test_strict_accepts_sound_plugins(make: PluginMaker) -> None:
    """Strictness objects to failures only."""
    catalogue = discover(make, make.point("extra", overread_metrics=lambda: [metric("ratio")]), strict=True)
    assert catalogue.find("metric", "ratio").plugin.name == "extra"


@pytest.mark.parametrize("name", ["extra", "overread-extra", "core"])
def test_a_required_plugin_goes_by_either_name(name: str, make: PluginMaker) -> None:
    """By its entry point, by its distribution, or by the name of a built-in."""
    point = make.point("extra", overread_metrics=lambda: [metric("ratio")])
    assert discover(make, point, required=(name,)).failures == []


def test_required_plugins_that_did_not_load_are_named_with_the_reason(make: PluginMaker) -> None:
    """One is absent, the other broken: both are named, and so is why."""
    with pytest.raises(PluginError) as caught:
        discover(make, make.point("faulty", overread_metrics=_raises), required=("faulty", "absent"))
    assert caught.value.problems[:2] == (
        "required plugin 'faulty' did not load",
        "required plugin 'absent' did not load",
    )
    assert "the model is gone" in caught.value.problems[2]


def test_a_required_plugin_must_provide_something(make: PluginMaker) -> None:
    """It loaded, but its only metric was refused: who requires it would miss it."""
    point = make.point("bold", overread_metrics=lambda: [metric("share")])
    with pytest.raises(PluginError) as caught:
        discover(make, point, required=("bold",))
    assert caught.value.problems[0] == "required plugin 'bold' did not load"
    assert "metric 'share' is built in" in caught.value.problems[1]


def test_an_unknown_name_is_answered_with_the_nearest_and_the_known(make: PluginMaker) -> None:
    """A slip of the finger is told what was meant."""
    with pytest.raises(ConfigurationError) as caught:
        discover(make).find("metric", "shere")
    assert caught.value.problems == ("no metric named 'shere'; did you mean 'share'? (known: share)",)


def test_an_unknown_name_is_answered_with_the_plugins_that_failed(make: PluginMaker) -> None:
    """Whoever asks for the metric of a broken plugin is told why it is not there."""
    catalogue = discover(make, entry_point("absent", "overread_module_that_nobody_has"))
    with pytest.raises(ConfigurationError) as caught:
        catalogue.find("metric", "absent")
    assert caught.value.problems == (
        "no metric named 'absent' (known: share)",
        f"failed: {catalogue.failures[0]}",
    )


def test_an_unknown_name_of_an_empty_kind(make: PluginMaker) -> None:
    """Where there is nothing to choose from, that is said."""
    with pytest.raises(ConfigurationError, match=r"no error counter named 'x' \(known: none\)"):
        discover(make).find("error_counter", "x")


def test_missing_modules_are_named_without_importing_any(make: PluginMaker) -> None:
    """Also where the parent of a dotted module is missing."""
    requires = ("json", "nobody_has_this", "nobody_has_that.part", "this")
    point = make.point("extra", overread_metrics=lambda: [metric("ratio", requires=requires)])
    sys.modules.pop("this", None)
    assert discover(make, point).find("metric", "ratio").missing() == ("nobody_has_this", "nobody_has_that.part")
    assert "this" not in sys.modules


def test_a_module_whose_package_breaks_counts_as_missing(
    make: PluginMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking for a part imports its package, and that may raise anything."""
    package = tmp_path / "breaks_when_imported"
    package.mkdir()
    (package / "__init__.py").write_text("raise OSError('a library is gone')")
    monkeypatch.syspath_prepend(tmp_path)
    requires = ("breaks_when_imported.part",)
    point = make.point("extra", overread_metrics=lambda: [metric("ratio", requires=requires)])
    assert discover(make, point).find("metric", "ratio").missing() == requires


def _described(make: PluginMaker) -> dict[str, Any]:
    """What the command line gets, through JSON that has neither NaN nor infinity."""
    risk = metric(
        "risk",
        scale=Scale(-math.inf, math.inf, higher_is_better=False),
        options=Options,
        requires=("nobody_has_this",),
        install="pip install this",
        backend="remote",
    )
    catalogue = discover(
        make,
        make.point("extra", overread_metrics=lambda: [risk]),
        make.point("faulty", overread_metrics=_raises),
    )
    described: dict[str, Any] = json.loads(json.dumps(catalogue.describe(), allow_nan=False))
    return described


def test_description_of_plugins_and_failures(make: PluginMaker) -> None:
    """Where each came from, what it provides, and what failed."""
    described = _described(make)
    extra = next(plugin for plugin in described["plugins"] if plugin["name"] == "extra")
    assert extra == {
        "name": "extra",
        "distribution": "overread-extra",
        "version": "2.1",
        "builtin": False,
        "provides": ["metric:risk"],
    }
    assert [plugin["provides"] for plugin in described["plugins"] if plugin["builtin"]] == [
        ["aligner:plain", "metric:share"]
    ]
    assert described["failures"] == [
        {
            "plugin": "faulty",
            "distribution": "overread-faulty",
            "version": "2.1",
            "problem": f"RuntimeError at {HERE}:{_line_of('the model is gone')}: the model is gone",
        }
    ]


def test_description_of_a_metric_that_cannot_run(make: PluginMaker) -> None:
    """Everything a reader needs to choose it, and to install what it lacks."""
    (risk,) = (c for c in _described(make)["components"] if c["name"] == "risk")
    assert risk == {
        "kind": "metric",
        "name": "risk",
        "version": "1.0",
        "summary": "a share",
        "plugin": "extra",
        "distribution": "overread-extra",
        "options": {
            "required": None,
            "count": 3,
            "share": 0.25,
            "limit": "inf",
            "strict": True,
            "name": None,
            "folder": "lexicon",
            "weights": [0.5, 0.5],
            "table": None,
        },
        "can_run": False,
        "missing": ["nobody_has_this"],
        "install": "pip install this",
        "higher_is_better": False,
        "range": [None, None],
        "backend": "remote",
    }


def test_description_of_a_component_that_can_run(make: PluginMaker) -> None:
    """A component has no scale, and nothing to install."""
    (plain,) = (c for c in _described(make)["components"] if c["kind"] == "aligner")
    assert (plain["can_run"], plain["missing"], plain["install"]) == (True, [], "")
    assert not {"range", "higher_is_better", "backend"} & plain.keys()


def test_shipped_plugins_are_named_not_imported() -> None:
    """Importing the catalogue and discovering imports no adapter; describing the built-ins imports nothing heavy."""
    program = (
        "import sys\n"
        "from overread.plugins.catalogue import Catalogue\n"
        "catalogue = Catalogue.discover(entry_points=[])\n"
        "assert not [m for m in sys.modules if m.startswith('overread.adapters')], 'adapter'\n"
        "catalogue.describe()\n"
        f"assert {set(BUILTIN_PLUGINS)!r} <= sys.modules.keys(), 'not discovered'\n"
        "print(sorted({'torch', 'transformers', 'spacy', 'medspacy', 'ot', 'sklearn'} & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
