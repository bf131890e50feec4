"""Learning points, actions, responses of authors and their digests in a store in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from attrs import evolve, frozen

from overread.exceptions import NotFoundError
from overread.hospital.application.learning import OwnQuery, PointQuery
from overread.hospital.domain.learning import ActionState, AuthorResponse, LearningPoint, PairAction
from overread.hospital.testing._protocols import hidden_pairs, withheld_pairs
from overread.hospital.testing._state import DigestRow, State

__all__ = ["AuthorResponses", "Digests", "LearningPoints", "PairActions"]


@frozen
class LearningPoints:
    """The learning points of pairs."""

    tables: State

    def add(self, point: LearningPoint) -> int:
        """Keep a learning point."""
        _hold(self.tables, point.pair)
        number = self.tables.next("learning point")
        self.tables.learning[number] = evolve(point, number=number)
        return number

    def get(self, number: int) -> LearningPoint:
        """A learning point."""
        if number not in self.tables.learning:
            raise NotFoundError(f"there is no learning point {number}")
        return self.tables.learning[number]

    def of(self, pairs: Sequence[int]) -> Sequence[Sequence[LearningPoint]]:
        """The learning points of each pair, oldest first."""
        return [[point for _, point in sorted(self.tables.learning.items()) if point.pair == pair] for pair in pairs]

    def nominate(self, number: int, *, nominated: bool) -> None:
        """Note whether a point is to be shown at a conference."""
        self.tables.learning[number] = evolve(self.get(number), nominated=nominated, presented=None)

    def present(self, pair: int, at: datetime) -> int:
        """Mark the nominated points of a pair as presented."""
        waiting = [
            point
            for point in self.tables.learning.values()
            if point.pair == pair and point.nominated and point.presented is None
        ]
        self.tables.learning.update((point.number, evolve(point, presented=at)) for point in waiting)
        return len(waiting)

    def nominated(self, query: PointQuery) -> Sequence[int]:
        """Numbers of the pairs of nominated points."""
        withheld = withheld_pairs(self.tables)
        pairs = {
            point.pair
            for point in self.tables.learning.values()
            if point.nominated and point.pair > query.after and point.pair not in withheld
            if query.presented in {None, point.presented is not None}
            if _is_between(point.made, query.since, query.until)
        }
        return sorted(pairs)[: query.limit]

    def own_pairs(self, query: OwnQuery) -> Sequence[int]:
        """Numbers of the pairs that somebody is an author of, the newest first."""
        withheld = withheld_pairs(self.tables)
        numbers = [
            number
            for number, row in self.tables.pairs.items()
            if not row.withdrawn and number not in withheld and (query.before is None or number < query.before)
            if query.author.wrote(self._readers(number))
            if not query.news or self._is_news(number, query)
        ]
        return sorted(numbers, reverse=True)[: query.limit]

    def _readers(self, number: int) -> list[str]:
        compared = self.tables.pairs[number].pair
        versions = (*compared.candidate, *compared.reference)
        return [self.tables.versions[version].kept.version.reader for version in versions]

    def _is_news(self, pair: int, query: OwnQuery) -> bool:
        responses = self.tables.responses.values()
        seen = [each.made for each in responses if each.pair == pair and each.author == query.author.name]
        return any(
            point.pair == pair
            and point.made_by != query.author.name
            and _is_between(point.made, query.since, query.until)
            and all(moment < point.made for moment in seen)
            for point in self.tables.learning.values()
        )


@frozen
class PairActions:
    """The actions about pairs."""

    tables: State

    def add(self, action: PairAction) -> int:
        """Keep an action."""
        _hold(self.tables, action.pair)
        number = self.tables.next("action")
        self.tables.actions[number] = evolve(action, number=number)
        return number

    def get(self, number: int) -> PairAction:
        """An action."""
        if number not in self.tables.actions:
            raise NotFoundError(f"there is no action {number}")
        return self.tables.actions[number]

    def of(self, pair: int) -> Sequence[PairAction]:
        """The actions of a pair, oldest first."""
        return [action for _, action in sorted(self.tables.actions.items()) if action.pair == pair]

    def change(self, action: PairAction) -> None:
        """Keep an action in place of the earlier one."""
        self.tables.actions[action.number] = action

    def undone(self, after: int = 0, limit: int = 50, *, hidden_from: str = "") -> Sequence[PairAction]:
        """Actions that are not done."""
        hidden = hidden_pairs(self.tables, hidden_from)
        every = [action for number, action in sorted(self.tables.actions.items()) if number > after]
        return [each for each in every if each.state is not ActionState.DONE and each.pair not in hidden][:limit]


@frozen
class AuthorResponses:
    """The responses of authors."""

    tables: State

    def add(self, response: AuthorResponse) -> int:
        """Keep a response."""
        _hold(self.tables, response.pair)
        number = self.tables.next("response")
        self.tables.responses[number] = evolve(response, number=number)
        return number

    def of(self, pairs: Sequence[int]) -> Sequence[Sequence[AuthorResponse]]:
        """The responses to each pair, oldest first."""
        every = [response for _, response in sorted(self.tables.responses.items())]
        return [[response for response in every if response.pair == pair] for pair in pairs]


@frozen
class Digests:
    """The digests that were sent to authors."""

    tables: State

    def claim(self, author: str, due: datetime, *, worker: str, now: datetime, lease: timedelta) -> bool:
        """Claim a digest until the lease ends."""
        known = self.tables.digests.get((author, due))
        if known is not None and (known.sent or known.free > now):
            return False
        self.tables.digests[author, due] = DigestRow(worker=worker, free=now + lease)
        return True

    def finish(self, author: str, due: datetime, *, worker: str) -> None:
        """Note that a digest needs to be sent no more."""
        known = self.tables.digests[author, due]
        if known.worker == worker:
            self.tables.digests[author, due] = evolve(known, sent=True)

    def release(self, author: str, due: datetime, *, worker: str, again: datetime) -> None:
        """Give a digest back that could not be sent."""
        known = self.tables.digests[author, due]
        if known.worker == worker:
            self.tables.digests[author, due] = evolve(known, free=again)


def _hold(state: State, pair: int) -> None:
    if pair not in state.pairs:
        raise NotFoundError(f"there is no pair {pair}")


def _is_between(moment: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or moment >= since) and (until is None or moment < until)
