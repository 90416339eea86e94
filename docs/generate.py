"""Writes the pages of the manual that follow from the code; building the manual calls it."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from lamina import merge
from lamina.cli.manual import as_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent


def operators() -> Iterator[tuple[str, str, str]]:
    """Every operator there is: the module that holds it, its name, and its first sentence."""
    for module in sorted(each.name for each in iter_modules(merge.__path__)):
        for name, kind in inspect.getmembers(import_module(f"lamina.merge.{module}"), inspect.isclass):
            own = kind.__module__ == f"lamina.merge.{module}"
            if own and not name.startswith("_") and callable(getattr(kind, "apply", None)) and name != "Operator":
                yield module, name, (kind.__doc__ or "").strip().partition("\n")[0]


def as_table() -> str:
    """The operators as a page."""
    rows = "\n".join(f"| `{module}.{name}` | {about} |" for module, name, about in operators())
    return (
        "# All operators\n\n"
        "Made from the program. [Policies and operators](policies-and-operators.md) says what they are for.\n"
        f"\n| in `lamina.merge` | what it does |\n| --- | --- |\n{rows}\n"
    )


PAGES = {
    "reference/commands.md": as_markdown,
    "reference/operators.md": as_table,
}


def main() -> None:
    """Write all pages anew."""
    for name, make in PAGES.items():
        (HERE / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
