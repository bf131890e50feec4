"""Places for requests: so many at once, of which strangers have half and make way for each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from attrs import define, field

from overread.hospital.infrastructure.http._problems import too_many

__all__ = ["Places"]


@define(eq=False)
class Places:
    """The requests under way. Of one event loop.

    Attributes:
        most: at once; of strangers, who bring nothing that was found valid before, half as many.
        most_of_one: of them, of one address.
    """

    most: int
    most_of_one: int
    _of_address: Counter[str] = field(factory=Counter, init=False)
    _strangers: dict[Callable[[], bool], str] = field(factory=dict, init=False)

    @contextmanager
    def taken(self, address: str, leave: Callable[[], bool] | None) -> Iterator[None]:
        """A place while a request is answered.

        Args:
            address: it came from.
            leave: has a stranger leave who keeps the service waiting, and tells whether one did; None for who is known.

        Raises:
            ProblemError: 429 where there is none.
        """
        if leave is None:
            self._look_for_one(address)
        else:
            self._make_way()
            self._look_for_one(address)
            self._strangers[leave] = address
        self._of_address[address] += 1
        try:
            yield
        finally:
            if leave is None:
                self._give_back(address)
            else:
                self._let_go(leave)

    def _look_for_one(self, address: str) -> None:
        if self._of_address.total() >= self.most:
            raise too_many("the service is busy", 1)
        if self._of_address[address] >= self.most_of_one:
            raise too_many("too many requests from this address are in progress", 1)

    def _make_way(self) -> None:
        """Lets the first stranger go who keeps the service waiting, where there are as many strangers as may be."""
        if len(self._strangers) < max(1, self.most // 2):
            return
        gone = next((leave for leave in self._strangers if leave()), None)
        if gone is None:
            raise too_many("the service is busy", 1)
        self._let_go(gone)

    def _let_go(self, stranger: Callable[[], bool]) -> None:
        """Gives a stranger's place back, once: whoever has made way has given it back before it is answered."""
        address = self._strangers.pop(stranger, None)
        if address is not None:
            self._give_back(address)

    def _give_back(self, address: str) -> None:
        self._of_address[address] -= 1
        if not self._of_address[address]:
            del self._of_address[address]
