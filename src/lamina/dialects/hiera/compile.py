"""From inputs to a plan: one key for a node, all keys of a node, or all keys of every node."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina import plugin as lp
from lamina.dialects.hiera import messages
from lamina.dialects.hiera.data_files import OPTIONS_KEY, FileKey
from lamina.dialects.hiera.facts_files import node_files, node_names, variables_of
from lamina.dialects.hiera.keys import quoted, segments_of
from lamina.dialects.hiera.layers import HIERA_YAML, site_of
from lamina.dialects.hiera.lookup import HieraNodeView
from lamina.dialects.hiera.possible_files import PossibleFiles
from lamina.dialects.hiera.strategies import rule_of
from lamina.dialects.hiera.without_nodes import TreeReading
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from lamina.dialects.hiera.config import HieraLevel
    from lamina.dialects.hiera.data_files import DataFile
    from lamina.dialects.hiera.interpolation import HieraFound
    from lamina.dialects.hiera.layers import DataLayer, HieraSite
    from lamina.dialects.hiera.level_files import LevelFiles
    from lamina.dialects.hiera.options import HieraOptions
    from lamina.dialects.hiera.strategies import LookupRule


_HIGHEST: Final = lp.Directive("first: the highest level that sets it")


class RenderedNode(NamedTuple):
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
        raise lp.UsageError(messages.NODE_REQUIRED.at())
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
    layers = [*site.layers, *_modules(site, inputs.run)] if options.stub_level else []
    names = [level.name for layer in layers for level in layer.config.levels]
    for each in options.stub_level:
        name, equals, path = each.rpartition("=")
        if not equals or name not in names:
            if not equals:
                raise lp.UsageError(messages.BAD_STUB.at(each=each, example=next(iter(names), "NAME")))
            raise lp.UsageError(messages.NO_SUCH_STUB.at(each=each, name=name, hint=lp.did_you_mean(name, names)))
        found[name] = inputs.files.read(path) or inputs.opened(path)[0]
    return found


def _modules(site: HieraSite, run: lp.Run) -> Iterator[DataLayer]:
    """The layers of modules, but for those that cannot be read, which lookups report."""
    for name in site.modules():
        try:
            layer = site.module(name, run)
        except (lp.Reject, lp.InputError):
            continue
        if layer is not None:
            yield layer


def _no_layers(site: HieraSite) -> lp.Diagnostic:
    if site.tree.read(HIERA_YAML) is None:
        return messages.NO_HIERA_YAML.at()
    source = site.tree.read(HIERA_YAML)
    at = None if source is None else source.locate(0, 0)
    if source is not None and (b":hierarchy" in source.data or b":backends" in source.data):
        return messages.HIERA_3.at(at)
    return messages.NOT_VERSION_5.at(at)


def mapped_folders(options: HieraOptions) -> dict[str, str]:
    """Folders of the tree by the absolute path they replace."""
    found: dict[str, str] = {}
    for each in options.map_path:
        absolute, equals, folder = each.partition("=")
        inside = lph.within(folder)
        if not equals or not absolute.startswith("/") or inside is None:
            raise lp.UsageError(messages.BAD_MAP_PATH.at(each=each))
        found[absolute.rstrip("/")] = inside
    return found


def _one_key(view: HieraNodeView, options: HieraOptions) -> lp.Compiler:
    key = options.key or ""
    merge = None if _is_options(key) else chosen_merge(options)
    found = view.lookup(key, merge)
    if found is None:
        raise lp.Reject(not_found(view, key))
    stage = lp.Stage(
        title=key,
        outputs=(lp.Output(name=key, steps=(_lookup(view, key, found, merge),)),),
        notes=(*assumptions(view), *notes_of(view)),
        facts=RenderedNode(options.node or "", view, found),
    )
    yield stage


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
    return messages.NOT_FOUND.at(hint=hint, key=key)


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
    root = str(segments_of(key)[0])
    entry = view.options_for(root).find(root)
    if entry is None:
        return _HIGHEST
    rule = entry.rule
    return lp.Directive(rule.label, rule.at)


def _node_stages(
    view: HieraNodeView, name: str, merge: LookupRule | None, assumed: Assumed | None = None
) -> lp.Compiler:
    """All keys of a node; `assumed` collects what those of many nodes assume."""
    if not view.site.layers:
        raise lp.Reject(_no_layers(view.site))
    keys = _AllKeys(view, name, merge)
    step = lph.Lookup(
        directive=lp.Directive("all keys"), take=lp.From(source=keys.node()), forwards=True, made_by=keys.outputs
    )
    node_output = lp.Output(name=name, steps=(step,), hidden=assumed is not None)
    own_assumptions: list[lp.Diagnostic] = []
    if assumed is None:
        own_assumptions = assumptions(view, keys)
    else:
        assumed.add(view, keys)
    has_data = any(view.files_read()) or view.unread
    no_data = () if has_data else _no_data(view.site, " for this node")
    notes = (*own_assumptions, *notes_of(view), *no_data)
    yield lp.Stage(title=name, outputs=(*keys.failed, node_output), notes=notes, facts=RenderedNode(name, view))


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

    def below(self, level: HieraLevel) -> int:
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
    """Every node that has facts, in a table by name; a node that cannot be rendered does not stop the others.

    Without facts, the files that nodes may have come after them, and what is wrong there and failed no node.
    """
    names = node_names(inputs, options)
    has_facts = bool(node_files(inputs, options))
    stages, assumed = _all_keys_of_node if options.key is None else _key_of_node, Assumed()
    said: set[lp.Diagnostic] = set()

    def of_node(name: str) -> lp.Compiler:
        try:
            yield from stages(inputs, options, name, assumed)
        except (lp.Reject, lp.InputError) as error:
            said.update(error.diagnostics)
            raise

    try:
        yield from lph.table_of_nodes(lph.NodeCompilation(name, name, of_node(name), output=name) for name in names)
    except lp.MergeError:  # no node can be rendered; without facts there is more to say
        if has_facts:
            raise
    if not has_facts:
        yield _tree_stage(inputs, options, len(list(names)), said)
    if assumed.notes():
        yield lp.Stage(title="assumptions", outputs=(), notes=tuple(assumed.notes()))


def _all_keys_of_node(inputs: lp.Inputs, options: HieraOptions, name: str, assumed: Assumed) -> lp.Compiler:
    yield from _node_stages(view_of(inputs, options, name), name, chosen_merge(options), assumed)


def _key_of_node(inputs: lp.Inputs, options: HieraOptions, name: str, assumed: Assumed) -> lp.Compiler:
    view = view_of(inputs, options, name)
    merge = chosen_merge(options)
    found = view.lookup(options.key or "", merge)
    if found is None:
        raise lp.Reject(replace(not_found(view, options.key or ""), subject=name))
    output = lp.Output(name=name, steps=(_lookup(view, options.key or "", found, merge),), hidden=True)
    assumed.add(view, None)
    yield lp.Stage(title=name, outputs=(output,), notes=tuple(notes_of(view)), facts=RenderedNode(name, view, found))


def _tree_stage(inputs: lp.Inputs, options: HieraOptions, nodes: int, said: Collection[lp.Diagnostic]) -> lp.Stage:
    """The files of a tree without facts, each by itself; no result has them. `said` is wrong with nodes already."""
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
        if fault not in said
    ]
    notes = [note for file in reading.files.values() for note in file.document.notes]
    notes += [note for module, note in reading.unread if module or not nodes]  # of the others nodes say more
    notes += [_no_facts(site, len(reading.files), nodes), *_outside_tree(possible, site.tree)]
    if not reading.files and not reading.faults and not reading.unread:
        file = site.layers[0].config.file
        failed += [lph.failed_output(file, (each,), file, hidden=True) for each in _no_data(site)]
    return lp.Stage(title="data files", outputs=(*read, *failed), notes=tuple(notes), facts=reading.found())


def _whole_file(file: DataFile) -> lp.Start:
    return lp.Start(directive=lp.Directive(file.level.name, file.level.at), take=lp.From(source=file.root))


def _no_facts(site: HieraSite, count: int, nodes: int) -> lp.Diagnostic:
    source = site.tree.read(site.layers[0].config.file)
    if nodes:
        return messages.OTHER_FACTS_UNKNOWN.at(None if source is None else source.locate(0, 0), nodes=nodes)
    return messages.NO_FACTS.at(
        None if source is None else source.locate(0, 0), count=count, plural="" if count == 1 else "s"
    )


def _no_data(site: HieraSite, for_whom: str = "") -> Iterator[lp.Diagnostic]:
    """The error that no file of the hierarchy exists: usually the data is not part of this checkout."""
    levels = [level for layer in site.layers for level in layer.config.levels]
    if levels:
        yield messages.NO_DATA.at(levels[0].at, for_whom=for_whom)


def notes_of(view: HieraNodeView) -> Iterator[lp.Diagnostic]:
    """What is worth knowing of the data a node sees."""
    for file in view.files_read():
        yield from file.document.notes
    if view.encrypted:
        at, key = next(iter(view.encrypted.items()))
        yield messages.LEFT_ENCRYPTED.at(at, count=len(view.encrypted), key=key)
    if view.files.guessed_folder is not None:
        yield messages.GUESSED_FOLDER.at(
            view.site.layers[0].config.levels[0].at if view.site.layers[0].config.levels else None,
            guessed_folder=view.files.guessed_folder,
        )
    yield from _outside_tree(view.files, view.site.tree)


def assumptions(view: HieraNodeView, keys: _AllKeys | None = None) -> list[lp.Diagnostic]:
    """What of a result holds only if levels that were not read do not decide otherwise."""
    assumed = Assumed()
    assumed.add(view, keys)
    return assumed.notes()


class Assumed:
    """What results assume of levels that were not read, for one node or for all."""

    def __init__(self) -> None:
        self._levels: dict[HieraLevel, tuple[lp.Diagnostic, int]] = {}
        self._unreadable: dict[str, lp.Diagnostic] = {}

    def add(self, view: HieraNodeView, keys: _AllKeys | None) -> None:
        """Add what the result of a node assumes; without keys that is the value of a single one."""
        for level, why in view.unread.items():
            count = 1 if keys is None or level not in view.levels else keys.below(level)
            self._levels[level] = why, self._levels.get(level, (why, 0))[1] + count
        for name, error in view.files.unreadable.items():
            message = f"{name}, which a node may have, cannot be read: {error.diagnostic.message}"
            self._unreadable[name] = replace(error.diagnostic, message=message)

    def notes(self) -> list[lp.Diagnostic]:
        """What is to be said of it."""
        found = list(self._unreadable.values())
        for why, count in self._levels.values():
            held = "1 value assumes that it does not set it"
            if count != 1:
                held = f"{count:,} values assume that it does not set them" if count else "what only it sets is missing"
            found.append(replace(why, message=f"{why.message}, so it was not read: {held}"))
        return [replace(each, severity=lp.Severity.WARNING, error_if_strict=True) for each in found]


def _outside_tree(files: LevelFiles, tree: lph.Tree) -> Iterator[lp.Diagnostic]:
    """What levels refer to and is not in the tree, so that values may be missing."""
    for path, level in files.broken.items():
        broken = tree.broken_links[path]
        message = f"the level {level.name!r} has no file: {broken.message}"
        yield replace(broken, message=message, at=level.at, severity=lp.Severity.WARNING, error_if_strict=True)
    for path, level in files.outside.items():
        yield messages.OUTSIDE_TREE.at(level.at, hint=_outside_hint(path, level, tree), name=level.name, path=path)


def _outside_hint(path: str, level: HieraLevel, tree: lph.Tree) -> str:
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


def _upper_folder_hint(path: str, level: HieraLevel, tree: lph.Tree) -> str:
    """What reads a path that leads above the root of the tree: a folder that has all of it as the input."""
    if tree.folder is None or level.folder or level.at is None:
        return "move the files below the folder of hiera.yaml"
    top = posixpath.commonpath([posixpath.abspath(posixpath.join(tree.folder, path)), posixpath.abspath(tree.folder)])
    config = posixpath.relpath(posixpath.abspath(level.at.source), top)
    return f"read it from the folder above: {posixpath.relpath(top)} as the input, and --hiera-config {config}"
