"""On the bundled examples the general rules find nothing, but for what is wrong there on purpose."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from lamina.cli.main import main
from lamina.views.lint.rules import GENERAL
from support.transcripts import ROOT, Block, blocks, documents

OTHER_FLAGS = {"--annotate", "--no-sort", "-q", "--quiet"}
SHELL = re.compile(r"\s*(;|\||&|[12]?>).*")

MORE = [
    ("examples/cloud-init/four-layers", "10-base.yaml 20-region.yaml 30-web.yaml 40-host.yaml"),
    ("examples/cloud-init/terraform", "user-data"),
    ("examples/datum/data", "."),
    ("examples/hiera-mtu", "."),
    ("examples/deckhand", "guide.yaml"),
    (
        "examples/fleet",
        "--dialect cloud-init --mode merge --merge list(append)+dict(no_replace,recurse_list,recurse_str)+str() "
        "common.yaml role/web.yaml node/web01.yaml",
    ),
    ("examples/deckhand", "site"),
    ("examples/deckhand/pull-request", "before"),
    ("examples/deckhand/pull-request", "after"),
]
"""Sets that no document renders on its own."""

EXPECTED: dict[tuple[str, str], list[str]] = {
    # The values for production replace all defaults of the database.
    ("examples/helm", "shop values-prod.yaml"): ["shop/charts/db/values.yaml:1 overridden-layer"],
    # Layers given as parts of one user-data, which the how-to warns of: all of the first is replaced.
    ("examples/cloud-init/vendor-and-user", "vendor-data user-data"): ["vendor-data:3 overridden-layer"],
    # The same example for Heat.
    ("examples/heat/services", "-t template.yaml -e one.yaml -e two.yaml"): ["one.yaml:2 overridden-layer"],
    # Layers written by different people: three values are said twice.
    ("examples/cloud-init/four-layers", "10-base.yaml 20-region.yaml 30-web.yaml 40-host.yaml"): [
        "20-region.yaml:5 redundant-value",
        "40-host.yaml:5 redundant-value",
        "40-host.yaml:9 redundant-value",
    ],
    # A rule in the winning file, which does nothing.
    ("examples/cloud-init/image", "--layers ."): ["./etc/cloud/cloud.cfg.d/90_team.cfg:1 unused-rule"],
    # What made this bundle writes the rule into every part, the first one included.
    ("examples/cloud-init/terraform", "user-data"): ["user-data:9 unused-rule"],
    # A typing error that Heat drops silently.
    (
        "examples/heat/overcloud",
        "-t overcloud.yaml -e environments/base.yaml -e environments/storage.yaml -e environments/sriov.yaml "
        "-e environments/tls.yaml site.yaml",
    ): ["site.yaml:6 near-miss-key"],
    # The guide's example of replace: what the defaults say is all replaced.
    ("examples/deckhand", "guide.yaml"): ["guide.yaml:23 overridden-layer"],
    # Defaults for a machine without a role or a region, which none of these is.
    ("examples/layers/fleet", "."): ["./common.yaml:4 always-overridden", "./common.yaml:5 always-overridden"],
    # Every location has name servers of its own; the development environment repeats the baseline.
    ("examples/datum/data", "."): [
        "./Baselines/Server.yml:10 always-overridden",
        "./Environments/Dev.yml:8 redundant-value",
    ],
}
"""What is found on purpose, by folder and inputs."""


def sets() -> list[tuple[str, str]]:
    """Every folder of examples with what is rendered there: as the documents show it, or as it says itself."""
    found = dict.fromkeys(MORE)
    for path in (ROOT / "examples").rglob("command.txt"):
        found[(path.parent.relative_to(ROOT).as_posix(), path.read_text().strip())] = None
    for path in documents():
        for block in blocks(path.read_text()):
            if block.folder and block.folder.startswith("examples/"):
                folder = _folder(block)
                found.update(
                    {
                        (folder, _arguments(each.command)): None
                        for each in block.exchanges
                        if _renders(each.command) and "--output-dir" not in each.command
                    }
                )
    return list(found)


def _folder(block: Block) -> str:
    """The folder in the checkout that a block's first command goes to, perhaps one below that of the block."""
    assert block.folder is not None
    assert block.runs_in is not None
    first = block.exchanges[0].command if block.exchanges else ""
    return block.folder + first.removeprefix(f"cd {block.runs_in}") if first.startswith("cd ") else block.folder


def _renders(command: str) -> bool:
    """Whether a command renders files of the example; a project may be one that an earlier command has written."""
    return command.startswith("lamina render ") and not {"-", "--project"} & {*command.split()}


def _arguments(command: str) -> str:
    words = [word for word in shlex.split(SHELL.sub("", command))[2:] if word not in OTHER_FLAGS]
    if "--format" in words:
        at = words.index("--format")
        del words[at : at + 2]
    return shlex.join(words)


def test_every_example_is_looked_at() -> None:
    folders = [folder for folder, _ in sets()]
    files = [
        path for path in (ROOT / "examples").rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc", ".md")
    ]
    # Plug-ins and the files of a service are not configuration to render; repositories are linted as a whole, below.
    files = [path for path in files if not {"expected", "plugins", "repositories", "service"} & set(path.parts)]
    missed = [path for path in files if not any(path.is_relative_to(ROOT / folder) for folder in folders)]
    assert not missed, "name these in MORE, or render them in a document"


def test_what_is_expected_is_looked_at() -> None:
    assert EXPECTED.keys() <= set(sets())


@pytest.mark.parametrize(("folder", "arguments"), sets())
def test_general_rules_find_only_what_is_wrong_on_purpose(
    folder: str, arguments: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT / folder)
    # That a program differs from its manual is what many examples are about, and no matter of rules.
    codes = ",".join(rule.code for rule in GENERAL if rule.code != "compat-differs")
    with pytest.raises(SystemExit):
        main(["lint", "--format", "json", "--select", codes, *shlex.split(arguments)])
    findings = json.loads(capsys.readouterr().out)["findings"]
    shown = [f"{finding['at']['source']}:{finding['at']['line']} {finding['code']}" for finding in findings]
    assert shown == EXPECTED.get((folder, arguments), [])


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "examples/repositories").iterdir()))
def test_a_repository_passes_its_gate(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT / "examples/repositories" / name)
    with pytest.raises(SystemExit) as stopped:
        main(["lint", "--fail-on", "warning"])
    assert stopped.value.code == 0, capsys.readouterr().out
