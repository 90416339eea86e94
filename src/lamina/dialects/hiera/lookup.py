"""Looking a key up for one node: levels, layers, options, and what is filled in on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera.convert import converted
from lamina.dialects.hiera.interpolation import HieraFound, Interpolator, NameStack
from lamina.dialects.hiera.keys import quoted, segments_of, value_at_segments
from lamina.dialects.hiera.level_files import DataFile, LevelFiles, without_break
from lamina.dialects.hiera.lookup_options import LookupOptions, check_layer, check_module, entries_of
from lamina.dialects.hiera.strategies import HASH, LookupRule
from lamina.dialects.hiera.tree import once
from lamina.plugin import extensions as lpx

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lamina.dialects.hiera.config import Level
    from lamina.dialects.hiera.layers import DataLayer, HieraSite
    from lamina.dialects.hiera.variables import Variables

OPTIONS_KEY: Final = "lookup_options"


class HieraNodeView:
    """The data as one node sees it."""

    def __init__(
        self,
        site: HieraSite,
        variables: Variables,
        mapped: Mapping[str, str],
        run: lp.Run,
        *,
        keep_encrypted: bool = False,
        with_modules: bool = False,
    ) -> None:
        self.site = site
        self.run = run
        self.variables = variables
        self.stack = NameStack()
        self.interpolator = Interpolator(variables, self.lookup, self.stack, run)
        self.files = LevelFiles(site, variables, self.interpolator, mapped, run)
        self.encrypted: dict[lp.Origin, str] = {}
        """Values that were left encrypted: where, and in which key."""
        self._keep_encrypted = keep_encrypted
        self._with_modules = with_modules
        self._levels: dict[Level, list[DataFile | None]] = {}
        self._found: dict[str, HieraFound | None] = {}
        self._values: dict[tuple[int, str], HieraFound] = {}
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
        rule = merge or self.options_for(root).rule(root)
        found = self._value_inside(self._in_layers(root, rule), rest, key)
        if found is None:
            found = self._value_inside(self._by_default(root), rest, key)
        if found is None or entry is None or entry.convert_to is None:
            return found
        with lp.blamed_on(entry.at):
            return converted(found, entry.convert_to, key, self.run)

    @staticmethod
    def _value_inside(found: HieraFound | None, rest: tuple[str | int, ...], key: str) -> HieraFound | None:
        if found is None or not rest:
            return found
        node = value_at_segments(found.node, rest, key)
        return None if node is None else HieraFound(node)

    def _in_layers(self, root: str, rule: LookupRule) -> HieraFound | None:
        found: list[HieraFound] = []
        for layer in self.layers_for(root):
            value = self._in_levels(layer.config.levels, root, rule, layer)
            if value is not None:
                found.append(value)
                if rule.first:
                    break
        return self._folded(found, rule, root, is_only=False)

    def _folded(self, found: list[HieraFound], rule: LookupRule, root: str, *, is_only: bool) -> HieraFound | None:
        if not found:
            return None
        node = rule.folded([each.node for each in found], self.run, is_only=is_only, path=(root,))
        assert node is not None
        return found[0] if node is found[0].node else HieraFound(node)

    def layers_for(self, root: str) -> Iterator[DataLayer]:
        """The layers that may have a key."""
        yield from self.site.layers
        module, colons, _ = root.partition("::")
        if colons and (layer := self.site.module(module, self.run)) is not None:
            yield layer

    def _in_levels(self, levels: tuple[Level, ...], root: str, rule: LookupRule, layer: DataLayer) -> HieraFound | None:
        found: list[HieraFound] = []
        for level in levels:
            value = self._in_level(level, root, rule, layer)
            if value is not None:
                found.append(value)
                if rule.first:
                    break
        return self._folded(found, rule, root, is_only=len(levels) == 1)

    def _in_level(self, level: Level, root: str, rule: LookupRule, layer: DataLayer) -> HieraFound | None:
        found: list[HieraFound] = []
        files = self.read(level)
        for file in files:
            if file is None:
                continue
            if layer.module is not None:
                check_module_keys(file)
            if root in file.value:
                found.append(self.value(file, root))
                if rule.first:
                    break
        return self._folded(found, rule, root, is_only=len(files) == 1)

    def read(self, level: Level) -> list[DataFile | None]:
        """The files of a level, in order."""
        read: list[DataFile | None] = once(self._levels, level, lambda: self.files.read(level))
        return read

    def files_read(self) -> Iterator[DataFile]:
        """The files that were read for this node."""
        return (file for files in self._levels.values() for file in files if file is not None)

    def _by_default(self, root: str) -> HieraFound | None:
        """What a module's default_hierarchy has, which knows its own lookup_options only."""
        module, colons, _ = root.partition("::")
        layer = self.site.module(module, self.run) if colons else None
        if layer is None or not layer.config.default_levels:
            return None
        levels = layer.config.default_levels
        with self.stack.under(OPTIONS_KEY):
            own = self._options_of(levels, layer)
        options = entries_of(HASH.folded(own, self.run, is_only=False))
        return self._in_levels(levels, root, options.rule(root), layer)

    # One value of one file

    def value(self, file: DataFile, key: str) -> HieraFound:
        """What a file has for a key, filled in."""
        plain = file.plain.get(key)
        if plain is not None:
            return HieraFound(plain)
        value: HieraFound = once(self._values, (id(file), key), lambda: self._file_value(file, key))
        return value

    def _file_value(self, file: DataFile, key: str) -> HieraFound:
        facts = file.facts(key)
        node = file.root.child(key)
        assert isinstance(node, lp.SourceNode)
        check_value(file, key)
        if file.decrypts and facts.ciphers:
            node = self._encrypted(node, key, facts.ciphers)
        if not facts.fill:
            if not facts.ciphers:
                file.plain[key] = node
            return HieraFound(node)
        if file.decrypts:
            node = _without_breaks(node)
        filled, sensitive = self.interpolator.filled(node)
        return HieraFound(filled, sensitive)

    def _encrypted(self, node: lp.SourceNode, key: str, ciphers: tuple[lp.Path, ...]) -> lp.SourceNode:
        origins = [at for path in ciphers if (at := node.at(path).origin()) is not None]
        if not self._keep_encrypted:
            raise lp.Reject(
                lp.Diagnostic(
                    code="encrypted",
                    message=f"{key} is encrypted, and Lamina cannot decrypt it",
                    at=origins[0],
                    hint="--cleartext-secrets shows the ciphertext instead",
                )
            )
        self.encrypted.update(dict.fromkeys(origins, key))
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
        layer = self.site.module(module, self.run) if colons else None
        name = "" if layer is None else module
        found: LookupOptions = once(self._options, name, lambda: self._gather(layer))
        return found

    def _gather(self, module: DataLayer | None) -> LookupOptions:
        nodes: list[lp.Node] = []
        with self.stack.under(OPTIONS_KEY):
            for layer in (*self.site.layers, *([module] if module else ())):
                own = self._options_of(layer.config.levels, layer)
                if layer.module is not None and own:
                    check_module(own[0], layer.module)
                nodes += own
        return entries_of(HASH.folded(nodes, self.run, is_only=False))

    def _options_of(self, levels: tuple[Level, ...], layer: DataLayer) -> list[lp.Node]:
        """The lookup_options of one layer, merged; at most one."""
        try:
            found = self._in_levels(levels, OPTIONS_KEY, HASH, layer)
        except lp.Reject as reject:
            codes = {"merge-type": "lookup-options"}
            raise lp.Reject(
                *(replace(each, code=codes.get(each.code, each.code)) for each in reject.diagnostics)
            ) from None
        return check_layer([found.node] if found is not None else [])

    # All keys

    def all_keys(self) -> Iterable[str]:
        """The keys of all files of the global and the environment layer, in the order they are met; if they are asked
        for, those of modules, too."""
        found: dict[str, None] = {}
        for layer in self.site.layers:
            found.update(dict.fromkeys(self._keys(layer.config.levels)))
        for module in self.site.modules() if self._with_modules else ():
            own = self.site.module(module, self.run)
            levels = (*own.config.levels, *own.config.default_levels) if own else ()
            found.update(dict.fromkeys(key for key in self._keys(levels) if key.startswith(f"{module}::")))
        found.pop(OPTIONS_KEY, None)
        return found

    def _keys(self, levels: Iterable[Level]) -> Iterator[str]:
        for level in levels:
            for file in self.read(level):
                yield from (key for key in file.value if isinstance(key, str)) if file else ()

    def all_of_key(self, key: str, merge: LookupRule | None = None) -> HieraFound | None:
        """The value of a key of a file: its dots are not split."""
        return self.lookup(quoted(key), merge)


def check_value(file: DataFile, key: str) -> None:
    """Reject what Puppet does not allow in the value of a key."""
    bad = file.facts(key).bad
    if bad is not None:
        path, problem = bad
        message = f"{key} contains {problem}, which Puppet does not allow in data"
        hint = "use strings, numbers, booleans, lists, and mappings whose keys are strings or numbers"
        at = file.root.child(key).at(path).origin()
        raise lp.Reject(lp.Diagnostic(code="value-type", message=message, at=at, hint=hint))


def check_module_keys(file: DataFile) -> None:
    """Reject a file of a module that has a key that is not a string."""
    for key in file.value:
        if not isinstance(key, str):
            message = f"the key {key!r} in a module's data is not a string"
            at = file.root.key_origin(key)
            raise lp.Reject(lp.Diagnostic(code="value-type", message=message, at=at, hint="quote it"))


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
