"""Words that must not appear in what people read: messages, help, documents, the page, docstrings and comments.

Each has an ordinary word in its place (fix, report, reject, string, location, again, skip, mode). Commands and
code in backquotes are not prose, and neither are codes and options, whose words are joined by dashes.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from lamina.cli.commands import COMMANDS
from lamina.cli.group import lamina
from lamina.cli.man_page import as_man_page
from support.transcripts import ROOT

WORDS = (
    *("manner", "manners", "twin", "twins", "mended", "mends", "its say", "handed on", "without ado", "at a glance"),
    *("told", "tells", "telling", "mend", "anew", "passed over", "passes over", "passing over", "pass over"),
    *("stands", "standing", "struck", "strikes", "in the clear", "begins as", "refused", "refuses", "refusal"),
    *("blob", "blobs", "found out", "once more", "spoilt"),
    *("refusals", "refusing", "settle", "settled", "settles", "memo", "memos", "calm", "speaks", "sameness"),
    *(
        "tape",
        "sweep",
        "swept",
        "lens",
        "lenses",
        "spoken",
        "stories",
        "thereby",
        "handed over",
        "handed back",
        "at hand",
    ),
    *(
        "what becomes of",
        "what became of",
        "put together",
        "gone through",
        "came or went",
        "without a word",
        "under way",
    ),
    *("without care", "as good as", "opened out", "had to say", "has to say", "nothing to say", "minds case"),
    *("spoke", "speaker", "beginnings of codes", "a processor", "exclude one another", "defect of Lamina's"),
)
_FORBIDDEN = re.compile(rf"(?<![\w-])(?:{'|'.join(WORDS)})(?![\w-])", re.IGNORECASE)
_SOURCES = ("src", "tests", "bench", "examples", "docs")
_C_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
_NOT_OURS = re.compile(r"`[^`\n]+`|https?://\S+|Connection refused")
"""Code, addresses, and what the operating system says."""


def documents() -> list[Path]:
    """All that is written for people; messages are in the console blocks of tests/messages."""
    folders = ("docs", "examples", "tests/messages", "changelog.d")
    return [*sorted(ROOT.glob("*.md")), *(path for each in folders for path in sorted((ROOT / each).rglob("*.md")))]


def sources() -> list[Path]:
    """The code, in all languages it is written in."""
    found = (path for folder in _SOURCES for path in (ROOT / folder).rglob("*"))
    ours = (path for path in found if path.suffix in (".py", ".c", ".h", ".js", ".css") and "_build" not in path.parts)
    return sorted(ours)


def prose(path: Path) -> str:
    """The docstrings and comments of a file, each on its own line of an otherwise empty text."""
    text = path.read_text()
    spans = _python_prose(text) if path.suffix == ".py" else _comments(text)
    lines = [""] * (text.count("\n") + 1)
    for first, written in spans:
        for number, line in enumerate(written.split("\n"), first):
            lines[number - 1] += line
    return "\n".join(lines)


def _comments(text: str) -> Iterator[tuple[int, str]]:
    for found in _C_COMMENT.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[0]


def _python_prose(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def offences(text: str) -> list[str]:
    """The lines with words that must not appear, each with its number."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if not line.startswith("$ ")]
    return [f"{number}: {line}" for number, line in lines if _FORBIDDEN.search(_NOT_OURS.sub("", line))]


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command, those in groups too."""
    for name in COMMANDS:
        command = lamina.get_command(click.Context(lamina), name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", found) for inner, found in command.commands.items())


def test_offences_are_found() -> None:
    assert offences(f"fine\nin this {WORDS[0]}\n`{WORDS[0]}` is code, and x-{WORDS[0]} is a code") == [
        f"2: in this {WORDS[0]}"
    ]


def test_docstrings_and_comments_are_found(tmp_path: Path) -> None:
    python, c = tmp_path / "a.py", tmp_path / "a.c"
    python.write_text(f'"""One\n{WORDS[0]}."""\nx = "{WORDS[0]}"  # {WORDS[1]}\n')
    c.write_text(f'char *x = "{WORDS[0]}"; /* {WORDS[1]} */\n// {WORDS[0]}\n')
    assert offences(prose(python)) == [f"2: {WORDS[0]}.", f"3: # {WORDS[1]}"]
    assert offences(prose(c)) == [f"1: /* {WORDS[1]} */", f"2: // {WORDS[0]}"]


@pytest.mark.parametrize("folder", sorted({path.parent.relative_to(ROOT).as_posix() for path in sources()}))
def test_no_docstring_or_comment_has_them(folder: str) -> None:
    here = [path for path in sources() if path.parent == ROOT / folder]
    assert [f"{path.name}:{line}" for path in here for line in offences(prose(path))] == []


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_document_has_them(path: Path) -> None:
    assert offences(path.read_text()) == []


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=lambda item: item if isinstance(item, str) else "")
def test_no_help_has_them(name: str, command: click.Command) -> None:
    context = click.Context(command, info_name=name)
    assert offences(command.get_help(context)) == []
    assert offences(COMMANDS[name][1] if name in COMMANDS else "") == []


_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`')
_FILLED = re.compile(r"\$\{[^}]*\}")
_DESCRIPTION = re.compile(r'"description": "(.*)"')


@pytest.mark.parametrize("path", sorted((ROOT / "src/lamina/views/report/page").iterdir()), ids=lambda path: path.name)
def test_no_label_of_the_page_has_them(path: Path) -> None:
    text = path.read_text()
    if path.suffix == ".js":
        text = "\n".join(_FILLED.sub("", literal[1:-1]) for literal in _LITERAL.findall(text))
    assert offences(text) == []


def test_no_schema_has_them() -> None:
    found = [(path, text) for path in (ROOT / "src").rglob("*.json") for text in _DESCRIPTION.findall(path.read_text())]
    assert len(found) > 50
    assert [(path.name, text) for path, text in found if offences(text)] == []


def test_the_man_page_has_none() -> None:
    assert offences(as_man_page()) == []


def test_the_address_of_the_repository_is_one_variable() -> None:
    """It is set in one place, `docs/conf.py`, and nobody copies an address that leads nowhere."""
    for path in documents():
        assert "OWNER/" not in path.read_text(), path
        assert "example.com/lamina" not in path.read_text(), path
    assert any("LAMINA_REPOSITORY" in path.read_text() for path in documents())
    assert 'environ.get("LAMINA_REPOSITORY"' in (ROOT / "docs/conf.py").read_text()
