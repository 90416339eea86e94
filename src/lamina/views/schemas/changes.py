"""What `lamina diff`, `lamina store push --dry-run` and `lamina.Impact` say of changes."""

from typing import Annotated, Literal, TypedDict

from lamina.origins import OriginData
from lamina.views.diff.change import ChangeKind, How
from lamina.views.schemas.parts import Natural, PlainValue, SeverityWord, Version, words


class CauseData(TypedDict):
    """A location that caused a change."""

    how: Annotated[str, words(each.value for each in How)]
    origin: OriginData | None
    layer: str | None
    rule: str | None
    """The rule by which values are merged, or the error that keeps a file from being used."""


class ChangeSides(TypedDict, total=False):
    """Both sides of a change; a side without the value has none of its members."""

    secret: Literal[True]
    """The values are secret, and omitted."""
    before_path: str
    before: PlainValue
    after_path: str
    after: PlainValue


class ChangedValue(ChangeSides):
    """What a change of one output and a change of several targets have in common."""

    kind: Annotated[str, words(each.value for each in ChangeKind)]
    path: str
    causes: list[CauseData]


class OutputChangeData(ChangedValue):
    """A change in one output."""

    output: str | None
    """The output, such as a document, where a result has several."""


class ChangeData(ChangedValue):
    """A change, with the targets it is in."""

    outputs: list[str]
    """The outputs of the targets it is in, such as documents; none if there is only one, or if a whole target was
    added or removed."""
    targets: list[str]
    """The targets the change is in."""


class FailureReason(TypedDict):
    """What one side could not render, and so is not compared."""

    within: str | None
    """The part that failed; null for the whole."""
    side: Literal["before", "after"] | None
    """The side that failed, unless the message says it."""
    code: str
    message: str
    origin: OriginData | None


class OutputFailureData(FailureReason):
    """What one side could not render, with the outputs it is in."""

    outputs: list[str]


class FailureData(FailureReason):
    """What one side could not render, with the targets it is in."""

    targets: list[str]


class IdleEditData(TypedDict):
    """An edited line that changes no result."""

    origin: OriginData
    gone: bool
    """Whether it is a line of the side before."""
    replaced_at: OriginData | None
    """The line that replaces what it says, if it is known."""


class DiffData(TypedDict):
    """Each change once, with the targets it is in."""

    version: Version
    targets: list[str]
    """The targets of both sides that were compared."""
    changes: list[ChangeData]
    failed: list[str]
    """The targets of which something could not be compared; `failures` has the reasons."""
    failures: list[FailureData]
    """What one side could not render, and so is not compared; it was neither added nor removed."""
    without_effect: list[IdleEditData]
    """Edited lines that change no result; not all need to be listed."""


class ChangeGroupData(TypedDict):
    """Changes that are the same in several outputs."""

    path: str
    outputs: list[str]
    changes: list[Natural]
    """Their positions in `changes`."""


class StoreImpactData(TypedDict):
    """What documents would change in the rendered ones; also what `Differences.to_json()` gives."""

    version: Version
    dialect: str
    outputs: Natural
    """How many outputs both sides have."""
    changes: list[OutputChangeData]
    groups: list[ChangeGroupData]
    failures: list[OutputFailureData]
    """What one side could not render, and so is not compared; it was neither added nor removed."""
    without_effect: list[IdleEditData]
    """Edited lines that change no result; not all need to be listed."""


class ImpactFindingData(TypedDict):
    """A note or an error that is new, or gone, with its targets."""

    code: str
    severity: SeverityWord
    message: str
    at: OriginData | None
    targets: list[str]


class ImpactData(TypedDict):
    """What an update of a workspace changed."""

    version: Version
    files: list[str]
    """The files that changed, as paths from the root."""
    targets: list[str]
    """The targets whose result, notes or error changed."""
    changes: list[ChangeData]
    findings: list[ImpactFindingData]
    """What is found now and was not before."""
    resolved: list[ImpactFindingData]
    """What was found before and is not now."""
