"""Administration of what is kept: scoring it anew, exporting it, deleting it, and reading the audit trail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from attrs import evolve

from overread.application.batching import batches
from overread.exceptions import InputError
from overread.hospital.application.requests import Erased, PairState, Search, WorklistRow
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.use_cases.searching import describe_search
from overread.hospital.application.use_cases.working import profile_of
from overread.hospital.domain.audit_trail import Actor, AuditEvent

__all__ = ["Keeping"]

_AT_ONCE: Final = 500
_PASSING: Final = frozenset({"gave up", "error", "no answer", "not asked"})
"""Reasons why there is no score whose cause may be gone."""


class Keeping(UseCase):
    """Looks after what is kept."""

    @operation
    def rescore(self, search: Search, *, by: Actor) -> int:
        """Queue the pairs found that have no result under the present signatures; their number. Admin.

        So are those without a score for a cause that may be gone: "gave up", "error", "no answer" and "not asked".
        Earlier results stay; a score takes the place of a reason why there was none.
        """
        signatures = self._context.signatures
        lines, profile = list(signatures.values()), profile_of(signatures)
        with self._context.store.reading() as unit:
            numbers = unit.pairs.numbers(search, lines)
        queued = 0
        for some in batches(numbers, _AT_ONCE):
            queued += self._queue_lacking(some, lines, profile)
        self._context.tell(by, "rescore", details={"pairs": queued, **describe_search(search)})
        self._context.queued.notify()
        return queued

    @again_if_busy
    def _queue_lacking(self, numbers: Sequence[int], lines: Sequence[str], profile: str) -> int:
        with self._context.store.transaction() as unit:
            rows = unit.pairs.rows(numbers, lines)
            lacking = [row.pair for row in rows if row.state is PairState.WAITING or row.reason in _PASSING]
            unit.jobs.add(lacking, profile=profile)
        return len(lacking)

    @operation
    def export(self, search: Search, *, by: Actor) -> Iterator[WorklistRow]:
        """Every row that a search finds, whatever its limit, read a page at a time. Admin."""
        self._context.tell(by, "export", details=describe_search(search))
        return self._rows(evolve(search, after=None, limit=_AT_ONCE), by)

    def _rows(self, search: Search, by: Actor) -> Iterator[WorklistRow]:
        page = None
        while page is None or page.next is not None:
            with self._context.store.reading() as unit:
                page = unit.pairs.search(search, self._context.signature_lines, hidden_from=by.name)
            yield from page.rows
            search = evolve(search, after=page.next)

    @operation
    @again_if_busy
    def erase_patient(self, patient: str, *, by: Actor, site: str | None = None) -> Erased:
        """Delete a patient's data. The event says how much it was, and of nobody. Admin."""
        if not patient:
            raise InputError("patient", "an identifier is needed")
        with self._context.store.transaction() as unit:
            erased = unit.erase_patient(site, patient)
            self._context.note(unit, by, "erase", "patient", _numbers(erased))
        return erased

    @operation
    @again_if_busy
    def retain(self, *, by: Actor, now: datetime | None = None) -> Erased:
        """Delete what is older than the configured retention, and the texts that are. Admin."""
        now, configuration = now or self._context.now(), self._context.configuration
        erased, refusals = Erased(), 0
        with self._context.store.transaction() as unit:
            if configuration.keep_data is not None:
                erased = unit.erase_before(now - configuration.keep_data)
                refusals = unit.refusals.forget(now - configuration.keep_data)
            if configuration.keep_texts is not None:
                before = now - configuration.keep_texts
                dropped = unit.versions.forget_texts(before) + unit.pairs.forget_texts(before)
                erased = evolve(erased, texts=erased.texts + dropped)
            self._context.note(unit, by, "retain", details={**_numbers(erased), "refusals": refusals})
        return erased

    @operation
    @again_if_busy
    def audit_trail(self, *, by: Actor, after: int = 0, limit: int = 1000) -> Sequence[AuditEvent]:
        """Events in order; that somebody read them is an event as well. Admin."""
        with self._context.store.transaction() as unit:
            self._context.note(unit, by, "audit", details={"after": after})
            return unit.trail.events(after, limit)


def _numbers(erased: Erased) -> dict[str, int]:
    return {
        name: getattr(erased, name) for name in ("examinations", "versions", "texts", "pairs", "results", "reviews")
    }
