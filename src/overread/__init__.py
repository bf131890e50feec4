"""overread: reads a candidate radiology report against its reference.

>>> import overread
>>> results = overread.score(reference="No pneumothorax.", candidate="Pneumothorax.", metrics=["notation"])
>>> [str(d.category.label) for d in results["notation"].discrepancies]
['false finding']

Importing this package imports no model, plugin or database; each name below is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from overread.application.scoring.evaluate import EvaluationService
    from overread.bootstrap import open_service, reward, score, score_many
    from overread.domain.discrepancy import Discrepancy
    from overread.domain.report import ClinicalContext, Report, ReportPair
    from overread.domain.result import EvaluationResult, Scored, Unscored
    from overread.exceptions import OverreadError
    from overread.infrastructure.settings import Settings

__all__ = [
    "ClinicalContext",
    "Discrepancy",
    "EvaluationResult",
    "EvaluationService",
    "OverreadError",
    "Report",
    "ReportPair",
    "Scored",
    "Settings",
    "Unscored",
    "__version__",
    "open_service",
    "reward",
    "score",
    "score_many",
]

__version__ = "0.1.0"

_HOMES = {
    "ClinicalContext": "overread.domain.report",
    "Discrepancy": "overread.domain.discrepancy",
    "EvaluationResult": "overread.domain.result",
    "EvaluationService": "overread.application.scoring.evaluate",
    "OverreadError": "overread.exceptions",
    "Report": "overread.domain.report",
    "ReportPair": "overread.domain.report",
    "Scored": "overread.domain.result",
    "Settings": "overread.infrastructure.settings",
    "Unscored": "overread.domain.result",
    "open_service": "overread.bootstrap",
    "reward": "overread.bootstrap",
    "score": "overread.bootstrap",
    "score_many": "overread.bootstrap",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'overread' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
