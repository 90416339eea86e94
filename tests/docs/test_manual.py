"""The manual is complete: every code, command, option, entry point and public name is in it, and no link is broken."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import fields
from functools import cache
from pathlib import Path

import click
import generate
import pytest

import lamina
from lamina.cli.group import COMMANDS
from lamina.cli.group import lamina as program
from lamina.cli.man_page import as_man_page, as_markdown
from lamina.dialects.registry import BUILT_IN, find
from support.codes import LIST, NO_CODES, codes, list_of_codes
from support.transcripts import ROOT

UPDATE = bool(os.environ.get("LAMINA_UPDATE"))
REFERENCE = ROOT / "docs/reference"
GENERATED = {Path(name).name for name in generate.PAGES}
PAGE = (REFERENCE / "codes.md").read_text()
_LINK = re.compile(r"(?<!!)!?\[[^\]]*\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@cache
def reference() -> str:
    """All of the reference, the pages that follow from the code included."""
    pages = [path.read_text() for path in sorted(REFERENCE.glob("*.md")) if path.name not in GENERATED]
    return "\n".join([*pages, as_markdown()])


def documents() -> list[Path]:
    """All Markdown files of the project."""
    return [
        *sorted(ROOT.glob("*.md")),
        *(path for part in ("docs", "examples") for path in sorted((ROOT / part).rglob("*.md"))),
    ]


def test_the_program_knows_all_codes() -> None:
    if UPDATE:
        LIST.write_text(list_of_codes())
    assert LIST.read_text() == list_of_codes(), "run LAMINA_UPDATE=1 pytest tests/docs/test_manual.py"


@pytest.mark.parametrize("code", codes())
def test_every_code_is_in_the_list_of_codes(code: str) -> None:
    assert f"`{code}`" in PAGE


@pytest.mark.parametrize("code", sorted(set(re.findall(r"`([a-z]+(?:-[a-z0-9]+)+)`", PAGE))))
def test_every_code_listed_is_one(code: str) -> None:
    assert code in codes() or code in NO_CODES


def test_the_program_knows_every_code_of_the_tables() -> None:
    rows = re.findall(r"^\| (`[^|]*`) \|", PAGE, re.MULTILINE)
    assert {code for row in rows for code in re.findall(r"`([^`]+)`", row)} <= set(codes())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_its_options_are_described(name: str) -> None:
    command = program.get_command(click.Context(program), name)
    assert command
    assert f"`lamina {name}`" in reference() or f"lamina {name}" in as_markdown()
    page = as_man_page()
    for parameter in command.params:
        for flag in parameter.opts if isinstance(parameter, click.Option) else ():
            assert flag in as_markdown()
            assert flag.replace("-", "\\-") in page or flag in page
            assert isinstance(parameter, click.Option)
            assert parameter.help, f"{flag} of {name} has no help"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme(name: str) -> None:
    text = (ROOT / "README.md").read_text()
    assert re.search(rf"(`|\$ )(lamina )?{name}\b", text)


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_every_dialect_has_a_page_with_its_options(dialect: str) -> None:
    page = (REFERENCE / f"{dialect}.md").read_text()
    for field in fields(find(dialect).options):
        if flag := field.metadata.get("flag"):
            assert f"`{flag}" in page, f"docs/reference/{dialect}.md says nothing of {flag}"
            assert field.metadata["about"]


@pytest.mark.parametrize("name", generate.PAGES)
def test_what_is_made_from_the_program_is_up_to_date(name: str) -> None:
    page = ROOT / "docs" / name
    if UPDATE:
        page.write_text(generate.PAGES[name]())
    assert page.read_text() == generate.PAGES[name](), "run LAMINA_UPDATE=1 pytest tests/docs/test_manual.py"


def test_every_entry_point_group_is_described() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    text = "\n".join(path.read_text() for path in documents())
    for group in {*groups, "lamina.dialects", "lamina.cloudinit.mergers"}:
        assert group in text


@pytest.mark.parametrize("name", lamina.__all__)
def test_every_public_name_is_in_the_reference_of_the_api(name: str) -> None:
    assert re.search(rf"\b{re.escape(name)}\b", (REFERENCE / "api.md").read_text())
    assert hasattr(lamina, name)


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    text = _FENCED.sub("", path.read_text())
    for link in _LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        place = (path.parent / target).resolve() if target else path
        assert place.exists(), f"{path.name} links to {link}"
        if anchor and place.suffix == ".md":
            assert anchor in _anchors(place), f"{path.name} links to {link}"


def _anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", _FENCED.sub("", path.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_operator_says_what_it_does() -> None:
    found = list(generate.operators())
    assert len(found) > 20
    for module, name, about in found:
        assert about.endswith("."), f"{module}.{name} has no sentence that says what it does"


def test_the_changelog_can_be_gathered() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["towncrier"]
    assert settings["start_string"] in (ROOT / settings["filename"]).read_text()
    kinds = {each["directory"] for each in settings["type"]}
    for path in (ROOT / settings["directory"]).iterdir():
        assert path.name == "README.md" or path.name.split(".")[1] in kinds, f"{path.name} is of no kind"


@pytest.mark.parametrize(
    "page",
    [
        "write-a-dialect.md",
        "write-a-dialect-with-nodes.md",
        "write-a-dialect-with-references.md",
        "write-operators-and-tests.md",
        "write-a-custom-merger.md",
    ],
)
def test_the_code_on_a_page_is_that_of_the_example_it_runs(page: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/how-to" / page).read_text(), re.DOTALL)
    package = ROOT / "examples/plugins/packages/my_package"
    modules = [path.read_text() for path in (*package.glob("*.py"), *package.parents[1].glob("tests/*.py"))]
    assert blocks
    for block in blocks:
        assert any(block in module for module in modules)
