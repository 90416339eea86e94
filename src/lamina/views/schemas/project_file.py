"""What people write into `lamina.toml`, or into `[tool.lamina]` of `pyproject.toml`."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from lamina.views.schemas.parts import Name, SeverityWord

_Path = Annotated[Name, {"description": "A path from the folder of the project file; it must not point outside."}]
_Dialect = Annotated[Name, {"description": "The system the inputs are for."}]
_Options = Annotated[
    dict[str, Any],
    {
        "description": "Options of the dialect, by their names in the API; dashes and underscores are equivalent. "
        "Options that lift a protection are rejected."
    },
]
_Guessed = Annotated[
    bool,
    {
        "description": "True where lamina init assumed what is merged in which order. No fix that follows from it is "
        "offered or applied until it is removed."
    },
]
_TargetNames = Annotated[
    Name, {"description": "The names of the targets; {name} is the name of the path, node or manifest entry."}
]


class TargetTable(TypedDict):
    """A target."""

    dialect: _Dialect
    inputs: Annotated[list[_Path], {"minItems": 1}]
    """Files and folders, in the order they are merged."""
    options: NotRequired[_Options]
    guessed: NotRequired[_Guessed]


class PathPatternTable(TypedDict):
    """A target for each path that a pattern matches."""

    dialect: _Dialect
    each: Name
    """A pattern of paths such as site/*: a target for each file or folder it matches."""
    name: NotRequired[_TargetNames]
    inputs: list[_Path]
    """The inputs of a target; {path}, {name} and {1}, {2} for the stars are filled in."""
    options: NotRequired[_Options]
    guessed: NotRequired[_Guessed]


class NodePatternTable(TypedDict):
    """A target for each node that the dialect finds in a folder."""

    dialect: _Dialect
    nodes: Name
    """The folder."""
    repositories: NotRequired[list[_Path]]
    """Further folders whose files the nodes are made from as well, such as the repository with the global layer of
    Deckhand sites."""
    name: NotRequired[_TargetNames]
    options: NotRequired[_Options]
    guessed: NotRequired[_Guessed]


class ManifestPatternTable(TypedDict):
    """A target for each node of a fleet manifest."""

    dialect: NotRequired[_Dialect]
    manifest: Name
    """The manifest."""
    name: NotRequired[_TargetNames]
    options: NotRequired[_Options]
    guessed: NotRequired[_Guessed]


LintTable = TypedDict(
    "LintTable",
    {
        "select": Annotated[list[Name], {"description": "Show only these codes, or codes with these prefixes."}],
        "ignore": Annotated[list[Name], {"description": "Hide these codes, or codes with these prefixes."}],
        "fail-on": Annotated[
            Literal["error", "warning", "info", "never"],
            {"description": "The lowest severity for which the exit status is 1."},
        ],
        "severity": Annotated[dict[str, SeverityWord], {"description": "Severities by code, instead of the defaults."}],
        "baseline": Annotated[
            Name, {"description": "The file with known findings, written by lamina lint --write-baseline."}
        ],
    },
    total=False,
)
"""How the targets are linted."""


class ProjectTable(TypedDict, total=False):
    """The targets of a repository."""

    ignore: list[_Path]
    """Patterns of files and folders to ignore when a folder is listed."""
    lint: LintTable
    """How the targets are linted."""
    targets: dict[str, TargetTable]
    """Targets by name."""
    patterns: dict[str, PathPatternTable | NodePatternTable | ManifestPatternTable]
    """Patterns that define many targets, by name."""
