"""The page of a real site, files to text, against libyaml: reading all its files, and writing the result once.

LAMINA_BENCH_SITE in the environment names a golden case with the files of a site (JSON, perhaps compressed).

    python bench/reports.py [--quick] [--rows]
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

import yaml
from real_sites import site
from rows import Row, absent, is_quick, of_pairs, print_rows, seconds

from lamina.cli.main import collecting_nothing
from lamina.dialects import registry as dialects
from lamina.sources.inputs import Inputs, source_of
from lamina.views.render import render_with
from lamina.views.report.build_html import report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.views.result import Result

TARGET = 3


def rows() -> Iterator[Row]:
    job, against = "report of a real site", "libyaml reading and writing the same"
    if "LAMINA_BENCH_SITE" not in os.environ:
        yield absent(job, against, "LAMINA_BENCH_SITE is not set")
        return
    files = site()
    dialect = dialects.find("deckhand")

    def rendered() -> Result:
        inputs = Inputs(tuple(source_of(name, text) for name, text in files.items()))
        return render_with(dialect, inputs, dialects.make_options(dialect, {}))

    value = rendered().value

    def page() -> None:
        with collecting_nothing():
            report(rendered())

    def plain() -> Any:
        for text in files.values():
            list(yaml.load_all(text, yaml.CSafeLoader))
        yaml.dump_all(value, io.StringIO(), yaml.CSafeDumper, default_flow_style=False)

    page()  # what is imported on first use counts for neither
    pairs = [(seconds(page), seconds(plain)) for _ in range(1 if is_quick() else 3)]
    size = len(report(rendered())) / 1e6
    target = None if is_quick() else TARGET
    yield of_pairs(job, against, pairs, target=target, at_most=True, note=f"{size:.1f} MB")


if __name__ == "__main__":
    print_rows(rows())
