"""The client's merge: one deep update of the whole environment per file.

No types and no strategies: the section of strategies is data like the others. A mapping updates a mapping key by key,
and counts as new where there is nothing or null; over anything else it fails, unless it is empty, which changes
nothing. Null does not touch a mapping and replaces all else. Everything else replaces: lists and nested texts too.

The real client also turns relative paths in `resource_registry` into absolute URLs; here they stay as written, since
what they become depends on the machine.

Facts C; golden cases in client.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina import values as c
from lamina.dialects.heat.engine_rules import initial_step, rejection
from lamina.dialects.heat.member_policies import each
from lamina.dialects.heat.messages import CLIENT
from lamina.engine.operators.whole import KEEP, TAKE, RejectPair
from lamina.engine.plan import Directive, From, Merge
from lamina.engine.policy import Cases, Policy
from lamina.values import ALL, MAPS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.options import HeatOptions
    from lamina.engine.plan import AnyStep

POLICY: Final = Policy(
    Cases(
        (MAPS, (c.NULL,), KEEP),
        (MAPS, MAPS, each()),
        ((c.ABSENT, c.NULL), MAPS, TAKE),
        (ALL, (c.EMPTY_MAP,), KEEP),
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
