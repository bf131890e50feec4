"""medspaCy's ConText, imported without its side effect: it silences every warning of the whole process."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    from medspacy.context import ConText, ConTextRule

__all__ = ["ConText", "ConTextRule"]
