"""References between values: `${service.port}` in a string is replaced by the value at that path of the result.

They are resolved when all layers are merged, so that a reference of a lower layer reads what a higher one sets. A
string that is nothing but a reference becomes the value itself, of whatever type; in a longer string the value must be
a string, a number or a boolean. `$${` is a plain `${`. Nothing is evaluated but paths.

A resolved value comes from two locations: the string with the reference, and what it reads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf
from lamina.plugin import operators as lpo

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK: Final = "${"
MAX_CHAIN: Final = 100
"""How many references may lead from one to the next."""
_REFERENCE = re.compile(r"\$\$\{|\$\{([^{}]*)\}|\$\{")
_SHOWN = 60


@dataclass(slots=True, kw_only=True, eq=False)
class Resolve(lpo.Step):
    """Replaces the references in the strings of an output."""

    def apply(self, context: lpo.StepContext) -> lp.Node:
        resolution = _Resolution(context.node, context.run)
        overlay = resolution.overlay()
        if resolution.findings:
            raise lpo.StepFailure(*resolution.findings)
        return context.node if overlay is None else lpo.merged_into(context, overlay, FILL)


def resolve_step() -> Resolve:
    """The step that resolves the references of an output."""
    return Resolve(directive=lp.Directive("references"), verb="resolved")


class _Fill:
    """Puts resolved values where their strings were: the new side holds only what changes, by key or position."""

    name = "fill in"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        if not isinstance(new, _Changes):
            return lpo.NEW
        run.build(len(old), len(old) * 8)
        inside = {key: self.apply(old[key], each, policy, (trail, key, key), run) for key, each in new.items()}
        values = {key: new[key] if delta is lpo.NEW else delta.value for key, delta in inside.items()}
        if isinstance(old, dict):
            return lpo.MapDelta({**old, **values}, inside)
        items: list[lpo.Slice | lpo.Delta] = []
        done = 0
        for position, delta in inside.items():
            items.append(lpo.Slice("old", done, position))
            before, after = lpo.Ref(old[position], "old", (position,)), lpo.Ref(new[position], "new", (position,))
            items.append(lpo.Compose(values[position], before, after, delta))
            done = position + 1
        items.append(lpo.Slice("old", done, len(old)))
        value = [values.get(position, item) for position, item in enumerate(old)]
        return lpo.ListDelta(value, tuple(item for item in items if not _is_empty(item)))


def _is_empty(item: lpo.Slice | lpo.Delta) -> bool:
    return isinstance(item, lpo.Slice) and item.start == item.stop


FILL: Final = lp.Policy(lp.Cases.everywhere(_Fill()), "references")


class _Changes(dict[Any, Any]):
    """The parts of a mapping, or by position of a list, that change."""


class _Unresolvable(Exception):
    """A reference cannot be resolved; the finding is noted already."""


class _Resolution:
    """All references of one result."""

    def __init__(self, root: lp.Node, run: lp.Run) -> None:
        self._root = root
        self._run = run
        self._known: dict[lp.Path, lp.Node | None] = {}
        """What strings and whole values were resolved to; None for those that cannot be."""
        self._open: list[lp.Path] = []
        """The strings that are being resolved, each for the one before it."""
        self._sizes: dict[int, tuple[Any, int]] = {}
        self.findings: list[lp.Diagnostic] = []

    def overlay(self) -> lp.Node | None:
        """All values that change, each at its path; None if none does."""
        return self._changed(self._root.value, ())

    def _changed(self, value: Any, path: lp.Path) -> lp.Node | None:
        if isinstance(value, str):
            return self._of_string(value, path) if MARK in value else None
        parts: dict[Any, lp.Node] = {}
        self._run.charge(1 + len(value))
        for key, each in _members(value):
            if isinstance(each, (dict, list)) or (isinstance(each, str) and MARK in each):
                changed = self._changed(each, (*path, key))
                if changed is not None:
                    parts[key] = changed
        return lp.gathered(parts, _Changes) if parts else None

    def _of_string(self, text: str, path: lp.Path) -> lp.Node | None:
        if path in self._known:
            return self._known[path]
        if path in self._open:
            self._cycle(path)
            return None
        self._open.append(path)
        try:
            if len(self._open) > MAX_CHAIN:
                self._report(
                    path,
                    "reference-too-deep",
                    f"a chain of more than {MAX_CHAIN} references",
                    "refer to the value itself",
                )
                raise _Unresolvable
            found: lp.Node | None = self._filled(text, path)
        except _Unresolvable:
            found = None
        finally:
            self._open.pop()
        self._known[path] = found
        return found

    def _filled(self, text: str, path: lp.Path) -> lp.Node:
        written, *more = lpf.written_for(self._root.at(path))
        only_reference = _REFERENCE.fullmatch(text)
        if only_reference is not None and only_reference[1] is not None:
            read = self._read(only_reference[1], path)
            self._charge(read.value)
            return lpf.MadeFrom(read.value, (read,), "reference", same=True).node(written, path)
        out: list[str] = []
        nodes: list[lp.Node] = []
        at = 0
        for match in _REFERENCE.finditer(text):
            out.append(text[at : match.start()])
            at = match.end()
            if match[0] == "$${":
                out.append(MARK)
            elif match[1] is None:
                self._report(
                    path,
                    "bad-reference",
                    f"a reference in {_short(text)} has no closing brace",
                    "write ${a.b}, or $${ for a plain ${",
                )
                raise _Unresolvable
            else:
                nodes.append(self._read(match[1], path))
                out.append(self._text(nodes[-1].value, match[1], path))
        out.append(text[at:])
        filled = "".join(out)
        self._run.charge(len(filled))
        return lpf.MadeFrom(filled, (*more, *nodes), "references").node(written, path)

    def _read(self, name: str, path: lp.Path) -> lp.Node:
        """The resolved value at the path that a reference names."""
        try:
            requested = lp.parse_path(name.strip())
        except lp.UsageError as error:
            self._report(path, "bad-reference", error.diagnostic.message, error.diagnostic.hint or "")
            raise _Unresolvable from None
        target = lp.resolve_path(requested, self._root.value)
        value = lp.walk(self._root.value, target)
        if not target or value is lp.MISSING:
            self._report(
                path,
                "unknown-reference",
                f"${{{name}}} names nothing: no layer sets {lp.show(requested)}",
                self._suggestion(requested),
            )
            raise _Unresolvable
        return self._container(value, target)

    def _container(self, value: Any, path: lp.Path) -> lp.Node:
        """The value at a path with all references in it resolved."""
        if isinstance(value, str):
            if MARK not in value:
                return self._root.at(path)
            found = self._of_string(value, path)
            if found is None:
                raise _Unresolvable
            return found
        if not isinstance(value, (dict, list)):
            return self._root.at(path)
        if path in self._known:
            known = self._known[path]
            if known is None:
                raise _Unresolvable
            return known
        self._run.charge(1 + len(value))
        parts = {key: self._container(each, (*path, key)) for key, each in _members(value)}
        changed = any(parts[key].value is not each for key, each in _members(value))
        node = lp.gathered(parts, lp.items_of if isinstance(value, list) else dict) if changed else self._root.at(path)
        self._known[path] = node
        return node

    def _text(self, value: Any, name: str, path: lp.Path) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (str, int, float)):
            return str(value)
        self._report(
            path,
            "reference-not-text",
            f"${{{name}}} is {lp.word_for(value)}, which cannot be part of a string",
            "refer to a string, a number or a boolean, or make the reference the whole string",
        )
        raise _Unresolvable

    def _cycle(self, path: lp.Path) -> None:
        around = self._open[self._open.index(path) :]
        names = " → ".join(lp.show(each) for each in (*around, path))
        related = tuple((f"{lp.show(each)} is here", at) for each in around[1:10] if (at := self._origin(each)))
        self.findings.append(
            lp.Diagnostic(
                code="reference-cycle",
                message=f"references go round in a circle: {names}",
                at=self._origin(path),
                path=path,
                related=related,
                hint="set one of them to a value of its own",
            )
        )

    def _report(self, path: lp.Path, code: str, message: str, hint: str) -> None:
        self.findings.append(lp.Diagnostic(code=code, message=message, at=self._origin(path), path=path, hint=hint))

    def _origin(self, path: lp.Path) -> lp.Origin | None:
        return next(iter(lpx.origins_of(self._root.at(path))), None)

    def _suggestion(self, path: lp.Path) -> str:
        """The nearest path that exists, as far as the first key that does not."""
        holder, done = self._root.value, 0
        while done < len(path) - 1:
            inside = lp.walk(holder, lp.resolve_path(path[done : done + 1], holder))
            if inside is lp.MISSING:
                break
            holder = inside
            done += 1
        known = [str(key) for key in holder] if isinstance(holder, dict) else []
        where = lp.show(path[:done]) if done else "the result"
        if not known:
            return f"{where} is {lp.word_for(holder)}; to have a plain ${{, write $${{ or turn references off"
        suggestion = lp.did_you_mean(str(path[done]), known)
        start = " To" if suggestion.endswith("?") else "; to"
        return f"{suggestion}{start} have a plain ${{, write $${{ or turn references off"

    def _charge(self, value: Any) -> None:
        """Count one more appearance of a value, by its size when written."""
        self._run.charge(self._size(value))

    def _size(self, value: Any) -> int:
        if isinstance(value, str):
            return len(value)
        if not isinstance(value, (dict, list)):
            return 1
        if id(value) not in self._sizes:
            self._sizes[id(value)] = value, 1 + sum(1 + self._size(each) for _, each in _members(value))
        return self._sizes[id(value)][1]


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
