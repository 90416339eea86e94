"""Lint rules for cloud-init: valid configuration that is probably a mistake.

Each check reads a result and returns notes; `RULES` declares their codes. Parts that the program drops or ignores are
reported by rendering itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit import messages
from lamina.dialects.cloudinit.config_schema.schema_choice import schema_name
from lamina.dialects.cloudinit.explain_hints import joining, replacing
from lamina.dialects.cloudinit.lint_config import config_notes, has_configuration, part_outputs
from lamina.dialects.cloudinit.lint_scalars import converted_scalars
from lamina.dialects.cloudinit.other_rule import joining_rule
from lamina.dialects.cloudinit.user_data import OUTPUT
from lamina.engine.delta import OLD
from lamina.engine.history import events_of
from lamina.engine.plan import Merge, OutputRef
from lamina.engine.provenance import first_origin, origins_of
from lamina.engine.step_context import short
from lamina.errors import Effect, Fix, Severity
from lamina.paths import Path, show, walk
from lamina.protocol.extensions import Check
from lamina.protocol.lint import LintRule, on_result
from lamina.values import same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.engine.history import Event
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.protocol.rendered import Checked, Rendered

_MAX_LISTED: Final = 4
"""Keys named in a finding."""
_COMMANDS: Final = ("runcmd", "bootcmd")
_MERGED: Final = ("user-data", "vendor-data", "vendor-data2", OUTPUT)


def rule_without_effect(rendered: Rendered) -> Iterable[Note]:
    """A rule in the first part, which is merged with nothing; a part that is alone may be merged with others later."""
    outputs = [output for stage in rendered.plan.stages for output in stage.outputs]
    merges = [[step for step in output.steps if isinstance(step, Merge)] for output in outputs]
    if sum(not isinstance(step.take.source, OutputRef) for steps in merges for step in steps) < 2:
        return
    for first in (steps[0] for steps in merges if steps):
        if first.directive.origin is None or isinstance(first.take.source, OutputRef):
            continue
        part = _part_name(first.subject, first.directive.origin)
        yield messages.RULE_WITHOUT_EFFECT.at(first.directive.origin, subject=first.subject, part=part)


def lists_replaced(rendered: Rendered) -> Iterable[Note]:
    """A list that replaced another one: they were probably meant to be joined."""
    events = [(path, event) for path, event in _top_events(rendered) if _replaces_list(event)]
    replaced = {(event.output, event.step, path) for path, event in events}
    for path, event in events:
        part = _part_name(event.layer, event.origin)
        rule = joining_rule(rendered, event)
        fixable = rule is not None and all((event.output, event.step, other) in replaced for other in rule.changes)
        yield messages.LIST_REPLACED.at(
            event.origin,
            path,
            subject=event.layer,
            fix=_joining(path, event, rule.text) if rule is not None and fixable else None,
            where=show(path),
            part=part,
            earlier=short(event.displaced),
            how=joining(event, rendered, part, rule),
        )


def _replaces_list(event: Event) -> bool:
    old, new = event.displaced, event.value
    return event.verdict == "replaced" and isinstance(new, list) and isinstance(old, list) and not same(old, new)


def _joining(path: Path, event: Event, rule: str) -> Fix | None:
    """What adds a merge rule that appends; not where the part has a rule already."""
    if event.origin is None or (event.directive and event.directive.origin is not None):
        return None
    return Fix(
        title=f"add merge_how: {rule}",
        action="add-key",
        at=event.origin,
        old="merge_how",
        new=f"merge_how: {rule}",
        effects=(Effect(OUTPUT, path, event.value, [*event.displaced, *event.value]),),
    )


def mappings_replaced(rendered: Rendered) -> Iterable[Note]:
    """A mapping that replaced another one with more keys: they were probably meant to be merged."""
    for path, event in _top_events(rendered):
        if event.verdict != "replaced" or not (isinstance(event.value, dict) and isinstance(event.displaced, dict)):
            continue
        missing = [str(key) for key in event.displaced if key not in event.value]
        if missing:
            part = _part_name(event.layer, event.origin)
            keys = ", ".join(missing[:_MAX_LISTED]) + (" …" if len(missing) > _MAX_LISTED else "")
            yield messages.MAPPING_REPLACED.at(
                event.origin,
                path,
                subject=event.layer,
                where=show(path),
                part=part,
                keys=keys,
                how=joining(event, rendered, part, joining_rule(rendered, event)),
            )


def scalars_ignored(checked: Checked) -> Iterable[Note]:
    """A scalar that the merge rule of its own part keeps from replacing an earlier value."""
    outputs = {folded.output.name for folded in part_outputs(checked.rendered)}
    reported = {note.at for note in checked.rendered.notes if note.code == "strings-not-joined"}
    for pair in checked.merge_pairs:
        if pair.output not in outputs or not pair.both or pair.delta is not OLD or _is_collection(pair.new.value):
            continue
        *_, event = events_of(pair.node)
        if event.origin is None or event.origin in reported or same(pair.old.value, pair.new.value):
            continue
        part = _part_name(event.layer, event.origin)
        earlier = first_origin(pair.old)
        yield messages.SCALAR_IGNORED.at(
            event.origin,
            pair.path,
            subject=event.layer,
            related=(("the earlier value", earlier),),
            where=show(pair.path),
            part=part,
            how=replacing(event, checked.rendered, part),
        )


def _is_collection(value: Any) -> bool:
    return isinstance(value, (dict, list, tuple))


def hidden_layers(rendered: Rendered) -> Iterable[Note]:
    """A list or string of a lower layer that a higher one hides."""
    layered = any(output.name != OUTPUT for stage in rendered.plan.stages for output in stage.outputs)
    for path, event in _top_events(rendered) if layered else ():
        if event.output == OUTPUT and event.verdict == "ignored" and _is_lost(event.value, walk(rendered.plain, path)):
            higher = first_origin(rendered.node_at(path))
            yield messages.HIDDEN_BY_LAYER.at(
                event.origin,
                path,
                subject=event.layer,
                related=(("the value in effect", higher),),
                where=show(path),
                part=_part_name(event.layer, event.origin),
            )


def _is_lost(hidden: Any, effective: Any) -> bool:
    """Whether a list or string is not repeated in the value that hides it."""
    if isinstance(hidden, list):
        return not isinstance(effective, list) or any(item not in effective for item in hidden)
    return isinstance(hidden, str) and not (isinstance(effective, str) and hidden in effective)


def _part_name(layer: str | None, origin: Origin | None) -> str:
    """The name of a part for users: its file, if that contains nothing else."""
    return origin.source if origin and not origin.part else str(layer)


def _top_events(rendered: Rendered) -> Iterator[tuple[Path, Event]]:
    """The events at the top-level keys of the result."""
    if isinstance(rendered.plain, dict):
        for key in rendered.plain:
            for event in events_of(rendered.node_at((key,))):
                if event.output in _MERGED and event.layer is not None:
                    yield (key,), event


def leftover_rules(rendered: Rendered) -> Iterable[Note]:
    """The key of a rule that stayed in the data because another key was read."""
    for key in ("merge_how", "merge_type"):
        if isinstance(rendered.plain, dict) and key in rendered.plain:
            yield messages.LEFTOVER_KEY.at(first_origin(rendered.node_at((key,))), (key,), key=key)


def default_user(rendered: Rendered) -> Iterable[Note]:
    """A list of users without `default`: the image's own user is not created."""
    users = rendered.plain.get("users") if isinstance(rendered.plain, dict) else None
    if isinstance(users, list) and users and "default" not in users:
        yield messages.NO_DEFAULT_USER.at(first_origin(rendered.node_at(("users",))), ("users",))


def duplicate_entries(rendered: Rendered) -> Iterable[Note]:
    """The same entry twice in a list, from different parts, which nothing ever removes; a command may run twice."""
    for key, value in (rendered.plain or {}).items() if isinstance(rendered.plain, dict) else ():
        if not isinstance(value, list) or key in _COMMANDS:
            continue
        seen: dict[str, int] = {}
        for position, item in enumerate(value):
            first = seen.setdefault(repr(item), position)
            if first != position and item not in (None, "", [], {}):
                yield from _duplicate(rendered, (key, first), (key, position))


def _duplicate(rendered: Rendered, first: Path, again: Path) -> Iterable[Note]:
    one, two = origins_of(rendered.node_at(first)), origins_of(rendered.node_at(again))
    if not one or not two or (one[0].source, one[0].part) == (two[0].source, two[0].part):
        # A repeated entry within one list is intended: commands that run twice, positional fields.
        return
    yield messages.DUPLICATE_ENTRY.at(
        two[0],
        again,
        related=(("the first one is here", one[0]),),
        again=show(again),
        first=show(first),
        item=short(rendered.node_at(again).value),
    )


def owners_before_users(rendered: Rendered) -> Iterable[Note]:
    """A file whose owner is a user or group that this configuration creates: files are written before that."""
    config = rendered.plain if isinstance(rendered.plain, dict) else {}
    created = set(_created_names(config))
    files = config.get("write_files")
    for position, entry in enumerate(files if isinstance(files, list) else ()):
        if not isinstance(entry, dict) or entry.get("defer") or not isinstance(entry.get("owner"), str):
            continue
        name = next((name for name in entry["owner"].split(":") if name.strip() in created), None)
        if name is not None:
            path = ("write_files", position, "owner")
            yield messages.OWNER_BEFORE_USERS.at(
                first_origin(rendered.node_at(path)), path, where=show(path), name=name.strip()
            )


def _created_names(config: dict[Any, Any]) -> Iterator[str]:
    """The users and groups that a configuration creates; the name of the image's default user is not known."""
    for key in ("users", "groups"):
        value = config.get(key)
        for entry in value if isinstance(value, list) else [value]:
            names = [entry.get("name")] if key == "users" and isinstance(entry, dict) else entry
            names = list(names) if isinstance(names, dict) else names if isinstance(names, list) else [names]
            yield from (name for name in names if isinstance(name, str) and name != "default")


def config_findings(checked: Checked) -> Iterable[Note]:
    """The findings on keys of the merged configuration; computed once for all rules about them."""
    return checked.once(config_notes)


RULES: Final = (
    LintRule(
        code="rule-without-effect",
        title="cloud-init: a merge rule in the first part",
        about="A merge rule applies only to the merge of its own part, and nothing comes before the first part.",
        check=on_result(rule_without_effect),
        covers=("unused-rule",),
    ),
    LintRule(
        code="list-replaced",
        title="cloud-init: a list that replaces another",
        about="Lists from different parts are not joined unless the merge rule asks for it; the later list wins.",
        check=on_result(lists_replaced),
        fix="adds a merge rule that appends the list to the part, if it has none and no other value changes",
    ),
    LintRule(
        code="mapping-replaced",
        title="cloud-init: a mapping that replaces another",
        about="Mappings below the top level are not merged unless the rule says so; keys that only the earlier one has "
        "are not in the result.",
        check=on_result(mappings_replaced),
    ),
    LintRule(
        code="scalar-ignored",
        title="cloud-init: a scalar that its merge rule ignores",
        about="With no_replace, the default of dict in a merge rule, no scalar replaces an earlier value.",
        check=scalars_ignored,
    ),
    LintRule(
        code="hidden-by-layer",
        title="cloud-init: a list or string that a higher layer hides",
        about="Lists and strings from user-data, vendor-data and the system configuration are never joined.",
        check=on_result(hidden_layers),
    ),
    LintRule(
        code="leftover-rule",
        title="cloud-init: the key of a merge rule that stays in the data",
        about="Only one of merge_how and merge_type is read; the other stays in the result and may take effect later.",
        check=on_result(leftover_rules),
    ),
    LintRule(
        code="no-default-user",
        title="cloud-init: a list of users without `default`",
        about="Without `default` in the list, cloud-init does not create the image's default user.",
        severity=Severity.INFO,
        check=on_result(default_user),
    ),
    LintRule(
        code="duplicate-entry",
        title="cloud-init: the same entry twice in a list",
        about="Joining the lists of two parts does not remove duplicates, so the entry takes effect twice.",
        check=on_result(duplicate_entries),
    ),
    LintRule(
        code="owner-before-users",
        title="cloud-init: a file whose owner does not exist yet",
        about="Files are written before users and groups are created; an owner that does not exist stops the module.",
        check=on_result(owners_before_users),
    ),
    LintRule(
        code="converted-scalar",
        title="cloud-init: a value that YAML did not read as a string",
        about="Without quotes, YAML reads 0644, 12:30, dates, yes and no as numbers, dates or booleans, not strings.",
        check=converted_scalars,
        covers=("config-wrong-type",),
        fix="puts the value in quotes",
    ),
    LintRule(
        code="config-unknown-key",
        title="cloud-init: a key that cloud-init does not know",
        about="Nothing reads the key, so its value is ignored; it is usually misspelled or in the wrong mapping.",
        check=config_findings,
        covers=("near-miss-key",),
        fix="writes the key that is one character away, if there is only one and it is not set",
    ),
    LintRule(
        code="config-wrong-type",
        title="cloud-init: a value of the wrong type",
        about="The module that reads the key expects another type, so it ignores the key or fails.",
        check=config_findings,
    ),
    LintRule(
        code="config-invalid-value",
        title="cloud-init: a value that is not accepted",
        about="The value has the right type but is not one of those that cloud-init accepts.",
        check=config_findings,
    ),
    LintRule(
        code="config-missing-key",
        title="cloud-init: a required key that is missing",
        about="cloud-init cannot use the mapping without the key.",
        check=config_findings,
    ),
    LintRule(
        code="config-deprecated",
        title="cloud-init: a deprecated key or form",
        about="cloud-init still accepts it, logs a warning at boot, and may drop it in a later release.",
        severity=Severity.INFO,
        check=config_findings,
    ),
)

CHECK: Final = Check(
    ("config-",),
    lambda options: schema_name(options.schema),
    has_configuration,
    "only user-data and vendor-data have a schema, and there is none",
)
