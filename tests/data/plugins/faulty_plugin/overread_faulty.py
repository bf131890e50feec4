"""A plugin that loads, and offers of every kind a component for each fault that one can have."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve

from overread.domain.results.readout import Risk
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, MetricSpec, NoOptions
from overread.testing import (
    FakeAligner,
    FakeEncoder,
    FakeErrorCounter,
    FakeExtractor,
    FakeJudge,
    FakeLanguageModel,
    FakeMetric,
    FakeReadout,
    FakeRecognizer,
    FakeSecondReader,
)

SOUND: Mapping[str, tuple[type, str]] = {
    "metric": (FakeMetric, "evaluate"),
    "extractor": (FakeExtractor, "extract"),
    "recognizer": (FakeRecognizer, "recognize"),
    "encoder": (FakeEncoder, "encode"),
    "aligner": (FakeAligner, "align"),
    "second_reader": (FakeSecondReader, "read_again"),
    "readout": (FakeReadout, "read_out"),
    "error_counter": (FakeErrorCounter, "count"),
    "judge": (FakeJudge, "judge"),
    "model": (FakeLanguageModel, "complete"),
}
"""A sound component of each kind, and the method that is faulty here."""

Method = Callable[[Any], Any]


class Faulty:
    """A sound component with a fault in its one method."""

    def __init__(self, kind: str, fault: Callable[[str, Method, Any], Any]) -> None:
        sound, self.method = SOUND[kind]
        self.kind, self.fault, self.inner = kind, fault, sound()

    def __getattr__(self, name: str) -> Any:
        if name in {"inner", "method"}:
            raise AttributeError(name)
        value = getattr(self.inner, name)
        return (lambda items: self.fault(self.kind, value, items)) if name == self.method else value


def raises(_kind: str, _method: Method, _items: Any) -> Any:
    raise RuntimeError("it never works")


def short(kind: str, method: Method, items: Any) -> Any:
    answers = list(method(items)) if kind == "model" else method(items)
    return iter(answers[:-1]) if kind == "model" else answers[:-1]


def reverses(kind: str, method: Method, items: Any) -> Any:
    if kind == "model":
        return ((len(items) - 1 - index, answer) for index, answer in method(items))
    return method(items)[::-1]


def nan(kind: str, method: Method, items: Any) -> Any:
    answers = method(items)
    if kind == "encoder":
        return answers * math.nan
    return [answer if type(answer).__name__ == "Unscored" else NO_NUMBER[kind](answer) for answer in answers]


NO_NUMBER: Mapping[str, Callable[[Any], Any]] = {
    "metric": lambda outcome: evolve(outcome, score=math.nan),
    "extractor": lambda units: tuple(evolve(unit, confidence=math.nan) for unit in units),
    "aligner": lambda alignment: evolve(alignment, ground=alignment.ground * math.nan),
    "second_reader": lambda reading: evolve(reading, probabilities=(math.nan,) * len(reading.probabilities)),
    "readout": lambda risk: Risk(scores=dict.fromkeys(risk.scores, math.nan), contributions={}),
    "error_counter": lambda counts: evolve(counts, counts=dict.fromkeys(counts.counts, math.nan)),
    "judge": lambda judged: evolve(
        judged, discrepancies=tuple(evolve(each, probability=math.nan) for each in judged.discrepancies)
    ),
}


def writes(kind: str, method: Method, items: Any) -> Any:
    if kind == "aligner":
        for costs in items:
            costs.ground["finding"][:] = 0.0
    elif kind == "readout":
        for pair in items:
            pair.cross.plan[:] = 0.0
    else:
        items.sort(key=repr)
    return method(items)


FAULTS = (raises, short, reverses, nan, writes)


def spec_of(kind: str, fault: Callable[[str, Method, Any], Any]) -> Any:
    def build(_options: NoOptions, _components: Components) -> Any:
        return Faulty(kind, fault)

    named = {"name": fault.__name__, "version": "1.0", "summary": f"{fault.__name__} at every call", "factory": build}
    return MetricSpec(**named, scale=FakeMetric.scale) if kind == "metric" else ComponentSpec(**named)


def _specs(kind: str) -> Sequence[Any]:
    possible = [fault for fault in FAULTS if fault is not nan or kind == "encoder" or kind in NO_NUMBER]
    return [spec_of(kind, fault) for fault in possible]


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    return [evolve(spec, name=f"faulty-{spec.name}") for spec in _specs("metric")]


@hookimpl
def overread_extractors() -> Iterable[ComponentSpec]:
    return _specs("extractor")


@hookimpl
def overread_recognizers() -> Iterable[ComponentSpec]:
    return _specs("recognizer")


@hookimpl
def overread_encoders() -> Iterable[ComponentSpec]:
    return _specs("encoder")


@hookimpl
def overread_aligners() -> Iterable[ComponentSpec]:
    return _specs("aligner")


@hookimpl
def overread_second_readers() -> Iterable[ComponentSpec]:
    return _specs("second_reader")


@hookimpl
def overread_readouts() -> Iterable[ComponentSpec]:
    return _specs("readout")


@hookimpl
def overread_error_counters() -> Iterable[ComponentSpec]:
    return _specs("error_counter")


@hookimpl
def overread_judges() -> Iterable[ComponentSpec]:
    return _specs("judge")


@hookimpl
def overread_models() -> Iterable[ComponentSpec]:
    return _specs("model")
