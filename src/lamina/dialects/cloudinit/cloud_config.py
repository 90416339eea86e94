"""Merging parts: a part of cloud-config becomes a step, with its own merge rule or the default.

Between user-data parts the rule is the part's own: it governs how that part is merged onto everything before it, and
nothing else. Mergers of the body come first, then those of the header; the first of a kind counts, so that the body
wins kind by kind. The headers are `Merge-Type`, then `X-Merge-Type`, with case; the first that is not empty is used.

A part that cannot be read, is empty, is not a mapping, or has a rule that cannot be used is dropped, and the others go
on; one that only Lamina cannot read stops the run. Elsewhere (cloud.cfg and its directory, metadata) a bad rule stops
the program.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from lamina.dialects.cloudinit import messages
from lamina.dialects.cloudinit.merge_rule import BadRule, MergeRule, body_rule, parse_text
from lamina.dialects.cloudinit.mergers import BUILT_IN, COPYING, KNOWN_OPTIONS, PART_DEFAULT, base_name, policy_of
from lamina.engine.node import SourceNode
from lamina.engine.plan import Directive, Fail, From, Merge, OnFault, OutputRef
from lamina.errors import Diagnostic, InputError, Message, Severity
from lamina.sources import document_cache
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.dialects.cloudinit.options import CloudInitOptions
    from lamina.dialects.cloudinit.part_walker import Part
    from lamina.engine.node import Node
    from lamina.engine.policy import Policy
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.run import Run
    from lamina.sources.document import Document

HEADERS: Final = ("Merge-Type", "X-Merge-Type")
LIMIT_CODES: Final = ("too-deep", "cyclic-alias", "too-many-aliases", "input-too-large")
"""Rejected by Lamina, not by the program: dropping the part would give a wrong result, so the run stops."""
_OWN_CODES: Final = ("number-too-long",)
"""Rejected by the program too, since Python reads no number that long: the part is dropped, under this code."""

FAULTS: Final = MappingProxyType(
    {
        "clash": Message(
            code="merge-type-error",
            message="{path}: {new_kind} cannot be merged into {old_kind}; all of {layer} is dropped",
            hint="change the value, or the merge rule of {layer}, so that both values have the same type",
        ),
        "unjoined": Message(
            code="lists-not-joined",
            message="{path}: the list in {layer} is dropped: its merge rule joins lists, but dict lacks recurse_list",
            hint="write dict(recurse_list) in the merge rule",
        ),
        "unappended": Message(
            code="strings-not-joined",
            message="{path}: the string in {layer} is dropped: its merge rule joins strings, but dict lacks "
            "recurse_str",
            hint="write dict(recurse_str) in the merge rule",
        ),
        "letters": Message(
            code="string-as-list",
            message="{path}: the string {new} is appended to a list character by character",
            hint="write it as a list with one item",
        ),
        "keys": Message(
            code="mapping-as-list",
            message="{path}: a mapping is appended to a list, which adds only the keys of {new}",
            hint="write it as a list with one item",
        ),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A cloud-config body: its node without the rule, its rule, and the notes of the reader."""

    node: SourceNode
    rule: MergeRule
    notes: tuple[Note, ...] = ()


class UnusablePart(Exception):
    """A part that contributes nothing, with the reason."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding)
        self.finding = finding


def read_body(source: Source, name: str, run: Run, *, own: bool = False) -> Body:
    """Read a cloud-config body; raises UnusablePart. With `own` its value is a copy."""
    document = _document(source, name, run)
    value = document.value
    if own:
        from lamina.dialects.cloudinit.deep_copy import deep_copied

        value = deep_copied(value)
    node = SourceNode(value, (), document.positions, 0, name)
    if document.value is None:
        raise UnusablePart(messages.EMPTY_PART.at(source.locate(0, 0), subject=name))
    if not isinstance(document.value, dict):
        what = "a list" if isinstance(document.value, list) else "a single value"
        raise UnusablePart(messages.NOT_A_MAPPING.at(node.origin(), subject=name, what=what))
    try:
        rule, body = body_rule(node)
    except BadRule as bad:
        raise UnusablePart(replace(bad.finding, subject=name)) from None
    return Body(body, rule, tuple(replace(note, subject=name) for note in document.notes))


_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


def _document(source: Source, name: str, run: Run) -> Document:
    if source.data.startswith(_UTF_16):
        # The program decodes as UTF-8 before it parses, whatever the first bytes say.
        raise UnusablePart(messages.NOT_UTF_8.at(source.locate(0, 0), subject=name))
    try:
        return document_cache.yaml_document(source, run)
    except InputError as error:
        if error.diagnostic.code in LIMIT_CODES:
            raise  # the program would have accepted it, so omitting it would give a wrong result
        raise UnusablePart(_in_part(error.diagnostic, source, name, run)) from None


def _in_part(finding: Diagnostic, source: Source, name: str, run: Run) -> Diagnostic:
    """The finding with the line counted from the start of the part as well, as the program counts."""
    from lamina.sources.yaml.errors import STARTS_HERE
    from lamina.sources.yaml.reader import read_one

    try:
        read_one(Source(name, source.data), limits=document_cache.limits_of(run))  # nobody reads a part again
        inside = finding
    except InputError as error:
        inside = error.diagnostic
    line = inside.at.line if inside.at else 1
    start = next((at.line for label, at in inside.related if label == STARTS_HERE), line)
    begun = f" (inside the value that starts on line {start})" if start != line else ""
    message = f"line {line} of {name}{begun}: {finding.message}"
    code = finding.code if finding.code in _OWN_CODES else "invalid-yaml"
    return replace(finding, code=code, message=message, subject=name)


def header_rule(part: Part) -> MergeRule:
    """The rule in the headers of a part."""
    for name in HEADERS:
        header = part.headers.get(name)
        if header is not None and header.text:
            return parse_text(header.text, header.origin)
    return MergeRule()


class Merging:
    """Converts parts to steps, one after the other; keeps the rule stack that the manuals describe."""

    def __init__(self, options: CloudInitOptions, run: Run, *, patched: bool = False) -> None:
        """`patched` says that there are JSON patches, for which shared containers matter."""
        self.documented = options.compat == "manual"
        self._patched = patched
        self._run = run
        self._mergers, self._default = COPYING if patched else BUILT_IN, PART_DEFAULT
        if self.documented:
            from lamina.dialects.cloudinit.manual_rules import DEFAULTS, MERGERS

            self._mergers, self._default = MERGERS[options.manual], DEFAULTS[options.manual]
        self._top = self._default
        self.notes: list[Note] = []

    def step(self, part: Part, known: Callable[[SourceNode], Node] | None = None) -> Merge | Fail:
        """The step that merges a part of cloud-config, or the one that drops it with a reason.

        `known` returns what is known of the body, if that is not all of it.
        """
        try:
            body, known = self._body(part, known)
            own = body.rule + header_rule(part)
            # Both the part's own rule and the current one must be usable; otherwise the part is dropped.
            own_policy = policy_of(own, self._mergers)
            rule = self._in_force(own)
            policy = own_policy if rule is own else policy_of(rule, self._mergers)
            node = body.node if known is None else known(body.node)
        except BadRule as bad:
            return dropped(bad.finding, part.name)
        except UnusablePart as unusable:
            return dropped(unusable.finding, part.name)
        self.notes.extend(body.notes)
        self.notes.extend(rule_notes(own, part.name))
        return merge_step(node, policy, rule, part.name, OnFault.SKIP)

    def _body(
        self, part: Part, known: Callable[[SourceNode], Node] | None
    ) -> tuple[Body, Callable[[SourceNode], Node] | None]:
        """The body of a part, and what returns how much is known of it; another program's template is recognised."""
        failed, is_filled = None, False
        if known is None and not _may_be_foreign(part):
            try:
                body = read_body(part.source, part.name, self._run, own=self._patched)
                is_filled = b"${" in part.source.data and _is_filled_in(body)
                if not is_filled:
                    return body, known
            except UnusablePart as unusable:
                if unusable.finding.code != "invalid-yaml":
                    raise
                failed = unusable
        from lamina.dialects.cloudinit.foreign_template import foreign_template

        template = foreign_template(part, is_yaml=failed is None, is_filled=is_filled) if known is None else None
        if template is not None:
            try:
                body = read_body(template.source, part.name, self._run, own=self._patched)
            except UnusablePart as unusable:
                raise failed or unusable from None
            self.notes.append(_foreign(part, template.language, template.hint))
            return replace(body, notes=()), template.known
        if failed is not None:
            raise failed
        return read_body(part.source, part.name, self._run, own=self._patched), known

    def _in_force(self, own: MergeRule) -> MergeRule:
        if not self.documented:
            return own or self._default
        rule = self._top
        if own:
            self._top = own
        return rule


_FOREIGN: Final = (".tftpl", ".tpl", ".tmpl", ".gotmpl", ".j2", ".jinja", ".jinja2")
"""The endings of templates of other programs."""


def _is_filled_in(body: Body) -> bool:
    from lamina.dialects.cloudinit.foreign_template import is_filled_in

    return is_filled_in(body.node.value)


def _may_be_foreign(part: Part) -> bool:
    return part.source.name.lower().endswith(_FOREIGN)


def _foreign(part: Part, language: str, hint: str) -> Note:
    return Diagnostic(
        code="foreign-template",
        message=f"{part.name} is a template of {language}: what is filled in is unknown",
        at=part.source.locate(0, 0),
        hint=hint,
        severity=Severity.INFO,
        subject=part.name,
    )


def dropped(finding: Diagnostic, name: str) -> Fail:
    """The step that drops a part, for the reason found."""
    finding = replace(finding, message=f"{name} is dropped: {finding.message}", subject=name)
    return Fail(directive=Directive("dropped", finding.at), finding=finding, on_fault=OnFault.SKIP, subject=name)


def merge_step(node: Node | OutputRef, policy: Policy, rule: MergeRule, name: str, on_fault: OnFault) -> Merge:
    """The step that merges a body, or the result of another output, by a rule."""
    return step_by(node, policy, rule_directive(str(rule), rule.origin), name, on_fault)


def rule_directive(rule: str, origin: Origin | None) -> Directive:
    """The directive of a step that a rule, as it is written, or the default gives."""
    return Directive(rule if origin else f"default rule {rule}", origin)


def step_by(node: Node | OutputRef, policy: Policy, directive: Directive, name: str, on_fault: OnFault) -> Merge:
    """The step that merges a body, or the result of another output, by a policy."""
    return Merge(
        directive=directive,
        take=From(source=node, layer=name),
        policy=policy,
        faults=FAULTS,
        subject=name,
        on_fault=on_fault,
        forwards=isinstance(node, OutputRef),
    )


def rule_notes(rule: MergeRule, name: str) -> Iterable[Note]:
    """Notes on a usable rule."""
    for merger in rule.mergers:
        known = KNOWN_OPTIONS.get(base_name(merger.name), ())
        if isinstance(merger.options, str) and known:
            message = messages.SETTINGS_KEEP if "no_replace" in merger.options else messages.SETTINGS_AS_STRING
            yield message.at(rule.origin, subject=name, merger=merger.name, options=merger.options)
        for option in merger.options if not isinstance(merger.options, str) else ():
            if known and option not in known:
                hint = _suggestion(option, known)
                yield messages.UNKNOWN_OPTION.at(
                    rule.origin, subject=name, hint=hint, merger=merger.name, option=option
                )
    if rule and not any(base_name(merger.name) == "dict" for merger in rule.mergers):
        yield messages.NO_DICT_MERGER.at(rule.origin, subject=name, rule=rule)


_MODERN: Final = {"extend": "append", "overwrite": "replace"}


def _suggestion(option: object, known: tuple[str, ...]) -> str:
    from lamina._support import suggestions

    word = str(option).lower().replace("-", "_")
    return suggestions.did_you_mean(_MODERN.get(word, word), known, f"known options: {', '.join(known)}")
