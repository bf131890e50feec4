"""A person's word on a pair: on its discrepancies one by one, and on the whole."""

from __future__ import annotations

from collections.abc import Sequence

from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.members import check_member
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase, is_storable
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.worklist import DISCREPANCIES_OF
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.radpeer import proposal
from overread.hospital.domain.review import Radpeer, Review, Verdict, review_digest, verdict_problems

__all__ = ["Reviewing"]


class Reviewing(UseCase):
    """Keeps reviews. What a program proposed stands beside what the person said, and never in its place."""

    @operation
    @again_if_busy
    def review(
        self,
        number: int,
        *,
        by: Actor,
        signature: str,
        verdicts: Sequence[Verdict] = (),
        radpeer: Radpeer | None = None,
        comment: str = "",
    ) -> Review:
        """Keep what a person says of a pair's result, and of its discrepancies one by one. Reviewer."""
        if radpeer is not None:
            check_member(Radpeer, "radpeer", radpeer)
        with self._context.store.transaction() as unit:
            [results] = unit.pairs.results([number])
            result = _find_result(results, number, signature)
            count = len(result.discrepancies) if result.is_scored else 0
            self._check_review(verdicts, count, radpeer, comment)
            proposed = proposal(result)
            review = Review(
                reviewer=by.name,
                made=self._context.now(),
                signature=signature,
                verdicts=tuple(verdicts),
                radpeer=radpeer,
                proposed=proposed.score if proposed else None,
                comment=comment,
            )
            unit.reviews.add(number, review)
            score = radpeer.value if radpeer else "none"
            details: dict[str, str | int] = {
                "verdicts": len(verdicts),
                "radpeer": score,
                "review": review_digest(number, review),
            }
            self._context.note(unit, by, "review", f"pair:{number}", details)
        return review

    def _check_review(self, verdicts: Sequence[Verdict], count: int, radpeer: Radpeer | None, comment: str) -> None:
        problems = list(verdict_problems(verdicts, count))
        longest = self._context.configuration.longest_report
        written = [comment, *(verdict.reason for verdict in verdicts)]
        if any(len(text) > longest for text in written):
            problems.append(f"a comment or reason is longer than {longest:,} characters")
        if not all(map(is_storable, written)):
            problems.append("a comment or reason contains a NUL or half a surrogate pair")
        if not verdicts and radpeer is None and not comment.strip():
            problems.append("the review is empty: give a verdict, a RADPEER score or a comment")
        if problems:
            raise InputError("review", "; ".join(problems))


def _find_result(results: Sequence[EvaluationResult], number: int, signature: str) -> EvaluationResult:
    for result in results:
        if str(result.signature) == signature and result.metric == DISCREPANCIES_OF:
            return result
    raise NotFoundError(f"pair {number} has no result of {DISCREPANCIES_OF} under this signature")
