"""What charts import from the defaults of their subcharts, and the defaults that follow.

A chart with listed dependencies that are on gets new defaults, whether it imports anything or not: its own with those
of its subcharts and their globals filled in, every null kept, and without anything that the user gives. What it imports
is filled in below them; of two imports to one place the first wins.

Helm gathers imports without copying. So what a second import adds to a mapping of the first one shows up in the
subchart that the first one came from.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina import plugin as lp
from lamina.dialects.helm import fill, messages
from lamina.dialects.helm.coalesce import Coalescing
from lamina.dialects.helm.uses import shown

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from lamina.dialects.helm.uses import ChartUse, DependencyEntry

    Gathering = Generator[lp.Stage, Any, Any]

_TAKEN: Final = lp.Policy(lp.Cases.everywhere(lp.TAKE), "imports that Helm does not copy")


class _Import(NamedTuple):
    """A mapping in the values of a subchart, and where it goes in those of the chart."""

    source: lp.Path
    target: lp.Path
    origin: lp.Origin | None


def gather(use: ChartUse, path: tuple[str, ...] = (), *, shares_globals: bool) -> Gathering:
    """Give a use and all below it the defaults that follow from their subcharts; returns those that the use got, if it
    got any."""
    for each in use.subcharts:
        yield from gather(each, (*path, each.name), shares_globals=shares_globals)
    if use.entries is None:
        return None
    gathered = Coalescing(lp.From(source=lp.LiteralNode({}, ())), keep_nulls=True, shares_globals=shares_globals)
    gathered.add_chart(use)
    values = yield from lp.output(f"defaults of {shown(path)}", *gathered.steps, hidden=True)
    use.defaults = lp.From(source=lp.OutputRef(f"defaults of {shown(path)}"))
    wanted = [each for entry in use.entries for each in _wanted(entry)]
    imports = [each for each in wanted if isinstance(lp.walk(values.value, each.source), dict)]
    notes = [_missing(each) for each in wanted if each not in imports]
    if not imports and not notes:
        return values
    return (yield from _imported(use, path, imports, notes, values.value))


def _imported(
    use: ChartUse, path: tuple[str, ...], imports: list[_Import], notes: list[lp.Diagnostic], values: Any
) -> Gathering:
    """The defaults of a chart with its imports below them."""
    assert use.defaults is not None
    name = f"imports of {shown(path)}"
    steps: list[lp.Start | lp.Merge] = [lp.start()]
    there: dict[str, Any] = {}
    shared: list[_Import] = []
    for each in imports:
        steps.append(_step(replace(use.defaults, path=each.source), each.target, fill.IMPORTS, each.origin))
        mapping = lp.walk(values, each.source)
        placed = list(_placed(there, each, each.target, mapping))
        shared += placed if mapping else []  # Helm makes another one of an empty mapping
        for source, target in _same_places(shared):
            take = lp.From(source=lp.StateRef(len(steps)), path=source)
            steps.append(_step(take, target, fill.IMPORTS, each.origin))
    gathered = yield from lp.output(name, *steps, notes=notes, hidden=True)
    taken = lp.From(source=lp.OutputRef(name))
    back = [
        _step(replace(taken, path=each.target), each.source, _TAKEN, each.origin)
        for each in shared
        if lp.walk(values, each.source) != lp.walk(gathered.value, each.target)
    ]
    start = lp.Start(directive=lp.Directive(fill.DEFAULTS), take=use.defaults, forwards=True)
    whole = f"defaults of {shown(path)} with imports"
    result = yield from lp.output(whole, start, *back, _step(taken, (), fill.KEEPING, None), hidden=True)
    use.defaults = lp.From(source=lp.OutputRef(whole))
    return result


def _step(take: lp.From, path: lp.Path, policy: lp.Policy, origin: lp.Origin | None) -> lp.Merge:
    """A step that is passed over where something other than a mapping is in the way."""
    return lp.Merge(
        directive=lp.Directive(policy.label, origin),
        take=take,
        policy=policy,
        path=path,
        create=bool(path),
        faults=fill.FAULTS,
        on_fault=lp.OnFault.ALLOW,
    )


def _wanted(entry: DependencyEntry) -> Iterator[_Import]:
    """What an entry imports; once, also where two uses of a chart share it. Entries of other types are ignored."""
    wanted, entry.imports = entry.imports, ()
    for each in wanted:
        if isinstance(each, str):
            yield _Import(_keys(f"{entry.name}.exports.{each}"), (), entry.dependency.origin)
        elif isinstance(each, dict):
            child, parent = each.get("child"), each.get("parent")
            if not isinstance(child, str) or not isinstance(parent, str):
                raise lp.Reject(_malformed(entry))
            target = () if parent == "." else _keys(parent)
            yield _Import(_keys(f"{entry.name}.{child}"), target, entry.dependency.origin)


def _keys(text: str) -> lp.Path:
    return tuple(text.split("."))


def _same_places(shared: list[_Import]) -> Iterator[tuple[lp.Path, lp.Path]]:
    """Places of what is imported that are one mapping of a subchart, which was imported twice; both ways."""
    for one, other in permutations(shared, 2):
        size = len(other.source)
        if one.source[:size] == other.source:
            inside = (*other.target, *one.source[size:])
            yield from ((one.target, inside), (inside, one.target))


def _placed(there: dict[str, Any], wanted: _Import, target: lp.Path, mapping: dict[str, Any]) -> Iterator[_Import]:
    """Put the shape of a mapping below what is there; yields the mappings of it that become a part as they are."""
    if target:
        if target[0] not in there:
            for key in target[:-1]:
                there = there.setdefault(key, {})
            there[target[-1]] = _shape(mapping)
            yield wanted
        elif isinstance(there[target[0]], dict):
            yield from _placed(there[target[0]], wanted, target[1:], mapping)
        return
    for key, value in mapping.items():
        inside = wanted._replace(source=(*wanted.source, key), target=(*wanted.target, key))
        if key not in there:
            there[key] = _shape(value)
            if isinstance(value, dict):
                yield inside
        elif isinstance(value, dict) and isinstance(there[key], dict):
            yield from _placed(there[key], inside, (), value)


def _shape(value: Any) -> Any:
    return {key: _shape(each) for key, each in value.items()} if isinstance(value, dict) else None


def _missing(wanted: _Import) -> lp.Diagnostic:
    return messages.IMPORT_MISSING.at(wanted.origin, wanted=lp.show(wanted.source))


def _malformed(entry: DependencyEntry) -> lp.Diagnostic:
    return messages.MALFORMED_IMPORT.at(entry.dependency.origin, chart=entry.name)
