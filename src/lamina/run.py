"""Runs: what one call of Lamina owns, handed down from where it starts to everything that reads or builds.

`Inputs` carry the run they are used in (`inputs.run`), so every dialect gets it with them; the steps of a plan get it
with their context. Nothing else knows which session, limits or budget are in force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import READ, Budget, BudgetExceeded
from lamina.errors import Diagnostic, Reject
from lamina.session import default_session

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lamina.session import Session


class Run:
    """One call: its session, its budget, and the documents it has read so far.

    A document stays known until the run ends, even if the session is too small for it: rendering twice for a
    comparison reads once. Only the folding of a plan has a budget (`with_budget`): each file that is read has limits
    of its own, and a call may read the files of many targets. A run that has ended can still be read in.
    """

    __slots__ = ("budget", "documents", "session")

    def __init__(self, session: Session | None = None) -> None:
        self.session = session or default_session()
        self.documents: dict[Hashable, Any] | None = {}
        """What was read, by its key in the session; None once only the session keeps it."""
        self.budget: Budget | None = None

    def with_budget(self) -> Run:
        """A run that folds one plan: with a budget of its own, and the same session and documents."""
        folding = Run(self.session)
        if self.documents is not None:
            folding.documents = self.documents
        limits = self.session.limits
        folding.budget = Budget() if limits is None else Budget(size=limits.run_size)
        return folding

    def end(self) -> Run:
        """Count nothing any more, and let documents go; for what outlives the call it was made in."""
        self.documents = self.budget = None
        return self

    def charge(self, steps: int) -> None:
        """Count work that grows with the input, such as characters of strings that are built."""
        try:
            self.spend(steps)
        except BudgetExceeded as spent:
            message = f"the result takes more than {spent.what}, which is Lamina's limit"
            hint = "the usual cause is strings that are inserted into each other"
            raise Reject(Diagnostic(code="result-too-large", message=message, hint=hint)) from None

    def spend(self, steps: int = 0, read: int = 0) -> None:
        """Count steps, and nodes that were read, for callers that say themselves what is too large."""
        if self.budget is not None:
            self.budget.spend(steps, read * READ)

    def find(self, key: Hashable) -> Any:
        """The value that this run or its session has for a key; None if there is none."""
        if self.documents is None:
            return self.session.cache.find(key)
        found = self.documents.get(key)
        if found is None:
            found = self.session.cache.find(key)
            if found is not None:
                self.documents[key] = found
        return found

    def find_all(self, keys: Sequence[Hashable]) -> list[Any]:
        """The values of several keys, as `find` gives them."""
        known = self.documents
        if known is None:
            return self.session.cache.find_all(keys)
        others = [key for key in keys if key not in known] if known else keys
        if others:
            found = zip(others, self.session.cache.find_all(others), strict=True)
            known.update([pair for pair in found if pair[1] is not None])
        return [known.get(key) for key in keys]

    def keep(self, key: Hashable, value: Any, weight: int) -> None:
        """Keep a value until the run ends, and cache it in the session if it fits."""
        if self.documents is not None:
            self.documents[key] = value
        self.session.cache.keep(key, value, weight)
