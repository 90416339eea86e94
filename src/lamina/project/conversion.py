"""Conversion of a repository: the layers of its targets written for another system, and both results compared."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lamina.dialects.conversion import ConversionRemark, ConvertedDifference
from lamina.dialects.fitted_rules import differing
from lamina.engine.provenance import first_origin
from lamina.errors import Diagnostic, LaminaError, UsageError
from lamina.paths import MISSING, show
from lamina.project.discovery import Discovered, as_toml
from lamina.project.project import Project
from lamina.project.project_file import NAME
from lamina.sources.powershell.case_insensitive import with_case
from lamina.values import same, word_for
from lamina.views.explain import in_brief
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.dialects.base import Dialect
    from lamina.dialects.conversion import ConvertFrom, ConvertTo, LayeredSet, Reason, WrittenSet
    from lamina.dialects.extensions import FoundTargets
    from lamina.engine.node import Node
    from lamina.paths import Path
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result


@dataclass(frozen=True, slots=True)
class ConversionSource:
    """One set to convert: the inputs of a system with its options, and the name of its targets."""

    name: str
    dialect: Dialect[Any]
    inputs: Inputs
    options: Any


@dataclass(slots=True, eq=False)
class ExpectedTarget:
    """A target of the source: the result it must have, or why there is none."""

    name: str
    result: Result | None = None
    node: Node | None = None
    reasons: tuple[Reason, ...] = ()
    left_out: ConversionRemark | None = None
    failed: bool = False
    """Whether it was left out because it cannot be rendered."""


@dataclass(slots=True, eq=False)
class Conversion:
    """Everything to be written, and the expected results."""

    to: Dialect[Any]
    files: dict[str, bytes] = field(default_factory=dict)
    remarks: list[ConversionRemark] = field(default_factory=list)
    expected: list[ExpectedTarget] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Differing:
    """A value that differs: where, what it was and is, in brief, and the reason for it where one is known."""

    target: str
    path: Path
    before: str
    after: str
    reason: str | None


@dataclass(slots=True, eq=False)
class ConversionCheck:
    """The outcome of comparing every target."""

    equal: list[str] = field(default_factory=list)
    explained: list[str] = field(default_factory=list)
    """Targets with only those differences that remarks explain."""
    differing: list[str] = field(default_factory=list)
    """Targets with other differences."""
    left_out: list[str] = field(default_factory=list)
    remarks: list[ConversionRemark] = field(default_factory=list)
    differences: list[Differing] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(map(len, (self.equal, self.explained, self.differing, self.left_out)))


def convert(sources: Sequence[ConversionSource], to: Dialect[Any]) -> Conversion:
    """The files of some sources for another dialect."""
    write: ConvertTo | None = to.extension("convert_to")
    if write is None:
        raise UsageError(_cannot(to, "written", "convert_to"))
    conversion = Conversion(to)
    sets = list(_readable(sources, conversion))
    entries: list[Discovered] = []
    for source, layers in _with_own_names(sets):
        if layers.entries == ():
            raise UsageError(_no_targets())
        written = write(layers, _folder(source, sets) if layers.entries else "")
        _add_files(conversion, written)
        entries += [Discovered(to.name, _named(found, sets)) for found in written.entries]
        conversion.remarks += [*layers.remarks, *written.remarks]
        conversion.expected += _expected(source, layers, (*layers.reasons, *written.reasons))
    if not entries:
        remarks = [each.left_out for each in conversion.expected if each.left_out is not None]
        raise UsageError.of(map(_not_converted, remarks)) if remarks else UsageError(_no_targets())
    _add_project(conversion, entries)
    return conversion


def _readable(
    sources: Sequence[ConversionSource], conversion: Conversion
) -> Iterator[tuple[ConversionSource, LayeredSet]]:
    """The layers of all sources; if there are several, those that cannot be rendered are skipped."""
    for source in sources:
        try:
            yield source, _layers(source, conversion.to)
        except LaminaError as error:
            if len(sources) == 1 or error.diagnostics[0].code == "cannot-convert":
                raise
            conversion.expected.append(_not_rendered(source.name, error))


def _layers(source: ConversionSource, to: Dialect[Any]) -> LayeredSet:
    read: ConvertFrom | None = source.dialect.extension("convert_from")
    if read is None or source.dialect is to:
        raise UsageError(_cannot(source.dialect, "converted", "convert_from"))
    return read(source.inputs, source.options, source.name)


def _cannot(dialect: Dialect[Any], done: str, extension: str) -> Diagnostic:
    from lamina.dialects import registry

    able = [name for name in registry.names() if registry.find(name).extension(extension) is not None]
    return Diagnostic(
        code="cannot-convert",
        message=f"files of the dialect {dialect.name} cannot be {done}",
        hint=f"{'--to' if extension == 'convert_to' else 'the inputs'} can be one of {', '.join(able)}",
    )


def _not_converted(remark: ConversionRemark) -> Diagnostic:
    message = f"{remark.what} cannot be converted: {remark.why}"
    return Diagnostic(code="not-converted", message=message, at=remark.at, hint="nothing was written")


def _no_targets() -> Diagnostic:
    return Diagnostic(
        code="not-converted", message="there is no target to convert", hint="name inputs that have something to render"
    )


def _folder(source: ConversionSource, sets: Sequence[tuple[ConversionSource, LayeredSet]]) -> str:
    """The folder of a hierarchy: the output folder, or a subfolder if there are several."""
    return "" if len(sets) == 1 else f"{safe_name(source.name)}/"


def _named(found: FoundTargets, sets: Sequence[Any]) -> FoundTargets:
    """The entry of a project file; with several hierarchies, the nodes have its name as a prefix."""
    if len(sets) == 1 or "nodes" not in found.fields:
        return found
    return found._replace(fields={**found.fields, "name": f"{found.key}/{{name}}"})


def _with_own_names(
    sets: Sequence[tuple[ConversionSource, LayeredSet]],
) -> Iterator[tuple[ConversionSource, LayeredSet]]:
    """The sets with safe and unique file names."""
    plain = [name for _, layers in sets if not layers.entries for name in layers.files]
    shared = posixpath.commonpath([posixpath.dirname(safe_name(name)) for name in plain]) if plain else ""
    known: dict[str, Any] = {}
    for source, layers in sets:
        if layers.entries:
            yield source, layers
            continue
        names: dict[str, str] = {}
        for name, file in layers.files.items():
            short = safe_name(name)[len(shared) :].lstrip("/")
            if known.setdefault(short, file.value) != file.value:
                short = f"{safe_name(source.name)}/{short}"
                known[short] = file.value
            names[name] = short
        yield source, layers.renamed(names.__getitem__)


def safe_name(name: str) -> str:
    """A name as a path that cannot leave a folder."""
    steps = name.replace("\\", "/").split("/")
    return "/".join(step for step in steps if step not in ("", ".", "..")) or "layer"


def _add_files(conversion: Conversion, written: WrittenSet) -> None:
    for name, data in written.files.items():
        if conversion.files.setdefault(name, data) != data:
            raise UsageError(_taken(name))


def _taken(name: str) -> Diagnostic:
    return Diagnostic(
        code="conversion-name",
        message=f"two files of the output would both be called {name}",
        hint="rename the layer in the inputs, or convert targets one by one with --target",
    )


def _add_project(conversion: Conversion, entries: list[Discovered]) -> None:
    if NAME in conversion.files:
        raise UsageError(_taken(NAME))
    conversion.files[NAME] = as_toml(entries).encode("utf-8", "surrogateescape")


def _expected(source: ConversionSource, layers: LayeredSet, reasons: tuple[Reason, ...]) -> Iterator[ExpectedTarget]:
    rendered: dict[str, Result] = {}
    for target in layers.targets:
        if target.left_out is not None:
            yield ExpectedTarget(target.name, left_out=target.left_out)
            continue
        try:
            key = repr(target.options)
            if key not in rendered:
                rendered[key] = render_with(source.dialect, source.inputs, replace(source.options, **target.options))
            yield ExpectedTarget(target.name, rendered[key], target.node(rendered[key]), reasons)
        except LaminaError as error:
            yield _not_rendered(target.name, error)


def _not_rendered(name: str, error: LaminaError) -> ExpectedTarget:
    finding = error.diagnostics[0]
    why = f"it cannot be rendered: {finding.message}"
    remark = ConversionRemark(what=name, why=why, at=finding.at, path=(), targets=frozenset({name}))
    return ExpectedTarget(name, left_out=remark, failed=True)


def check_conversion(conversion: Conversion, folder: str) -> ConversionCheck:
    """Render what was written to a folder, and compare every target."""
    project = Project.load(folder)
    check = ConversionCheck(remarks=list(conversion.remarks))
    for expected in conversion.expected:
        if expected.left_out is not None:
            check.left_out.append(expected.name)
            check.remarks.append(expected.left_out)
            continue
        _Comparison(check, expected).add(_rendered(project, expected.name))
    check.remarks = [_with_origin(remark, conversion.expected) for remark in check.remarks]
    return check


def _with_origin(remark: ConversionRemark, expected: Sequence[ExpectedTarget]) -> ConversionRemark:
    """A remark with the origin of the value it is about, if it has none."""
    if remark.at is not None or not remark.path:
        return remark
    nodes = (_at(each.result, each.node, remark.path) for each in expected if each.node is not None)
    return replace(remark, at=next((at for node in nodes if (at := first_origin(node)) is not None), None))


def _rendered(project: Project, name: str) -> Result | LaminaError:
    try:
        names = [each for each in project.targets if each == name or each.endswith(f"/{name}")]
        found = project.target(names[0] if names else name).render(project.view)
        assert found is not None  # what was written is complete
        if not found.outputs:
            return UsageError(_no_targets())
        return found
    except LaminaError as error:
        return error


class _Comparison:
    """One target compared."""

    def __init__(self, check: ConversionCheck, expected: ExpectedTarget) -> None:
        self._check = check
        self._expected = expected

    def add(self, result: Result | LaminaError) -> None:
        name, node = self._expected.name, self._expected.node
        assert node is not None
        assert self._expected.result is not None
        if isinstance(result, LaminaError):
            brief = f"not rendered: {result.diagnostics[0].message}"
            self._check.differences.append(
                Differing(name, (), in_brief(_plain(self._expected.result, node)), brief, None)
            )
            self._check.differing.append(name)
            return
        after = result.outputs[0].node
        expected_value = _plain(self._expected.result, node)
        found = differing(expected_value, _plain(result, after))
        differences = [self._difference(ConvertedDifference(*each, expected_value), node, result) for each in found]
        self._check.differences += differences
        if not differences:
            self._check.equal.append(name)
        elif all(each.reason is not None for each in differences):
            self._check.explained.append(name)
        else:
            self._check.differing.append(name)

    def _difference(self, found: ConvertedDifference, node: Node, result: Result) -> Differing:
        name = self._expected.name
        named = next((each for each in self._check.remarks if each.names(name, found.path)), None)
        reason = named.why if named else next((text for each in self._expected.reasons if (text := each(found))), None)
        if named is None and reason is not None:
            at = first_origin(_at(self._expected.result, node, found.path))
            at = at or first_origin(_at(result, result.outputs[0].node, found.path))
            what, targets = show(found.path), frozenset({name})
            self._check.remarks.append(ConversionRemark(what=what, why=reason, at=at, path=found.path, targets=targets))
        before, after = self._in_brief(found, node)
        return Differing(self._expected.name, found.path, before, after, reason)

    def _in_brief(self, found: ConvertedDifference, node: Node) -> tuple[str, str]:
        """Both values in a few words; if that of the source is secret, only types."""
        source = self._expected.result
        assert source is not None
        inner = _at(source, node, found.path)
        shown = MISSING if inner.value is MISSING else source.shown_value(inner)
        is_secret = shown is not MISSING and not same(shown, inner.value)
        after = word_for(found.after) if is_secret or shown is MISSING else in_brief(found.after)
        return "nothing" if shown is MISSING else in_brief(shown), "nothing" if found.after is MISSING else after


def _plain(result: Result, node: Node) -> Any:
    value = None if node.value is MISSING else node.value
    return value if result.spec.key_type is None else with_case(value)


def _at(result: Result | None, node: Node, path: Path) -> Node:
    key = result.spec.key_type if result is not None else None
    return node.at(path if key is None else tuple(key(step) if isinstance(step, str) else step for step in path))


@dataclass(slots=True, eq=False)
class GroupedRemark:
    """Several equal remarks: all origins, and the targets (None for all)."""

    remark: ConversionRemark
    origins: dict[str, None] = field(default_factory=dict)
    targets: frozenset[str] | None = frozenset()

    def line(self, total: int) -> str:
        origins = list(self.origins)
        at = f"{origins[0]}: " if origins else ""
        rest = len(origins) - 1
        more = f" (and {rest} more place{'' if rest == 1 else 's'})" if rest > 0 else ""
        names = sorted(self.targets or ())
        named = f"{', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"
        inside = f" (in {named})" if names and len(names) < total and names != [self.remark.what] else ""
        return f"{at}{self.remark.what}: {self.remark.why}{more}{inside}"


def grouped(remarks: Iterable[ConversionRemark]) -> list[GroupedRemark]:
    """The remarks, equal ones grouped."""
    found: dict[tuple[str, str], GroupedRemark] = {}
    for remark in remarks:
        group = found.setdefault((remark.what, remark.why), GroupedRemark(remark))
        if remark.at is not None:
            group.origins[f"{remark.at.source}:{remark.at.line}"] = None
        both = group.targets is not None and remark.targets is not None
        group.targets = group.targets | remark.targets if both else None  # type: ignore[operator]
    return list(found.values())


def report_lines(conversion: Conversion, check: ConversionCheck) -> Iterator[str]:
    """The report: what cannot be expressed, what differs, and how many targets are equal."""
    remarks = grouped(check.remarks)
    if remarks:
        yield f"what {conversion.to.name} cannot express:"
    yield from (f"  {remark.line(check.total)}" for remark in remarks)
    unnamed = [each for each in check.differences if each.reason is None]
    if unnamed:
        yield "differences that nothing above explains:"
    for each in unnamed:
        yield f"  {each.target}: {show(each.path) or 'the whole'}: {each.before} became {each.after}"
    yield f"{len(check.equal)} of {check.total} targets equal"
    for names, what in (
        (check.explained, "differ only as reported above"),
        (check.left_out, "could not be converted, as reported above"),
        (check.differing, "differ otherwise"),
    ):
        if names:
            yield f"{len(names)} {what}: {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
