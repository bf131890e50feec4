"""Exit statuses of a run, which say what became of its pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Final

import typer
from attrs import frozen

if TYPE_CHECKING:
    from overread.application.scoring.evaluate import PairResults

__all__ = ["UNSCORED", "WORSE", "Coverage", "MaxUnscored", "check_unscored", "coverage_of", "end_worse"]

UNSCORED: Final = 3
"""Exit status of a run that is done and written, but left more pairs unscored than it may."""

WORSE: Final = 1
"""Exit status of a run that is done and written, and found results worse than their baseline."""

MaxUnscored = Annotated[
    float | None,
    typer.Option(
        "--max-unscored",
        min=0,
        max=1,
        metavar="SHARE",
        help=(
            "Share of a metric's pairs, 0 to 1, that may be unscored; if there are more, the exit status is 3. "
            "By default at least one pair must be scored."
        ),
        show_default=False,
    ),
]


@frozen
class Coverage:
    """Numbers of pairs that a metric has and has not scored."""

    scored: int = 0
    unscored: int = 0


def coverage_of(results: Iterable[PairResults]) -> dict[str, Coverage]:
    """Coverage of each metric."""
    from overread.domain.results.result import Scored

    coverage: dict[str, Coverage] = {}
    for pair in results:
        for name, result in pair.items():
            before, good = coverage.get(name, Coverage()), isinstance(result.outcome, Scored)
            coverage[name] = Coverage(before.scored + good, before.unscored + (not good))
    return coverage


def check_unscored(coverage: Mapping[str, Coverage], allowed: float | None, what: str = "pair") -> None:
    """Ends with status 3 if a metric left more unscored than it may; what was scored is written by then.

    Args:
        coverage: by metric.
        allowed: share of a metric's pairs that may be unscored; where None, all but one.
        what: is scored, in the singular.
    """
    from overread.infrastructure.views.wording import format_count

    failed = False
    for name, counts in coverage.items():
        total = counts.scored + counts.unscored
        most = (total - 1 if total else 0) if allowed is None else allowed * total
        if counts.unscored > most:
            failed = True
            words = f"{counts.unscored:,} of {format_count(total, what)} unscored"
            typer.echo(f"overread: {name}: {words}, more than --max-unscored allows: exit status {UNSCORED}", err=True)
    if failed:
        raise typer.Exit(UNSCORED)


def end_worse(lines: Iterable[str]) -> None:
    """Ends with status 1, saying what became worse; everything is written by then."""
    for line in lines:
        typer.echo(f"overread: {line}", err=True)
    typer.echo(f"overread: worse than the baseline: exit status {WORSE}", err=True)
    raise typer.Exit(WORSE)
