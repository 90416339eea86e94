"""`lamina set`: propose the edit that makes a value what somebody wants, with what it changes in all targets."""

from __future__ import annotations

import os
import sys
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from lamina._support.escapes import one_line, text_of
from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options
from lamina.cli.output import echo, echo_json, print_error
from lamina.cli.target_request import selected_targets
from lamina.errors import Diagnostic, UsageError
from lamina.paths import MISSING
from lamina.project.shared_entries import in_targets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.project.target import Target
    from lamina.views.schemas.proposals import ProposalData, SetData
    from lamina.workspace.proposals.search import Proposal, Proposals
    from lamina.workspace.workspace import Workspace

_NARROWED: Final = Diagnostic(
    code="part-of-result",
    message="an option shows a part of the result only, so what else an edit changes would not be seen",
    hint="leave the option out, and write the name of the output in front of the path: NAME.path",
)
_MOST_REASONS: Final = 5
_MOST_CHANGES: Final = 8
_ACTIONS: Final = {
    "change": "change the value at",
    "add": "add it at",
    "remove": "remove it at",
    "create": "write the new file",
    "document": "add a document to",
}


@click.command("set", cls=DialectCommand, epilog=example("lamina set ntp.servers[0] 10.0.0.1 --target 'web*'"))
@click.argument("path")
@click.argument("value", required=False, default=None)
@click.option("--delete", is_flag=True, help="The value is to go; all further arguments are inputs then.")
@click.option("--in", "within", metavar="FILE", help="Edit this file only.")
@click.option("--write", is_flag=True, help="Write the edit, if it does exactly what is wanted.")
@format_option(("text", "json", "patch"))
@inputs_and_options
def command(
    path: str, value: str | None, delete: bool, within: str | None, write: bool, form: str, **given: Any
) -> int:
    """Propose the smallest edit that makes the value at PATH what you want, and nothing else.

    VALUE is YAML. With --target, only these targets are to change. Each edit is tried: all targets are rendered with
    it, and one is proposed only if the value is as you want it there and nothing else differs anywhere. Nothing is
    written without --write. The exit status is 1 if no edit does exactly that.
    """
    if delete and value is not None:
        given["inputs"] = (value, *given["inputs"])
    if not delete and value is None:
        raise click.UsageError("Missing argument 'VALUE'; --delete removes the value.")
    wanted = given["targets"]
    given["targets"] = ()
    selected = selected_targets(given, by_node=True)
    selected.project.check_selection(())
    from lamina.cli.loaded_workspace import loaded_workspace

    if any(map(_is_narrowed, selected.targets())):
        raise UsageError(_NARROWED)
    workspace = loaded_workspace(selected, with_notes=False)
    file = None if within is None else _from_root(workspace, within)
    found = workspace.propose(path, MISSING if delete else _value_of(value or ""), wanted, within=file)
    return _show(workspace, found, form, write=write)


def _is_narrowed(target: Target) -> bool:
    """Whether an option leaves a part of its result out; that it is one of several nodes does not count."""
    from lamina.dialects.registry import make_options
    from lamina.protocol.extensions import complete_scope

    options = target.options if target.common is None else target.common
    return complete_scope(target.system, make_options(target.system, options)) is None


def _value_of(text: str) -> Any:
    """A value from the command line, which is YAML."""
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        problem = getattr(error, "problem", None) or "it is not YAML"
        raise UsageError(
            Diagnostic(code="bad-value", message=f"the value cannot be read: {problem}", hint="quote it: \"'text'\"")
        ) from None


def _from_root(workspace: Workspace, file: str) -> str:
    return os.path.relpath(os.path.realpath(file), os.path.realpath(workspace.project.root)).replace(os.sep, "/")


def _show(workspace: Workspace, found: Proposals, form: str, *, write: bool) -> int:
    proposal = found.exact[0] if found.exact else None
    if form == "json":
        from lamina.sources.json.writer import dump

        echo_json(dump(_as_data(workspace, found)))
    elif form == "patch":
        echo("".join(_patch(workspace, proposal)) if proposal else "")
    elif not found.done:
        echo(text_of(_lines(workspace, found)))
    if found.done:
        print_error("it is so already; there is nothing to change")
        return 0
    if proposal is None:
        if form != "text":
            print_error("no edit does exactly this; lamina set without --format says why")
        return 1
    if write:
        _write(workspace, proposal)
    elif form == "text":
        print_error("nothing was written; --write does it")
    return 0


def _lines(workspace: Workspace, found: Proposals) -> Iterator[str]:
    for proposal in found.exact[:1]:
        yield from _headed(workspace, proposal)
        yield from (line.removesuffix("\n") for line in _patch(workspace, proposal))
        yield "in the results, this changes only:"
        yield from _changes(proposal)
    if found.exact:
        return
    yield f"no edit does exactly this: {found.why}" if found.why else "no edit does exactly this"
    for proposal in found.closest:
        yield ""
        yield from _headed(workspace, proposal)
        yield "would change:"
        yield from _changes(proposal)
    if found.refused:
        yield ""
    for place, reason in list(found.refused.items())[:_MOST_REASONS]:
        yield f"not at {place}: {reason}"


def _changes(proposal: Proposal) -> list[str]:
    """What an edit changes in the results, and what goes wrong with it."""
    from lamina.views.diff.text import as_text

    lines = as_text(proposal.impact.differences, most=_MOST_CHANGES).splitlines() if proposal.impact.differences else []
    findings = [str(each.entry).splitlines()[0] for each in proposal.impact.findings[:_MOST_CHANGES]]
    return [f"  {line}" for line in (*lines, *findings)] or ["  nothing"]


def _headed(workspace: Workspace, proposal: Proposal) -> Iterator[str]:
    total = len(workspace.targets)
    for candidate in proposal.edits:
        readers = sorted(workspace.readers_of(candidate.source.removeprefix(workspace.project.prefix)))
        read = f" (read by {in_targets(readers, total)})" if readers and total > 1 else ""
        yield f"{_ACTIONS[candidate.action]} {candidate.place}{read}"
    yield f"reason: {proposal.reason}"


def _patch(workspace: Workspace, proposal: Proposal | None) -> Iterator[str]:
    """The edit as a unified diff."""
    for path, data in sorted(proposal.texts.items()) if proposal else ():
        source = workspace.file(path)
        before = source.data.decode("utf-8", "replace").splitlines(keepends=True) if source else []
        after = data.decode("utf-8", "replace").splitlines(keepends=True)
        old = f"a/{path}" if source else os.devnull
        for line in unified_diff(before, after, old, f"b/{path}"):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _write(workspace: Workspace, proposal: Proposal) -> None:
    from lamina.cli.write_files import write_file

    for path, data in proposal.texts.items():
        file = Path(workspace.project.root, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(str(file), data)
        print(one_line(f"wrote {path}"), file=sys.stderr)


def _as_data(workspace: Workspace, found: Proposals) -> SetData:
    def data(proposal: Proposal) -> ProposalData:
        return {
            "places": [
                {"action": each.action, "source": each.source, "line": each.line, "column": each.column}
                for each in proposal.edits
            ],
            "reason": proposal.reason,
            "patch": "".join(_patch(workspace, proposal)),
            "reached": sorted(proposal.reached),
            "missed": sorted(proposal.missed),
            "others": sorted(proposal.others),
        }

    return {
        "version": 1,
        "done": found.done,
        "why": found.why,
        "proposals": [data(each) for each in found.exact],
        "closest": [] if found.exact else [data(each) for each in found.closest],
        "refused": [{"place": place, "reason": reason} for place, reason in found.refused.items()],
    }
