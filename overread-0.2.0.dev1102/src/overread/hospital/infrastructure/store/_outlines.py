"""Outlines of pairs' results under each pair of signatures, so that a worklist need not read results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from attrs import frozen
from sqlalchemy import Connection, bindparam, delete, false, func, or_, select, update

from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.severity import Importance
from overread.hospital.application.requests import PairState
from overread.hospital.application.worklist import DISCREPANCIES_OF, RISK_OF, summary_of
from overread.hospital.infrastructure.store._hospital_tables import COMPARED, FOUND, OUTLINES, PROFILES
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.statements import Row, add_new

__all__ = [
    "BLANK",
    "NOT_KNOWN",
    "NO_RISK",
    "Scoring",
    "add_outlines",
    "gravity_of",
    "importance_of",
    "misshown",
    "profile_of",
    "profiles_alone",
    "profiles_with",
]

NO_RISK: Final = -1.0
"""Stands where there is no score: below every one."""

NOT_KNOWN: Final = -1.0
"""Stands where it is not known how much was read."""

BLANK: Final[Mapping[str, Any]] = {
    "state": PairState.WAITING.value,
    "reason": "",
    "risk": NO_RISK,
    "gravity": 0,
    "significant": 0,
    "insignificant": 0,
    "findings": "[]",
    "read": NOT_KNOWN,
}
"""The outline of a pair without results."""

_STEPS: Final = tuple(reversed(Importance))
_METRICS: Final = (RISK_OF, DISCREPANCIES_OF)


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


def profiles_alone(connection: Connection, signatures: Sequence[str]) -> list[int]:
    """Numbers of the profiles that have one of these signatures and none beside it."""
    wanted = [(PROFILES.c.risk == line) & (PROFILES.c.findings == "") for line in signatures]
    wanted += [(PROFILES.c.risk == "") & (PROFILES.c.findings == line) for line in signatures]
    return list(connection.execute(select(PROFILES.c.id).where(or_(false(), *wanted))).scalars())


def profiles_of_findings(signatures: Sequence[str]) -> Any:
    """Numbers of the profiles whose discrepancies are of one of these signatures, as a query."""
    return select(PROFILES.c.id).where(PROFILES.c.findings.in_(signatures))


def profiles_with(signature: str) -> Any:
    """Numbers of the profiles that a signature is part of, as a query."""
    return select(PROFILES.c.id).where((PROFILES.c.risk == signature) | (PROFILES.c.findings == signature))


def add_outlines(connection: Connection, scored: Sequence[Scoring]) -> None:
    """Writes what pairs came to under each profile that has anything new, and shows the newest."""
    _drop_reasons(connection, scored)
    profiles: dict[tuple[str, str], int] = {}
    outlines: list[dict[str, Any]] = []
    discrepancies: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for scoring in scored:
        for lines in scoring.changed():
            if lines not in profiles:
                profiles[lines] = _profile(connection, *lines)
            results, at = scoring.under(lines), {"pair": scoring.pair, "profile": profiles[lines]}
            outline = _outline(results)
            outlines.append({**at, **outline})
            discrepancies += ({**at, **discrepancy} for discrepancy in _discrepancy_rows(results))
            if lines == scoring.present:
                shown.append({"number": scoring.pair, "profile": profiles[lines], **outline})
    _replace(connection, outlines, discrepancies)
    if shown:
        columns: dict[str, Any] = {name: bindparam(name) for name in shown[0] if name != "number"}
        connection.execute(update(COMPARED).where(COMPARED.c.id == bindparam("number")).values(columns), shown)


def misshown(
    connection: Connection, rows: Sequence[Row], results: Mapping[str, Sequence[EvaluationResult]]
) -> list[int]:
    """Numbers of pairs of which a list shows something else than results tell, now or under earlier signatures.

    Of pairs with equal texts one may have been scored again, and tell a reason of before until it is, too.

    Args:
        connection: to the store.
        rows: of the pairs.
        results: that hold, by the digest of the pair.
    """
    numbers = [row["id"] for row in rows]
    lines: dict[int | None, tuple[str, str]] = {
        row.id: (row.risk, row.findings) for row in connection.execute(select(PROFILES))
    }
    outlines: dict[int, list[Row]] = {}
    shared: set[str] = set()
    for chunk in chunks(numbers):
        for outline in connection.execute(select(OUTLINES).where(OUTLINES.c.pair.in_(chunk))).mappings():
            outlines.setdefault(outline["pair"], []).append(outline)
    for chunk in chunks(row["digest"] for row in rows):
        alike = select(COMPARED.c.digest).where(COMPARED.c.digest.in_(chunk)).group_by(COMPARED.c.digest)
        shared.update(connection.execute(alike.having(func.count() > 1)).scalars())
    wrong = []
    for row in rows:
        scoring = Scoring(row["id"], results.get(row["digest"], ()), {})
        for shown in (row, *outlines.get(row["id"], ())):
            expected = (
                BLANK if shown["profile"] is None else _outline(scoring.under(lines.get(shown["profile"], ("", ""))))
            )
            lags = shown["state"] == PairState.UNSCORED.value and row["digest"] in shared
            if any(shown[name] != value for name, value in expected.items()) and not lags:
                wrong.append(int(row["id"]))
                break
    return wrong


def _drop_reasons(connection: Connection, scored: Sequence[Scoring]) -> None:
    """Takes away reasons for no score that stood alone, and have a score in their place now."""
    for line in {line for scoring in scored for line in scoring.scored_signatures}:
        alone = profiles_alone(connection, [line])
        for chunk in chunks(scoring.pair for scoring in scored if line in scoring.scored_signatures):
            connection.execute(delete(OUTLINES).where(OUTLINES.c.profile.in_(alone), OUTLINES.c.pair.in_(chunk)))


def _replace(connection: Connection, outlines: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]) -> None:
    """Writes outlines with their discrepancies, in place of any that are there for the same pair and profile."""
    for profile in {outline["profile"] for outline in outlines}:
        for chunk in chunks(outline["pair"] for outline in outlines if outline["profile"] == profile):
            for table in (OUTLINES, FOUND):
                connection.execute(delete(table).where(table.c.profile == profile, table.c.pair.in_(chunk)))
    for table, rows in ((OUTLINES, outlines), (FOUND, found)):
        if rows:
            connection.execute(table.insert(), rows)


@frozen
class Scoring:
    """The results of a pair, some of them new.

    Attributes:
        pair: its number.
        results: all that are kept of it, oldest first.
        newest: signatures by metric that it was scored under just now.
    """

    pair: int
    results: Sequence[EvaluationResult]
    newest: Mapping[str, str]

    @property
    def present(self) -> tuple[str, str]:
        """The signatures to show: the new ones, and of a metric that has no new one its latest."""
        risk, findings = (self.newest.get(metric) or next(reversed(self._lines(metric)), "") for metric in _METRICS)
        return risk, findings

    @property
    def scored_signatures(self) -> set[str]:
        """The new signatures under which there is a score."""
        return {str(result.signature) for result in self.results if result.is_scored}.intersection(self.newest.values())

    def changed(self) -> Iterator[tuple[str, str]]:
        """Pairs of signatures that have anything new; "" for a metric without results.

        A reason why there is no score stands alone as well: it is one, whether or not the other metric was asked.
        """
        new = {*self.newest.values()}
        risk, findings = (self._lines(metric) for metric in _METRICS)
        alone = [
            (line, "") if line in risk else ("", line)
            for line in (str(result.signature) for result in self.results if not result.is_scored)
            if line in (*risk, *findings)
        ]
        every = dict.fromkeys((*product(risk or ("",), findings or ("",)), *alone))
        yield from (lines for lines in every if new.intersection(lines))

    def under(self, lines: tuple[str, str]) -> list[EvaluationResult]:
        """The results under these signatures."""
        return [result for result in self.results if result.metric in _METRICS and str(result.signature) in lines]

    def _lines(self, metric: str) -> list[str]:
        return [str(result.signature) for result in self.results if result.metric == metric]


def _profile(connection: Connection, risk: str, findings: str) -> int:
    add_new(connection, PROFILES, [{"risk": risk, "findings": findings}])
    wanted = (PROFILES.c.risk == risk, PROFILES.c.findings == findings)
    return int(connection.execute(select(PROFILES.c.id).where(*wanted)).scalar_one())


def _outline(results: Sequence[EvaluationResult]) -> dict[str, Any]:
    summary = summary_of({result.metric: result for result in results})
    return {
        "state": summary.state.value,
        "reason": summary.reason,
        "risk": NO_RISK if summary.risk is None else summary.risk,
        "gravity": gravity_of(summary.importance),
        "significant": summary.significant,
        "insignificant": summary.insignificant,
        "findings": json.dumps(summary.findings),
        "read": NOT_KNOWN if summary.read is None else summary.read,
    }


def _discrepancy_rows(results: Sequence[EvaluationResult]) -> Iterator[dict[str, Any]]:
    for result in results:
        if result.metric == DISCREPANCIES_OF and result.is_scored:
            for place, discrepancy in enumerate(result.discrepancies):
                yield {
                    "place": place,
                    "category": discrepancy.category.value if discrepancy.category else None,
                    "severity": discrepancy.severity.value,
                    "finding": discrepancy.finding,
                }
