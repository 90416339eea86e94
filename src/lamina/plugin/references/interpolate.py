"""Filling in the references of an output when everything is merged.

What a reference reads may have references itself, also on the way to it; each is resolved when it is first needed, on
the merged result. A string that is nothing but a reference becomes the value itself, of whatever type; in a longer
string the value must be one that can be text. A value that was filled in comes from the string with the reference and
from what that reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.engine.plan import Directive, Step
from lamina.engine.provenance import origins_of
from lamina.engine.step_context import StepFailure
from lamina.errors import Message, Severity, UsageError
from lamina.paths import MISSING, child, resolve_path, walk
from lamina.plugin.references.chain import Chain
from lamina.plugin.references.filled_in import FILLED_IN, Changes
from lamina.plugin.references.notation import Reference, References, UnclosedReference
from lamina.plugin.toolkit import MadeFrom, did_you_mean, gathered, items_of, merged_into, written_for
from lamina.values import Tagged, Unknown, word_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.engine.node import Node
    from lamina.engine.step_context import StepContext
    from lamina.errors import Diagnostic
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.run import Run

LONGEST_CHAIN: Final = 100
"""How many references may lead from one to the next."""
_SHOWN: Final = 60

_UNCLOSED: Final = Message("bad-reference", "a reference in {text} has no closing {name}", "write {example}{plain}")
_NO_PATH: Final = Message("bad-reference", "{problem}")
_UNKNOWN: Final = Message("unknown-reference", "{written} names nothing: no layer sets {name}")
_KEPT: Final = Message(
    "unknown-reference", "{written} stays as it is: no layer sets {name}", severity=Severity.INFO, error_if_strict=True
)
_NOT_TEXT: Final = Message(
    "reference-not-text",
    "{written} is {kind}, which cannot be part of a string",
    "refer to a string, a number or a boolean, or make the reference the whole string",
)
_TOO_DEEP: Final = Message("reference-too-deep", "a chain of more than {most} references", "refer to the value itself")
_CYCLE: Final = Message(
    "reference-cycle", "references go round in a circle: {names}", "set one of them to a value of its own"
)
_CLOSING: Final = {"}": "brace", ")": "parenthesis", "]": "bracket"}


def interpolate(references: References, path: Path = (), by: str = "references") -> Step:
    """The step that fills in the references in an output, or in the part of it at a path, which names start from."""
    return Interpolate(directive=Directive(by), verb="resolved", references=references, path=path)


@dataclass(slots=True, kw_only=True, eq=False)
class Interpolate(Step):
    """Fills in the references in the strings of an output."""

    references: References
    path: Path = ()

    def apply(self, context: StepContext) -> Node:
        whole = context.node
        if walk(whole.value, self.path) is MISSING:
            return whole
        resolution = _Resolution(whole.at(self.path), self.references, self.path, context.run)
        changes = resolution.changes()
        context.folded.notes.extend(resolution.remarks)
        if resolution.findings:
            raise StepFailure(*resolution.findings)
        if changes is None:
            return whole
        for key in reversed(self.path):
            changes = gathered({key: changes}, Changes)
        return merged_into(context, changes, FILLED_IN)


class _Unresolvable(Exception):
    """A reference cannot be resolved; the finding is noted already."""


class _HoleError(Exception):
    """A part of a text is not known."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown)
        self.unknown = unknown


class _Resolution:
    """All references below a value, of which `base` is the path in the output."""

    def __init__(self, root: Node, references: References, base: Path, run: Run) -> None:
        self._root = root
        self._references = references
        self._base = base
        self._run = run
        self._resolved: dict[Path, Node | None] = {}
        """What strings and whole values were resolved to; None for those that cannot be."""
        self._chain: Chain[Path] = Chain(LONGEST_CHAIN, self._cycle, self._too_deep)
        """The strings that are being resolved, each for the one before it."""
        self._sizes: dict[int, tuple[Any, int]] = {}
        self.findings: list[Diagnostic] = []
        self.remarks: list[Diagnostic] = []
        """What is said of references that stay as they are."""

    def changes(self) -> Node | None:
        """All values that change, each at its path; None if none does."""
        return self._changed(self._root.value, ())

    def _changed(self, value: Any, path: Path) -> Node | None:
        if isinstance(value, str):
            return self._of_string(value, path) if self._references.holds(value) else None
        if not isinstance(value, (dict, list)):
            return None
        parts: dict[Any, Node] = {}
        self._run.charge(1 + len(value))
        for key, each in _members(value):
            if isinstance(each, (dict, list)) or self._references.holds(each):
                changed = self._changed(each, (*path, key))
                if changed is not None:
                    parts[key] = changed
        return gathered(parts, Changes) if parts else None

    # Strings

    def _of_string(self, text: str, path: Path) -> Node | None:
        """What the string at a path is with its references filled in; None if they cannot be."""
        if path in self._resolved:
            return self._resolved[path]
        try:
            with self._chain.under(path):
                filled: Node | None = self._filled(text, path)
        except _Unresolvable:
            filled = None
        self._resolved[path] = filled
        return filled

    def _filled(self, text: str, path: Path) -> Node:
        nodes_of_text: list[Node] = [*written_for(self._root.at(path))] or [self._root.at(path)]
        written, *more = nodes_of_text
        parts = self._parts(text, path)
        whole = (*self._base, *path)
        if len(parts) == 1 and isinstance(parts[0], Reference):
            nodes: list[Node] = []
            read = self._read(parts[0], path, nodes)
            if read is None:
                return self._root.at(path)
            self._run.charge(self._size(read.value))
            if nodes:  # what its name was made of
                return MadeFrom(read.value, (*more, *nodes, read), "reference").node(written, whole)
            return MadeFrom(read.value, (read,), "reference", same=True).node(written, whole)
        nodes = []
        try:
            filled: Any = self._joined(parts, path, nodes)
        except _HoleError as hole:
            filled = Unknown(hole.unknown.reason, hole.unknown.at, text)
        self._run.charge(self._size(filled))
        return MadeFrom(filled, (*more, *nodes), "references").node(written, whole)

    def _parts(self, text: str, path: Path) -> list[str | Reference]:
        try:
            return list(self._references.parts(text))
        except UnclosedReference:
            notation = self._references
            plain = f", or {notation.escape}{notation.open} for a plain {notation.open}" if notation.escape else ""
            name, shown = _CLOSING.get(notation.close, notation.close), _short(text)
            at, example = self._origin(path), notation.example
            self._report(_UNCLOSED.at(at, self._path(path), text=shown, name=name, example=example, plain=plain))
            raise _Unresolvable from None

    def _joined(self, parts: Sequence[str | Reference], path: Path, nodes: list[Node]) -> str:
        """The text of all parts; what they read is added to the nodes."""
        return "".join(part if isinstance(part, str) else self._text(part, path, nodes) for part in parts)

    def _text(self, reference: Reference, path: Path, nodes: list[Node]) -> str:
        read = self._read(reference, path, nodes)
        if read is None:
            return reference.written
        nodes.append(read)
        if isinstance(read.value, Tagged):
            reason = f"{reference.written} is a value with the tag {read.value.tag}, whose text is not known"
            raise _HoleError(Unknown(reason, self._origin(path)))
        if isinstance(read.value, Unknown):
            raise _HoleError(read.value)
        text = self._references.text(read.value)
        if text is None:
            kind = word_for(read.value)
            at = self._origin(path)
            self._report(_NOT_TEXT.at(at, self._path(path), written=reference.written, kind=kind))
            raise _Unresolvable
        return text

    # What references read

    def _read(self, reference: Reference, path: Path, nodes: list[Node]) -> Node | None:
        """The resolved value that a reference names; None if there is none and the reference stays. What the name was
        made of is added to the nodes."""
        name = self._joined(reference.name, path, nodes)
        try:
            requested = self._references.path(name)
        except UsageError as error:
            if self._references.missing != "reject":
                return None
            problem, hint = error.diagnostic.message, error.diagnostic.hint or ""
            self._report(_NO_PATH.at(self._origin(path), self._path(path), problem=problem, hint=hint))
            raise _Unresolvable from None
        found = self._at(requested) if requested else None
        if found is None and self._references.missing != "keep":
            shown, hint = self._references.shown(requested), self._suggestion(requested)
            at, written = self._origin(path), reference.written
            if self._references.missing == "remark":
                self.remarks.append(_KEPT.at(at, self._path(path), written=written, name=shown, hint=hint))
                return None
            self._report(_UNKNOWN.at(at, self._path(path), written=written, name=shown, hint=hint))
            raise _Unresolvable
        return found

    def _at(self, requested: Path) -> Node | None:
        """The resolved value at a path; the way to it may lead through references."""
        value: Any = self._root.value
        path: Path = ()
        for depth, key in enumerate(requested):
            if self._references.holds(value):
                on_the_way = self._resolved_at(value, path)
                inside = on_the_way.at(resolve_path(requested[depth:], on_the_way.value))
                return None if inside.value is MISSING else inside
            (step,) = resolve_path((key,), value)
            value, path = child(value, step), (*path, step)
        return None if value is MISSING else self._resolved_at(value, path)

    def _resolved_at(self, value: Any, path: Path) -> Node:
        """The value at a path with all references in it resolved."""
        if isinstance(value, str):
            if not self._references.holds(value):
                return self._root.at(path)
            found = self._of_string(value, path)
        elif not isinstance(value, (dict, list)):
            return self._root.at(path)
        else:
            if path not in self._resolved:
                self._resolved[path] = self._whole(value, path)
            found = self._resolved[path]
        if found is None:
            raise _Unresolvable
        return found

    def _whole(self, value: Any, path: Path) -> Node:
        self._run.charge(1 + len(value))
        parts = {key: self._resolved_at(each, (*path, key)) for key, each in _members(value)}
        if all(parts[key].value is each for key, each in _members(value)):
            return self._root.at(path)
        return gathered(parts, items_of if isinstance(value, list) else dict)

    def _size(self, value: Any) -> int:
        """How large a value is when it is written, since references to references grow fast."""
        if isinstance(value, str):
            return len(value)
        if not isinstance(value, (dict, list)):
            return 1
        if id(value) not in self._sizes:
            self._sizes[id(value)] = value, 1 + sum(1 + self._size(each) for _, each in _members(value))
        return self._sizes[id(value)][1]

    # Findings

    def _cycle(self, around: Sequence[Path]) -> Exception:
        names = " → ".join(map(self._references.shown, around))
        related = [(f"{self._references.shown(each)} is here", self._origin(each)) for each in around[1:-1][:9]]
        first = around[0]
        self._report(_CYCLE.at(self._origin(first), self._path(first), related=related, names=names))
        return _Unresolvable()

    def _too_deep(self, path: Path) -> Exception:
        self._report(_TOO_DEEP.at(self._origin(path), self._path(path), most=LONGEST_CHAIN))
        return _Unresolvable()

    def _report(self, finding: Diagnostic) -> None:
        self.findings.append(finding)

    def _path(self, path: Path) -> Path:
        return (*self._base, *path)

    def _origin(self, path: Path) -> Origin | None:
        return next(iter(origins_of(self._root.at(path))), None)

    def _suggestion(self, path: Path) -> str:
        """The nearest path that exists, as far as the first key that does not."""
        holder, done = self._root.value, 0
        while done < len(path) - 1:
            inside = walk(holder, resolve_path(path[done : done + 1], holder))
            if inside is MISSING:
                break
            holder = inside
            done += 1
        known = [str(key) for key in holder] if isinstance(holder, dict) else []
        plain = self._references.plain
        to_have_it = f"to have a plain {self._references.open}, {plain}" if plain else ""
        if not known:
            where = self._references.shown(path[:done]) if done else "the result"
            return f"{where} is {word_for(holder)}" + (f"; {to_have_it}" if plain else "")
        suggestion = did_you_mean(str(path[done]), known)
        if not plain:
            return suggestion
        return f"{suggestion} T{to_have_it[1:]}" if suggestion.endswith("?") else f"{suggestion}; {to_have_it}"


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
