"""Random charts with subcharts, value files and arguments, small and full of clashes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

NAMES = ("db", "cache", "front", "agent", "common")
KEYS = ("a", "b", "image", "env", "list", "enabled")
SCALARS = (1, 0, -1, 1.5, 8080, 1000000, 12345678901234567890, True, False, "x", "", "010", "{{ .x }}", "a,b", "yes")
RANGES = ("1.0.0", "1.x", "^1", "~1.0", ">=1.0.0", "*", "1.0.0 - 2", ">0.9, <2", "2.x", "", "bogus", "^0.1 || 1.0.0")


@dataclass
class RandomChart:
    """The files of a chart in `chart/` with value files beside it, and what is on the command line."""

    files: dict[str, str] = field(default_factory=dict)
    value_files: list[str] = field(default_factory=list)
    options: dict[str, list[str]] = field(default_factory=dict)

    @property
    def has_aliases(self) -> bool:
        """Whether a chart is listed under another name."""
        return any('"alias"' in text for name, text in self.files.items() if name.endswith("Chart.yaml"))


def random_chart(seed: int) -> RandomChart:
    return _Maker(Random(seed)).chart()


class _Maker:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._chart = RandomChart()
        self._deep = random.random() < 0.4
        """Whether globals are nested so deep that Helm shares them."""

    def chart(self) -> RandomChart:
        self._write("chart", "app", 0)
        for number in range(self._random.randrange(3)):
            name = f"v{number}.yaml"
            self._chart.files[name] = self._text(self._values(list(NAMES), 0.25))
            self._chart.value_files.append(name)
        for option, argument in (("set", self._set), ("set_string", self._set), ("set_json", self._set_json)):
            given = [argument() for _ in range(3) if self._random.random() < 0.15]
            if given:
                self._chart.options[option] = given
        return self._chart

    def _maybe(self, chance: float) -> bool:
        return self._random.random() < chance

    def _write(self, folder: str, name: str, depth: int) -> None:
        most = (3, 2, 1, 0)[depth]
        # Without dependencies Helm's order is random, which matters where globals are shared.
        listed = self._maybe(0.75)
        inside = self._random.sample(NAMES, self._random.randint(0, most if listed or not self._deep else min(1, most)))
        meta: dict[str, Any] = {"apiVersion": "v2", "name": name, "version": "1.0.0"}
        aliases: list[str] = []
        if listed:
            meta["dependencies"] = [entry for each in inside for entry in self._entries(each, aliases)]
        for each in inside:
            self._write(f"{folder}/charts/{each}", each, depth + 1)
        self._chart.files[f"{folder}/Chart.yaml"] = json.dumps(meta)
        if self._maybe(0.85):
            known = [*inside, *aliases]
            self._chart.files[f"{folder}/values.yaml"] = self._text(self._values(known, 0.15, exports=depth > 0))

    def _entries(self, name: str, aliases: list[str]) -> list[dict[str, Any]]:
        found = []
        count = 2 if self._maybe(0.15) else 1
        for number in range(count):
            entry: dict[str, Any] = {"name": name, "repository": ""}
            entry["version"] = "1.x" if self._maybe(0.85) or self._deep else self._random.choice(RANGES)
            if count == 2 or self._maybe(0.15):
                entry["alias"] = f"{name}{number + 1}"
                aliases.append(entry["alias"])
            under = entry.get("alias", name)
            if self._maybe(0.4):
                paths = (f"{under}.enabled", f"{under}.a", "a", "global.a", "tags.x", f"x.y,{under}.enabled")
                entry["condition"] = self._random.choice(paths)
            if self._maybe(0.25):
                entry["tags"] = self._random.sample(("x", "y", "z"), self._random.randint(1, 2))
            if self._maybe(0.3):
                # One mapping imported twice is changed by Helm while it is read, in random order.
                imports = [self._import() for _ in range(self._random.randint(1, 2))]
                is_twice = len({self._imported(each) for each in imports}) < len(imports)
                entry["import-values"] = imports[:1] if is_twice else imports
            found.append(entry)
        return found

    def _imported(self, entry: Any) -> str:
        return str(entry["child"] if isinstance(entry, dict) else f"exports.{entry}")

    def _import(self) -> Any:
        if self._maybe(0.5):
            return self._random.choice(("data", "more"))
        child = self._random.choice(("image", "env", "exports.data", "b.image", "global"))
        return {"child": child, "parent": self._random.choice((".", "image", "env.x", "global", "a", "b.c"))}

    def _values(self, subcharts: list[str], null: float, *, exports: bool = False) -> dict[str, Any]:
        values = self._mapping(2, null)
        for name in subcharts:
            if self._maybe(0.5):
                values[name] = self._mapping(2, null) if self._maybe(0.97) else self._scalar(null)
                if isinstance(values[name], dict) and self._maybe(0.4):
                    values[name]["global"] = self._globals(null)
                if isinstance(values[name], dict) and self._maybe(0.3):
                    values[name][self._random.choice(NAMES)] = self._mapping(2, null)
        if self._maybe(0.5):
            values["global"] = self._globals(null)
        if self._maybe(0.3):
            values["tags"] = {tag: self._random.choice((True, False, False, "x")) for tag in "xyz" if self._maybe(0.5)}
        if exports and self._maybe(0.6):
            values["exports"] = {"data": self._mapping(2, null), "more": self._mapping(1, null)}
        return values

    def _globals(self, null: float) -> Any:
        if self._maybe(0.04):
            return self._scalar(null)
        return {key: self._value(2 if self._deep else 0, null) for key in "abm" if self._maybe(0.6)} | (
            {"m": self._mapping(2 if self._deep else 0, null)} if self._maybe(0.6) else {}
        )

    def _mapping(self, depth: int, null: float) -> dict[str, Any]:
        count = self._random.randint(0, 4)
        return {key: self._value(depth, null) for key in self._random.sample(KEYS, count)}

    def _value(self, depth: int, null: float) -> Any:
        if depth > 0 and self._maybe(0.45):
            return self._mapping(depth - 1, null)
        if self._maybe(0.15):
            return [self._scalar(null) for _ in range(self._random.randint(0, 3))]
        return self._scalar(null)

    def _scalar(self, null: float) -> Any:
        return None if self._maybe(null) else self._random.choice(SCALARS)

    def _text(self, values: dict[str, Any]) -> str:
        return json.dumps(values)

    def _path(self) -> str:
        first = self._random.choice((*KEYS, *NAMES, "global", "tags"))
        return first + "".join(self._path_step() for _ in range(self._random.randint(0, 3)))

    def _path_step(self) -> str:
        if self._maybe(0.2):
            return f"[{self._random.randrange(3)}]"
        return "." + self._random.choice((*KEYS, "m", "x"))

    def _set(self) -> str:
        values = ("1", "0", "true", "null", "x", "1.5", "007", "", "{a,b}", "{}", r"a\,b", "9007199254740993", "-0")
        return ",".join(f"{self._path()}={self._random.choice(values)}" for _ in range(self._random.randint(1, 2)))

    def _set_json(self) -> str:
        value = json.dumps(self._value(2, 0.2))
        return f"{self._path()}={value}"
