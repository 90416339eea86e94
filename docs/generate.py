"""Writes the pages of the manual that follow from the code: `python docs/generate.py`.

They are in git, for people who read the manual there.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import TYPE_CHECKING

import json_output
import signatures

import lamina
from lamina.cli.man_page import as_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent


def operators() -> Iterator[tuple[str, str, str]]:
    """Every operator there is: the module that holds it, its name, and its first sentence."""
    for module in sorted(
        each.name for each in walk_packages(lamina.__path__, "lamina.") if "__main__" not in each.name
    ):
        for name, kind in inspect.getmembers(import_module(module), inspect.isclass):
            if kind.__module__ == module and not name.startswith("_") and _is_operator(kind):
                yield module, name, (kind.__doc__ or "").strip().partition("\n")[0]


def _is_operator(kind: type) -> bool:
    """Whether a class combines an old value with a new one."""
    apply = getattr(kind, "apply", None)
    return apply is not None and list(inspect.signature(apply).parameters)[1:3] == ["old", "new"]


def as_table() -> str:
    """The operators as a page."""
    rows = "\n".join(f"| `{module}.{name}` | {about} |" for module, name, about in operators())
    return (
        "# All operators\n\n"
        "Made from the program. [Policies and operators](policies-and-operators.md) says what they are for.\n"
        f"\n| operator | what it does |\n| --- | --- |\n{rows}\n"
    )


PAGES = {
    "reference/commands.md": as_markdown,
    "reference/json-output.md": json_output.as_page,
    "reference/operators.md": as_table,
    "reference/signatures.md": signatures.as_page,
}
"""The pages, and what makes the text of each."""


def main() -> None:
    """Rewrite all pages."""
    for name, make in PAGES.items():
        (HERE / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
