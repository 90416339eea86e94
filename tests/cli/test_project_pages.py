"""`lamina report` in a project: a page for each target, and one that lists them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from lamina.cli.group import lamina

PEGLEG = Path(__file__).parents[2] / "examples/repositories/pegleg"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An example of three sites; the current folder."""
    shutil.copytree(PEGLEG, tmp_path / "repository")
    monkeypatch.chdir(tmp_path / "repository")
    return tmp_path / "repository"


SECRET = """\
---
schema: deckhand/Passphrase/v1
metadata:
  schema: metadata/Document/v1
  name: password
  layeringDefinition: {{abstract: false, layer: {layer}}}
  storagePolicy: encrypted
data: {text}
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(lamina, list(arguments), standalone_mode=False, catch_exceptions=False)


def test_the_pages_of_targets_have_links_and_the_findings_of_lint(repository: Path) -> None:
    text = (repository / "site/lyon/charts/ingress.yaml").read_text()
    (repository / "site/lyon/charts/ingress.yaml").write_text(text.replace("90s", "60s"))
    link = "https://example.org/{path}"
    run("report", "-q", "-o", "pages", "--lint", "--source-url", link)
    page = (repository / "pages/lyon.html").read_text()
    assert '"linted":true' in page
    assert '"code":"redundant-value"' in page
    assert "https://example.org/global/charts/ingress.yaml" in page
    assert '"code":"redundant-value"' not in (repository / "pages/berlin.html").read_text()
    run("report", "-q", "-o", "lyon.html", "--target", "lyon", "--source-url", link)
    alone = (repository / "lyon.html").read_text()
    assert '"linted":false' in alone
    assert "https://example.org/global/charts/ingress.yaml" in alone


def matrix(folder: Path) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', (folder / "index.html").read_text(), re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_list_of_pages_says_which_targets_have_which_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    for name, text in {
        "web": "port: 80\nname: web\nlog: {level: info}\n",
        "app": "port: 80\nname: app\nlog: {level: info}\n",
        "db": "port: 80\nname: '<db>'\n",
    }.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    entries = "".join(
        f'[targets.{name}]\ndialect = "layers"\ninputs = ["{name}.yaml"]\n' for name in ("web", "app", "db")
    )
    (tmp_path / "lamina.toml").write_text(entries)
    monkeypatch.chdir(tmp_path)
    run("report", "-q", "-o", "pages", "-j", jobs)
    data = matrix(tmp_path / "pages")
    assert data["targets"] == [["web", "web.html"], ["app", "app.html"], ["db", "db.html"]]
    assert data["keys"] == [["name", ["web", "app", '"<db>"'], [0, 1, 2]], ["log", ["{level: info}"], [0, 0, -1]]]
    assert data["equal"] == 1


def test_the_list_of_pages_withholds_secrets(repository: Path) -> None:
    path = repository / "site/lyon/secret.yaml"
    path.write_text(SECRET.format(layer="site", text="hunter2-lyon"))
    (repository / "site/berlin/secret.yaml").write_text(SECRET.format(layer="site", text="hunter2-berlin"))
    run("report", "-q", "-o", "pages")
    assert "hunter2" not in (repository / "pages/index.html").read_text()
    shown = [key for key in matrix(repository / "pages")["keys"] if "Passphrase" in key[0]]
    assert all(texts == ["withheld: secret"] for _, texts, _ in shown)


def test_the_list_of_pages_shows_targets_that_failed(repository: Path) -> None:
    (repository / "site/lyon/charts/ingress.yaml").write_text("<b>: [")
    done = run("report", "-q", "-o", "pages", "--title", "A <site>")
    assert done.return_value == 3
    assert done.stderr.startswith("2 pages and index.html in pages\n")
    index = (repository / "pages/index.html").read_text()
    assert "3 targets, 1 not rendered" in index
    assert "<h1>A &lt;site&gt;</h1>" in index
    assert '<th scope="row">lyon</th><td colspan="4" class="bad">site/lyon/charts/ingress.yaml:' in index
    assert '<a href="berlin.html">berlin</a></th><td>Deckhand documents</td><td>' in index
    assert not (repository / "pages/lyon.html").exists()


@pytest.mark.parametrize("output", ["page.html", "page.htm", "-"])
def test_the_pages_of_several_targets_go_to_a_folder(repository: Path, output: str) -> None:
    with pytest.raises(click.UsageError, match="give a folder with -o, or one target with --target"):
        run("report", "-o", output)
    assert not (repository / output).exists()
