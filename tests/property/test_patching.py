"""JSON patches: our steps and the library agree, and every value a patch sets names the patch's line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import jsonpatch
import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

import lamina
from lamina.budget import Budget
from lamina.dialects.cloudinit.json_patch import patched
from lamina.dialects.cloudinit.patch_step import Patch, PatchOperation
from lamina.engine.merge_context import MergeContext
from lamina.engine.node import LiteralNode
from lamina.engine.plan import Directive
from lamina.engine.step_context import StepRef
from lamina.paths import leaves, walk
from lamina.values import same
from support.cloud_configs import Unique, mappings, rule_text, rules, values
from support.naive_mergers import Rejected, Rule, merge

tokens = st.sampled_from(["a", "b", "c", "users", "runcmd", "0", "1", "2", "-", "x~y", "01"])
pointers = st.lists(tokens, max_size=3).map(lambda parts: "".join("/" + part.replace("~", "~0") for part in parts))
patches = st.lists(
    st.one_of(
        st.fixed_dictionaries({"op": st.sampled_from(["add", "replace", "test"]), "path": pointers, "value": values}),
        st.fixed_dictionaries({"op": st.just("remove"), "path": pointers}),
        st.fixed_dictionaries({"op": st.sampled_from(["move", "copy"]), "from": pointers, "path": pointers}),
        st.fixed_dictionaries({"op": st.sampled_from(["add", "move", "frob"]), "path": pointers}),
    ),
    max_size=5,
)


def written(patch: Any) -> str:
    """A patch with each operation on a line of its own."""
    return "#cloud-config-jsonp\n[" + ",\n".join(json.dumps(operation) for operation in patch) + "\n]\n"


def applied(body: Any, patch: Any) -> tuple[Any, str | None]:
    """What the library makes of it, and the type of its error."""
    try:
        return jsonpatch.JsonPatch(patch).apply(body), None
    except jsonpatch.JsonPatchTestFailed:
        return body, "json-patch-test-failed"
    except jsonpatch.InvalidJsonPatch:
        return body, "bad-json-patch"
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
        return body, "json-patch-conflict"


@given(body=mappings, patch=patches)
def test_patches_do_what_the_library_does(body: Any, patch: Any) -> None:
    wanted, kind = applied(body, patch)
    parts = [("body", "#cloud-config\n" + yaml.safe_dump(body, sort_keys=False)), ("patch", written(patch))]
    result = lamina.render(parts, dialect="cloud-init")
    dropped = [note.code for note in result.notes if note.code.startswith(("json-patch", "bad-json"))]
    assert dropped == ([kind] if kind else [])
    assert same(result.value, wanted)


shared_bodies = st.builds(
    lambda inner, other, shape: {
        "inner": {"a": inner, "b": [inner, other], "c": inner},
        "deep": {"a": {"b": inner, "c": {"a": inner}}, "b": {"a": inner, "b": other}, "c": other},
        "nested": {"a": (outer := {"a": inner, "b": 1}), "b": [outer, inner], "c": [other, outer, outer]},
    }[shape],
    inner=st.one_of(st.lists(values, max_size=3), st.dictionaries(st.sampled_from("abc"), values, max_size=3)),
    other=values,
    shape=st.sampled_from(["inner", "deep", "nested"]),
)
"""Bodies in which one container is in several places; written with anchors and aliases."""


def is_cyclic(value: Any, around: tuple[int, ...] = ()) -> bool:
    if id(value) in around:
        return True
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(is_cyclic(item, (*around, id(value))) for item in inside)


@given(body=shared_bodies, sequence=st.lists(patches, min_size=1, max_size=3))
def test_what_an_alias_shares_changes_everywhere(body: Any, sequence: list[Any]) -> None:
    text = yaml.safe_dump(body, sort_keys=False)
    wanted = yaml.safe_load(text)
    kinds = []
    for patch in sequence:
        made, kind = applied({} if wanted is None else wanted, patch)
        if is_cyclic(made):
            kinds.append("cyclic-alias")
            continue
        wanted = made
        kinds.extend([kind] if kind else [])
    parts = [("body", f"#cloud-config\n{text}"), *((f"patch{at}", written(patch)) for at, patch in enumerate(sequence))]
    result = lamina.render(parts, dialect="cloud-init")
    dropped = [note.code for note in result.notes if note.code.startswith(("json-patch", "bad-json", "cyclic"))]
    if "cyclic-alias" in dropped:  # a value may contain itself only for a while; the library decides what the end is
        return
    assert dropped == kinds
    assert same(result.plain, wanted)
    if isinstance(result.plain, (dict, list)):
        for path in filter(None, leaves(result.plain)):
            assert same(result.explain(path).value, walk(result.plain, path)), path


@given(body=shared_bodies, data=st.data())
def test_a_copy_shares_nothing(body: Any, data: st.DataObject) -> None:
    """What later patches change in the original does not show in the copy, nor the other way round."""
    wanted = json.loads(json.dumps(body))
    copied = data.draw(st.sampled_from(sorted(wanted)))
    sequence: list[Any] = [[{"op": "copy", "from": f"/{copied}", "path": "/users"}]]
    for path in data.draw(st.lists(st.sampled_from(list(leaves(wanted[copied]))), min_size=1, max_size=3)):
        top = data.draw(st.sampled_from([copied, "users"]))
        pointer = "".join(f"/{key}" for key in (top, *path))
        sequence.append([{"op": "replace", "path": pointer, "value": data.draw(values)}])
    for patch in sequence:
        wanted, _ = applied(wanted, patch)
    parts = [("body", f"#cloud-config\n{json.dumps(body)}")]
    result = lamina.render([*parts, *((f"patch{at}", written(each)) for at, each in enumerate(sequence))])
    assert same(result.plain, wanted)


def inner_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of everything inside a value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if not re.search("[/~]", str(key)):
            yield (*path, key)
            yield from inner_paths(inner, (*path, key))


@st.composite
def operations(draw: st.DrawFn, value: Any) -> dict[str, Any]:
    """An operation at a place that a value has."""
    known = list(inner_paths(value))
    at, kind = draw(st.sampled_from(known)), draw(st.sampled_from(["copy", "move", "replace", "add", "remove"]))
    target = draw(st.sampled_from([("users",), *known])) if kind in ("copy", "move") else at
    operation = {"op": kind, "path": "".join(f"/{key}" for key in target)}
    if kind in ("copy", "move"):
        return {**operation, "from": "".join(f"/{key}" for key in at)}
    return operation if kind == "remove" else {**operation, "value": draw(values)}


@given(body=shared_bodies, data=st.data())
def test_patches_and_merges_in_any_order(body: Any, data: st.DataObject) -> None:
    """A merge ends what an alias shares, and what the next part shares begins anew."""
    text = yaml.safe_dump(body, sort_keys=False)
    wanted = yaml.safe_load(text)
    parts = [("body", f"#cloud-config\n{text}")]
    for at in range(data.draw(st.integers(2, 4))):
        if not isinstance(wanted, dict) or not wanted:
            break
        if data.draw(st.booleans()):
            patch = [data.draw(operations(wanted))]
            wanted, _ = applied(wanted, patch)
            parts.append((f"patch{at}", written(patch)))
        else:
            rule, second = data.draw(rules.filter(bool)), yaml.safe_dump(data.draw(shared_bodies), sort_keys=False)
            with suppress(Rejected):
                wanted = merge(wanted, yaml.safe_load(second), rule)
            parts.append((f"part{at}", f"#cloud-config\nmerge_how: '{rule_text(rule)}'\n{second}"))
        assume(not is_cyclic(wanted))
    result = lamina.render(parts, dialect="cloud-init")
    if not any(note.code == "cyclic-alias" for note in result.notes):
        assert same(result.plain, wanted)


def test_what_two_empty_mappings_get_by_an_alias_is_not_shared() -> None:
    parts = [
        ("body", "#cloud-config\na: {}\nc: {}\n"),
        ("part", "#cloud-config\nmerge_how: dict()\na: &x {k: 1}\nc: *x\n"),
        ("patch", written([{"op": "remove", "path": "/a/k"}])),
    ]
    assert lamina.render(parts, dialect="cloud-init").value == {"a": {}, "c": {"k": 1}}


def test_later_patches_of_the_original_leave_a_copy_alone() -> None:
    copy, change = [
        [{"op": "copy", "from": "/a", "path": "/b"}],
        [{"op": "replace", "path": "/a/x", "value": 2}, {"op": "add", "path": "/b/l/-", "value": 9}],
    ]
    parts = [("body", "#cloud-config\na: {x: 1, l: [1]}\n"), ("one", written(copy)), ("two", written(change))]
    result = lamina.render(parts)
    assert result.value == {"a": {"x": 2, "l": [1]}, "b": {"x": 1, "l": [1, 9]}}
    assert [event.verdict for event in result.explain("b.x").events] == ["set", "set"]


@given(body=shared_bodies, second=shared_bodies, rule=rules, patch=patches)
def test_what_was_merged_is_no_longer_shared(body: Any, second: Any, rule: Rule, patch: Any) -> None:
    """The program copies every container it merges, changed or not; all others stay the ones an alias shares."""
    texts = [yaml.safe_dump(value, sort_keys=False) for value in (body, second)]
    try:
        wanted = merge(yaml.safe_load(texts[0]), yaml.safe_load(texts[1]), rule)
    except Rejected:
        wanted = yaml.safe_load(texts[0])
    made, _ = applied(wanted, patch)
    written_rule = f"merge_how: '{rule_text(rule)}'\n" if rule else ""
    parts = [("a", f"#cloud-config\n{texts[0]}"), ("b", f"#cloud-config\n{written_rule}{texts[1]}")]
    result = lamina.render([*parts, ("patch", written(patch))], dialect="cloud-init")
    if rule and not any(note.code == "cyclic-alias" for note in result.notes):
        assert same(result.plain, made)


def test_a_patch_applied_twice_adds_two_values() -> None:
    twice = written([{"op": "add", "path": "/l/-", "value": [1]}])
    change = written([{"op": "add", "path": "/l/0/-", "value": 2}])
    message = f"--C\nContent-Type: text/cloud-config-jsonp\n\n{twice}\n--C--\n"
    inner = f'Content-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary="C"\n\n{message}'
    payload = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B\n{inner}--B--\n'
    parts = [("a", "#cloud-config\nl: []\n"), ("b", payload), ("c", change)]
    assert lamina.render(parts, dialect="cloud-init").plain == {"l": [[1, 2], [1]]}


@given(body=mappings, patch=patches)
def test_every_leaf_names_the_body_or_the_operation_it_came_from(body: Any, patch: Any) -> None:
    unique = Unique()
    texts = {
        "body": "#cloud-config\n" + yaml.safe_dump(unique.relabel(body), sort_keys=False),
        "patch": written([{**op, "value": unique.relabel(op["value"])} if "value" in op else op for op in patch]),
    }
    result = lamina.render(list(texts.items()), dialect="cloud-init")
    if not isinstance(result.plain, (dict, list)):
        return
    for path in filter(None, leaves(result.plain)):
        history = result.explain(path)
        if history.value in (None, "", [], {}):
            continue
        [origin] = history.origins
        line = texts[origin.source].split("\n")[origin.line - 1]
        shown = json.dumps(history.value) if origin.source == "patch" else str(history.value)
        assert line[origin.column - 1 :].lstrip("'").startswith(shown), (path, history)


@given(body=mappings, patch=patches)
def test_the_last_event_of_a_patch_shows_the_result(body: Any, patch: Any) -> None:
    parts = [("body", "#cloud-config\n" + yaml.safe_dump(body, sort_keys=False)), ("patch", written(patch))]
    result = lamina.render(parts, dialect="cloud-init")
    if not isinstance(result.plain, (dict, list)):
        return
    for path in filter(None, leaves(result.plain)):
        history = result.explain(path)
        assert history.events, path
        assert same(history.events[-1].result, history.value) or history.events[-1].path != path


@pytest.mark.parametrize("path", ["/k{}", "/a/-", "/a", "/m/k{}"])
def test_a_patch_takes_as_much_as_it_has_operations(path: str) -> None:
    """Ten times the operations, ten times the budget: no container is copied for each of them."""
    spent = []
    for count in (200, 2000):
        budget = Budget()
        node = LiteralNode({"a": [], "m": {}}, ())
        changes = [
            PatchOperation(
                operation="add", path=tuple(path.format(i).split("/")[1:]), value=LiteralNode(i, ()), node=node
            )
            for i in range(count)
        ]
        ref = StepRef("out", 0, Patch(directive=Directive("a test"), changes=tuple(changes)))
        assert patched(node, changes, ref, MergeContext(budget)).value != node.value
        spent.append(Budget().nodes - budget.nodes + Budget().size - budget.size)
    assert spent[1] <= 10 * spent[0] + 100
