"""Lint rules for Hiera data: what is asked for and not there, and what is written and never used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera import messages
from lamina.dialects.hiera.compile import RenderedNode
from lamina.dialects.hiera.data_files import OPTIONS_KEY
from lamina.dialects.hiera.lookup_options import FIELDS, written_entries
from lamina.dialects.hiera.strategies import rule_of
from lamina.dialects.hiera.without_nodes import TreeFiles
from lamina.plugin import extensions as lpx

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lamina.dialects.hiera.data_files import DataFile
    from lamina.dialects.hiera.lookup import HieraNodeView
    from lamina.dialects.hiera.lookup_options import KeyOptions


def _rendered_nodes(checked: lpx.Checked) -> list[RenderedNode]:
    """The nodes that were rendered."""
    return [stage.facts for stage in checked.plan.stages if isinstance(stage.facts, RenderedNode)]


def _of_all(views: Iterable[Mapping[str, lp.Origin | None]]) -> dict[str, tuple[int, lp.Origin | None]]:
    """What is missing for at least one node: for how many, and where it was first asked for."""
    found: dict[str, tuple[int, lp.Origin | None]] = {}
    for missing in views:
        for name, at in missing.items():
            times, first = found.get(name, (0, at))
            found[name] = times + 1, first or at
    return found


def unknown_facts(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """Variables in texts and paths that no node has."""
    nodes = _rendered_nodes(checked)
    known = sorted({name for each in nodes for name in _names(each.view)})
    for name, (times, at) in _of_all(each.view.variables.unknown for each in nodes).items():
        if name.removeprefix("::") in known:
            continue
        yield messages.UNKNOWN_FACT.at(
            at,
            subject=name,
            hint=_server_facts_hint(name) or lp.did_you_mean(name.removeprefix("::"), known),
            name=name,
            times=times,
            count=len(nodes),
        )


def _server_facts_hint(name: str) -> str | None:
    """What to do for a variable that only a Puppet server sets."""
    root, _, field = name.removeprefix("::").partition(".")
    server_facts = ("servername", "serverip", "serverip6", "serverversion")
    if root not in server_facts and (root != "server_facts" or field not in server_facts):
        return None
    return f"a Puppet server sets it; add server_facts: {{{field or root}: VALUE}} to the facts of the node"


def _names(view: HieraNodeView) -> set[str]:
    """The variables of a node with their fields, as texts write them."""
    found: set[str] = {"environment"}
    variables = view.variables
    server_facts = variables.find("server_facts")
    pending: list[tuple[str, Any]] = [("facts", variables.facts.value), ("trusted", variables.trusted.value)]
    pending += [("server_facts", server_facts.value)] if server_facts is not None else []
    pending += [(str(key), value) for key, value in variables.facts.value.items()]
    while pending:
        name, value = pending.pop()
        found.add(name)
        if isinstance(value, dict):
            pending.extend((f"{name}.{key}", item) for key, item in value.items())
    return found


def unset_keys(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """Keys that texts look up and that no level sets, whichever node asks."""
    nodes = _rendered_nodes(checked)
    known = sorted({key for each in nodes for key in each.view.all_keys()})
    for name, (_, at) in _of_all(each.view.interpolator.unset for each in nodes).items():
        if name in known:
            continue
        yield messages.UNSET_KEY.at(at, subject=name, hint=lp.did_you_mean(name, known), name=name)


def unused_options(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """Entries of lookup_options that match no key of any file that a node reads.

    Which keys a module sets is not known if a level of it cannot be read; rendering reports that level.
    """
    unknown: set[str] = set()
    files = {file.name: file for file in _files(checked, unknown)}.values()
    if "" in unknown:  # a file that cannot be read may have any key
        return
    keys = {key for file in files for key in file.value if isinstance(key, str)}
    names = sorted(keys - {OPTIONS_KEY})
    read = "the files that nodes read" if _rendered_nodes(checked) else "the data files"
    for file in files:
        for entry, at in written_entries(file.root.child(OPTIONS_KEY)):
            if entry.key.partition("::")[0] in unknown or any(entry.holds_for(key) for key in names):
                continue
            yield messages.UNUSED_LOOKUP_OPTION.at(
                at, subject=entry.key, hint=_closest(entry, names), key=entry.key, read=read
            )


def ignored_options(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """What entries of lookup_options have and Puppet does not look at."""
    for file in {file.name: file for file in _files(checked, set())}.values():
        for entry, at in written_entries(file.root.child(OPTIONS_KEY)):
            if isinstance(entry.node.value, str):
                hint = _as_merge(entry.node.value)
                yield messages.IGNORED_LOOKUP_OPTION.at(
                    at, subject=entry.key, hint=hint, key=entry.key, has="is a text"
                )
            if not isinstance(entry.node.value, dict) or not isinstance(entry.node, lp.SourceNode):
                continue
            for field in entry.node.value:
                if field not in FIELDS:
                    yield messages.IGNORED_LOOKUP_OPTION.at(
                        entry.node.key_origin(field),
                        subject=entry.key,
                        hint=lp.did_you_mean(str(field), FIELDS),
                        key=entry.key,
                        has=f"has a field {field!r}",
                    )


def _as_merge(text: str) -> str | None:
    """What to write for an entry that is a text."""
    try:
        rule_of(text, None, "")
    except lp.Reject as unknown:
        return unknown.diagnostic.hint
    return f"write {{merge: {text}}}"


def _closest(entry: KeyOptions, names: Iterable[str]) -> str:
    """The key that was meant: a similar name in the same class, or the same name in a similar class."""
    holder, _, own = entry.key.rpartition("::")

    def is_near(name: str) -> bool:
        other_holder, _, other = name.rpartition("::")
        if other_holder == holder:
            return bool(lp.did_you_mean(own, [other], otherwise=""))
        return other == own and bool(lp.did_you_mean(holder, [other_holder], otherwise=""))

    otherwise = "correct the key, or remove the entry if no other data has it"
    return otherwise if entry.pattern else lp.did_you_mean(entry.key, filter(is_near, names), otherwise)


def _files(checked: lpx.Checked, unknown: set[str]) -> Iterator[DataFile]:
    """The files that nodes read, or all where there are none; modules with one that cannot be read are added."""
    for stage in checked.plan.stages:
        if isinstance(stage.facts, RenderedNode):
            yield from _files_of_node(stage.facts.view, unknown)
        elif isinstance(stage.facts, TreeFiles):
            unknown.update(stage.facts.unknown)
            yield from stage.facts.files


def _files_of_node(view: HieraNodeView, unknown: set[str]) -> Iterator[DataFile]:
    """The files of all layers, those of modules included; modules with a level that cannot be read are added."""
    yield from view.files_read()
    if view.files.unreadable or any(level in view.unread for level in view.levels):
        unknown.add("")
    for name in view.site.modules():
        try:
            layer = view.site.module(name, view.run)
        except (lp.Reject, lp.InputError):
            unknown.add(name)
            continue
        for level in (*layer.config.levels, *layer.config.default_levels) if layer else ():
            try:
                yield from (file for file in view.read(level) if file is not None)
                if level in view.unread:
                    unknown.add(name)
            except (lp.Reject, lp.InputError):
                unknown.add(name)


RULES: Final = (
    lpx.LintRule(
        code="unknown-fact",
        title="Hiera: variable that no node has",
        about="The name is misspelled, or the fact is missing. Puppet silently interpolates an empty string.",
        check=unknown_facts,
    ),
    lpx.LintRule(
        code="unset-key",
        title="Hiera: lookup of a key that no level sets",
        about="Puppet silently interpolates an empty string.",
        check=unset_keys,
    ),
    lpx.LintRule(
        code="unused-lookup-option",
        title="Hiera: lookup_options entry matches no key",
        about="The key is misspelled or no longer exists, so the entry has no effect.",
        check=unused_options,
        of_all=True,
    ),
    lpx.LintRule(
        code="ignored-lookup-option",
        title="Hiera: lookup_options entry with something Puppet ignores",
        about="The name of the option is misspelled, or it is in the wrong place, so it has no effect.",
        check=ignored_options,
    ),
    lpx.LintRule(
        code="outside-tree",
        title="Hiera: level with files outside the input folder",
        about="Absolute paths are not read, so values from those files are missing in the result.",
    ),
)
