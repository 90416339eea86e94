"""Cloud-config that another program fills in first: templates of Terraform, Go, a shell, Jinja without cloud-init's
header.

They are recognised by the ending of the file, by their directives where the text is no YAML as it is, or because a
value is nothing but `${NAME}`. A value with a hole is unknown; so is what stands between a condition (or loop) and its
end. Everything else is read as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lamina.dialects.cloudinit.template_marks import filled, has_mark, mark, unknown_node
from lamina.engine.node import ComputedNode, Node, SourceNode

if TYPE_CHECKING:
    from lamina.dialects.cloudinit.part_walker import Part
    from lamina.origins import Origin
    from lamina.sources.source import Source


@dataclass(frozen=True, slots=True)
class _Language:
    """How a language of templates is written: a hole; a directive, with its first word; and what its ends are."""

    name: str
    hole: re.Pattern[str]
    directive: re.Pattern[str]
    endings: tuple[str, ...]
    opens: re.Pattern[str]
    closes: re.Pattern[str]
    hint: str


TERRAFORM: Final = _Language(
    "Terraform",
    re.compile(r"(?<!\$)\$\{[^}\n]*\}"),
    re.compile(r"%\{~?\s*(\w+)[^}\n]*\}"),
    (".tftpl", ".tpl", ".tmpl"),
    re.compile(r"if|for"),
    re.compile(r"endif|endfor"),
    "terraform console prints what templatefile makes of it",
)
GO: Final = _Language(
    "Go",
    re.compile(r"\{\{-?\s*[^{}\n]*\}\}"),
    re.compile(r"\{\{-?\s*(if|else|end|range|with|define|block|template)\b[^{}\n]*\}\}"),
    (".gotmpl", ".tpl", ".tmpl"),
    re.compile(r"if|range|with|define|block"),
    re.compile(r"end"),
    "render it first",
)
JINJA: Final = _Language(
    "Jinja",
    re.compile(r"\{\{[^{}\n]*\}\}"),
    re.compile(r"\{%[-+]?\s*(\w+)[^%\n]*%\}"),
    (".j2", ".jinja", ".jinja2"),
    re.compile(r"if|for|macro|block|filter|call"),
    re.compile(r"end\w+"),
    "render it first; cloud-init renders it itself if the first line is ## template: jinja",
)
SHELL: Final = _Language(
    "a shell",
    re.compile(r"(?<!\\)\$\{[^}\n]*\}"),
    re.compile(r"(?!)"),
    (),
    re.compile(r"(?!)"),
    re.compile(r"(?!)"),
    "envsubst, or the script that it is a part of, fills it in",
)
_LANGUAGES: Final = (TERRAFORM, JINJA, GO)
_FILLED_IN: Final = re.compile(r"(?:\$\{[A-Za-z_][\w.]*\})+")
_OWN: Final = ("apt", "bootcmd", "final_message", "phone_home", "runcmd", "yum_repos", "zypper")
"""The keys in whose values such a name may be for cloud-init, a package manager or a shell of the instance."""


_Block: TypeAlias = tuple[int, int, str]
"""The lines of a condition or loop, from its beginning to its end (from zero), and what it says."""


@dataclass(frozen=True, slots=True)
class ForeignTemplate:
    """A part that is a template of another program, with marks in the place of what it fills in."""

    language: str
    hint: str
    source: Source
    expressions: tuple[str, ...]
    blocks: tuple[_Block, ...]
    inserted: tuple[tuple[int, str], ...]
    """The lines that stand for any others, and what they say."""

    def known(self, node: SourceNode) -> Node:
        """What is known of the body."""
        if not self.expressions and not self.blocks:
            return node
        open_keys = self._open_keys(node)
        known = self._part(node, None)
        if not open_keys:
            return known
        parts = {key: known.child(key) for key in known.value}
        for key, said in open_keys.items():
            reason = f"{said} is filled in by {self.language}, and may be a part of it"
            parts[key] = unknown_node(node.child(key), reason, None, self.hint)
        return ComputedNode.of_parts({key: part.value for key, part in parts.items()}, node.path, parts)

    def _open_keys(self, node: SourceNode) -> dict[Any, str]:
        """The keys of the body in whose values there is a line that stands for others, and what that says."""
        lines = {key: at.line - 1 for key in node.value if (at := node.key_origin(key)) is not None}
        found: dict[Any, str] = {}
        for number, said in self.inserted:
            before = [key for key, line in lines.items() if line < number]
            if before:
                found[max(before, key=lambda key: lines[key])] = said
        return found

    def _part(self, node: SourceNode, outer: _Block | None) -> Node:
        """What is known of a value whose key or item is in a block, or in none."""
        value = node.value
        if isinstance(value, str):
            return self._hole(node, value) if has_mark(value) else node
        if isinstance(value, dict):
            hole = next((key for key in value if isinstance(key, str) and has_mark(key)), None)
            if hole is not None:
                return self._hole(node, hole)
            parts = {key: self._member(node, key, outer) for key in value}
        elif isinstance(value, list):
            items = [node.child(at) for at in range(len(value))]
            blocks = [self._block_at(each.origin()) for each in items if isinstance(each, SourceNode)]
            block = next((each for each in blocks if each not in (None, outer)), None)
            if block is not None:
                return self._undecided(node, block)
            parts = {at: self._inside(each, outer) for at, each in enumerate(items)}
        else:
            return node
        if all(part.value is node.child(key).value for key, part in parts.items()):
            return node
        values = {key: part.value for key, part in parts.items()}
        made: Any = values if isinstance(value, dict) else list(values.values())
        return ComputedNode.of_parts(made, node.path, parts)

    def _member(self, node: SourceNode, key: Any, outer: _Block | None) -> Node:
        block = self._block_at(node.key_origin(key))
        if block is not None and block != outer:
            return self._undecided(node.child(key), block)
        return self._inside(node.child(key), outer)

    def _inside(self, node: Node, outer: _Block | None) -> Node:
        return self._part(node, outer) if isinstance(node, SourceNode) else node

    def _block_at(self, at: Origin | None) -> _Block | None:
        """The innermost block that a place is in."""
        inside = [each for each in self.blocks if at is not None and each[0] < at.line - 1 < each[1]]
        return inside[-1] if inside else None

    def _hole(self, node: Node, text: str) -> Node:
        whole, names = filled(text, self.expressions)
        return unknown_node(node, f"{', '.join(names)} is filled in by {self.language}", whole, self.hint)

    def _undecided(self, node: Node, block: _Block) -> Node:
        return unknown_node(node, f"it depends on {block[2]}, which {self.language} decides", None, self.hint)


def is_filled_in(value: Any) -> bool:
    """Whether a body that can be read has a value that is nothing but names to fill in."""
    pending = [each for key, each in value.items() if key not in _OWN] if isinstance(value, dict) else []
    seen: set[int] = set()  # a container may be in several places, many times over
    while pending:
        each = pending.pop()
        if isinstance(each, str) and _FILLED_IN.fullmatch(each):
            return True
        if isinstance(each, (dict, list)) and id(each) not in seen:
            seen.add(id(each))
            pending += each.values() if isinstance(each, dict) else each
    return False


def foreign_template(part: Part, *, is_yaml: bool, is_filled: bool) -> ForeignTemplate | None:
    """The template that a part is, if it is one; `is_yaml` says that it can be read as it is, `is_filled` that it has a
    value which is nothing but names to fill in."""
    text = part.source.data.decode("utf-8", "surrogateescape")
    language = _language_of(part.source.name.lower(), text, is_yaml=is_yaml)
    if language is None and is_filled:
        language = SHELL if all(hole[2:-1].isupper() for hole in SHELL.hole.findall(text)) else TERRAFORM
    return None if language is None else _marked(part, text, language)


def _language_of(name: str, text: str, *, is_yaml: bool) -> _Language | None:
    """The language of a template: by its directives, else by its holes; only its name speaks for what can be read."""
    with_directives = [each for each in _LANGUAGES if each.directive.search(text)]
    with_holes = [each for each in (TERRAFORM, GO, JINJA) if each.hole.search(text)]
    if GO in with_holes and not _GO_NAME.search(text):
        with_holes.remove(GO)
    found = [*with_directives, *with_holes]
    if not is_yaml:
        return found[0] if with_directives or any(_breaks(each, text) for each in with_holes) else None
    return next((each for each in found if name.endswith(each.endings)), None)


_GO_NAME: Final = re.compile(r"\{\{-?\s*[.$]")


def _breaks(language: _Language, text: str) -> bool:
    """Whether a hole stands for whole lines, or where YAML sees a mapping."""
    return language is not TERRAFORM or any(language.hole.fullmatch(line.strip()) for line in text.splitlines())


def _marked(part: Part, text: str, language: _Language) -> ForeignTemplate:
    expressions: list[str] = []
    blocks: list[_Block] = []
    open_blocks: list[tuple[int, str]] = []
    inserted: list[tuple[int, str]] = []
    lines = text.split("\n")
    for number, line in enumerate(lines):
        for directive in language.directive.finditer(line):
            if language.closes.fullmatch(directive[1]) and open_blocks:
                start, said = open_blocks.pop()
                blocks.append((start, number, said))
            elif language.opens.fullmatch(directive[1]):
                open_blocks.append((number, directive[0]))
        rest = language.directive.sub("", line)
        if language.hole.fullmatch(rest.strip()):
            inserted.append((number, rest.strip()))
            expressions.append(rest.strip())
            rest = ""
        lines[number] = "" if not rest.strip() else _with_marks(rest, language, expressions)
    blocks += [(start, len(lines), said) for start, said in open_blocks]
    source = replace(part.source, data="\n".join(lines).encode("utf-8", "surrogateescape"))
    holes, spans = tuple(expressions), tuple(sorted(blocks))
    return ForeignTemplate(language.name, language.hint, source, holes, spans, tuple(inserted))


def _with_marks(line: str, language: _Language, expressions: list[str]) -> str:
    """A line with marks in the place of what is filled in."""

    def marked(hole: re.Match[str]) -> str:
        expressions.append(hole[0])
        return mark(len(expressions) - 1)

    line = language.hole.sub(marked, line)
    return line.replace("$${", "${").replace("%%{", "%{") if language is TERRAFORM else line
