"""Strategies: rules and parts of cloud-config, as random as they can be and still mean something."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import strategies as st

OPTIONS = {
    "dict": ["replace", "no_replace", "allow_delete", "recurse_list", "recurse_array", "recurse_str", "bogus"],
    "list": ["append", "prepend", "replace", "no_replace", "recurse_dict", "recurse_list", "recurse_str"],
    "str": ["append", "bogus"],
}

mergers = st.sampled_from(sorted(OPTIONS)).flatmap(
    lambda name: st.lists(st.sampled_from(OPTIONS[name]), max_size=3).map(lambda options: (name, options))
)
rules = st.lists(mergers, min_size=1, max_size=4)

keys = st.sampled_from(["a", "b", "c", "users", "runcmd"])
scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["", "x", "yy", "1", "two\nlines"]))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)
mappings = st.dictionaries(keys, values, max_size=5)


def rule_text(rule: list[tuple[str, list[str]]]) -> str:
    """A rule in its string form."""
    return "+".join(f"{name}({','.join(options)})" for name, options in rule)


def part_text(body: dict[str, Any], rule: list[tuple[str, list[str]]] | None) -> str:
    """A part of cloud-config with a rule of its own, if any."""
    data = {**body, "merge_how": rule_text(rule)} if rule else body
    return "#cloud-config\n" + yaml.safe_dump(data, sort_keys=False)


class Unique:
    """Hands out leaves that are all different."""

    def __init__(self) -> None:
        self.count = 0

    def leaf(self, text: bool) -> Any:
        self.count += 1
        return f"leaf{self.count};" if text else 1000 + self.count

    def relabel(self, value: Any) -> Any:
        """The value with every leaf made unlike all others."""
        if isinstance(value, dict):
            return {key: self.relabel(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.relabel(inner) for inner in value]
        return None if value is None else self.leaf(isinstance(value, str))


def written(name: str, text: str) -> dict[tuple[str, int, int], Any]:
    """What is at each position of a text, according to PyYAML and not to us."""
    found: dict[tuple[str, int, int], Any] = {}
    loader = yaml.SafeLoader(text)
    pending: list[Any] = [loader.get_single_node()]
    while pending:
        node = pending.pop()
        found[name, node.start_mark.line + 1, node.start_mark.column + 1] = loader.construct_object(node, deep=True)
        if isinstance(node, yaml.MappingNode):
            pending.extend(value for _, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            pending.extend(node.value)
    return found


Parts = list[tuple[str, str]]


@st.composite
def distinct_parts(draw: st.DrawFn) -> Parts:
    """Parts whose leaves are all different, each with a rule of its own or none."""
    unique = Unique()
    bodies = draw(st.lists(mappings, min_size=1, max_size=4))
    return [
        (f"part{i}.yaml", part_text(unique.relabel(body), draw(st.none() | rules))) for i, body in enumerate(bodies)
    ]
