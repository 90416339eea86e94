"""The result of rendering: a value, the history of every part of it, and notes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any

from lamina.budget import check_shown
from lamina.engine.step_context import Ledger
from lamina.errors import UsageError
from lamina.paths import MISSING, Path, parse, resolve_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lamina.engine.history import Event, History
    from lamina.engine.node import Node
    from lamina.engine.plan import Plan, ResultSpec
    from lamina.engine.step_context import Folded
    from lamina.errors import Note
    from lamina.protocol.dialect import Dialect
    from lamina.protocol.extensions import Explain
    from lamina.sources.yaml.writer import Writer


@dataclass(frozen=True, eq=False, init=False)
class Result:
    """The result of a render.

    With one output `value` is that output's value; with several it is the list of theirs, in order, and the first
    step of a path picks one of them.
    """

    dialect: Dialect[Any]
    options: Any
    plan: Plan
    outputs: tuple[Folded, ...]
    notes: tuple[Note, ...]
    """What there was to say on the way to the result."""
    compare: Callable[[], Iterable[Note]] = tuple
    """What there is to note when the other compatibility mode is rendered, too."""
    record: Ledger = field(default_factory=Ledger, repr=False)
    """The run: all its outputs, the hidden ones included."""
    unknown: str = "mark"
    """What stands in the place of values that are not known: one of `lamina.views.unknown.FORMS`."""

    def __init__(
        self,
        dialect: Dialect[Any],
        options: Any,
        plan: Plan,
        outputs: tuple[Folded, ...],
        notes: tuple[Note, ...],
        compare: Callable[[], Iterable[Note]] = tuple,
        record: Ledger | None = None,
        unknown: str = "mark",
    ) -> None:
        # At once: a fleet makes many, and a frozen dataclass would set one field after the other, by a call each.
        fields = {
            "dialect": dialect,
            "options": options,
            "plan": plan,
            "outputs": outputs,
            "notes": notes,
            "compare": compare,
            "record": record or Ledger(),
            "unknown": unknown,
        }
        object.__setattr__(self, "__dict__", fields)

    @property
    def spec(self) -> ResultSpec:
        """What the result looks like, as the compiler stated it."""
        return self.plan.result

    @property
    def many(self) -> bool:
        """Whether the result is a list of outputs."""
        return self.plan.result.shape == "list"

    @cached_property
    def compat_notes(self) -> tuple[Note, ...]:
        """A note on each value that is another one in the other compatibility mode, which is rendered when somebody
        asks; a file that was changed meanwhile is then read as it is now."""
        return tuple(self.compare())

    def hint_on(self, event: Event) -> str | None:
        """The dialect's hint on an event of this result; all items of a list may have the same one, made once.

        A value that a layer set where nothing was needs none.
        """
        if event.verdict == "set":
            return None
        place = (event.output, event.step, event.path)
        if event.step is None or place not in self._hints:
            self._hints[place] = self._explain.hint(event, self)
        return self._hints[place]

    @property
    def gives_hints(self) -> bool:
        """Whether the dialect has a hint on any event."""
        from lamina.protocol.extensions import Explain

        return self._explain.hint is not Explain().hint

    @cached_property
    def _explain(self) -> Explain:
        from lamina.protocol.extensions import explain_of

        return explain_of(self.dialect)

    @cached_property
    def _hints(self) -> dict[tuple[Any, ...], str | None]:
        return {}

    @property
    def value(self) -> Any:
        """The plain result; a copy the caller may change."""
        from copy import deepcopy

        return deepcopy(self.plain)

    @property
    def plain(self) -> Any:
        """The plain result, sharing structure with the inputs; not to be changed."""
        # Not a `cached_property`, which takes a lock for that.
        made = self.__dict__.get("plain", MISSING)
        if made is MISSING:
            made = self.__dict__["plain"] = self._made_plain()
        return made

    def _made_plain(self) -> Any:
        return self._of_all(self._redacted if self.plan.result.secrets == "redact" else _value_of)

    @property
    def shown(self) -> Any:
        """The plain result as it may be shown beside where it comes from: secrets only if they were asked for."""
        return self._of_all(lambda output: self.shown_value(output.node))

    def _of_all(self, value_of: Callable[[Folded], Any]) -> Any:
        if self.many:
            return [self._plain(value_of(output)) for output in self.outputs]
        value = value_of(self.outputs[0]) if self.outputs else None
        return None if value is MISSING else self._plain(value)

    def _plain(self, value: Any) -> Any:
        if self.unknown != "mark":
            from lamina.views.unknown import without_unknown

            value = without_unknown(value, self.unknown)
        return value if self.spec.key_type is None else _as_written(value)

    def _redacted(self, output: Folded) -> Any:
        from lamina.views.redaction import Redactor

        return Redactor().redacted(output.node)

    @property
    def hides_secrets(self) -> bool:
        """Whether secrets are hidden wherever values are explained."""
        return self.spec.secrets != "show"

    def shown_value(self, node: Node) -> Any:
        """What may be shown of a node's value; dialects with secrets have an option to show them."""
        return self._value_filter()(node)

    def _value_filter(self) -> Callable[[Node], Any]:
        """Decides what may be shown of the values of nodes that share a history."""
        if self.spec.secrets in ("none", "show"):
            return _value_of
        from lamina.views.redaction import Redactor

        return Redactor().redacted

    def documents(self) -> list[tuple[str, Any]]:
        """What the result consists of, by name: its outputs, or the entries of a table of nodes."""
        plain = self.plain
        if self.spec.shape == "table":
            return [(str(name), value) for name, value in plain.items()]
        values = plain if self.many else [plain]
        return [(output.output.name, value) for output, value in zip(self.outputs, values, strict=True)]

    def to_yaml(self, *, sort_keys: bool | None = None, writer: Writer | None = None) -> str:
        """The result as YAML, written as the real program writes it; a `writer` may remember what results share."""
        if writer is None:
            from lamina.sources.yaml import writer as yaml_writer

            writer = yaml_writer.Writer(sort_keys=self.spec.sort_keys if sort_keys is None else sort_keys)
        header = self.spec.header
        return header + writer.dump_all(self.plain) if self.many else writer.dump(self.plain, header)

    def to_json(self, *, indent: int | None = 2, sort_keys: bool = False) -> str:
        """The result as JSON."""
        from lamina.sources.json import writer as json_writer

        return json_writer.dump(self.plain, indent=indent, sort_keys=sort_keys)

    def to_annotated_yaml(self, *, sort_keys: bool | None = None, guarded: bool = False) -> str:
        """The result as YAML with the origin of each value behind it, as a comment.

        With `guarded` no line of it is a command for a build service that reads the output.
        """
        from lamina.sources.yaml.annotated_writer import annotated

        sort = self.spec.sort_keys if sort_keys is None else sort_keys
        if not self.outputs:
            return self.to_yaml(sort_keys=sort_keys)
        shown = self.shown if self.many else [self.shown]
        check_shown(*shown)
        texts = [
            annotated(value, self._comments(output.node), sort_keys=sort, guarded=guarded)
            for value, output in zip(shown, self.outputs, strict=True)
        ]
        return self.spec.header + "---\n".join(texts)

    def _comments(self, node: Node) -> Callable[[Path], str | None]:
        """What to write behind the value at a path of an output."""
        from lamina._support.escapes import one_line
        from lamina.engine.walk import walk

        comments = {
            part.path: one_line(", ".join(f"{origin.source}:{origin.line}" for origin in part.origins()))
            for part in walk(node)
            if part.is_leaf
        }
        return lambda path: comments.get(self.keys(path)) or None

    def _plain_path(self, path: Path) -> Path:
        """A path with its keys as plain texts."""
        return (
            path if self.spec.key_type is None else tuple(str(step) if isinstance(step, str) else step for step in path)
        )

    def keys(self, path: Path) -> Path:
        """A path with its texts as the keys of this system."""
        key = self.spec.key_type
        return path if key is None else tuple(key(step) if isinstance(step, str) else step for step in path)

    def forms_of(self, path: Path) -> tuple[Path, ...]:
        """What a path may mean: the steps it has, and those it has as the system itself writes paths."""
        own = path if self.spec.own_path is None else self.spec.own_path(path)
        return (path,) if own == path else (path, own)

    def node_at(self, path: Path) -> Node:
        """The node at a path of the value."""
        path = path if self.plan.result.key_type is None else self.keys(path)
        if self.many:
            return self.outputs[path[0]].node.at(path[1:])
        return self.outputs[0].node.at(path)

    def history(self, node: Node) -> History:
        """The history of a node, with its secrets left out unless they were asked for."""
        from lamina.engine.history import history_of

        history = history_of(node, self._value_filter())
        return history if self.spec.key_type is None else history.converted(_as_written)

    def explain(self, path: str | Path) -> History:
        """The history at a path, of a value that is there or was; the caller may change the values in it."""
        return _with_own_values(self.history_at(path))

    def history_at(self, path: str | Path) -> History:
        """The history at a path, sharing structure with the inputs; not to be changed."""
        requested = self.requested_path(path) if isinstance(path, str) else path
        spec = self.plan.result
        for form in self.forms_of(requested):
            steps = resolve_path(form, self._resolved_in())
            if not self.outputs or (spec.shape == "list" and not _picks_output(steps, len(self.outputs))):
                continue
            history = self.history(self.node_at(steps))
            if history.value is not MISSING or history.events:
                history.output = self.outputs[steps[0]].output.name if self.many else None
                history.path = steps[1:] if self.many else steps  # the node may have been made elsewhere: items move
                return history
        from lamina.views.path_help import path_not_found

        raise UsageError(path_not_found(self, requested))

    def requested_path(self, text: str) -> Path:
        """A path as it is written; of several outputs, the name of one may stand in the place of its position."""
        for name, position in self._positions().items() if self.many else ():
            rest = text.removeprefix(name)
            if rest != text and (not rest or rest[0] in "./["):
                return (position, *parse(rest))
        return parse(text)

    def _positions(self) -> dict[str, int]:
        """The outputs by their names, and by the first word of it where that names only one; long names come first."""
        names = [output.output.name for output in self.outputs]
        short = Counter(name.partition(" ")[0] for name in names)
        found = {name: position for position, name in enumerate(names)}
        for name, position in list(found.items()):
            first = name.partition(" ")[0]
            if short[first] == 1:
                found.setdefault(first, position)
        return dict(sorted(found.items(), key=lambda each: -len(each[0])))

    def _resolved_in(self) -> Any:
        """The value that paths are looked up in; where it is that of the output, nothing is made for it."""
        spec = self.plan.result
        if spec.key_type is None and spec.shape != "list" and spec.secrets != "redact" and self.outputs:
            return self.outputs[0].node.value
        return self.plain

    def explain_all(self) -> Iterator[History]:
        """The history of every value that holds nothing further, in the order of the result; the caller's to change."""
        return map(_with_own_values, self.histories())

    def histories(self) -> Iterator[History]:
        """The same histories, sharing structure with the inputs; not to be changed."""
        from lamina.engine.walk import walk

        check_shown(self.plain)
        shown_value, converted = self._value_filter(), _Converted()
        for output in self.outputs:
            name = output.output.name if self.many else None
            for part in walk(output.node):
                if not part.is_leaf:
                    continue
                history = part.history(shown_value)
                if self.spec.key_type is not None:
                    history = history.converted(converted)
                history.output, history.path = name, self._plain_path(part.path)
                yield history


def _with_own_values(history: History) -> History:
    """A history for a caller, who may change the values in it: a copy, unless they are all scalars."""
    from copy import deepcopy

    if all(type(value) in _SCALARS for value in history.values()):
        return history
    copied: dict[int, Any] = {}
    return history.converted(lambda value: deepcopy(value, copied))


_SCALARS = frozenset((str, int, float, bool, NoneType, type(MISSING)))


class _Converted:
    """Values with plain keys; of a collection that many items came with, one conversion serves all."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Any]] = {}

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, (dict, list)):
            return _as_written(value)
        if id(value) not in self._known:
            self._known[id(value)] = value, _as_written(value)
        return self._known[id(value)][1]


def _as_written(value: Any) -> Any:
    """A value with its keys as they are written, where those of the system have no case."""
    from lamina.sources.caseless_keys import with_case

    return with_case(value)


def _value_of(holder: Node | Folded) -> Any:
    return holder.value


def _picks_output(steps: Path, count: int) -> bool:
    return bool(steps) and type(steps[0]) is int and 0 <= steps[0] < count
