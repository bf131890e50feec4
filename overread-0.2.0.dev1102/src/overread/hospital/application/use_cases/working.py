"""The queue is worked off: pairs are claimed, scored and kept with their results, or given back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final

from attrs import frozen

from overread.application.scoring.evaluate import PairResults
from overread.domain.differences.edits import Edits
from overread.domain.results.result import EvaluationResult, Unscored
from overread.exceptions import OverreadError, StoreBusyError, StoreError
from overread.hospital.application.ports import Job, UnitOfWork
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.waits import double_wait
from overread.hospital.application.worklist import edits_found, summary_of

__all__ = ["Working", "profile_of"]

_TEXT_GONE: Final = Unscored("text not kept", "the text of a report was dropped before the pair was scored")


def profile_of(signatures: Mapping[str, str]) -> str:
    """Digest of signatures by metric: what a job says that it must be scored under."""
    lines = "\n".join(sorted(signatures.values()))
    return hashlib.sha256(lines.encode()).hexdigest()


@frozen
class _Scored:
    """The results of a job's pair, and the edits that they tell; None where there are none to tell of."""

    results: PairResults
    edits: Edits | None


class Working(UseCase):
    """Works off the queue.

    A pair is scored with others at first. One that a worker failed on is scored alone from then on, so that it takes no
    others along, and after the configured number of attempts it is left unscored ("gave up"). Where the model cannot
    score at all, the attempt does not count.
    """

    _faults: int = 0

    def work(self, *, worker: str, limit: int = 64) -> int:
        """Score up to that many queued pairs; the number done. Called again and again by whoever runs the workers.

        What is raised was a fault of the model or the store, or of one pair. What was claimed was given back, to be
        tried again later; what was not reached yet, at once.
        """
        groups = _groups(self._claim_jobs(worker, limit))
        done = 0
        for place, group in enumerate(groups):
            rest = [job for later in groups[place + 1 :] for job in _numbers(later)]
            try:
                done += self._done(worker, group, rest)
            except BaseException as error:
                self._faults += 1
                with suppress(StoreError):  # the lease ends anyway
                    self._put_back(worker, _numbers(group), rest, counts=_counts(error))
                raise
        if groups:
            self._faults = 0
        return done

    @again_if_busy
    def _claim_jobs(self, worker: str, limit: int) -> Sequence[Job]:
        self._context.store.join()
        profile = profile_of(self._context.signatures)
        now, lease = self._context.now(), self._context.configuration.lease
        with self._context.store.transaction() as unit:
            return unit.jobs.claim(worker, limit=limit, now=now, lease=lease, profile=profile)

    def _done(self, worker: str, group: Sequence[Job], rest: Sequence[int]) -> int:
        """Scores claimed pairs, keeps the results of those that this worker still has, and goes on having the rest."""
        done = self._store_results(worker, group, self._results(group), rest)
        self._context.done.notify()
        return done

    @again_if_busy
    def _store_results(self, worker: str, group: Sequence[Job], scored: Sequence[_Scored], rest: Sequence[int]) -> int:
        with self._context.store.transaction() as unit:
            finished = set(unit.jobs.finish(worker, _numbers(group)))
            done = {job.pair: one for job, one in zip(group, scored, strict=True) if job.number in finished}
            by_pair = {pair: one.results for pair, one in done.items()}
            unit.pairs.add_results(by_pair)
            unit.pairs.add_edits({pair: one.edits for pair, one in done.items()})
            self._queue_deliveries(unit, by_pair)
            unit.jobs.extend(worker, rest, until=self._context.now() + self._context.configuration.lease)
        return len(finished)

    def _results(self, group: Sequence[Job]) -> list[_Scored]:
        """Results of each; what is given up is not even read, since it may be its text that cannot be."""
        attempts = self._context.configuration.attempts
        tried = [job.pair for job in group if job.attempts <= attempts]
        with self._context.store.reading() as unit:
            report_pairs = {pair.number: pair.report_pair for pair in unit.pairs.get(tried)}
        texts = {number: texts for number, texts in report_pairs.items() if texts is not None}
        scored = dict(zip(texts, self._context.scorer.evaluate_batch(list(texts.values())), strict=True))
        gave_up = Unscored("gave up", f"scoring the pair failed {attempts} times")
        return [
            _Scored(scored[job.pair], edits_found(texts[job.pair], scored[job.pair]))
            if job.pair in scored
            else _Scored(self._unscored_results(job.pair, _TEXT_GONE if job.pair in report_pairs else gave_up), None)
            for job in group
        ]

    def _unscored_results(self, pair: int, outcome: Unscored) -> PairResults:
        return {
            metric.name: EvaluationResult(
                pair_id=f"pair:{pair}",
                metric=metric.name,
                scale=metric.scale,
                signature=metric.signature,
                outcome=outcome,
            )
            for metric in self._context.scorer.metrics
        }

    def _queue_deliveries(self, unit: UnitOfWork, results: Mapping[int, PairResults]) -> None:
        least = self._context.configuration.deliver_from.weight
        importances = {number: summary_of(by_metric).importance for number, by_metric in results.items()}
        important = [number for number, importance in importances.items() if importance and importance.weight >= least]
        if important and self._context.configuration.deliver_to:
            rows = unit.pairs.rows(important, self._context.signature_lines)
            important = [row.pair for row in rows if not row.withdrawn]
        if important:
            for target in self._context.configuration.deliver_to:
                unit.deliveries.add(important, target)

    @again_if_busy
    def _put_back(self, worker: str, failed: Sequence[int], rest: Sequence[int], *, counts: bool) -> None:
        now = self._context.now()
        with self._context.store.transaction() as unit:
            if counts:
                unit.jobs.extend(worker, failed, until=now + self._delay())
            else:
                unit.jobs.release(worker, failed, again=now + self._delay())
            unit.jobs.release(worker, rest, again=now)

    def _delay(self) -> timedelta:
        """Wait before the next try, doubled with each fault in a row, up to a limit."""
        configuration = self._context.configuration
        return double_wait(configuration.retry_after, self._faults - 1, longest=configuration.retry_at_most)


def _groups(claimed: Sequence[Job]) -> list[list[Job]]:
    """Groups jobs to be scored together: all that are tried for the first time, and each other job alone."""
    fresh = [job for job in claimed if job.attempts == 1]
    return [*([fresh] if fresh else []), *([job] for job in claimed if job.attempts > 1)]


def _numbers(group: Sequence[Job]) -> list[int]:
    return [job.number for job in group]


def _counts(error: BaseException) -> bool:
    """Returns whether a fault may be the pair's: the scorer raises overread's errors only where it can score none.

    A store may be unable to hold a pair's results; that others are busy there is not the pair's fault.
    """
    if isinstance(error, OverreadError):
        return isinstance(error, StoreError) and not isinstance(error, StoreBusyError)
    return isinstance(error, Exception)
