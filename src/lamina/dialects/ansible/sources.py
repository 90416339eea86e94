"""The sources of an inventory, each read into it: folders, files whose kind is found by trying, and lists of hosts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from posixpath import dirname, join, splitext
from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.ansible.faults import fault, warning
from lamina.dialects.ansible.host_names import without_port
from lamina.dialects.ansible.ini_inventory import IniReading
from lamina.dialects.ansible.inventory import UNGROUPED, Inventory
from lamina.dialects.ansible.yaml_inventory import YamlReading
from lamina.dialects.ansible.yaml_values import is_encrypted
from lamina.plugin import formats as lpf
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from lamina.dialects.ansible.settings import AnsibleSettings

_NEVER_READ: Final = ("group_vars", "host_vars", "vars_plugins")


@dataclass(frozen=True, slots=True)
class InventorySource:
    """A source as it is named, its path in the tree if it is inside, and where it is named."""

    text: str
    path: str | None
    at: lp.Origin | None = None

    @property
    def is_host_list(self) -> bool:
        """Whether it lists hosts, unless there is a file of that name."""
        return "," in self.text


class SourceReading:
    """One traversal of all sources, in order."""

    def __init__(self, tree: lph.Tree, settings: AnsibleSettings, run: lp.Run) -> None:
        self._tree = tree
        self._settings = settings
        self._run = run
        self.inventory = Inventory(run)
        self.files: list[str] = []
        """The files that were read."""
        self._patterns = [_pattern(each, settings) for each in settings.ignore_patterns]

    def read(self, sources: Sequence[InventorySource]) -> Inventory:
        """The inventory that all sources make up; an error if nothing could be read."""
        parsed = [self._source(source) for source in sources]
        if not any(parsed):
            listed = ", ".join(source.text for source in sources) or "none was named"
            reasons = tuple(note for note in self.inventory.notes if note.code == "unparsed-inventory")
            at = reasons[0].at if reasons else None
            message = f"no inventory could be read: {listed}"
            if reasons:
                message += f" ({reasons[0].message})"
            hint = reasons[0].hint if reasons else "name one with --inventory"
            fault("no-inventory", message, at, hint or "name one with --inventory")
        self.inventory.finish()
        return self.inventory

    def _source(self, source: InventorySource) -> bool:
        if source.path is not None and self._tree.is_folder(source.path):
            return self._folder(source.path)
        file = None if source.path is None else self._tree.read(source.path)
        if file is not None:
            return self._file(file)
        if source.is_host_list:
            self._host_list(source.text)
            return True
        where = "outside of the input folder" if source.path is None else "not there"
        return self._unparsed(f"the inventory {source.text} is {where}", source.at, "correct the path")

    def _folder(self, path: str) -> bool:
        parsed = False
        for entry in self._tree.listing(path):
            name = entry.rstrip("/")
            if self._is_ignored(name):
                continue
            inside = join(path, name)
            if entry.endswith("/"):
                parsed = self._folder(inside) or parsed
            elif (file := self._tree.read(inside)) is not None:
                parsed = self._file(file) or parsed
        return parsed

    def _is_ignored(self, name: str) -> bool:
        if name.startswith(".") or name in _NEVER_READ or name.endswith(self._settings.ignore_extensions):
            return True
        return any(pattern.search(name) for pattern in self._patterns)

    def _file(self, file: lp.Source) -> bool:
        """A file as YAML or INI, in the order of the setting; false if it is neither."""
        self.files.append(file.name)
        ending = splitext(file.name)[1]
        faults: list[lp.Diagnostic] = []
        if is_encrypted(file):
            hint = "decrypt it for Lamina, or leave it out"
            return self._unparsed(f"{file.name} is encrypted", file.locate(0, 0), hint)
        for plugin in self._settings.enable_plugins:
            try:
                match plugin.removeprefix("ansible.builtin."):
                    case "yaml" if not ending or ending in self._settings.yaml_valid_extensions:
                        YamlReading(file, self.inventory, self._settings.group_name, self._run).read()
                        return True
                    case "ini" if ending != ".toml":
                        IniReading(file, self.inventory, self._settings.group_name).read()
                        return True
            except (lp.Reject, lp.InputError) as error:
                if error.diagnostics[0].code == "inventory-plugin":
                    raise
                faults.append(error.diagnostics[0])
        if not faults:
            message = f"{file.name} is no inventory that Lamina reads"
            return self._unparsed(message, None, "use INI or YAML")
        likely = faults[0] if ending and ending in self._settings.yaml_valid_extensions else faults[-1]
        message = f"{file.name} is only read up to a fault: {likely.message}"
        return self._unparsed(message, likely.at, likely.hint or "correct it")

    def _unparsed(self, message: str, at: lp.Origin | None, hint: str) -> bool:
        """Note a source that cannot be read; what it set before its fault counts."""
        setting = self._settings.origins.get("any_unparsed_is_failed")
        if self._settings.any_unparsed_is_failed:
            fault("no-inventory", message, at or setting, hint)
        self.inventory.notes.append(replace(warning("unparsed-inventory", message, at, hint), error_if_strict=True))
        return False

    def _host_list(self, text: str) -> None:
        for word in filter(None, map(str.strip, text.split(","))):
            name, port = without_port(word)
            if name not in self.inventory.hosts:
                at = lp.Origin("-i", 1, 1)
                node = lpf.written_at({"ansible_port": port}, at, "-i") if port else None
                self.inventory.add_host(name, UNGROUPED, at, node)


def folders_beside(tree: lph.Tree, sources: Sequence[InventorySource]) -> list[str]:
    """The folder beside each source, in which its group_vars and host_vars are."""
    found: list[str] = []
    for source in sources:
        if source.path is None or (source.is_host_list and tree.first_path(source.path) is None):
            continue
        found.append(source.path if tree.is_folder(source.path) else dirname(source.path))
    return found


def _pattern(text: str, settings: AnsibleSettings) -> re.Pattern[str] | lpf.SafePattern:
    try:
        return lpf.SafePattern(text)
    except lpf.BadPattern as error:
        at = settings.origins.get("ignore_patterns")
        fault("ansible-cfg", f"ignore_patterns has {text!r}: {error}", at, "correct the regular expression")
