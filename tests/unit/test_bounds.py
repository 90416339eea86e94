"""What an input may reach: its own folder, and what the caller allowed; never what a file asks for."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.dialects import registry as dialects
from lamina.dialects.registry import BUILT_IN
from lamina.errors import InputError, LaminaError, UsageError
from lamina.fleet.local_executors import in_this_process
from lamina.fleet.progress import NoProgress
from lamina.fleet.run import Order, run
from lamina.project.manifest import open_fleet
from lamina.sources.inputs import gather

HOT = "heat_template_version: rocky\nparameters: {list: {type: comma_delimited_list}}\n"
ADDING = "parameter_merge_strategies: {default: merge}\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "b/secret").write_text("#cloud-config\nsecret: 1\n")
    (tmp_path / "b/other").write_text("#cloud-config\nx: 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lamina_command(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lamina", *arguments], capture_output=True, text=True, check=False, timeout=60, **more
    )


@pytest.mark.parametrize("url", ["file:///bundle/../b/secret", "file://{place}/b/secret", "{place}/b/secret"])
def test_an_include_reaches_only_the_folder_of_its_own_input(place: Path, url: str) -> None:
    url = url.format(place=place)
    (place / "a/u").write_text(f"#include {url}\n")
    for inputs in (["a/u", "b/other"], ["b/other", "a/u"], ["a/u"]):
        with pytest.raises(LaminaError, match="does not read files outside the input"):
            lamina.render(inputs, dialect="cloud-init", strict=True)
        assert "secret" not in (lamina.render(inputs, dialect="cloud-init").value or {})
    for allowed in ("b", place / "b", ["b"], [place]):
        result = lamina.render(["a/u", "b/other"], dialect="cloud-init", allow_paths=allowed)
        assert result.value == {"secret": 1, "x": 1}


def test_what_an_include_includes_reaches_no_further(place: Path) -> None:
    (place / "a/u").write_text("#include file:///bundle/inner\n")
    (place / "a/inner").write_text("#include file:///bundle/../b/secret\n")
    with pytest.raises(LaminaError, match="does not read files outside the input"):
        lamina.render(["b/other", "a/u"], dialect="cloud-init", strict=True)
    assert lamina.render(["b/other", "a/u"], dialect="cloud-init").value == {"x": 1}
    assert lamina.render(["a/u"], dialect="cloud-init", allow_paths="b").value == {"secret": 1}


def test_a_link_to_the_outside_is_outside(place: Path) -> None:
    (place / "a/u").write_text("#include file:///bundle/link\n")
    (place / "a/link").symlink_to("../b/secret")
    with pytest.raises(LaminaError, match="does not read files outside the input"):
        lamina.render(["a/u", "b/other"], dialect="cloud-init", strict=True)
    assert lamina.render(["a/u", "b/other"], dialect="cloud-init").value == {"x": 1}
    assert lamina.render(["a/u"], dialect="cloud-init", allow_paths="b").value == {"secret": 1}
    (folder,) = gather("a").folders
    with pytest.raises(InputError, match="outside-folder"):
        folder.files.read("link")
    (folder,) = gather("a", allow_paths="b").folders
    assert folder.files.read("link") is not None


def test_an_input_that_is_a_link_is_read_and_reaches_the_folder_of_the_link(place: Path) -> None:
    (place / "b/u").write_text("#include file:///bundle/beside\n")
    (place / "b/beside").write_text("#cloud-config\nof: b\n")
    (place / "a/beside").write_text("#cloud-config\nof: a\n")
    (place / "a/u").symlink_to("../b/u")
    assert lamina.render("a/u", dialect="cloud-init").value == {"of": "a"}


def test_standard_input_reaches_nothing(place: Path) -> None:
    (place / "name").write_text("#cloud-config\ny: 1\n")
    data = "#include file:///bundle/name\n"
    shown = lamina_command("render", "--dialect", "cloud-init", "-", "b/other", input=data)
    assert (shown.returncode, shown.stdout) == (1, "#cloud-config\nx: 1\n")
    shown = lamina_command("render", "--dialect", "cloud-init", "-", "b/other", "--strict", input=data)
    assert (shown.returncode, shown.stdout) == (3, "")
    shown = lamina_command("render", "--dialect", "cloud-init", "--allow-path", ".", "-", input=data)
    assert (shown.returncode, shown.stdout) == (0, "#cloud-config\ny: 1\n")


def test_a_folder_to_allow_must_exist(place: Path) -> None:
    with pytest.raises(UsageError, match="no-such-folder"):
        lamina.render(["b/other"], allow_paths=["c"])


@pytest.fixture
def stack(place: Path) -> Path:
    """A registry in a/ that names a template in b/; without its types, lists are not merged."""
    (place / "b/nested.yaml").write_text(HOT)
    (place / "a/one.yaml").write_text("resource_registry: {A: ../b/nested.yaml}\n" + ADDING + "parameters: {list: x}\n")
    (place / "b/two.yaml").write_text(ADDING + "parameters: {list: y}\n")
    (place / "b/root.yaml").write_text("heat_template_version: rocky\n")
    (place / "root.yaml").write_text("heat_template_version: rocky\n")
    return place


def heat(*inputs: str, **options: Any) -> tuple[Any, list[str]]:
    result = lamina.render(inputs, dialect="heat", **options)
    return result.value["parameters"]["list"], [note.message for note in result.notes if "nested" in note.message]


def test_a_registry_reaches_only_the_folder_of_its_own_environment(stack: Path) -> None:
    merged, _ = heat("a/one.yaml", "b/two.yaml", allow_paths="b")
    for template in (None, "b/root.yaml"):
        value, notes = heat("a/one.yaml", "b/two.yaml", template=template)
        assert value != merged
        assert len(notes) == 1
        assert "outside the input's folder" in notes[0]
    assert heat("a/one.yaml", "b/two.yaml", template="b/root.yaml", allow_paths="b") == (merged, [])


def test_an_environment_in_the_tree_of_the_root_template_reaches_that_tree(stack: Path) -> None:
    merged, _ = heat("a/one.yaml", "b/two.yaml", allow_paths="b")
    assert heat("a/one.yaml", "b/two.yaml", template="root.yaml") == (merged, [])
    (stack / "a/one.yaml").write_text(f"resource_registry: {{A: '{stack.parent}/outside.yaml', B: 'http://[x'}}\n")
    (stack.parent / "outside.yaml").write_text(HOT)
    notes = [note.message for note in lamina.render("a/one.yaml", dialect="heat", template="root.yaml").notes]
    assert len(notes) == 2
    assert any("outside the input's folder" in note for note in notes)


def test_a_nested_template_reaches_only_the_folder_of_the_root_template(stack: Path) -> None:
    (stack / "a/inner").mkdir()
    (stack / "a/root.yaml").write_text("heat_template_version: rocky\nresources: {r: {type: inner/n.yaml}}\n")
    (stack / "a/inner/n.yaml").write_text("heat_template_version: rocky\nresources: {r: {type: ../../b/nested.yaml}}\n")
    (stack / "a/one.yaml").write_text(ADDING + "parameters: {list: x}\n")
    _, notes = heat("a/one.yaml", "b/two.yaml", template="a/root.yaml")
    assert len(notes) == 1
    assert "../../b/nested.yaml" in notes[0]
    assert heat("a/one.yaml", "b/two.yaml", template="a/root.yaml", allow_paths="b")[1] == []


@pytest.mark.slow
def test_what_is_not_a_regular_file_is_rejected_at_once(place: Path) -> None:
    os.mkfifo(place / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    for name, word in (("pipe", "named pipe"), ("socket", "socket"), ("/dev/zero", "device")):
        for command in (["render", name], ["lint", name], ["render", name], ["diff", name, "b/other"]):
            shown = lamina_command(*command)
            assert (shown.returncode, shown.stdout) == (3, ""), shown
            assert f"{name} is a {word}, not a regular file [special-file]" in shown.stderr
    for options in (["--instance-data", "pipe"], ["--dialect", "heat", "--template", "pipe"]):
        shown = lamina_command("render", *options, "b/other")
        assert shown.returncode == 3
        assert "special-file" in shown.stderr


def test_what_is_not_a_regular_file_in_a_folder_is_rejected_at_once(place: Path) -> None:
    os.mkfifo(place / "a/site.yaml")
    shown = lamina_command("render", "--dialect", "deckhand", "a")
    assert (shown.returncode, shown.stdout) == (3, "")
    assert "a/site.yaml is a named pipe, not a regular file [special-file]" in shown.stderr
    (place / "a/u").write_text("#include file:///bundle/site.yaml\n")
    shown = lamina_command("render", "a/u", "--strict")
    assert shown.returncode == 3
    assert "site.yaml is a named pipe" in shown.stderr


@pytest.mark.parametrize("odd", ["link", "dangling", "pipe"])
def test_an_odd_file_that_nothing_refers_to_does_not_keep_a_system_from_being_detected(place: Path, odd: str) -> None:
    Path("a/hiera.yaml").write_text("version: 5\nhierarchy: [{name: all, path: all.yaml, datadir: data}]\n")
    Path("a/data").mkdir()
    Path("a/data/all.yaml").write_text("x: 1\n")
    if odd == "pipe":
        os.mkfifo("a/odd.yaml")
    else:
        Path("a/odd.yaml").symlink_to(place / "b" / ("secret" if odd == "link" else "nothing"))
    assert lamina.render(gather(["a"]), node="web").value == {"x": 1}


def test_a_link_that_leads_out_of_a_folder_is_called_a_link(place: Path) -> None:
    Path("a/odd.yaml").symlink_to(place / "b/secret")
    with pytest.raises(InputError, match=r"odd\.yaml is a link to a path outside the folder a/ \[outside-folder\]"):
        lamina.render(gather(["a"]), dialect="deckhand")


@pytest.mark.parametrize("target", ["../b/nothing", "nothing"])
def test_a_link_that_leads_nowhere_is_not_skipped_where_a_folder_is_read(place: Path, target: str) -> None:
    Path("a/odd.yaml").symlink_to(target)
    with pytest.raises(InputError, match=r"odd\.yaml is a link to \S+nothing, which does not exist \[broken-link\]"):
        lamina.render(gather(["a"]), dialect="deckhand")


def test_a_link_that_leads_nowhere_is_no_fragment_of_an_image(place: Path) -> None:
    Path("a/etc/cloud/cloud.cfg.d").mkdir(parents=True)
    Path("a/etc/cloud/cloud.cfg").write_text("#cloud-config\nx: 1\n")
    Path("a/etc/cloud/cloud.cfg.d/9.cfg").symlink_to("nothing")
    assert lamina.render(gather(["a"]), dialect="cloud-init").value["x"] == 1


def test_a_file_that_is_missing_behind_a_link_is_missing(place: Path) -> None:
    Path("a/linked").symlink_to(place / "b")
    (folder,) = gather(["a"]).folders
    assert folder.files.read("linked/nothing") is None
    with pytest.raises(InputError, match=r"linked/secret is a link to a path outside the folder a/ \[outside-folder\]"):
        folder.files.read("linked/secret")


def test_a_stream_the_shell_opened_is_read(place: Path) -> None:
    shown = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m lamina render <(cat b/other)"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert shown.stdout == "#cloud-config\nx: 1\n", shown.stderr


GRANTING = [
    (name, each.name)
    for name in BUILT_IN
    for each in fields(dialects.find(name).options)
    if each.metadata.get("grants")
]


def test_the_options_that_lift_a_protection_are_known() -> None:
    assert {("cloud-init", "allow_net"), ("deckhand", "cleartext_secrets")} <= set(GRANTING)


@pytest.mark.parametrize(
    "manifest", ["options: {{{0}: true}}\nnodes: []", "nodes:\n- {{name: a, inputs: [x],\n   options: {{{0}: true}}}}"]
)
@pytest.mark.parametrize(("dialect", "option"), GRANTING)
def test_a_manifest_cannot_lift_a_protection(place: Path, dialect: str, option: str, manifest: str) -> None:
    (place / "fleet.yaml").write_text(f"dialect: {dialect}\n" + manifest.format(option))
    with pytest.raises(UsageError, match=f"the option {option} cannot be set here") as caught:
        list(open_fleet("fleet.yaml").nodes())
    at = caught.value.diagnostic.at
    assert at is not None
    assert (place / "fleet.yaml").read_text().splitlines()[at.line - 1][at.column - 1 :].startswith(option)


def test_a_line_of_nodes_cannot_lift_a_protection(place: Path) -> None:
    (place / "fleet.yaml").write_text("{dialect: cloud-init, nodes: lines}")
    (place / "lines").write_text('{"name": "a", "inputs": ["b/other"], "options": {"allow_net": true}}\n')
    with pytest.raises(UsageError, match=r"^lines:1:50: the option allow_net cannot be set here"):
        list(open_fleet("fleet.yaml").nodes())


@pytest.mark.parametrize(
    "options",
    [
        "instance_data: {}/secret.json",
        "instance_data: ../b/secret.json",
        "instance_data: link.json",
        "layers: ../b",
        "urls: {{'http://x/': ../b/secret}}",
        "urls: ['http://x/=../b/secret']",
        "urls: 'http://x/=../b/secret'",
    ],
)
def test_paths_in_the_options_of_a_manifest_stay_in_its_folder(place: Path, options: str) -> None:
    (place / "b/secret.json").write_text("{}")
    (place / "a/link.json").symlink_to("../b/secret.json")
    (place / "a/fleet.yaml").write_text(
        f"dialect: cloud-init\noptions:\n  {options.format(place / 'b')}\nnodes: [{{name: a, inputs: [u]}}]\n"
    )
    with pytest.raises(UsageError, match=r"^a/fleet.yaml:3:3: .* is outside the folder a/ \[outside-folder\]"):
        open_fleet("a/fleet.yaml")
    assert open_fleet("a/fleet.yaml", allow_paths="b").options


def rendered(manifest: str, **order: Any) -> Any:
    lines: list[str] = []
    report = run(open_fleet(manifest), Order(**order), in_this_process, lines.append, NoProgress())
    return report, lines


def test_the_template_of_a_manifest_is_beside_the_manifest(stack: Path) -> None:
    (stack / "fleet.yaml").write_text("oops: 1")
    (stack / "b/fleet.yaml").write_text(
        "{dialect: heat, options: {template: root.yaml}, nodes: [{name: n, inputs: [two.yaml]}]}"
    )
    (stack / "root.yaml").unlink()
    report, lines = rendered("b/fleet.yaml")
    assert (report.failed, len(lines)) == (0, 1), report.repeated


@pytest.mark.parametrize("changed", ["root.yaml", "nested.yaml"])
def test_a_changed_template_is_noticed_when_a_run_is_resumed(stack: Path, changed: str) -> None:
    (stack / "b/fleet.yaml").write_text(
        "{dialect: heat, options: {template: root.yaml}, nodes: [{name: n, inputs: [two.yaml]}]}"
    )
    (stack / "b/root.yaml").write_text("heat_template_version: rocky\nresources: {r: {type: nested.yaml}}\n")
    assert rendered("b/fleet.yaml", output=stack / "out")[0].rendered == 1
    assert rendered("b/fleet.yaml", output=stack / "out", resume=True)[0].current == 1
    with (stack / "b" / changed).open("a") as file:
        file.write("description: changed\n")
    assert rendered("b/fleet.yaml", output=stack / "out", resume=True)[0].rendered == 1


def test_the_inputs_of_one_node_reach_only_their_own_folders(place: Path) -> None:
    (place / "a/u").write_text("#include file:///bundle/../b/secret\n")
    (place / "fleet.yaml").write_text("{dialect: cloud-init, nodes: [{name: n, inputs: [a/u, b/other]}]}")
    report, _ = rendered("fleet.yaml")
    assert (report.failed, report.dropped) == (0, 1)
    assert "does not read files outside the input" in next(iter(report.repeated))


def test_options_of_the_caller_win_over_those_of_a_node(place: Path) -> None:
    (place / "fleet.yaml").write_text(
        "{dialect: cloud-init, nodes: [{name: n, inputs: [b/other], options: {strict: false}}]}"
    )
    (place / "b/other").write_text("#cloud-config\n- 1\n")
    shown = lamina_command("render", "fleet.yaml", "-q")
    assert (shown.returncode, shown.stdout) == (1, "#cloud-config\n{}\n")
    shown = lamina_command("render", "fleet.yaml", "-q", "--strict")
    assert (shown.returncode, shown.stdout) == (3, "")
