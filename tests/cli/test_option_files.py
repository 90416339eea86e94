"""Files that options name, when two revisions are compared: read from the revision, or from disk with a note."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lamina.cli.group import lamina
from lamina.errors import LaminaError

BEFORE = {
    "u.yaml": "#cloud-config\nhostname: web\n",
    "t.yaml": "## template: jinja\n#cloud-config\nid: {{ v1.instance_id }}\n",
    "parts/include.yaml": "#include\nhttps://x.example/a\n",
    "data/id.json": '{"v1": {"instance_id": "i-1"}}\n',
    "data/a.yaml": "#cloud-config\na: 1\n",
    "data/vendor.yaml": "#cloud-config\nvendor: 1\n",
    "data/cloud.cfg": "base: 1\n",
    "conf/05.cfg": "drop_in: 1\n",
    "Datum/Datum.yml": (
        "ResolutionPrecedence: [AllNodes\\$($Node.Name)]\nDatumHandlers: {'Datum.InvokeCommand::InvokeCommand': {}}\n"
    ),
    "Datum/AllNodes/n.yml": "Configurations: [A]\nA: '[x={ $given.number }=]'\n",
    "build.json": '{"number": 1}\n',
}
CASES = {
    "t.yaml --instance-data data/id.json": 'id "i-1" → "i-2"',
    "parts/include.yaml --url https://x.example/a=data/a.yaml": "a 1 → 2, because data/a.yaml:2",
    "u.yaml --vendor-data data/vendor.yaml": "vendor 1 → 2, because data/vendor.yaml:2",
    "--user-data u.yaml --vendor-data2 data/vendor.yaml": "vendor 1 → 2, because data/vendor.yaml:2",
    "--user-data u.yaml --cloud-cfg data/cloud.cfg": "base 1 → 2, because data/cloud.cfg:1",
    "--cloud-cfg data/cloud.cfg --conf-d conf": "drop_in 1 → 2, because conf/05.cfg:1",
    "Datum --node n --variable given=@build.json": "A 1 → 2",
}


def git(*arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *arguments], check=True)


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two commits; on disk the files are as at neither."""
    root = tmp_path / "repository"
    root.mkdir()
    monkeypatch.chdir(root)
    git("init", "-q", "-b", "main")
    for digit in "123":
        for name, text in BEFORE.items():
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text.replace(": 1", f": {digit}").replace("i-1", f"i-{digit}"))
        if digit != "3":
            git("add", "-A")
            git("commit", "-q", "-m", digit)
    return root


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(lamina, arguments, standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done


@pytest.mark.parametrize("line", CASES)
def test_a_file_of_an_option_is_read_from_the_revision(line: str, changed: Path) -> None:
    done = run("diff", "--git", "HEAD~1..HEAD", *line.split())
    assert CASES[line] in done.stdout
    assert done.stderr == ""


OUTSIDE = (
    "t.yaml --instance-data ../data/id.json",
    "parts/include.yaml --url https://x.example/a=../data/a.yaml",
    "u.yaml --vendor-data ../data/vendor.yaml",
    "--vendor-data ../data/vendor.yaml --user-data u.yaml",
    "u.yaml --cloud-cfg ../data/cloud.cfg",
    "u.yaml --conf-d ../conf",
    "Datum --node n --variable given=@../build.json",
)


@pytest.mark.parametrize("line", OUTSIDE)
def test_a_file_outside_of_the_repository_is_read_from_disk_with_a_note(line: str, changed: Path) -> None:
    """Both sides have the same file then, so nothing that comes from it changes."""
    for name in ("data", "conf", "build.json"):
        (changed / name).rename(changed.parent / name)
    done = run("diff", "--git", "HEAD~1..HEAD", *line.split())
    assert done.stdout == "no differences\n"
    assert done.stderr.count("is not in the repository, so both sides use the file on disk [read-from-disk]") == 1
    assert run("diff", "-q", "--git", "HEAD~1..HEAD", *line.split()).stderr == ""


def test_the_targets_of_a_project_too(changed: Path) -> None:
    (changed / "lamina.toml").write_text(
        """
[targets.template]
dialect = "cloud-init"
inputs = ["t.yaml"]
options.instance_data = "data/id.json"
[targets.include]
dialect = "cloud-init"
inputs = ["parts/include.yaml"]
options.urls = {"https://x.example/a" = "data/a.yaml"}
[targets.layers]
dialect = "cloud-init"
inputs = ["u.yaml"]
options = {vendor_data = "data/vendor.yaml", conf_d = "conf"}
[targets.datum]
dialect = "datum"
inputs = ["Datum"]
options = {node = "n", variable = ["given=@build.json"]}
"""
    )
    text = run("diff", "--git", "HEAD~1..HEAD").stdout
    assert 'template: id "i-1" → "i-2"' in text
    assert "include: a 1 → 2, because data/a.yaml:2" in text
    assert "layers: vendor 1 → 2" in text
    assert "layers: drop_in 1 → 2" in text
    assert "datum: A 1 → 2" in text
    assert text.endswith("5 changes in 4 of 4 targets: 5 changed\n")


def test_a_variable_in_a_project_file_reads_nothing_outside_of_it(changed: Path) -> None:
    (changed.parent / "secret.json").write_text('{"number": 1}')
    (changed / "lamina.toml").write_text(
        '[targets.a]\ndialect = "datum"\ninputs = ["Datum"]\noptions.node = "n"\n'
        'options.variable = ["given=@../secret.json"]\n'
    )
    with pytest.raises(LaminaError, match="outside-folder"):
        run("render")


def test_a_variable_is_no_input(changed: Path) -> None:
    """The targets of the project are rendered, whatever files go with them."""
    (changed / "lamina.toml").write_text('[patterns.a]\ndialect = "datum"\nnodes = "Datum"\n')
    assert "A: 3" in run("render", "-q", "--variable", "given=@build.json").stdout


def test_a_file_that_is_not_looked_at_in_the_revision_must_be_the_same_there(changed: Path) -> None:
    """Such as one that an installed dialect reads on its own; here it is a schema, which only lint reads."""
    (changed / "lamina.toml").write_text(
        '[targets.a]\ndialect = "cloud-init"\ninputs = ["u.yaml"]\noptions.schema = "data/id.json"\n'
    )
    with pytest.raises(LaminaError, match=r"data/id\.json, which an option of a names, is read from disk and differs"):
        run("diff", "--git", "HEAD")
