"""What the explorer's server answers; secrets are left out, and all text is escaped."""

from typing import Annotated, Literal, TypedDict

from lamina.views.diff.change import ChangeKind, How
from lamina.views.report.layer_status import LayerStatus
from lamina.views.rows import KINDS
from lamina.views.schemas.parts import Natural, SeverityWord, Version, words


class PlaceData(TypedDict):
    """A place in a source; `part` names the piece of it, where there is one."""

    source: str
    line: Natural
    column: Natural
    part: str | None


class ExploredTargetData(TypedDict):
    """A target, or a revision of a store."""

    name: str
    about: str
    """A few words about it."""
    error: str | None
    """Why it has no result."""


class ExploreTargetsData(TypedDict):
    """What there is to look at."""

    version: Version
    lamina: str
    """The version of Lamina."""
    kind: Literal["files", "store"]
    title: str
    noun: str
    """What a target is called: target, or revision."""
    generation: int
    """A number that grows with every change; changes are reported at /explore/events."""
    targets: list[ExploredTargetData]


class ListedOutputData(TypedDict):
    """An output of a target."""

    name: str
    about: str
    """A few words about it, such as its bucket."""
    aside: str
    """Why it is not part of the result: failed, abstract or replaced; empty for what is."""
    error: str | None
    """What stopped it, if it failed; its values are those from before."""


class ExploreOutputsData(TypedDict):
    """The outputs of a target."""

    version: Version
    target: str
    dialect: str
    noun: str
    """What an output is called, such as document or node."""
    opens_at: str | None
    """The key people look at first, where the system has one."""
    outputs: list[ListedOutputData]


class RowOriginData(TypedDict):
    """A place that sets a row, and the number of its layer."""

    layer: int
    place: PlaceData | None


class RowData(TypedDict):
    """A key or an item of an output."""

    step: str
    """The key, or the position in brackets."""
    level: Natural
    kind: Annotated[str, words(KINDS)]
    """gone: some layer set it, and it was removed."""
    text: str
    opens: bool
    """Whether the rows behind it with a higher level are inside of it."""
    origins: list[RowOriginData]
    """The places that set it."""
    statuses: list[tuple[int, Annotated[str, words(each.name.lower() for each in LayerStatus)]]]
    """The status of each layer that sets something here."""


class ExploreTreeData(TypedDict):
    """An output as a tree of values with their places."""

    version: Version
    output: str
    layers: list[tuple[str, str]]
    """The name of each layer and the source it is in."""
    order: list[int]
    """The numbers of the layers, the one that wins over all others last."""
    rows: list[RowData]
    """A row for each key and item, each after what it is in."""


class StackLossData(TypedDict):
    """What a layer took away, or kept out."""

    verdict: str
    value: str
    place: PlaceData | None
    by: PlaceData | None


class StackEventData(TypedDict):
    """What a layer set."""

    verdict: str
    layer: tuple[str, str]
    """Its name and the source it is in."""
    place: PlaceData | None
    value: str | None
    scalar: bool
    """Whether the value is a single one, not a list or mapping."""
    rule: str
    rule_place: PlaceData | None
    path: str
    """Where the layer sets it, if that is another path."""
    output: str
    """Through which other output it came."""
    by: PlaceData | None
    lost: list[StackLossData]
    """What the layer took away, or kept out."""


class ExploreStackData(TypedDict):
    """A value with every layer that sets it."""

    version: Version
    output: str
    path: str
    present: bool
    """Whether the result has it."""
    value: str | None
    """The value as text."""
    origins: list[PlaceData | None]
    events: list[StackEventData]
    """What each layer set, the first one applied first."""
    hints: list[str]


class FoundValueData(TypedDict):
    """A value, with the targets that have it."""

    output: str
    path: str
    text: str
    targets: list[str]


class FoundValuesData(TypedDict):
    """The values that were found."""

    more: bool
    """Whether there may be more than are listed."""
    found: list[FoundValueData]
    """Each value once, with the targets that have it."""


class ExploreSearchData(FoundValuesData):
    """Values by words in their path, their text or the name of their output."""

    version: Version


class ChangeCauseData(TypedDict):
    """A place that caused a change."""

    how: Annotated[str, words(each.value for each in How)]
    place: PlaceData | None
    rule: str


class ShownChangeData(TypedDict):
    """A change, with all it is in."""

    kind: Annotated[str, words(each.value for each in ChangeKind)]
    whole: bool
    """Whether a whole output was added or removed."""
    path: str
    within: str
    """What it is in, inside of a target."""
    holders: list[str]
    """The outputs or targets it is in."""
    before: str | None
    """The value as text; null where there is none."""
    after: str | None
    causes: list[ChangeCauseData]


class ShownFindingData(TypedDict):
    """A finding, and what it is in."""

    code: str
    severity: SeverityWord
    message: str
    place: PlaceData | None
    targets: list[str]


class ShownChangesData(TypedDict):
    """Changes, and how many there are in all."""

    total: int
    """How many changes there are; the first ones are listed."""
    changes: list[ShownChangeData]


class ExploreChangesData(ShownChangesData):
    """What differs between two targets, or what another value would change."""

    version: Version
    targets: list[str]
    """For a what-if: the targets, or the documents of a revision, that would change."""
    findings: list[ShownFindingData]
    """What would be found then and is not now."""
    resolved: list[ShownFindingData]
    """What is found now and would not be then."""
