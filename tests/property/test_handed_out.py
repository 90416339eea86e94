"""What callers do to what they were handed changes nothing: a later call with the same session gives the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.conformance.case import Case, find, load
from lamina.conformance.check import settings_of
from lamina.plugin import Merge, Node
from support.golden_results import CASES

DIALECTS = ["cloud-init", "heat", "deckhand", "datum", "helm", "hiera", "layers"]
LAYERS = [("a.yaml", "a: {b: [1, {c: 2}]}\nd: [1]\n"), ("b.yaml", "a: {b: [3], e: {f: [4]}}\nd: {g: 5}\n")]
PROJECT = """\
[targets.one]
dialect = "layers"
inputs = ["a.yaml", "b.yaml"]
options = {set = ["k.j=8"]}
[targets.two]
dialect = "layers"
inputs = ["a.yaml"]
"""


def spoil(handed: Any, seen: dict[int, Any] | None = None) -> int:
    """Change every container that can be reached; how many there were."""
    seen = {} if seen is None else seen
    if id(handed) in seen:
        return 0
    seen[id(handed)] = handed
    inner = list(members_of(handed))
    count = sum(spoil(each, seen) for each in inner)
    if isinstance(handed, dict):
        handed.clear()
        handed["spoilt"] = "spoilt"
    elif isinstance(handed, list):
        handed[:] = ["spoilt"]
    elif isinstance(handed, set):
        handed.add("spoilt")
    else:
        return count
    return count + 1


def members_of(handed: Any) -> Iterator[Any]:
    if isinstance(handed, dict):
        yield from handed.values()
    elif isinstance(handed, (list, tuple, set)):
        yield from handed
    elif is_dataclass(handed) and not isinstance(handed, (type, lamina.Result)):
        yield from (getattr(handed, field.name) for field in fields(handed))


def cases(name: str, step: int) -> Iterator[Case]:
    """Some of the golden cases of a dialect."""
    every = [case for path in find([CASES / name]) for case in load(path)]
    yield from every[::step]


def outcome(case: Case, session: lamina.Session) -> lamina.Result | str:
    settings = dict(settings_of(case))
    compat = settings.pop("compat", "program")
    try:
        return lamina.render(case.inputs(), case.dialect, compat, session=session, **settings)
    except lamina.LaminaError as error:
        return str(error)


def texts(result: lamina.Result | str) -> list[str]:
    """All that a result says, as text."""
    if isinstance(result, str):
        return [result]
    histories = [repr(history) for history in result.explain_all()]
    try:
        text = result.to_yaml()
    except lamina.UsageError as error:  # such as keys that only Ruby tells apart
        text = str(error)
    return [repr(result.value), text, *map(str, result.notes), *histories]


def handed_out(result: lamina.Result) -> Iterator[Any]:
    yield result.value
    yield result.notes
    yield list(result.explain_all())
    tops = result.value if isinstance(result.value, dict) else {}
    keys = range(len(result.value)) if isinstance(result.value, list) else tops
    for key in keys:
        try:
            yield result.explain((key,))
        except lamina.UsageError:
            continue


@pytest.mark.parametrize("name", DIALECTS)
def test_a_spoilt_result_is_rendered_again_as_it_was(name: str) -> None:
    spoilt = 0
    with lamina.Session() as session, lamina.Session() as other:
        for case in cases(name, 7):
            expected = texts(outcome(case, other))
            result = outcome(case, session)
            if isinstance(result, lamina.Result):
                spoilt += sum(spoil(each) for each in handed_out(result))
                assert texts(result) == expected, case.id
            assert texts(outcome(case, session)) == expected, case.id
    assert spoilt > 100


@pytest.mark.parametrize("name", DIALECTS)
def test_a_spoilt_difference_changes_neither_side(name: str) -> None:
    spoilt, before = 0, None
    with lamina.Session() as session:
        for case in cases(name, 11):
            after = outcome(case, session)
            if not isinstance(after, lamina.Result):
                continue
            if before is not None and before.many == after.many:
                expected = texts(before), texts(after)
                differences = lamina.diff(before, after)
                with suppress(lamina.UsageError):  # such as keys that JSON does not have
                    spoilt += spoil(differences.to_json_patch())
                spoilt += spoil(differences.changes) + spoil(differences.groups)
                assert (texts(before), texts(after)) == expected, case.id
            before = after
    assert spoilt > 10


@pytest.mark.parametrize(
    ("dialect", "code", "texts_of_layers"),
    [
        ("cloud-init", "list-replaced", ["#cloud-config\npackages: [a]\n", "#cloud-config\npackages: [b]\n"]),
        ("layers", "near-miss-key", ["service: {ports: [1]}\n", "service: {ports: [2]}\n", "sevice: {ports: [3]}\n"]),
    ],
)
def test_spoilt_findings_change_nothing(dialect: str, code: str, texts_of_layers: list[str]) -> None:
    layers = [(f"{number}.yaml", text) for number, text in enumerate(texts_of_layers)]
    with lamina.Session() as session:
        expected = texts(lamina.render(layers, dialect, session=session))
        (note,) = (note for note in lamina.lint(layers, dialect, session=session) if note.code == code)
        assert spoil(note) > 1
        assert texts(lamina.render(layers, dialect, session=session)) == expected


def test_a_spoilt_plan_changes_no_later_render() -> None:
    with lamina.Session() as session:
        expected = texts(lamina.render(LAYERS, "layers", session=session))
        steps = [
            step
            for stage in lamina.plan(LAYERS, "layers", session=session).stages
            for output in stage.outputs
            for step in output.steps
        ]
        taken = [step.take.source for step in steps if isinstance(step, Merge)]
        values = [node.value for node in taken if isinstance(node, Node)]
        assert spoil(values) > 4
        assert texts(lamina.render(LAYERS, "layers", session=session)) == expected


def test_a_spoilt_impact_changes_nothing_in_the_workspace(tmp_path: Path) -> None:
    for name, text in [*LAYERS, ("lamina.toml", PROJECT)]:
        (tmp_path / name).write_text(text)
    spoilt = 0
    with lamina.Workspace(tmp_path) as workspace, lamina.Workspace(tmp_path) as untouched:
        for text in ("a: {b: [{h: [5]}]}\n", "d: {i: [6]}\na: [7]\n", "a: {b: []}\nd: [1, [2]]\n"):
            impact = workspace.update({"b.yaml": text})
            untouched.update({"b.yaml": text})
            spoilt += sum(map(spoil, (impact.changes, impact.as_data(), impact.findings)))
            for name in workspace.targets:
                spoilt += sum(map(spoil, handed_out(workspace.result(name))))
                spoil(workspace.where("b.yaml", 1))
                assert texts(workspace.result(name)) == texts(untouched.result(name))
    assert spoilt > 20


def test_spoilt_options_of_a_target_change_nothing_in_the_project(tmp_path: Path) -> None:
    for name, text in [*LAYERS, ("lamina.toml", PROJECT)]:
        (tmp_path / name).write_text(text)
    project = lamina.Project.load(tmp_path)
    expected = project.target("one")
    assert spoil(project.target("one").options) + spoil([target.options for target in project.select()]) > 2
    assert project.target("one") == project.select(["one"])[0] == expected
