"""`lamina rule`: the section of the manual on a code, or the list of all lint rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from lamina._support.escapes import text_of
from lamina.cli.click_options import example
from lamina.cli.output import echo
from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ROW = re.compile(r"^\| (?P<codes>`[^|]*`) \|(?P<cells>.*)\|$", re.MULTILINE)


@click.command("rule", epilog=example("lamina rule redundant-value"))
@click.argument("code", required=False)
@click.option("--dialect", metavar="NAME", help="Without CODE: only the rules that hold for this system.")
def command(code: str | None, dialect: str | None) -> None:
    """Print what a code such as [redundant-value] means and what to do about it; without CODE, list the lint rules."""
    if code is None:
        from lamina.cli.rule_list import rules_listed

        echo(rules_listed(dialect))
        return
    code = code.strip("[]")
    pages = {page.stem: page for page in _shipped("lint").glob("*.md")}
    if code in pages:
        echo(_as_text(pages[code].read_text(encoding="utf-8")))
        return
    known = dict(_meanings(_shipped("codes.md").read_text(encoding="utf-8")))
    if code not in known:
        raise UsageError(_unknown(code, [*known, *pages]))
    echo(text_of([code, *(f"  {line}" for line in known[code])]))


def _shipped(name: str) -> Path:
    """A page of the manual, or a folder of pages."""
    from lamina._support.shipped_files import shipped

    found = shipped(f"docs/reference/{name}")
    if found is None:
        raise UsageError(
            Diagnostic(
                code="missing-file",
                message=f"the manual page {name} is not installed",
                hint=f"reinstall Lamina; the page is docs/reference/{name} in the repository",
            )
        )
    return found


def _as_text(page: str) -> str:
    """The page on a lint rule, with its examples, without its marks."""
    lines = [line.removeprefix("# ") if at == 0 else line for at, line in enumerate(page.strip().split("\n"))]
    return re.sub(r"\n{3,}", "\n\n", text_of(line for line in lines if not line.startswith(("```", "<!--"))))


def _meanings(page: str) -> Iterator[tuple[str, list[str]]]:
    """Every code of the list, with what it means and what to do; some rows also name the system."""
    for row in _ROW.finditer(page):
        cells = [cell.strip().replace("\\|", "|") for cell in row["cells"].split(" | ")]
        for code in re.findall(r"`([^`]+)`", row["codes"]):
            yield code, cells


def _unknown(code: str, known: list[str]) -> Diagnostic:
    from lamina._support.suggestions import nearest

    near = nearest(code, known)
    return Diagnostic(
        code="unknown-code",
        message=f"there is no code {code!r}",
        hint=f"did you mean {near!r}?" if near else "codes are in brackets at the end of a message",
    )
