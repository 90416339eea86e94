"""Settings of the manual."""

from __future__ import annotations

from lamina.version import VERSION

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
