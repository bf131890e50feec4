"""What pairs came to under each pair of signatures, so that a worklist need not read results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, delete, select, update

from overread.application.hospital.worklist import DISCREPANCIES_OF, RISK_OF, summary_of
from overread.domain.result import EvaluationResult
from overread.domain.severity import Importance
from overread.infrastructure.store._hospital_tables import COMPARED, FOUND, OUTLINES, PROFILES
from overread.infrastructure.store._statements import add_new

__all__ = ["NO_RISK", "add_outlines", "gravity_of", "importance_of", "profile_of", "profiles_with"]

NO_RISK: Final = -1.0
"""Stands where there is no score: below every one."""

_STEPS: Final = tuple(reversed(Importance))


def gravity_of(importance: Importance | None) -> int:
    """Rank of an importance, from 5 (urgent) to 1 (expected); 0 for none."""
    return _STEPS.index(importance) + 1 if importance is not None else 0


def importance_of(gravity: int) -> Importance | None:
    """The importance of a rank."""
    return _STEPS[gravity - 1] if gravity else None


def profile_of(connection: Connection, signatures: Sequence[str]) -> int | None:
    """Number of the profile that these signatures, each of a metric, name; None where nothing was scored under it."""
    lines = {line.partition("|")[0]: line for line in signatures}
    wanted = (PROFILES.c.risk == lines.get(RISK_OF, ""), PROFILES.c.findings == lines.get(DISCREPANCIES_OF, ""))
    return connection.execute(select(PROFILES.c.id).where(*wanted)).scalar()


def profiles_with(signature: str) -> Any:
    """Numbers of the profiles that a signature is part of, as a query."""
    return select(PROFILES.c.id).where((PROFILES.c.risk == signature) | (PROFILES.c.findings == signature))


def add_outlines(
    connection: Connection, pair: int, results: Sequence[EvaluationResult], newest: Mapping[str, str]
) -> None:
    """Writes what a pair came to: under its newest signatures, and under each of them beside each earlier other.

    Args:
        connection: that writes.
        pair: number of the pair.
        results: all that are kept of it, oldest first.
        newest: signatures by metric that it was scored under just now.
    """
    of = {
        metric: {str(r.signature): r for r in results if r.metric == metric} for metric in (RISK_OF, DISCREPANCIES_OF)
    }
    present = tuple(newest.get(metric) or next(reversed(of[metric]), "") for metric in (RISK_OF, DISCREPANCIES_OF))
    for risk in of[RISK_OF] or ("",):
        for findings in of[DISCREPANCIES_OF] or ("",):
            if (risk, findings) == present or {risk, findings} & set(newest.values()):
                chosen = [*filter(None, (of[RISK_OF].get(risk), of[DISCREPANCIES_OF].get(findings)))]
                profile = _profile(connection, risk, findings)
                outline = _write(connection, pair, profile, chosen)
                if (risk, findings) == present:
                    connection.execute(update(COMPARED).where(COMPARED.c.id == pair).values(profile=profile, **outline))


def _profile(connection: Connection, risk: str, findings: str) -> int:
    add_new(connection, PROFILES, [{"risk": risk, "findings": findings}])
    wanted = (PROFILES.c.risk == risk, PROFILES.c.findings == findings)
    return int(connection.execute(select(PROFILES.c.id).where(*wanted)).scalar_one())


def _write(connection: Connection, pair: int, profile: int, results: Sequence[EvaluationResult]) -> dict[str, Any]:
    summary = summary_of({result.metric: result for result in results})
    outline = {
        "state": summary.state.value,
        "reason": summary.reason,
        "risk": NO_RISK if summary.risk is None else summary.risk,
        "gravity": gravity_of(summary.importance),
        "significant": summary.significant,
        "insignificant": summary.insignificant,
        "findings": json.dumps(summary.findings),
    }
    for table in (OUTLINES, FOUND):
        connection.execute(delete(table).where(table.c.pair == pair, table.c.profile == profile))
    connection.execute(OUTLINES.insert().values(pair=pair, profile=profile, **outline))
    found = [
        {
            "pair": pair,
            "profile": profile,
            "place": place,
            "category": each.category.value if each.category else None,
            "severity": each.severity.value,
            "finding": each.finding,
        }
        for result in results
        if result.metric == DISCREPANCIES_OF and result.is_scored
        for place, each in enumerate(result.discrepancies)
    ]
    if found:
        connection.execute(FOUND.insert(), found)
    return outline
