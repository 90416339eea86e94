"""`lamina lint --fix` and `--diff`: what is fixed, what is not and why, and the changes as a diff."""

from __future__ import annotations

import sys
from difflib import unified_diff
from typing import TYPE_CHECKING

from lamina._support.escapes import one_line, visible
from lamina.cli.output import FINDINGS, echo, print_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lamina.sources.source import Source
    from lamina.views.lint.api import Linted
    from lamina.views.lint.fixes import Fixed, Runs

_NO_END = "\\ No newline at end of file\n"


def write_fixes(runs: Runs, editable: Callable[[str], Source | None]) -> Linted:
    """Fix what can be fixed, in the files; the findings that are left."""
    from lamina.cli.write_files import write_file
    from lamina.views.lint.fixes import fixed

    report = fixed(runs, editable)
    for name, data in report.after.items():
        write_file(name, data)
    _print_report(report, "fixed")
    return report.remaining


def show_fixes(runs: Runs, editable: Callable[[str], Source | None]) -> int:
    """Print what `--fix` would change; the exit status says whether there is anything."""
    from lamina.views.lint.fixes import fixed

    report = fixed(runs, editable)
    text = "".join(_diff(report.before, report.after))
    echo(visible(text, keep="\n\t\r") if sys.stdout.isatty() else text.encode("utf-8", "surrogatepass"))
    _print_report(report, "would fix")
    return FINDINGS if report.after else 0


def _print_report(report: Fixed, verb: str) -> None:
    from lamina.views.lint.api import file_order

    for note in sorted(report.applied, key=file_order):
        title = note.fix.title if note.fix else ""
        print_error(one_line(f"{verb}: {note.at}: {title} [{note.code}]"))
    for note, reason in report.rejected.values():
        print_error(one_line(f"not fixed: {note.at}: {reason} [{note.code}]"))
    print_error(f"{verb} {_number(len(report.applied), 'finding')} in {_number(len(report.after), 'file')}")


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _diff(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[str]:
    for name in sorted(after):
        shown = one_line(name)
        for line in unified_diff(_lines(before[name]), _lines(after[name]), shown, shown):
            yield line if line.endswith("\n") else f"{line}\n{_NO_END}"


def _lines(data: bytes) -> list[str]:
    """The lines of a file, each with its line feed; a carriage return belongs to the line, as patch has it."""
    *lines, rest = data.decode("utf-8").split("\n")
    return [*(f"{line}\n" for line in lines), *([rest] if rest else [])]
