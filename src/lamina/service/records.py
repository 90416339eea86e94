"""What a store gives back: contents of documents, documents in their place in a revision, and revisions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row


class Content:
    """The content of a document: its metadata and its data, or a reference in place of the data of a secret one."""

    def __init__(self, row: Row[*tuple[Any, ...]], epoch: int) -> None:
        self.epoch = epoch
        self.number: int = row.id
        self.identity: int = row.identity
        """The number of the document it belongs to, in the order they first appeared."""
        self.schema: str = row.schema
        self.layer: str | None = row.layer
        self.name: str = row.name
        self.metadata_json: str = row.metadata
        self.data_json: str = row.data
        self.data_hash: bytes = row.data_hash
        self.metadata_hash: bytes = row.metadata_hash
        self.secret: str | None = row.secret
        """The id of what its data is, if that is stored encrypted."""

        self.text: tuple[str, str] | None = None
        """Its data, and its metadata and schema, as YAML, once they were written."""

    @cached_property
    def metadata(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.metadata_json)
        return found

    @cached_property
    def data(self) -> Any:
        """The data as it is shown in raw documents; not to be changed."""
        return json.loads(self.data_json)

    @property
    def weight(self) -> int:
        """What it takes in memory, about, once it is read and written."""
        return 2048 + 12 * (len(self.metadata_json) + len(self.data_json))

    @property
    def title(self) -> str:
        return f"[{self.schema}, {self.layer}] {self.name}"


class Placed(NamedTuple):
    """A document of a revision."""

    number: int
    """Its id, new for each revision that writes it."""
    content: Content
    bucket: str
    revision: int
    """The first revision of the run of equal copies it belongs to."""
    written: int
    """The revision it was written in."""


@dataclass(frozen=True, slots=True)
class StoreState:
    """How far a store has come."""

    epoch: int
    """How often it was emptied."""
    revision: int
    """The newest one; 0 if there is none."""

    @property
    def generation(self) -> int:
        """A number that grows with every revision and whenever the store is emptied."""
        return (self.epoch << 32) + self.revision

    def revisions_since(self, earlier: StoreState | None) -> range:
        """The revisions that an earlier state did not have."""
        known = earlier.revision if earlier is not None and earlier.epoch == self.epoch else 0
        return range(known + 1, self.revision + 1)


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision as it is listed."""

    number: int
    created: str
    buckets: Sequence[str]
    """The buckets that were written in it."""
    tags: dict[str, Any]
    validation_policies: Sequence[Content] = ()
    """The ValidationPolicy documents that were written or removed in it."""
    author: str | None = None
    """Who made it, as far as that is known."""
    message: str | None = None
    """What they said about it."""


@dataclass(frozen=True, slots=True)
class Validation:
    """A result of a validation that was posted for a revision."""

    name: str
    status: str
    validator: Any
    errors: Any
