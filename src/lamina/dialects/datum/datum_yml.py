"""The definition: Datum.yml, which has the stores and their order of precedence.

`ResolutionPrecedence` is required; if empty, it is the stores in the order of their folders. Without `DatumStructure`
every folder next to the definition is a store. Unknown handlers are listed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from lamina._support.derived import Derived
from lamina._support.misspelling import is_similar
from lamina.dialects.datum import messages
from lamina.dialects.datum.detect import DEFINITION
from lamina.dialects.datum.equality import text_form, truth
from lamina.dialects.datum.handlers import INVOKE, NO_HANDLERS, PROTECTED, rules_of
from lamina.dialects.datum.tree import TreeFolder, folder_tree, read_document
from lamina.engine.node import LiteralNode, Node, SourceNode
from lamina.errors import InputError
from lamina.plugin.hierarchy import Level
from lamina.sources.caseless_keys import CaselessKey, caseless, folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.dialects.datum.handlers import HandlerRules
    from lamina.errors import Diagnostic, Note
    from lamina.sources.inputs import Files, Inputs

_STORE = "write {StoreName: NAME, StoreProvider: Datum::File, StoreOptions: {Path: ./FOLDER}}, FOLDER beside Datum.yml"


@dataclass(frozen=True, slots=True)
class Prefix(Level):
    """One entry of the precedence: where in the tree a layer is."""

    written: str | None = None
    """The script that returned it."""


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A hierarchy as defined: its stores, its precedence and its options."""

    follows_files: ClassVar[bool] = True
    """Whether it stays in use when files change: the version of a file is checked at each use, and get to
    know what is looked for."""

    node: Node
    root: TreeFolder
    precedence: tuple[Prefix, ...]
    notes: tuple[Note, ...]
    handlers: HandlerRules = NO_HANDLERS
    base: str = ""
    """The prefix of all file names: the folder of the definition."""
    derived: Derived = field(default_factory=Derived, init=False, repr=False)

    def serves_like(self, other: Definition) -> bool:
        """Whether lookups outside its stores give the same with another definition, read from the same file."""
        return self._frame == other._frame

    @property
    def _frame(self) -> tuple[object, ...]:
        """What it consists of, except for what is in the stores."""
        stores = [(str(key), type(store), store.name) for key, store in self.root.members.items()]
        return self.base, self.precedence, self.notes, stores, getattr(self.node, "layer", None)

    def option(self, name: str) -> Node:
        """The value of a key of the definition; null if absent. Keys are case-sensitive."""
        return _exactly(self.node, name)


def definition_of(inputs: Inputs, strict: bool) -> Definition:
    """The hierarchy of the inputs; its files are read once."""
    return inputs.derived.once(("definition", strict), lambda: _definition_of(inputs, strict))


def _definition_of(inputs: Inputs, strict: bool) -> Definition:
    files = _files(inputs)
    names = files.names()
    name = _definition_name(names)
    source = files.read(name)
    if source is None:
        raise InputError(messages.MISSING_FILE.at(name=name))
    document = read_document(source, inputs.run)
    node = SourceNode(document.value, (), document.positions, 0, name)
    if not isinstance(node.value, dict) or not any(str.__eq__(key, "ResolutionPrecedence") for key in node.value):
        raise InputError(_no_precedence(node, name))
    base = name[: -len(name.rsplit("/", 1)[-1])]
    root = TreeFolder("", files)
    structure = _exactly(node, "DatumStructure")
    if truth(structure.value):
        _defined_stores(structure, root, files, names, base, strict)
    else:
        _found_stores(root, files, names, base, strict)
    notes = (*_misspelt_keys(node), *_unknown_handlers(node))
    handlers = rules_of(_exactly(node, "DatumHandlers"), _exactly(node, "DatumHandlersThrowOnError"))
    return Definition(node, root, tuple(_precedence(node, root)), notes, handlers, base)


_KEYS = (
    "ResolutionPrecedence",
    "DatumStructure",
    "DatumHandlers",
    "DatumHandlersThrowOnError",
    "DscLocalConfigurationManagerKeyName",
    "default_lookup_options",
    "lookup_options",
    "default_json_depth",
)
"""The keys of a definition, which the program looks up with case."""


def _exactly(node: Node, name: str) -> Node:
    """The member of exactly that spelling; null when there is none."""
    found = next((key for key in node.value if str.__eq__(key, name)), None)
    return LiteralNode(None, ()) if found is None else node.child(found)


def _misspelt_keys(node: SourceNode) -> Iterator[Note]:
    """Keys that would be read if they were written as meant; others may be there for what builds with Datum."""
    for key in node.value:
        if any(str.__eq__(key, name) for name in _KEYS):
            continue
        for message, is_meant in (
            (messages.DEFINITION_KEY_CASE, str.__eq__),
            (messages.UNKNOWN_DEFINITION_KEY, is_similar),
        ):
            intended = next((name for name in _KEYS if is_meant(folded(key), folded(name))), None)
            if intended is not None:
                yield message.at(node.key_origin(key), subject=str(key), intended=intended)
                break


def _no_precedence(node: SourceNode, name: str) -> Diagnostic:
    found = next((key for key in node.value if key == "ResolutionPrecedence"), None) if node.value else None
    hint = (
        "list the layers under ResolutionPrecedence, most specific first"
        if found is None
        else f"rename {found} to ResolutionPrecedence; keys here are case-sensitive"
    )
    return messages.INVALID_DEFINITION.at(node.origin(), problem=f"{name} has no ResolutionPrecedence", hint=hint)


def _files(inputs: Inputs) -> Files:
    """The files of the hierarchy: those of the given folder, or those next to the given definition."""
    if inputs.folders:
        return inputs.folders[0].files
    given = (source.name for source in inputs.sources if source.name.rsplit("/", 1)[-1].lower() in DEFINITION)
    return inputs.files_of(next(given, ""))


def _definition_name(names: Sequence[str]) -> str:
    found = [name for name in names if name.rsplit("/", 1)[-1].lower() in DEFINITION]
    if not found:
        raise InputError(messages.NO_DEFINITION.at())
    return min(found, key=lambda name: (name.count("/"), name))


def _found_stores(root: TreeFolder, files: Files, names: Sequence[str], base: str, strict: bool) -> None:
    folders = {
        name[len(base) :].split("/")[0]: None for name in names if name.startswith(base) and "/" in name[len(base) :]
    }
    for folder in folders:
        if not folder.startswith("."):
            root.add(caseless(folder), folder_tree(base + folder, files, names, f"{base}{folder}/", strict=strict))


def _defined_stores(
    structure: Node, root: TreeFolder, files: Files, names: Sequence[str], base: str, strict: bool
) -> None:
    stores = (
        [structure.child(at) for at in range(len(structure.value))]
        if isinstance(structure.value, list)
        else [structure]
    )
    for store in stores:
        name, path = _store(store)
        prefix = f"{base}{path}/" if path else base
        found = next((each for each in names if folded(each[: len(prefix)]) == folded(prefix)), None)
        if found is None:
            raise InputError(messages.MISSING_STORE.at(store.origin(), path=path, name=name))
        prefix = found[: len(prefix)]
        root.add(name, folder_tree(prefix.rstrip("/"), files, names, prefix, strict=strict))


def _store(store: Node) -> tuple[CaselessKey, str]:
    """A store's name, and its folder relative to the definition."""
    if not isinstance(store.value, dict):
        raise InputError(_bad_store("a store must be a table with StoreName, StoreProvider and StoreOptions", store))
    provider = store.value.get(caseless("StoreProvider"))
    if text_form(provider).lower() not in ("datum::file", "file"):
        raise InputError(
            _bad_store(f"the store provider {text_form(provider)!r} is not supported; use Datum::File", store)
        )
    options = store.value.get(caseless("StoreOptions"))
    path = text_form(options.get(caseless("Path"))) if isinstance(options, dict) else ""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts or path.startswith(("/", "\\")) or ":" in path:
        raise InputError(_bad_store(f"the store path {path!r} is outside the data folder", store))
    name = text_form(store.value.get(caseless("StoreName"))) or (parts[-1] if parts else "")
    if not name:
        raise InputError(_bad_store("a store needs StoreName, and StoreOptions with Path", store))
    return caseless(name), "/".join(parts)


def _bad_store(message: str, store: Node) -> Diagnostic:
    return messages.INVALID_DEFINITION.at(store.origin(), problem=message, hint=_STORE)


def _precedence(node: Node, root: TreeFolder) -> Iterator[Prefix]:
    listed = _exactly(node, "ResolutionPrecedence")
    if not truth(listed.value):
        yield from (Prefix(str(name), listed.origin()) for name in root.members)
        return
    many = isinstance(listed.value, list)
    for entry in [listed.child(at) for at in range(len(listed.value))] if many else [listed]:
        text = text_form(entry.value)
        if text.strip():
            yield Prefix(text, entry.origin())


def _unknown_handlers(node: SourceNode) -> Iterator[Note]:
    handlers = _exactly(node, "DatumHandlers")
    for key in handlers.value if isinstance(handlers.value, dict) else ():
        if key in (INVOKE, PROTECTED):
            continue
        at = handlers.key_origin(key) if isinstance(handlers, SourceNode) else None
        yield messages.UNKNOWN_HANDLER.at(at, subject=str(key))


def plain(value: Any) -> Any:
    """A value of an option, with case-insensitive keys."""
    from lamina.dialects.datum.powershell_data.caseless_document import without_case_value

    return without_case_value(value)
