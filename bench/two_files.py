"""Two files of 1 MB merged, files to YAML text, and one question about the result.

The peers read with libyaml, merge with deepmerge, and write with libyaml; they cannot say where a value came from. The
results are compared.

    python bench/two_files.py [--quick] [--rows]
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from rows import Row, absent, is_quick, print_rows, row

from lamina.cli.main import collecting_nothing
from lamina.session import Session
from lamina.sources.yaml.writer import dump
from lamina.views.render import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ASKED = ("table30", "member20", "field5")


def document(seed: int) -> dict[str, Any]:
    """About 1 MB of YAML; every tenth field is in one of the two documents only."""
    random_ = random.Random(seed)
    return {
        f"table{table:02}": {
            f"member{member:02}": {
                f"field{field}": f"value {random_.randrange(10**6)}" for field in range(10) if random_.random() < 0.9
            }
            for member in range(70)
        }
        for table in range(60)
    }


def theirs(paths: list[Path]) -> Callable[[], str]:
    from deepmerge import Merger

    merger = Merger([(list, ["override"]), (dict, ["merge"])], ["override"], ["override"])

    def run() -> str:
        whole: dict[str, Any] = {}
        for path in paths:
            merger.merge(whole, yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader))
        return yaml.dump(whole, Dumper=yaml.CSafeDumper, sort_keys=False)

    return run


def ours(paths: list[Path]) -> str:
    with collecting_nothing(), Session() as session:
        result = render([str(path) for path in paths], dialect="layers", session=session)
        assert result.history_at(ASKED).origins
        return result.to_yaml()


def rows() -> Iterator[Row]:
    job, against = "two files of 1 MB, files to YAML text, and one explain", "CSafeLoader, deepmerge, CSafeDumper"
    with tempfile.TemporaryDirectory() as made:
        paths = [Path(made) / f"{name}.yaml" for name in ("base", "over")]
        for seed, path in enumerate(paths):
            path.write_text(dump(document(seed)))
        try:
            peer = theirs(paths)
        except ImportError as error:
            yield absent(job, against, str(error))
            return
        same = yaml.load(peer(), yaml.CSafeLoader) == yaml.load(ours(paths), yaml.CSafeLoader)
        note = f"{sum(path.stat().st_size for path in paths) / 1e6:.1f} MB" + ("" if same else "; the values differ")
        yield row(job, against, peer, lambda: ours(paths), rounds=3 if is_quick() else 5, target=4, note=note)


if __name__ == "__main__":
    print_rows(rows())
