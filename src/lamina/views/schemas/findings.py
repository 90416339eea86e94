"""What `lamina lint` says."""

from typing import Annotated, NotRequired, TypedDict

from lamina.origins import OriginData
from lamina.views.schemas.parts import Counted, Natural, SeverityWord, Version


class RelatedData(TypedDict):
    """Another place that a finding is about."""

    message: str
    at: OriginData


class TextPlaceData(TypedDict):
    """A place in a text."""

    line: Counted
    column: Counted


class FixData(TypedDict):
    """The edit that removes the finding: what is from start up to, but without, end is replaced by text.

    Not yet checked, as `lamina lint --fix` does.
    """

    title: str
    source: str
    start: TextPlaceData
    end: TextPlaceData
    text: str


class FindingData(TypedDict):
    """A finding, with the targets it applies to."""

    code: str
    severity: SeverityWord
    message: str
    at: OriginData | None
    path: str | None
    related: list[RelatedData]
    hint: str | None
    subject: str | None
    """The document or node it is about, where a result has several."""
    consequences: list[str]
    """What fails because of this: documents or nodes, which are not listed by themselves."""
    targets: list[str]
    """The targets the finding applies to."""
    fix: NotRequired[FixData | None]


class LintData(TypedDict):
    """Each finding once, with the targets it applies to."""

    version: Version
    findings: list[FindingData]
    counts: Annotated[dict[SeverityWord, Natural], {"description": "How many findings there are of each severity."}]
