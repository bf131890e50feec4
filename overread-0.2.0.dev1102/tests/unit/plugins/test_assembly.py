"""The assembly: builds what configuration chooses, once, and says plainly what it cannot build."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest
from attrs import evolve, field, frozen

from overread.exceptions import ConfigurationError, MissingDependencyError, PluginError
from overread.plugins.assembly import DEFAULT_CHOICES, Assembly
from overread.plugins.catalogue import Catalogue
from overread.plugins.specs import Components
from overread.structuring import Written

from .fakes import FakeComponent, FakeMetric, PluginMaker, component, metric


def _is_even(_instance: object, _attribute: object, value: int) -> None:
    if value % 2:
        raise ValueError("pairs must be even")


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@frozen(kw_only=True)
class Options:
    """Options of every type that the command line can give."""

    count: int = 1
    epsilon: float = 0.2
    strict: bool = False
    name: str = "plain"
    prior: str | None = field(default=None, metadata={"argument": True})
    folder: Path = Path()
    cache: Path | None = None
    limit: int | None = None
    weights: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    window: tuple[int, int] | None = None
    names: list[str] = field(factory=list)
    sizes: frozenset[int] = frozenset()
    side: Side = Side.LEFT
    level: Level = Level.LOW
    order: Literal[1, 2, "all"] = 1
    pairs: int = field(default=0, validator=_is_even)


@frozen
class Strict:
    """Options of which one has no default."""

    model: str


@frozen
class Undecided:
    """Options of a type that text cannot be told apart for."""

    size: int | str = 1


@frozen
class Served:
    """Options of which the one after the colon has no default."""

    model: str = field(metadata={"argument": True})
    count: int = 1


@frozen
class Tolerant:
    """Options that the default aligner has."""

    epsilon: float = 0.0


DEFAULTS = Options()


def _refuse(_options: object, _components: Components) -> Any:
    raise AssertionError("a factory must not be called before its packages are there")


class DrawingMetric(FakeMetric):
    """A metric made of the chosen extractor and aligner."""

    def __init__(self, options: Any, components: Components) -> None:
        super().__init__(options, components)
        self.extractor = components.get("extractor")
        self.aligner = components.get("aligner")


@pytest.fixture
def catalogue(make: PluginMaker) -> Catalogue:
    """Extractor medspacy, aligners importance, balanced, needy and strict, readouts plan and relaxed; metrics."""
    lacking = {"requires": ("nobody_has_this",), "install": "pip install this"}
    builtin = make.builtin(
        "core",
        overread_extractors=lambda: [component("medspacy")],
        overread_aligners=lambda: [
            component("importance", options=Tolerant),
            component("balanced", options=Options),
            component("needy", factory=_refuse, **lacking),
            component("strict", options=Strict),
            component("undecided", options=Undecided),
        ],
        overread_readouts=lambda: [component("plan"), component("relaxed", options=Options)],
        overread_metrics=lambda: [
            metric("draw", factory=DrawingMetric),
            metric("tuned", options=Options),
            metric("served", options=Served),
        ],
    )
    return Catalogue.discover(builtins=[builtin], entry_points=[])


def options_of(catalogue: Catalogue, choice: str = "balanced", /, **table: object) -> Options:
    """The options that an aligner's factory gets."""
    built: FakeComponent = Assembly(catalogue, {"aligner": choice}, {"aligner": table}).get("aligner")
    options: Options = built.options
    return options


def problems_of(catalogue: Catalogue, choice: str = "balanced", /, **table: object) -> tuple[str, ...]:
    """What is wrong with an aligner's configuration."""
    with pytest.raises(ConfigurationError) as caught:
        options_of(catalogue, choice, **table)
    return caught.value.problems


@pytest.mark.parametrize(("kind", "name"), [("extractor", "medspacy"), ("aligner", "importance"), ("readout", "plan")])
def test_defaults_serve_where_configuration_says_nothing(kind: str, name: str, catalogue: Catalogue) -> None:
    """The default of each kind is built with its own defaults."""
    assert DEFAULT_CHOICES[kind] == name
    assembly = Assembly(catalogue)
    built = assembly.get(kind)
    assert built.options == catalogue.find(kind, name).spec.options()
    assert built.components is assembly


def test_a_component_is_built_once_and_shared(catalogue: Catalogue) -> None:
    """A metric's factory draws the very component that others get."""
    assembly = Assembly(catalogue)
    drawn: Any = assembly.metric("draw")
    assert drawn.extractor is assembly.get("extractor")
    assert drawn.aligner is assembly.get("aligner")
    assert assembly.metric("draw") is drawn


def test_two_assemblies_share_nothing(catalogue: Catalogue) -> None:
    """There is no global cache."""
    assert Assembly(catalogue).get("aligner") is not Assembly(catalogue).get("aligner")


def test_a_metric_takes_its_own_table_and_argument(catalogue: Catalogue) -> None:
    """Two arguments make two metrics; the table holds for both."""
    assembly = Assembly(catalogue, options={"tuned": {"count": 4}})
    plain, heavy = assembly.metric("tuned"), assembly.metric("tuned:heavy")
    assert isinstance(plain, FakeMetric)
    assert isinstance(heavy, FakeMetric)
    assert plain.options == Options(count=4)
    assert heavy.options == Options(count=4, prior="heavy")


def test_an_argument_for_a_metric_may_stand_among_the_choices(catalogue: Catalogue) -> None:
    """By the metric's name; one that comes with the metric goes before it."""
    assembly = Assembly(catalogue, {"tuned": "light"}, {"tuned": {"count": 4}})
    light, heavy = assembly.metric("tuned"), assembly.metric("tuned:heavy")
    assert isinstance(light, FakeMetric)
    assert isinstance(heavy, FakeMetric)
    assert (light.options, heavy.options) == (Options(count=4, prior="light"), Options(count=4, prior="heavy"))


def test_a_factory_may_ask_for_another_default(catalogue: Catalogue) -> None:
    """Options of a kind then go to it; what configuration chooses goes before it."""
    assembly = Assembly(catalogue, options={"aligner": {"prior": "uniform"}})
    assert assembly.get("aligner", "balanced").options == Options(prior="uniform")
    with pytest.raises(
        ConfigurationError, match=r"aligner 'importance': aligner.prior is not a setting \(known: epsilon\)"
    ):
        assembly.get("aligner")
    chosen = Assembly(catalogue, {"aligner": "importance"})
    assert chosen.get("aligner", "balanced").options == Tolerant()


def test_options_that_no_component_of_a_kind_takes(catalogue: Catalogue) -> None:
    """They are refused at once, in the words of the default."""
    with pytest.raises(
        ConfigurationError, match=r"aligner 'importance': aligner.epsilom is not a setting; did you mean"
    ):
        Assembly(catalogue, options={"aligner": {"epsilom": 1}})


def test_a_component_by_name_is_as_it_is_by_default(catalogue: Catalogue) -> None:
    """Options that configuration gives to the same one do not reach it; without any, it is the same one."""
    assembly = Assembly(catalogue, {"aligner": "balanced"}, {"aligner": {"count": 3}})
    assert (assembly.get("aligner").options.count, assembly.named("aligner", "balanced").options.count) == (3, 1)
    assert Assembly(catalogue).named("aligner", "importance").options == Tolerant()
    plain = Assembly(catalogue)
    assert plain.named("aligner", "importance") is plain.get("aligner")


def test_what_was_asked_for_is_known(catalogue: Catalogue) -> None:
    """A component that a factory takes by name is not what configuration chose."""
    assembly = Assembly(catalogue)
    assembly.named("aligner", "balanced")
    assert assembly.built("aligner") is None
    assert assembly.get("aligner", "balanced") is assembly.built("aligner")


@pytest.mark.parametrize(
    ("option", "given", "expected"),
    [
        ("count", Written("7"), 7),
        ("count", 7, 7),
        ("count", Written("-2"), -2),
        ("epsilon", Written("1e-3"), 0.001),
        ("epsilon", 1, 1.0),
        ("strict", Written("true"), True),
        ("strict", Written("FALSE"), False),
        ("strict", True, True),
        ("name", "12", "12"),
        ("prior", "uniform", "uniform"),
        ("prior", None, None),
        ("folder", "a/b", Path("a/b")),
        ("cache", "c", Path("c")),
        ("limit", Written("3"), 3),
        ("limit", None, None),
        ("weights", Written("0.25, 0.75"), (0.25, 0.75)),
        ("weights", Written(".25/.75"), (0.25, 0.75)),
        ("weights", [1, 2.5], (1.0, 2.5)),
        ("weights", Written(""), ()),
        ("labels", Written("left,a/b"), ("left", "a/b")),
        ("labels", ["left"], ("left",)),
        ("window", Written("1,2"), (1, 2)),
        ("names", Written("left, right"), ["left", "right"]),
        ("names", ["left"], ["left"]),
        ("sizes", Written("1,2"), frozenset({1, 2})),
        ("side", "right", Side.RIGHT),
        ("side", Side.RIGHT, Side.RIGHT),
        ("level", Written("2"), Level.HIGH),
        ("level", 2, Level.HIGH),
        ("order", Written("2"), 2),
        ("order", 2, 2),
        ("order", "all", "all"),
    ],
)
def test_values_become_the_options_type(option: str, given: object, expected: object, catalogue: Catalogue) -> None:
    """Text from the command line and values from TOML come out alike."""
    options = options_of(catalogue, **{option: given})
    expectation: dict[str, Any] = {option: expected}
    assert options == evolve(DEFAULTS, **expectation)
    assert type(getattr(options, option)) is type(expected)


@pytest.mark.parametrize(
    ("option", "given", "problem"),
    [
        ("count", Written("many"), " must be a whole number, not 'many'"),
        ("count", Written("2.5"), " must be a whole number, not '2.5'"),
        ("count", "2", " must be a whole number, not the text '2'"),
        ("count", 2.5, " must be a whole number, not 2.5"),
        ("count", True, " must be a whole number, not True"),
        ("count", None, " must be a whole number, not None"),
        ("epsilon", Written("small"), " must be a number, not 'small'"),
        ("epsilon", "0.1", " must be a number, not the text '0.1'"),
        ("epsilon", True, " must be a number, not True"),
        ("strict", Written("maybe"), " must be true or false, not 'maybe'"),
        ("strict", "true", " must be true or false, not the text 'true'"),
        ("strict", 2, " must be true or false, not 2"),
        ("name", 12, " must be text, not a number"),
        ("prior", 12, " must be text, not a number"),
        ("folder", 12, " must be a path, not 12"),
        ("limit", Written("none"), " must be a whole number, not 'none'"),
        ("weights", Written("1,x"), "[1] must be a number, not 'x'"),
        ("weights", "1,2", " must be a list, not the text '1,2'"),
        ("weights", 5, " must be a list, not 5"),
        ("labels", "left", " must be a list, such as [\"left\"], not the text 'left'"),
        ("window", Written("1,2,3"), " must have 2 parts, not 3"),
        ("names", 5, " must be a list, not 5"),
        ("sizes", Written("1,x"), "[1] must be a whole number, not 'x'"),
        ("side", "up", " must be one of left, right, not the text 'up'"),
        ("level", Written("3"), " must be one of 1, 2, not '3'"),
        ("level", "2", " must be one of 1, 2, not the text '2'"),
        ("order", Written("3"), " must be one of 1, 2, all, not '3'"),
        ("order", True, " must be one of 1, 2, all, not True"),
    ],
)
def test_a_wrong_value_is_told_what_was_expected(
    option: str, given: object, problem: str, catalogue: Catalogue
) -> None:
    """The sentence names component, setting, expectation and value."""
    assert problems_of(catalogue, **{option: given}) == (f"aligner 'balanced': aligner.{option}{problem}",)


def test_an_unknown_option_is_told_the_known(catalogue: Catalogue) -> None:
    """All of them, in their order."""
    known = "count, epsilon, strict, name, prior, folder, cache, limit, weights, labels, window, "
    known += "names, sizes, side, level, order, pairs"
    assert problems_of(catalogue, epsilom=0.1) == (
        f"aligner 'balanced': aligner.epsilom is not a setting; did you mean epsilon? (known: {known})",
    )


def test_an_option_of_a_component_without_any(catalogue: Catalogue) -> None:
    """There is nothing to name."""
    with pytest.raises(
        ConfigurationError, match=r"extractor 'medspacy': extractor.speed is not a setting \(known: none\)"
    ):
        Assembly(catalogue, options={"extractor": {"speed": 1}})


def test_an_option_without_default_must_be_given(catalogue: Catalogue) -> None:
    """And serves when it is."""
    assert problems_of(catalogue, "strict") == ("aligner 'strict': aligner.model must be given",)
    built = Assembly(catalogue, {"aligner": "strict"}, {"aligner": {"model": "m"}}).get("aligner")
    assert built.options == Strict("m")


def test_an_options_class_may_have_its_own_say(catalogue: Catalogue) -> None:
    """What a validator objects to is passed on."""
    assert problems_of(catalogue, pairs=3) == ("aligner 'balanced': aligner.pairs must be even",)


@pytest.mark.parametrize(
    ("choice", "prior"), [("balanced", "table"), ("balanced:text", "text"), ("balanced:a:b", "a:b")]
)
def test_what_follows_the_colon_goes_to_the_marked_option(choice: str, prior: str, catalogue: Catalogue) -> None:
    """It wins over the table; only the first colon separates."""
    assert options_of(catalogue, choice, prior="table").prior == prior


def test_what_a_metric_gets_after_the_colon_is_not_missed_before(catalogue: Catalogue) -> None:
    """Its other options are checked at once, this one when the metric is asked for."""
    assembly = Assembly(catalogue, options={"served": {"count": 2}})
    served: Any = assembly.metric("served:small")
    assert served.options == Served("small", 2)
    with pytest.raises(ConfigurationError, match=r"metric 'served': served\.model must be given"):
        assembly.metric("served")
    with pytest.raises(ConfigurationError, match=r"metric 'served': served\.count must be a whole number, not 'x'"):
        Assembly(catalogue, options={"served": {"count": Written("x")}})


def test_an_option_of_a_type_that_cannot_be_set(catalogue: Catalogue) -> None:
    """The plugin's author is at fault, and the sentence names the component."""
    with pytest.raises(ConfigurationError, match=r"aligner\.size is declared with a type that no setting can have"):
        Assembly(catalogue, {"aligner": "undecided"})


def test_an_argument_for_a_component_that_takes_none(catalogue: Catalogue) -> None:
    """It is refused, not dropped."""
    with pytest.raises(ConfigurationError, match="extractor 'medspacy' takes no argument after a colon"):
        Assembly(catalogue, {"extractor": "medspacy:large"}).get("extractor")


def test_every_problem_is_found_before_anything_is_built(catalogue: Catalogue) -> None:
    """Unknown kinds, owners and names, and bad options of every owner, come in one error."""
    with pytest.raises(ConfigurationError) as caught:
        Assembly(
            catalogue,
            choices={"reader": "x", "readout": "relaxedd", "extractor": "medspacy", "aligner": "balanced", "draw": "x"},
            options={
                "aligner": {"count": Written("many"), "epsilon": "small"},
                "extractor": {"speed": 1},
                "tuned": {"strict": "maybe"},
                "nobody": {"a": 1},
            },
        )
    assert sorted(caught.value.problems) == [
        "'reader' is neither a kind of component nor a metric",
        "aligner 'balanced': aligner.count must be a whole number, not 'many'",
        "aligner 'balanced': aligner.epsilon must be a number, not the text 'small'",
        "extractor 'medspacy': extractor.speed is not a setting (known: none)",
        "metric 'draw' takes no argument after a colon",
        "metric 'tuned': tuned.strict must be true or false, not the text 'maybe'",
        "no readout named 'relaxedd'; did you mean 'relaxed'? (known: plan, relaxed)",
        "options are given for 'nobody', which is neither a kind of component nor a metric",
    ]


def test_a_kind_that_nothing_is_chosen_for(catalogue: Catalogue) -> None:
    """There is no default language model."""
    with pytest.raises(ConfigurationError, match="no model is chosen; give `model=openai:NAME` or"):
        Assembly(catalogue).get("model")


def test_an_unknown_metric_is_named(catalogue: Catalogue) -> None:
    """With the nearest, as for any component."""
    with pytest.raises(ConfigurationError, match="no metric named 'tund'; did you mean 'tuned'"):
        Assembly(catalogue).metric("tund")


def test_missing_packages_are_named_before_the_factory_is_called(catalogue: Catalogue) -> None:
    """The error carries what is missing and how to install it."""
    assembly = Assembly(catalogue, {"aligner": "needy"})
    with pytest.raises(MissingDependencyError) as caught:
        assembly.get("aligner")
    assert caught.value.component == "aligner 'needy'"
    assert caught.value.missing == ("nobody_has_this",)
    assert caught.value.install == "pip install this"


def test_a_metric_without_the_missing_component_still_runs(catalogue: Catalogue) -> None:
    """What cannot run here hurts only those who ask for it."""
    assembly = Assembly(catalogue, {"aligner": "needy"})
    assert isinstance(assembly.metric("tuned"), FakeMetric)
    with pytest.raises(MissingDependencyError):
        assembly.metric("draw")


def test_a_metric_made_of_itself_is_told(make: PluginMaker) -> None:
    """Through another one, too; after that the metrics that are not still run."""
    specs = [
        metric("egg", factory=lambda _, components: components.metric("hen")),
        metric("hen", factory=lambda _, components: components.metric("egg")),
        metric("stone"),
    ]
    builtin = make.builtin("core", overread_metrics=lambda: specs)
    assembly = Assembly(Catalogue.discover(builtins=[builtin], entry_points=[]))
    with pytest.raises(ConfigurationError, match="metric 'egg' depends on itself"):
        assembly.metric("egg")
    assert isinstance(assembly.metric("stone"), FakeMetric)


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, KeyboardInterrupt])
def test_a_factory_that_breaks_is_named(make: PluginMaker, error: type[BaseException]) -> None:
    """Whatever a factory raises becomes one error that names the component, its plugin, file and line."""

    def broken(_options: object, _components: Components) -> Any:
        raise error("no such model")

    builtin = make.builtin("core", overread_metrics=lambda: [metric("loose", factory=broken)])
    catalogue = Catalogue.discover(builtins=[builtin], entry_points=[])
    with pytest.raises(PluginError, match=rf"metric 'loose' .*{error.__name__} at .*\.py:\d+: no such model"):
        Assembly(catalogue).metric("loose")


class Process(FakeComponent):
    """A component that holds something."""

    def __init__(self, options: Any, components: Any) -> None:
        super().__init__(options, components)
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_an_assembly_closes_what_it_built(make: PluginMaker) -> None:
    """Once each, and nothing that was provided: who made that closes it. What holds nothing need have no ``close``."""
    aligners = [component("importance", factory=Process), component("balanced")]
    builtin = make.builtin("core", overread_aligners=lambda: aligners)
    provided = Process(None, None)
    assembly = Assembly(Catalogue.discover(builtins=[builtin], entry_points=[]), provided={"extractor": provided})
    held = assembly.get("aligner")
    assembly.named("aligner", "balanced")
    assembly.get("extractor")
    assembly.close()
    assert (held.closed, provided.closed) == (1, 0)
