"""spaCy and medspaCy's ConText, imported without what comes with them and nothing here uses.

spaCy would import torch wherever that is installed, medspaCy all of nltk and with it scikit-learn and pandas: more than
all the rest of a reader takes. medspaCy would also silence every warning of the whole process.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader, find_spec
from threading import get_ident
from types import ModuleType
from typing import Final

from attrs import frozen

_LATER: Final = "nltk"
_UNUSED: Final = "torch"
_NEED_TORCH: Final = ("curated_transformers", "spacy_transformers")
"""Pipelines of spaCy that compute with torch: where they are installed, spaCy must know of it."""


@frozen
class _Sparing(MetaPathFinder):
    """Finds one module that is executed when it is first used, and does not find others; for one thread alone."""

    unused: frozenset[str]
    thread: int

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module's spec, as a `MetaPathFinder` does."""
        if get_ident() != self.thread:
            return None
        if fullname in self.unused:
            raise ModuleNotFoundError(f"{fullname} is not needed here", name=fullname)
        spec = PathFinder.find_spec(fullname, path, target) if fullname == _LATER else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


@contextmanager
def _sparing() -> Iterator[None]:
    """Import sparingly within the context; modules loaded already, or by other threads meanwhile, are left alone."""
    needed = any(find_spec(name) is not None for name in _NEED_TORCH)
    finder = _Sparing(frozenset() if needed else frozenset({_UNUSED}), get_ident())
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


with _sparing():
    from spacy.tokens import Doc, Span
    from spacy.vocab import Vocab

    with warnings.catch_warnings():
        from medspacy.context import ConTextGraph, ConTextModifier, ConTextRule

__all__ = [
    "ConTextGraph",
    "ConTextModifier",
    "ConTextRule",
    "Doc",
    "Span",
    "Vocab",
]
