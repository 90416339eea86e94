"""How reclass merges: the classes of a node, parents first, then the node itself.

Mappings are merged key by key, lists are joined, and a value without parts replaces one; null is replaced by anything.
Other pairs are rejected. A key `~name` replaces what is there as a whole; after `=name` no later class may set it.
Classes and applications are listed once each, and `~name` among applications takes one away.

References (`${a:b}`) are filled in when everything is merged. A string that is nothing but a reference to a mapping or
a list is merged like that: the classes are merged with what was found for it, until nothing new is found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from posixpath import splitext
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.reclass.dialect import detect
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf
from lamina.plugin import hierarchy as lph
from lamina.plugin import references as lpr

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lamina.dialects.reclass.dialect import ReclassOptions
    from lamina.plugin import operators as lpo

_REFERENCES: Final = lpr.References("${", "}", separator=":", nested=True, escape="\\", text=str)
_FILL_IN: Final = lpr.interpolate(_REFERENCES, path=("parameters",))
_FILL_IN_WHAT_IS_THERE: Final = lpr.interpolate(replace(_REFERENCES, missing="keep"), path=("parameters",))
_ASKED: Final = ("parameters", "\0references")
"""Where references are filled in that decide how classes are merged."""
_MOST_PASSES: Final = 20
_MERGED: Final = lp.Rules(
    "reclass",
    lists="append",
    null="replaced",
    other_types="reject unless replaced",
    marks={"~": "replace", "=": "constant"},
)
_GUESSED: Final = lp.Rules("reclass", lists="append", null="replaced", other_types="keep", marks={"~": "replace"})
"""While references are looked for, a mapping or list stays where a reference meets it."""
_LISTED: Final = lp.Rules("listed once", lists="unique", removes="~")


@dataclass(frozen=True, slots=True, eq=False)
class ReclassFile:
    """The file of a class or a node."""

    name: str
    path: str
    root: lp.Node


class ReclassNodes(lph.NodeSystem):
    """The nodes and classes of a folder."""

    def __init__(self, inputs: lp.Inputs, options: ReclassOptions) -> None:
        self._tree = lph.tree_of(inputs)
        self._run = inputs.run
        source = self._tree.read("reclass-config.yml")
        config = (source and lp.read_yaml(source, self._run).value) or {}
        self._classes = dict(self._named(str(config.get("classes_uri", "classes")), composed=True))
        composed = bool(config.get("compose_node_name"))
        self._node_files = dict(self._named(str(config.get("nodes_uri", "nodes")), composed=composed))
        self._read: dict[str, ReclassFile] = {}
        if not self._node_files:
            message = f"there are no nodes in {self._tree.folder or 'what was given'}"
            hint = "each file in nodes/ is one; nodes_uri in reclass-config.yml names another folder"
            raise lp.InputError(lp.Diagnostic(code="no-nodes", message=message, hint=hint))

    def _named(self, folder: str, *, composed: bool) -> Iterator[tuple[str, str]]:
        where = lph.within(folder) or ""
        for path in self._tree.below(where, lambda name: name.endswith((".yml", ".yaml"))):
            name = splitext(path[len(where) :].lstrip("/"))[0]
            yield (name.removesuffix("/init").replace("/", ".") if composed else name.rpartition("/")[2]), path

    def nodes(self) -> Mapping[str, lp.Origin | None]:
        return dict.fromkeys(sorted(self._node_files))

    def layers(self, name: str) -> Iterator[lpx.NodeLayer]:
        for file in self._files(name):
            yield lpx.NodeLayer(file.name, file.path, file.path, lp.Origin(file.path, 1, 1))

    def steps(self, name: str) -> Iterator[lpo.Step]:
        files = self._files(name)
        whole = {text for file in files for text in _whole(file.root.child("parameters").value)}
        found: dict[str, lp.Node] = {}
        for _ in range(_MOST_PASSES if whole else 0):
            known, asked = found, self._asked(sorted(whole), name, files, found)
            found = {text: node for text, node in asked.items() if isinstance(node.value, (dict, list))}
            if {text: node.value for text, node in known.items()} == {text: node.value for text, node in found.items()}:
                break
        yield from self._merges(name, files, found, _MERGED)
        yield _FILL_IN

    def _asked(
        self, texts: Sequence[str], name: str, files: Sequence[ReclassFile], found: Mapping[str, lp.Node]
    ) -> dict[str, lp.Node]:
        """What references come to when files are merged with what was found for some already."""
        asked = lp.merge(lp.LiteralNode(list(texts), ()), _GUESSED.policy, path=_ASKED)
        merges = self._merges(name, files, found, _GUESSED)
        node = lp.folded(name, *merges, asked, _FILL_IN_WHAT_IS_THERE, run=self._run)
        return {text: node.at((*_ASKED, at)) for at, text in enumerate(texts)}

    def _merges(
        self, name: str, files: Sequence[ReclassFile], found: Mapping[str, lp.Node], rules: lp.Rules
    ) -> Iterator[lp.Start | lp.Merge]:
        yield lp.start({"applications": [], "classes": [], "environment": "base", "parameters": self._about(name)})
        for file in files:
            classes = file.root.child("classes")
            if isinstance(classes, lp.SourceNode) and classes.value is not None:
                absolute = lp.rewrite(classes, string=partial(_absolute, holder=file.name))
                yield lp.merge(absolute, _LISTED.policy, _by(file, files), path=("classes",))
        yield from _LISTED.merges(_set(files, "applications"), ("applications",))
        yield from _LISTED.merges(_set(files, "environment"), ("environment",))
        yield from rules.merges(_set(files, "parameters"), ("parameters",), partial(_replaced, found=found))

    def _about(self, name: str) -> Any:
        """What reclass itself says of a node."""
        parts = name.split(".")
        environment = self._file(name, self._node_files[name]).root.child("environment").value
        names = {"full": name, "short": parts[-1], "path": "/".join(parts), "parts": parts}
        return {"_reclass_": {"name": names, "environment": environment if isinstance(environment, str) else "base"}}

    def _files(self, name: str) -> list[ReclassFile]:
        """The classes of a node, parents first, and the node."""

        def parents(holder: ReclassFile, before: Sequence[ReclassFile]) -> Iterable[tuple[str, lp.Origin | None]]:
            listed = holder.root.child("classes")
            for at, written in enumerate(listed.value if isinstance(listed.value, list) else ()):
                text = _absolute(str(written), holder.name)
                if _REFERENCES.holds(text):
                    text = str(self._asked([text], name, before, {})[text].value)
                yield text, listed.child(at).origin()

        node = self._file(name, self._node_files[name])
        return lph.inherited(node, parents, lambda each, at, _: self._class(each, at))

    def _class(self, name: str, at: lp.Origin | None) -> ReclassFile:
        if name not in self._classes:
            hint = lp.did_you_mean(name, self._classes)
            raise lp.Reject(lp.Diagnostic(code="no-such-class", message=f"there is no class {name}", at=at, hint=hint))
        return self._file(name, self._classes[name])

    def _file(self, name: str, path: str) -> ReclassFile:
        source = self._tree.read(path)
        if path not in self._read and source is not None:
            root = lp.read_yaml(source, self._run).root(source.name)
            if root.value is not None and not isinstance(root.value, dict):
                message = f"a class must be a mapping, not {lp.word_for(root.value)}"
                hint = "write parameters: and keys below it"
                raise lp.Reject(lp.Diagnostic(code="class-not-a-mapping", message=message, at=root.origin(), hint=hint))
            self._read[path] = ReclassFile(name, path, lp.rewrite(root, key_at=_text_key))
        return self._read[path]


def _text_key(key: Any, path: lp.Path) -> Any:
    """A key of a mapping as a string, but for those in lists."""
    return key if any(isinstance(step, int) for step in path) else str(key)


def _set(files: Sequence[ReclassFile], field: str) -> Iterator[tuple[str, lp.Node]]:
    """What the files say of a field."""
    nodes = ((_by(file, files), file.root.child(field)) for file in files)
    yield from ((by, node) for by, node in nodes if node.value is not None and node.value is not lp.MISSING)


def _by(file: ReclassFile, files: Sequence[ReclassFile]) -> str:
    return f"{'node' if file is files[-1] else 'class'} {file.name}"


def _whole(value: Any) -> Iterator[str]:
    """The strings that are nothing but a reference, outside of lists."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _whole(each)
    elif _REFERENCES.holds(value):
        parts = list(_REFERENCES.parts(value))
        if len(parts) == 1 and isinstance(parts[0], lpr.Reference):
            yield value


def _replaced(text: str, found: Mapping[str, lp.Node]) -> Any:
    if "$[" in text:
        message = "queries of the inventory are not answered"
        raise lp.Reject(lp.Diagnostic(code="inventory-query", message=message, hint="write the value"))
    return lpf.MadeFrom(found[text].value, (found[text],), "reference", same=True) if text in found else text


def _absolute(name: str, holder: str) -> str:
    """The name of a class; dots in front count from the class that names it."""
    own = name.lstrip(".")
    dots = len(name) - len(own)
    return ".".join([*(holder.split(".")[:-dots] if dots else ()), own])


compile_inputs = lph.compiler_of(ReclassNodes)
FLEET: Final = lph.fleet_of(ReclassNodes)
TARGETS: Final = lph.targets_of(detect, "a reclass inventory")
