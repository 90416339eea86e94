"""Looking a key up for one node: levels, layers, options, and what is filled in on the way."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera import messages
from lamina.dialects.hiera.convert import converted
from lamina.dialects.hiera.data_files import OPTIONS_KEY, DataFile, FileKey, LevelIndex, without_break
from lamina.dialects.hiera.interpolation import HieraFound, Interpolator, name_chain
from lamina.dialects.hiera.keys import quoted, segments_of, value_at_segments
from lamina.dialects.hiera.level_files import UNSUPPORTED, LevelFiles
from lamina.dialects.hiera.lookup_options import KeyOptions, LookupOptions, check_layer, check_module, entries_of
from lamina.dialects.hiera.once import once
from lamina.dialects.hiera.strategies import FIRST, HASH, LookupRule
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf
from lamina.plugin import hierarchy as lph
from lamina.plugin import operators as lpo

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from lamina.dialects.hiera.config import HieraLevel
    from lamina.dialects.hiera.interpolation import Reading
    from lamina.dialects.hiera.layers import DataLayer, HieraSite
    from lamina.dialects.hiera.variables import Variables

_MOST_INDEXES: Final = 1_000
_MOST_RESULTS: Final = 1_000


class HieraNodeView:
    """The data as one node sees it."""

    def __init__(
        self,
        site: HieraSite,
        variables: Variables,
        mapped: Mapping[str, str],
        run: lp.Run,
        *,
        stubs: Mapping[str, lp.Source] = MappingProxyType({}),
        keep_encrypted: bool = False,
        with_modules: bool = False,
    ) -> None:
        self.site = site
        self.run = run
        self.variables = variables
        self.stack = name_chain()
        self.interpolator = Interpolator(variables, self.lookup, self.stack, run)
        self.files = LevelFiles(site, variables, self.interpolator, mapped, run, stubs)
        self.encrypted: dict[lp.Origin, str] = {}
        """Values that were left encrypted: where, and in which key."""
        self._keep_encrypted = keep_encrypted
        self._with_modules = with_modules
        self.unread: dict[HieraLevel, lp.Diagnostic] = {}
        """Levels that could not be read, and why."""
        self._levels: dict[HieraLevel, list[tuple[DataFile | None, lp.Unknown | None]]] = {}
        self._indexes: dict[HieraLevel, LevelIndex] = {}
        self._first: dict[str, Any] | None = None
        self._found: dict[str, HieraFound | None] = {}
        self._values: dict[FileKey, HieraFound] = {}
        self._options: dict[str, LookupOptions] = {}

    # Whole keys

    def lookup(self, key: str, merge: LookupRule | None = None) -> HieraFound | None:
        """The value of a key, perhaps with dots; None if nothing is found."""
        root, *rest = segments_of(key)
        if not isinstance(root, str) or root == OPTIONS_KEY:
            return None
        with self.stack.under(key):
            if merge is not None:
                return self._lookup(key, root, tuple(rest), merge)
            found: HieraFound | None = once(self._found, key, lambda: self._lookup(key, root, tuple(rest), None))
            return found

    def _lookup(self, key: str, root: str, rest: tuple[str | int, ...], merge: LookupRule | None) -> HieraFound | None:
        entry = self.options_for(root).find(root)
        rule = merge or (FIRST if entry is None else entry.rule)
        found = self._value_inside(self._in_layers(root, rule), rest, key)
        if found is None:
            found = self._value_inside(self._by_default(root), rest, key)
        if found is None:
            return self._in_unread(root)
        if (doubt := self._doubt_on_options(root)) is not None:
            found = _unknown(doubt, found)
        if entry is None or entry.convert_to is None:
            return found
        if lpo.holds_unknown(found.value):
            return _converted_unknown(found, entry.convert_to)
        with lp.blamed_on(entry.at):
            return converted(found, entry.convert_to, key, self.run)

    def _in_unread(self, root: str) -> HieraFound | None:
        """What is known of a key that no level sets, if one that was not read may set it."""
        unread = [level for layer in self.layers_for(root) for level in layer.config.levels if level in self.unread]
        if not unread:
            return None
        name = unread[0].name
        hint = f"--stub-level '{name}=FILE' gives the data of the level"
        unknown = lp.Unknown(f"no level that was read sets it, and {name!r} was not read", unread[0].at, hint=hint)
        return HieraFound(unknown, lp.LiteralNode(unknown, (root,)), unread[0].name)

    @staticmethod
    def _value_inside(found: HieraFound | None, rest: tuple[str | int, ...], key: str) -> HieraFound | None:
        if found is None or not rest:
            return found
        node = value_at_segments(found.node, rest, key)
        if node is None:
            return None
        return HieraFound(node.value, node, found.layer, found.outputs, may_be_secret=found.may_be_secret)

    def _in_layers(self, root: str, rule: LookupRule) -> HieraFound | None:
        found: list[HieraFound] = []
        for layer in self.layers_for(root):
            value = self._in_levels(layer.config.levels, root, rule, layer)
            if value is not None:
                found.append(value)
                if rule.first:
                    break
        if not found:
            return None
        return rule.merged(f"{root} in all layers", found, self.run, is_only=False, path=(root,))

    def layers_for(self, root: str) -> Iterator[DataLayer]:
        """The layers that may have a key."""
        yield from self.site.layers
        module, colons, _ = root.partition("::")
        if colons and (layer := self.site.module(module, self.run)) is not None:
            yield layer

    def _in_levels(
        self, levels: tuple[HieraLevel, ...], root: str, rule: LookupRule, layer: DataLayer
    ) -> HieraFound | None:
        found: list[HieraFound] = []
        for level in levels:
            index = self._indexes.get(level) or self._index(level)
            if layer.module is not None:
                check_module_keys(index.files, root if rule.first else None)
            holders = index.holders.get(root, ())
            if root == OPTIONS_KEY and index.doubts:
                holders = [file for file in holders if file not in index.doubts]
            if holders:
                found.append(self._in_level(level, holders, root, rule, layer))
                if rule.first:
                    break
        if not found:
            return None
        name = f"{root} in {layer.title}"
        return rule.merged(name, found, self.run, is_only=len(levels) == 1, path=(root,))

    def _in_level(
        self, level: HieraLevel, files: Sequence[DataFile], root: str, rule: LookupRule, layer: DataLayer
    ) -> HieraFound:
        """What the files of a level that have a key come to."""
        doubts = self._index(level).doubts
        doubtful = [file for file in (files[:1] if rule.first else files) if file in doubts]
        if doubtful:
            written = [file.root.child(root) for file in files]
            node = lpf.MadeFrom(doubts[doubtful[0]], written[1:], "unknown").node(written[0], (root,))
            return HieraFound(node.value, node, level.name)
        if rule.first:
            return self.value(files[0].key(root))
        found = [self.value(file.key(root)) for file in files]
        is_only = len(self.read(level)) == 1
        return rule.merged(f"{root} in {layer.title}, {level.name}", found, self.run, is_only=is_only, path=(root,))

    def read(self, level: HieraLevel) -> list[DataFile | None]:
        """The files of a level, in order, with those that it may have."""
        return [file for file, _ in self._read(level)]

    def _read(self, level: HieraLevel) -> list[tuple[DataFile | None, lp.Unknown | None]]:
        """The files of a level, with why it may not have them; none if the level cannot be read."""

        def read() -> list[tuple[DataFile | None, lp.Unknown | None]]:
            try:
                return self.files.read(level)
            except lp.Reject as reject:
                if reject.diagnostic.code != UNSUPPORTED:
                    raise
                self.unread[level] = reject.diagnostic
                return []

        found: list[tuple[DataFile | None, lp.Unknown | None]] = once(self._levels, level, read)
        return found

    def _index(self, level: HieraLevel) -> LevelIndex:
        """The keys of the files of a level; nodes that have the same files share it."""
        own = self._indexes.get(level)
        if own is None:
            files = [file for file, _ in self._read(level) if file is not None]
            doubts = {file: doubt for file, doubt in self._read(level) if file is not None and doubt is not None}
            key, shared = (*map(id, files), *doubts.values()), self.site.indexes
            if key not in shared and len(shared) >= _MOST_INDEXES:
                shared.clear()
            own = self._indexes[level] = once(shared, key, lambda: LevelIndex(files, doubts))
        return own

    def _doubt_on_options(self, root: str) -> lp.Unknown | None:
        """Why it is not known which lookup_options hold for a key, if files that the node may have say something that
        no higher file decides."""
        undecided: lp.Unknown | None = None
        """An entry that the node may have, and that matters only if another one says something else."""
        has_pattern = False
        for options, doubt in self._open_options:
            entry = options.find(root)
            if entry is None:
                continue
            says_something = not _is_default(entry)
            if doubt is not None:
                if says_something or has_pattern:
                    return doubt
                undecided = undecided or doubt
            elif entry.pattern is None:  # which no lower file changes, and no pattern
                return undecided if says_something else None
            elif says_something:
                if undecided is not None:
                    return undecided
                has_pattern = True
        return None

    @cached_property
    def _open_options(self) -> list[tuple[LookupOptions, lp.Unknown | None]]:
        """The lookup_options of each file, the highest first, if the node may have some of the files."""
        if not any(index.doubts for index in self.indexes):
            return []
        return [
            (entries_of(file.root.child(OPTIONS_KEY)), index.doubts.get(file))
            for index in self.indexes
            for file in index.files
            if isinstance(file.value.get(OPTIONS_KEY), dict)
        ]

    @property
    def levels(self) -> list[HieraLevel]:
        """The levels of the global and the environment layer, the highest first."""
        return [level for layer in self.site.layers for level in layer.config.levels]

    def merged_keys(self, keys: Iterable[str]) -> set[str]:
        """Those of some keys whose values are merged, so that no level alone decides about them."""
        try:
            options = self.options_for("")
            if not options.exact and not options.patterns:
                return set()
            return {key for key in keys if not options.rule(key).first}
        except (lp.Reject, lp.InputError):  # which each key is rejected with
            return set(keys)

    @property
    def indexes(self) -> list[LevelIndex]:
        """The keys of each level of the global and the environment layer, the highest first."""
        return [self._index(level) for level in self.levels]

    def files_read(self) -> Iterator[DataFile]:
        """The files that were read for this node."""
        return (file for files in self._levels.values() for file, _ in files if file is not None)

    def _by_default(self, root: str) -> HieraFound | None:
        """What a module's default_hierarchy has, which knows its own lookup_options only."""
        module, colons, _ = root.partition("::")
        layer = self.site.module(module, self.run) if colons else None
        if layer is None or not layer.config.default_levels:
            return None
        levels = layer.config.default_levels
        with self.stack.under(OPTIONS_KEY):
            own = self._options_of(levels, layer)
        options = entries_of(self._merged_options(own))
        return self._in_levels(levels, root, options.rule(root), layer)

    # One value of one file

    def value(self, key: FileKey) -> HieraFound:
        """What a file has for a key, filled in."""
        if key.same is not None:
            return key.same
        found = self._values.get(key)
        if found is None:
            found = self._values[key] = self._file_value(key)
        return found

    def _file_value(self, key: FileKey) -> HieraFound:
        check_value(key)
        node = self._encrypted(key) if key.is_cipher else key.node
        if not key.facts.fill:
            return HieraFound(node.value, node, key.file.name, may_be_secret=key.is_cipher)
        if key.file.decrypts:
            node = _without_breaks(node)
        readings = self.interpolator.readings(node, key.facts.expressions)
        value, sensitive = self._filled(key, node, readings)
        read = [reading.found for reading in readings if reading.found is not None]
        return HieraFound(
            value,
            lambda: self.interpolator.filled(node),
            key.file.name,
            lambda: (output for found in read for output in found.outputs()),
            sensitive=sensitive,
            may_be_secret=key.is_cipher or any(found.may_be_secret for found in read),
        )

    def _filled(self, key: FileKey, node: lp.SourceNode, readings: list[Reading]) -> tuple[Any, bool]:
        """The value of a node filled in; nodes that read the same in it have the same value."""
        identity = tuple([reading.identity for reading in readings])
        known = key.results.get(identity)
        if known is None:
            if len(key.results) >= _MOST_RESULTS:
                key.results.clear()
            kept = [reading.value for reading in readings]  # an identity may be the id of one
            known = key.results[identity] = *self.interpolator.value_of(node), kept
        return known[0], known[1]

    def _encrypted(self, key: FileKey) -> lp.SourceNode:
        node, ciphers = key.node, key.facts.ciphers
        origins = [at for path in ciphers if (at := node.at(path).origin()) is not None]
        if not self._keep_encrypted:
            raise lp.Reject(messages.ENCRYPTED.at(origins[0], name=key.name))
        self.encrypted.update(dict.fromkeys(origins, key.name))
        return lp.SourceNode(
            node.value,
            node.path,
            node.positions,
            node.index,
            node.layer,
            secret=lpx.Secrecy.ENCRYPTED if () in ciphers else False,
            secret_keys=_secret_keys(ciphers),
        )

    # lookup_options

    def options_for(self, root: str) -> LookupOptions:
        """The lookup_options that hold for a key."""
        module, colons, _ = root.partition("::")
        found: LookupOptions = once(self._options, module if colons else "", lambda: self._options_in(module, colons))
        return found

    def _options_in(self, module: str, colons: str) -> LookupOptions:
        layer = self.site.module(module, self.run) if colons else None
        return self.options_for("") if colons and layer is None else self._gather(layer)

    def _gather(self, module: DataLayer | None) -> LookupOptions:
        found: list[HieraFound] = []
        with self.stack.under(OPTIONS_KEY):
            for layer in (*self.site.layers, *([module] if module else ())):
                own = self._options_of(layer.config.levels, layer)
                if layer.module is not None and own:
                    check_module(own[0].node, layer.module)
                found += own
        return entries_of(self._merged_options(found))

    def _merged_options(self, found: list[HieraFound]) -> lp.Node | None:
        return HASH.merged(OPTIONS_KEY, found, self.run, is_only=False).node if found else None

    def _options_of(self, levels: tuple[HieraLevel, ...], layer: DataLayer) -> list[HieraFound]:
        """The lookup_options of one layer, merged; at most one."""
        try:
            found = self._in_levels(levels, OPTIONS_KEY, HASH, layer)
        except lp.Reject as reject:
            codes = {"merge-type": "lookup-options"}
            raise lp.Reject(
                *(replace(each, code=codes.get(each.code, each.code)) for each in reject.diagnostics)
            ) from None
        return [found] if found is not None and check_layer(found) else []

    # All keys

    @property
    def first(self) -> dict[str, Any]:
        """What the highest file has for each key of the global and the environment layer, in the order in which keys
        are met; its `FileKey` where something has to be done with the value."""
        if self._first is None:
            self._first = lph.first_of([index.first for index in self.indexes])
        return self._first

    def all_keys(self) -> Iterable[str]:
        """The keys of all files of the global and the environment layer, in the order they are met; if they are asked
        for, those of modules, too."""
        if not self._with_modules:
            return self.first
        found = dict.fromkeys(self.first)
        for module in self.site.modules():
            own = self.site.module(module, self.run)
            levels = (*own.config.levels, *own.config.default_levels) if own else ()
            found.update({key: None for level in levels for key in self._index(level).first if _is_of(key, module)})
        return found

    def keys_with_rules(self) -> Collection[str]:
        """The keys for which more may count than the highest file: lookup_options have them, or their module has data
        of its own."""
        modules = {name for index in self.indexes for name in index.modules}
        modules = {name for name in modules if self.site.module(name, self.run) is not None}
        try:
            options = self.options_for("")
        except (lp.Reject, lp.InputError):  # which each key is rejected with
            return self.first
        if options.patterns or any(doubt is not None for _, doubt in self._open_options):
            return self.first
        found = set(options.exact)
        if modules:
            found.update(key for key in self.first if key.partition("::")[0] in modules)
        return found

    def highest(self, key: FileKey) -> HieraFound:
        """The value of a key for which nothing counts but the highest file that has it."""
        with self.stack.under(quoted(key.name)):
            return self.value(key)

    def all_of_key(self, key: str, merge: LookupRule | None = None) -> HieraFound | None:
        """The value of a key of a file: its dots are not split."""
        return self.lookup(quoted(key), merge)


def _is_default(entry: KeyOptions) -> bool:
    """Whether an entry of lookup_options says no more than what holds without it."""
    try:
        return entry.rule.first and entry.convert_to is None
    except lp.Reject:
        return False


def _unknown(unknown: lp.Unknown, found: HieraFound) -> HieraFound:
    """What was found, as a value that is not known."""
    node = lpf.MadeFrom(unknown, (), "unknown").node(found.node)
    return HieraFound(unknown, node, found.layer, found.outputs, may_be_secret=found.may_be_secret)


def _converted_unknown(found: HieraFound, convert_to: Any) -> HieraFound:
    """What was found, converted: no more is known than before, but whether it is a secret."""
    _, unknown = next(lpo.unknown_values(found.value))
    is_secret = "Sensitive" in str(convert_to)
    node = lpf.MadeFrom(unknown, (), "unknown").node(found.node)
    return HieraFound(
        unknown,
        lpx.secret(node) if is_secret else node,
        found.layer,
        found.outputs,
        sensitive=is_secret,
        may_be_secret=found.may_be_secret,
    )


def check_value(key: FileKey) -> None:
    """Reject what Puppet does not allow in the value of a key."""
    if key.facts.bad is not None:
        path, problem = key.facts.bad
        at = key.node.at(path).origin()
        raise lp.Reject(messages.VALUE_TYPE.at(at, name=key.name, problem=problem))


def check_module_keys(files: Sequence[DataFile], until: str | None = None) -> None:
    """Reject a file of a module that has a key that is not a string; no more files are read than one that has the key
    `until`."""
    for file in files:
        for key in file.value:
            if not isinstance(key, str):
                at = file.root.key_origin(key)
                raise lp.Reject(messages.KEY_NOT_A_STRING.at(at, key=key))
        if until is not None and until in file.value:
            return


def _is_of(key: str, module: str) -> bool:
    return key.startswith(f"{module}::")


def _secret_keys(paths: tuple[lp.Path, ...]) -> lpx.SecretKeys | None:
    """Which members are encrypted, as nested mappings."""
    found: dict[Any, Any] = {}
    for path in paths:
        current = found
        for step in path[:-1]:
            current = current.setdefault(step, {})
        if path:
            current[path[-1]] = lpx.Secrecy.ENCRYPTED
    return found or None


def _without_breaks(node: lp.SourceNode) -> lp.SourceNode:
    rewritten = lp.rewrite(node, string=without_break)
    assert isinstance(rewritten, lp.SourceNode)
    return rewritten
