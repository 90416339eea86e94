"""Patterns: the many targets of one entry of a project file.

`each` creates a target for every file or folder that a path pattern matches, `nodes` for every node that the dialect
finds in a folder, `manifest` for every row of a fleet manifest. The targets depend on the files, so a pattern is
expanded for a view.
"""

from __future__ import annotations

import re
from dataclasses import replace
from posixpath import basename, dirname, join, normpath
from typing import TYPE_CHECKING

from lamina.dialects import registry as dialects
from lamina.errors import Diagnostic, InputError, UsageError
from lamina.project.file_view import leads_out
from lamina.project.target import Target, declared_target, guess_of, target_named
from lamina.sources.inputs import Inputs, allowed_folders, outside_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.origins import Origin
    from lamina.project.declared import DeclaredTargets
    from lamina.project.file_view import FileView
    from lamina.sources.inputs import Folder

_FIELD = re.compile(r"\{([a-z0-9]+)\}")


def expanded(declared: DeclaredTargets, view: FileView) -> Iterator[Target]:
    """The targets of an entry, in a view."""
    if declared.each is not None:
        return _of_paths(declared, declared.each, view)
    if declared.nodes is not None:
        return _of_nodes(declared, declared.nodes, view)
    if declared.manifest is not None:
        return _of_manifest(declared, declared.manifest, view)
    return iter([declared_target(declared, view)])


def _of_paths(declared: DeclaredTargets, pattern: str, view: FileView) -> Iterator[Target]:
    """A target for each path that the pattern matches."""
    stars = _stars(pattern)
    for path in view.matches(pattern):
        match = stars.fullmatch(path)
        found = {str(at): text for at, text in enumerate(match.groups() if match else (), start=1)}
        fields = {"path": path, "name": basename(path).partition(".")[0] or basename(path), **found}
        inputs = tuple(_filled(text, fields, declared.place("inputs", at)) for at, text in enumerate(declared.inputs))
        yield target_named(declared, _filled(declared.name or "{name}", fields, declared.place("name")), inputs)


def _stars(pattern: str) -> re.Pattern[str]:
    """A pattern of paths, with what each star matches as a group."""
    pieces = {"**": "(.*)", "*": "([^/]*)", "?": "([^/])"}
    return re.compile("".join(pieces.get(part) or re.escape(part) for part in re.split(r"(\*\*|\*|\?)", pattern)))


def _filled(text: str, fields: dict[str, str], at: Origin) -> str:
    """A string with the names in braces replaced."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in fields:
            known = ", ".join(fields)
            raise InputError(
                Diagnostic(
                    code="bad-project",
                    message=f"nothing is known as {match[0]} here",
                    at=at,
                    hint=f"known in braces: {known}; a number is what the star of that number matched",
                )
            )
        return fields[match[1]]

    return _FIELD.sub(value, text)


def _of_nodes(declared: DeclaredTargets, folder: str, view: FileView) -> Iterator[Target]:
    """A target for each node that the dialect finds in a folder."""
    chosen = declared.passed or dialects.find(declared.dialect or "")
    from lamina.protocol.extensions import fleet_of

    fleet = fleet_of(chosen)
    if fleet is None:
        raise UsageError(
            Diagnostic(
                code="no-fleet-in-folder",
                message=f"{chosen.name} does not define nodes for a folder",
                at=declared.place("nodes"),
                hint="use each = a pattern of paths instead",
            )
        )
    own = _folder_at(folder, declared.place("nodes"), view)
    if own is None:
        return
    repositories = enumerate(declared.repositories)
    further = [_folder_at(path, declared.place("repositories", at), view) for at, path in repositories]
    inputs = replace(own, items=(*own.items, *(item for each in further if each for item in each.items)))
    options = dialects.make_options(chosen, declared.options)
    at, place, naming = declared.place(), declared.place("nodes"), declared.place("name")  # once for all nodes
    for node in fleet.nodes(inputs, options):
        paths = tuple(normpath(join(folder, path)) for path in node.inputs) or (folder,)
        yield Target(
            name=_filled(declared.name or "{name}", {"name": node.name}, naming),
            dialect=chosen.name,
            passed=declared.passed,
            inputs=paths,
            options={**declared.options, **node.options},
            common=declared.options if node.options and paths == (folder,) else None,
            at=at,
            input_origins=tuple(place for _ in paths),
            guess=guess_of(declared, node.name),
            problem=node.problem,
        )


def folder_of_nodes(declared: DeclaredTargets) -> Target | None:
    """The folder in which an entry looks for nodes, as one target; None if it does not look for nodes."""
    if declared.nodes is None or declared.dialect is None:
        return None
    return Target(
        name=declared.nodes,
        dialect=declared.dialect,
        inputs=(declared.nodes,),
        options=declared.options,
        at=declared.place(),
        input_origins=(declared.place("nodes"),),
    )


def _folder_at(path: str, place: Origin, view: FileView) -> Inputs | None:
    """A folder of nodes, named by its path: that is the name of a node that is the only one of it."""
    inputs = view.inputs((path,), [place])
    if inputs is None:
        return None
    if not inputs.folders:
        hint = "name the folder it is in"
        raise InputError(Diagnostic(code="bad-project", message=f"{path} is a file, not a folder", at=place, hint=hint))
    items: list[Folder] = [replace(item, name=path or item.name) for item in inputs.folders]
    return replace(inputs, items=(*inputs.sources, *items))


def _of_manifest(declared: DeclaredTargets, path: str, view: FileView) -> Iterator[Target]:
    """A target for each row of a manifest; its inputs start at the folder of the manifest."""
    source = view.read(path)
    if source is None:
        if view.complete:
            hint = "manifest is the path of a fleet manifest, from the folder of the project"
            message = f"there is no file {path}"
            raise InputError(Diagnostic(code="missing-file", message=message, at=declared.place("manifest"), hint=hint))
        return
    from lamina.project.manifest import manifest_fleet

    folder = dirname(path)
    fleet = manifest_fleet(
        source,
        view.prefix + path,
        declared.dialect,
        allowed_folders(declared.allowed),
        view.run,
        view.below(folder).read,
    )
    for node in fleet.nodes():
        name = _filled(declared.name or "{name}", {"name": node.name}, declared.place("name"))
        yield Target(
            name=name,
            dialect=fleet.dialect,
            inputs=tuple(_from_root(folder, each, source.name, view) for each in node.inputs),
            options={**fleet.options, **node.options, **declared.options},
            at=declared.place(),
            guess=guess_of(declared, name),
        )


def _from_root(folder: str, path: str, manifest: str, view: FileView) -> str:
    """A path of a manifest from the root of the project."""
    joined = normpath(join(folder, path))
    if leads_out(joined):
        (finding,) = outside_folder(path, view.prefix).diagnostics
        raise InputError(replace(finding, message=f"{manifest}: {finding.message}"))
    return joined
