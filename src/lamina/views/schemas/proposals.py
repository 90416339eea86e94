"""What `lamina set` proposes."""

from typing import Literal, TypedDict

from lamina.views.schemas.parts import Natural, Version


class EditPlaceData(TypedDict):
    """Where an edit is made; line and column are 0 where a member is added to a file as a whole."""

    action: Literal["change", "add", "remove", "create", "document"]
    source: str
    line: Natural
    column: Natural


class ProposalData(TypedDict):
    """Edits, and what they come to."""

    places: list[EditPlaceData]
    reason: str
    """Why these edits, in a few words."""
    patch: str
    """The edits as a unified diff, with paths from the root of the project."""
    reached: list[str]
    """The targets in which the value is then as it is wanted, and nothing else differs."""
    missed: list[str]
    """The targets in which it is not, or in which something else differs, too."""
    others: list[str]
    """Targets that were not meant, and change."""


class RefusedData(TypedDict):
    """A place that cannot be edited."""

    place: str
    reason: str


class SetData(TypedDict):
    """The edits that make a value what is wanted."""

    version: Version
    done: bool
    """Whether the value is as it is wanted already."""
    why: str
    """If there is no proposal: what is known of the value that prevents it, with the line it is about."""
    proposals: list[ProposalData]
    """What does exactly what is wanted: one at most."""
    closest: list[ProposalData]
    """If there is none: what comes closest."""
    refused: list[RefusedData]
