"""What `lamina set` proposes."""

from typing import Literal, TypedDict

from lamina.origins import OriginData
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
    reached: list[str]
    """The targets in which the value is then as it is wanted, and nothing else differs."""
    missed: list[str]
    """The targets in which it is not, or in which something else differs, too."""
    others: list[str]
    """Targets that were not meant, and change."""


class RefusedData(TypedDict):
    """A place where an edit does not do."""

    place: str
    reason: str


class GoalData(TypedDict):
    """A value that is to be another one, and the edits that make it so."""

    path: str
    targets: list[str]
    """The targets in which it is to be so."""
    done: bool
    """Whether it is so already."""
    why: str
    """If there is no proposal: what is known of the value that prevents it, with the line it is about."""
    proposals: list[ProposalData]
    """What does exactly what is wanted: one at most."""
    closest: list[ProposalData]
    """If there is none: what comes closest."""
    refused: list[RefusedData]
    """Places that were tried before."""


class SetData(TypedDict):
    """The edits that make values what is wanted, each with those before it made."""

    version: Version
    goals: list[GoalData]
    patch: str
    """All edits as a unified diff, with paths from the root of the project; empty if one of the goals has none."""


class MoveData(TypedDict):
    """The edits that write a value in other files, which change no result."""

    version: Version
    added: list[str]
    """The files that get it, as paths from the root of the project."""
    removed: list[OriginData]
    """Where it goes."""
    checked: Natural
    """How many targets read one of the files; the result of each stays the same."""
    patch: str
