"""`lamina --version -v`: the dialects and mergers that are installed.

Packages add dialects through the entry-point group lamina.dialects and mergers through lamina.cloudinit.mergers.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Any

from lamina._support.escapes import text_of
from lamina.cli.terminal import fits_width


def plugins_listed() -> str:
    """The dialects and mergers that are installed; listing loads none of them."""
    rows = [(entry["kind"], entry["name"], f"{entry['package']} {entry['release']}".strip()) for entry in _found()]
    return _as_table(rows) if fits_width(_WIDTHS) else _as_text(rows)


_WIDTHS = (8, 8, 10)


def _as_table(rows: list[tuple[str, str, str]]) -> str:
    from lamina.cli.tables import Column, table, written

    columns = [Column(title, least) for title, least in zip(("kind", "name", "from"), _WIDTHS, strict=True)]
    return written(table(columns, [list(same) for _, same in groupby(rows, key=itemgetter(0))]))


def _as_text(rows: list[tuple[str, str, str]]) -> str:
    width = max(len(name) for _, name, _ in rows)
    return text_of(f"{kind:<8} {name:<{width}}  {source}" for kind, name, source in rows)


def _found() -> list[dict[str, Any]]:
    from lamina.dialects import registry
    from lamina.dialects.cloudinit.mergers import BUILT_IN
    from lamina.dialects.cloudinit.plugins import listed

    own = [_entry("dialect", name, place) for name, place in registry.BUILT_IN.items()]
    others = [
        _entry("dialect", point.name, point.value, point.dist)
        for point in registry.installed()
        if point.name not in registry.BUILT_IN
    ]
    mergers = [_entry("merger", name, "") for name in BUILT_IN]
    return [*own, *others, *mergers, *(_merger(plugin) for plugin in listed())]


def _entry(kind: str, name: str, value: str, package: Any = None) -> dict[str, Any]:
    return {
        "kind": kind,
        "name": name,
        "value": value,
        "package": package.name if package else "built in",
        "release": package.version if package else "",
    }


def _merger(plugin: Any) -> dict[str, Any]:
    return {
        "kind": "merger",
        "name": plugin.name,
        "value": plugin.value,
        "package": plugin.package,
        "release": plugin.version,
    }
