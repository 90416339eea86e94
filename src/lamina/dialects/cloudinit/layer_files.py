"""Layer files: which input is which layer, by its path.

Files are recognised by name: `cloud.cfg`, `cloud.cfg.d/NAME`, `user-data`, `vendor-data`, `vendor-data2`. A folder is
the root of an instance, or a plain folder of files with those names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit import messages
from lamina.engine.provenance import first_origin
from lamina.errors import InputError, MergeError, UsageError
from lamina.sources import document_cache
from lamina.sources.inputs import Folder
from lamina.sources.source import FixedLocation, Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.dialects.cloudinit.options import CloudInitOptions
    from lamina.engine.node import Node
    from lamina.errors import Note
    from lamina.run import Run
    from lamina.sources.inputs import Files, Inputs

CONFIG: Final = ("etc/cloud/cloud.cfg", "cloud.cfg")
RUNTIME: Final = "run/cloud-init/cloud.cfg"
COMMAND_LINE: Final = "proc/cmdline"
INSTANCE_DATA: Final = ("run/cloud-init/instance-data-sensitive.json", "run/cloud-init/instance-data.json")
INSTANCE: Final = "var/lib/cloud/instance"
SEEDS: Final = ("var/lib/cloud/seed/nocloud", "var/lib/cloud/seed/nocloud-net")
VENDOR: Final = ("vendor-data", "vendor-data2")
_AT_TOP: Final = frozenset((*CONFIG, RUNTIME, COMMAND_LINE, "user-data", *VENDOR))
_BELOW: Final = (*(f"{config}.d/" for config in CONFIG), INSTANCE, *SEEDS)


@dataclass(slots=True, eq=False)
class Arrangement:
    """The layers found."""

    config: Source | None = None
    fragments: dict[str, list[Source]] = field(default_factory=dict)
    """Directories of configuration, by their paths."""
    runtime: Source | None = None
    command_line: Source | None = None
    conf_d: list[Source] | None = None
    """The files of the directory the caller named, which replaces all others."""
    user_data: list[Source] = field(default_factory=list)
    vendor_data: dict[str, Source] = field(default_factory=dict)
    meta_data: Source | None = None
    instance_data: Source | None = None
    files: Files | None = None
    own_files: dict[str, Files] = field(default_factory=dict)
    """The files that inputs and files the caller named may name in turn, by the names of those."""
    is_instance: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no layer was found."""
        single = (self.config, self.runtime, self.command_line)
        return not (any(single) or any(self.fragments.values()) or self.conf_d or self.user_data or self.vendor_data)

    def directory(self, config: Node) -> tuple[list[Source], list[Note]]:
        """The files of the directory in use, the last name first."""
        found = [source for sources in self.fragments.values() for source in sources]
        found = found if self.conf_d is None else self.conf_d
        if "conf_d" in config.value:
            found = self._named(config.child("conf_d"))
        ranked = sorted(found, key=lambda source: source.name.rpartition("/")[2], reverse=True)
        notes = [_not_cfg(source) for source in ranked if not source.name.endswith(".cfg")]
        return [source for source in ranked if source.name.endswith(".cfg")], notes

    def _named(self, named: Node) -> list[Source]:
        """The files of a directory that `cloud.cfg` names."""
        path = named.value
        if not path:
            return []
        if self.conf_d is not None and isinstance(path, str):
            return self.conf_d
        if not isinstance(path, str):
            raise MergeError(messages.BAD_CONF_D.at(first_origin(named), path=path))
        wanted = path.strip().strip("/")
        for folder, sources in self.fragments.items():
            if folder == wanted or folder.endswith(f"/{wanted}"):
                return sources
        if self.files is None:
            return []
        names = [name for name in self.files.names() if name.rpartition("/")[0] == wanted]
        return [source for name in names if (source := read_inside(self.files, name)) is not None]

    def files_for(self, name: str) -> Files | None:
        """The files that a file of a layer may name."""
        return self.own_files.get(name) or self.files

    def variables(self, run: Run) -> Mapping[str, Any] | None:
        """The template variables of the instance or its metadata."""
        if self.instance_data is not None:
            value = document_cache.json_document(self.instance_data, run).value
            return value if isinstance(value, dict) else None
        if self.meta_data is None:
            return None
        try:
            data = document_cache.yaml_document(self.meta_data, run).value
        except InputError:
            return None
        if not isinstance(data, dict):
            return None
        known = {name: data[key] for key, name in _STANDARD.items() if key in data}
        return {"ds": {"meta_data": data}, "v1": known}


_STANDARD: Final = {"instance-id": "instance_id", "local-hostname": "local_hostname"}


def _not_cfg(source: Source) -> Note:
    return messages.NOT_A_CFG_FILE.at(source.locate(0, 0), subject=source.name, name=source.name)


def has_layers(folder: Folder) -> bool:
    """Whether a folder has files that are the layers of an instance, by their names."""
    return any(name in _AT_TOP or name.startswith(_BELOW) for name in folder.files.names())


def nothing_found(folders: Sequence[Folder]) -> InputError:
    """The error for folders without anything of cloud-init's."""
    from lamina.dialects.cloudinit.dialect import DIALECT

    return InputError(
        messages.NOTHING_FOUND.at(folders=", ".join(each.name for each in folders), known_by=DIALECT.known_by)
    )


def arrange(inputs: Inputs, options: CloudInitOptions) -> Arrangement:
    """The layers of the inputs, or of the folder that an option names."""
    expected = "--layers takes a folder laid out like the file system of an instance"
    folders = [inputs.folder(options.layers, expected)] if options.layers else list(inputs.folders)
    if options.mode == "instance" and not folders and not inputs.sources:
        folders = [Folder("", inputs.files)]
    arranged = _instance(folders[0]) if folders else Arrangement()
    arranged.own_files.update(inputs.own)
    user_data = [source for source in inputs.sources if not _assign_layer(arranged, source, options)]
    arranged.user_data = user_data or arranged.user_data
    _name_layers(arranged, inputs, options)
    if folders and arranged.is_empty:
        raise nothing_found(folders)
    return arranged


def _name_layers(arranged: Arrangement, inputs: Inputs, options: CloudInitOptions) -> None:
    """Assign the files that options name to their layers, replacing others."""

    def opened(name: str) -> Source:
        source, files = inputs.opened(name)
        arranged.own_files[source.name] = files
        return source

    if options.user_data:
        arranged.user_data = [opened(options.user_data)]
    for name, path in zip(VENDOR, (options.vendor_data, options.vendor_data2), strict=True):
        if path:
            arranged.vendor_data[name] = opened(path)
    if options.cloud_cfg:
        arranged.config = opened(options.cloud_cfg)
    if options.conf_d:
        arranged.conf_d = _files_in(inputs, options.conf_d)


def _files_in(inputs: Inputs, name: str) -> list[Source]:
    """The files of a folder that an option names, without those of folders in it."""
    files = inputs.folder(name, "--conf-d takes the folder cloud.cfg.d").files
    names = [each for each in files.names() if "/" not in each]
    return [source for each in names if (source := read_inside(files, each)) is not None]


def _assign_layer(arranged: Arrangement, source: Source, options: CloudInitOptions) -> bool:
    """Assign a file to its layer by name; returns False if it is user-data."""
    folder, _, name = source.name.rpartition("/")
    stem = name.removesuffix(".txt")
    if folder.endswith(".d"):
        arranged.fragments.setdefault(folder.strip("/"), []).append(source)
    elif name == "cloud.cfg":
        arranged.config = source
    elif stem in VENDOR:
        arranged.vendor_data[stem] = source
    elif stem == "meta-data":
        arranged.meta_data = source
    elif stem == "user-data" or (options.names_layers and not options.user_data):
        return False
    else:
        raise UsageError(messages.UNKNOWN_LAYER.at(source.locate(0, 0), name=source.name))
    return True


def _instance(folder: Folder) -> Arrangement:
    """The layers of a folder laid out as on an instance."""
    files = folder.files
    names = set(files.names())
    config = next((name for name in CONFIG if name in names), CONFIG[0])
    arranged = Arrangement(files=_Rooted(files), is_instance=True)
    arranged.config = read_inside(files, config)
    fragments = (read_inside(files, name) for name in sorted(names) if name.rpartition("/")[0] == f"{config}.d")
    arranged.fragments[f"{config}.d"] = [source for source in fragments if source is not None]
    arranged.runtime = read_inside(files, RUNTIME)
    arranged.command_line = _configuration_in(read_inside(files, COMMAND_LINE))
    seed = _seed(files, names, "user-data")
    arranged.user_data = [seed] if seed is not None else []
    for vendor in VENDOR:
        source = _seed(files, names, vendor)
        if source is not None:
            arranged.vendor_data[vendor] = source
    arranged.meta_data = _seed(files, names, "meta-data")
    arranged.instance_data = next((found for name in INSTANCE_DATA if (found := read_inside(files, name))), None)
    return arranged


class _Rooted:
    """The files of a folder that is the root of absolute paths."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def read(self, name: str) -> Source | None:
        return self._files.read(name.lstrip("/"))

    def names(self) -> Sequence[str]:
        return self._files.names()

    def attached(self) -> Sequence[str]:
        return self._files.attached()


def read_inside(files: Files, name: str) -> Source | None:
    """A file of the folder; a link that leads outside, as on a mounted image, or nowhere, counts as missing."""
    try:
        return files.read(name)
    except InputError as error:
        if error.diagnostic.code in ("outside-folder", "broken-link"):
            return None
        raise


def _seed(files: Files, names: set[str], kind: str) -> Source | None:
    """User-data or vendor-data: as the instance stored it, else a seed, else a file at the top of the folder."""
    stored = [f"{INSTANCE}/{kind}.txt"]
    stored += sorted(
        name
        for name in names
        if name.startswith(f"{INSTANCE}s/") and name.endswith(f"/{kind}.txt") and name.count("/") == 5
    )
    for name in (*stored, *(f"{seed}/{kind}" for seed in SEEDS), kind):
        found = read_inside(files, name)
        if found is not None:
            return found
    return None


def _configuration_in(source: Source | None) -> Source | None:
    """The configuration on a kernel command line: what is between `cc:` and `end_cc`."""
    if source is None:
        return None
    from urllib.parse import unquote

    text = " " + source.data.decode("utf-8", "replace")
    found: list[str] = []
    at = text.find(" cc:")
    while at >= 0:
        end = text.find("end_cc", at + 4)
        end = len(text) if end < 0 else end
        found.append(unquote(text[at + 4 : end].lstrip()).replace("\\n", "\n"))
        at = text.find(" cc:", end + 6)
    return source.inner_source(None, "\n".join(found).encode(), FixedLocation()) if found else None
