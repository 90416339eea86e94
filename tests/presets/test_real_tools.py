"""Presets give what the real tools give: Helm, and Debian's docker-compose."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import lamina
from helm.helm_program import HELM
from support import installed

HERE = Path(__file__).parent
CACHE = Path(sys.prefix) / "preset-tests"
ROUNDS = 25


@pytest.fixture(scope="module", autouse=True)
def _tools() -> None:
    installed.need("docker-compose", HERE / "install", CACHE)


def written(folder: Path, values: dict[str, Any]) -> list[str]:
    for name, value in values.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(value))
    return [str(folder / name) for name in values]


def printed(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def some_value(dice: random.Random, depth: int = 1) -> Any:
    if depth < 4 and dice.random() < 0.45:
        return {key: some_value(dice, depth + 1) for key in dice.sample("abcd", dice.randrange(1, 4))}
    return dice.choice([None, None, 1, "s", True, [], [1, 2]])


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_values_are_those_of_helm(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    made = [{key: some_value(dice) for key in dice.sample("abcd", 3)} for _ in range(3)]
    paths = written(tmp_path, dict(zip(("c/values.yaml", "one.yaml", "two.yaml"), made, strict=True)))
    (tmp_path / "c/Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 0.1.0\n")
    (tmp_path / "c/templates").mkdir()
    (tmp_path / "c/templates/values.yaml").write_text("values: {{ .Values | toJson }}\n")
    theirs = printed(HELM, "template", tmp_path / "c", "-f", paths[1], "-f", paths[2])
    mine = lamina.render(paths, dialect="layers", preset="helm-values").plain
    assert mine == yaml.safe_load(theirs)["values"], made


def some(dice: random.Random, *pool: str) -> list[str]:
    return dice.sample(pool, dice.randrange(1, len(pool) + 1))


def service(dice: random.Random) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "image": dice.choice(["a:1", "b:2"]),
        "command": dice.choice([["run", "x"], ["go"]]),
        "entrypoint": dice.choice([["sh"], ["sh", "-c"]]),
        "environment": [f"{name}={dice.randrange(3)}" for name in some(dice, "A", "B", "C")],
        "labels": {name: dice.choice("xy") for name in some(dice, "one", "two")},
        "volumes": [f"/{dice.choice('pq')}:/{place}" for place in some(dice, "m", "n", "o")],
        "expose": some(dice, "80", "81", "82"),
        "cap_add": some(dice, "ALL", "NET_ADMIN", "SYS_TIME"),
        "cap_drop": some(dice, "KILL", "MKNOD"),
        "dns": some(dice, "1.1.1.1", "8.8.8.8"),
        "dns_search": some(dice, "a.example", "b.example"),
        "tmpfs": some(dice, "/run", "/tmp"),
        "restart": dice.choice(["always", "no"]),
    }
    return {"image": fields["image"]} | {key: each for key, each in fields.items() if dice.random() < 0.6}


def forms(dice: random.Random) -> dict[str, Any]:
    """Fields in their short and long forms, as both Compose 1.29 and Compose 2 merge them."""
    volumes = [
        dice.choice(
            [
                f"/{dice.choice('pq')}:/{place}",
                {"type": "bind", "source": f"/{dice.choice('pq')}", "target": f"/{place}"},
            ]
        )
        for place in some(dice, "m", "n", "o")
    ]
    ports = [
        dice.choice([f"{port}:80", {"target": 80, "published": int(port)}]) for port in some(dice, "81", "82", "83")
    ]
    variables = {name: dice.choice(["x", "y"]) for name in some(dice, "A", "B", "C")}
    listed = [f"{name}={value}" for name, value in variables.items()]
    return {
        "image": "a:1",
        "volumes": volumes,
        "ports": ports,
        "environment": dice.choice([variables, listed]),
        "labels": dice.choice([variables, listed]),
        "dns": dice.choice(["1.1.1.1", ["8.8.8.8"]]),
        "env_file": dice.choice(["one.env", ["two.env"], ["one.env", "two.env"]]),
    }


def in_long_form(fields: dict[str, Any]) -> dict[str, Any]:
    """A service with its volumes, ports, variables and labels written out, and in order."""
    made = dict(fields)
    for key in ("environment", "labels"):
        if isinstance(made.get(key), list):
            made[key] = dict(each.split("=", 1) for each in made[key])
    made["volumes"] = sorted(_volume(each) for each in made["volumes"])
    made["ports"] = sorted(_port(each) for each in made["ports"])
    made["dns"] = [made["dns"]] if isinstance(made["dns"], str) else made["dns"]
    made.pop("env_file", None)  # the real tool prints what is in the files
    return made


def _volume(item: Any) -> tuple[str, str]:
    if isinstance(item, dict):
        return item["target"], item["source"]
    source, target = item.removesuffix(":rw").split(":")
    return target, source


def _port(item: Any) -> tuple[int, int]:
    if isinstance(item, dict):
        return int(item["published"]), int(item["target"])
    published, target = item.split(":")
    return int(published), int(target)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_short_and_long_forms_are_merged_as_by_docker_compose(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    made = [{"version": "3.8", "services": {"web": forms(dice)}} for _ in range(3)]
    for name in ("one.env", "two.env"):
        (tmp_path / name).write_text("")
    paths = written(tmp_path, {"one.json": made[0], "two.json": made[1], "three.json": made[2]})
    given = [word for path in paths for word in ("-f", path)]
    theirs = yaml.safe_load(printed("docker-compose", *given, "config"))
    mine = lamina.render(paths, dialect="layers", preset="docker-compose").plain
    assert in_long_form(mine["services"]["web"]) == in_long_form(theirs["services"]["web"]), made


def compared(services: dict[str, Any]) -> dict[str, Any]:
    """Services with what has no order in a form that has none."""
    plain: dict[str, Any] = {}
    for name, fields in services.items():
        made = dict(fields)
        if isinstance(made.get("environment"), list):
            made["environment"] = dict(each.split("=", 1) for each in made["environment"])
        for key in ("volumes", "expose", "cap_add", "cap_drop"):
            if key in made:
                made[key] = sorted(each.removesuffix(":rw") for each in made[key])
        plain[name] = made
    return plain


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_services_are_those_of_docker_compose(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    made = [{"version": "2.4", "services": {name: service(dice) for name in some(dice, "web", "db")}} for _ in range(2)]
    paths = written(tmp_path, {"one.json": made[0], "two.json": made[1]})
    theirs = yaml.safe_load(printed("docker-compose", "-f", paths[0], "-f", paths[1], "config"))
    mine = lamina.render(paths, dialect="layers", preset="docker-compose").plain
    assert compared(mine["services"]) == compared(theirs["services"]), made
