"""The server for assistants: tools over one project, spoken with the Model Context Protocol. None of them writes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from lamina.editor.project_answers import NoAnswerError, ProjectAnswers
from lamina.errors import LaminaError
from lamina.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.project.project import Project

_ABOUT: Final = (
    "Layered configuration as the real system merges it (cloud-init, Heat, Deckhand, Datum, Hiera, Ansible, reclass, "
    "Helm, plain layers), with the file and line behind every value. Ask before you edit: where a value comes from, "
    "what a line decides, what a changed file would do. Paths of files are written from the root of the project; paths "
    "of values as a.b[0]. Values called withheld are secrets."
)


def make_server(project: Project) -> MCPServer[Any]:
    """The server of one project."""
    answers = ProjectAnswers(project)
    server: MCPServer[Any] = MCPServer("lamina", instructions=_ABOUT, version=VERSION)

    async def asked(question: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
        try:
            return await asyncio.to_thread(question, *given)
        except (LaminaError, NoAnswerError) as error:
            raise ToolError(str(error)) from None

    looks = server.tool(annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))

    async def targets() -> dict[str, Any]:
        """List what is rendered: sites, nodes, environments. Use it first, to learn the names that other tools take."""
        return await asked(answers.targets)

    async def explain(path: str, targets: list[str] | None = None) -> dict[str, Any]:
        """Say where a value comes from: every layer that set it, with file and line, and which rule decided.

        Use it for "why is this value so" and before changing a value. PATH is a.b[0]; targets are names or patterns
        such as "site-*", by default all.
        """
        return await asked(answers.explain, path, targets or ())

    async def where(file: str, line: int, column: int | None = None) -> dict[str, Any]:
        """Say what a line of a file decides, and in which targets. Use it before you edit or delete that line."""
        return await asked(answers.where, file, line, column)

    async def find(text: str) -> dict[str, Any]:
        """List where a value or a key is set, in all targets, also where another layer overrides it.

        Use it when you know a value (9000, true, a name) and not its path.
        """
        return await asked(answers.find, text)

    async def lint(files: list[str] | None = None) -> dict[str, Any]:
        """List likely mistakes, with hints. Use it after an edit, with the files that were edited."""
        return await asked(answers.lint, files or ())

    async def diff(revision: str) -> dict[str, Any]:
        """List what differs in the results between a git revision (main, HEAD~1) and the files as they are now.

        Use it to review a change, or to describe it in a commit or pull request.
        """
        return await asked(answers.diff, revision)

    async def what_if(file: str, text: str) -> dict[str, Any]:
        """Say what would change in all targets if a file had this text, without writing it.

        Use it before you write an edit. TEXT is the whole new text of the file.
        """
        return await asked(answers.what_if, file, text)

    async def propose(path: str, value: Any, targets: list[str] | None = None) -> dict[str, Any]:
        """Find the edit that makes a value what is wanted in these targets (default: all) and changes nothing else.

        Use it when somebody asks to change a value. Nothing is written: make the edit yourself, then ask lint.
        """
        return await asked(answers.propose, path, value, targets or ())

    for tool in (targets, explain, where, find, lint, diff, what_if, propose):
        looks(tool)
    return server
