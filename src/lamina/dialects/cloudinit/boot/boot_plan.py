"""The boot plan: what runs in which stage, in order, and the line that causes it.

Rules, as cloud-init has them:

* Boot hooks run first, while user-data is processed, before any module and at every boot.
* Then come the stages init, config and final, each with its modules in the order of cloud.cfg. A module without
  anything to do in this configuration is not listed.
* `write_files` writes in the init stage, before `users_groups` creates users; entries with `defer: true` are written in
  the final stage, after packages are installed.
* `runcmd` only writes a script named `runcmd` in the config stage. It runs in the final stage with the scripts of
  user-data, all of them in the order of their names.
* Scripts for every boot, once per instance and once have their own modules, before those of user-data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit import content_types
from lamina.dialects.cloudinit.boot.modules import BOOT, INSTANCE, KNOWN, LISTS, STAGES, Module
from lamina.engine.provenance import first_origin
from lamina.engine.step_context import short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lamina.dialects.cloudinit.boot.scripts import StoredScript
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.protocol.rendered import Rendered

HOOKS: Final = "boot hooks"
_SECRET: Final = frozenset({"password"})
"""Keys whose value is not shown."""
_WIDTH: Final = 60
"""Characters of a command that are shown."""
_SCRIPT_MODULES: Final = {
    content_types.SCRIPT: "scripts_user",
    "text/x-shellscript-per-boot": "scripts_per_boot",
    "text/x-shellscript-per-instance": "scripts_per_instance",
    "text/x-shellscript-per-once": "scripts_per_once",
}


@dataclass(frozen=True, slots=True)
class BootAction:
    """One thing a boot does."""

    stage: str
    module: str
    frequency: str
    what: str
    origin: Origin | None
    size: int | None = None
    """How many bytes are written or run, where that is known."""


def boot_actions(result: Rendered) -> Iterator[BootAction]:
    """What a boot does with a result, in order."""
    scripts: Sequence[StoredScript] = result.plan.stages[-1].facts or ()
    for script in scripts:
        if script.content_type == content_types.BOOTHOOK:
            yield BootAction(HOOKS, "boothook", BOOT, script.name, script.origin, script.size)
    config = result.plain if isinstance(result.plain, dict) else {}
    for stage in STAGES:
        for module in _modules(stage, config):
            yield from _actions(_ModuleRun(stage, module, config, result), scripts)


def _modules(stage: str, config: dict[Any, Any]) -> Iterable[Module]:
    """The modules of a stage: those the configuration lists, else those of cloud.cfg."""
    listed = config.get(LISTS[stage])
    if not isinstance(listed, list):
        return STAGES[stage]
    names = (entry[0] if isinstance(entry, list) and entry else entry for entry in listed)
    found = (str(name).replace("-", "_") for name in names)
    return [KNOWN.get(name, Module(name, INSTANCE, (name,))) for name in found]


@dataclass(frozen=True, slots=True)
class _ModuleRun:
    """A module of a stage, and the configuration it reads."""

    stage: str
    module: Module
    config: dict[Any, Any]
    result: Rendered

    def action(self, what: str, path: Path, size: int | None = None) -> BootAction:
        """An action caused by the value at a path."""
        origin = first_origin(self.result.node_at(path))
        return BootAction(self.stage, self.module.name, self.module.frequency, what, origin, size)


def _actions(module_run: _ModuleRun, scripts: Sequence[StoredScript]) -> Iterator[BootAction]:
    name = module_run.module.name
    special = _SPECIAL.get(name)
    if special is not None:
        yield from special(module_run)
    elif name in _SCRIPT_MODULES.values():
        yield from _scripts(module_run, scripts)
    else:
        for key in module_run.module.keys:
            if key in module_run.config:
                yield module_run.action(_summary(key, module_run.config[key]), (key,))


def _summary(key: str, value: Any) -> str:
    """A key and its value, without what might be a secret."""
    match value:
        case dict():
            return f"{key}: {', '.join(str(name) for name in value)}" if value else f"{key}: empty"
        case list():
            return f"{key}: {len(value)} {'item' if len(value) == 1 else 'items'}"
        case _ if key in _SECRET:
            return key
        case _:
            return f"{key}: {short(value)}"


def _scripts(module_run: _ModuleRun, scripts: Sequence[StoredScript]) -> Iterator[BootAction]:
    """The scripts of a module, by the names of their files, as they are run."""
    name = module_run.module.name
    found = [
        (
            script.file,
            BootAction(module_run.stage, name, module_run.module.frequency, script.name, script.origin, script.size),
        )
        for script in scripts
        if _SCRIPT_MODULES.get(script.content_type) == name
    ]
    if name == "scripts_user" and isinstance(module_run.config.get("runcmd"), list):
        found.append(("runcmd", module_run.action("the script written by runcmd", ("runcmd",))))
    yield from (action for _, action in sorted(found, key=lambda each: each[0]))


def _commands(module_run: _ModuleRun) -> Iterator[BootAction]:
    key = module_run.module.name
    commands = module_run.config.get(key)
    for position, command in enumerate(commands if isinstance(commands, list) else ()):
        text = " ".join(str(word) for word in command) if isinstance(command, list) else str(command)
        first, *more = text.strip().splitlines() or [""]
        shown = first if len(first) <= _WIDTH and not more else f"{first[:_WIDTH]} …"
        yield module_run.action(shown, (key, position), len(text.encode("utf-8", "replace")))


def _files(module_run: _ModuleRun) -> Iterator[BootAction]:
    files = module_run.config.get("write_files")
    deferred = module_run.module.name == "write_files_deferred"
    for position, entry in enumerate(files if isinstance(files, list) else ()):
        if isinstance(entry, dict) and bool(entry.get("defer", False)) is deferred:
            content = entry.get("content", "")
            size = len(content.encode("utf-8", "replace")) if isinstance(content, str) else None
            when = "after users exist" if deferred else "before users exist"
            owner = f", owner {entry['owner']}" if "owner" in entry else ""
            path = entry.get("path", "a file without a path")
            yield module_run.action(f"{path} ({when}{owner})", ("write_files", position), size)


_SPECIAL: Final[dict[str, Callable[[_ModuleRun], Iterator[BootAction]]]] = {
    "bootcmd": _commands,
    "runcmd": _commands,
    "write_files": _files,
    "write_files_deferred": _files,
}
