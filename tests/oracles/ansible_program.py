"""What Ansible gives for inventories: reads one request as JSON on each line, and answers each with a line.

Run as a program of its own, since Ansible keeps what it read for as long as its process lives: each request is worked
on in a fork. The answer has the variables of every host, and where Ansible says that their leaves were written.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    from ansible import constants, context
    from ansible._internal._datatag._tags import Origin
    from ansible.cli.inventory import InventoryCLI
    from ansible.inventory.manager import InventoryManager
    from ansible.module_utils.common.collections import ImmutableDict
    from ansible.parsing.dataloader import DataLoader
    from ansible.plugins.loader import init_plugin_loader
    from ansible.vars.manager import VariableManager

    os.chdir(request["folder"])
    constants.DEFAULT_HASH_BEHAVIOUR = request["hash_behaviour"]
    constants.VARIABLE_PRECEDENCE = request["precedence"]
    context.CLIARGS = ImmutableDict(extra_vars=tuple(request["extra_vars"]), basedir=request["playbook_dir"])
    init_plugin_loader()
    loader = DataLoader()
    loader.set_basedir(request["playbook_dir"])
    inventory = InventoryManager(loader=loader, sources=request["inventory"])
    manager = VariableManager(loader=loader, inventory=inventory)
    found: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for host in inventory.get_hosts("all"):
        variables = manager.get_vars(host=host, include_hostvars=False, stage="all")
        variables = InventoryCLI._remove_internal(variables)
        variables.pop("ansible_local", None)
        found[host.name] = _plain(variables, (host.name,), origins, Origin, os.path.realpath("."))
    if not inventory._inventory.processed_sources:
        return {"error": "no source"}
    return {"value": found, "origins": origins}


def _plain(value: Any, path: tuple[Any, ...], origins: dict[str, str], origin: Any, root: str) -> Any:
    """A value as pairs of its type and content, so that nothing is lost in JSON."""
    if isinstance(value, dict) and value:
        return [
            "map",
            [
                [_plain(key, (), {}, origin, root), _plain(each, (*path, key), origins, origin, root)]
                for key, each in value.items()
            ],
        ]
    if isinstance(value, list) and value:
        return ["list", [_plain(each, (*path, at), origins, origin, root) for at, each in enumerate(value)]]
    tag = origin.get_tag(value)
    if tag is not None and tag.path:
        place = os.path.relpath(tag.path, root)
        origins[json.dumps([str(key) for key in path])] = ":".join(
            str(part) for part in (place, tag.line_num, tag.col_num) if part is not None
        )
    kind = next(
        kind for kind in type(value).__mro__ if kind.__module__ in ("builtins", "datetime", "ansible.parsing.vault")
    )
    if kind.__name__ == "EncryptedString":
        return ["str", str(value._ciphertext)]
    return [kind.__name__, repr(value) if kind.__name__ in ("float", "bytes") else str(value)]


def main() -> None:
    # Imported before the forks, which then start with it.
    import ansible.cli.inventory
    import ansible.inventory.manager
    import ansible.vars.manager  # noqa: F401

    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            try:
                text = json.dumps(answer(json.loads(line)))
            except BaseException as error:
                text = json.dumps({"error": f"{type(error).__name__}: {error}"})
            with os.fdopen(writing, "w") as pipe:
                pipe.write(text)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            out.write(pipe.read() + "\n")
        os.waitpid(child, 0)
        out.flush()


if __name__ == "__main__":
    main()
