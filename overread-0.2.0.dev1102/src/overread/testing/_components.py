"""Components for a factory where there is no configuration."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, TypeVar

from attrs import field, frozen

from overread.exceptions import ConfigurationError
from overread.testing._fakes import FakeAligner, FakeExtractor, FakeReadout
from overread.testing._judge_fakes import FakeJudge, FakeLanguageModel
from overread.testing._model_fakes import FakeEncoder, FakeErrorCounter, FakeRecognizer, FakeSecondReader

__all__ = ["FakeComponents"]

T = TypeVar("T")


@frozen(eq=False)
class FakeComponents:
    """Components for a factory: fakes, except those given by kind. Answers are kept only if a store is given.

    As in an assembly, each is made once and shared.
    """

    given: Mapping[str, Any] = field(factory=dict)
    _made: dict[str, Any] = field(factory=dict, init=False, repr=False)
    _shared: dict[Hashable, Any] = field(factory=dict, init=False, repr=False)

    def get(
        self,
        kind: str,
        default: str | None = None,  # noqa: ARG002
        options: Mapping[str, object] | None = None,  # noqa: ARG002
    ) -> Any:
        """The component given, or the fake, whatever the default.

        Raises:
            ConfigurationError: if there is neither.
        """
        if kind in self.given or kind == "answers":
            return self.given.get(kind)
        if kind not in _FAKES:
            raise ConfigurationError([f"there is no fake {kind.replace('_', ' ')}; give one in FakeComponents"])
        if kind not in self._made:
            self._made[kind] = _FAKES[kind]()
        return self._made[kind]

    def named(self, kind: str, name: str) -> Any:  # noqa: ARG002
        """Returns the same as `get`, whatever the name."""
        return self.get(kind)

    def metric(self, choice: str) -> Any:
        """The metric given by its name.

        Raises:
            ConfigurationError: if none is: no fake stands in for another's metric.
        """
        name = choice.partition(":")[0]
        if name not in self.given:
            raise ConfigurationError([f"there is no fake metric {name!r}; give one in FakeComponents"])
        return self.given[name]

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value that factories share under a key, made for the first that asks."""
        if key not in self._shared:
            self._shared[key] = make()
        value: T = self._shared[key]
        return value


_FAKES: Final[Mapping[str, Callable[[], Any]]] = {
    "extractor": FakeExtractor,
    "aligner": FakeAligner,
    "second_reader": FakeSecondReader,
    "readout": FakeReadout,
    "recognizer": FakeRecognizer,
    "encoder": FakeEncoder,
    "error_counter": FakeErrorCounter,
    "judge": FakeJudge,
    "model": FakeLanguageModel,
}
