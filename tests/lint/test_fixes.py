"""`lamina lint --fix` and `--diff`: what is fixed, and that nothing else changes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lamina.cli.main import main
from support.planted import HERE, RULES

FIXABLE = {
    "redundant-value": ("image.yaml", "team.yaml"),
    "near-miss-key": ("--dialect", "layers", "base.yaml", "region.yaml", "site.yaml"),
    "list-replaced": ("image.yaml", "team.yaml"),
    "converted-scalar": ("team.yaml",),
    "config-unknown-key": ("team.yaml",),
    "missing-document-start": ("policy.yaml", "site.yaml"),
}


def lint(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["lint", *arguments])
    return int(str(stopped.value.code))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_rule_that_promises_a_fix_is_tried_here() -> None:
    assert {code for code, rule in RULES.items() if rule.fix} == FIXABLE.keys()


@pytest.mark.parametrize("code", FIXABLE)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_rule_is_fixed(code: str, newline: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("before", "after"):
        shutil.copytree(HERE / code / kind, folder / kind)
        for path in (folder / kind).iterdir():
            path.write_bytes(path.read_bytes().replace(b"\n", newline.encode()))
    start, wanted = contents(folder / "before"), contents(folder / "after")
    inputs = [f"before/{name}" if name.endswith(".yaml") else name for name in FIXABLE[code]]
    assert lint("--select", code, "--diff", *inputs) == 1
    captured = capsys.readouterr()
    assert contents(folder / "before") == start, "--diff must change nothing"
    assert "would fix" in captured.err
    assert lint("--select", code, "--fix", *inputs) == 0
    assert contents(folder / "before") == wanted
    assert "not fixed" not in capsys.readouterr().err
    assert lint("--select", code, "--fix", *inputs) == 0
    assert contents(folder / "before") == wanted, "fixing twice is the same as once"
    assert "fixed 0 findings in 0 files" in capsys.readouterr().err


def test_a_diff_can_be_applied(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    import subprocess

    patch = shutil.which("patch")
    if patch is None:
        pytest.skip("there is no patch")
    for name in ("image.yaml", "team.yaml"):
        data = (HERE / "list-replaced/before" / name).read_bytes()
        (folder / name).write_bytes(data.rstrip(b"\n") + "\n# é".encode())
    lint("--diff", "image.yaml", "team.yaml")
    changes = capsysbinary.readouterr().out
    subprocess.run([patch, "-p0"], input=changes, check=True, capture_output=True)
    assert b"merge_how" in (folder / "team.yaml").read_bytes()
    lint("--fix", "image.yaml", "team.yaml")
    assert b"fixed 0 findings" in capsysbinary.readouterr().err


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(f"#cloud-config\n{text}")


def test_a_fix_that_changes_more_is_not_applied(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, image="packages: [git]\npackage_update: false\n", team="packages: [vim]\npackage_update: true\n")
    start = contents(folder)
    assert lint("--fix", "image.yaml", "team.yaml") == 1
    assert contents(folder) == start
    captured = capsys.readouterr()
    assert "fixed 0 findings" in captured.err
    assert "in team.yaml the rule would also change package_update" in captured.out, "it is still reported"


def test_others_are_applied_when_one_is_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        folder,
        image="packages: [git]\npackage_update: false\nlocale: C\n",
        team="packages: [vim]\npackage_update: true\nlocale: C\nruncdm: [ls]\n",
    )
    assert lint("--fix", "image.yaml", "team.yaml") == 1
    assert (folder / "team.yaml").read_text() == (
        "#cloud-config\npackages: [vim]\npackage_update: true\nruncmd: [ls]\n"
    )
    assert "fixed 2 findings in 1 file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("image", "team"),
    [
        ("timezone: UTC\n", "{timezone: UTC, locale: C}\n"),
        ("timezone: UTC\n", "timezone: UTC\n"),
        ("timezone: UTC\n", "timezone: &zone UTC\nlocale: *zone\n"),
        ("timezone: UTC\n", "? timezone\n: UTC\nlocale: C\n"),
        ("packages: [git]\n", "merge_how: list()+dict()+str()\npackages: [vim]\n"),
        ("packages: [git]\n", "{packages: [vim]}\n"),
        ("locale: C\n", "write_files: [{path: /a, content: b, permissions: !!int 0644}]\n"),
        ("locale: C\n", "pakages: [a]\npackages: [b]\n"),
    ],
    ids=["flow", "only-entry", "anchor", "complex-key", "has-a-rule", "flow-root", "tag", "right-key-is-set"],
)
def test_what_a_small_edit_could_spoil_is_left_alone(image: str, team: str, folder: Path) -> None:
    write(folder, image=image, team=team)
    start = contents(folder)
    lint("--fix", "image.yaml", "team.yaml")
    assert contents(folder) == start


def test_a_key_that_one_other_layer_sets_needs_a_decision(folder: Path) -> None:
    (folder / "base.yaml").write_text("server: {timeout: 10}\n")
    (folder / "site.yaml").write_text("server: {timeuot: 20}\n")
    start = contents(folder)
    assert lint("--dialect", "layers", "--fix", "base.yaml", "site.yaml") == 1
    assert contents(folder) == start


def test_only_what_is_reported_is_fixed(folder: Path) -> None:
    write(folder, image="timezone: UTC\nlocale: C\n", team="timezone: UTC  # lamina: ignore\nlocale: C\nruncmd: [ls]\n")
    lint("--write-baseline", "known.json", "image.yaml", "team.yaml")
    start = contents(folder)
    assert lint("--fix", "--baseline", "known.json", "image.yaml", "team.yaml") == 0
    assert lint("--fix", "--ignore", "redundant", "image.yaml", "team.yaml") == 0
    assert contents(folder) == start
    assert lint("--fix", "image.yaml", "team.yaml") == 0
    assert (folder / "team.yaml").read_text() == "#cloud-config\ntimezone: UTC  # lamina: ignore\nruncmd: [ls]\n"


def test_files_outside_the_inputs_and_parts_are_not_edited(folder: Path) -> None:
    outside = folder / "outside.yaml"
    outside.write_text("#cloud-config\ntimezone: UTC\nlocale: C\n")
    (folder / "site").mkdir()
    write(folder / "site", image="timezone: UTC\n")
    (folder / "site/team.yaml").symlink_to(outside)
    from lamina.views.lint.fix_runs import EditableFiles

    files = EditableFiles([str(folder / "site")])
    assert files.read(str(folder / "site/image.yaml")) is not None
    assert files.read(str(folder / "site/team.yaml")) is None
    assert files.read(str(outside)) is None
    assert files.read("<stdin>") is None
    part = "- |\n  #cloud-config\n  timezone: UTC\n"
    archive = f"#cloud-config-archive\n{part}{part}  locale: C\n"
    (folder / "archive").write_text(archive)
    assert lint("--fix", "archive") == 0
    assert (folder / "archive").read_text() == archive


def test_templates_are_not_edited(folder: Path) -> None:
    text = "## template: jinja\n#cloud-config\npakages: [{{ v1.cloud_name }}]\n"
    (folder / "team.yaml").write_text(text)
    (folder / "data.json").write_text('{"v1": {"cloud_name": "x"}}')
    lint("--fix", "--instance-data", "data.json", "team.yaml")
    assert (folder / "team.yaml").read_text() == text


def test_programs_get_the_edits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, team="pakages: [git]\n")
    lint("--format", "json", "team.yaml")
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["fix"] == {
        "title": "write packages",
        "source": "team.yaml",
        "start": {"line": 2, "column": 1},
        "end": {"line": 2, "column": 8},
        "text": "packages",
    }
    lint("--format", "sarif", "team.yaml")
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "team.yaml"
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 8},
            "insertedContent": {"text": "packages"},
        }
    ]


def test_a_file_of_several_targets_is_checked_against_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, one="timezone: UTC\n", two="timezone: Europe/Berlin\n", team="timezone: UTC\nlocale: C\n")
    (folder / "lamina.toml").write_text(
        '[targets.a]\ndialect = "cloud-init"\ninputs = ["one.yaml", "team.yaml"]\n'
        '[targets.b]\ndialect = "cloud-init"\ninputs = ["two.yaml", "team.yaml"]\n'
    )
    start = contents(folder)
    assert lint("--fix", "--target", "a") == 0
    assert contents(folder) == start
    captured = capsys.readouterr()
    assert "not fixed: team.yaml:2:1: it would also change timezone [redundant-value]" in captured.err
    assert "fixable" not in captured.out
    lint("--target", "a", "--format", "json")
    assert [finding["fix"] for finding in json.loads(capsys.readouterr().out)["findings"]] == [None]
    lint("--target", "a", "--format", "sarif")
    assert ["fixes" in each for each in json.loads(capsys.readouterr().out)["runs"][0]["results"]] == [False]
    write(folder, two="timezone: UTC\n")
    assert lint("--fix") == 0
    assert (folder / "team.yaml").read_text() == "#cloud-config\nlocale: C\n"


@pytest.mark.parametrize("flags", ["--fix --diff", "--fix --write-baseline x", "--diff --format json"])
def test_flags_that_do_not_go_together(flags: str, folder: Path) -> None:
    write(folder, team="locale: C\n")
    assert lint(*flags.split(), "team.yaml") == 2


def test_nodes_of_a_tree_are_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The role repeats the default: the role is changed, and the default stays for the other nodes."""
    data = folder / "data"
    for name, text in {
        "Datum.yml": "ResolutionPrecedence:\n  - AllNodes\\$($Node.NodeName)\n  - Roles\\$($Node.Role)\n  - Base\\All\n"
        "lookup_options:\n  Software: hash\n",
        "AllNodes/web01.yml": "NodeName: web01\nRole: Web\n",
        "AllNodes/db01.yml": "NodeName: db01\nRole: Db\n",
        "Roles/Db.yml": "Software:\n  Pager: more\n",
        "Roles/Web.yml": "Software:\n  Shell: bash\n  Editor: vim  # as all\n",
        "Base/All.yml": "Configurations: [Software]\nSoftware:\n  Editor: vim\n",
    }.items():
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text(text)
    (folder / "lamina.toml").write_text('[patterns.nodes]\ndialect = "datum"\nnodes = "data"\n')
    assert lint("--fix") == 0
    assert (data / "Roles/Web.yml").read_text() == "Software:\n  Shell: bash\n"
    assert "fixed 1 finding in 1 file" in capsys.readouterr().err
    assert lint() == 0
    assert capsys.readouterr().out == "no findings\n"


def test_a_default_is_not_removed_because_the_only_role_repeats_it(folder: Path) -> None:
    data = folder / "data"
    for name, text in {
        "Datum.yml": "ResolutionPrecedence:\n  - AllNodes\\$($Node.NodeName)\n  - Base\\All\n"
        "lookup_options:\n  Software: hash\n",
        "AllNodes/web01.yml": "NodeName: web01\nSoftware:\n  Editor: vim\n  Shell: bash\n",
        "Base/All.yml": "Configurations: [Software]\nSoftware:\n  Editor: vim\n  Pager: less\n",
    }.items():
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text(text)
    start = contents(folder)
    assert lint("--fix", "data") == 0
    assert contents(folder) == start


def test_the_order_of_keys_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "base.yaml").write_text("a: {x: 1, y: 2}\n")
    (folder / "site.yaml").write_text("b: {}\na:\n  x: 1\n")
    lint("--dialect", "layers", "--fix", "base.yaml", "site.yaml")
    assert (folder / "site.yaml").read_text() == "b: {}\na:\n  x: 1\n", "the only entry of a mapping stays"
    data = {"data/Datum.yml": "ResolutionPrecedence:\n  - AllNodes\\$($Node.NodeName)\n  - Roles\\$($Node.Role)\n"}
    data["data/Datum.yml"] += "lookup_options:\n  Software: hash\n"
    data["data/AllNodes/a.yml"] = "NodeName: a\nRole: Web\nSoftware:\n  Editor: vim\n  Shell: bash\n"
    data["data/AllNodes/b.yml"] = "NodeName: b\nRole: Web\n"
    data["data/Roles/Web.yml"] = "Configurations: [Software]\nSoftware:\n  Editor: vim\n"
    for name, text in data.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    lint("--fix", "data")
    assert "it would also change the order of the keys of a.Software [redundant-value]" in capsys.readouterr().err


def test_a_fix_has_no_effect_expected_of_targets_that_do_not_read_the_file(folder: Path) -> None:
    targets = "".join(
        f'[targets.{name}]\ndialect = "cloud-init"\ninputs = ["base.yaml", "{name}.yaml"]\n' for name in ("web", "db")
    )
    (folder / "lamina.toml").write_text(targets)
    (folder / "base.yaml").write_text("#cloud-config\ntimezone: Etc/UTC\n")
    (folder / "web.yaml").write_text("#cloud-config\npakages:\n  - nginx\n")
    (folder / "db.yaml").write_text("#cloud-config\nhostname: db\n")
    assert lint("--select", "config-unknown-key", "--fix") == 0
    assert (folder / "web.yaml").read_text() == "#cloud-config\npackages:\n  - nginx\n"
