"""Pages for reviewers: the worklist, pairs and their reviews, examinations in time, samples and rates.

Each page is whole without a script; htmx and a few lines of our own spare a reader its reloading. Nothing is loaded
from elsewhere, and nothing is inline but one style element a pair, which the page's policy names.
"""

# FastAPI is slow to import, and not everybody has it.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary

if TYPE_CHECKING:
    from fastapi import APIRouter

__all__ = ["Vocabulary", "pages_router"]


def pages_router(vocabulary: Vocabulary) -> APIRouter:
    """The routes of the pages; they use the hospital service of the application that includes them.

    Args:
        vocabulary: names of findings.
    """
    from overread.hospital.infrastructure.http.pages._routes import router_of

    return router_of(vocabulary)
