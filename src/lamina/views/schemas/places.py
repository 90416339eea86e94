"""What `lamina where`, `find` and `targets` say of places and targets, and `store revisions` of a store."""

from typing import Annotated, Any, TypedDict

from lamina.origins import OriginData
from lamina.views.schemas.parts import Natural, Version, words

_VERDICTS = ("wins", "merged", "overridden", "ignored", "steers")


class LineUseData(TypedDict):
    """A use of a line, with the targets it is in."""

    path: str
    """The path in the result."""
    output: str | None
    """The document or node the path is in, if a target has several."""
    verdict: Annotated[str, words(_VERDICTS)]
    by: OriginData | None
    """The location of the line that overrides it."""
    targets: list[str]


class WhereData(TypedDict):
    """What a line of a file decides."""

    version: Version
    file: str
    """The file, from the root of the project."""
    line: Natural
    column: int | None
    uses: list[LineUseData]
    """What the line decides, each use once with its targets; empty if no value comes from it."""
    chosen_by: list[str]
    """The targets that read the file although no value comes from it: it may select what is merged."""


class FoundPlaceData(TypedDict):
    """A place that sets the value or key."""

    output: str | None
    """The document or node that the path is in, where a target has several."""
    path: str
    value: Any
    """What is set there."""
    at: OriginData | None
    """Where it is set."""
    counts: bool
    """Whether the result has it: the verdict is wins, merged or computed."""
    verdict: Annotated[str, words((*_VERDICTS, "computed"))]
    """Whether the value there comes from this line alone, others add to it, another line won over it, or nothing of it
    is in the result; steers: it is a mark that removes something; computed: the result has it, made from this line,
    which has something else."""
    targets: list[str]


class FindData(TypedDict):
    """Where a value or a key is set, over all targets."""

    version: Version
    text: str
    """What was looked for."""
    places: list[FoundPlaceData]


class TargetLayerData(TypedDict):
    """A layer of a target."""

    entry: str
    """The entry of the hierarchy, as it is written there."""
    path: str
    """What the entry stands for in this target."""
    file: str | None
    """The file that is there, if there is one."""
    exists: bool


class TargetData(TypedDict):
    """A target, and the layers it is made of."""

    name: str
    dialect: str
    origin: OriginData | None
    """Where it is declared."""
    layers: list[TargetLayerData]


class TargetsData(TypedDict):
    """The targets, and the layers each is made of."""

    version: Version
    targets: list[TargetData]
