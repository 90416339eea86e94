"""Everything the page shows, as plain data.

The data is the rows of each output, and a handful of tables with what occurs in them many times: a row has the numbers
of its texts, layers, places and events. `output_rows.py` says what each field is; the script of the page reads them in
the same order. Nothing here knows a dialect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.escapes import visible
from lamina._support.progress import unwatched
from lamina.budget import to_show
from lamina.paths import show
from lamina.protocol.extensions import explain_of
from lamina.version import VERSION
from lamina.views.output_graph import links_of
from lamina.views.redaction import has_secret_history
from lamina.views.report.layer_record import LayerRecord
from lamina.views.report.output_rows import OutputRows
from lamina.views.report.page_tables import NONE, PageTables
from lamina.views.report.source_links import NO_LINKS, SourceLinks
from lamina.views.report.views import views_of
from lamina.views.rows import WITHHELD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina._support.progress import Counting
    from lamina.errors import Note
    from lamina.paths import Path
    from lamina.views.lint.api import Linted
    from lamina.views.report.views import PageView
    from lamina.views.result import Result


def collect(
    rendered: Result,
    title: str,
    counting: Counting = unwatched,
    links: SourceLinks = NO_LINKS,
    linted: Linted | None = None,
) -> dict[str, Any]:
    """All data of a page; what rendering noted is among the findings of linting."""
    views = views_of(rendered)
    budget = to_show()
    tables = PageTables(budget)
    layers = LayerRecord(rendered, tables.layer)
    rows = OutputRows(rendered, views, tables, layers, budget)

    def shown(view: PageView) -> dict[str, Any]:
        """An output: its name, its layers with the one that wins over all others last, and its rows."""
        layers.begin()
        found = rows.of(view)
        return {"name": visible(view.name), "layers": layers.in_order(), "rows": found}

    outputs = [shown(view) for view in counting(views)]
    found = dict.fromkeys(rendered.notes if linted is None else linted.findings)
    by_prefix = {view.prefix: number for number, view in reversed([*enumerate(views)])}
    notes = [_note(note, views, by_prefix, rendered, tables) for note in found]
    return {
        "version": 4,
        "title": visible(title),
        "dialect": rendered.dialect.title,
        "noun": rendered.spec.noun,
        "opens_at": explain_of(rendered.dialect).opens_at,
        "compat": getattr(rendered.options, "compat", None),
        "lamina": VERSION,
        "texts": tables.texts.entries(),
        "layers": tables.layers.entries(),
        "places": tables.places.entries(),
        "rules": tables.rules.entries(),
        "events": tables.events.entries(),
        "outputs": outputs,
        "notes": notes,
        "linted": linted is not None,
        "rule_titles": _rule_titles(linted, found) if linted else {},
        "links": _graph(rendered, views),
        "sources": links.of_all(tables.sources()),
    }


def _graph(rendered: Result, views: list[PageView]) -> list[tuple[str, str, str]]:
    """Which output takes from which, and how."""
    names = {view.name for view in views}
    shown = (
        link for link in links_of(rendered) if rendered.spec.shape != "table" or {link.source, link.target} <= names
    )
    return list(dict.fromkeys((visible(link.source), visible(link.target), link.kind) for link in shown))


def _rule_titles(linted: Linted, found: Iterable[Note]) -> dict[str, str]:
    """What each rule finds, of those that found something."""
    codes = {note.code for note in found}
    return {rule.code: visible(rule.title) for rule in linted.rules if rule.code in codes}


def _note(
    note: Note, views: list[PageView], by_prefix: dict[Path, int], rendered: Result, tables: PageTables
) -> dict[str, Any]:
    """A note; its texts as they are, since most occur once."""
    path = note.path
    # No path of a view leads into another view.
    view = next((by_prefix[path[:end]] for end in range(len(path) + 1) if path[:end] in by_prefix), NONE)
    inside = path[len(views[view].prefix) :] if view != NONE else ()
    # Findings may quote the value they are about.
    is_hidden = rendered.hides_secrets and bool(inside) and has_secret_history(views[view].node.at(inside))
    return {
        "severity": note.severity.word,
        "code": note.code,
        "message": WITHHELD if is_hidden else visible(note.message),
        "at": tables.place(note.at),
        "output": view,
        "path": show(inside) if inside else "",
        "hint": "" if is_hidden else visible(note.hint or ""),
        "related": [[visible(label), tables.place(origin)] for label, origin in note.related],
    }
