"""Chart.yaml and requirements.yaml: typed fields, read as Go reads JSON into a struct.

Names of fields are compared without case, unknown ones ignored. A number or boolean where a text belongs is taken as
text. requirements.yaml is read over Chart.yaml: entry by entry of the dependencies, and field by field of each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.helm import messages
from lamina.dialects.helm.versions import version_of
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ALIAS: Final = re.compile(r"[a-zA-Z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Dependency:
    """An entry of the dependencies, and where it is written."""

    name: str
    version: str
    condition: str
    tags: tuple[str, ...]
    imports: tuple[Any, ...]
    alias: str
    origin: lp.Origin | None


@dataclass(frozen=True, slots=True)
class Metadata:
    """What Lamina has to know of a Chart.yaml."""

    name: str
    version: str
    is_library: bool
    is_first_version: bool
    """The apiVersion is v1, or missing: dependencies may be in requirements.yaml."""
    dependencies: tuple[Dependency, ...] | None
    """None if the field is absent or null."""
    origin: lp.Origin | None


class _BadField(Exception):
    """A field has a value of a type that does not fit; carries what was expected."""


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return lpf.go_float(value) if isinstance(value, float) else str(value)
    if isinstance(value, str):
        return "".join(" " if each.isspace() else each for each in value if each.isspace() or each.isprintable())
    raise _BadField("a string")


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _BadField("true or false")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _BadField("a list of strings")
    return tuple("" if each is None else _text(each) for each in value)


def _named_texts(value: Any) -> Any:
    if not isinstance(value, dict):
        raise _BadField("a mapping of strings")
    return {key: "" if each is None else _text(each) for key, each in value.items()}


def _people(value: Any) -> Any:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise _BadField("a list of mappings")
    return value


def _anything(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _BadField("a list")
    return tuple(value)


_ENTRY: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("name", "version", "repository", "condition", "alias"), _text),
    "tags": _texts,
    "enabled": _flag,
    "import-values": _anything,
}
_CHART: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("name", "home", "version", "description", "icon", "apiversion", "condition", "tags"), _text),
    **dict.fromkeys(("appversion", "kubeversion", "type"), _text),
    **dict.fromkeys(("sources", "keywords"), _texts),
    "annotations": _named_texts,
    "deprecated": _flag,
    "maintainers": _people,
}


def read_metadata(source: lp.Source, requirements: lp.Source | None, run: lp.Run) -> Metadata:
    """The metadata of a chart; what is wrong with it is an error."""
    fields: dict[str, Any] = {}
    entries: list[dict[str, Any]] | None = None
    for each in (source, requirements):
        if each is not None:
            entries = _read_over(fields, entries, each, run)
    found = _checked(fields, entries, source)
    _check_names(found)
    return found


def _read_over(
    fields: dict[str, Any], entries: list[dict[str, Any]] | None, source: lp.Source, run: lp.Run
) -> list[dict[str, Any]] | None:
    """Read a file over what is known; returns the entries of the dependencies afterwards."""
    try:
        document = lpf.read_go_yaml(source, run)
    except lp.InputError as error:
        raise lp.Reject(*(_unfit(each.at, each.message, each.hint) for each in error.diagnostics)) from None
    root = document.root(source.name)
    if document.value is None:
        return entries
    if not isinstance(document.value, dict):
        raise lp.Reject(_unfit(root.origin(), f"{source.name} must be a mapping, not {lp.word_for(document.value)}"))
    listed: lp.Node | None = None
    for key in sorted(document.value):
        if key.lower() == "dependencies":
            listed = root.child(key)
    _take(fields, root, _CHART)
    if listed is None or listed.value is None:
        return entries if listed is None else None
    if not isinstance(listed.value, list):
        raise lp.Reject(_unfit(listed.origin(), "dependencies must be a list"))
    return [_entry(listed.child(at), (entries or [])[at : at + 1]) for at in range(len(listed.value))]


def _entry(node: lp.Node, under: list[dict[str, Any]]) -> dict[str, Any]:
    """A dependency, read over the one that is there already."""
    if not isinstance(node.value, dict):
        raise lp.Reject(_unfit(node.origin(), f"a dependency must be a mapping, not {lp.word_for(node.value)}"))
    found = dict(under[0]) if under else {}
    _take(found, node, _ENTRY)
    found["origin"] = node.origin()
    return found


def _take(into: dict[str, Any], node: lp.Node, known: Mapping[str, Callable[[Any], Any]]) -> None:
    """Read the known fields of a mapping; null leaves a text as it is."""
    for key in sorted(node.value):
        field, value = key.lower(), node.value[key]
        if field not in known:
            continue
        if value is None:
            if known[field] is not _text:
                into.pop(field, None)
            continue
        try:
            into[field] = known[field](value)
        except _BadField as wanted:
            at = node.child(key).origin()
            raise lp.Reject(_unfit(at, f"{key} must be {wanted}, not {lp.word_for(value)}")) from None


def _checked(fields: dict[str, Any], entries: list[dict[str, Any]] | None, source: lp.Source) -> Metadata:
    name, version, kind = fields.get("name", ""), fields.get("version", ""), fields.get("type", "")
    start = source.locate(0, 0)
    if not name:
        raise lp.Reject(_unfit(start, "the chart has no name", "add name: and a version to Chart.yaml"))
    if "/" in name:
        raise lp.Reject(_unfit(start, f"the name of the chart, {name}, has a slash in it", "take it out"))
    if version_of(version) is None:
        what = f"the version of the chart, {version!r}, is none" if version else "the chart has no version"
        raise lp.Reject(_unfit(start, what, "write version: 1.2.3"))
    if kind not in ("", "application", "library"):
        raise lp.Reject(_unfit(start, f"the type of the chart is {kind}", "write application or library, or no type"))
    dependencies = None if entries is None else tuple(map(_dependency, entries))
    is_first = fields.get("apiversion", "") in ("", "v1")
    return Metadata(name, version, kind == "library", is_first, dependencies, start)


def _dependency(fields: dict[str, Any]) -> Dependency:
    return Dependency(
        name=fields.get("name", ""),
        version=fields.get("version", ""),
        condition=fields.get("condition", ""),
        tags=fields.get("tags", ()),
        imports=fields.get("import-values", ()),
        alias=fields.get("alias", ""),
        origin=fields["origin"],
    )


def _check_names(metadata: Metadata) -> None:
    """Names and aliases are given once, and an alias has no odd characters."""
    seen: set[str] = set()
    for each in metadata.dependencies or ():
        if each.alias and _ALIAS.fullmatch(each.alias) is None:
            hint = "use letters, digits, _ and -"
            raise lp.Reject(_unfit(each.origin, f"the alias {each.alias!r} has characters that are not allowed", hint))
        name = each.alias or each.name
        if name in seen:
            message = f"two dependencies have the name or alias {name!r}"
            raise lp.Reject(_unfit(each.origin, message, "give one of them an alias"))
        seen.add(name)


def _unfit(at: lp.Origin | None, message: str, hint: str | None = None) -> lp.Diagnostic:
    return messages.UNFIT_METADATA.at(at, problem=message, hint=hint or messages.FIELDS_OF_CHART)
