"""The options of the Ansible dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lamina.protocol.dialect import option, strict_option


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsibleOptions:
    """Which inventory, which hosts, and the settings that decide about the result.

    All paths are relative to the folder that is rendered, which counts as Ansible's current folder.
    """

    strict: bool = strict_option()
    inventory: tuple[str, ...] = option(
        (),
        flag="--inventory",
        short="-i",
        metavar="SOURCE",
        many=True,
        about="a source of the inventory: a file, a folder, or a list of hosts with a comma; if not given, that of "
        "ansible.cfg",
    )
    node: str | None = option(None, flag="--node", metavar="NAME", about="only this host")
    limit: str | None = option(
        None, flag="--limit", metavar="PATTERN", about="only the hosts that a pattern meets, such as web:!web1"
    )
    playbook_dir: str | None = option(
        None,
        flag="--playbook-dir",
        metavar="DIR",
        about="the folder of the playbook, whose group_vars and host_vars count too; if not given, the input folder",
    )
    extra_vars: tuple[str, ...] = option(
        (),
        flag="--extra-vars",
        metavar="VARS",
        many=True,
        about="variables above all others, as ansible-playbook takes them: KEY=VALUE, JSON or YAML, or @FILE",
    )
    setting: Any = option(
        (),
        flag="--setting",
        metavar="NAME=VALUE",
        many=True,
        about="NAME=VALUE: a setting of ansible.cfg, such as hash_behaviour=merge",
    )
    config_file: str = option(
        "ansible.cfg", flag="--ansible-cfg", metavar="FILE", about="the configuration file, inside the input folder"
    )
    cleartext_secrets: bool = option(
        False, flag="--cleartext-secrets", about="show the ciphertext of encrypted values instead of hiding it"
    )


def scope(options: AnsibleOptions) -> AnsibleOptions | None:
    """All hosts, unless some are asked for."""
    return options if options.node is None and options.limit is None else None
