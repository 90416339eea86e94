"""Connections that wait for ever: for the head of a request, or for a client that takes no more of an answer.

uvicorn waits as long as a client likes, so a few hundred silent clients would use up the files a server may open. How
long a body may take is up to the application.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uvicorn.server import ServerState

WAIT_SECONDS = 60
"""How long a client may keep a connection waiting, about."""
LOOKS = 4
"""How often connections are looked at in that time."""


class IdleConnections:
    """Looks at all connections of a server again and again, and closes those that nothing comes from."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._waiting: dict[Any, tuple[tuple[object, int], int]] = {}
        """What each connection waited for, and how often it was seen so."""

    async def look(self) -> None:
        """See which clients do their part, and close the connections of those that have not for long enough."""
        waiting = {}
        for connection in list(self._state.connections):
            waits_for = _waits_for(connection)
            if waits_for is None:
                continue
            before, looks = self._waiting.get(connection, (None, 0))
            looks = looks + 1 if waits_for == before else 0
            waiting[connection] = waits_for, looks
            if looks >= LOOKS:
                connection.transport.abort()
        self._waiting = waiting


def _waits_for(connection: Any) -> tuple[object, int] | None:
    """The request after which a connection waits, and how many bytes it has not sent; None if it does not wait."""
    unsent = connection.transport.get_write_buffer_size()
    cycle = connection.cycle
    is_idle = cycle is None or cycle.response_complete
    return (cycle, unsent) if unsent or is_idle else None
