"""A plugin that cannot be imported: it needs a module that nobody has."""

from __future__ import annotations

import overread_module_that_nobody_has  # noqa: F401
