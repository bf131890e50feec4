"""Places for connections of MLLP: so many at once, of which none is held by silence where another needs it."""

from __future__ import annotations

from asyncio import StreamWriter
from collections import Counter
from typing import Final

from overread.infrastructure.logs import get_logger

__all__ = ["Places"]

_log: Final = get_logger("exchange.hl7")


class Places:
    """The connections that are open, and which of them makes way for a further one.

    One that waits for a message and has brought none that was taken is a stranger. Where all places are taken, the
    stranger makes way that has waited longest, of the address that holds the most: nobody is kept out by those who
    hold connections and send nothing.

    Args:
        most: connections at once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: set[StreamWriter] = set()
        self._known: set[StreamWriter] = set()
        self._strangers: dict[StreamWriter, str] = {}

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, connection: StreamWriter) -> bool:
        """Take a place for a connection, closing another if need be; return whether there is one."""
        if len(self._taken) >= self._most and not self._make_room():
            return False
        self._taken.add(connection)
        return True

    def leave(self, connection: StreamWriter) -> None:
        """Count a connection no more, for example as it was closed."""
        self._taken.discard(connection)
        self._known.discard(connection)
        self._strangers.pop(connection, None)

    def await_message(self, connection: StreamWriter) -> None:
        """A message is awaited from now on, if none was before."""
        if connection in self._taken and connection not in self._known:
            self._strangers.setdefault(connection, _host(connection))

    def keep(self, connection: StreamWriter) -> None:
        """A message has arrived: nobody takes the place while it is answered."""
        self._strangers.pop(connection, None)

    def know(self, connection: StreamWriter) -> None:
        """A message was taken: the connection makes way for nobody any more."""
        if connection in self._taken:
            self._known.add(connection)

    def _make_room(self) -> bool:
        if not self._strangers:
            return False
        held = Counter(self._strangers.values())
        longest = max(self._strangers, key=lambda connection: held[self._strangers[connection]])
        _log.info("hl7_connection_closed", reason="crowded")
        self.leave(longest)
        longest.transport.abort()
        return True


def _host(connection: StreamWriter) -> str:
    peer = connection.get_extra_info("peername")
    return str(peer[0]) if peer else ""
