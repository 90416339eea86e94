"""Builds what is compiled: each `_*.c` of the package becomes a module beside it, with the other C files there.

Whatever is compiled has a fallback in Python, so that a machine without a compiler or without Python's headers gets a
pure installation, with a warning. LAMINA_PURE=1 asks for one.

The addresses of the project are those of the repository that a CI service builds it in, so that a copy that somebody
publishes names itself; built anywhere else, the package names none.
"""

from __future__ import annotations

import os
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

if TYPE_CHECKING:
    from collections.abc import Mapping


class CompiledModules(BuildHookInterface):
    """Compiles in place before a wheel or an editable installation is made."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - as the interface has it
        if self.target_name != "wheel" or os.environ.get("LAMINA_PURE"):
            return
        root = Path(self.root)
        made = [name for source in sorted(root.glob("src/lamina/**/_*.c")) if (name := self._compiled(root, source))]
        if made:
            build_data["artifacts"].extend(made)
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def _compiled(self, root: Path, source: Path) -> str | None:
        """The file of the module that a source was made into; None, with a warning, if it cannot be."""
        try:
            compile_beside(root, source)
        except (Exception, SystemExit) as error:  # whatever a compiler or its absence leads to
            # What is left of an earlier build may be of another source.
            module_file(source).unlink(missing_ok=True)
            reason = str(error) or type(error).__name__
            self.app.display_warning(
                f"{source.name} cannot be compiled ({reason}): Lamina is installed without it, and reads more slowly. "
                "It takes a C compiler and the headers of Python."
            )
            return None
        return module_file(source).relative_to(root).as_posix()


class Addresses(MetadataHookInterface):
    """The `urls` of the project."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        home = repository_address(os.environ)
        metadata["urls"] = (
            {
                "Homepage": home,
                "Documentation": f"{home}/blob/main/docs/index.md",
                "Changelog": f"{home}/blob/main/CHANGELOG.md",
                "Issues": f"{home}/issues",
                "Security": f"{home}/blob/main/SECURITY.md",
            }
            if home
            else {}
        )


def repository_address(environment: Mapping[str, str]) -> str | None:
    """Where the repository is that is being built, as GitHub and GitLab say it."""
    if "GITHUB_REPOSITORY" in environment:
        return f"{environment.get('GITHUB_SERVER_URL', 'https://github.com')}/{environment['GITHUB_REPOSITORY']}"
    return environment.get("CI_PROJECT_URL")


def module_file(source: Path) -> Path:
    """Where the module of a C file belongs."""
    return source.with_name(source.stem + sysconfig.get_config_var("EXT_SUFFIX"))


def files_of(source: Path) -> list[Path]:
    """The C files that a module is compiled from: its own, and those in its folder that are no modules."""
    return [source, *sorted(each for each in source.parent.glob("*.c") if not each.name.startswith("_"))]


def compile_beside(root: Path, source: Path) -> None:
    """Compile a module, and put it beside its C file."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    name = ".".join(source.relative_to(root / "src").with_suffix("").parts)
    with tempfile.TemporaryDirectory() as folder:
        extension = Extension(name, [each.relative_to(root).as_posix() for each in files_of(source)])
        command = build_ext(Distribution({"name": "lamina", "ext_modules": [extension]}))
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        command.run()
        # A process that has the old module loaded keeps it: the new one takes its place, not its bytes.
        made = module_file(source)
        fresh = made.with_name(made.name + ".new")
        fresh.write_bytes(Path(command.get_ext_fullpath(name)).read_bytes())
        fresh.replace(made)
