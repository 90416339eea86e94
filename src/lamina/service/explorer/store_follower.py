"""Follows a store in a thread: new revisions are announced, whichever server on the store wrote them.

The one row of counters is read once a second, and only while a page listens.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING

from lamina.service.faults import StoreUnavailable

if TYPE_CHECKING:
    from lamina.service.explorer.announcements import Announcements
    from lamina.service.records import StoreState
    from lamina.service.store import Store

_PAUSE = 1.0
"""Seconds between two looks at the store."""
_NAMED = 20
"""How many new revisions are named, the newest ones."""


class StoreFollower:
    """Announces what is new in a store until it is stopped."""

    def __init__(self, store: Store, announcements: Announcements) -> None:
        self._store = store
        self._announcements = announcements
        self._stop = Event()
        self._known: StoreState | None = None
        self._lost = False
        """Whether the store did not answer at the last look."""
        self._thread = Thread(target=self._follow, name="lamina-follower", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _follow(self) -> None:
        while not self._stop.wait(_PAUSE):
            if self._announcements.has_listeners:
                self._look()

    def _look(self) -> None:
        """Announce what is new since the last look.

        The first look has nothing to compare with; pages that know the state already ignore what it announces.
        """
        try:
            state = self._store.state()
        except StoreUnavailable:
            if not self._lost:
                self._announcements.announce({"error": "The store is not available."})
            self._lost = True
            return
        if state != self._known or self._lost:
            named = state.revisions_since(self._known)[-_NAMED:]
            self._announcements.announce({"generation": state.generation, "targets": [str(each) for each in named]})
            self._known, self._lost = state, False
