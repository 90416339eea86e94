"""Values of a chart merged by Lamina and by Helm: five levels for every node, files to results.

The data are those of `hierarchy`: values.yaml holds what all have in common, the other levels are files of `-f`. Helm
is started once for each node, as it is used; Lamina renders all in one process.

    python bench/helm_values.py [--quick] [--rows]
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierarchy import belongs, children_seconds, data_set
from rows import Row, absent, is_quick, of_pairs, print_rows, seconds

import lamina
from lamina.sources.yaml.writer import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

HELM = Path(__file__).parent.parent / ".bench/venv/bin/helm"
TEMPLATE = "values: {{ .Values | toJson }}\n"


def write_chart(folder: Path, files: dict[tuple[str, str], dict[str, Any]]) -> None:
    (folder / "chart/templates").mkdir(parents=True)
    (folder / "chart/Chart.yaml").write_text("apiVersion: v2\nname: chart\nversion: 0.1.0\n")
    (folder / "chart/templates/values.yaml").write_text(TEMPLATE)
    for (level, name), value in files.items():
        (folder / ("chart/values.yaml" if level == "common" else f"{name}.yaml")).write_text(dump(value))


def paths_of(folder: Path, name: str) -> list[str]:
    own = belongs(int(name.removeprefix("node")))
    levels = [own["os"], own["environment"], own["role"], name]
    return [str(folder / "chart/values.yaml"), *(str(folder / f"{each}.yaml") for each in levels)]


def by_helm(folder: Path, names: list[str]) -> dict[str, Any]:
    results = {}
    for name in names:
        files = [word for path in paths_of(folder, name)[1:] for word in ("-f", path)]
        done = subprocess.run([HELM, "template", folder / "chart", *files], check=True, capture_output=True, text=True)
        line = next(line for line in done.stdout.splitlines() if line.startswith("values: "))
        results[name] = json.loads(line.removeprefix("values: "))
    return results


def by_lamina(folder: Path, names: list[str]) -> dict[str, Any]:
    return {name: lamina.render(paths_of(folder, name), dialect="layers", preset="helm-values").plain for name in names}


def rows() -> Iterator[Row]:
    count = 10 if is_quick() else 50
    files = data_set(count)
    names = [name for level, name in files if level == "node"]
    job, against = f"layers, values of {count} nodes, files to results", "Helm, started for each"
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_chart(folder, files)
        try:
            theirs = by_helm(folder, names)
        except (OSError, subprocess.CalledProcessError) as error:
            yield absent(job, against, f"{type(error).__name__}: {error}")
            return
        note = "" if by_lamina(folder, names) == theirs else "the values differ"
        pairs = [
            (children_seconds(lambda: by_helm(folder, names)), seconds(lambda: by_lamina(folder, names)))
            for _ in range(2)
        ]
        yield of_pairs(job, against, pairs, note=note)


if __name__ == "__main__":
    print_rows(rows())
