"""What Debian's cloud-init finds wrong with a configuration, `lamina lint --check` finds, too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest
import yaml

import lamina
from support.debian_cloud_init import examples, schema_file, verdicts

MUTATED = 200
VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    "x",
    "",
    [],
    {},
    ["a"],
    {"a": "b"},
    [["a", "b"]],
    {"a": None},
    [1],
    {"name": "x"},
)
NEWER = ("users", "ansible.pull", "packages", "disk_setup")
"""Where the table follows a later cloud-init than Debian's, which accepts more there."""
UNKNOWN = {
    *("packages_update", "packages_upgrade", "debconf_selections", "datasource", "def_log_file", "syslog_fix_perms"),
    *("manual_cache_clean", "ssh_keys.dsa_private", "ssh_keys.dsa_public", "phone_home.post.0"),
}
"""Keys in Debian's examples that later releases of cloud-init do not accept in user-data, some of them never right."""


def known_examples() -> list[dict[str, Any]]:
    found = []
    for text in examples().values():
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError:
            continue
        if isinstance(value, dict):
            found.append(json.loads(json.dumps(value, default=str)))
    return found


def mutated(config: Any, random: Random) -> Any:
    """A configuration with one to three changes: a value, a key, an item, or something taken out."""
    config = deepcopy(config)
    for _ in range(random.randint(1, 3)):
        places = list(members(config))
        if places:
            parent, key = random.choice(places)
            change(parent, key, random)
    return config


def members(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from members(inner)


def change(parent: Any, key: Any, random: Random) -> None:
    match random.randrange(4):
        case 0:
            parent[key] = deepcopy(random.choice(VALUES))
        case 1:
            del parent[key]
        case 2 if isinstance(parent, dict):
            parent[f"{key}x"] = parent.pop(key)
        case _:
            parent[key] = [parent[key]]


def found_paths(config: Any, schema: str, *, deprecated: bool) -> list[str]:
    text = f"#cloud-config\n{json.dumps(config)}\n"
    notes = lamina.lint([("user-data", text)], dialect="cloud-init", select=["config"], schema=schema)
    wanted = [note for note in notes if (note.code == "config-deprecated") is deprecated]
    return [".".join(str(step) for step in note.path) for note in wanted]


def covers(found: str, path: str) -> bool:
    """Whether a finding is about a place: there, inside it, or around it (a key that may not be there)."""
    return path in ("", found) or found.startswith(f"{path}.") or path.startswith(f"{found}.")


@pytest.fixture(scope="module")
def configs() -> list[Any]:
    random, known = Random(2026), known_examples()
    assert len(known) >= 20
    return known + [mutated(random.choice(known), random) for _ in range(MUTATED)]


@pytest.mark.slow
def test_by_the_schema_of_the_program_the_same_is_found(configs: list[Any]) -> None:
    schema = str(schema_file())
    broken = 0
    for config, (errors, deprecations) in zip(configs, verdicts(configs), strict=True):
        found = found_paths(config, schema, deprecated=False)
        assert bool(found) == bool(errors), (config, errors, found)
        assert all(any(covers(each, path) for each in found) for path in errors), (config, errors, found)
        if not errors:
            assert set(found_paths(config, schema, deprecated=True)) == set(deprecations), config
        broken += bool(errors)
    assert broken > MUTATED // 4


@pytest.mark.slow
def test_by_the_built_in_table_whatever_the_program_finds_is_found(configs: list[Any]) -> None:
    for config, (errors, _) in zip(configs, verdicts(configs), strict=True):
        found = found_paths(config, "builtin", deprecated=False)
        missed = [path for path in errors if not any(covers(each, path) for each in found)]
        assert not [path for path in missed if not path.startswith(NEWER)], (config, missed, found)


def test_in_the_examples_of_the_program_the_built_in_table_finds_only_keys_that_later_ones_reject() -> None:
    found = {path for config in known_examples() for path in found_paths(config, "builtin", deprecated=False)}
    wrong = {path for _, (paths, _) in zip(known_examples(), verdicts(known_examples()), strict=True) for path in paths}
    assert {path for path in found if not any(covers(path, each) for each in wrong)} == UNKNOWN
