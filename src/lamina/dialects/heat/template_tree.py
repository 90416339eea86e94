"""The tree of templates a deployment is made from, as TripleO's is: one folder with a root template in it.

Environments name templates of the tree from anywhere, by relative paths or by the path at which packages install it.
Part of the tree may be Jinja templates (`NAME.j2.yaml`), from which a tool of the tree writes the files that are named.
They are not rendered here.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Final

from lamina.dialects.heat import messages
from lamina.plugin import Diagnostic, InputError
from lamina.sources.inputs import DiskFiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import Note
    from lamina.plugin import Inputs, Source
    from lamina.plugin.formats import Files

INSTALLED: Final = "/usr/share/openstack-tripleo-heat-templates"
"""Where packages install the tree."""
ROOT: Final = "overcloud.yaml"
JINJA: Final = ".j2.yaml"
_NAME: Final = re.compile(rb"  (\w+):")


@dataclass(frozen=True, slots=True, eq=False)
class TemplateTree:
    """A tree of templates: its folder and the files in it."""

    name: str
    files: Files

    @property
    def is_generated(self) -> bool:
        """Whether the root template is there, and not only what it is generated from."""
        return self.generated(ROOT) is None

    def declared(self) -> set[str]:
        """The parameters that templates of the tree declare, whether a deployment uses the template or not."""
        return {name for text in self._templates() for name in _declared_in(text)}

    def _templates(self) -> Iterator[bytes]:
        for name in self.files.names():
            try:
                source = self.files.read(name) if name.endswith(".yaml") else None
            except InputError:
                continue  # a link that leads out of the tree is not part of it
            if source is not None and b"heat_template_version" in source.data:
                yield source.data

    def inside(self, path: str) -> str | None:
        """The name in the tree of what a path leads to; None if that is elsewhere."""
        if path.startswith(f"{INSTALLED}/"):
            return posixpath.normpath(path.removeprefix(f"{INSTALLED}/"))
        name = posixpath.relpath(FilePath(path).absolute().as_posix(), FilePath(self.name).absolute().as_posix())
        return None if name == ".." or name.startswith("../") else name

    def generated(self, name: str) -> Note | None:
        """A finding where a file is not there and the template it is generated from is."""
        source = None if self.files.read(name) else self.files.read(_jinja_name(name))
        if source is None:
            return None
        return messages.GENERATED_FILE.at(
            source.locate(0, 0), generated=posixpath.join(self.name, name), source=source.name
        )


def _declared_in(text: bytes) -> Iterator[str]:
    """The names in the section `parameters` of a template, by its lines: no more is needed of hundreds of files."""
    lines = iter(text.splitlines())
    if all(not line.startswith(b"parameters:") for line in lines):
        return
    for line in lines:
        if line[:1].strip() not in (b"", b"#"):
            return
        name = _NAME.match(line)
        if name:
            yield name[1].decode("utf-8", "replace")


def tree_of(inputs: Inputs, name: str) -> TemplateTree:
    """The tree in a folder that the caller names."""
    folder = inputs.folder(name, "--templates takes a folder of templates, such as tripleo-heat-templates")
    return TemplateTree(name, folder.files)


def _jinja_name(name: str) -> str:
    return name.removesuffix(".yaml") + JINJA


def jinja_hint(files: Files, base: str, path: str) -> str | None:
    """A hint for a file that is not there, if there are templates beside it from which such files are generated."""
    folder, name = posixpath.split(posixpath.join(base, path))
    if not isinstance(files, DiskFiles) or not FilePath(folder or ".").is_dir():
        return None
    found = sorted(each.name for each in FilePath(folder or ".").iterdir() if each.name.endswith(JINJA))
    exact = _jinja_name(name)
    candidates = [each for each in found if each.endswith((f".role{JINJA}", f".network{JINJA}"))]
    source_template = exact if exact in found else candidates[0] if candidates else None
    return f"it may be generated from {source_template}; {messages.PROCESS}" if source_template else None


def is_jinja(name: str) -> bool:
    """Whether a file is a Jinja template by its name."""
    return name.endswith(JINJA)


def unrendered(source: Source) -> Diagnostic:
    """The finding that a Jinja template is given in place of what is generated from it."""
    return messages.JINJA_TEMPLATE.at(source.locate(0, 0), subject=source.name)
