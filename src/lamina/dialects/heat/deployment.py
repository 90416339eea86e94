"""Deployments: the environments of a run in their order, from a deploy command or a plan, and then those given.

TripleO's client passes on, in this order: the registry of the tree of templates, the environments in folders
(`--environment-directory`, `*.yaml` by name), that of `--deployed-server`, and the files given with `-e`. The root
template is `overcloud.yaml` of the tree. Files are found beside the script or plan, in the tree, or where the caller
allows it.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina.dialects.heat.deploy_command import BadCommandError, ScriptWord, read_command
from lamina.dialects.heat.template_tree import (
    FIRST,
    INSTALLED,
    ROOT,
    TemplateTree,
    is_jinja,
    jinja_hint,
    tree_of,
    unrendered,
)
from lamina.errors import Diagnostic, InputError, Severity, UsageError
from lamina.sources import document_cache
from lamina.sources.inputs import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.heat.deploy_command import DeployCommand
    from lamina.dialects.heat.options import HeatOptions
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.sources.inputs import Files, Inputs
    from lamina.sources.source import Source

_DEPLOYED_SERVER = "environments/deployed-server-environment.yaml"


@dataclass(frozen=True, slots=True, eq=False)
class Deployment:
    """What is deployed: all environments in order, the options with the root template, and the tree."""

    inputs: Inputs
    options: HeatOptions
    tree: TemplateTree | None = None
    bases: tuple[str, ...] = ()
    """Files besides the root template whose folders may be reached from below them."""
    notes: tuple[Note, ...] = ()


def deployment_of(inputs: Inputs, options: HeatOptions) -> Deployment:
    """The deployment that inputs and options describe."""
    for name in (options.template,) if options.template and is_jinja(options.template) else ():
        raise UsageError(unrendered(inputs.opened(name)[0]))
    tree = tree_of(inputs, options.templates) if options.templates else None
    described = [name for name in (options.from_command, options.plan_environment) if name]
    if len(described) > 1:
        raise UsageError(
            Diagnostic(
                code="two-deployments",
                message="--from-command and --plan-environment both set the order of the environments",
                hint="use only one of them",
            )
        )
    if not described:
        return _with_root(Deployment(inputs, options, tree))
    listing = _Listing(inputs, described[0], tree)
    sources = listing.of_command() if options.from_command else listing.of_plan()
    if listing.findings:
        raise InputError.of(listing.findings)
    template = options.template or (listing.template.name if listing.template else None)
    own = {**inputs.own, **{source.name: inputs.files_for(source.name) for source in sources}}
    more = replace(inputs, items=(*sources, *inputs.items), own=own)
    options = replace(options, template=template)
    return _with_root(Deployment(more, options, listing.tree, (described[0],), tuple(listing.notes)))


def _with_root(deployment: Deployment) -> Deployment:
    """The deployment with the root template of its tree, unless another one is named."""
    tree, options = deployment.tree, deployment.options
    if tree is None or options.template:
        return deployment
    root = tree.read(ROOT)
    if root is not None:
        return replace(deployment, options=replace(options, template=root.name))
    missing = tree.generated(ROOT)
    return replace(deployment, notes=(*deployment.notes, *([missing] if missing else [])))


class _Listing:
    """Finds the files that a script or plan names; missing ones are findings."""

    def __init__(self, inputs: Inputs, name: str, tree: TemplateTree | None) -> None:
        self._name = name
        self._source, self._files = inputs.opened(name)
        self._run = inputs.run
        self.tree = tree
        self.findings: list[Diagnostic] = []
        self.notes: list[Note] = []
        self.template: Source | None = None

    def of_command(self) -> list[Source]:
        """The environments of a deploy command."""
        try:
            command = read_command(self._source)
        except BadCommandError as bad:
            self.findings += bad.findings
            return []
        self.notes += command.notes
        if command.overcloud:
            self._set_tree(command)
        if command.template:
            self.template = self._file(command.template)
        begin = self._begin(command) if command.overcloud else []
        folders = [source for word in command.directories for source in self._folder(word)]
        after = self._of_tree(_DEPLOYED_SERVER) if command.deployed_server else []
        files = [source for word in command.environments if (source := self._file(word)) is not None]
        return [*begin, *folders, *after, *files]

    def _set_tree(self, command: DeployCommand) -> None:
        """The tree the command names: that of the caller, else a folder beside the script."""
        named = command.templates.text.rstrip("/") if command.templates else INSTALLED
        if self.tree is not None:
            self.tree = replace(self.tree, aliases=(INSTALLED, named))
        elif not named.startswith("/"):
            shown = posixpath.join(posixpath.dirname(self._name), named)
            self.tree = TemplateTree(shown, self._files, named, (INSTALLED,))

    def _begin(self, command: DeployCommand) -> list[Source]:
        if self.tree is not None:
            return self._of_tree(FIRST)
        self.notes.append(
            Diagnostic(
                code="templates-required",
                message=f"the deploy command starts with {FIRST} from its templates, which was not read",
                at=command.at,
                hint="pass the folder of the templates with --templates DIR",
                severity=Severity.WARNING,
            )
        )
        return []

    def _of_tree(self, name: str) -> list[Source]:
        """A file of the tree, if it is there; where it is generated, a note says so."""
        assert self.tree is not None
        source = self.tree.read(name)
        missing = self.tree.generated(name)
        self.notes += [missing] if missing else []
        return [source] if source is not None else []

    def of_plan(self) -> list[Source]:
        """The environments of a plan, in their order."""
        document = document_cache.yaml_document(self._source, self._run)
        plan = document.value if isinstance(document.value, dict) else {}
        listed = plan.get("environments")
        if not isinstance(listed, list):
            message = f"{self._name} has no list of environments"
            self._find(message, document.origin, "add the key environments with a list of paths")
            return []
        template = plan.get("template")
        if isinstance(template, str):
            self.template = self._file(ScriptWord(template, document.origin))
        for key in ("passwords", "derived_parameters", "parameter_defaults"):
            if plan.get(key):
                self.notes.append(_not_applied(key, document.origin))
        words = [ScriptWord(path, document.origin) for path in self._paths(listed, document.origin)]
        return [source for word in words if (source := self._file(word)) is not None]

    def _paths(self, listed: list[Any], at: Origin) -> Iterator[str]:
        for entry in listed:
            path = environment_path(entry)
            if path is not None:
                yield path
            else:
                self._find("an environment in the plan has no path", at, "write - path: FILE")

    def _file(self, word: ScriptWord) -> Source | None:
        """The file that a word names."""
        tree = self._tree_name(word.text)
        if tree is None and word.text.startswith(f"{INSTALLED}/"):
            self._need_tree(word)
            return None
        try:
            source = self.tree.read(tree) if tree is not None and self.tree else self._files.read(word.text)
        except InputError as error:
            self.findings += [replace(each, at=word.at) for each in error.diagnostics]
            return None
        if source is None:
            files, base, path = self._file_location(word.text, tree)
            hint = jinja_hint(files, base, path) or nearest(posixpath.join(base, path), word.text)
            self._find(f"there is no file {word.text}", word.at, hint or "check the name")
        return source

    def _need_tree(self, word: ScriptWord) -> None:
        """One finding for all files of a tree that nothing refers to."""
        if not any(each.code == "templates-required" for each in self.findings):
            message = f"{word.text} is in the template tree, whose folder is unknown"
            hint = "pass the folder of the templates with --templates DIR"
            self.findings.append(Diagnostic(code="templates-required", message=message, at=word.at, hint=hint))

    def _tree_name(self, text: str) -> str | None:
        """The name in the tree of what a path in the script leads to."""
        if self.tree is None:
            return None
        alias = any(text.startswith(f"{each}/") for each in self.tree.aliases)
        return self.tree.inside(text if alias else posixpath.join(posixpath.dirname(self._name), text))

    def _file_location(self, text: str, tree: str | None) -> tuple[Files, str, str]:
        if tree is not None and self.tree is not None:
            return self.tree.files, self.tree.name, tree
        return self._files, posixpath.dirname(self._name), text

    def _folder(self, word: ScriptWord) -> list[Source]:
        """The environments in a folder, by name."""
        tree = self._tree_name(word.text)
        files, start = (self.tree.files, tree) if tree is not None and self.tree else (self._files, word.text)
        folder = posixpath.join(posixpath.normpath(start), "").removeprefix("./").rstrip("/")
        names = [name for name in files.names() if posixpath.dirname(name) == folder and name.endswith(".yaml")]
        if not names:
            self._find(f"there is no environment in the folder {word.text}", word.at, "check the name of the folder")
        return [source for name in names if (source := files.read(name)) is not None]

    def _find(self, message: str, at: Origin, hint: str) -> None:
        self.findings.append(Diagnostic(code="bad-deployment", message=message, at=at, hint=hint, subject=self._name))


def environment_path(entry: Any) -> str | None:
    """The path of an environment that a plan lists."""
    path = entry.get("path") if isinstance(entry, dict) else entry
    return path if isinstance(path, str) else None


def _not_applied(key: str, at: Origin) -> Note:
    return Diagnostic(
        code="command-parameter",
        message=f"the plan sets {key}, which Lamina ignores",
        at=at,
        hint="set them in an environment file instead",
        severity=Severity.WARNING,
    )
