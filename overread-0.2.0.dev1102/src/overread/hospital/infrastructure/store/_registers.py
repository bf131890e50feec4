"""Batches, reviews, samples, refusals, access keys and ended sessions in a database."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import define
from sqlalchemy import Connection, delete, func, or_, select, update

from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import ConfigurationError, NotFoundError, StoreError
from overread.hospital.application.ports import KeptReview, Sampled
from overread.hospital.application.requests import BatchState, PairState, Refusal
from overread.hospital.domain.access import AccessKey
from overread.hospital.domain.audit_trail import Role
from overread.hospital.domain.review import Radpeer, Review, ReviewStage, Verdict, VerdictKind, standing_score
from overread.hospital.infrastructure.store._hospital_tables import (
    ACCESS_KEYS,
    BATCHES,
    COMPARED,
    ENDED_SESSIONS,
    JOBS,
    REFUSALS,
    REVIEWS,
    SAMPLED,
    SAMPLES,
)
from overread.hospital.infrastructure.store._texts import Owner, Texts
from overread.infrastructure.store.columns import plain
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.statements import Row, add_all, add_new

__all__ = ["SqlAccessKeys", "SqlBatches", "SqlEndedSessions", "SqlRefusals", "SqlReviews", "SqlSamples"]


@define
class SqlBatches:
    """The batches that were submitted."""

    connection: Connection

    def add(self, name: str, *, owner: str, key: str, made: datetime) -> tuple[int, bool]:
        """A new batch's number and True; or that of the one ``owner`` submitted with the same key, and False."""
        row = {"name": name, "owner": owner, "key": key, "made": made}
        if not key:
            [number] = add_all(self.connection, BATCHES, [row])
            return number, True
        added = add_new(self.connection, BATCHES, [row])
        wanted = (BATCHES.c.owner == plain(owner), BATCHES.c.key == plain(key))
        return int(self.connection.execute(select(BATCHES.c.id).where(*wanted)).scalar_one()), added > 0

    def state(self, batch: int) -> tuple[BatchState, str]:
        """State of a batch, and its owner."""
        row = self.connection.execute(select(BATCHES).where(BATCHES.c.id == batch)).mappings().first()
        if row is None:
            raise NotFoundError(f"there is no batch {batch}")
        queued = COMPARED.c.id.in_(select(JOBS.c.pair))
        query = (
            select(COMPARED.c.state, queued, func.count())
            .where(COMPARED.c.batch == batch)
            .group_by(COMPARED.c.state, queued)
        )
        counts = dict.fromkeys((state.value for state in PairState), 0)
        for state, waits, count in self.connection.execute(query):
            counts[PairState.WAITING.value if waits else state] += count
        return BatchState(number=batch, name=row["name"], pairs=sum(counts.values()), **counts), row["owner"]


@define
class SqlReviews:
    """The reviews; their reviewers' own words are kept as report text is."""

    connection: Connection
    texts: Texts
    keeps_words: bool

    def add(self, pair: int, review: Review) -> None:
        """Keep a review; earlier ones stay."""
        compared = update(COMPARED).where(COMPARED.c.id == pair)
        if not self.connection.execute(compared.values(reviewed=True)).rowcount:
            raise NotFoundError(f"there is no pair {pair}")
        row = {
            "pair": pair,
            "reviewer": review.reviewer,
            "made": review.made,
            "signature": review.signature,
            "verdicts": json.dumps([_verdict_fields(verdict) for verdict in review.verdicts]),
            "radpeer": review.radpeer.value if review.radpeer else None,
            "proposed": review.proposed.value if review.proposed else None,
            "stage": review.stage.value,
            "no_discrepancy": review.no_discrepancy,
            "assignment": review.assignment,
        }
        [number] = add_all(self.connection, REVIEWS, [row])
        words = [review.comment, *(verdict.reason for verdict in review.verdicts)]
        if self.keeps_words and any(words):
            self.texts.put(Owner.REVIEW, {number: json.dumps(words).encode()})
        if review.radpeer is not None:
            query = select(REVIEWS).where(REVIEWS.c.pair == pair).order_by(REVIEWS.c.id)
            score = standing_score([_review(row, None) for row in self.connection.execute(query).mappings()])
            self.connection.execute(compared.values(radpeer=score.value if score else None))

    def of(self, pairs: Sequence[int]) -> Sequence[Sequence[Review]]:
        """The reviews of each pair, oldest first."""
        reviews: dict[int, list[Review]] = {}
        for chunk in chunks(pairs):
            query = select(REVIEWS).where(REVIEWS.c.pair.in_(chunk)).order_by(REVIEWS.c.id)
            rows = self.connection.execute(query).mappings().all()
            words = self.texts.get(Owner.REVIEW, [row["id"] for row in rows])
            for row in rows:
                reviews.setdefault(row["pair"], []).append(_review(row, words.get(row["id"])))
        return [reviews.get(pair, []) for pair in pairs]

    def stated(self, after: int = 0, limit: int = 1000) -> Sequence[KeptReview]:
        """Reviews of all pairs, oldest first, from the one after a number on; no key of texts is needed."""
        query = select(REVIEWS).where(REVIEWS.c.id > after).order_by(REVIEWS.c.id).limit(limit)
        rows = self.connection.execute(query).mappings()
        return [KeptReview(number=row["id"], pair=row["pair"], review=_review(row, None)) for row in rows]

    def shown(self) -> Mapping[int, Radpeer | None]:
        """The score that lists and rates show of each pair that they show as reviewed, or with a score."""
        query = select(COMPARED.c.id, COMPARED.c.radpeer).where(
            or_(COMPARED.c.reviewed, COMPARED.c.radpeer.is_not(None))
        )
        return {pair: Radpeer(score) if score else None for pair, score in self.connection.execute(query)}


@define
class SqlSamples:
    """Samples that were drawn."""

    connection: Connection

    def add(self, drawn: Sequence[Sampled], *, description: str, by: str, made: datetime) -> int:
        """Keep a sample; its number."""
        [number] = add_all(self.connection, SAMPLES, [{"description": description, "drawn_by": by, "made": made}])
        rows = [
            {"sample": number, "place": place, "pair": sampled.pair, "weight": sampled.weight}
            for place, sampled in enumerate(drawn)
        ]
        if rows:
            self.connection.execute(SAMPLED.insert(), rows)
        return number

    def get(self, sample: int) -> Sequence[Sampled]:
        """A sample, without pairs that were deleted since."""
        if self.connection.execute(select(SAMPLES.c.id).where(SAMPLES.c.id == sample)).first() is None:
            raise NotFoundError(f"there is no sample {sample}")
        query = select(SAMPLED.c.pair, SAMPLED.c.weight).where(SAMPLED.c.sample == sample).order_by(SAMPLED.c.place)
        return [Sampled(pair=pair, weight=weight) for pair, weight in self.connection.execute(query)]


@define
class SqlRefusals:
    """Messages that were not taken."""

    connection: Connection

    def add(self, refusal: Refusal) -> None:
        """Keep a refusal."""
        columns = {name: getattr(refusal, name) for name in ("source", "message", "reason", "detail")}
        self.connection.execute(REFUSALS.insert().values(made=refusal.at, **columns))

    def newest(self, limit: int) -> Sequence[Refusal]:
        """The newest refusals first."""
        rows = self.connection.execute(select(REFUSALS).order_by(REFUSALS.c.id.desc()).limit(limit))
        return [
            Refusal(at=row.made, source=row.source, message=row.message, reason=row.reason, detail=row.detail)
            for row in rows
        ]

    def forget(self, before: datetime) -> int:
        """Delete refusals of before a moment; how many they were."""
        return self.connection.execute(delete(REFUSALS).where(REFUSALS.c.made < before)).rowcount


@define
class SqlAccessKeys:
    """Keys by which programs come in."""

    connection: Connection

    def add(self, key: AccessKey) -> None:
        """Keep a key."""
        row = {name: getattr(key, name) for name in ("name", "prefix", "digest", "created", "expires", "revoked")}
        row["roles"] = json.dumps(sorted(role.value for role in key.roles))
        if not add_new(self.connection, ACCESS_KEYS, [row]):
            raise ConfigurationError([f"a key named {key.name!r} already exists"])

    def by_prefix(self, prefix: str) -> AccessKey | None:
        """The key of a prefix."""
        query = select(ACCESS_KEYS).where(ACCESS_KEYS.c.prefix == plain(prefix))
        row = self.connection.execute(query).mappings().first()
        return _access_key(row) if row is not None else None

    def every(self) -> Sequence[AccessKey]:
        """All keys, oldest first, revoked ones included."""
        return [
            _access_key(row)
            for row in self.connection.execute(select(ACCESS_KEYS).order_by(ACCESS_KEYS.c.id)).mappings()
        ]

    def revoke(self, name: str, at: datetime) -> None:
        """Let a key end; one that has ended before did so then."""
        ended = func.coalesce(ACCESS_KEYS.c.revoked, at)
        statement = update(ACCESS_KEYS).where(ACCESS_KEYS.c.name == plain(name)).values(revoked=ended)
        if not self.connection.execute(statement).rowcount:
            raise NotFoundError("there is no key with this name")


@define
class SqlEndedSessions:
    """Sessions of people that were ended before their time, by their ids or by what several have in common."""

    connection: Connection

    def add(self, session: str, *, now: datetime, until: datetime) -> bool:
        """Let sessions end; False if all of them had ended before."""
        is_earlier = (ENDED_SESSIONS.c.id == plain(session)) & (ENDED_SESSIONS.c.until < until)
        self.connection.execute(delete(ENDED_SESSIONS).where((ENDED_SESSIONS.c.until <= now) | is_earlier))
        return bool(add_new(self.connection, ENDED_SESSIONS, [{"id": session, "until": until}]))

    def has(self, sessions: Collection[str], *, until: datetime) -> bool:
        """Return whether a session was ended."""
        is_named = ENDED_SESSIONS.c.id.in_([plain(session) for session in sessions])
        query = select(ENDED_SESSIONS.c.id).where(is_named & (ENDED_SESSIONS.c.until >= until))
        return self.connection.execute(query).first() is not None


def _verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """A verdict without its reason."""
    return {
        "discrepancy": verdict.discrepancy,
        "kind": verdict.kind.value,
        "category": verdict.category.value if verdict.category else None,
        "severity": verdict.severity.value if verdict.severity else None,
        "finding": verdict.finding,
    }


def _review(row: Row, words: bytes | None) -> Review:
    try:
        return _parse_review(row, words)
    except (ValueError, KeyError, TypeError):
        problem = f"review {row['id']} of pair {row['pair']} cannot be read: it was written by other means"
        raise StoreError(problem) from None


def _parse_review(row: Row, words: bytes | None) -> Review:
    verdicts = json.loads(row["verdicts"])
    comment, *reasons = json.loads(words) if words is not None else [""] * (len(verdicts) + 1)
    return Review(
        reviewer=row["reviewer"],
        made=row["made"],
        signature=row["signature"],
        verdicts=tuple(_verdict(verdict, reason) for verdict, reason in zip(verdicts, reasons, strict=True)),
        radpeer=Radpeer(row["radpeer"]) if row["radpeer"] else None,
        proposed=Radpeer(row["proposed"]) if row["proposed"] else None,
        comment=comment,
        stage=ReviewStage(row["stage"]),
        no_discrepancy=row["no_discrepancy"],
        assignment=row["assignment"],
    )


def _verdict(told: Mapping[str, Any], reason: str) -> Verdict:
    return Verdict(
        discrepancy=told["discrepancy"],
        kind=VerdictKind(told["kind"]),
        category=ErrorCategory(told["category"]) if told["category"] else None,
        severity=Severity(told["severity"]) if told["severity"] else None,
        finding=told["finding"],
        reason=reason,
    )


def _access_key(row: Row) -> AccessKey:
    given = {name: row[name] for name in ("name", "prefix", "digest", "created", "expires", "revoked")}
    return AccessKey(roles=frozenset(Role(role) for role in json.loads(row["roles"])), **given)
