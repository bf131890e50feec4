"""The hospital service with its scorer and its store, wired by the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from attrs import evolve

from overread.bootstrap.extras import STORE, check_installed
from overread.bootstrap.services import build_service
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.ports import HospitalStore
from overread.hospital.application.service import HospitalService
from overread.hospital.infrastructure.hospital_settings import hospital_configuration
from overread.hospital.infrastructure.telemetry import span
from overread.infrastructure.settings import Settings, settings_from

__all__ = ["open_hospital", "open_store_of"]


def _now() -> datetime:
    return datetime.now(UTC)


def open_hospital(
    settings: Settings | Mapping[str, Any] | None = None,
    *,
    configuration: HospitalConfiguration | None = None,
    store: HospitalStore | None = None,
    metrics: Sequence[str] | None = None,
    now: Callable[[], datetime] = _now,
) -> HospitalService:
    """The service that keeps, compares and shows versions of reports: build it once, and let workers work.

    Args:
        settings: which components and options to use, and the table ``[hospital]``; also as a mapping that is laid out
            as the settings file is; the defaults where omitted. The setting ``store`` is that of other commands.
        configuration: how the service behaves, instead of the settings' table.
        store: where everything is kept, instead of the store that the configuration names.
        metrics: names of the metrics, instead of those in the settings; radot and notation must be among them.
        now: the clock, in UTC; the system's where omitted.

    Raises:
        ConfigurationError: naming every setting that cannot be used.
        MissingDependencyError: if a chosen component, or the store, needs packages that are not installed.
        PluginError: if plugins fail under ``strict_plugins`` or a required one is missing.
        StoreError: if the store cannot be opened.
    """
    chosen = settings_from(settings)
    configuration = configuration or hospital_configuration(chosen.hospital)
    scoring = evolve(chosen, store=None, metrics=chosen.metrics if metrics is None else metrics)
    store = store or open_store_of(configuration)
    return HospitalService(store, evolve(build_service(scoring), tracer=span), configuration, now=now, tracer=span)


def open_store_of(configuration: HospitalConfiguration, *, locked: bool = False) -> HospitalStore:
    """The store that a configuration names; ``locked``, without the keys of its texts. Raises as `open_hospital`."""
    from overread.hospital.infrastructure.store import open_hospital_store

    check_installed("a hospital's store", STORE)
    return open_hospital_store(
        configuration.store,
        texts=configuration.texts.value,
        key_file=configuration.key_file,
        hold=configuration.hold,
        locked=locked,
        allow_plain=configuration.allow_plain,
    )
