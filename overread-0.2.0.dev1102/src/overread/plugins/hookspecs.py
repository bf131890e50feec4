"""Hooks a plugin may implement. Each lists specs; configuration chooses among them by name."""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from overread.plugins.specs import ComponentSpec, MetricSpec

hookspec = pluggy.HookspecMarker("overread")


@hookspec
def overread_metrics() -> Iterable[MetricSpec]:  # type: ignore[empty-body]
    """Metrics: factories of `overread.application.ports.Metric`."""


@hookspec
def overread_extractors() -> Iterable[ComponentSpec]:  # type: ignore[empty-body]
    """Extractors: factories of `overread.application.ports.UnitExtractor`."""


@hookspec
def overread_recognizers() -> Iterable[ComponentSpec]:  # type: ignore[empty-body]
    """Recognizers: factories of `overread.application.ports.EntityRecognizer`."""


@hookspec
def overread_encoders() -> Iterable[ComponentSpec]:  # type: ignore[empty-body]
    """Encoders: factories of `overread.application.ports.TextEncoder`."""


@hookspec
def overread_aligners() -> Iterable[ComponentSpec]:  # type: ignore[empty-body]
    """Aligners: factories of `overread.application.ports.Aligner`."""


@hookspec
def overread_second_readers() -> Iterable[ComponentSpec]:  # type: ignore[empty-body]
    """Second readers: factories of `overread.application.ports.SecondReader`."""


@hookspec
def overread_readouts() -> Iterable[ComponentSpec]:  # type: ignore[empty-body]
    """Readouts: factories of `overread.application.ports.Readout`."""


@hookspec
def overread_error_counters() -> Iterable[ComponentSpec]:  # type: ignore[empty-body]
    """Error counters: factories of `overread.application.ports.ErrorCounter`."""


@hookspec
def overread_judges() -> Iterable[ComponentSpec]:  # type: ignore[empty-body]
    """Judges: factories of `overread.application.ports.Judge`."""


@hookspec
def overread_models() -> Iterable[ComponentSpec]:  # type: ignore[empty-body]
    """Language models: factories of `overread.application.ports.LanguageModel`."""
