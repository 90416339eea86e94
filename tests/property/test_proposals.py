"""Proposals in every system: written, rendered afresh, they change exactly what was wanted; undone, no byte differs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lamina
from lamina.plugin import MISSING
from lamina.protocol.extensions import explain_of
from lamina.values import Unknown, same
from lamina.workspace.proposals.goal import Goal, essential
from lamina.workspace.proposals.text_nodes import with_value

EXAMPLES = Path(__file__).parents[2] / "examples"
LAYERS = {"base.yaml": "a: {b: 1, c: [1, 2]} # one\nz: text\n", "top.yaml": "a:\n  c: [3]\nn: null\n"}
CLOUD = {
    "vendor.yaml": "#cloud-config\npackages: [git]\nntp: {enabled: true, pools: [a, b]}\nhostname: x\n",
    "user.yaml": "#cloud-config\n# mine\npackages: [vim]\ntimezone: UTC\n",
}
HEAT = {
    "one.yaml": "parameter_defaults:\n  Map: {a: 1, b: 2}\n  List: [x]\n",
    "two.yaml": "parameter_defaults:\n  Name: web # the name\n",
}
INVENTORY = {
    "hosts": "[web]\nweb1\nweb2\n[db]\ndb1\n",
    "group_vars/all.yml": "port: 80\nmotd: hello\n",
    "group_vars/web.yml": "port: 8080 # for the proxy\n",
    "host_vars/web1.yml": "rack: r1\n",
}
TOML = {"base.toml": 'a = 1 # one\n[t]\nb = "x"\n', "top.toml": "[t]\nc = [1, 2]\n"}
SYSTEMS: dict[str, tuple[Any, str, list[str]]] = {
    "layers": (LAYERS, "layers", ["base.yaml", "top.yaml"]),
    "toml": (TOML, "layers", ["base.toml", "top.toml"]),
    "cloud-init": (CLOUD, "cloud-init", ["vendor.yaml", "user.yaml"]),
    "heat": (HEAT, "heat", ["one.yaml", "two.yaml"]),
    "ansible": (INVENTORY, "ansible", []),
    "hiera": ("hiera-mtu", "hiera", []),
    "datum": ("repositories/datum", "datum", []),
    "deckhand": ("repositories/pegleg", "deckhand", []),
}


def workspace_in(folder: Path, name: str) -> lamina.Workspace:
    """A workspace of a system in a folder; its files are written if they are not there."""
    files, dialect, inputs = SYSTEMS[name]
    if not folder.exists():
        if isinstance(files, str):
            shutil.copytree(EXAMPLES / files, folder)
        else:
            for path, text in files.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text)
            if inputs:
                listed = ", ".join(f'"{each}"' for each in inputs)
                (folder / "lamina.toml").write_text(f'[targets.one]\ndialect = "{dialect}"\ninputs = [{listed}]\n')
    return lamina.Workspace(folder, None if (folder / "lamina.toml").exists() else dialect)


def values(workspace: lamina.Workspace) -> dict[str, Any]:
    return {each.target.name: each.result.value for each in workspace.outcomes() if each.result is not None}


@pytest.mark.parametrize("name", SYSTEMS)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_written_proposal_changes_exactly_what_was_wanted(name: str, data: st.DataObject, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    with workspace_in(folder, name) as workspace:
        before = values(workspace)
        target = data.draw(st.sampled_from(sorted(before)))
        result = workspace.result(target)
        top = explain_of(result.dialect).opens_at
        leaves = [each for each in result.histories() if each.path and top in (None, each.path[0])]
        history = data.draw(st.sampled_from([each for each in leaves if not isinstance(each.value, Unknown)]))
        path = _path(history)
        value = data.draw(st.sampled_from(["other: # text", 7, True, MISSING, {"k": [1]}, "1"]))
        wanted = [target] if data.draw(st.booleans()) else []
        found = workspace.propose(path, value, wanted)
        if not found.exact:
            assert found.done or found.why or found.refused, "nothing says why"
            return
        proposal = found[0]
        assert proposal.is_exact and proposal.reason
        goal = Goal(path, value, frozenset())
        expected = {
            each: with_value(plain, goal.steps_in(workspace.result(each)), value)
            if each in found.goal.targets
            else plain
            for each, plain in before.items()
        }
        former = {each: (folder / each).read_bytes() if (folder / each).exists() else None for each in proposal.texts}
        _write(folder, proposal.texts)
        try:
            with workspace_in(folder, name) as fresh:
                for each, after in values(fresh).items():
                    new = any(edit.document for edit in proposal.edits)
                    pair = (after, expected[each])
                    one, other = (essential(fresh.result(each), part) for part in pair) if new else pair
                    assert same(one, other), (each, proposal.texts)
                back = fresh.propose(path, history.value, wanted)
                assert back.done or back.exact or back.refused or back.why
        finally:
            _write(folder, former)
        assert {each: (folder / each).read_bytes() for each in former if (folder / each).exists()} == {
            each: text for each, text in former.items() if text is not None
        }


def _path(history: lamina.History) -> str:
    from lamina.paths import show

    shown = show(history.path)
    return shown if history.output is None else f"{history.output.partition(' ')[0]}.{shown}".replace(".[", "[")


def _write(folder: Path, texts: Any) -> None:
    for path, text in texts.items():
        if text is None:
            (folder / path).unlink()
        else:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text)
