"""`lamina render` for the targets of a project."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lamina._support.escapes import escaped_json, one_line
from lamina.cli.notes import status_of
from lamina.cli.output import echo_all, print_error
from lamina.cli.selected_targets import TargetMessages
from lamina.errors import LaminaError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from lamina.cli.render_request import RenderRequest
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.errors import Note
    from lamina.project.target import Target
    from lamina.views.result import Result


def render_targets(
    selected: SelectedTargets,
    form: str,
    output: str,
    output_dir: str | None,
    written: Callable[[Result], str],
    *,
    sort: Callable[[Result], bool],
    quiet: bool,
    kinds: Collection[str],
) -> int:
    """Render every target; one that fails does not stop the others."""
    targets = selected.targets()
    messages = TargetMessages(len(targets))
    texts: list[str] = []
    files = 0

    def rendered(target: Target, each: RenderRequest) -> tuple[str, int, Sequence[Note]]:
        result = each.result()
        if output_dir is None:
            return _text(target, result, form, written), 0, result.notes
        return "", _files(target, result, output_dir, form, sort_keys=sort(result)), result.notes

    for target, outcome in selected.each("rendering", rendered):
        if isinstance(outcome, LaminaError):
            messages.fail(target.name, outcome)
            continue
        text, count, notes = outcome
        texts.append(text)
        files += count
        messages.note(target.name, (*target.notes, *notes))
    if output_dir is None and output != "-":
        from lamina.cli.write_files import write_file

        write_file(output, "".join(with_frame(texts, form)))
    elif output_dir is None:
        echo_all(with_frame(texts, form))
    else:
        rendered_targets = f"{len(texts)} of {len(targets)}" if len(texts) < len(targets) else f"{len(targets)}"
        print_error(one_line(f"{files} files of {rendered_targets} targets in {output_dir}"))
    return messages.print_all(quiet=quiet, status_of=status_of, kinds=kinds)


def _text(target: Target, result: Result, form: str, written: Callable[[Result], str]) -> str:
    from lamina.sources.json.writer import dump, plain

    if form == "yaml":
        text = written(result)
        return f"# target: {one_line(target.name)}\n{text if text.startswith('---') else '---' + chr(10) + text}"
    if form == "jsonl":
        lines = ({"target": target.name, "name": name, "value": plain(value)} for name, value in result.documents())
        return escaped_json("".join(dump(line, indent=None) for line in lines))
    return member(target.name, target.dialect, escaped_json(dump(plain(result.plain))))


def member(name: str, dialect: str, text: str) -> str:
    """The JSON of one target, as a member of the JSON of all."""
    return f'{{"name": {escaped_json(json.dumps(name))}, "dialect": {json.dumps(dialect)}, "result": {text.rstrip()}}}'


def with_frame(texts: list[str], form: str) -> list[str]:
    """The texts of all targets as one output."""
    if form != "json":
        return texts
    inner = ",\n".join(texts)
    return [f'{{"version": 1, "targets": [{inner}]}}\n']


def _files(target: Target, result: Result, folder: str, form: str, *, sort_keys: bool) -> int:
    """The files of a target: in its own folder where it has several documents, else one with its name."""
    from lamina.cli.write_files import write_files
    from lamina.fleet.file_names import file_stem

    documents: list[tuple[str, Any]] = result.documents()
    if result.spec.shape == "one":
        return write_files([(target.name, documents[0][1])] if documents else [], folder, form, sort_keys=sort_keys)
    return write_files(documents, f"{folder}/{file_stem(target.name)}", form, sort_keys=sort_keys)
