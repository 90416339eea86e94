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
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf
from lamina.plugin import hierarchy as lph
from lamina.plugin import operators as lpo
from lamina.plugin import references as lpr

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lamina.dialects.reclass.dialect import ReclassOptions

_CONFIG: Final = "reclass-config.yml"
_REFERENCES: Final = lpr.References("${", "}", separator=":", nested=True, escape="\\", text=str)
_ASKED: Final = "\0references"
"""The key below which references are filled in that decide how classes are merged."""
_MOST_PASSES: Final = 20
_SINGLE: Final = tuple(each for each in lp.PRESENT if each not in (*lp.MAPS, *lp.LISTS))
_MEMBERS: Final = lp.Cases(((lp.ABSENT,), lp.ALL, lp.TAKE), (lp.ALL, lp.ALL, lp.DESCEND))
_ROWS: Final = (
    ((lp.NULL, lp.ABSENT), lp.ALL, lp.TAKE),
    (lp.MAPS, lp.MAPS, lp.Union(_MEMBERS)),
    (lp.LISTS, lp.LISTS, lp.JoinLists()),
    (_SINGLE, _SINGLE, lp.TAKE),
)
_MERGED: Final = lp.Policy(lp.Cases(*_ROWS, (lp.ALL, lp.ALL, lp.RejectPair("different-types"))), "reclass")
_GUESSED: Final = lp.Policy(lp.Cases(*_ROWS, (_SINGLE, lp.ALL, lp.TAKE), (lp.ALL, lp.ALL, lp.KEEP)), "reclass")
"""While references are looked for: a mapping or list stays where a reference meets it."""
_FAULTS: Final = {
    "different-types": lp.Message(
        "different-types",
        "{path} cannot be merged: it is {old_kind}, and {layer} has {new_kind}",
        "write ~ before the key",
    ),
    "constant": lp.Message("changed-constant", "{path} is constant, and {layer} changes it", "remove it there"),
}


class _Unique:
    """The items of two lists, each once; `~item` takes one away."""

    name = "unique"

    def apply(self, old: Any, new: Any, policy: Any, trail: Any, context: lpo.MergeContext) -> lpo.Delta:
        taken: dict[str, int] = {}
        for at, item in enumerate(new):
            taken.pop(item.removeprefix("~"), None)
            if not item.startswith("~"):
                taken[item] = at
        kept = [at for at, item in enumerate(old) if f"~{item}" not in new]
        added = [at for item, at in taken.items() if item not in [old[each] for each in kept]]
        slices = [lpo.Slice("old", at, at + 1) for at in kept] + [lpo.Slice("new", at, at + 1) for at in added]
        return lpo.ListDelta([*(old[at] for at in kept), *(new[at] for at in added)], tuple(slices))


_LISTED: Final = lp.Policy(lp.Cases((lp.LISTS, lp.LISTS, _Unique()), (lp.ALL, lp.ALL, lp.TAKE)), "listed once")


@dataclass(frozen=True, slots=True, eq=False)
class ReclassFile:
    """The file of a class or node, with the paths whose keys have a mark."""

    name: str
    root: lp.SourceNode
    marks: Mapping[tuple[Any, ...], str]


class ReclassNodes(lph.NodeSystem):
    """The nodes and classes of a folder."""

    def __init__(self, inputs: lp.Inputs) -> None:
        self._tree = lph.tree_of(inputs)
        self._run = inputs.run
        source = self._tree.read(_CONFIG)
        config = {} if source is None else lp.read_yaml(source, self._run).value or {}
        self._composed = bool(config.get("compose_node_name"))
        self._classes = dict(self._named(str(config.get("classes_uri", "classes")), composed=True))
        self._node_files = dict(self._named(str(config.get("nodes_uri", "nodes")), composed=self._composed))
        self._read: dict[str, ReclassFile] = {}

    def _named(self, folder: str, *, composed: bool) -> Iterator[tuple[str, str]]:
        where = lph.within(folder) or ""
        for path in self._tree.below(where, lambda name: name.endswith((".yml", ".yaml")), lambda name: True):  # noqa: ARG005
            name = splitext(path[len(where) :].lstrip("/"))[0]
            name = name.removesuffix("/init") if composed and name != "init" else name
            yield (name.replace("/", ".") if composed else name.rpartition("/")[2]), path

    def nodes(self) -> Mapping[str, lp.Origin | None]:
        return dict.fromkeys(sorted(self._node_files))

    def layers(self, name: str) -> Iterator[lpx.NodeLayer]:
        for file in self._files(name):
            source = file.root.origin().source
            yield lpx.NodeLayer(file.name, source, source, file.root.origin())

    def steps(self, name: str) -> Iterator[lpo.Step]:
        yield from self._steps(name, self._files(name))
        yield lpr.interpolate(_REFERENCES, path=("parameters",))

    def _files(self, name: str) -> list[ReclassFile]:
        node = self._file(name, self._node_files[name])

        def parents(holder: ReclassFile, before: Sequence[ReclassFile]) -> Iterable[tuple[str, lp.Origin | None]]:
            listed = holder.root.child("classes")
            for at, written in enumerate(listed.value if isinstance(listed.value, list) else ()):
                absolute = _absolute(str(written), holder.name)
                yield self._filled(absolute, name, before), listed.child(at).origin()

        return lph.inherited(node, parents, lambda each, at, _: self._class(each, at))

    def _class(self, name: str, at: lp.Origin | None) -> ReclassFile:
        if name not in self._classes:
            hint = lp.did_you_mean(name, self._classes)
            raise lp.Reject(lp.Diagnostic(code="no-such-class", message=f"there is no class {name}", at=at, hint=hint))
        return self._file(name, self._classes[name])

    def _filled(self, text: str, node: str, before: Sequence[ReclassFile]) -> str:
        """The name of a class with the references in it filled in by what comes before it."""
        if not _REFERENCES.holds(text):
            return text
        return str(next(iter(self._asked([text], node, before, {}).values())).value)

    def _file(self, name: str, path: str) -> ReclassFile:
        if path not in self._read:
            source = self._tree.read(path)
            assert source is not None
            document = lp.read_yaml(source, self._run)
            root = document.root(source.name)
            if root.value is not None and not isinstance(root.value, dict):
                why = f"a class must be a mapping, not {lp.word_for(root.value)}"
                finding = lp.Diagnostic(
                    code="class-not-a-mapping", message=why, at=root.origin(), hint="write parameters:"
                )
                raise lp.Reject(finding)
            parameters = (root.value or {}).get("parameters") or {}
            self._read[path] = ReclassFile(name, root, dict(_marks(parameters, ())))
        return self._read[path]

    def _steps(self, name: str, files: Sequence[ReclassFile]) -> Iterator[lpo.Step]:
        whole = {text for file in files for text in _whole(file.root.child("parameters").value)}
        found: dict[str, lp.Node] = {}
        for _ in range(_MOST_PASSES if whole else 0):
            known, found = found, self._asked(sorted(whole), name, files, found)
            found = {text: node for text, node in found.items() if isinstance(node.value, (dict, list))}
            if {text: node.value for text, node in known.items()} == {text: node.value for text, node in found.items()}:
                break
        yield from _merges(name, files, found, _MERGED)

    def _asked(
        self, texts: Sequence[str], name: str, files: Sequence[ReclassFile], found: Mapping[str, lp.Node]
    ) -> dict[str, lp.Node]:
        """What references come to when files are merged with what was found for some already."""
        asked = lp.merge(lp.LiteralNode(list(texts), ()), _GUESSED, path=("parameters", _ASKED))
        fill = lpr.interpolate(replace(_REFERENCES, missing="keep"), path=("parameters",))
        node = lp.folded(name, *_merges(name, files, found, _GUESSED), asked, fill, run=self._run)
        return {text: node.at(("parameters", _ASKED, at)) for at, text in enumerate(texts)}


def _merges(
    name: str, files: Sequence[ReclassFile], found: Mapping[str, lp.Node], policy: lp.Policy
) -> Iterator[lpo.Step]:
    parts = name.split(".")
    about = {"name": {"full": name, "short": parts[-1], "path": "/".join(parts), "parts": parts}, "environment": "base"}
    yield lp.start({"applications": [], "classes": [], "environment": "base", "parameters": {"_reclass_": about}})
    constants: list[lp.PathRule] = []
    for file in files:
        by = f"{'node' if file is files[-1] else 'class'} {file.name}"
        for field in ("classes", "applications", "environment", "parameters"):
            node = file.root.child(field)
            if not isinstance(node, lp.SourceNode) or node.value is None:
                continue
            if field == "parameters":
                filled = lp.rewrite(node, string=partial(_replaced, found=found), key_at=_key)
                yield lp.merge(filled, _with_marks(file, constants, policy), by, path=(field,), faults=_FAULTS)
            else:
                string = partial(_absolute, holder=file.name) if field == "classes" else None
                yield lp.merge(lp.rewrite(node, string=string), _LISTED, by, path=(field,))


def _with_marks(file: ReclassFile, constants: list[lp.PathRule], policy: lp.Policy) -> lp.Policy:
    """The policy for a file: what it replaces as a whole, and what it must not change; its own constants are added."""
    replaced = [_rule(path, lp.TAKE, "~ replaces") for path, mark in file.marks.items() if mark == "~"]
    rules = [*constants, *replaced]
    constants += [_rule(path, lp.RejectPair("constant"), "=") for path, mark in file.marks.items() if mark == "="]
    return lp.PathPolicy(rules, policy) if rules else policy


def _rule(path: tuple[Any, ...], operator: Any, label: str) -> lp.PathRule:
    return lp.PathRule(lambda names: names == path, lp.Cases.everywhere(operator), label)


def _marks(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The keys with a mark; below one there are no others."""
    for key, each in value.items() if isinstance(value, dict) else ():
        if _is_marked(key):
            yield (*path, str(key)[1:]), str(key)[0]
        else:
            yield from _marks(each, (*path, str(key)))


def _is_marked(key: Any) -> bool:
    return str(key)[:1] in ("~", "=")


def _key(key: Any, path: lp.Path) -> Any:
    """A key of a mapping as a string, without its mark; in lists, and below a mark, keys stay as they are."""
    if any(isinstance(step, int) or _is_marked(step) for step in path):
        return key
    return str(key)[1:] if _is_marked(key) else str(key)


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
        finding = lp.Diagnostic(
            code="inventory-query", message="queries of the inventory are not read", hint="remove it"
        )
        raise lp.Reject(finding)
    return lpf.MadeFrom(found[text].value, (found[text],), "reference", same=True) if text in found else text


def _absolute(name: str, holder: str) -> str:
    """The name of a class; dots in front count from the class that names it."""
    own = name.lstrip(".")
    dots = len(name) - len(own)
    above = holder.split(".")[:-dots] if dots else []
    return ".".join([*above, own])


def nodes_of(inputs: lp.Inputs, options: ReclassOptions) -> ReclassNodes:  # noqa: ARG001
    """The nodes of some inputs."""
    return ReclassNodes(inputs)


compile_inputs = lph.compiler_of(nodes_of)
FLEET: Final = lph.fleet_of(nodes_of)
