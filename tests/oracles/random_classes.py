"""Random nodes and classes of reclass."""

from __future__ import annotations

import random
from typing import Any

import yaml

CLASSES = ("base", "app", "app.web", "app.db", "site.oslo", "site")
NAMES = ("a", "b", "c", "d")
TEXTS = ("${c}", "x ${c} y", "${d:k}", "\\${c}", "${_reclass_:name:short}")


class Growing:
    """One random inventory."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def grown(self) -> dict[str, str]:
        """Its files."""
        files: dict[str, str] = {}
        for number, name in enumerate(CLASSES):
            path = name.replace(".", "/")
            files[f"classes/{path}/init.yml" if name in ("app", "site") else f"classes/{path}.yml"] = yaml.safe_dump(
                self.entity(CLASSES[:number])
            )
        for name in ("n1", "n2.example"):
            files[f"nodes/{name}.yml"] = yaml.safe_dump(self.entity(CLASSES))
        return files

    def entity(self, classes: tuple[str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if classes:
            found["classes"] = self.random.sample(classes, self.random.randint(0, min(3, len(classes))))
        if self.random.random() < 0.5:
            applications = ["ntp", "ssh", "~ntp", "web", "~web"]
            found["applications"] = self.random.sample(applications, self.random.randint(0, 3))
        names = self.random.sample(NAMES, self.random.randint(1, 3))
        marked = {name: self.marked(name) for name in names}  # below a mark, reclass takes marks for parts of names
        found["parameters"] = {key: self.of_kind(name, 2, key != name) for name, key in marked.items()}
        if self.random.random() < 0.5:
            found["parameters"]["texts"] = {"t": self.random.choice(TEXTS)}
        return found

    def marked(self, name: str) -> str:
        chance = self.random.random()
        return f"~{name}" if chance < 0.08 else f"={name}" if chance < 0.1 else name

    def of_kind(self, name: str, depth: int, marked: bool = False) -> Any:
        """A value whose type mostly follows from its name, so that it can be merged."""
        if self.random.random() < 0.03:
            return self.random.choice((None, 1, [1], {"k": 1}))
        if name == "a":
            return [self.random.choice((1, "x", "${c}", True)) for _ in range(self.random.randint(0, 3))]
        if name == "b":
            if self.random.random() < 0.25:
                return "${d}"
            keys = self.random.sample("kl", self.random.randint(1, 2))
            return {
                key if marked else self.marked(key): self.of_kind("cab"["kl".index(key)], depth - 1) if depth else 1
                for key in keys
            }
        if name == "c":
            return self.random.choice((1, "text", 2.5, False, None, "${d:l}"))
        return {"k": self.random.choice((1, "${c}x", "z")), "l": self.random.choice(("m", 7)), 8: 1}


def grown(seed: int) -> dict[str, str]:
    """The files of a seed."""
    return Growing(seed).grown()
