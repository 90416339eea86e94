"""Presets: Compose files in all their forms, presets that are chosen by name, and YAML as each tool reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

import lamina
from lamina.cli.group import lamina as command
from lamina.errors import LaminaError
from lamina.sources.inputs import Inputs, MemoryFiles


def merged(*layers: str, preset: str = "docker-compose", **options: Any) -> lamina.Result:
    files = [(f"{number}.yml", text) for number, text in enumerate(layers)]
    return lamina.render(files, dialect="layers", preset=preset, **options)


def service(field: str, *values: str) -> Any:
    """What comes of a field of a service that several files set."""
    result = merged(*(f"services:\n  web:\n    {field}: {value}\n" for value in values)).plain
    return result["services"]["web"].get(field)


@pytest.mark.parametrize(
    ("field", "values", "expected"),
    [
        # The host, both ports and the protocol, as they are meant.
        ("ports", ("['80:80']", "['80:80/tcp']"), "['80:80/tcp']"),
        ("ports", ("['80:80']", "['0.0.0.0:80:80']"), "['0.0.0.0:80:80']"),
        ("ports", ("['80:80']", "['80:80/udp', '127.0.0.1:80:80', '81:80', 80]"), None),
        ("ports", ("['80:80']", "[{target: 80, published: 80}]"), "[{target: 80, published: 80}]"),
        ("ports", ("[{target: 80, published: '80', mode: host}]", "['80:80']"), "['80:80']"),
        ("ports", ("[80, 81]", "['80', {target: 81}]"), "['80', {target: 81}]"),
        ("ports", ("['${A:-1}:80']", "['${A:-1}:80', '${B:-1}:80']"), "['${A:-1}:80', '${B:-1}:80']"),
        ("ports", ("['[::1]:80:80']", "[{host_ip: '[::1]', target: 80, published: 80}]"), "REPLACED"),
        # The place in the container; a later item is taken whole.
        ("volumes", ("['/a:/m']", "['/b:/m:ro', '/n']"), "['/b:/m:ro', '/n']"),
        ("volumes", ("['/a:/m']", "[{type: bind, source: /b, target: /m}]"), "REPLACED"),
        (
            "volumes",
            ("[{type: bind, source: /b, target: /m, read_only: true}]", "[{type: volume, target: /m}]"),
            "REPLACED",
        ),
        ("volumes", ("['${D:-./d}:/m']", "['x:/m']"), "['x:/m']"),
        ("volumes", ("['C:\\d:/m']", "['x:/m']"), "['x:/m']"),
        ("devices", ("[/dev/a]", "['/dev/b:/dev/a:rwm', {source: /dev/c, target: /dev/d}]"), "REPLACED"),
        ("secrets", ("[one]", "[{source: one}, two]"), "[{source: one}, two]"),
        ("secrets", ("[one]", "[{source: two, target: /run/secrets/one}]"), "REPLACED"),
        ("secrets", ("[one]", "[{source: one, target: other}]"), "[one, {source: one, target: other}]"),
        ("configs", ("[one]", "[{source: two, target: /one}]"), "REPLACED"),
        # Lists and mappings, lists and single values.
        ("environment", ("{A: 1, B: 2}", "[B=3, C]"), "{A: 1, B: '3', C: null}"),
        ("environment", ("[A=1, B]", "{B: x}"), "{A: '1', B: x}"),
        ("environment", ("[A=1]", "[A=2=3]"), "[A=2=3]"),
        ("depends_on", ("[db]", "[db, q]"), "[db, q]"),
        (
            "depends_on",
            ("[db]", "{q: {condition: service_healthy}}"),
            "{db: {condition: service_started, required: true}, q: {condition: service_healthy}}",
        ),
        ("networks", ("[a, b]", "{b: {aliases: [x]}}"), "{a: null, b: {aliases: [x]}}"),
        ("env_file", ("a.env", "b.env"), "[a.env, b.env]"),
        ("env_file", ("a.env", "[{path: a.env, required: false}, c.env]"), "REPLACED"),
        ("dns", ("1.1.1.1", "[8.8.8.8]"), "[1.1.1.1, 8.8.8.8]"),
        ("dns", ("[1.1.1.1]", "8.8.8.8"), "[1.1.1.1, 8.8.8.8]"),
        ("expose", ("[80]", "['80', 81]"), "['80', 81]"),
        ("extra_hosts", ("['a:1']", "['a:1', 'a:2']"), "['a:1', 'a:2']"),
        ("command", ("[a, b]", "[c]"), "[c]"),
        # A null replaces nothing, but a command.
        ("image", ("a", ""), "a"),
        ("volumes", ("['/a:/m']", ""), "['/a:/m']"),
        ("command", ("a", ""), "null"),
    ],
)
def test_what_two_compose_files_come_to(field: str, values: tuple[str, str], expected: str | None) -> None:
    found = service(field, *values)
    if expected is None:
        assert found == [*yaml.safe_load(values[0]), *yaml.safe_load(values[1])]
    else:
        assert found == yaml.safe_load(values[1] if expected == "REPLACED" else expected)


@pytest.mark.parametrize(
    ("field", "values", "codes"),
    [
        ("volumes", ("['/a:/m']", "[{type: bind, source: /b, target: /m}]"), []),
        ("ports", ("[{target: 80, published: 80}]", "['80:80']"), []),
        ("environment", ("{A: 1}", "[B=2]"), []),
        ("depends_on", ("[db]", "{db: {condition: service_healthy}}"), []),
        ("dns", ("1.1.1.1", "[8.8.8.8]"), []),
        ("image", ("[a]", "b"), ["type-change"]),
        ("deploy", ("{mode: a}", "b"), ["type-change"]),
    ],
)
def test_another_form_is_no_change_of_type(field: str, values: tuple[str, str], codes: list[str]) -> None:
    texts = [(f"{at}.yml", f"services:\n  web:\n    {field}: {value}\n") for at, value in enumerate(values)]
    found = lamina.lint(texts, dialect="layers", preset="docker-compose")
    assert [note.code for note in found if note.code in ("type-change", "mapping-replaced")] == codes


@pytest.mark.parametrize("item", ["{published: 80}", "[80]", "true", "'a:b:c:d:e'"])
def test_items_that_cannot_be_told_apart(item: str) -> None:
    with pytest.raises(LaminaError, match="item-without-key"):
        service("ports", "[80]", f"[{item}]")


def test_reset_and_override() -> None:
    base = "services:\n  web: {image: a, ports: ['80:80'], environment: {A: 1}, volumes: ['/a:/m'], labels: {x: 1}}\n"
    later = (
        "services:\n  web:\n    ports: !override\n    - 90:90\n    environment: !reset\n    volumes: !reset ['/b:/m']\n"
        "    labels: !override {y: 2}\n    dns: !reset []\n    tty: !override true\n  db: !reset null\n"
    )
    result = merged(base, later)
    assert result.plain == {"services": {"web": {"image": "a", "ports": ["90:90"], "labels": {"y": 2}, "tty": True}}}
    history = result.explain("services.web.ports")
    last = history.events[-1].directive
    assert last is not None
    assert str(last.origin) == "1.yml:3:12"
    place = result.explain("services.web.labels.y").events[-1].origin
    assert str(place) == "1.yml:7:27"
    # The first file may have them, too, and a third one starts from what is left.
    assert merged(later).plain["services"] == {"web": {"ports": ["90:90"], "labels": {"y": 2}, "tty": True}}
    assert merged(base, later, base).plain["services"]["web"]["ports"] == ["90:90", "80:80"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85", "\u2028", "\u2029"])
def test_tags_below_every_end_of_a_line(end: str) -> None:
    later = f'{{a: "one{end}two{end}three",{end}b: !reset x, c: !override [2]}}'
    assert merged("b: 1\nc: [1]\n", later).plain == {
        "a": merged(f'{{a: "one{end}two{end}three"}}').plain["a"],
        "c": [2],
    }


@pytest.mark.parametrize(
    ("text", "preset"),
    [("a: {b: [!reset x]}\n", "docker-compose"), ("a: !Reset x\n", "docker-compose")],
)
def test_other_tags_are_rejected(text: str, preset: str) -> None:
    with pytest.raises(LaminaError, match="could not determine a constructor for the tag"):
        merged(text, preset=preset)


def test_without_the_preset_a_tag_says_nothing() -> None:
    assert merged("a: !reset x\n", preset="none").to_yaml() == "a: !reset 'x'\n"


TWICE = "x: &a 1\nu: *a\nz: &a [2]\nw: *a\n"


@pytest.mark.parametrize("preset", ["docker-compose", "helm-values", "none"])
def test_an_anchor_may_be_defined_again(preset: str) -> None:
    result = merged(TWICE, "v: 1\n", preset=preset)
    assert result.plain == {"x": 1, "u": 1, "z": [2], "w": [2], "v": 1}
    assert str(result.explain("w[0]").events[-1].origin) == "0.yml:3:8"


@pytest.mark.parametrize("preset", ["ansible-combine", "ansible-combine-recursive"])
def test_but_not_for_tools_that_read_with_pyyaml(preset: str) -> None:
    with pytest.raises(LaminaError) as caught:
        merged(TWICE, preset=preset)
    finding = caught.value.diagnostic
    assert (finding.message, str(finding.at)) == ("the anchor 'a' is defined twice", "0.yml:3:4")
    assert [(label, str(place)) for label, place in finding.related] == [("it is defined here first", "0.yml:1:4")]


@pytest.mark.parametrize(
    ("names", "preset"),
    [
        (["docker-compose.yml", "prod.yml"], "docker-compose"),
        (["compose.yaml"], "docker-compose"),
        (["x/docker-compose.prod.yml", "compose.yml"], "docker-compose"),
        (["chart/values.yaml", "prod.yaml"], "helm-values"),
        (["chart/values-prod.yaml"], "helm-values"),
        (["chart/prod-values.yml", "a.yaml"], "helm-values"),
        (["values.yaml", "prod.yaml"], None),
        (["composed.yml", "b.yml"], None),
        (["prod.yml", "compose.yml"], None),
    ],
)
@pytest.mark.parametrize("on_disk", [False, True])
def test_a_preset_is_chosen_by_name_and_named(
    names: list[str], preset: str | None, on_disk: bool, tmp_path: Path
) -> None:
    texts = dict.fromkeys(names, "a: {b: 1}\n") | {"chart/Chart.yaml": "name: c\n"}
    if on_disk:
        for name, text in texts.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        inputs: Any = [str(tmp_path / name) for name in names]
    else:
        files = MemoryFiles(texts)
        inputs = Inputs(tuple(source for name in names if (source := files.read(name))), files)
    for dialect in ("layers", None) if preset else ("layers",):
        notes = lamina.render(inputs, dialect=dialect).notes
        assert [note.message.partition("preset ")[2].partition(",")[0] for note in notes] == (
            [preset] if preset else []
        )
    for options in ({"preset": "none"}, {"preset": "helm-values"}, {"rules": {"lists": "append"}}):
        assert not lamina.render(inputs, dialect="layers", **options).notes


def test_no_preset_by_name_for_a_file_that_is_only_called_so() -> None:
    with pytest.raises(LaminaError, match="unknown-dialect"):
        lamina.render([("values.yaml", "a: 1\n")])


@pytest.mark.parametrize(
    ("options", "later"), [('null = "delete"', "a: ~\n"), ('preset = "docker-compose"', "a: !reset {x: 1}\n")]
)
def test_where_names_the_line_that_removes_a_value(
    options: str, later: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = f'[targets.t]\ndialect = "layers"\ninputs = ["one.yaml", "two.yaml"]\noptions = {{ {options} }}\n'
    for name, text in {"lamina.toml": project, "one.yaml": "a: {x: 1}\nb: 2\n", "two.yaml": later}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    said = [CliRunner().invoke(command, ["where", f"{name}.yaml:1"]).stdout for name in ("two", "one")]
    assert "a: decided by the rule on this line" in said[0]
    assert "a: overridden by two.yaml:1" in said[1]
