"""The odds that a discrepancy is confirmed: a logistic model over what the first reading itself knows of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen
from cattrs import Converter

from overread.domain.second_reading import Claim
from overread.domain.severity import Severity
from overread.exceptions import ConfigurationError

__all__ = ["FIGURES", "OddsReader", "OddsTable", "figures", "kind_of", "load_odds", "odds_record"]

Vector = npt.NDArray[np.float64]

FIGURES: Final = ("extent", "critical", "words", "unread")
"""What enters beside kind and importance: how wrong, whether a contradiction, and logs of what the claim rests on.

``words`` is the log of 1 and the characters that the spans cover; ``unread`` the share of the candidate's content words
that no rule reads.
"""


@frozen(kw_only=True)
class OddsTable:
    """Log odds that a discrepancy is confirmed, as a sum; a kind or importance that is not in it adds nothing.

    Attributes:
        name: in the reader's identity.
        intercept: log odds of a discrepancy of no known kind.
        kinds: by `kind_of`.
        importances: by importance.
        figures: coefficient of each of `FIGURES`.
        note: what it was fitted on.
    """

    name: str
    intercept: float
    kinds: Mapping[str, float] = field(repr=False)
    importances: Mapping[str, float] = field(repr=False)
    figures: Mapping[str, float] = field(repr=False)
    note: str = ""

    def log_odds(self, claim: Claim) -> float:
        """Log odds that a claim is confirmed; above 0 it is likelier than not."""
        importance = claim.discrepancy.importance
        return (
            self.intercept
            + self.kinds.get(kind_of(claim), 0.0)
            + self.importances.get("" if importance is None else importance.value, 0.0)
            + sum(self.figures[name] * value for name, value in figures(claim).items())
        )


@define(eq=False)
class OddsReader:
    """Tells from a table how likely each claim is to be confirmed; it reads no word of the reports.

    What lowers the odds is what the first reading is known to get wrong: a comparison lost, a sentence that no rule
    covers. Of each pair whose wording it understands as little, it says the same.
    """

    table: OddsTable

    @property
    def identity(self) -> str:
        """Name of the table."""
        return f"odds@{self.table.name}"

    def probabilities(self, claims: Sequence[Claim]) -> list[float]:
        """How likely each claim is to be confirmed, 0 to 1."""
        log_odds = np.array([self.table.log_odds(claim) for claim in claims])
        return [float(probability) for probability in 1.0 / (1.0 + np.exp(-log_odds))]


def kind_of(claim: Claim) -> str:
    """Aspect, type, category and the reports that it points into, for example "Negation/omission/B/both"."""
    d = claim.discrepancy
    where = "both" if d.reference_spans and d.candidate_spans else "reference" if d.reference_spans else "candidate"
    return f"{d.aspect.value}/{d.type.value if d.type else '-'}/{d.category.value if d.category else '-'}/{where}"


def figures(claim: Claim) -> dict[str, float]:
    """The `FIGURES` of a claim."""
    d = claim.discrepancy
    covered = sum(span.end - span.start for span in (*d.reference_spans, *d.candidate_spans))
    return {
        "extent": d.extent or 0.0,
        "critical": float(d.severity is Severity.CRITICAL),
        "words": float(np.log1p(covered)),
        "unread": 0.0 if claim.coverage is None else 1.0 - claim.coverage[1].share,
    }


def load_odds(path: Path | None = None) -> OddsReader:
    """The shipped table, or one from a file.

    Raises:
        ConfigurationError: if the file cannot be read or holds no table.
    """
    try:
        text = (files(__package__) / "data" / "odds.json" if path is None else path).read_text(encoding="utf-8")
        table = _CONVERTER.structure(json.loads(text), OddsTable)
    except (OSError, ValueError, TypeError, KeyError, ExceptionGroup) as error:
        raise ConfigurationError([f"second reader odds: {path} holds no table of odds"]) from error
    if missing := [name for name in FIGURES if name not in table.figures]:
        raise ConfigurationError([f"second reader odds: {path} lacks figures {', '.join(missing)}"])
    return OddsReader(table)


def odds_record(table: OddsTable) -> dict[str, Any]:
    """The table as JSON holds it."""
    record: dict[str, Any] = _CONVERTER.unstructure(table)
    return record


_CONVERTER: Final = Converter()
