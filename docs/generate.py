"""Writes the pages of the manual that follow from the code; building the manual calls it."""

from __future__ import annotations

from pathlib import Path

from lamina.cli.manual import as_markdown

HERE = Path(__file__).parent

PAGES = {
    "reference/commands.md": as_markdown,
}


def main() -> None:
    """Write all pages anew."""
    for name, make in PAGES.items():
        (HERE / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
