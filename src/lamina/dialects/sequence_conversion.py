"""Conversion of layers in a sequence: files, parts or documents that are merged one after the other into one result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.conversion import (
    ConversionRemark,
    ConvertedFile,
    ConvertedTarget,
    LayeredSet,
    holds_reference,
    result_root,
)
from lamina.dialects.fitted_rules import fitted_rules, missing_parts
from lamina.engine.history import history_of
from lamina.engine.node import SourceNode
from lamina.engine.plan import OutputRef
from lamina.engine.provenance import first_origin
from lamina.errors import MergeError, Severity
from lamina.paths import MISSING, show
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.engine.node import Node
    from lamina.engine.plan import Output
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.sources.inputs import Inputs
    from lamina.sources.source import Source
    from lamina.views.result import Result

BUILT_IN: Final = "built-in.yaml"
"""The name of the layer with the system's own defaults."""


@dataclass(slots=True)
class SequenceLayer:
    """One layer: the name for its file, its value, and the file that contains nothing else, if there is one."""

    name: str
    value: Any
    at: Origin | None
    source: Source | None = None


def planned_layers(result: Result, inputs: Inputs) -> list[SequenceLayer]:
    """The layers that the only output of a plan is merged from, in order."""
    outputs = {output.name: output for stage in result.plan.stages for output in stage.outputs}
    found: list[SequenceLayer] = []
    for node, path in _taken(result.outputs[0].output, outputs):
        at = node.origin()
        value: Any = node.value
        for step in reversed(path):
            value = {step: value}
        last = found[-1] if found else None
        if path and last is not None and last.name == at.source and isinstance(last.value, dict):
            last.value |= value  # another section of the same file
        else:
            found.append(SequenceLayer(at.source, value, at))
    counted = Counter(layer.name for layer in found)
    for number, layer in enumerate(found, 1):
        if counted[layer.name] > 1:
            layer.name = f"{layer.name.rpartition('/')[2]}-part-{number:03}.yaml"
        else:
            layer.source = _source(layer.name, inputs)
    return found


def _taken(output: Output, outputs: dict[str, Output]) -> Iterator[tuple[SourceNode, Path]]:
    for step in output.steps:
        take = getattr(step, "take", None)
        if take is None:
            continue
        if isinstance(take.source, OutputRef):
            yield from _taken(outputs[take.source.name], outputs)
        elif isinstance(take.source, SourceNode):
            yield take.source, getattr(step, "path", ())


def _source(name: str, inputs: Inputs) -> Source | None:
    found = next((source for source in inputs.sources if source.name == name), None)
    if found is not None:
        return found
    inside = (folder.files.read(each) for folder in inputs.folders for each in folder.files.names())
    return next((source for source in inside if source is not None and source.name == name), None)


class SequenceConversion:
    """Collects the targets of a set, each with layers in a sequence."""

    def __init__(self, about: str) -> None:
        self._about = about
        self._files: dict[str, ConvertedFile] = {}
        self._targets: list[ConvertedTarget] = []
        self._remarks: list[ConversionRemark] = []

    def add(
        self,
        name: str,
        layers: Sequence[SequenceLayer],
        result: Result,
        node_of: Callable[[Result], Node] = result_root,
    ) -> None:
        """Add a target."""
        node = node_of(result)
        not_mapping = next(
            (layer for layer in layers if layer.value is not None and not isinstance(layer.value, dict)), None
        )
        if not_mapping is not None or not isinstance(node.value, dict):
            value = node.value if not_mapping is None else not_mapping.value
            self._skip_target(
                name, f"it is {word_for(value)}; a layer must be a mapping", not_mapping.at if not_mapping else None
            )
            return
        usable = [layer for layer in layers if layer.value is not None]
        if not usable:
            if errors := [note for note in result.notes if note.severity >= Severity.ERROR]:
                raise MergeError.of(errors)  # what was dropped may have held something
            self._skip_target(name, "no layer of it holds anything that can be merged", None)
            return
        fitted = fitted_rules([layer.value for layer in usable], node.value)
        ordered = usable[::-1] if fitted.backwards else usable
        names = [self._file(layer) for layer in ordered]
        added = [path for path in fitted.added if first_origin(node.at(path)) is None]
        if added:
            names.insert(0, self._file(SequenceLayer(BUILT_IN, missing_parts(added, node.value), None)))
        for path in (*fitted.misses, *(path for path in fitted.added if path not in added)):
            self._remarks.append(_remark(name, node, path, usable))
        settings: dict[str, Any] = {}
        if any(holds_reference(layer.value) for layer in usable):
            settings["references"] = False
        if fitted.all_rules and len(names) > 1:
            settings["rules"] = fitted.all_rules
        self._targets.append(ConvertedTarget(name=name, layers=tuple(names), settings=settings, node=node_of))

    def _skip_target(self, name: str, why: str, at: Origin | None) -> None:
        remark = ConversionRemark(what=name, why=why, at=at, path=(), targets=frozenset({name}))
        self._targets.append(ConvertedTarget(name=name, left_out=remark))

    def _file(self, layer: SequenceLayer) -> str:
        """The name of a layer's file, changed if it is already taken."""
        stem, dot, ending = layer.name.rpartition(".")
        name, number = layer.name, 1
        while name in self._files and self._files[name].value != layer.value:
            number += 1
            name = f"{stem}-{number}{dot}{ending}" if dot else f"{layer.name}-{number}"
        self._files.setdefault(name, ConvertedFile(name, layer.value, layer.source))
        return name

    def layers(self) -> LayeredSet:
        """The set."""
        return LayeredSet(
            about=self._about, targets=tuple(self._targets), files=self._files, remarks=tuple(self._remarks)
        )


def _remark(target: str, node: Node, path: Path, layers: Sequence[SequenceLayer]) -> ConversionRemark:
    """The remark on a path without a fitting rule, with the layers from its history."""
    inner = node.at(path)
    events = [event for event in history_of(inner).events if event.directive is not None]
    why = "its layers come to this value in a way that no rule by path has"
    at = first_origin(inner)
    if events:
        directive = events[-1].directive
        assert directive is not None
        why = f"{events[-1].verdict} by {directive}" if str(directive) else why
        at = at or events[-1].origin or directive.origin
    if inner.value is MISSING:
        why = f"it is removed ({why})"
    return ConversionRemark(what=show(path), why=why, at=at or layers[-1].at, path=path, targets=frozenset({target}))
