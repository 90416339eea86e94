"""A real Deckhand site, files to rendered documents, against the Deckhand engine.

LAMINA_BENCH_SITE in the environment names a golden case with the files of a site (JSON, perhaps compressed), and
LAMINA_BENCH_DECKHAND a Python interpreter that can import the engine: the engine needs an environment of its own. Cold
is the first run of a process, or with nothing remembered; warm is the same again.

    python bench/real_sites.py [--quick] [--rows]
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rows import Row, absent, is_quick, of_pairs, print_rows, seconds

from lamina.cli.main import collecting_nothing
from lamina.dialects import registry as dialects
from lamina.session import default_session
from lamina.sources.inputs import Inputs, source_of
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINE = """
import json, logging, sys, time
logging.disable(logging.CRITICAL)
texts = json.load(sys.stdin)
sys.argv = ["engine"]
import yaml
from deckhand.engine import layering
loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
times = []
for _ in range(2):
    start = time.process_time()
    read = [each for text in texts for each in yaml.load_all(text, Loader=loader) if each is not None]
    made = layering.DocumentLayering(read, validate=True, fail_on_missing_sub_src=True, cleartext_secrets=True).render()
    times.append(time.process_time() - start)
found = sorted(([each.schema, each.name, each.layer or "", each.data] for each in made), key=lambda one: one[:3])
json.dump({"times": times, "found": found}, sys.stdout, default=str)
"""


def site() -> dict[str, str]:
    """The files of the site, in their order."""
    path = Path(os.environ["LAMINA_BENCH_SITE"])
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    case = json.loads(text)[0]
    return {name: case["files"][name] for name in case["order"]}


def by_engine(python: str, files: dict[str, str]) -> tuple[list[float], Any]:
    """The times of two runs of the engine in a process of its own, and what it renders."""
    given = json.dumps(list(files.values()))
    done = subprocess.run([python, "-c", ENGINE], input=given, capture_output=True, text=True, check=True)
    printed = json.loads(done.stdout)
    return printed["times"], printed["found"]


def rows() -> Iterator[Row]:
    against, python = "the Deckhand engine", os.environ.get("LAMINA_BENCH_DECKHAND")
    if not python or "LAMINA_BENCH_SITE" not in os.environ:
        yield absent("a real site", against, "LAMINA_BENCH_SITE and LAMINA_BENCH_DECKHAND are not set")
        return
    files = site()
    inputs = Inputs(tuple(source_of(name, text) for name, text in files.items()))
    dialect = dialects.find("deckhand")
    options = dialects.make_options(dialect, {})

    def run() -> Any:
        with collecting_nothing():
            return render_with(dialect, inputs, options).plain

    run()  # what is imported on first use counts for neither
    pairs: list[list[tuple[float, float]]] = [[], []]
    for _ in range(2 if is_quick() else 5):
        times, found = by_engine(python, files)
        default_session().clear()
        for each, taken in zip(pairs, times, strict=True):
            each.append((taken, seconds(run)))
    ours = [[one["schema"], one["metadata"]["name"], _layer(one), one.get("data")] for one in run()]
    assert json.loads(json.dumps(sorted(ours, key=lambda one: one[:3]), default=str)) == found, "the results differ"
    job = f"site of {len(files)} files, {len(found)} documents"
    for name, each, target in zip(("cold", "warm"), pairs, (30, 20), strict=True):
        yield of_pairs(f"{job}, {name}", against, each, target=target)


def _layer(document: dict[str, Any]) -> str:
    found: str = document["metadata"].get("layeringDefinition", {}).get("layer", "")
    return found


if __name__ == "__main__":
    print_rows(rows())
