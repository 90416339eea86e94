"""What `puppet lookup --explain` prints, with lines: every layer, level and file that may have a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina import plugin as lp
from lamina.dialects.hiera.compile import RenderedNode, chosen_merge
from lamina.dialects.hiera.keys import segments_of
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.hiera.config import HieraLevel
    from lamina.dialects.hiera.data_files import DataFile
    from lamina.dialects.hiera.layers import DataLayer
    from lamina.dialects.hiera.lookup import HieraNodeView


class FileValue(NamedTuple):
    """One file of a level: what is written for it, whether it is there, and what it has."""

    layer: str
    level: str
    path: str
    file: str | None
    shown: str
    at: lp.Origin | None


def context(result: lpx.Rendered, inputs: lp.Inputs, path: lp.Path) -> lpx.Context | None:
    """The files behind a key of a node."""
    nodes = {stage.facts.node: stage.facts for stage in result.plan.stages if isinstance(stage.facts, RenderedNode)}
    options = result.options
    if options.all_nodes and path:
        node, path = str(path[0]), path[1:]
    else:
        node = options.node or ""
    key = options.key or (str(path[0]) if path else None)
    if node not in nodes or key is None:
        return None
    root = str(segments_of(key)[0]) if options.key else key
    view = nodes[node].view
    rule = chosen_merge(options) or view.options_for(root).rule(root)
    files = list(_files(result, view, root, is_first=rule.first))
    origin = f" at {rule.at}" if rule.at else ""
    lines = [f"files that can set {root} for {node}, highest first; merge strategy: {rule.label}{origin}"]
    lines += _lines(files)
    data = {
        "key": root,
        "merge": rule.label,
        "merge_origin": lpx.origin_data(rule.at) if rule.at else None,
        "files": [{**each._asdict(), "at": lpx.origin_data(each.at) if each.at else None} for each in files],
    }
    return lpx.Context(lpf.text_of(lines), data)


def _lines(files: list[FileValue]) -> Iterator[str]:
    layer = level = None
    for each in files:
        if each.layer != layer:
            layer, level = each.layer, None
            yield f"  {layer}"
        if each.level != level:
            level = each.level
            yield f"    {level}"
        yield f"      {each.path}: {each.shown}" + (f" ({each.at})" if each.at else "")


def _files(result: lpx.Rendered, view: HieraNodeView, root: str, *, is_first: bool) -> Iterator[FileValue]:
    found = False
    for layer in view.layers_for(root):
        for level in layer.config.levels:
            read = view.read(level)
            for (text, _, doubt), file in zip(
                () if level in view.unread else view.files.paths(level), read, strict=True
            ):
                shown = _file_value(result, view, layer, level, text, file, root)
                if doubt is not None:
                    shown = shown._replace(shown=f"{shown.shown}, if the node has it: {doubt.reason}")
                if is_first and found and shown.at is not None:
                    shown = shown._replace(shown=f"{shown.shown}, ignored: a higher file sets the key")
                found = found or shown.at is not None
                yield shown


def _file_value(
    result: lpx.Rendered,
    view: HieraNodeView,
    layer: DataLayer,
    level: HieraLevel,
    text: str,
    file: DataFile | None,
    root: str,
) -> FileValue:
    if file is None:
        return FileValue(layer.title, level.name, text, None, "does not exist", None)
    if root not in file.value:
        return FileValue(layer.title, level.name, text, file.root.origin().source, "not set", None)
    at = file.root.child(root).origin()
    try:
        shown: Any = lpx.in_brief(result.shown_value(view.value(file.key(root)).node))
    except lp.Reject as reject:
        shown = f"rejected: {reject.diagnostic.message}"
    return FileValue(layer.title, level.name, text, file.root.origin().source, shown, at)


def layers(result: lpx.Rendered) -> Iterator[tuple[lp.Path, lp.SourceNode]]:
    """The data files of the nodes of a result."""
    options = result.options
    if options.key is None:
        for stage in result.plan.stages:
            if isinstance(node := stage.facts, RenderedNode):
                path = (node.node,) if options.all_nodes else ()
                yield from ((path, file.root) for file in node.view.files_read() if file.value)


EXPLAIN = lpx.Explain(context=context, layers=layers)
