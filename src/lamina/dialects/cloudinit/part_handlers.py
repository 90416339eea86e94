"""Part handlers: what is done with each part.

Cloud-config is merged, a JSON patch is applied. A template is rendered and forwarded: cloud-config and patches are
merged (a patch as if it were cloud-config, which it never is), scripts and boot hooks stored. Scripts, boot hooks and
part handlers are listed, never run. Anything else is ignored with a note.

With a launch index, parts for another one are omitted: the header `Launch-Index` decides, else the key `launch-index`
of a cloud-config body; parts that name none are for all.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina._support.derived import expression
from lamina.dialects.cloudinit import content_types, messages
from lamina.dialects.cloudinit.cloud_config import Merging, read_body
from lamina.dialects.cloudinit.mergers import NULL_IS_EMPTY
from lamina.engine.node import LiteralNode
from lamina.engine.plan import Directive, From, Merge
from lamina.errors import InputError
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from lamina.dialects.cloudinit.boot.scripts import StoredScript
    from lamina.dialects.cloudinit.options import CloudInitOptions
    from lamina.dialects.cloudinit.part_walker import Part
    from lamina.dialects.cloudinit.template import TextWithHoles
    from lamina.engine.node import Node, SourceNode
    from lamina.engine.plan import AnyStep
    from lamina.errors import Message, Note
    from lamina.run import Run

_UNSAFE: Final = expression(r"[^A-Za-z0-9_.()-]")


class Handling:
    """Converts parts to steps, in order, and collects notes."""

    def __init__(
        self,
        options: CloudInitOptions,
        variables: Mapping[str, Any] | None,
        run: Run,
        excluded: Collection[Any] = (),
        *,
        patched: bool = False,
    ) -> None:
        """`patched` says that there are JSON patches among the parts; without variables, no instance data is given."""
        self.steps: list[AnyStep] = []
        self.notes: list[Note] = []
        self.scripts: list[StoredScript] = []
        self._merging = Merging(options, run, patched=patched)
        self._variables = variables
        self._run = run
        self._template_variables: dict[str, Any] | None = None
        self._excluded = excluded
        self._handlers = False
        self._may_be_null = False

    def part(self, part: Part) -> None:
        """Handle one part."""
        if part.content_type in self._excluded:
            self.notes.append(_excluded(part))
            return
        self._handle(part, part.content_type)

    def _handle(self, part: Part, kind: str) -> None:
        if kind == content_types.CLOUD_CONFIG:
            self._merge(part)
        elif kind == content_types.JSON_PATCH:
            from lamina.dialects.cloudinit.patch import patch_step
            from lamina.dialects.cloudinit.patch_step import Patch

            step = patch_step(part, self._run)
            self._step(step)
            self._may_be_null |= isinstance(step, Patch) and any(not change.path for change in step.changes)
        elif kind == content_types.TEMPLATE:
            self._render(part)
        elif kind in content_types.SCRIPTS:
            self.scripts.append(_script(part, kind))
            self.notes.append(_stored(part, self.scripts[-1]))
        elif kind in (content_types.BOOTHOOK, content_types.PART_HANDLER):
            self._handlers |= kind == content_types.PART_HANDLER
            if kind == content_types.BOOTHOOK:
                self.scripts.append(_script(part, kind))
            self.notes.append(_never_run(part, kind))
        elif part.source.data:
            self.notes.append(_unhandled(part, kind, self._handlers))

    def _merge(self, part: Part) -> None:
        self._step(self._merging.step(part))
        self.notes.extend(self._merging.notes)
        self._merging.notes.clear()

    def _step(self, step: AnyStep) -> None:
        """Add the step of a part; before any part, even one that is dropped, a null result becomes an empty mapping."""
        if self._may_be_null:
            take = From(source=LiteralNode({}, ()))
            directive = Directive("null is treated as an empty mapping")
            self.steps.append(Merge(directive=directive, take=take, policy=NULL_IS_EMPTY))
        self.steps.append(step)

    def _render(self, part: Part) -> None:
        from lamina.dialects.cloudinit.instance_data import template_variables
        from lamina.dialects.cloudinit.template import Unrendered, rendered

        if self._template_variables is None:
            self._template_variables = template_variables(self._variables or {})
        try:
            if self._variables is None and self._without_data(part):
                return
            source, notes = rendered(part, self._template_variables, self._run)
        except Unrendered as failed:
            self.notes.append(_failed_template(part, failed.why, failed.line))
            return
        self.notes.extend(notes)
        if not source.data:
            self.notes.append(_failed_template(part, "it renders to nothing", 0, messages.EMPTY_TEMPLATE))
            return
        kind = content_types.sniff_data(source.data)
        if kind in (content_types.CLOUD_CONFIG, content_types.JSON_PATCH):
            # The handler is chosen by the type of the template, not by what it renders to (case jsonp-inside-jinja).
            self._merge(part.with_source(source))
        elif kind in (content_types.SCRIPT, content_types.BOOTHOOK):
            self._handle(part.with_source(source), kind)
        else:
            unknown = "the first line of its output is not one that cloud-init knows"
            reason = f"it renders to {kind}, which a template must not contain" if kind else unknown
            self.notes.append(_failed_template(part, reason, 0))

    def _without_data(self, part: Part) -> bool:
        """Handle a template for which no instance data is given; false if it needs none."""
        from lamina.dialects.cloudinit.template import rendered_without_data
        from lamina.dialects.cloudinit.template_marks import filled

        text = rendered_without_data(part, self._run)
        if text is None:
            return False
        kind = content_types.sniff_data(text.source.data)
        if kind == content_types.CLOUD_CONFIG:
            self._step(self._merging.step(part.with_source(text.source), lambda node: self._agreed(part, text, node)))
            self.notes.extend(self._merging.notes)
            self._merging.notes.clear()
        elif kind in (content_types.SCRIPT, content_types.BOOTHOOK):
            written = [f"{{{{ {each} }}}}" for each in text.sandbox.expressions]
            script, _ = filled(text.source.data.decode("utf-8", "surrogateescape"), written)
            data = script.encode("utf-8", "surrogateescape")
            self._handle(part.with_source(replace(text.source, data=data)), kind)
        else:
            self.notes.append(_unknown_part(part, "what its first line is depends on data that was not given"))
        return True

    def _agreed(self, part: Part, text: TextWithHoles, node: SourceNode) -> Node:
        """What is known of a body without the data of the instance."""
        from lamina.dialects.cloudinit.template_holes import Agreement

        others = [(variant, read_body(source, part.name, self._run).node.value) for variant, source in text.others]
        return Agreement(text.sandbox, others, lambda line: part.source.locate(line, 0)).of(node)


def _unknown_part(part: Part, why: str) -> Note:
    from lamina.dialects.cloudinit.template_holes import HINT

    return messages.UNKNOWN_PART.at(part.source.locate(0, 0), subject=part.name, hint=HINT, why=why)


def select(parts: Sequence[Part], wanted: Any, run: Run) -> tuple[list[Part], list[Note]]:
    """The parts for the wanted launch index; all, if none is wanted."""
    if wanted is None:
        return list(parts), []
    selected: list[Part] = []
    notes: list[Note] = []
    for part in parts:
        index = _launch_index(part, run)
        if index is None or _as_integer(index) == wanted:
            selected.append(part)
        else:
            notes.append(_other_index_note(part, index, wanted))
    return selected, notes


def _launch_index(part: Part, run: Run) -> Any:
    """The index a part names; in a body only one that is a number counts."""
    header = part.header("Launch-Index")
    if header is not None:
        return header.text
    if part.content_type != content_types.CLOUD_CONFIG:
        return None
    try:
        value = document_cache.yaml_document(part.source, run).value
    except InputError:
        return None
    return _as_integer(value.get("launch-index")) if isinstance(value, dict) else None


def _as_integer(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _script(part: Part, kind: str) -> StoredScript:
    from lamina.dialects.cloudinit.boot.scripts import StoredScript

    # Those with their own frequency are stored under the last step of the name, plain ones under all of it.
    path = part.name if kind == content_types.SCRIPT else part.name.rpartition("/")[2]
    file = _UNSAFE.sub("", path.replace("/", "_"))
    return StoredScript(part.name, file, kind, part.source.locate(0, 0), len(part.source.data))


def _stored(part: Part, script: StoredScript) -> Note:
    when = content_types.SCRIPTS[script.content_type]
    note = messages.SCRIPT.at(part.source.locate(0, 0), subject=part.name, when=when)
    return note if script.file == part.name else _renamed(note, script.file)


def _renamed(note: Note, name: str) -> Note:
    from dataclasses import replace

    return replace(note, subject=name, message=f"{note.message}; it is stored as {name}")


def _never_run(part: Part, kind: str) -> Note:
    message = messages.BOOTHOOK if kind == content_types.BOOTHOOK else messages.PART_HANDLER
    return message.at(part.source.locate(0, 0), subject=part.name)


def _excluded(part: Part) -> Note:
    return messages.DISABLED_HANDLER.at(part.source.locate(0, 0), subject=part.name, type=part.content_type)


def _other_index_note(part: Part, index: Any, wanted: int) -> Note:
    return messages.OTHER_LAUNCH_INDEX.at(part.source.locate(0, 0), subject=part.name, index=index, wanted=wanted)


def _failed_template(part: Part, why: str, line: int, message: Message = messages.TEMPLATE_ERROR) -> Note:
    hint = "fix the template; its output must start with #cloud-config, #! or #cloud-boothook"
    if "undefined" in why:
        hint = "pass instance data with --instance-data FILE; on an instance, `cloud-init query --all` prints it"
    return message.at(part.source.locate(line, 0), subject=part.name, hint=hint, why=why)


def _unhandled(part: Part, kind: str, handlers: bool) -> Note:
    hint = _hint(part.source.data, kind)
    if handlers:
        hint += "; an earlier part handler may handle it"
    plain = kind in (content_types.PLAIN, content_types.NOT_MULTIPART)
    message = messages.UNKNOWN_FIRST_LINE if plain else messages.UNHANDLED_CONTENT_TYPE
    return message.at(part.source.locate(0, 0), subject=part.name, hint=hint, type=kind)


def _hint(data: bytes, kind: str) -> str:
    """A hint on what would make an ignored part count, by its content."""
    if kind in (content_types.ARCHIVE, *content_types.INCLUDES) or kind in content_types.GZIP:
        return "archives do not unpack this; make it a part of a MIME message, or separate user-data"
    if data.startswith(b"\xef\xbb\xbf"):
        return "remove the byte-order mark (save as UTF-8 without BOM)"
    from lamina.dialects.cloudinit.misspelt_header import intended_header

    near = intended_header(data)
    if near is not None:
        first = data.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace").rstrip()
        return f"the first line is {first[:40]!r}; did you mean {near!r}?"
    if _is_base64(data):
        return "this looks like base64; decode it, or declare the encoding in a MIME header"
    if re.match(rb"[A-Za-z-]+: .*\n", data) and b"ontent-" in data[:1024]:
        return "this looks like a MIME message without the MIME-Version: 1.0 header"
    return f"cloud-config starts with #cloud-config; known first lines: {', '.join(content_types.FIRST_WORDS)}"


def _is_base64(data: bytes) -> bool:
    import base64
    import binascii

    head = b"".join(data[:4096].split())
    try:
        start = base64.b64decode(head[: len(head) // 4 * 4], validate=True)
    except binascii.Error:
        return False
    return (
        content_types.sniff_data(start) is not None or start.startswith(b"\x1f\x8b") or b"mime-version" in start.lower()
    )
