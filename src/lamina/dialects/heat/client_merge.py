"""The client's merge: one deep update of the whole environment per file.

No types and no strategies: the section of strategies is data like the others. A mapping updates a mapping key by key,
and counts as new where there is nothing or null; over anything else it fails, unless it is empty, which changes
nothing, or its keys are positions in a list, whose items it then replaces. Null does not touch a mapping and replaces
all else. Everything else replaces: lists and nested texts too.

The real client also turns relative paths in `resource_registry` into absolute URLs; here they stay as written, since
what they become depends on the machine.

Facts C; golden cases in client.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import values as c
from lamina.budget import ITEM
from lamina.dialects.heat.engine_rules import initial_step, rejection
from lamina.dialects.heat.member_policies import each
from lamina.dialects.heat.messages import CLIENT
from lamina.engine.tree_edit import at, rebuilt
from lamina.plugin import ALL, KEEP, LISTS, MAPS, TAKE, Cases, Directive, From, Merge, Policy
from lamina.plugin.operators import NEW, OLD, Ref, RejectPair

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.options import HeatOptions
    from lamina.engine.plan import AnyStep
    from lamina.plugin.operators import Delta, MergeContext, Trail


def keys_by_position(items: list[Any], new: dict[Any, Any]) -> dict[int, Any] | None:
    """The keys of a mapping by the items they set in a list; None if the client cannot set them.

    Negative ones count from the end. The client asks a list for its member where it is to be set to a mapping or null,
    and fails.
    """
    keys: dict[int, Any] = {}
    for key, value in new.items():
        if isinstance(value, dict) or value is None or not isinstance(key, int) or not -len(items) <= key < len(items):
            return None
        keys[int(key) % len(items)] = key
    return keys


class SetItems:
    """Replace the items of a list at the positions that are the keys of a mapping."""

    name = "set items"

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        keys = keys_by_position(old, new)
        if keys is None:
            run.reject("mapping-into-other", old, new, trail)
            return OLD
        run.build(len(old), len(old) * ITEM)
        return rebuilt(old, {i: at(old, i, Ref(new[key], "new", (key,)), NEW, new[key]) for i, key in keys.items()})


POLICY: Final = Policy(
    Cases(
        (MAPS, (c.NULL,), KEEP),
        (MAPS, MAPS, each()),
        ((c.ABSENT, c.NULL), MAPS, TAKE),
        (ALL, (c.EMPTY_MAP,), KEEP),
        (LISTS, (c.MAP,), SetItems()),
        (ALL, (c.MAP,), RejectPair("mapping-into-other")),
        (ALL, ALL, TAKE),
    ),
    "deep update",
)


def client_steps(environments: Iterable[Environment], options: HeatOptions) -> list[AnyStep]:
    """The steps that update the environment with one file after the other."""
    steps: list[AnyStep] = [initial_step(options)] if options.initial_parameters else []
    for environment in environments:
        if environment.rejected:
            return [*steps, rejection(environment.rejected)]
        steps.append(
            Merge(
                directive=Directive("the client's deep update"),
                take=From(source=environment.node, layer=environment.name),
                policy=POLICY,
                faults=CLIENT,
                subject=environment.name,
            )
        )
    return steps
