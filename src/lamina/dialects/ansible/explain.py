"""What `explain` adds for Ansible: that a text is a template, and which files of a host are not known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.dialects.ansible.hosts import AnsibleHosts
from lamina.dialects.ansible.yaml_values import is_template
from lamina.plugin import extensions as lpx

if TYPE_CHECKING:
    from lamina import plugin as lp


def hint(event: lpx.Event, result: lpx.Rendered) -> str | None:  # noqa: ARG001
    """That the text is filled in later."""
    if event.verdict != "ignored" and is_template(event.value):
        return "a template: Ansible fills it in when a task uses it, with facts that are not known here"
    return None


def context(result: lpx.Rendered, inputs: lp.Inputs, path: lp.Path) -> lpx.Context | None:  # noqa: ARG001
    """The encrypted files that may set the variable as well."""
    unknown = [
        name for stage in result.plan.stages if isinstance(stage.facts, AnsibleHosts) for name in stage.facts.unknown
    ]
    if not unknown or not path:
        return None
    return lpx.Context(f"not known, since it is encrypted: what {', '.join(unknown)} sets\n", {"unknown": unknown})


EXPLAIN: Final = lpx.Explain(hint=hint, context=context)
