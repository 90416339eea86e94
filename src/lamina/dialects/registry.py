"""The registry of dialects: found by name, or detected from inputs.

Dialects are registered in the entry-point group `lamina.dialects`. The built-in ones are registered there too, but are
also listed here, so that a command need not scan the installed packages to find them.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from lamina.errors import Diagnostic, InputError, UsageError
from lamina.protocol.dialect import Dialect, broken, load, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from dataclasses import Field

    from lamina.sources.inputs import Inputs

GROUP = "lamina.dialects"

BUILT_IN: Mapping[str, str] = {
    "cloud-init": "lamina.dialects.cloudinit.dialect:DIALECT",
    "helm": "lamina.dialects.helm.dialect:DIALECT",
    "heat": "lamina.dialects.heat.dialect:DIALECT",
    "deckhand": "lamina.dialects.deckhand.dialect:DIALECT",
    "datum": "lamina.dialects.datum.dialect:DIALECT",
    "hiera": "lamina.dialects.hiera.dialect:DIALECT",
    "ansible": "lamina.dialects.ansible.dialect:DIALECT",
    "reclass": "lamina.dialects.reclass.dialect:DIALECT",
    "layers": "lamina.dialects.layers.dialect:DIALECT",
}
"""The built-in dialects, as they are registered in the entry-point group."""


def find(name: str | Dialect[Any]) -> Dialect[Any]:
    """The dialect of that name; a dialect is itself."""
    if isinstance(name, Dialect):
        return name
    if name in BUILT_IN:
        return _built_in(name)
    for point in installed():
        if point.name == name:
            return loaded(point)
    raise UsageError(unknown("dialect", name, names()))


def detect(inputs: Inputs, owners: Callable[[], Sequence[str]] = list) -> Dialect[Any]:
    """The dialect that detects the inputs; else the one they resemble, for its better messages; else a fallback.

    `owners` returns the dialects that have all the options given: if that is one, it comes before a fallback. Inputs of
    two systems are an error.
    """
    for name in BUILT_IN:
        dialect = _built_in(name)
        if dialect.detect(inputs):
            _check_one_system(dialect, inputs)
            return dialect
    others: list[Dialect[Any]] = []
    for point in installed():
        if point.name not in BUILT_IN:
            others.append(loaded(point))
            if others[-1].detect(inputs):
                return others[-1]
    known = [*map(_built_in, BUILT_IN), *others]
    found = _claiming("resembles", known, inputs)
    if found is None:
        owning = owners()
        found = find(owning[0]) if len(owning) == 1 else _claiming("fallback", known, inputs)
    if found is not None:
        return found
    raise _nothing_found(inputs) if inputs.folders else UsageError(_unknown(inputs))


def with_options(options: Collection[str]) -> list[str]:
    """The dialects that have all of these options, if there are any."""
    return [name for name in names() if options and _fields_of(find(name).options)[0].keys() >= set(options)]


def _claiming(ability: str, known: Iterable[Dialect[Any]], inputs: Inputs) -> Dialect[Any] | None:
    """The first dialect with an extension that claims the inputs."""
    for dialect in known:
        claims = dialect.extension(ability)
        if claims is not None and claims(inputs):
            return dialect
    return None


def _check_one_system(dialect: Dialect[Any], inputs: Inputs) -> None:
    """Reject inputs of which a single one looks like another system."""
    if len(inputs.items) < 2:
        return
    single = {item.name: replace(inputs, items=(item,)) for item in inputs.items}
    detected = {name: dialect.detect(each) for name, each in single.items()}
    foreign = [(name, _detecting(each, dialect)) for name, each in single.items() if not detected[name]]
    found = [(name, other) for name, other in foreign if other]
    if found:
        first = next(name for name, is_detected in detected.items() if is_detected) if any(detected.values()) else None
        listed = [*([(first, dialect.name)] if first else []), *found[:_NAMED]]
        raise UsageError(
            Diagnostic(
                code="mixed-inputs",
                message="the inputs belong to several systems: "
                + ", ".join(f"{name} looks like {system}" for name, system in listed),
                hint=f"render one system at a time; --dialect {dialect.name} reads all of them as {dialect.name}",
            )
        )


def _detecting(inputs: Inputs, apart_from: Dialect[Any]) -> str | None:
    """The first built-in dialect that detects the inputs, apart from one."""
    others = (name for name in BUILT_IN if name != apart_from.name)
    return next((name for name in others if _built_in(name).detect(inputs)), None)


_NAMED = 5
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def _unknown(inputs: Inputs) -> Diagnostic:
    sources = inputs.sources
    message = "the inputs do not look like any known dialect"
    if len(sources) == len(inputs.items) == 1 and not sources[0].data.strip():
        message = f"{sources[0].name} is empty, so it does not look like any known dialect"
    elif encoded := [source for source in sources if source.data.startswith(_UTF_16)]:
        return Diagnostic(
            code="unknown-dialect",
            message=f"{encoded[0].name} is UTF-16, so it does not look like any known dialect",
            hint="save it as UTF-8",
        )
    return Diagnostic(code="unknown-dialect", message=message, hint=f"choose one with --dialect: {', '.join(names())}")


def _nothing_found(inputs: Inputs) -> InputError:
    """The error for folders in which no dialect finds anything: what each of them looks for."""
    folders = ", ".join(folder.name for folder in inputs.folders)
    known_by = "; ".join(f"{name}: {find(name).known_by}" for name in names() if find(name).known_by)
    return InputError(
        Diagnostic(
            code="unknown-dialect",
            message=f"nothing in {folders} looks like the configuration of a known system",
            hint=f"name files in the order they are merged, or a folder that has one of these: {known_by}",
        )
    )


def names() -> list[str]:
    """The names of all dialects."""
    return sorted({*BUILT_IN, *(point.name for point in installed())})


def installed() -> Iterable[Any]:
    """The entry points of all installed dialects."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def loaded(point: Any) -> Dialect[Any]:
    """The dialect of an entry point."""
    what = f"the dialect {point.name}"
    dialect = load(point.value, what)
    if not isinstance(dialect, Dialect):
        raise UsageError(broken(what, f"{point.value} is not a lamina.plugin.Dialect"))
    return dialect


def _built_in(name: str) -> Dialect[Any]:
    dialect: Dialect[Any] = load(BUILT_IN[name], f"the dialect {name}")
    return dialect


def make_options(dialect: Dialect[Any], given: Mapping[str, Any]) -> Any:
    """The dialect's options from plain values; unknown names are rejected.

    A dialect with one compatibility mode has no option `compat`, but `program` is accepted.
    """
    known, free = _fields_of(dialect.options)
    if free.issuperset(given):
        return dialect.options(**given)
    return dialect.options(**_checked(dict(given), known, dialect))


def _checked(given: dict[str, Any], known: Mapping[str, Field[Any]], dialect: Dialect[Any]) -> dict[str, Any]:
    """Options that the dialect has, with values that they may have; others are rejected."""
    if given.get("compat") == "program" and "compat" not in known:
        del given["compat"]
    for name, value in given.items():
        field = known.get(name)
        if field is None:
            raise UsageError(unknown("option", name, list(known), f" of {dialect.name}"))
        choices = field.metadata.get("choices", ())
        if choices and value not in choices:
            raise UsageError(unknown("value", str(value), list(choices), f" for {name}"))
    return given


def _fields_of(options: type) -> tuple[Mapping[str, Field[Any]], frozenset[str]]:
    """The options by their names, and the names of those that may have any value, which is taken as it is."""
    known = {item.name: item for item in fields(options)}
    checked = {name for name, item in known.items() if item.metadata.get("choices")}
    return known, frozenset(known) - checked - {"compat"}
