"""The Helm that the caller names: it renders the manifests of a chart, with values that Lamina chooses.

Templates are programs, so this runs only where the caller names a Helm. Time and number of renders are limited, and
what was rendered once with the same values is not rendered again.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.helm import messages
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_RENDERS: Final = 400
MOST_SECONDS: Final = 300.0
_SECONDS_EACH: Final = 60.0
_MOST_BYTES: Final = 32 * 1024 * 1024
_SOURCE: Final = re.compile(r"^# Source: [^/\n]+/(.+)$", re.MULTILINE)
_BETWEEN: Final = re.compile(r"^---(?:[ \t].*)?$", re.MULTILINE)

DocumentKey = tuple[str, int]
"""The template that a document is from, and its number in what that template prints."""


class GaveUp(Exception):
    """Helm was run as often, or for as long, as is allowed."""


@dataclass(frozen=True, slots=True)
class Manifests:
    """What one run printed: its documents by template and number."""

    documents: dict[DocumentKey, Any]
    text: str

    def scalars(self) -> frozenset[tuple[Any, ...]]:
        """The places of all scalars."""
        return frozenset((*key, *path) for key, value in self.documents.items() for path in _leaves(value, ()))

    def at(self, key: DocumentKey, path: lp.Path) -> Any:
        """A field of a document; MISSING if it is not there."""
        return lp.walk(self.documents.get(key, lp.MISSING), path)


@dataclass(slots=True, eq=False)
class HelmProgram:
    """A Helm and the chart it renders."""

    path: str
    chart: str
    run: lp.Run
    given: Any
    """What the user gives, as one mapping."""
    renders: int = 0
    failure: str = ""
    """What Helm said when it failed last."""
    _began: float = field(default_factory=time.monotonic)
    _known: dict[str, Manifests | None] = field(default_factory=dict)

    def render(self, overlay: Any = None) -> Manifests | None:
        """The manifests with an overlay on what the user gives; None if Helm fails."""
        key = json.dumps(overlay)
        if key not in self._known:
            with tempfile.TemporaryDirectory() as folder:
                names = [_written(folder, "given.json", self.given), _written(folder, "overlay.json", overlay or {})]
                arguments = [argument for name in names for argument in ("--values", name)]
                self._known[key] = self._rendered([*arguments, "--skip-schema-validation"], folder)
        return self._known[key]

    def render_as_given(self, arguments: Sequence[str]) -> Manifests | None:
        """The manifests with the user's own arguments."""
        with tempfile.TemporaryDirectory() as folder:
            return self._rendered(arguments, folder)

    def _rendered(self, arguments: Sequence[str], home: str) -> Manifests | None:
        if self.renders >= MOST_RENDERS or time.monotonic() - self._began > MOST_SECONDS:
            raise GaveUp(f"Helm was run {self.renders} times")
        self.renders += 1
        command = [self.path, "template", self.chart, *arguments]
        places = {"HOME": home, "HELM_CACHE_HOME": home, "HELM_CONFIG_HOME": home, "HELM_DATA_HOME": home}
        try:
            done = subprocess.run(
                command, capture_output=True, check=False, timeout=_SECONDS_EACH, env={**os.environ, **places}
            )
        except OSError as error:
            raise lp.Reject(_not_run(self.path, (error.strerror or str(error)).lower())) from None
        except subprocess.TimeoutExpired:
            self.failure = f"it took more than {_SECONDS_EACH:.0f} seconds"
            return None
        if done.returncode or len(done.stdout) > _MOST_BYTES:
            self.failure = done.stderr.decode("utf-8", "replace").strip().partition("\n\n")[0][:2000]
            return None
        return self._read(done.stdout.decode("utf-8", "replace"))

    def _read(self, text: str) -> Manifests | None:
        """The documents of what was printed; None if it is no YAML."""
        documents: dict[DocumentKey, Any] = {}
        numbers: dict[str, int] = {}
        for part in _BETWEEN.split(text):
            match = _SOURCE.search(part)
            if match is None:
                continue
            number = numbers[match[1]] = numbers.get(match[1], -1) + 1
            try:
                found = lpf.read_all_yaml(lp.Source.of_text(match[1], part), self.run)
            except lp.InputError:
                return None
            documents[match[1], number] = found[0].value if found else None
        return Manifests(documents, text)


def _written(folder: str, name: str, value: Any) -> str:
    path = Path(folder, name)
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


def _leaves(value: Any, path: lp.Path) -> Iterator[lp.Path]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _leaves(each, (*path, key))
    elif isinstance(value, list) and value:
        for number, each in enumerate(value):
            yield from _leaves(each, (*path, number))
    else:
        yield path


def _not_run(path: str, why: str) -> lp.Diagnostic:
    return messages.HELM_NOT_RUN.at(program=path, why=why)
