"""One output of a target as it is listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina._support.escapes import visible

if TYPE_CHECKING:
    from lamina.views.report.views import PageView
    from lamina.views.schemas.explorer import ListedOutputData


def listed_output(view: PageView, about: str = "") -> ListedOutputData:
    """The name of an output, a few words about it, and why it is not part of the result."""
    return {"name": visible(view.name), "about": about, "aside": view.aside, "error": visible(view.error) or None}
