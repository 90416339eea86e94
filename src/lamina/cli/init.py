"""`lamina init`: look what is in a repository, and write a project file for it."""

from __future__ import annotations

import sys
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import click

from lamina._support.escapes import one_line, text_of
from lamina.cli.click_options import example
from lamina.cli.examples import EXAMPLES, write_example
from lamina.cli.output import echo, print_error
from lamina.cli.write_files import write_file
from lamina.errors import Diagnostic, InputError, LaminaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.project.discovery import Discovered


@click.command("init", epilog=example("lamina init --print"))
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(file_okay=False))
@click.option("--force", is_flag=True, help="Overwrite an existing project file.")
@click.option(
    "--print", "only_print", is_flag=True, help="Print the project file to standard output instead of writing it."
)
@click.option(
    "--example",
    "example_name",
    metavar="NAME",
    help=f"Write an example into the new folder DIR instead, to try things on: {', '.join(EXAMPLES)}.",
)
def command(folder: str | None, force: bool, only_print: bool, example_name: str | None) -> int:
    """Detect what DIR contains, print it, and write it to lamina.toml.

    It finds Pegleg repositories, Datum trees, Hiera environments, Ansible inventories, cloud-init images and user-data,
    Heat environments with the order of a plan-environment or deploy script, layers.yaml with an inventory, values of
    Helm charts, Compose files, and fleet manifests.
    """
    if example_name is not None:
        write_example(example_name, folder)
        return 0
    return _write_project(folder or ".", force, only_print)


def _write_project(folder: str, force: bool, only_print: bool) -> int:
    from lamina.project.discovery import as_toml, entries_in
    from lamina.project.file_view import disk_view
    from lamina.project.project_file import NAME

    root = FilePath(folder)
    if not root.is_dir():
        raise click.UsageError(f"{folder} is not a folder.")
    path = root / NAME
    if path.exists() and not force and not only_print:
        raise UsageError(_is_there(str(path)))
    entries = entries_in(disk_view(str(root), "" if folder == "." else f"{folder.rstrip('/')}/"))
    if not any(entry.is_supported for entry in entries):
        raise InputError(_nothing_found(folder, entries))
    text = as_toml(entries)
    if only_print:
        echo(text)
        return 0
    echo(text_of(_lines(entries)))
    if sys.stdin.isatty() and sys.stdout.isatty() and not click.confirm(one_line(f"write {path}?"), default=True):
        return 0
    write_file(str(path), text)
    echo(text_of([f"wrote {path}{_counted(str(root))}"]))
    return 0


def _lines(entries: list[Discovered]) -> list[str]:
    """What was found, a line each, with remarks below; then what was seen and is not supported."""
    lines = ["found:", *_described(entry for entry in entries if entry.is_supported)]
    others = [*_described(entry for entry in entries if not entry.is_supported)]
    return [*lines, "not supported:", *others] if others else lines


def _described(entries: Iterable[Discovered]) -> Iterator[str]:
    for entry in entries:
        yield f"  {entry.found.about}" + (f" [{entry.dialect}]" if entry.dialect else "")
        yield from (f"    {remark}" for remark in entry.found.remarks)


def _counted(root: str) -> str:
    """The number of targets of the file; errors in single targets are left to `lamina lint`."""
    from lamina.project.project import Project

    try:
        names = Project.load(root).targets
    except LaminaError as error:
        print_error(str(error))
        return "; its targets cannot be listed yet (see above)"
    if not names:
        return ": no targets yet"
    return (
        f": {len(names):,} target{'' if len(names) == 1 else 's'}; lamina targets lists them, lamina lint checks them"
    )


def _is_there(path: str) -> Diagnostic:
    return Diagnostic(
        code="project-exists",
        message=f"{path} already exists",
        hint="--print shows what would be written; --force overwrites it",
    )


def _nothing_found(folder: str, seen: Sequence[Discovered]) -> Diagnostic:
    message = f"nothing in {folder} looks like the configuration of a known system"
    if seen:
        others = "; ".join(f"{entry.found.about} ({', '.join(entry.found.remarks)})" for entry in seen)
        message = f"{message} that Lamina supports; there is {others}"
    return Diagnostic(
        code="nothing-found",
        message=message,
        hint="write lamina.toml yourself: [targets.NAME] with dialect and inputs; lamina schema project describes it",
    )
