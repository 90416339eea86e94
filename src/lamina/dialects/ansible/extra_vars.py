"""Extra variables as ansible-playbook takes them behind `-e`: KEY=VALUE, YAML or JSON, or the name of a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.ansible import yaml_values
from lamina.dialects.ansible.faults import fault
from lamina.dialects.ansible.inventory import without_magic
from lamina.dialects.ansible.variable_files import VariableFile, read_variables
from lamina.plugin import formats as lpf
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.ansible.settings import AnsibleSettings

_NAME: Final = "-e"
_CODE: Final = "extra-vars"
_ESCAPE: Final = re.compile(r"\\(?:U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|N\{[^}]+\}|[\\'\"abfnrtv])")
_BRACES: Final = {"{{": 1, "{%": 1, "{#": 1, "}}": -1, "%}": -1, "#}": -1}


def read(text: str, tree: lph.Tree, settings: AnsibleSettings, run: lp.Run) -> VariableFile | None:
    """The variables of one text; none if it is empty."""
    source = lp.Source(_NAME, text.encode("utf-8", "surrogatepass"))
    at = source.locate(0, 0)
    if not text:
        return None
    if text[0] in "/.":
        fault(_CODE, f"{text!r} is neither variables nor marked as a file", at, f"write @{text} for a file")
    if text[0] == "@":
        return _file(text[1:], tree, settings, run)
    if text[0] in "{[":
        return VariableFile(_NAME, _mapping(source, settings, run))
    return VariableFile(_NAME, _assignments(source, text))


def _file(name: str, tree: lph.Tree, settings: AnsibleSettings, run: lp.Run) -> VariableFile:
    path = lph.within(name)
    file = None if path is None else tree.read(path)
    if file is None:
        hint = "the path starts at the input folder, and stays in it"
        fault("missing-file", f"there is no file {name} with extra variables", None, hint)
    if yaml_values.is_encrypted(file):
        return VariableFile(file.name, is_encrypted=True)
    return VariableFile(file.name, _mapping(file, settings, run))


def _mapping(source: lp.Source, settings: AnsibleSettings, run: lp.Run) -> lp.SourceNode:
    node, _ = read_variables(source, settings, run)
    if not isinstance(node.value, dict):
        what = lp.word_for(node.value)
        fault(_CODE, f"extra variables must be a mapping, not {what}", node.origin(), "write KEY=VALUE or a mapping")
    return without_magic(node)


def _assignments(source: lp.Source, text: str) -> lp.SourceNode:
    """KEY=VALUE, once or several times; all values are texts."""
    positions = lpf.PositionMap(source.locate)
    index = positions.add(0, 0)
    members: dict[str, tuple[int, int]] = {}
    value: dict[str, str] = {}
    rest: list[str] = []
    for start, word in _words(text, source):
        decoded = _ESCAPE.sub(lambda match: match[0].encode().decode("unicode-escape"), word)
        equals = _equals(decoded)
        if equals is None:
            rest.append(decoded.replace("\\=", "=") if "=" in decoded else word)
            continue
        name = decoded[:equals].strip()
        value[name] = _unquoted(decoded[equals + 1 :].strip())
        line, column = text.count("\n", 0, start), start - text.rfind("\n", 0, start) - 1
        members[name] = positions.add(line, column), positions.add(line, column)
    if rest:
        value["_raw_params"] = " ".join(rest)
        members["_raw_params"] = positions.add(0, 0), positions.add(0, 0)
    positions.close(index)
    positions.members[index] = members
    return without_magic(lp.SourceNode(value, (), positions, index, _NAME))


def _equals(word: str) -> int | None:
    """The place of the first sign that is neither in front nor behind a backslash."""
    places = (at for at in range(1, len(word)) if word[at] == "=" and word[at - 1] != "\\")
    return next(places, None)


def _words(text: str, source: lp.Source) -> Iterator[tuple[int, str]]:
    """The words between blanks and line breaks outside of quotes and templates, with where each starts."""
    start, quote, depth, at = 0, "", 0, 0
    while at < len(text):
        each = text[at]
        if each in "'\"" and (at == 0 or text[at - 1] != "\\"):
            quote = "" if quote == each else quote or each
        elif text[at : at + 2] in _BRACES:
            depth = max(0, depth + _BRACES[text[at : at + 2]])
            at += 1
        elif each in " \n" and not quote and not depth:
            if at > start:
                yield start, text[start:at]
            start = at + 1
        at += 1
    if quote or depth:
        what = "a quote" if quote else "a template"
        fault(_CODE, f"{what} in the extra variables is not closed", source.locate(0, start), "close it")
    if start < len(text):
        yield start, text[start:]


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[-2] != "\\":
        return text[1:-1]
    return text
