"""For configuration files of your own: their tables, declared field by field, checked, and read with their positions.

    RULE = Form("a rule", word("merge", ("take", "append"), needed="add merge: take"), strings("path", "a path"))
    FILE = Form("a rules file", flag("references"), tables("rules", RULE, "a list of rules"))

    settings = Settings(node, FILE, "invalid-rules")
    for rule in settings["rules"]:
        rule["merge"]
    settings.finish()

All that is wrong with a file is gathered, each finding with its place: keys that no field has, with the nearest known
one, values of another type, words that are not known, fields that are missing. Such a field counts as absent, so that
the rest can be read; `finish` rejects the file. What several fields say together is checked by its reader, which adds
findings of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from lamina.engine.node import LiteralNode, Node, SourceNode
from lamina.engine.provenance import origins_of
from lamina.errors import Diagnostic, Reject
from lamina.origins import Origin
from lamina.paths import show
from lamina.plugin.toolkit import did_you_mean
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = [
    "Field",
    "Form",
    "Settings",
    "Written",
    "anything",
    "flag",
    "named_strings",
    "named_tables",
    "number",
    "strings",
    "table",
    "tables",
    "text",
    "word",
]


@dataclass(frozen=True, slots=True)
class Written:
    """A string of a file and where it is."""

    text: str
    at: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of a table: what it must be, and what it is where it is absent."""

    name: str
    types: tuple[type, ...]
    expected: str
    """What it must be, in words."""
    read: Callable[[Settings, Node], Any]
    """Its value, from a node that has one of the types."""
    words: tuple[str, ...] = ()
    """What it may be, if it is one of some words."""
    accepts: Callable[[Any], bool] | None = None
    """Whether a value of the right type can be used."""
    default: Any = None
    needed: str = ""
    """What to do if it is absent, where it must not be."""


@dataclass(frozen=True, slots=True)
class Form:
    """The fields that a table may have."""

    what: str
    """What such a table is, with its article."""
    fields: tuple[Field, ...]
    others: bool = False
    """Whether keys that no field has are allowed."""
    hint: str = ""
    """What to write, if something else than a table was found."""

    def __init__(self, what: str, *fields: Field, others: bool = False, hint: str = "") -> None:
        object.__setattr__(self, "what", what)
        object.__setattr__(self, "fields", fields)
        object.__setattr__(self, "others", others)
        object.__setattr__(self, "hint", hint)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)


class Settings:
    """A table of a file: the values of its fields, and what is wrong with it."""

    __slots__ = ("_values", "code", "findings", "form", "node")

    def __init__(self, node: Node, form: Form, code: str, findings: list[Diagnostic] | None = None) -> None:
        self.node = node
        self.form = form
        self.code = code
        """The code of the findings."""
        self.findings: list[Diagnostic] = [] if findings is None else findings
        """What is wrong with the whole file, as far as it was read."""
        self._values: dict[str, Any] = {field.name: field.default for field in form.fields}
        if isinstance(node.value, dict):
            self._read()
        else:
            message = f"{form.what} must be a mapping, not {word_for(node.value)}"
            self.add_error(None, message, form.hint or f"known: {', '.join(form.names)}")

    def __getitem__(self, name: str) -> Any:
        """The value of a field; its default if it is absent or wrong."""
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        """Whether the table has a field, whatever its value is."""
        return isinstance(self.node.value, dict) and name in self.node.value

    def any_of(self, names: Sequence[str]) -> list[str]:
        """Those of some fields that the table has."""
        return [name for name in names if name in self]

    def place(self, name: Any = None) -> Origin | None:
        """Where the value of a field is; where the table is, if it has no such field or none is named."""
        inner = None if name is None else self.node.child(name)
        return (_origin(inner) if inner is not None else None) or _origin(self.node)

    def key_place(self, name: Any) -> Origin | None:
        """Where a key of the table is."""
        at = self.node.key_origin(name) if isinstance(self.node, SourceNode) else None
        return at or self.place(name)

    def add_error(self, at: str | Origin | None, message: str, hint: str) -> None:
        """Add a finding at a field, at a place, or at the table itself."""
        place = at if isinstance(at, Origin) else self.place(at)
        self.findings.append(Diagnostic(code=self.code, message=message, at=place, hint=hint))

    def unknown_key(self, key: Any, what: str, known: Sequence[str], hint: str = "") -> None:
        """Add a finding for a key that something does not have."""
        shown = repr(key) if isinstance(key, str) else show((key,))
        self.add_error(self.key_place(key), f"{what} has no field {shown}", hint or did_you_mean(str(key), known))

    def wrong_type(self, node: Node, expected: str) -> None:
        """Add a finding for a value of another type."""
        message = f"{show(node.path)} must be {expected}, not {word_for(node.value)}"
        self.add_error(_origin(node), message, f"write {expected}")

    def inner(self, node: Node, form: Form) -> Settings:
        """A table in this one; its findings are those of the file."""
        return Settings(node, form, self.code, self.findings)

    def finish(self) -> None:
        """Reject the file if anything is wrong with it, with all findings in the order of their lines."""
        if self.findings:
            raise Reject(*sorted(self.findings, key=_order))

    def _read(self) -> None:
        names = self.form.names
        for key in () if self.form.others else self.node.value:
            if key not in names:
                self.unknown_key(key, self.form.what, names)
        for field in self.form.fields:
            if field.name in self.node.value:
                self._read_field(field, self.node.child(field.name))
            elif field.needed:
                self.add_error(None, f"{self.form.what} needs {field.name}", field.needed)

    def _read_field(self, field: Field, node: Node) -> None:
        value = node.value
        if not isinstance(value, field.types) or (isinstance(value, bool) and not {bool, object} & {*field.types}):
            self.wrong_type(node, field.expected)
        elif (field.words and value not in field.words) or (field.accepts is not None and not field.accepts(value)):
            hint = did_you_mean(str(value), field.words) if field.words else f"write {field.expected}"
            self.add_error(_origin(node), f"{show(node.path)} cannot be {value!r}", hint)
        else:
            self._values[field.name] = field.read(self, node)


def _origin(node: Node) -> Origin | None:
    """Where a value was written, or the first part of one that was merged."""
    return node.origin() or (None if isinstance(node, LiteralNode) else next(iter(origins_of(node)), None))


def _order(finding: Diagnostic) -> tuple[str, int, int]:
    at = finding.at
    return ("", 0, 0) if at is None else (at.source, at.line, at.column)


def _plain(_: Settings, node: Node) -> Any:
    return node.value


def anything(name: str, *types: type, expected: str = "", default: Any = None) -> Field:
    """A field of some types, or of any, that is taken as it is."""
    return Field(name=name, types=types or (object,), expected=expected, read=_plain, default=default)


def flag(name: str, *, default: Any = None) -> Field:
    """True or false."""
    return Field(name=name, types=(bool,), expected="true or false", read=_plain, default=default)


def word(name: str, words: Sequence[str], *, default: Any = None, needed: str = "") -> Field:
    """One of some words."""
    expected = f"one of {', '.join(words)}"
    return Field(
        name=name, types=(str,), expected=expected, read=_plain, words=tuple(words), default=default, needed=needed
    )


def text(
    name: str, expected: str = "a string", *, filled: bool = False, default: Any = None, needed: str = ""
) -> Field:
    """A string; `filled`: not an empty one."""
    return Field(
        name=name,
        types=(str,),
        expected=expected,
        read=_plain,
        accepts=bool if filled else None,
        default=default,
        needed=needed,
    )


def number(name: str, least: int, *, default: Any = None) -> Field:
    """A whole number that is not less than another."""
    return Field(
        name=name,
        types=(int,),
        expected=f"a number from {least} on",
        read=_plain,
        accepts=lambda value: value >= least,
        default=default,
    )


def strings(name: str, expected: str, *, alone: bool = True, filled: bool = False, needed: str = "") -> Field:
    """A list of strings, or, if it may be alone, one string: a `Written` for each; `filled`: none of them is empty, nor
    is the list."""
    return Field(
        name=name,
        types=(str, list) if alone else (list,),
        expected=expected,
        read=partial(_strings, filled=filled),
        accepts=bool if filled else None,
        default=(),
        needed=needed,
    )


def _strings(settings: Settings, node: Node, *, filled: bool) -> tuple[Written, ...]:
    if isinstance(node.value, str):
        return (Written(node.value, _origin(node)),)
    found = []
    for item in map(node.child, range(len(node.value))):
        if isinstance(item.value, str) and (item.value or not filled):
            found.append(Written(item.value, _origin(item)))
        else:
            settings.wrong_type(item, "a non-empty string" if filled else "a string")
    return tuple(found)


def named_strings(name: str) -> Field:
    """A table of strings by their names."""
    return Field(name=name, types=(dict,), expected="a table of strings", read=_named_strings, default={})


def _named_strings(settings: Settings, node: Node) -> dict[str, str]:
    for key, value in node.value.items():
        if not isinstance(value, str):
            settings.wrong_type(node.child(key), "a string")
    return {key: value for key, value in node.value.items() if isinstance(value, str)}


def table(name: str, form: Form, *, null: bool = False) -> Field:
    """A table in the table, which is None if it is absent; `null`: it may be null, which is as good as absent."""
    types = (dict, type(None)) if null else (dict,)
    return Field(
        name=name,
        types=types,
        expected="a mapping",
        read=lambda settings, node: None if node.value is None else settings.inner(node, form),
    )


def tables(name: str, form: Form, expected: str, *, null: bool = False) -> Field:
    """A list of tables, without those that are something else; `null`: it may be null, which is as good as absent."""
    types = (list, type(None)) if null else (list,)
    return Field(name=name, types=types, expected=expected, read=partial(_tables, form=form))


def _tables(settings: Settings, node: Node, *, form: Form) -> list[Settings] | None:
    if node.value is None:
        return None
    return list(_inner_tables(settings, node, form, range(len(node.value))))


def named_tables(name: str, form: Form) -> Field:
    """A table of tables: those by their names."""
    return Field(name=name, types=(dict,), expected="a mapping", read=partial(_named_tables, form=form), default={})


def _named_tables(settings: Settings, node: Node, *, form: Form) -> dict[str, Settings]:
    return {str(each.node.path[-1]): each for each in _inner_tables(settings, node, form, node.value)}


def _inner_tables(settings: Settings, node: Node, form: Form, keys: Any) -> Iterator[Settings]:
    for key in keys:
        inner = settings.inner(node.child(key), form)
        if isinstance(inner.node.value, dict):
            yield inner
