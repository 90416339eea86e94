"""Files of variables: which ones a group or a host has beside a source or a playbook, and what is in them.

Of `NAME`, `NAME.yml`, `NAME.yaml` and `NAME.json` the first that exists counts, and no other one, be it a file or a
folder. Of a folder the files are laid over one another in the order of their names; a folder in it counts where its
name stands, if there is no dot in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import splitext
from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.ansible import yaml_values
from lamina.dialects.ansible.faults import warning
from lamina.dialects.ansible.inventory import without_magic
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.dialects.ansible.settings import AnsibleSettings

GROUP_VARS: Final = "group_vars"
HOST_VARS: Final = "host_vars"
_DEEPEST: Final = 32


@dataclass(slots=True, eq=False)
class VariableFile:
    """A file of variables: its variables, or why there are none."""

    name: str
    node: lp.SourceNode | None = None
    faults: tuple[lp.Diagnostic, ...] = ()
    is_encrypted: bool = False
    notes: Sequence[lp.Diagnostic] = ()


class VariableFiles:
    """The files of all groups and hosts; each is read when the first host needs it."""

    def __init__(self, tree: lph.Tree, settings: AnsibleSettings, run: lp.Run) -> None:
        self._tree = tree
        self._settings = settings
        self._run = run
        self._files: dict[str, VariableFile] = {}
        self._of: dict[tuple[str, str, str], Sequence[VariableFile]] = {}
        self.notes: list[lp.Diagnostic] = []
        self._not_folders: set[str] = set()

    def of(self, folder: str, kind: str, name: str) -> Sequence[VariableFile]:
        """The files of a group or a host in a folder, in the order in which they are merged."""
        key = folder, kind, name
        if key not in self._of:
            self._of[key] = [self._file(path) for path in self.paths(folder, kind, name)]
        return self._of[key]

    def paths(self, folder: str, kind: str, name: str) -> Sequence[str]:
        """Their paths; nothing is read."""
        where = lph.within(folder, kind)
        if where is None or not self._has_folder(where):
            return ()
        path = lph.within(where, name)
        if path is None or name.startswith("/") or ".." in name.split("/"):
            return ()
        first = self._tree.first_path(path, *(f"{path}{ending}" for ending in self._settings.yaml_valid_extensions))
        if first is None or self._tree.is_file(first):
            return () if first is None else (first,)
        return [*self._tree.below(first, self._is_taken, _is_entered)]

    def _has_folder(self, path: str) -> bool:
        if self._tree.is_folder(path):
            return True
        if path not in self._not_folders and self._tree.is_file(path):
            self._not_folders.add(path)
            hint = "it holds one file for each group or host"
            self.notes.append(warning("not-a-folder", f"{path} is a file and is not read", None, hint))
        return False

    def _is_taken(self, name: str) -> bool:
        ending = splitext(name)[1]
        return not _is_hidden(name) and (not ending or ending in self._settings.yaml_valid_extensions)

    def _file(self, path: str) -> VariableFile:
        if path not in self._files:
            self._files[path] = self._opened(path)
        return self._files[path]

    def _opened(self, path: str) -> VariableFile:
        try:
            source = self._tree.read(path)
            if source is None:
                return VariableFile(path)
            if yaml_values.is_encrypted(source):
                return VariableFile(source.name, is_encrypted=True)
            return self._variables(source)
        except (lp.Reject, lp.InputError) as error:
            return VariableFile(path, faults=tuple(error.diagnostics))

    def _variables(self, source: lp.Source) -> VariableFile:
        node, notes = read_variables(source, self._settings, self._run)
        if not node.value:
            return VariableFile(source.name)
        if not isinstance(node.value, dict):
            raise lp.Reject(not_a_mapping(node))
        return VariableFile(source.name, without_magic(node), notes=notes)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name.endswith("~")


def _is_entered(name: str) -> bool:
    return not _is_hidden(name) and not splitext(name)[1]


def not_a_mapping(node: lp.SourceNode) -> lp.Diagnostic:
    """The finding for a file of variables that is none."""
    return lp.Diagnostic(
        code="variables-not-a-mapping",
        message=f"a file of variables must be a mapping, not {lp.word_for(node.value)}",
        at=node.origin(),
        hint="write names with a colon behind each",
    )


def read_variables(
    source: lp.Source, settings: AnsibleSettings, run: lp.Run
) -> tuple[lp.SourceNode, Sequence[lp.Diagnostic]]:
    """The content of a file, and what there is to say of it, as the setting `duplicate_dict_key` has it."""
    document = yaml_values.read(source, run, quiet=settings.duplicate_dict_key == "ignore")
    if settings.duplicate_dict_key == "error" and document.notes:
        raise lp.Reject(*(_as_error(note) for note in document.notes))
    positions = document.document.positions
    old = [(record, tag) for record, tag in positions.tags.items() if tag == "!vault-encrypted"]
    notes = [
        warning(
            "deprecated-tag",
            f"the tag {tag} is going to be dropped by Ansible",
            positions.origin(record),
            "write !vault",
        )
        for record, tag in old
    ]
    return yaml_values.root(document, source.name), [*document.notes, *notes]


def _as_error(note: lp.Diagnostic) -> lp.Diagnostic:
    return lp.Diagnostic(
        code=note.code, message=note.message, at=note.at, related=note.related, hint=note.hint or "remove one of them"
    )
