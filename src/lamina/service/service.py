"""What the routes of a store work with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from lamina.service.errors import RevisionNotFound
from lamina.service.submission import LAYERING_POLICY, documents_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.service.explorer.revisions import ExploredStore
    from lamina.service.inspection import Inspector
    from lamina.service.records import Placed
    from lamina.service.rendition import Renderer
    from lamina.service.store import Store
    from lamina.service.submission import Submitted
    from lamina.service.tokens import TokenStore
    from lamina.session import Session, WeighedCache

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Service:
    """A store, and what was made of its documents so far."""

    store: Store
    renderer: Renderer
    session: Session
    inspector: Inspector
    submissions: WeighedCache
    """Bodies that were read, by their hashes; none with secrets."""
    comparisons: WeighedCache
    """What was found to differ."""
    tokens: TokenStore
    cleartext: bool = True
    """Whether secrets are shown to those who may see them and do not say whether they want to."""

    def explored(self) -> ExploredStore:
        """The store as the explorer shows it."""
        from lamina.service.explorer.revisions import ExploredStore

        return ExploredStore(self)

    def check(self) -> None:
        """See that the store answers."""
        self.store.state()

    def submitted(self, body: bytes) -> Sequence[Submitted]:
        """The documents in a body, which is often the same as before."""
        key = sha256(body).digest()
        found: Sequence[Submitted] | None = self.submissions.find(key)
        if found is None:
            found = documents_of(body, self.session)
            if not any(document.encrypted for document in found):
                self.submissions.keep(key, found, 4096 + 16 * len(body))
        return found

    def to_render(self, revision: int) -> list[Placed]:
        """The documents that are rendered for a revision."""
        return self.with_policy(self.store.documents(revision))

    def with_policy(self, placed: list[Placed]) -> list[Placed]:
        """Documents to render: with the newest LayeringPolicy of all if they have none."""
        if any(each.content.schema.startswith(LAYERING_POLICY) for each in placed):
            return placed
        policy = self.store.newest_policy()
        return placed if policy is None else [*placed, policy]


def number_of(text: str) -> int:
    """The revision that a text names."""
    found = int(text) if _INTEGER.fullmatch(text) else 0
    if found < 1:
        raise RevisionNotFound(text)
    return found
