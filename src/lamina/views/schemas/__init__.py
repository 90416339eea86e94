"""The forms of what Lamina prints as JSON, and of project files; version 1 of each.

Each is declared once, as types in the modules here: they are what the functions return that make the data, and JSON
Schemas and the pages of the manual are made from them. The types are only for the type checker, so that declaring
them costs no time at start. What a version describes stays so: members may be added to an output only with a new
version of its form.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final, NamedTuple

from lamina.errors import UsageError
from lamina.protocol.dialect import unknown


class NamedForm(NamedTuple):
    """A form that has a name: what it is for, and the type that declares it."""

    title: str
    about: str
    type: str
    """The module here and the name of the type in it; empty where there may be any value."""
    one_of: tuple[str, ...] = ()
    """Members of which one must be there."""


FORMS: Final = {
    "diff": NamedForm(
        "lamina diff",
        "What lamina diff --format json prints: each change once, with the targets it is in.",
        "changes:DiffData",
    ),
    "explain": NamedForm(
        "lamina explain",
        "What lamina explain --format json prints: the history of one path or of all, in each target that has it.",
        "explanations:ExplainData",
    ),
    "explain-key": NamedForm(
        "lamina explain KEY --all",
        "What lamina explain KEY --all --format json prints in a project or a folder with nodes: "
        "the values of a key over all targets.",
        "explanations:ExplainKeyData",
    ),
    "explore-changes": NamedForm(
        "lamina explore: /explore/compare and /explore/what-if",
        "What differs between two targets, or what another value would change; secrets are left out.",
        "explorer:ExploreChangesData",
    ),
    "explore-outputs": NamedForm(
        "lamina explore: /explore/outputs", "The outputs of a target.", "explorer:ExploreOutputsData"
    ),
    "explore-search": NamedForm(
        "lamina explore: /explore/search",
        "Values by words in their path, their text or the name of their output.",
        "explorer:ExploreSearchData",
    ),
    "explore-stack": NamedForm(
        "lamina explore: /explore/stack",
        "A value with every layer that sets it; secrets are left out.",
        "explorer:ExploreStackData",
    ),
    "explore-targets": NamedForm(
        "lamina explore: /explore/targets", "What there is to look at.", "explorer:ExploreTargetsData"
    ),
    "explore-tree": NamedForm(
        "lamina explore: /explore/tree",
        "An output as a tree of values with their places; secrets are left out.",
        "explorer:ExploreTreeData",
    ),
    "find": NamedForm(
        "lamina find",
        "What lamina find --format json prints: where a value or a key is set, over all targets.",
        "places:FindData",
    ),
    "impact": NamedForm(
        "lamina.Impact",
        "What as_data() of an Impact returns: what an update of a workspace changed.",
        "changes:ImpactData",
    ),
    "lint": NamedForm(
        "lamina lint",
        "What lamina lint --format json prints: each finding once, with the targets it applies to.",
        "findings:LintData",
    ),
    "plan": NamedForm(
        "lamina plan",
        "What lamina plan --format json prints: the steps of each target, stage by stage, "
        "or with --boot what a boot does.",
        "explanations:PlanData",
    ),
    "project": NamedForm(
        "lamina.toml",
        "The project file, lamina.toml, or [tool.lamina] in pyproject.toml: the targets of a repository.",
        "project_file:ProjectTable",
        one_of=("targets", "patterns"),
    ),
    "render": NamedForm(
        "lamina render",
        "What lamina render --format json prints: of one target the merged result, which may be any value; "
        "of several an object with the result of each.",
        "",
    ),
    "store-impact": NamedForm(
        "lamina store push --dry-run",
        "What lamina store push --dry-run --format json prints, and a server answers: "
        "what documents would change in the rendered ones. Differences.to_json() has it, too.",
        "changes:StoreImpactData",
    ),
    "move": NamedForm(
        "lamina move",
        "What lamina move --format json prints: the edits that write a value in other files.",
        "proposals:MoveData",
    ),
    "set": NamedForm(
        "lamina set",
        "What lamina set --format json prints: the edits that make a value what is wanted.",
        "proposals:SetData",
    ),
    "targets": NamedForm(
        "lamina targets",
        "What lamina targets --format json prints: the targets, and the layers each is made of.",
        "places:TargetsData",
    ),
    "where": NamedForm(
        "lamina where", "What lamina where --format json prints: what a line of a file decides.", "places:WhereData"
    ),
}
"""All forms by name."""


def names() -> list[str]:
    """The outputs that have a schema."""
    return sorted(FORMS)


def schema_of(name: str) -> dict[str, Any]:
    """The schema of an output."""
    from lamina.views.schemas.json_schema import schema_of_type

    if name not in FORMS:
        raise UsageError(unknown("schema", name, names()))
    form = FORMS[name]
    module, _, kind = form.type.partition(":")
    members = schema_of_type(getattr(import_module(f"{__name__}.{module}"), kind)) if form.type else {}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:lamina:schema:{name}:1",
        "title": form.title,
        **members,
        "description": form.about,
        **({"anyOf": [{"required": [member]} for member in form.one_of]} if form.one_of else {}),
    }


def text_of(name: str) -> str:
    """The schema of an output, as JSON text."""
    import json

    return json.dumps(schema_of(name), indent=2, ensure_ascii=False) + "\n"
