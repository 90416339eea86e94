"""Deploy commands: which environments a script passes to `openstack overcloud deploy` or `openstack stack create`.

The script is read, never run. It is split into words as a shell does it, line by line; what only a shell can know
(variables, patterns, the home folder) is a finding with its line, since it may hide an environment.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from lamina.errors import Diagnostic, InputError, Severity
from lamina.sources.document_cache import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.sources.source import Source

_DEPLOY: Final = (("overcloud", "deploy"), ("tripleo", "deploy"))
_STACK: Final = (("stack", "create"), ("stack", "update"))
_ENVIRONMENT: Final = ("-e", "--environment-file", "--environment")
_SETS_PARAMETERS: Final = ("--ntp-server", "--libvirt-type", "--parameter", "--parameter-file", "-P")
_SCALES: Final = ("-scale", "-flavor")
_UNREAD: Final = ("--answers-file", "-p", "--plan-environment-file")
"""Options that name files which may name environments or set parameters in turn."""
_WITH_VALUE: Final = (
    *("--stack", "--timeout", "-t", "-r", "--roles-file", "-n", "--networks-file", "--overcloud-ssh-user"),
    *("--overcloud-ssh-key", "--overcloud-ssh-network", "--output-dir", "--override-ansible-cfg"),
    *("--config-download-timeout", "--deployment-python-interpreter", "-b", "--baremetal-deployment"),
    *("--os-cloud", "--local-ip", "--control-virtual-ip", "--standalone-role", "--deployment-user"),
)
"""Options whose values do not matter here."""


@dataclass(frozen=True, slots=True)
class ScriptWord:
    """A word of a script, and where it is."""

    text: str
    at: Origin


@dataclass(slots=True)
class DeployCommand:
    """The environments of a deploy command."""

    at: Origin
    overcloud: bool
    """Whether it is TripleO's command, which has its own templates and begins with an environment of theirs."""
    environments: list[ScriptWord] = field(default_factory=list)
    directories: list[ScriptWord] = field(default_factory=list)
    templates: ScriptWord | None = None
    template: ScriptWord | None = None
    deployed_server: bool = False
    notes: list[Note] = field(default_factory=list)
    """Notes on ignored arguments."""


class BadCommandError(Exception):
    """The script cannot be used, with the reason."""

    def __init__(self, *findings: Diagnostic) -> None:
        super().__init__(*findings)
        self.findings = findings


def read_command(source: Source) -> DeployCommand:
    """The one deploy command of a script."""
    command, findings = _only_command(source)
    if findings:
        raise BadCommandError(*findings)
    return command


def named_environments(source: Source) -> list[str]:
    """The environments that the one deploy command of a script names, as far as they can be read."""
    if b"deploy" not in source.data and b"stack" not in source.data:
        return []  # most scripts; splitting them into words takes long
    try:
        command, _ = _only_command(source)
    except (BadCommandError, InputError):
        return []
    return [word.text for word in command.environments]


def _only_command(source: Source) -> tuple[DeployCommand, list[Diagnostic]]:
    """The one deploy command of a script, and what hinders using it."""
    found = [(words, start) for words in _commands(source) if (start := _start(words)) is not None]
    if len(found) != 1:
        raise BadCommandError(_not_one(source, [words[start].at for words, start in found]))
    [(words, start)] = found
    command = DeployCommand(words[start].at, _pair(words, start) in _DEPLOY)
    return command, list(_read_options(command, words[start + 2 :]))


def _not_one(source: Source, origins: list[Origin]) -> Diagnostic:
    listed = " and ".join(f"line {origin.line}" for origin in origins)
    return Diagnostic(
        code="bad-deploy-command",
        message=f"{source.name} has {len(origins)} deploy commands ({listed})"
        if origins
        else f"there is no deploy command in {source.name}",
        at=origins[1] if origins else source.locate(0, 0),
        hint="the file must contain exactly one command `openstack overcloud deploy -e FILE ...` or "
        "`openstack stack create`",
    )


def _pair(words: list[ScriptWord], at: int) -> tuple[str, ...]:
    return tuple(word.text for word in words[at : at + 2])


def _start(words: list[ScriptWord]) -> int | None:
    for at in range(len(words)):
        by_name = any(word.text.rpartition("/")[2] == "openstack" for word in words[:at])
        if _pair(words, at) in _DEPLOY or (by_name and _pair(words, at) in _STACK):
            return at
    return None


def _commands(source: Source) -> Iterator[list[ScriptWord]]:
    """The commands of a script as words; a backslash at the end of a line goes on, a comment does not."""
    command: list[ScriptWord] = []
    for number, line in enumerate(decode(source).replace("\r\n", "\n").split("\n")):
        is_continued = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        words_of_line, commented = _split(line[:-1] if is_continued else line)
        if words_of_line is None:
            if command or "deploy" in line:
                raise BadCommandError(_unclosed(source, number))
            continue
        at = 0
        for text in words_of_line:
            found = line.find(text, at)
            at = at if found < 0 else found
            if set(text) <= set(";|&()"):
                yield command
                command = []
            else:
                command.append(ScriptWord(text, source.locate(number, at)))
        if not is_continued or commented:
            yield command
            command = []
    yield command


def _split(line: str) -> tuple[list[str] | None, bool]:
    """The words of a line up to a comment, and whether there is one; None if a quote is not closed."""
    if line.lstrip().startswith("#"):
        return [], True
    words_of_line: list[str] = []
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";|&()<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        for text in lexer:
            if text.startswith("#"):
                return words_of_line, True
            words_of_line.append(text)
    except ValueError:
        return None, False
    return words_of_line, False


def _unclosed(source: Source, line: int) -> Diagnostic:
    return Diagnostic(
        code="bad-deploy-command",
        message="this line has an unclosed quote",
        at=source.locate(line, 0),
        hint="keep each argument of the deploy command on one line",
    )


def _read_options(command: DeployCommand, words: list[ScriptWord]) -> Iterator[Diagnostic]:
    """Read the options of a command; what hinders it are findings."""
    rest = iter(_spread(words))
    for word in rest:
        text = word.text
        if text in _ENVIRONMENT or text == "--environment-directory":
            value = next(rest, None)
            if value is None:
                yield _finding(word, f"{text} needs a file name", "add the file name after it")
                continue
            (command.directories if text == "--environment-directory" else command.environments).append(value)
            yield from _by_shell(value)
        elif text in ("-t", "--template") and not command.overcloud:
            command.template = next(rest, None)
            yield from _by_shell(command.template) if command.template else ()
        elif text in _UNREAD:
            value = next(rest, word)
            yield _finding(value, f"the file after {text} is not read", "pass its environments with -e")
        elif text in _WITH_VALUE:
            next(rest, None)
        elif text == "--deployed-server":
            command.deployed_server = True
        elif text in _SETS_PARAMETERS or text.endswith(_SCALES):
            command.notes.append(_sets_parameters(word))
            next(rest, None)
        elif text[:1] in ("$", "`"):
            yield from _by_shell(word)
    command.templates = _templates(words)
    yield from _by_shell(command.templates) if command.templates else ()


def _spread(words: list[ScriptWord]) -> Iterator[ScriptWord]:
    """The words with options and their values apart: `--option=VALUE`, `-eVALUE`."""
    for word in words:
        name, equals, value = word.text.partition("=")
        if name.startswith("--") and equals:
            yield from (ScriptWord(name, word.at), ScriptWord(value, word.at))
        elif word.text.startswith("-e") and len(word.text) > 2:
            yield from (ScriptWord("-e", word.at), ScriptWord(word.text[2:], word.at))
        else:
            yield word


def _templates(words: list[ScriptWord]) -> ScriptWord | None:
    """The folder behind `--templates`, which may be omitted."""
    spread = list(_spread(words))
    for word, value in pairwise(spread):
        if word.text == "--templates" and not value.text.startswith("-"):
            return value
    return None


def _by_shell(word: ScriptWord) -> Iterator[Diagnostic]:
    if any(each in word.text for each in "$`*?") or word.text.startswith("~"):
        yield _finding(
            word,
            f"the deploy command contains {word.text}, which only a shell can expand",
            "write out the path in a copy of the script, or pass the environments as arguments",
        )


def _finding(word: ScriptWord, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code="bad-deploy-command", message=message, at=word.at, hint=hint)


def _sets_parameters(word: ScriptWord) -> Note:
    return Diagnostic(
        code="command-parameter",
        message=f"{word.text} sets parameters, which Lamina ignores",
        at=word.at,
        hint="set the parameters in an environment file instead",
        severity=Severity.WARNING,
    )
