"""Random trees of Hiera data with keys to look up: small, and with all rules mixed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

KEYS = ("a", "b", "c", "h", "l", "ntp::a", "ntp::b", "web::a")
ASKED = (*KEYS, *KEYS, "a.x", "b.0", "h.x.y", "h.'x'", "ntp::a.x", "nope", "l.1", "a..b", "lookup_options")
SCALARS = (
    "1", "4", "1.0", "1.5", "true", "yes", "~", "x", "y", "z", "''", "0644", "1_000", "12:30", "1e3", "'--x'", "'--y'",
    "'--'", "-x", "off", "08", ".5", "-0.0", "é", "'a b'", "null", "10.0.0.1", "'1'", "0x1F", "x:y", '"t\\tq\\"#{z}"',
)  # fmt: skip
TEXTS = (
    "'%{role}'", "'%{::role}'", "'r-%{facts.os.family}-%{nope}'", "'%{facts.list}'", "'%{facts.hash}'",
    "\"%{lookup('b')}\"", "\"<%{lookup('h.x')}>\"", "\"%{alias('l')}\"", "\"%{alias('h')}\"", "\"%{hiera('c')}\"",
    "\"%{alias('nope')}\"", "\"%{literal('%')}{role}\"", "'%{trusted.certname}'", "'%{environment}'",
    "\"%{scope('num')}\"",
    "'%{facts.flag} %{facts.num}'", "'%{facts.none}'", "\"%{lookup('ntp::a')}\"", "'%{}'", "'%{role'",
    "'%{facts.hash.k}'",
)  # fmt: skip
ODD_TEXTS = (
    "\"x%{alias('b')}\"", "\"%{bogus('b')}\"", "'%{facts.role.x}'", "\"%{lookup('a')}\"", "\"%{lookup('a..b')}\"",
)  # fmt: skip
NAMES = ("x", "y", "z", "w", "'--x'", "'%{role}'", "1", "'e.f'", "yes", "k")
MERGES = (
    "first", "unique", "hash", "deep", "deep", "{strategy: deep, knockout_prefix: '--'}",
    "{strategy: deep, knockout_prefix: '--', merge_hash_arrays: true}", "{strategy: deep, sort_merged_arrays: true}",
    "{strategy: deep, merge_hash_arrays: true}", "{strategy: unique}", "{strategy: hash}", "~", "bogus",
    "{strategy: hash, knockout_prefix: x}", "reverse_deep",
)  # fmt: skip
CONVERSIONS = (
    "String",
    "Array",
    "Integer",
    "[Array, true]",
    "Boolean",
    "Hash",
    "Numeric",
    "Float",
    "Sensitive",
    "Data",
)
PATHS = (
    "high.yaml", "role/%{role}.yaml", "os/%{facts.os.family}.yaml", "nodes/%{trusted.certname}.yaml", "low.yaml",
    "%{nope}.yaml", "common.yaml", "deep/er/x.yaml", "role/web.yaml",
)  # fmt: skip
FILES = (
    "high.yaml", "low.yaml", "common.yaml", "role/web.yaml", "os/Debian.yaml", "nodes/web1.example.com.yaml",
    "parts/a.yaml", "parts/b.yaml", "parts/a/z.yaml", "deep/er/x.yaml", "list/p.yaml", "list/q.yaml", ".yaml",
)  # fmt: skip
GLOBS = ("*.yaml", "parts/*.yaml", "**/*.yaml", "{role,os}/*.yaml", "parts/**/*", "list/[p-q].yaml", "?igh.yaml")
FACTS: dict[str, Any] = {
    "role": "web",
    "list": ["p", "q"],
    "hash": {"k": 1, "m": "v"},
    "num": 5,
    "flag": True,
    "none": None,
    "os": {"family": "Debian", "release": {"major": "12"}},
}
NODE = "web1.example.com"


@dataclass
class Tree:
    """Files by name, and what to ask of them."""

    files: dict[str, str] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    merge: Any = None
    hiera_config: str | None = None


class Growing:
    """Grows one tree from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, words: tuple[str, ...]) -> str:
        return self.random.choice(words)

    def likely(self, share: float) -> bool:
        return self.random.random() < share

    def value(self, depth: int = 0) -> str:
        at = self.random.random()
        if depth > 2 or at < 0.35:
            if self.likely(0.25):
                return self.pick(TEXTS)
            return self.pick(ODD_TEXTS) if self.likely(0.02) else self.pick(SCALARS)
        if at < 0.65:
            return f"[{', '.join(self.value(depth + 1) for _ in range(self.random.randrange(4)))}]"
        pairs = [f"{self.pick(NAMES)}: {self.value(depth + 1)}" for _ in range(self.random.randrange(4))]
        return "{" + ", ".join(pairs) + "}"

    def entry(self) -> str:
        fields = [f"merge: {self.pick(MERGES)}"] if self.likely(0.9) else []
        if self.likely(0.12):
            fields.append(f"convert_to: {self.pick(CONVERSIONS)}")
        return "{" + ", ".join(fields) + "}"

    def options(self, module: str = "") -> str:
        own = [key for key in KEYS if key.startswith(module)]
        patterns = [f"'^{module}.*'", f"'^{module or 'ntp::'}a$'"]
        chosen = [self.pick((*own, *own, *patterns)) for _ in range(self.random.randrange(1, 4))]
        return "lookup_options: {" + ", ".join(f"{key}: {self.entry()}" for key in dict.fromkeys(chosen)) + "}\n"

    def file(self, module: str = "") -> str:
        own = tuple(key for key in KEYS if key.startswith(module))
        lines = [f"{self.pick(own)}: {self.value()}\n" for _ in range(self.random.randrange(1, 5))]
        if self.likely(0.12):
            lines.insert(0, "base: &base {x: 1, y: [1, 2]}\n" if not module else "")
            lines.append(f"{self.pick(own)}: {{y: 0, <<: *base, z: 1}}\n" if not module else "")
        if self.likely(0.4):
            lines.append(self.options(module))
        return "".join(lines)

    def level(self, number: int) -> str:
        at = self.random.random()
        paths = [self.pick(PATHS) for _ in range(self.random.randrange(1, 4))]
        if at < 0.5:
            place = f"path: '{paths[0]}'"
        elif at < 0.75:
            place = "paths: [" + ", ".join(f"'{path}'" for path in paths) + "]"
        elif at < 0.85:
            place = f"glob: '{self.pick(GLOBS)}'"
        elif at < 0.92:
            place = f"globs: ['{self.pick(GLOBS)}', '{self.pick(GLOBS)}']"
        else:
            place = "mapped_paths: [facts.list, each, 'list/%{each}.yaml']"
        return f"- {{name: 'level {number}', {place}}}\n"

    def hierarchy(self, name: str = "hierarchy") -> str:
        return f"{name}:\n" + "".join(self.level(at) for at in range(self.random.randrange(1, 5)))

    def tree(self) -> Tree:
        made = Tree()
        made.files["hiera.yaml"] = "version: 5\n" + self.hierarchy()
        for name in FILES:
            if self.likely(0.6):
                made.files[f"data/{name}"] = self.file()
        if self.likely(0.4):
            self.module(made)
        if self.likely(0.2):
            made.files["global/hiera.yaml"] = "version: 5\n" + self.hierarchy()
            made.files["global/data/high.yaml"] = self.file()
            made.files["global/data/common.yaml"] = self.file()
            made.hiera_config = "global/hiera.yaml"
        made.keys = list(dict.fromkeys(self.pick(ASKED) for _ in range(3)))
        if self.likely(0.15):
            made.merge = self.random.choice(
                ["unique", "deep", "hash", {"strategy": "deep", "knockout_prefix": "--"}, "first", "nope"]
            )
        return made

    def module(self, made: Tree) -> None:
        default = self.hierarchy("default_hierarchy") if self.likely(0.4) else ""
        made.files["modules/ntp/hiera.yaml"] = "version: 5\n" + (self.hierarchy() if self.likely(0.5) else "") + default
        for name in ("common.yaml", "high.yaml", "os/Debian.yaml"):
            if self.likely(0.7):
                made.files[f"modules/ntp/data/{name}"] = self.file("ntp::")


def grown(seed: int) -> Tree:
    """The tree of a seed."""
    return Growing(seed).tree()
