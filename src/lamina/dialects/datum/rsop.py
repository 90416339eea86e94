"""The resultant set of a node: its own data, and one lookup for everything it is configured with.

`Name` is the NodeName where it is missing. `Configurations` is looked up, then every key it lists; what is found
nowhere is an empty table. With `DscLocalConfigurationManagerKeyName` that key is looked up too and is under
`LcmConfig`. See The tree in docs/reference/datum.md; golden cases in trees.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum import messages
from lamina.dialects.datum.datum_yml import definition_of
from lamina.dialects.datum.equality import text_form, truth
from lamina.engine.node import LiteralNode
from lamina.engine.operators.whole import TAKE
from lamina.engine.plan import Directive, Fail, From, Merge, Output, OutputRef, Stage, Start
from lamina.engine.policy import Cases, Policy
from lamina.paths import MISSING
from lamina.sources.caseless_keys import caseless
from lamina.values import holds_unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.datum.datum_yml import Definition
    from lamina.dialects.datum.hierarchy import Hierarchy, NodeView
    from lamina.dialects.datum.lookup import DatumLookup
    from lamina.engine.node import Node
    from lamina.engine.plan import AnyStep, Compiler, Results
    from lamina.errors import Message
    from lamina.run import Run

COMPOSITION: Final = "Configurations"
LCM: Final = "LcmConfig"
_IN_LIST: Final = f"listed in {COMPOSITION}"
_TAKE: Final = Policy(Cases.everywhere(TAKE))


def resultant_set(view: NodeView, title: str, *, hidden: bool = False, strict: bool = False) -> Compiler:
    """The stages that make the resultant set of a node; the output has the node's name."""
    composition = _hidden(view.lookup(COMPOSITION), title)
    results = yield Stage(
        title=f"{title}: {COMPOSITION}", outputs=(composition[1],), notes=tuple(composition[0].notes())
    )
    if results[composition[1].name].failed:
        return
    if holds_unknown(results[composition[1].name].value):
        yield Stage(title=title, outputs=(_fail(messages.UNKNOWN_COMPOSITION, title, hidden=hidden),))
        return
    keys = list(dict.fromkeys(_listed(results[composition[1].name].value)))
    everything = not strict and results[composition[1].name].value is None and not _composes(view.hierarchy)
    if everything:
        keys = view.names_at(())
    if "" in keys:
        yield Stage(title=title, outputs=(_fail(messages.EMPTY_PATH, title, hidden=hidden),))
        return
    lookups = [(key, key, *_hidden(view.lookup(key), title)) for key in keys]
    lcm = text_form(view.hierarchy.definition.option("DscLocalConfigurationManagerKeyName").value)
    if lcm:
        lookups.append((LCM, lcm, *_hidden(view.lookup(lcm), title)))
    outputs = {output.name: output for _, _, _, output in lookups if output.name not in results}
    notes = tuple(note for _, _, lookup, _ in lookups for note in lookup.notes())
    if everything:
        notes = (*notes, messages.NO_CONFIGURATIONS.at(subject=title, key=COMPOSITION))
    results = yield Stage(title=f"{title}: lookups", outputs=tuple(outputs.values()), notes=notes)
    steps = list(_own(view))
    if not everything:
        steps.extend(_composition(composition[1], results, title, view))
    for key, path, _, output in lookups:
        steps.extend(_lookup_steps(key, path, output, results, view, "a key of some layer" if everything else _IN_LIST))
    yield Stage(title=title, outputs=(Output(name=title, steps=tuple(steps), hidden=hidden),), notes=view.notes())


def _hidden(lookup: DatumLookup, title: str) -> tuple[DatumLookup, Output]:
    output = lookup.output(hidden=True)
    return lookup, output.renamed(f"{title}: {output.name}", hidden=True)


def _composes(hierarchy: Hierarchy) -> bool:
    """Whether any file of a tree lists configurations; reads all files, once."""
    inputs, strict = hierarchy.inputs, hierarchy.strict
    # Of the definition at that time: the answer may be computed again when there are other files.
    return inputs.derived.once("composes", lambda: _names_composition(definition_of(inputs, strict), inputs.run))


def _names_composition(definition: Definition, run: Run) -> bool:
    key = caseless(COMPOSITION)
    nodes = (file.node(run) for file in definition.root.files())
    named = any(file.key == key for file in definition.root.files())
    return named or any(node is not None and isinstance(node.value, dict) and key in node.value for node in nodes)


def _fail(message: Message, title: str, *, hidden: bool) -> Output:
    finding = message.at(subject=title, key=COMPOSITION)
    fail = Fail(directive=Directive("the composition key"), finding=finding, subject=title)
    return Output(name=title, steps=(fail,), hidden=hidden)


def _listed(value: Any) -> Iterator[str]:
    """The names in a list of configurations; a bare one counts as a list of one."""
    if value is not None:
        yield from map(text_form, value if isinstance(value, list) else [value])


def _own(view: NodeView) -> Iterator[AnyStep]:
    node = view.node
    source = (
        view.evaluator.evaluated(node) if node is not None and isinstance(node.value, dict) else LiteralNode({}, ())
    )
    yield Start(directive=Directive("the node's own data"), take=From(source=source, rank=0))
    if not truth(_value(source, "Name")) and _value(source, "NodeName") is not None:
        name = source.child(caseless("NodeName"))
        yield _set_key("Name", From(source=name), Directive("the node's name"))


def _value(node: Node, key: str) -> Any:
    found = node.child(caseless(key)).value
    return None if found is MISSING else found


def _composition(output: Output, results: Results, title: str, view: NodeView) -> Iterator[AnyStep]:
    if results[output.name].value is None:
        # A default that is an empty list does not count: the program gives up here.
        finding = messages.NO_COMPOSITION.at(subject=title, key=COMPOSITION)
        yield Fail(directive=Directive("the composition key"), finding=finding, subject=title)
    else:
        yield _set_key(COMPOSITION, _taken(output, results, view), Directive("the composition key"))


def _taken(output: Output, results: Results, view: NodeView) -> From:
    """The result of a lookup, with the remaining scripts in it evaluated."""
    node = results[output.name].node
    evaluated = node if results[output.name].failed else view.evaluator.evaluated(node)
    return From(source=OutputRef(output.name) if evaluated is node else evaluated)


def _lookup_steps(
    key: str, path: str, output: Output, results: Results, view: NodeView, reason: str
) -> Iterator[AnyStep]:
    """The steps that set a key to what its lookup came to; `reason` is why it is looked up."""
    directive = Directive(reason if key == path else f"DscLocalConfigurationManagerKeyName {path}")
    found = results[output.name]
    if found.failed or (truth(found.value) if key != path else _is_there(found.value)):
        yield _set_key(key, _taken(output, results, view), directive)
    elif key == path:
        yield _set_key(key, From(source=LiteralNode({}, ())), Directive(f"{reason}, not found"))


def _is_there(value: Any) -> bool:
    """Whether a configuration has a value; 0, false and an empty string count, an empty list does not."""
    return value is not None and (not isinstance(value, list) or any(item != [] for item in value))


def _set_key(key: str, take: From, directive: Directive) -> Merge:
    return Merge(
        directive=directive, take=take, policy=_TAKE, path=(caseless(key),), create=True, subject=key, verb="looked up"
    )
