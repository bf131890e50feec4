"""The keys of the hospital service, wired by the settings without what scores."""

from __future__ import annotations

from overread.bootstrap.extras import KEYS, check_installed
from overread.hospital.application.access import AccessControl
from overread.infrastructure.settings import Settings

__all__ = ["open_access"]


def open_access(settings: Settings) -> AccessControl:
    """The access keys of the store that the settings name; no key of its texts is needed.

    Raises:
        ConfigurationError: naming every setting that cannot be used.
        MissingDependencyError: if what hashes secrets is not installed.
        StoreError: if the store cannot be opened.
    """
    from overread.hospital.bootstrap.services import open_store_of
    from overread.hospital.infrastructure.hospital_settings import hospital_configuration
    from overread.hospital.infrastructure.http import secret_hasher

    check_installed("what hashes keys", KEYS)
    return AccessControl(open_store_of(hospital_configuration(settings.hospital), locked=True), secret_hasher())
