"""Random inventories with files of variables: all rules mixed, mostly valid."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

GROUPS = ("web", "db", "oslo", "a", "Z", "g10", "g9", "site")
HOSTS = ("w1", "w2", "w3", "db-1", "n.example", "x9")
NAMES = ("port", "motd", "pkgs", "conf", "opts", "flag", "tz", "user_name")
STEPS = (
    "all_inventory",
    "groups_inventory",
    "all_plugins_inventory",
    "all_plugins_play",
    "groups_plugins_inventory",
    "groups_plugins_play",
)
SCALARS = (
    *("1", "0", "-3", "1.5", "yes", "no", "~", "text", '"quoted"', "'single'", "010", "1e3", "2020-01-02", "12:30"),
    *(
        '"{{ x }}"',
        '"{% if a %}b{% endif %}"',
        '!unsafe "{{ y }}"',
        "!vault |\n      $ANSIBLE_VAULT;1.1;AES256\n      6162",
    ),
    *("[]", "{}", "é", '"a: b"', "0x1F", ".5", "null"),
)
LITERALS = (
    *(
        "1",
        "True",
        "None",
        "text",
        "'1'",
        "\"'1'\"",
        "[1,2]",
        "1_000",
        "10.0.0.1",
        "a#b",
        "1.50",
        "0644",
        "yes",
        "{{ x }}",
    ),
    *("\"{'a': 1}\"", "\"['a', {'b': None}]\"", "x=y", "007"),
)


@dataclass
class RandomInventory:
    """A tree of files, and how it is asked."""

    files: dict[str, str] = field(default_factory=dict)
    inventory: list[str] = field(default_factory=list)
    playbook_dir: str = "."
    extra_vars: list[str] = field(default_factory=list)
    hash_behaviour: str = "replace"
    precedence: list[str] = field(default_factory=lambda: list(STEPS))

    def write(self, folder: Path) -> None:
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (folder / self.playbook_dir).mkdir(parents=True, exist_ok=True)


class Growing:
    """One random inventory."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tree = RandomInventory()

    def grown(self) -> RandomInventory:
        chance = self.random.random
        tree = self.tree
        folders = self.random.sample(("inv", "inv2", "env/prod"), self.random.choice((1, 1, 1, 2)))
        for at, folder in enumerate(folders):
            name = f"{folder}/{self.random.choice(('hosts', 'hosts.ini', 'hosts.yml'))}"
            tree.files[name] = self.yaml_source() if name.endswith("yml") else self.ini_source()
            tree.inventory.append(folder if chance() < 0.2 else name)
            self.variables(folder)
            if at == 0 and chance() < 0.5:
                tree.playbook_dir = self.random.choice(("play", folder, "."))
                self.variables(tree.playbook_dir)
        if chance() < 0.4:
            tree.hash_behaviour = "merge"
        if chance() < 0.15:
            tree.precedence = self.random.sample(STEPS, self.random.randint(1, len(STEPS)))
        if chance() < 0.2:
            tree.extra_vars.append(
                self.random.choice(('port=1 motd="a b"', '{"conf": {"a": {"z": 1}}}', "flag={{ x }}"))
            )
        return tree

    def ini_source(self) -> str:
        lines: list[str] = []
        groups = self.random.sample(GROUPS, self.random.randint(1, 4))
        for group in groups:
            lines.append(f"[{group}]")
            for host in self.random.sample(HOSTS, self.random.randint(0, 3)):
                settings = [f"{self.name()}={self.random.choice(LITERALS)}" for _ in range(self.random.randint(0, 2))]
                port = ":2222" if self.random.random() < 0.1 else ""
                lines.append(" ".join([f"{host}{port}", *settings]))
            if self.random.random() < 0.15:
                lines.append("r[01:03] " + f"{self.name()}=7")
        for group in groups:
            if self.random.random() < 0.4:
                lines += [f"[{group}:vars]", f"{self.name()} = {self.random.choice(LITERALS)}"]
                if self.random.random() < 0.3:
                    lines.append(f"ansible_group_priority={self.random.choice((0, 2, 10))}")
        for parent, child in itertools.pairwise(groups):
            if self.random.random() < 0.4:
                lines += [f"[{parent}:children]", child]
        if self.random.random() < 0.3:
            lines += ["[all:vars]", f"{self.name()}={self.random.choice(LITERALS)}"]
        return "\n".join(lines) + "\n"

    def yaml_source(self) -> str:
        value: dict[str, Any] = {}
        groups = self.random.sample(GROUPS, self.random.randint(1, 4))
        holder = value
        for group in groups:
            described: dict[str, Any] = {}
            if self.random.random() < 0.8:
                hosts = self.random.sample(HOSTS, self.random.randint(1, 3))
                described["hosts"] = {
                    host: ({self.name(): 3} if self.random.random() < 0.3 else None) for host in hosts
                }
            if self.random.random() < 0.4:
                described["vars"] = {self.name(): self.random.choice((1, "text", [1], {"k": {"l": 1}}, None, True))}
            if self.random.random() < 0.1:
                described.setdefault("vars", {})["ansible_group_priority"] = self.random.choice((0, 5))
            holder[group] = described
            if self.random.random() < 0.4:
                described["children"] = {}
                holder = described["children"]
        return json.dumps(value, indent=1)[:-1] + "}\n" if self.random.random() < 0.2 else _yaml(value)

    def variables(self, folder: str) -> None:
        """Files of variables in a folder."""
        prefix = "" if folder == "." else f"{folder}/"
        owners = [("group_vars", name) for name in ("all", "all", *GROUPS)] + [("host_vars", name) for name in HOSTS]
        for kind, name in self.random.sample(owners, self.random.randint(2, 9)):
            way = self.random.random()
            path = f"{prefix}{kind}/{name}"
            if way < 0.2:
                for part in self.random.sample(("a.yml", "main.yml", "z/b.yml", "README", "skip.txt", "B.yaml"), 2):
                    self.tree.files[f"{path}/{part}"] = self.file()
            elif way < 0.3:
                self.tree.files[f"{path}.json"] = '{"port": 1e3, "conf": {"a": [true, null]}}'
            else:
                self.tree.files[path + self.random.choice((".yml", ".yml", ".yaml"))] = self.file()
        files = list(self.tree.files)
        for name in files:  # a file where a folder is needed
            if any(other.startswith(f"{name}/") for other in files):
                del self.tree.files[name]

    def file(self) -> str:
        if self.random.random() < 0.02:
            return self.random.choice(("- 1\n", "a: {{ b }}\n", "x: [\n"))
        lines = [f"{name}: {self.value(2)}" for name in self.random.sample(NAMES, self.random.randint(1, 4))]
        if self.random.random() < 0.1:
            lines += ["base: &base {k: 1, l: [1, 2]}", "conf2: {<<: *base, l: 3}", "again: *base"]
        return "\n".join(lines) + "\n"

    def value(self, depth: int) -> str:
        if depth and self.random.random() < 0.45:
            keys = self.random.sample("abcdk", self.random.randint(1, 3))
            scalars = [self.value(depth - 1) for _ in keys]
            if any("\n" in text for text in scalars):
                return self.random.choice(SCALARS[:12])
            return "{" + ", ".join(f"{key}: {text}" for key, text in zip(keys, scalars, strict=True)) + "}"
        if depth and self.random.random() < 0.2:
            return f"[{self.random.randint(0, 3)}, x, {{a: 1}}]"
        return self.random.choice(SCALARS)

    def name(self) -> str:
        return self.random.choice(NAMES)


def _yaml(value: Any, indent: int = 0) -> str:
    if not isinstance(value, dict) or not value:
        return f" {json.dumps(value)}\n"
    blanks = "  " * indent
    text = "".join(f"{blanks}{key}:{_yaml(each, indent + 1)}" for key, each in value.items())
    return text if not indent else f"\n{text}"


def grown(seed: int) -> RandomInventory:
    """The inventory of a seed."""
    return Growing(seed).grown()
