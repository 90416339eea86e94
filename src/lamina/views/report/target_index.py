"""The page that lists the pages of several targets: what each has, which could not be rendered, and where they differ.

Names and messages come from the project and its inputs and are escaped.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lamina._support.escapes import visible
from lamina.errors import Severity
from lamina.version import VERSION
from lamina.views.report.build_html import fill, page_file, slots_of
from lamina.views.report.target_matrix import matrix_of, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.errors import LaminaError, Note
    from lamina.views.report.target_matrix import TargetValue
    from lamina.views.result import Result


@dataclass(frozen=True, slots=True)
class TargetPage:
    """The page of a target; without a file the target could not be rendered, for the reason in `failure`."""

    target: str
    file: str = ""
    system: str = ""
    content: str = ""
    warnings: int = 0
    notes: int = 0
    failure: str = ""
    values: Mapping[str, TargetValue] = field(default_factory=dict)
    """The values at its keys."""


def page_of(target: str, file: str, result: Result, data: dict[str, Any]) -> TargetPage:
    """The page of a target that was rendered, given its data."""
    warnings = sum(note.severity > Severity.INFO for note in result.notes)
    content = _content(result)
    notes = len(result.notes) - warnings
    return TargetPage(target, file, result.dialect.title, content, warnings, notes, values=values_of(result, data))


def failed_page(target: str, error: LaminaError) -> TargetPage:
    """The entry of a target that could not be rendered."""
    first, *others = error.diagnostics
    return TargetPage(target, failure=_first_line(first) + (f" (and {len(others):,} more)" if others else ""))


def index_page(title: str, pages: Sequence[TargetPage]) -> str:
    """The page with a row for each target."""
    matrix = matrix_of([(page.target, page.file, page.values) for page in pages if page.file])
    failed = sum(not page.file for page in pages)
    about = f"{len(pages):,} targets" + (f", {failed:,} not rendered" if failed else "") + f" · Lamina {VERSION}"
    slots = {"title": _escaped(title), "about": about, "rows": "\n".join(map(_row, pages))}
    return fill(page_file("index.html"), {**slots_of(matrix, ("index",)), **slots})


def _content(result: Result) -> str:
    """How much there is: outputs, or keys at the top."""
    spec, count = result.plan.result, len(result.outputs)
    if result.many:
        return f"{count:,} {spec.noun}{'' if count == 1 else 's'}"
    value = result.plain
    keys = len(value) if isinstance(value, dict) else 0
    return f"{keys:,} {'key' if keys == 1 else 'keys'}" if keys else ""


def _first_line(finding: Note) -> str:
    return str(finding).partition("\n")[0]


def _row(page: TargetPage) -> str:
    name = _escaped(page.target)
    if not page.file:
        return f'<tr><th scope="row">{name}</th><td colspan="4" class="bad">{_escaped(page.failure)}</td></tr>'
    cells = (page.system, page.content, f"{page.warnings:,}", f"{page.notes:,}")
    link = f'<th scope="row"><a href="{quote(page.file)}">{name}</a></th>'
    return f"<tr>{link}{''.join(f'<td>{_escaped(cell)}</td>' for cell in cells)}</tr>"


def _escaped(text: str) -> str:
    return html.escape(visible(text))
