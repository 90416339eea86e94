"""Hiera data looked up by Lamina and by Puppet: one deep merge of five levels for every node, files to results.

The data are those of `hierarchy`; Puppet is Debian's, its own library asked in one process.

    python bench/hiera_lookups.py [--quick] [--rows]
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierarchy import belongs, by_hiera, children_seconds, data_set, write_hiera, written
from rows import Row, absent, is_quick, of_pairs, print_rows, seconds

from lamina.cli.main import collecting_nothing
from lamina.dialects import registry as dialects
from lamina.session import default_session
from lamina.sources.inputs import gather
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET = 25.0


def write_facts(folder: Path, names: list[str]) -> None:
    for name in names:
        own = belongs(int(name.removeprefix("node")))
        facts = {"nodename": name, "role": own["role"], "env": own["environment"], "osname": own["os"]}
        written(folder / "environments/production/facts", f"{name}.yaml", facts)


def by_lamina(folder: Path, names: list[str]) -> dict[str, Any]:
    """One node after the other, and no garbage collected meanwhile, as in a worker of a fleet."""
    default_session().clear()
    inputs = gather([str(folder / "environments/production")])
    dialect = dialects.find("hiera")
    results = {}
    with collecting_nothing():
        for name in names:
            options = dialects.make_options(dialect, {"node": name, "key": "config", "merge": "deep"})
            results[name] = render_with(dialect, inputs, options).plain
    return results


def rows() -> Iterator[Row]:
    for count in (50, 200) if is_quick() else (50, 500, 2000):
        files = data_set(count)
        names = [name for level, name in files if level == "node"]
        job, against = f"hiera, {count:,} nodes, files to results", "Puppet (Debian's)"
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            write_hiera(folder, files)
            write_facts(folder, names)
            try:
                theirs = by_hiera(folder)
            except Exception as error:  # a peer that is missing or broken is reported
                yield absent(job, against, f"{type(error).__name__}: {error}")
                continue
            note = "" if by_lamina(folder, names) == theirs else "the values differ"
            pairs = [
                (
                    children_seconds(lambda: by_hiera(folder)),  # noqa: B023 - called at once
                    seconds(lambda: by_lamina(folder, names)),  # noqa: B023 - likewise
                )
                for _ in range(2 if count < 500 else 1)
            ]
            yield of_pairs(job, against, pairs, target=TARGET if count == 2000 else None, note=note)


if __name__ == "__main__":
    print_rows(rows())
