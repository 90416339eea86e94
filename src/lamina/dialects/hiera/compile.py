"""From inputs to a plan: one key for a node, all keys of a node, or all keys of every node."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina import plugin as lp
from lamina.dialects.hiera.data_files import OPTIONS_KEY, FileKey
from lamina.dialects.hiera.facts_files import node_files, node_names, variables_of
from lamina.dialects.hiera.interpolation import HieraFound
from lamina.dialects.hiera.keys import quoted, segments_of
from lamina.dialects.hiera.layers import HIERA_YAML, site_of
from lamina.dialects.hiera.lookup import HieraNodeView
from lamina.dialects.hiera.possible_files import PossibleFiles
from lamina.dialects.hiera.strategies import rule_of
from lamina.dialects.hiera.without_nodes import TreeReading
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.dialects.hiera.config import Level
    from lamina.dialects.hiera.data_files import DataFile
    from lamina.dialects.hiera.layers import HieraSite
    from lamina.dialects.hiera.level_files import LevelFiles
    from lamina.dialects.hiera.options import HieraOptions
    from lamina.dialects.hiera.strategies import LookupRule


class Seen(NamedTuple):
    """What views and lint rules may ask of a stage: the data as a node sees it, and what one key came to."""

    node: str
    view: HieraNodeView
    found: HieraFound | None = None


def compile_inputs(inputs: lp.Inputs, options: HieraOptions) -> lp.Compiler:
    """The plan for the inputs."""
    secrets: Any = "show" if options.cleartext_secrets else "redact"
    if options.all_nodes:
        noun = "node" if node_names(inputs, options) else "file"
        yield lp.ResultSpec(shape="table", noun=noun, partial=True, secrets=secrets)
        yield from _all_nodes(inputs, options)
        return
    if options.node is None:
        raise lp.UsageError(
            lp.Diagnostic(
                code="node-required",
                message="no node given",
                hint="choose one with --node, or all nodes that have facts with --all-nodes",
            )
        )
    view = view_of(inputs, options, options.node)
    if not _may_hold_secrets(view):
        secrets = "none"
    yield lp.ResultSpec(noun="node", secrets=secrets, partial=options.key is None)
    if options.key is None:
        yield from _node_stages(view, options.node, chosen_merge(options))
    else:
        yield from _one_key(view, options)


def _may_hold_secrets(view: HieraNodeView) -> bool:
    """Whether anything of a node may be encrypted or Sensitive; rather once too often than too rarely."""
    if view.site.modules():
        return True
    try:
        return any(index.may_hold_secrets for index in view.indexes)
    except (lp.Reject, lp.InputError):
        return True


def view_of(inputs: lp.Inputs, options: HieraOptions, node: str) -> HieraNodeView:
    """The data as a node sees it; encrypted values are kept where more than one key is asked for."""
    site = site_of(inputs, options)
    variables = variables_of(inputs, options, node)
    keep = options.cleartext_secrets or options.key is None
    return HieraNodeView(
        site,
        variables,
        mapped_folders(options),
        inputs.run,
        stubs=stubs_of(inputs, options, site),
        keep_encrypted=keep,
        with_modules=options.modules,
    )


def stubs_of(inputs: lp.Inputs, options: HieraOptions, site: HieraSite) -> Mapping[str, lp.Source]:
    """The files that stand for levels, by the names of the levels."""
    found: dict[str, lp.Source] = {}
    names = [level.name for layer in site.layers for level in layer.config.levels]
    for each in options.stub_level:
        name, equals, path = each.rpartition("=")
        if not equals or name not in names:
            message = f"--stub-level {each}: " + ("there is no level {name!r}" if equals else "expected NAME=FILE")
            hint = lp.did_you_mean(name, names)
            raise lp.UsageError(lp.Diagnostic(code="bad-setting", message=message.format(name=name), hint=hint))
        found[name] = inputs.files.read(path) or inputs.opened(path)[0]
    return found


def _no_layers(site: HieraSite) -> lp.Diagnostic:
    if site.tree.read(HIERA_YAML) is None:
        hint = "pass the root folder of the environment, which contains hiera.yaml"
        return lp.Diagnostic(code="no-hiera-yaml", message="no hiera.yaml found", hint=hint)
    message = "hiera.yaml is not version 5, so Puppet ignores it here"
    return lp.Diagnostic(code="no-hiera-yaml", message=message, hint="set version: 5 and add a hierarchy")


def mapped_folders(options: HieraOptions) -> dict[str, str]:
    """Folders of the tree by the absolute path they replace."""
    found: dict[str, str] = {}
    for each in options.map_path:
        absolute, equals, folder = each.partition("=")
        inside = lph.within(folder)
        if not equals or not absolute.startswith("/") or inside is None:
            raise lp.UsageError(
                lp.Diagnostic(
                    code="bad-setting",
                    message=f"--map-path {each}: expected ABSOLUTE=FOLDER, with FOLDER inside the input folder",
                    hint="example: --map-path /etc/puppetlabs/code/environments/production=.",
                )
            )
        found[absolute.rstrip("/")] = inside
    return found


def _one_key(view: HieraNodeView, options: HieraOptions) -> lp.Compiler:
    key = options.key or ""
    merge = None if _is_options(key) else chosen_merge(options)
    found = view.lookup(key, merge) or _unread(view, key)
    if found is None:
        raise lp.Reject(not_found(view, key))
    stage = lp.Stage(
        title=key,
        outputs=(lp.Output(name=key, steps=(_lookup(view, key, found, merge),)),),
        notes=(*assumptions(view), *notes_of(view)),
        facts=Seen(options.node or "", view, found),
    )
    yield stage


def _unread(view: HieraNodeView, key: str) -> HieraFound | None:
    """What is known of a key that no level sets, if one that was not read may set it."""
    root = str(segments_of(key)[0])
    unread = [level for layer in view.layers_for(root) for level in layer.config.levels if level in view.unread]
    if not unread or _is_options(key):
        return None
    unknown = lp.Unknown(f"no level that was read sets it, and {unread[0].name!r} was not read", unread[0].at)
    return HieraFound(unknown, lp.LiteralNode(unknown, (root,)), unread[0].name)


def chosen_merge(options: HieraOptions) -> LookupRule | None:
    """The strategy that the caller chooses, which counts for every key that is asked for, not for those that texts
    look up."""
    return None if options.merge is None else rule_of(options.merge, None, "this lookup")


def not_found(view: HieraNodeView, key: str) -> lp.Diagnostic:
    """The finding that nothing has a key."""
    known = list(view.all_keys())
    root, *rest = segments_of(key)
    if view.site.tree.read(HIERA_YAML) is None:
        hint = "no hiera.yaml found; pass the root folder of the environment"
    elif rest and root in known:
        hint = f"{root} exists, but has no {'.'.join(map(str, rest))}"
    else:
        hint = lp.did_you_mean(str(root), known)
    return lp.Diagnostic(code="not-found", message=f"no level sets the key {key}", hint=hint)


def _is_options(key: str) -> bool:
    """Whether a key is lookup_options, which no lookup finds, however it is merged."""
    return segments_of(key)[0] == OPTIONS_KEY


def _lookup(view: HieraNodeView, key: str, found: HieraFound, merge: LookupRule | None = None) -> lph.Lookup:
    """The step that brings what a key came to."""
    return lph.Lookup(directive=_directive(view, key, merge), take=found.take, forwards=True, made_by=found.outputs)


def _directive(view: HieraNodeView, key: str, merge: LookupRule | None) -> lp.Directive:
    """What says how a key is merged."""
    if merge is not None:
        return lp.Directive(merge.label)
    root = segments_of(key)[0]
    entry = view.options_for(str(root)).find(str(root))
    rule = view.options_for(str(root)).rule(str(root))
    return lp.Directive(rule.label if entry else "first: the highest level that sets it", rule.at)


def _node_stages(view: HieraNodeView, name: str, merge: LookupRule | None, *, hidden: bool = False) -> lp.Compiler:
    """All keys of a node."""
    if not view.site.layers:
        raise lp.Reject(_no_layers(view.site))
    keys = _AllKeys(view, name, merge)
    step = lph.Lookup(
        directive=lp.Directive("all keys"), take=lp.From(source=keys.node()), forwards=True, made_by=keys.outputs
    )
    node_output = lp.Output(name=name, steps=(step,), hidden=hidden)
    has_data = any(view.files_read()) or view.unread
    notes = (*assumptions(view, keys), *notes_of(view), *(() if has_data else _no_data(view.site, " for this node")))
    yield lp.Stage(title=name, outputs=(*keys.failed, node_output), notes=notes, facts=Seen(name, view))


class _AllKeys:
    """All keys of a node. Most have the value of the highest file that sets them as it is; only the others are looked
    up one by one, and where a value comes from is found when somebody asks."""

    def __init__(self, view: HieraNodeView, name: str, merge: LookupRule | None) -> None:
        self._view, self._name, self._merge = view, name, merge
        self.failed: list[lp.Output] = []
        self._values: dict[str, Any] = {}
        self._found: dict[str, HieraFound] = {}
        first = view.first
        every = merge is not None or view.all_keys() is not first
        keys = view.all_keys()
        asked = keys if every else view.keys_with_rules()
        for key in keys:
            value = None if every else first[key]
            if every or key in asked:
                self._look_up(key, None)
            elif type(value) is FileKey:
                self._look_up(key, value)
            else:
                self._values[key] = value

    def below(self, level: Level) -> int:
        """How many values hold only if a level does not set them: those that no level above it decides."""
        above: set[str] = set()
        for index, each in zip(self._view.indexes, self._view.levels, strict=True):
            if each is level:
                break
            above.update(index.first)
        merges = self._merge is not None and not self._merge.first
        merged = self._values.keys() if merges else self._view.merged_keys(self._values)
        return sum(key not in above or key in merged for key in self._values)

    def _look_up(self, key: str, highest: FileKey | None) -> None:
        """Look a key up; one that is rejected is omitted and reported. `highest` is what alone counts, if that is
        known."""
        try:
            found = self._view.all_of_key(key, self._merge) if highest is None else self._view.highest(highest)
        except (lp.Reject, lp.InputError) as error:
            subject = f"{self._name}: {key}"
            findings = [replace(each, subject=subject) for each in error.diagnostics[:1]]
            self.failed.append(lph.failed_output(subject, findings, key, subject=key, hidden=True))
            return
        if found is not None:
            self._found[key] = found
            self._values[key] = found.value

    def node(self) -> lp.Node:
        """The keys with their values."""
        secret = [key for key, found in self._found.items() if found.may_be_secret]
        return lph.looked_up(self._values, self._node_of, secret)

    def outputs(self) -> Iterator[lp.Output]:
        """The lookup of each key."""
        for key in self._values:
            step = self._step(key)
            yield from step.inner()
            yield lp.Output(name=key, steps=(step,), hidden=True)

    def _node_of(self, key: str) -> lp.Node:
        return lp.folded(key, self._step(key), run=self._view.run, path=(key,))

    def _step(self, key: str) -> lph.Lookup:
        found = self._found.get(key) or self._view.all_of_key(key, self._merge)
        assert found is not None
        return _lookup(self._view, quoted(key), found, self._merge)


def _all_nodes(inputs: lp.Inputs, options: HieraOptions) -> lp.Compiler:
    """Every node that has facts, in a table by name; a node that cannot be rendered does not stop the others."""
    names = node_names(inputs, options)
    if not node_files(inputs, options):
        yield _tree_stage(inputs, options, len(list(names)))
    stages = _all_keys_of_node if options.key is None else _key_of_node
    yield from lph.table_of_nodes(
        lph.NodeCompilation(name, name, stages(inputs, options, name), output=name) for name in names
    )


def _all_keys_of_node(inputs: lp.Inputs, options: HieraOptions, name: str) -> lp.Compiler:
    yield from _node_stages(view_of(inputs, options, name), name, chosen_merge(options), hidden=True)


def _key_of_node(inputs: lp.Inputs, options: HieraOptions, name: str) -> lp.Compiler:
    view = view_of(inputs, options, name)
    merge = chosen_merge(options)
    found = view.lookup(options.key or "", merge) or _unread(view, options.key or "")
    if found is None:
        raise lp.Reject(replace(not_found(view, options.key or ""), subject=name))
    output = lp.Output(name=name, steps=(_lookup(view, options.key or "", found, merge),), hidden=True)
    notes = (*assumptions(view), *notes_of(view))
    yield lp.Stage(title=name, outputs=(output,), notes=notes, facts=Seen(name, view, found))


def _tree_stage(inputs: lp.Inputs, options: HieraOptions, nodes: int) -> lp.Stage:
    """The files of a tree without nodes, each by itself; no result has them."""
    site = site_of(inputs, options)
    if not site.layers:
        raise lp.Reject(_no_layers(site))
    possible = PossibleFiles(site, options.environment, mapped_folders(options), inputs.run)
    reading = TreeReading(site, possible, inputs.run)
    read = [lp.Output(name=name, steps=(_whole_file(file),), hidden=True) for name, file in reading.files.items()]
    failed = [
        lph.failed_output(name if number == 1 else f"{name} ({number})", (fault,), name, hidden=True)
        for name, faults in reading.faults.items()
        for number, fault in enumerate(faults, 1)
    ]
    notes = [note for file in reading.files.values() for note in file.document.notes]
    notes += [_no_facts(site, len(reading.files), nodes), *_outside_tree(possible, site.tree)]
    if not reading.files and not reading.faults:
        file = site.layers[0].config.file
        failed += [lph.failed_output(file, (each,), file, hidden=True) for each in _no_data(site)]
    return lp.Stage(title="data files", outputs=(*read, *failed), notes=tuple(notes), facts=reading.found())


def _whole_file(file: DataFile) -> lp.Start:
    return lp.Start(directive=lp.Directive(file.level.name, file.level.at), take=lp.From(source=file.root))


def _no_facts(site: HieraSite, count: int, nodes: int) -> lp.Diagnostic:
    source = site.tree.read(site.layers[0].config.file)
    if nodes:
        return lp.Diagnostic(
            code="no-facts",
            message=f"there are no files of facts: the {nodes} nodes are those that levels have a file for, and what "
            "depends on other facts is unknown",
            at=None if source is None else source.locate(0, 0),
            hint="--facts FILE takes facts as PuppetDB, `puppet facts` or `facter --json` give them, a file for each "
            "node in a folder or all in one; --fact NAME=VALUE gives single ones",
            severity=lp.Severity.INFO,
        )
    return lp.Diagnostic(
        code="no-facts",
        message="there are no files of facts, so there are no nodes to render; "
        f"{count} data file{'' if count == 1 else 's'} checked",
        at=None if source is None else source.locate(0, 0),
        hint="put the facts of each node into facts/NAME.yaml, pass a folder of them with --facts, or render a node "
        "without facts with --node",
        severity=lp.Severity.WARNING,
    )


def _no_data(site: HieraSite, for_whom: str = "") -> Iterator[lp.Diagnostic]:
    """The error that no file of the hierarchy exists: usually the data is not part of this checkout."""
    levels = [level for layer in site.layers for level in layer.config.levels]
    if levels:
        yield lp.Diagnostic(
            code="no-data",
            message=f"no file of the hierarchy exists{for_whom}",
            at=levels[0].at,
            hint="check the datadir and the paths of the levels; data in a module has to be installed first",
        )


def notes_of(view: HieraNodeView) -> Iterator[lp.Diagnostic]:
    """What is worth knowing of the data a node sees."""
    for file in view.files_read():
        yield from file.document.notes
    if view.encrypted:
        at, key = next(iter(view.encrypted.items()))
        yield lp.Diagnostic(
            code="left-encrypted",
            message=f"encrypted values stay encrypted ({len(view.encrypted)} in total, the first at {key})",
            at=at,
            hint="Lamina cannot decrypt them; --cleartext-secrets shows the ciphertext",
            severity=lp.Severity.INFO,
        )
    if view.files.guessed_folder is not None:
        yield lp.Diagnostic(
            code="guessed-folder",
            message=f"{view.files.guessed_folder} is taken for the input folder, as on a Puppet server",
            at=view.site.layers[0].config.levels[0].at if view.site.layers[0].config.levels else None,
            hint=f"--map-path {view.files.guessed_folder}=DIR names another folder of the input",
            severity=lp.Severity.INFO,
        )
    yield from _outside_tree(view.files, view.site.tree)


def assumptions(view: HieraNodeView, keys: _AllKeys | None = None) -> Iterator[lp.Diagnostic]:
    """What of the result holds only if levels that were not read do not decide otherwise."""
    for level, why in view.unread.items():
        count = 1 if keys is None or level not in view.levels else keys.below(level)
        held = "1 value assumes" if count == 1 else f"{count:,} values assume"
        them = "it" if count == 1 else "them"
        message = f"{why.message}, so it was not read: {held} that it does not set {them}"
        yield replace(why, message=message, severity=lp.Severity.WARNING, error_if_strict=True)
    for name, error in view.files.unreadable.items():
        yield replace(
            error.diagnostic,
            message=f"{name}, which the node may have, cannot be read: {error.diagnostic.message}",
            severity=lp.Severity.WARNING,
            error_if_strict=True,
        )


def _outside_tree(files: LevelFiles, tree: lph.Tree) -> Iterator[lp.Diagnostic]:
    """What levels refer to and is not in the tree, so that values may be missing."""
    for path, level in files.broken.items():
        broken = tree.broken_links[path]
        message = f"the level {level.name!r} has no file: {broken.message}"
        yield replace(broken, message=message, at=level.at, severity=lp.Severity.WARNING, error_if_strict=True)
    for path, level in files.outside.items():
        yield lp.Diagnostic(
            code="outside-tree",
            message=f"the level {level.name!r} refers to {path}, which is outside the input folder and is ignored",
            at=level.at,
            hint=_outside_hint(path, level, tree),
            severity=lp.Severity.WARNING,
            error_if_strict=True,
        )


def _outside_hint(path: str, level: Level, tree: lph.Tree) -> str:
    if not path.startswith("/"):
        return _upper_folder_hint(path, level, tree)
    written = [place.text for place in (level.datadir, *level.paths_of_level)]
    if not any(text.startswith("/") for text in written):
        empty = next((text for text in written if text.startswith("%{")), written[0])
        return f"what {empty} starts with is empty for this node; set it in the facts of the node"
    return _mapping_hint(path, tree)


def _mapping_hint(path: str, tree: lph.Tree) -> str:
    """The option for an absolute path that ends in a folder of the tree, or in a file there: the part before it is
    where the tree is installed."""
    names = path.split("/")
    for at in range(2, len(names)):
        if any(tree.is_folder("/".join(end)) for end in (names[at:], names[at:-1]) if end):
            return f"map it to a folder of the input: --map-path {'/'.join(names[:at])}=."
    folder = posixpath.dirname(path)
    return f"the input has no such folder; copy it there, and map it: --map-path {folder}=FOLDER"


def _upper_folder_hint(path: str, level: Level, tree: lph.Tree) -> str:
    """What reads a path that leads above the root of the tree: a folder that has all of it as the input."""
    if tree.folder is None or level.folder or level.at is None:
        return "move the files below the folder of hiera.yaml"
    top = posixpath.commonpath([posixpath.abspath(posixpath.join(tree.folder, path)), posixpath.abspath(tree.folder)])
    config = posixpath.relpath(posixpath.abspath(level.at.source), top)
    return f"read it from the folder above: {posixpath.relpath(top)} as the input, and --hiera-config {config}"
