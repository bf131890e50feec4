"""The check of each kind of component."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from overread.plugins.specs import Components, Spec
from overread.testing._checks import check_aligner, check_extractor, check_metric
from overread.testing._judge_checks import check_judge, check_language_model
from overread.testing._model_checks import check_encoder, check_error_counter, check_recognizer, check_second_reader
from overread.testing._readout_checks import check_readout

__all__ = ["check_component"]

_CHECKS: Final[Mapping[str, Callable[..., None]]] = {
    "metric": check_metric,
    "extractor": check_extractor,
    "recognizer": check_recognizer,
    "encoder": check_encoder,
    "aligner": check_aligner,
    "second_reader": check_second_reader,
    "readout": check_readout,
    "error_counter": check_error_counter,
    "judge": check_judge,
    "model": check_language_model,
}


def check_component(kind: str, spec: Spec, *, options: Any = None, components: Components | None = None) -> None:
    """Checks a component of any kind, by the check of its kind.

    Args:
        kind: of the component, as in `overread.plugins.specs.KINDS`.
        spec: of the component.
        options: to build it with; the defaults of its options where omitted.
        components: that its factory asks for; fakes where omitted.

    Raises:
        ConformanceError: naming every problem.
    """
    _CHECKS[kind](spec, options=options, components=components)
