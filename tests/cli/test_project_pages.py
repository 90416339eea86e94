"""`lamina report` in a project: a page for each target, and one that lists them."""

from __future__ import annotations

import shutil
from pathlib import Path

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
