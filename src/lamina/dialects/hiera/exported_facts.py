"""Facts as files have them: one of a node, an export of PuppetDB with those of many, and single ones as they are given.

Three endpoints of PuppetDB are read: `facts` (a row for each fact of each node), `inventory` and `factsets` (one row
for each node).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina import plugin as lp
from lamina.dialects.hiera import messages, psych_reader, ruby_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True, eq=False)
class FactsFile:
    """The file with the facts of a node; it is read when it is asked for."""

    name: str
    read: Callable[[], lp.Source | None]

    def root(self, run: lp.Run) -> lp.Node:
        """The whole file as a node."""
        source = self.read()
        if source is None:
            raise lp.Reject(messages.FACTS_GONE.at(name=self.name))
        read = ruby_json.read if source.name.endswith(".json") else psych_reader.read
        root = read(source, run).root("facts")
        if not isinstance(root.value, dict):
            raise lp.Reject(
                messages.FACTS_NOT_A_MAPPING.at(root.origin(), name=self.name, kind=lp.word_for(root.value))
            )
        return root


@dataclass(frozen=True, slots=True, eq=False)
class _ExportedFacts(FactsFile):
    """The facts of a node in an export."""

    values: Mapping[str, Any]

    def root(self, run: lp.Run) -> lp.Node:
        return lp.LiteralNode(self.values, ())


def exported_facts(inputs: lp.Inputs, name: str) -> Mapping[str, FactsFile]:
    """The facts of each node in a file, by the name of the node; none if it has those of a single one."""
    source = inputs.opened(name)[0]
    if not name.endswith(".json") or not source.data.lstrip().startswith(b"["):
        return {}
    rows = lp.read_json(source, inputs.run).value
    found: dict[str, dict[str, Any]] = {}
    for at, row in enumerate(rows):
        if not isinstance(row, dict) or not isinstance(row.get("certname"), str):
            raise lp.Reject(messages.NO_CERTNAME.at(source.locate(0, 0), at=at))
        own = found.setdefault(row["certname"], {})
        for key, value in _facts_in(row):
            own[key] = value
    return {node: _ExportedFacts(node, lambda: None, values) for node, values in found.items()}


def _facts_in(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The facts in a row of an export."""
    facts = row.get("facts")
    if isinstance(facts, dict) and isinstance(facts.get("data"), list):  # factsets
        yield from ((each["name"], each["value"]) for each in facts["data"] if "name" in each and "value" in each)
    elif isinstance(facts, dict):  # inventory
        yield from facts.items()
        if isinstance(row.get("trusted"), dict):
            yield "trusted", row["trusted"]
    elif isinstance(row.get("name"), str):
        yield row["name"], row.get("value")


def with_given(facts: Mapping[str, Any], given: Iterable[str]) -> dict[str, Any]:
    """Facts with single ones added, each as `NAME=VALUE`; dots in a name lead into mappings."""
    made = dict(facts)
    for each in given:
        name, equals, text = each.partition("=")
        keys = name.removeprefix("::").removeprefix("facts.").split(".")
        if not equals or not all(keys):
            finding = messages.BAD_FACT.at(each=each)
            raise lp.UsageError(finding)
        holder = made
        for key in keys[:-1]:
            inside = holder.get(key)
            holder[key] = holder = dict(inside) if isinstance(inside, dict) else {}
        holder[keys[-1]] = _value_of(text)
    return made


def _value_of(text: str) -> Any:
    """A value as it is given: a list or mapping in JSON, anything else is text."""
    if text[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text
