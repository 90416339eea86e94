"""Settings of the manual."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from lamina.version import VERSION

sys.path.insert(0, str(Path(__file__).parent))

import generate

generate.main()

project = "Lamina"
author = "The Lamina developers"
copyright = "The Lamina developers, Apache-2.0"  # noqa: A001 - Sphinx's name for it
release = version = VERSION

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build", "screenshots"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]

html_theme = "furo"
html_title = f"Lamina {VERSION}"
html_show_sourcelink = False

REPOSITORY = os.environ.get("LAMINA_REPOSITORY", "LAMINA_REPOSITORY")
"""The owner and name of the repository on GitHub, for the examples that refer to it; set when building."""


def _with_repository(_app: Any, _page: str, source: list[str]) -> None:
    source[0] = source[0].replace("LAMINA_REPOSITORY", REPOSITORY)


def setup(app: Any) -> None:
    app.connect("source-read", _with_repository)
