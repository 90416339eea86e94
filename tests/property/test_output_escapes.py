"""Whatever inputs hold, nothing in the output steers a terminal, reorders text or starts a command in a CI log."""

from __future__ import annotations

import io
import json
import os
import tempfile
import unicodedata
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from lamina._support.escapes import one_line, visible
from lamina.cli.main import main
from lamina.paths import show_key
from support.hostile_inputs import cloud_config, documents, environment, file_names, hostile, quoted, tree, write

if TYPE_CHECKING:
    from collections.abc import Iterator

JSON = ("json", "sarif", "json-patch")


class Stream(io.TextIOWrapper):
    """A stream as a program has it: what cannot be encoded cannot be printed."""

    def __init__(self) -> None:
        self._printed = io.BytesIO()
        super().__init__(self._printed, encoding="utf-8", newline="", write_through=True)

    def text(self) -> str:
        self.flush()
        return self._printed.getvalue().decode()


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run(*arguments: str) -> tuple[str, str]:
    """What a command prints to standard output and to standard error; never a traceback."""
    out, err = Stream(), Stream()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code in (0, 1, 2, 3), (arguments, err.text())
    return out.text(), err.text()


def check(*arguments: str) -> str:
    """Run a command and look at every character it prints."""
    form = arguments[arguments.index("--format") + 1] if "--format" in arguments else "text"
    out, err = run(*arguments)
    for text in (out, err):
        odd = {one for one in text if one != "\n" and unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
        assert not odd, (arguments, odd)
    for line in err.split("\n") if form == "github" else (out + err).split("\n"):
        assert not line.lstrip().startswith("::"), (arguments, line)
        assert "##[" not in line, (arguments, line)
    if form in JSON and out:
        json.loads(out)
    if form == "github":
        assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in out.splitlines())
    return out


def check_all(*inputs: str) -> str:
    """Every command that takes inputs, in every format; gives the result."""
    for form in ("text", "json"):
        check("explain", "--all", "--format", form, *inputs)
    for form in ("text", "json", "dot"):
        check("plan", "--format", form, *inputs)
    for form in ("text", "json", "sarif", "github"):
        check("lint", "--format", form, *inputs)
    for form in ("yaml", "json", "jsonl"):
        check("render", "--format", form, *inputs)
    plain, annotated = check("render", *inputs), check("render", "--annotate", *inputs)
    if plain and "\n---\n" not in plain and "--all-nodes" not in inputs:
        shown = json.loads(check("render", "--format", "json", *inputs))
        assert yaml.safe_load(annotated) == yaml.safe_load(plain) == shown
    check("nodes", *inputs)
    check("report", *inputs)
    return plain


@given(file_names, hostile, hostile, hostile)
@settings(max_examples=8, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_cloud_init(name: str, key: str, one: str, other: str) -> None:
    with tempfile.TemporaryDirectory() as folder, inside(Path(folder)):
        for place, value in (("a", one), ("b", other)):
            write(Path(folder), f"{place}/{name}", cloud_config(key, value))
        inputs = [f"./a/{name}", f"./b/{name}"]
        assert check_all(*inputs)
        check("explain", show_key(key), *inputs)
        for form in ("text", "json", "json-patch", "markdown"):
            check("diff", "--format", form, *inputs)


@given(file_names, hostile, hostile, hostile)
@settings(max_examples=8, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_heat(name: str, key: str, value: str, more: str) -> None:
    with tempfile.TemporaryDirectory() as folder, inside(Path(folder)):
        write(Path(folder), f"a{name}", environment(key, value, more))
        write(Path(folder), f"b{name}", environment(key, more, value))
        assert check_all("--dialect", "heat", f"./a{name}", f"./b{name}")


@given(file_names, hostile, hostile, hostile)
@settings(max_examples=8, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_deckhand(file: str, name: str, key: str, value: str) -> None:
    with tempfile.TemporaryDirectory() as folder, inside(Path(folder)):
        write(Path(folder), f"a{file}", documents(name, key, value))
        write(Path(folder), f"b{file}", documents(key, name, value))
        check_all("--dialect", "deckhand", f"./a{file}")
        check_all("--dialect", "deckhand", "--keep-going", "--validate", f"./a{file}")
        for form in ("text", "markdown"):
            check("diff", "--dialect", "deckhand", "--format", form, f"./a{file}", f"./b{file}")
        check("explain", "--dialect", "deckhand", "[2].schema", f"./a{file}")


@given(file_names, hostile, hostile)
@settings(max_examples=8, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_datum(name: str, key: str, value: str) -> None:
    with tempfile.TemporaryDirectory() as folder, inside(Path(folder)):
        tree(Path(folder), name, key, value)
        check("nodes", "--dialect", "datum", ".")
        check_all("--dialect", "datum", "--all-nodes", ".")
        assert check_all("--dialect", "datum", "--node", "plain", ".")
        check("explain", "--dialect", "datum", "--node", "plain", show_key(key), ".")


@given(file_names, hostile, hostile)
@settings(max_examples=8, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_fleets(name: str, node: str, value: str) -> None:
    with tempfile.TemporaryDirectory() as folder, inside(Path(folder)):
        write(Path(folder), f"x{name}", f"#cloud-config\na: {quoted(value)}\nb: [\n")
        manifest = f"dialect: cloud-init\nnodes:\n  {quoted(node)}: [{quoted('x' + name)}]\n"
        write(Path(folder), "fleet.yaml", manifest)
        check("render", "-j", "1", "fleet.yaml")
        check("render", "-j", "1", f"./x{name}")


@given(hostile.filter(lambda text: "\0" not in text), st.sampled_from(["render", "explain", "lint", "plan", "diff"]))
@settings(max_examples=20)
def test_wrong_usage(word: str, command: str) -> None:
    for arguments in (
        (word,),
        (command, word),
        (command, f"--{word}"),
        (command, f"--format={word}", "x"),
        (command, "--dialect", word, "."),
    ):
        check(*arguments)


@given(hostile)
def test_a_line_stays_a_line(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert not line.lstrip().startswith("::")
    assert visible(line) == line == one_line(line)


def test_ordinary_text_stays_as_it_is() -> None:
    for text in ("a: 1", "über größer 中文 🙂", "C:\\x", "a :: b", "# ## comment", "http://[::1]/"):
        assert one_line(text) == text


def test_a_command_for_a_build_service_is_defused() -> None:
    assert one_line("a\n::error::x") == "a\\n::error::x"
    assert one_line("  ::error::x") == "  \\x3a:error::x"
    assert one_line("at ##[error]x") == "at #\\x23[error]x"
    assert one_line("##vso[task]x") == "#\\x23vso[task]x"
