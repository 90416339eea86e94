"""`lamina set`: what is written does exactly what was wanted, or it is said why nothing does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lamina import Workspace
from lamina.cli.group import lamina as program

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments, standalone_mode=False)


@pytest.fixture
def datum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "datum"
    shutil.copytree(EXAMPLES / "repositories/datum", folder)
    monkeypatch.chdir(folder)
    return folder


def values(folder: Path) -> dict[str, Any]:
    with Workspace(folder) as workspace:
        return {name: workspace.result(name).value for name in workspace.targets}


def layers(folder: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    return [str(folder / f"{name}.yaml") for name in texts]


def test_the_line_that_sets_a_value_is_changed(tmp_path: Path) -> None:
    files = layers(tmp_path, base="a:\n  port: 80 # http\n  host: x\n", top="a: {host: y}\n")
    done = run("set", "a.port", "8080", *files, "--dialect", "layers", "--write")
    assert done.return_value == 0
    assert (tmp_path / "base.yaml").read_text() == "a:\n  port: 8080 # http\n  host: x\n"
    assert (tmp_path / "top.yaml").read_text() == "a: {host: y}\n"
    assert "wrote base.yaml" in done.stderr


def test_nothing_is_written_unless_asked(tmp_path: Path) -> None:
    files = layers(tmp_path, base="a: 1\n")
    done = run("set", "a", "2", *files, "--dialect", "layers")
    assert done.return_value == 0
    assert "+a: 2" in done.stdout
    assert "nothing was written; --write does it" in done.stderr
    assert (tmp_path / "base.yaml").read_text() == "a: 1\n"


def test_a_value_goes_everywhere_it_was_set(tmp_path: Path) -> None:
    files = layers(tmp_path, base="a: 1\nb: 1\n", top="a: 2\nc: 1\n")
    assert run("set", "a", "--delete", *files, "--dialect", "layers", "--write").return_value == 0
    assert (tmp_path / "base.yaml").read_text() == "b: 1\n"
    assert (tmp_path / "top.yaml").read_text() == "c: 1\n"


def test_what_is_so_already_needs_no_edit(tmp_path: Path) -> None:
    files = layers(tmp_path, base="a: 1\n")
    done = run("set", "a", "1", *files, "--dialect", "layers")
    assert done.return_value == 0
    assert "there is nothing to change" in done.stderr


def test_only_the_wanted_targets_change(datum: Path) -> None:
    before = values(datum)
    name = min(before)
    assert run("set", "Added.Here", "{x: [1]}", "--target", name, "--write").return_value == 0
    after = values(datum)
    assert after.pop(name) == {**before.pop(name), "Added": {"Here": {"x": [1]}}}
    assert after == before


def test_the_most_general_layer_that_all_wanted_targets_share_is_chosen(datum: Path) -> None:
    before = values(datum)
    done = run("set", "Firewall.Profile", "strict", "--json")
    data = json.loads(done.stdout)
    assert done.return_value == 0
    [goal] = data["goals"]
    assert sorted(before) == goal["proposals"][0]["reached"] == goal["targets"]
    assert [each["source"] for each in goal["proposals"][0]["places"]] == ["source/Baselines/Server.yml"]


def test_where_no_edit_is_exact_the_closest_ones_say_what_else_they_change(datum: Path) -> None:
    name = min(values(datum))
    done = run("set", "Firewall.Profile", "strict", "--target", name, "--in", "source/Baselines/Server.yml")
    assert done.return_value == 1
    assert "no edit does exactly this" in done.stdout
    assert "would change:" in done.stdout
    assert "all 4 targets" in done.stdout


def test_a_value_computed_from_another_changes_with_it(tmp_path: Path) -> None:
    files = layers(tmp_path, base="host: a\nurl: http://${host}/\n")
    done = run("set", "host", "b", *files, "--dialect", "layers")
    assert done.return_value == 1
    assert "url" in done.stdout


def test_the_patch_can_be_applied(tmp_path: Path) -> None:
    files = layers(tmp_path, base="a: 1\nb: 2\n")
    done = run("set", "b", "3", *files, "--dialect", "layers", "--format", "patch")
    assert done.stdout.splitlines() == [
        "--- a/base.yaml",
        "+++ b/base.yaml",
        "@@ -1,2 +1,2 @@",
        " a: 1",
        "-b: 2",
        "+b: 3",
    ]


def test_a_document_is_named_in_front_of_the_path() -> None:
    files = [
        str(EXAMPLES / "deckhand/pull-request/before" / name) for name in ("policy.yaml", "global.yaml", "sites.yaml")
    ]
    done = run("set", "example/Chart/v1/lyon.data.replicas", "3", *files, "--format", "patch")
    assert done.return_value == 0
    assert "+  replicas: 3" in done.stdout
    part = run("set", "data.replicas", "3", *files, "--document", "lyon")
    assert "[part-of-result]" in str(part.exception)


def test_files_that_are_not_edited_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml.j2").write_text("a: 1\n")
    done = run("set", "a", "2", str(tmp_path / "a.yaml.j2"), "--dialect", "layers")
    assert done.return_value == 1
    assert "files such as *.j2 are not edited" in done.stdout


def test_a_value_that_is_no_yaml_is_rejected(tmp_path: Path) -> None:
    done = run("set", "a", "[1", *layers(tmp_path, base="a: 1\n"), "--dialect", "layers")
    assert "[bad-value]" in str(done.exception)


def test_a_value_is_needed() -> None:
    assert "Missing argument" in str(run("set", "a").exception)


def test_a_secret_is_not_printed(tmp_path: Path) -> None:
    files = layers(tmp_path, base="#cloud-config\npassword: hunter22\nhostname: a\n")
    deckhand = tmp_path / "d.yaml"
    deckhand.write_text(
        "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: layering-policy}\n"
        "data: {layerOrder: [site]}\n---\nschema: example/Kind/v1\n"
        "metadata: {schema: metadata/Document/v1, name: one, storagePolicy: encrypted,"
        " layeringDefinition: {layer: site, abstract: false}}\ndata: {a: hidden-text}\n"
    )
    done = run("set", "example/Kind/v1/one.data.a", "x", str(deckhand))
    assert "[secret-value]" in str(done.exception)
    assert "hidden-text" not in done.output
    assert run("set", "hostname", "b", *files).return_value == 0


def test_several_changes_are_made_together(tmp_path: Path) -> None:
    files = layers(tmp_path, base="a: {b: 1, c: 2}\nd: 3\n")
    wanted = tmp_path / "changes.yaml"
    wanted.write_text("changes:\n- {path: a.b, value: 7}\n- {path: a.c, value: [1]}\n- {path: d, delete: true}\n")
    done = run("set", "-f", str(wanted), *files, "--dialect", "layers", "--write")
    assert done.return_value == 0
    assert (tmp_path / "base.yaml").read_text() == "a: {b: 7, c: [1]}\n"


def test_no_change_is_made_if_one_cannot_be(tmp_path: Path) -> None:
    files = layers(tmp_path, base="host: a\nurl: http://${host}/\nb: 1\n")
    wanted = tmp_path / "changes.yaml"
    wanted.write_text("changes:\n- {path: b, value: 2}\n- {path: host, value: b}\n")
    done = run("set", "-f", str(wanted), *files, "--dialect", "layers", "--write")
    assert done.return_value == 1
    assert (tmp_path / "base.yaml").read_text() == "host: a\nurl: http://${host}/\nb: 1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("changes:\n- {path: a, valu: 1}\n", "changes.yaml:2:13: a change has no field 'valu'"),
        ("changes:\n- {path: a}\n", "changes.yaml:2:3: a change has either a value or delete: true"),
        ("changes: []\n", "there are no changes in it"),
        ("- a\n", "a file of changes must be a mapping, not a list"),
    ],
)
def test_a_wrong_file_of_changes_is_rejected_with_its_line(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "changes.yaml").write_text(text)
    assert message in str(run("set", "-f", "changes.yaml", *layers(tmp_path, base="a: 1\n")).exception)


def test_toml_is_edited(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes(b'a = 1 # one\r\n[t]\r\nb = "x"\r\n')
    assert run("set", "a", "2", str(file), "--dialect", "layers", "--write").return_value == 0
    assert run("set", "t.c", "[1]", str(file), "--dialect", "layers", "--write").return_value == 0
    assert run("set", "t.b", "--delete", str(file), "--dialect", "layers", "--write").return_value == 0
    assert file.read_bytes() == b"a = 2 # one\r\n[t]\r\nc = [1]\r\n"


def test_a_secret_beside_an_edit_is_not_printed(tmp_path: Path) -> None:
    document = (
        "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: NAME, storagePolicy: POLICY,"
        " layeringDefinition: {layer: site, abstract: false}}\ndata: {a: TEXT}\n"
    )
    policy = (
        "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: layering-policy}\n"
        "data: {layerOrder: [site]}\n---\n"
    )
    secret = document.replace("NAME", "one").replace("POLICY", "encrypted").replace("TEXT", "hidden-text")
    other = document.replace("NAME", "two").replace("POLICY", "cleartext").replace("TEXT", "seen")
    file = tmp_path / "d.yaml"
    file.write_text(policy + other + "---\n" + secret)
    for form in ("text", "json", "patch"):
        done = run("set", "example/Kind/v1/two.data.a", "x", str(file), "--format", form)
        assert done.return_value == 0
        assert "hidden-text" not in done.output
    shown = run("set", "example/Kind/v1/two.data.a", "x", str(file), "--cleartext-secrets", "--format", "patch")
    assert "schema: example/Kind/v1" in shown.stdout


def test_what_prevents_an_edit_is_named_with_its_line(tmp_path: Path) -> None:
    files = layers(tmp_path, base="host: a\nurl: http://${host}/\n")
    done = run("set", "url", "x", *files, "--dialect", "layers", "--in", str(tmp_path / "other.yaml"))
    assert done.return_value == 1
    assert "base.yaml" in done.stdout
    beyond = run("set", "list[7]", "x", *layers(tmp_path, base="list: [1]\n"), "--dialect", "layers")
    assert "[no-such-path]" in str(beyond.exception)


def test_the_means_of_the_system_are_used_where_simpler_ones_do_not_do(tmp_path: Path) -> None:
    vendor, user = tmp_path / "vendor.yaml", tmp_path / "user.yaml"
    vendor.write_text("#cloud-config\nntp: {enabled: true, pools: [a, b]}\n")
    user.write_text("#cloud-config\ntimezone: UTC\n")
    done = run("set", "ntp.servers", "[x]", str(vendor), str(user), "--in", str(user), "--write")
    assert done.return_value == 0
    assert "merge_how: dict(no_replace)" in user.read_text()
    assert "reason: with this merge_how in the part, its keys are added to a mapping that is there" in done.stdout
