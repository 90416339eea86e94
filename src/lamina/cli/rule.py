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
    known = dict(_meanings(_shipped("codes.md").read_text(encoding="utf-8")))
    installed = list(_of_installed())
    owners = [name for name, other, _ in installed if other == code]
    if code in pages:
        echo(_as_text(pages[code].read_text(encoding="utf-8")))
    elif code in known:
        echo(text_of([code, *(f"  {line}" for line in known[code])]))
    elif not owners:
        raise UsageError(_unknown(code, [*known, *pages, *(other for _, other, _ in installed)]))
    for name, lines in ((name, lines) for name, other, lines in installed if other == code):
        echo(text_of([f"{code} of the dialect {name}", *(f"  {line}" for line in lines)]))
    if code in pages or code in known:
        owners.insert(0, "Lamina")
    if len(owners) > 1:
        echo(f"{', '.join(owners)}: each means something else; the author of a dialect should choose a free code\n")


def _of_installed() -> Iterator[tuple[str, str, list[str]]]:
    """The codes of the dialects that are installed besides: the dialect, the code, and what it says of it."""
    from lamina.dialects import registry
    from lamina.protocol.extensions import codes_of
    from lamina.protocol.lint import rules_of

    for name in registry.names():
        if name in registry.BUILT_IN:
            continue
        try:
            dialect = registry.find(name)
            rules, codes = rules_of(dialect), codes_of(dialect)
        except UsageError:  # one that cannot be loaded; commands that render say so
            continue
        yield from ((name, rule.code, [rule.title, rule.about, *filter(None, [rule.fix])]) for rule in rules)
        yield from ((name, code, [*lines]) for code, lines in codes.items())


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
