"""`lamina set`: propose the edit that makes a value what somebody wants, with what it changes in all targets."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import click

from lamina._support.escapes import text_of
from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options
from lamina.cli.edit_text import changes, patch, write_or_ask
from lamina.cli.output import echo, echo_json, print_error
from lamina.cli.target_request import selected_targets
from lamina.errors import Diagnostic, UsageError
from lamina.paths import MISSING
from lamina.project.shared_entries import in_targets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.cli.changes_file import WantedChange
    from lamina.project.target import Target
    from lamina.views.schemas.proposals import GoalData, ProposalData, SetData
    from lamina.workspace.proposals.search import Proposal, Proposals
    from lamina.workspace.workspace import Workspace

_NARROWED: Final = Diagnostic(
    code="part-of-result",
    message="an option shows a part of the result only, so what else an edit changes would not be seen",
    hint="leave the option out, and write the name of the output in front of the path: NAME.path",
)
_MOST_REASONS: Final = 5
_ACTIONS: Final = {
    "change": "change the value at",
    "add": "add it at",
    "remove": "remove it at",
    "create": "write the new file",
    "document": "add a document to",
}


@click.command(
    "set",
    cls=DialectCommand,
    epilog=example("lamina set ntp.servers[0] 10.0.0.1 --target 'web*'"),
)
@click.argument("path", required=False, default=None)
@click.argument("value", required=False, default=None)
@click.option("--delete", is_flag=True, help="The value is to go; all further arguments are inputs then.")
@click.option("-f", "--file", "changes_file", metavar="FILE", help="Several changes; all arguments are inputs then.")
@click.option("--in", "within", metavar="FILE", help="Edit this file only.")
@click.option("--write", is_flag=True, help="Write the edit, if it does exactly what is wanted.")
@format_option(("text", "json", "patch"))
@inputs_and_options
def command(
    path: str | None,
    value: str | None,
    delete: bool,
    changes_file: str | None,
    within: str | None,
    write: bool,
    form: str,
    **given: Any,
) -> int:
    """Propose the smallest edit that makes the value at PATH what you want, and nothing else.

    VALUE is YAML. With --target, only these targets are to change. Each edit is tried: all targets are rendered with
    it, and one is proposed only if the value is as you want it there and nothing else differs anywhere. Nothing is
    written without --write, or a yes on a terminal. The exit status is 1 if no edit does exactly that.
    """
    wanted = _wanted(path, value, given, delete=delete, changes_file=changes_file, within=within)
    workspace = workspace_of_all(given)
    before: dict[str, bytes | None] = {}
    texts: dict[str, bytes] = {}
    found = [_proposed(workspace, each, before, texts) for each in wanted]
    is_exact = all(each.done or each.exact for each, _ in found)
    _print(found, form, patch(workspace, texts, before) if is_exact else "")
    if all(each.done for each, _ in found):
        print_error("it is so already; there is nothing to change")
        return 0
    if not is_exact:
        if form != "text":
            print_error("no edit does exactly this; lamina set without --format says why")
        return 1
    write_or_ask(workspace, texts, write=write, ask=form == "text")
    return 0


def _wanted(
    path: str | None,
    value: str | None,
    given: dict[str, Any],
    *,
    delete: bool,
    changes_file: str | None,
    within: str | None,
) -> list[WantedChange]:
    """What the command line asks for; arguments that are inputs are given back."""
    from lamina.cli.changes_file import WantedChange, read_changes

    if changes_file is not None:
        if delete or within is not None or given["targets"]:
            raise click.UsageError("-f cannot be used with --delete, --in or --target; the file has them.")
        given["inputs"] = (*(each for each in (path, value) if each is not None), *given["inputs"])
        return read_changes(changes_file)
    if path is None:
        raise click.UsageError("Missing argument 'PATH'; -f names a file with several.")
    if delete and value is not None:
        given["inputs"] = (value, *given["inputs"])
    if not delete and value is None:
        raise click.UsageError("Missing argument 'VALUE'; --delete removes the value.")
    targets = given["targets"]
    given["targets"] = ()
    return [WantedChange(path, MISSING if delete else _value_of(value or ""), targets, within)]


def workspace_of_all(given: dict[str, Any]) -> Workspace:
    """The workspace of all targets, of which every change is seen."""
    given["targets"] = ()
    selected = selected_targets(given, by_node=True)
    selected.project.check_selection(())
    from lamina.cli.loaded_workspace import loaded_workspace

    if any(map(_is_narrowed, selected.targets())):
        raise UsageError(_NARROWED)
    return loaded_workspace(selected, with_notes=False)


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


def path_from_root(workspace: Workspace, file: str) -> str:
    """A file as it was typed, as a path from the root of the project."""
    return os.path.relpath(os.path.realpath(file), os.path.realpath(workspace.project.root)).replace(os.sep, "/")


def _proposed(
    workspace: Workspace, wanted: WantedChange, before: dict[str, bytes | None], texts: dict[str, bytes]
) -> tuple[Proposals, str]:
    """What is proposed for one change, as data and as text; the next change is proposed with its edit made."""
    file = None if wanted.within is None else path_from_root(workspace, wanted.within)
    found = workspace.propose(wanted.path, wanted.value, wanted.targets, within=file)
    shown = text_of(_lines(workspace, found))
    for proposal in found.exact[:1]:
        for path in proposal.texts:
            source = workspace.file(path)
            before.setdefault(path, None if source is None else source.data)
        texts.update(proposal.texts)
        workspace.update(proposal.texts)
    return found, shown


def _print(found: Sequence[tuple[Proposals, str]], form: str, edits: str) -> None:
    if form == "json":
        from lamina.sources.json.writer import dump

        echo_json(dump(_as_data([each for each, _ in found], edits)))
    elif form == "patch":
        echo(edits)
    else:
        echo("\n".join(text for each, text in found if not each.done))


def _lines(workspace: Workspace, found: Proposals) -> Iterator[str]:
    for proposal in found.exact[:1]:
        yield from _headed(workspace, proposal)
        yield from patch(workspace, proposal.texts, _now(workspace, proposal)).splitlines()
        yield "in the results, this changes only:"
        yield from changes(proposal.impact)
    if found.exact or found.done:
        return
    yield f"no edit does exactly this: {found.why}" if found.why else "no edit does exactly this"
    for proposal in found.closest:
        yield ""
        yield from _headed(workspace, proposal)
        yield "would change:"
        yield from changes(proposal.impact)
    if found.refused:
        yield ""
    for place, reason in list(found.refused.items())[:_MOST_REASONS]:
        yield f"not at {place}: {reason}"


def _now(workspace: Workspace, proposal: Proposal) -> dict[str, bytes | None]:
    sources = {path: workspace.file(path) for path in proposal.texts}
    return {path: None if source is None else source.data for path, source in sources.items()}


def _headed(workspace: Workspace, proposal: Proposal) -> Iterator[str]:
    total = len(workspace.targets)
    for candidate in proposal.edits:
        readers = sorted(workspace.readers_of(candidate.source.removeprefix(workspace.project.prefix)))
        read = f" (read by {in_targets(readers, total)})" if readers and total > 1 else ""
        yield f"{_ACTIONS[candidate.action]} {candidate.place}{read}"
    yield f"reason: {proposal.reason}"


def _as_data(found: Sequence[Proposals], edits: str) -> SetData:
    def proposal_data(proposal: Proposal) -> ProposalData:
        return {
            "places": [
                {"action": each.action, "source": each.source, "line": each.line, "column": each.column}
                for each in proposal.edits
            ],
            "reason": proposal.reason,
            "reached": sorted(proposal.reached),
            "missed": sorted(proposal.missed),
            "others": sorted(proposal.others),
        }

    def goal_data(each: Proposals) -> GoalData:
        return {
            "path": each.goal.path,
            "targets": sorted(each.goal.targets),
            "done": each.done,
            "why": each.why,
            "proposals": [proposal_data(one) for one in each.exact],
            "closest": [proposal_data(one) for one in each.closest],
            "refused": [{"place": place, "reason": reason} for place, reason in each.refused.items()],
        }

    return {"version": 1, "goals": list(map(goal_data, found)), "patch": edits}
