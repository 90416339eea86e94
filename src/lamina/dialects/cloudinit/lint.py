"""Lint for cloud-init: what is legal, and mostly not what was meant.

Each check looks at a result and gives notes; `RULES` declares what they find. What the program drops or ignores is
reported by rendering itself; here is what it does as asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit.explain_hints import JOINING
from lamina.dialects.cloudinit.lint_config import config_notes
from lamina.dialects.cloudinit.lint_scalars import converted_scalars
from lamina.dialects.cloudinit.user_data import OUTPUT
from lamina.engine.history import events_of
from lamina.engine.plan import Merge, OutputRef
from lamina.engine.provenance import first_origin, origins_of
from lamina.engine.step_context import short
from lamina.errors import Diagnostic, Severity
from lamina.paths import Path, show
from lamina.views.lint.rule import LintRule, on_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.engine.history import Event
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.views.lint.context import Survey
    from lamina.views.result import Result

_MERGED: Final = ("user-data", "vendor-data", "vendor-data2", OUTPUT)


def rule_without_effect(rendered: Result) -> Iterable[Note]:
    """A rule in the part everything begins with: there is nothing yet to merge it with."""
    for stage in rendered.plan.stages:
        for output in stage.outputs:
            first = next((step for step in output.steps if isinstance(step, Merge)), None)
            if first is None or first.directive.origin is None or isinstance(first.take.source, OutputRef):
                continue
            lower = output.name == "cloud.cfg.d"
            where = "the file that is folded in below it" if lower else "the part that is merged onto it"
            who = _who(first.subject, first.directive.origin)
            yield _note(
                "rule-without-effect",
                f"the rule of {who} has no effect: it is the first, and rules govern their own merge only",
                first.directive.origin,
                hint=f"put it into {where}",
                subject=first.subject,
            )


def lists_replaced(rendered: Result) -> Iterable[Note]:
    """A list that took the place of another one: joining was probably meant."""
    for path, event in _top_events(rendered):
        if event.verdict == "replaced" and isinstance(event.value, list) and isinstance(event.displaced, list):
            who = _who(event.layer, event.origin)
            yield _note(
                "list-replaced",
                f"{show(path)}: the list of {who} takes the place of an earlier one ({short(event.displaced)})",
                event.origin,
                path=path,
                hint=f"to append instead, put merge_how: {JOINING} into {who}",
                subject=event.layer,
            )


def hidden_layers(rendered: Result) -> Iterable[Note]:
    """A list or text of a lower layer that a higher one hides as a whole."""
    layered = any(output.name != OUTPUT for stage in rendered.plan.stages for output in stage.outputs)
    for path, event in _top_events(rendered) if layered else ():
        if event.output == OUTPUT and event.verdict == "ignored" and isinstance(event.value, (list, str)):
            higher = first_origin(rendered.node_at(path))
            yield _note(
                "hidden-by-layer",
                f"{show(path)}: what {_who(event.layer, event.origin)} says is hidden by a higher layer",
                event.origin,
                path=path,
                related=(("the value that counts", higher),) if higher else (),
                hint="lists and texts of layers are never joined; repeat the lower one's in the higher",
                subject=event.layer,
            )


def _who(layer: str | None, origin: Origin | None) -> str:
    """What users call a part: by its file, where that is all of it."""
    return origin.source if origin and not origin.part else str(layer)


def _top_events(rendered: Result) -> Iterator[tuple[Path, Event]]:
    """The events at the top-level keys of the result."""
    if isinstance(rendered.plain, dict):
        for key in rendered.plain:
            for event in events_of(rendered.node_at((key,))):
                if event.output in _MERGED and event.layer is not None:
                    yield (key,), event


def leftover_rules(rendered: Result) -> Iterable[Note]:
    """A rule's key that stayed in the data, because another one was read."""
    for key in ("merge_how", "merge_type"):
        if isinstance(rendered.plain, dict) and key in rendered.plain:
            yield _note(
                "leftover-rule",
                f"{key} is left in the result: another rule was read before it",
                first_origin(rendered.node_at((key,))),
                path=(key,),
                hint="write one of merge_how and merge_type only",
            )


def default_user(rendered: Result) -> Iterable[Note]:
    """A list of users without `default`: the image's own user is not made."""
    users = rendered.plain.get("users") if isinstance(rendered.plain, dict) else None
    if isinstance(users, list) and users and "default" not in users:
        yield _note(
            "no-default-user",
            "users: the list has no entry `default`, so the image's own user is not made",
            first_origin(rendered.node_at(("users",))),
            path=("users",),
            hint="add `- default` if the image's user is wanted",
        )


def duplicate_entries(rendered: Result) -> Iterable[Note]:
    """The same entry twice in a list, from different places: nothing ever removes one."""
    for key, value in (rendered.plain or {}).items() if isinstance(rendered.plain, dict) else ():
        if not isinstance(value, list):
            continue
        seen: dict[str, int] = {}
        for position, item in enumerate(value):
            first = seen.setdefault(repr(item), position)
            if first != position and item not in (None, "", [], {}):
                yield from _duplicate(rendered, (key, first), (key, position))


def _duplicate(rendered: Result, first: Path, again: Path) -> Iterable[Note]:
    one, two = origins_of(rendered.node_at(first)), origins_of(rendered.node_at(again))
    if not one or not two or one[0] == two[0]:
        return
    yield _note(
        "duplicate-entry",
        f"{show(again)} says the same as {show(first)}: {short(rendered.node_at(again).value)}",
        two[0],
        path=again,
        related=(("first said here", one[0]),),
        hint="cloud-init never removes duplicates; remove one",
    )


def config_findings(survey: Survey) -> Iterable[Note]:
    """What is wrong with the keys of the merged configuration; worked out once for all rules about them."""
    return survey.once(config_notes)


def _note(
    code: str,
    message: str,
    at: Any,
    *,
    path: Path = (),
    related: Any = (),
    hint: str,
    subject: str | None = None,
) -> Note:
    return Diagnostic(
        code=code,
        message=message,
        at=at,
        path=path,
        related=related,
        hint=hint,
        severity=Severity.WARNING,
        subject=subject,
    )


RULES: Final = (
    LintRule(
        code="rule-without-effect",
        title="cloud-init: a rule in the part everything begins with",
        about="A rule governs the merge of its own part only, and here there is nothing yet to merge it with.",
        check=on_result(rule_without_effect),
        covers=("idle-rule",),
    ),
    LintRule(
        code="list-replaced",
        title="cloud-init: a list that takes the place of another",
        about="Lists of different parts are not joined unless the rule says so; the later one stands.",
        check=on_result(lists_replaced),
    ),
    LintRule(
        code="hidden-by-layer",
        title="cloud-init: a list or text that a higher layer hides",
        about="Lists and texts of user-data, vendor-data and the system configuration are never joined.",
        check=on_result(hidden_layers),
    ),
    LintRule(
        code="leftover-rule",
        title="cloud-init: the key of a rule that is left in the data",
        about="Only one of merge_how and merge_type is read; the other stays in the result and may act later.",
        check=on_result(leftover_rules),
    ),
    LintRule(
        code="no-default-user",
        title="cloud-init: a list of users without `default`",
        about="Without `default` in the list cloud-init does not make the image's own user.",
        check=on_result(default_user),
    ),
    LintRule(
        code="duplicate-entry",
        title="cloud-init: the same entry twice in a list",
        about="Joining lists never removes duplicates, so the entry acts twice.",
        check=on_result(duplicate_entries),
    ),
    LintRule(
        code="converted-scalar",
        title="cloud-init: a value that YAML did not read as text",
        about="Without quotes file modes, dates, numbers such as 0644 and 12:30, and yes or no are not read as text.",
        check=converted_scalars,
        covers=("config-wrong-type",),
    ),
    LintRule(
        code="config-unknown-key",
        title="cloud-init: a key that cloud-init does not know",
        about="Nothing reads the key, so what it sets is ignored; it is mostly misspelt or in the wrong mapping.",
        check=config_findings,
        covers=("near-miss-key",),
    ),
    LintRule(
        code="config-wrong-type",
        title="cloud-init: a value of the wrong type",
        about="The module that reads the key expects another type and skips the key or fails.",
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
        about="The mapping cannot be used without the key.",
        check=config_findings,
    ),
    LintRule(
        code="config-deprecated",
        title="cloud-init: a deprecated key or form",
        about="cloud-init still accepts it, reports it when it boots, and may remove it in a later release.",
        severity=Severity.INFO,
        check=config_findings,
    ),
)

CHECK: Final = ("config-",)
"""What `lamina check` looks for beside what rendering reports: prefixes of codes."""
