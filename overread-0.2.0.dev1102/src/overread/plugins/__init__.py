"""Plugin registry: hook specifications, specs and the catalogue. Plugin authors import ``hookimpl`` from here."""

from __future__ import annotations

import pluggy

__all__ = ["hookimpl"]

hookimpl = pluggy.HookimplMarker("overread")
