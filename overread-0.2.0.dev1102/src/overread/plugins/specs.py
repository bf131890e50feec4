"""Specs: the frozen records that plugins return. A spec is light; its factory imports what is heavy."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, Protocol, TypeVar

from attrs import field, frozen

from overread.application.ports import Metric
from overread.domain.results.result import Scale

__all__ = ["KINDS", "ComponentSpec", "Components", "MetricSpec", "NoOptions", "Spec"]

T = TypeVar("T")


@frozen
class NoOptions:
    """The options of a component that has none."""


class Components(Protocol):
    """Gives a factory the components chosen by configuration; each is built once and shared."""

    def get(self, kind: str, default: str | None = None, options: Mapping[str, object] | None = None) -> Any:
        """The chosen component of a kind, for example ``get("extractor")``; ``default`` where none is chosen.

        ``options`` are those of the default, where configuration gives none of that name.
        """
        ...

    def named(self, kind: str, name: str) -> Any:
        """A component of a kind by its name and as it is by default, whatever is chosen."""
        ...

    def metric(self, choice: str) -> Metric:
        """The metric "name" or "name:argument", with the options that configuration gives it."""
        ...

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value that factories share under a key: made for the first that asks, and kept for the others."""
        ...


@frozen(kw_only=True)
class ComponentSpec:
    """A component other than a metric, for example an extractor, an aligner or a judge.

    Attributes:
        name: chosen by it, for example ``--set aligner=balanced``; lower case, unique within its kind.
        version: of the component, part of its identity.
        summary: one line for people.
        factory: ``factory(options, components)`` builds the component.
        options: frozen attrs class of its options with visible defaults; ``--set aligner.epsilon=0.1`` sets one.
        requires: importable modules it needs.
        install: the command that installs them.
    """

    name: str
    version: str
    summary: str
    factory: Callable[[Any, Components], Any] = field(repr=False)
    options: type[Any] = NoOptions
    requires: tuple[str, ...] = ()
    install: str = ""


@frozen(kw_only=True)
class MetricSpec:
    """A metric: as `ComponentSpec`, with the scale of its score and where its answer comes from.

    Attributes:
        backend: "embedded" where it runs offline from the package, else what answers, for example "sacrebleu".
    """

    name: str
    version: str
    summary: str
    scale: Scale
    factory: Callable[[Any, Components], Metric] = field(repr=False)
    backend: str = "embedded"
    options: type[Any] = NoOptions
    requires: tuple[str, ...] = ()
    install: str = ""


Spec = ComponentSpec | MetricSpec

KINDS: Final[Mapping[str, str]] = {
    "metric": "overread_metrics",
    "extractor": "overread_extractors",
    "recognizer": "overread_recognizers",
    "encoder": "overread_encoders",
    "aligner": "overread_aligners",
    "second_reader": "overread_second_readers",
    "readout": "overread_readouts",
    "error_counter": "overread_error_counters",
    "judge": "overread_judges",
    "model": "overread_models",
}
"""Hook that lists the specs of each kind."""
