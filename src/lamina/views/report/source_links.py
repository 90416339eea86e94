"""Links to source lines: the address of a file in a web view of its repository, from a template of the caller's.

`https://host/repo/blob/{commit}/{path}#L{line}`: `{path}` is the path from the top of the git repository that holds the
inputs, or from the current folder if there is no repository; `{commit}` is the commit of the inputs. `{line}` is
left to the page. A source that is outside of that folder, or not a file at all, has no link.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from lamina.errors import Diagnostic, LaminaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

FIELDS = ("commit", "path", "line")
LINE = "{line}"
_FIELD = re.compile(r"\{(\w*)\}")


@dataclass(frozen=True, slots=True)
class SourceLinks:
    """How the sources of one side are found on the web; without a template they are not."""

    template: str = ""
    root: Path = Path()
    commit: str = ""
    on_disk: bool = True
    """Whether the sources were read from the disk; what is not a file there, such as standard input, has no link."""

    def of_all(self, sources: Iterable[str]) -> dict[str, str]:
        """The address of each source that has one, with `{line}` where the line goes."""
        found = ((source, self.of(source)) for source in sources if self.template)
        return {source: address for source, address in found if address}

    def of(self, source: str) -> str:
        """The address of a source; empty where it has none."""
        path = os.path.relpath(os.path.realpath(source), os.path.realpath(self.root))
        if not self.template or path.startswith("..") or (self.on_disk and not Path(source).is_file()):
            return ""
        fields = {"commit": quote(self.commit, safe=""), "path": quote(path.replace(os.sep, "/")), "line": LINE}
        return _FIELD.sub(lambda field: fields[field[1]], self.template)


NO_LINKS = SourceLinks()


def source_links(template: str | None, inside: Iterable[str], revision: str | None = None) -> SourceLinks:
    """Links by a template, for inputs on the disk or at a revision of the repository that one of these paths is in."""
    if not template:
        return NO_LINKS
    check_template(template)
    first = next((path for path in inside if path != "-"), ".")
    root, commit = _repository(first, revision or "HEAD", needed="{commit}" in template)
    return SourceLinks(template, root, commit, on_disk=revision is None)


def check_template(template: str) -> None:
    """Reject a template that is not an http or https URL or has unknown fields."""
    unknown = [field for field in _FIELD.findall(template) if field not in FIELDS]
    if unknown:
        raise _bad(template, f"{{{unknown[0]}}} is not a field of it")
    try:
        parts = urlsplit(template)
    except ValueError as error:
        raise _bad(template, str(error)) from None
    if parts.scheme not in ("http", "https") or not parts.netloc or "{" in parts.netloc:
        raise _bad(template, "it does not start with http:// or https:// and a host")
    if any(ord(character) <= 32 or character in "\"'<>\\`" for character in template):
        raise _bad(template, "it has a character that is not allowed in an address")


def _repository(inside: str, revision: str, *, needed: bool) -> tuple[Path, str]:
    from lamina.sources.git_inputs import Repository

    try:
        with Repository(Path(inside).absolute()) as repository:
            return repository.root, repository.commit(revision) if needed else ""
    except LaminaError:
        if needed:
            raise
        return Path.cwd(), ""


def _bad(template: str, why: str) -> UsageError:
    return UsageError(
        Diagnostic(
            code="bad-source-url",
            message=f"the source URL {template!r} cannot be used: {why}",
            hint="give an http or https address whose fields, each in braces, are commit, path and line",
        )
    )
