"""Random inventories have the variables that ansible-core gives them, written where it says."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.engine.provenance import origins_of
from lamina.errors import LaminaError, Severity
from oracles.random_inventories import RandomInventory, grown

pytest.importorskip("ansible", reason="ansible-core is not installed")

LONG = os.environ.get("LAMINA_FUZZ") == "long"
COUNT = 5_000 if LONG else 200
FIRST = int(os.environ.get("LAMINA_ANSIBLE_SEED", "0"))
PROGRAM = Path(__file__).with_name("ansible_program.py")


def by_ansible(folder: Path, trees: list[RandomInventory]) -> list[dict[str, Any]]:
    requests = []
    for number, tree in enumerate(trees):
        tree.write(folder / str(number))
        fields = {name: value for name, value in vars(tree).items() if name != "files"}
        requests.append(json.dumps({**fields, "folder": str(folder / str(number))}))
    environ = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE")}
    (folder / "ansible.cfg").write_text("")
    environ |= {
        "ANSIBLE_CONFIG": str(folder / "ansible.cfg"),
        "HOME": str(folder),
        "ANSIBLE_LOCAL_TEMP": str(folder / "tmp"),
    }
    done = subprocess.run(
        [sys.executable, str(PROGRAM)],
        input="\n".join(requests),
        text=True,
        capture_output=True,
        check=True,
        env=environ,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def by_lamina(folder: Path, tree: RandomInventory) -> dict[str, Any]:
    """The same form; refused as a whole where any host is, as Ansible refuses."""
    settings = {"hash_behaviour": tree.hash_behaviour, "precedence": tree.precedence}
    try:
        result = lamina.render(
            str(folder),
            "ansible",
            inventory=tuple(tree.inventory),
            playbook_dir=tree.playbook_dir,
            extra_vars=tuple(tree.extra_vars),
            setting=settings,
            cleartext_secrets=True,
        )
    except LaminaError as error:
        return {"error": str(error)}
    errors = [note for note in result.notes if note.severity is Severity.ERROR]
    if errors:
        return {"error": str(errors[0])}
    origins: dict[str, str] = {}
    node = result.node_at(())
    value = {name: _plain(node.child(name), (name,), origins, f"{folder}/") for name in node.value}
    return {"value": value, "origins": origins}


def _plain(node: Any, path: tuple[Any, ...], origins: dict[str, str], root: str) -> Any:
    value = node.value
    if isinstance(value, dict) and value:
        return ["map", [[_scalar(key), _plain(node.child(key), (*path, key), origins, root)] for key in value]]
    if isinstance(value, list) and value:
        return ["list", [_plain(node.child(at), (*path, at), origins, root) for at in range(len(value))]]
    for origin in origins_of(node)[:1]:  # a host without variables is written nowhere
        place = f"{origin.source.removeprefix(root)}:{origin.line}:{origin.column}"
        origins[json.dumps([str(key) for key in path])] = place
    return _scalar(value)


def _scalar(value: Any) -> list[str]:
    kinds = (bool, int, float, str, bytes, datetime.datetime, datetime.date, list, dict, type(None))
    kind = next(kind.__name__ for kind in kinds if isinstance(value, kind))
    return [kind, repr(value) if kind in ("float", "bytes") else str(value)]


def without_order(value: dict[str, Any]) -> dict[str, Any]:
    """Hosts and their variables in any order; inside of a variable the order of keys counts."""
    return {name: sorted(map(json.dumps, found[1])) if found[0] == "map" else found for name, found in value.items()}


def difference(theirs: dict[str, Any], ours: dict[str, Any]) -> str | None:
    """What differs, in words; None if nothing does."""
    if "error" in theirs or "error" in ours:
        if "Attempting to decrypt" in theirs.get("error", "") or "VaultSecretsContext" in theirs.get("error", ""):
            return None  # Ansible compares mappings before it merges them, and would have to decrypt for that
        if "error" in theirs and "error" in ours:
            return None
        return f"Ansible: {str(theirs)[:300]}; Lamina: {str(ours)[:300]}"
    one, other = without_order(theirs["value"]), without_order(ours["value"])
    if one != other:
        host = next(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
        first, second = set(one.get(host, ())), set(other.get(host, ()))
        return f"{host}: Ansible gives {first - second}, Lamina {second - first}"
    for path, place in theirs["origins"].items():
        if not f"{ours['origins'].get(path)}:".startswith(f"{place}:"):
            return f"{path} is at {place} for Ansible, at {ours['origins'].get(path)} for Lamina"
    return None


def test_random_inventories_are_what_ansible_makes_of_them(tmp_path: Path) -> None:
    trees = [grown(FIRST + number) for number in range(COUNT)]
    answers = by_ansible(tmp_path, trees)
    assert len(answers) == len(trees)
    wrong = []
    for number, (tree, theirs) in enumerate(zip(trees, answers, strict=True)):
        different = difference(theirs, by_lamina(tmp_path / str(number), tree))
        if different is not None:
            wrong.append(f"seed {FIRST + number}: {different}")
    assert not wrong, f"{len(wrong)} of {COUNT}\n" + "\n".join(wrong[:20])
    given = [answer for answer in answers if answer.get("value")]
    assert len(given) > COUNT * 0.7  # most are not refused, so that something is compared
    assert sum(len(answer["origins"]) for answer in given) > COUNT * 5
