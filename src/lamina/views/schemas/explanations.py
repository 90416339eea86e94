"""What `lamina explain` and `lamina plan` say of targets."""

from typing import Any, NotRequired, TypedDict

from lamina.origins import OriginData
from lamina.views.schemas.parts import PlainValue, Version


class DirectiveData(TypedDict):
    """The line or default that decided."""

    text: str
    origin: OriginData | None


class LossData(TypedDict):
    """A member or item that a layer took away, or that was kept out."""

    verdict: str
    key: str | int | float | bool | None
    value: PlainValue
    origin: OriginData | None
    layer: str | None
    by: OriginData | None


class EventData(TypedDict):
    """What a layer set, and what happened to it."""

    verdict: str
    path: str
    value: PlainValue
    result: PlainValue
    """The value at the path afterwards."""
    origin: OriginData | None
    layer: str | None
    directive: DirectiveData | None
    output: str | None
    step: int | None
    """The number of the step in the plan."""
    by: OriginData | None
    """The line that knocked it out."""
    reads: list[OriginData]
    """What was read to compute it."""
    lost: list[LossData]


class HistoryData(TypedDict):
    """The layers that set a value, in order."""

    output: str | None
    """The document or node that the path is in, where a result has several."""
    path: str
    present: bool
    """Whether the result has a value there."""
    value: PlainValue
    origins: list[OriginData]
    """Every location the content of the value comes from."""
    events: list[EventData]
    hints: list[str]


class ExplainedTargetData(TypedDict):
    """What is explained in a target."""

    name: str
    dialect: str
    explained: list[HistoryData]
    background: NotRequired[Any]
    """Further explanation of the value, specific to the system."""


class ExplainData(TypedDict):
    """The history of one path or of all, in each target that has it."""

    version: Version
    targets: list[ExplainedTargetData]


class SettersData(TypedDict):
    """The places that set a value in some targets."""

    places: list[OriginData]
    """Where its content comes from."""
    targets: list[str]
    """The targets in which it comes from there."""


class KeyValueData(TypedDict):
    """A value that the key has, and in which targets."""

    value: Any
    targets: list[str]
    """The targets that have it."""
    set_by: list[SettersData]
    """The places that set it; different ones in different targets."""


class ExplainKeyData(TypedDict):
    """The values of a key over all targets."""

    version: Version
    path: str
    values: list[KeyValueData]
    absent: list[str]
    """The targets in which no layer sets it."""


class FailedStepData(TypedDict):
    """Why a step fails."""

    code: str
    message: str


class StepData(TypedDict):
    """A step: what is merged where, and the line that caused it."""

    kind: str
    subject: str | None
    source: str | None
    origin: OriginData | None
    directive: DirectiveData
    path: str | None
    policy: NotRequired[str]
    refused: NotRequired[FailedStepData]


class OutputData(TypedDict):
    """An output of a stage, and its steps in order."""

    name: str
    hidden: bool
    """Whether it is not part of the result."""
    steps: list[StepData]


class StageData(TypedDict):
    """Outputs that are merged together."""

    title: str
    outputs: list[OutputData]


class PlannedTargetData(TypedDict):
    """The steps of a target, stage by stage."""

    name: str
    dialect: str
    stages: list[StageData]
    views: NotRequired[dict[str, Any]]
    """What the system shows beyond the steps, by the name of its view."""


class BootActionData(TypedDict):
    """Something a boot does."""

    stage: str
    module: str
    frequency: str
    what: str
    bytes: int | None
    origin: str | None
    """FILE:LINE:COLUMN, if a line in the input causes it."""


class BootedTargetData(TypedDict):
    """With `--boot`: what a boot does, in order."""

    name: str
    dialect: str
    boot: list[BootActionData]


class PlanData(TypedDict):
    """The steps of each target, or what a boot does."""

    version: Version
    targets: list[PlannedTargetData | BootedTargetData]
