"""The targets a command works on, from its command line: inputs, a manifest, a folder or a project.

Whatever is named becomes a project of one or many targets. What only some kinds of projects need is imported for them:
a command that is given files pays next to nothing for the others.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lamina.cli.click_options import given_flags
from lamina.errors import Diagnostic, InputError, LaminaError, UsageError
from lamina.project.declared import GivenInputs
from lamina.project.project import Project
from lamina.protocol.dialect import command_line_defaults
from lamina.run import Run

if TYPE_CHECKING:
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.project.target import Target
    from lamina.protocol.dialect import Dialect

NO_INPUT = Diagnostic(
    code="no-input",
    message="no input given",
    hint="pass files or folders; - reads standard input; lamina init writes a project file for a repository",
)


class TargetRequest(NamedTuple):
    """What a command line says about the targets."""

    inputs: tuple[str, ...]
    wanted: tuple[str, ...]
    project: str | None
    dialect: str | None
    compat: str
    strict: bool
    allowed: tuple[str, ...]
    flags: dict[str, Any]
    jobs: int

    def options_of(self, dialect: Dialect[Any]) -> dict[str, Any]:
        """The flags as options of a dialect; one that it does not have is an error."""
        if not self.flags:
            return {}
        from lamina.cli.dialect_options import given_options

        return given_options(dialect, self.flags)

    def common(self) -> dict[str, Any]:
        """The options that every command has and dialects are told, as far as they are given."""
        compat = {} if self.compat == "program" else {"compat": self.compat}
        return {**compat, "strict": True} if self.strict else compat

    @property
    def names_inputs(self) -> bool:
        """Whether a flag names inputs."""
        if not self.flags:
            return False
        from lamina.cli.dialect_options import names_inputs

        return names_inputs(self.flags)

    def dialects(self) -> list[str]:
        """The dialects that have all flags, if there are any flags."""
        if not self.flags:
            return []
        from lamina.cli.dialect_options import dialects_with

        return dialects_with(self.flags)

    def changed(self, target: Target) -> Target:
        """A target with the options of the command line, which override its own."""
        chosen = target.system
        own = {**self.options_of(chosen), **self.common()}
        defaults = command_line_defaults(chosen)
        common = None if target.common is None else {**defaults, **target.common, **own}
        return replace(target, options={**defaults, **target.options, **own}, common=common)


def request_of(given: dict[str, Any]) -> TargetRequest:
    """What belongs to the request, taken out of the arguments of a command."""
    return TargetRequest(
        inputs=given.pop("inputs"),
        wanted=given.pop("targets"),
        project=given.pop("project"),
        dialect=given.pop("dialect"),
        compat=given.pop("compat"),
        strict=given.pop("strict"),
        allowed=given.pop("allow_path"),
        flags=given_flags(given),
        jobs=given.pop("jobs"),
    )


def selected_targets(
    given: dict[str, Any], no_input: Diagnostic = NO_INPUT, *, by_node: bool = False
) -> SelectedTargets:
    """The targets a command is to work on.

    What belongs to the request is taken out of the arguments of the command. With `by_node`, the nodes of a folder are
    targets also where the dialect renders the folder as a whole; without any input, those of the current folder are.
    """
    return selection(request_of(given), no_input, by_node=by_node)


def selection(
    request: TargetRequest, no_input: Diagnostic = NO_INPUT, *, by_node: bool = False, default: str | None = None
) -> SelectedTargets:
    """The targets that a request selects; where nothing at all names inputs, those of the `default` input."""
    project = _project_of(request, no_input, by_node=by_node or bool(request.wanted), default=default)
    return _selected(project, request)


def of_inputs(request: TargetRequest) -> SelectedTargets:
    """The inputs of a request as one target, whatever they are."""
    return _selected(_of_inputs(request), request)


def _selected(project: Project, request: TargetRequest) -> SelectedTargets:
    from lamina.cli.selected_targets import SelectedTargets

    chosen = replace(project, patterns=request.wanted, dialect=request.dialect, changed=request.changed)
    return SelectedTargets(chosen, request)


def _project_of(request: TargetRequest, no_input: Diagnostic, *, by_node: bool, default: str | None) -> Project:
    if request.inputs:
        if request.project is not None:
            raise click.UsageError("Inputs cannot be combined with --project.")
        project = _project_at(request.inputs[0], request, by_node=by_node) if len(request.inputs) == 1 else None
        if project is None and request.wanted:
            raise click.UsageError(
                "--target selects from a project, a manifest or a folder; these inputs are one target."
            )
        return project or _of_inputs(request)
    if request.wanted or request.project is not None or _is_in_project(request):
        return Project.load(request.project)
    if request.names_inputs:
        return _of_inputs(request)
    if by_node or default is not None:
        here = request._replace(inputs=(default or os.curdir,))
        return _project_at(here.inputs[0], here, by_node=by_node) or _of_inputs(here)
    if not request.flags:
        raise UsageError(no_input)
    return _of_inputs(request)


def _of_inputs(request: TargetRequest) -> Project:
    given = GivenInputs(request.inputs, request.allowed, request.dialects)
    return Project.of_inputs(given, request.dialect)


def _is_in_project(request: TargetRequest) -> bool:
    """Whether the current folder is in a project, and no option names other inputs."""
    from lamina.project import project_file

    return not request.names_inputs and project_file.find(os.curdir) is not None


def _project_at(path: str, request: TargetRequest, *, by_node: bool) -> Project | None:
    """The project that the only input is: a manifest, a folder with a project file, or one whose nodes are targets.

    Options of a dialect say how to read a folder itself, so they do not ask for the targets of its project file.
    """
    if not os.path.isdir(path):  # noqa: PTH112 - as typed
        return Project.of_manifest(path, request.dialect, request.allowed) if is_manifest(path) else None
    if request.names_inputs:
        return None
    from lamina.project import project_file

    if not request.flags and (project_file.in_folder(path) or (by_node and project_file.find(path))):
        return Project.load(path)
    return _project_of_nodes(path, request, by_node=by_node)


def _project_of_nodes(path: str, request: TargetRequest, *, by_node: bool) -> Project | None:
    from lamina.dialects import registry as dialects
    from lamina.project.folder_project import nodes_of_folder
    from lamina.sources.inputs import gather

    inputs = gather([path], request.allowed)
    try:
        chosen = dialects.find(request.dialect) if request.dialect else dialects.detect(inputs, request.dialects)
    except LaminaError:
        return None  # reading the folder reports it
    options = {**command_line_defaults(chosen), **request.options_of(chosen)}
    return nodes_of_folder(path, chosen, inputs, options, always=by_node)


def is_manifest(path: str) -> bool:
    """Whether a path is a fleet manifest."""
    if not path.endswith((".yaml", ".yml", ".json")) or not os.path.isfile(path):  # noqa: PTH113 - as typed
        return False
    from lamina.sources.inputs import read_file

    try:
        source = read_file(path, path)
    except InputError:
        return False
    if b"nodes" not in source.data:
        return False
    from lamina.project.manifest import is_manifest as is_fleet

    return is_fleet(source, Run())
